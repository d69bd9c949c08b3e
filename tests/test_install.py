"""The built wheel: pure Python, installs alone, and each extra from it; the environments need nothing else.

Fresh environments take minutes, so all but the first test are heavy:

    python -m pytest -m heavy tests/test_install.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command, cwd=None, expected=0, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH",)} | environment
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd, check=False, env=env)
    assert done.returncode == expected, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    ignore = shutil.ignore_patterns(".git", ".venv*", "runs", "__pycache__", "*_cache")
    shutil.copytree(ROOT, source, ignore=ignore)
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_is_pure_python_and_holds_the_packages_and_their_data(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "fruit_envs/games/fruit_cocktail/cards.csv" in names
    assert "fruit_envs/games/fruitoplay/cards.json" in names
    assert "fruit_envs/games/fruity_fruit/table.json" in names
    assert "fruit_envs/games/fruit_salad/cards.csv" in names
    assert "fruit_envs/py.typed" in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"fruit_envs", "fruit_agents", "fruit_train"}


@pytest.fixture
def fresh(tmp_path):
    """A new virtual environment, and a function that installs into it with the tested versions."""
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    scripts = tmp_path / "venv" / "bin"

    def install(*what):
        return run(scripts / "pip", "install", "-q", "-c", ROOT / "constraints.txt", *what)

    return scripts, install


PLAY = """
import fruit_envs, gymnasium, pettingzoo
for n in (2, 3, 4):
    (record,) = fruit_envs.record("fruit_cocktail", seed=1, num_players=n)
    fruit_envs.replay(record)
for n in range(2, 7):
    (record,) = fruit_envs.record("fruitoplay", seed=1, num_players=n)
    fruit_envs.replay(record)
batch = fruit_envs.Batch("fruit_cocktail", 8)
batch.reset(1)
batch.step(batch.sample())
pettingzoo.make("aec", "fruit/fruit_cocktail-v0").reset()
gymnasium.make("fruit/FruitCocktail-v0").reset()
"""


@pytest.mark.heavy
def test_the_core_installs_alone_and_names_the_extras_that_are_missing(wheel, fresh, tmp_path):
    scripts, install = fresh
    install(wheel)
    run(scripts / "python", "-c", PLAY, cwd=tmp_path)
    listed = run(scripts / "pip", "list", "--format", "freeze").lower()
    assert "torch" not in listed
    assert "typer" not in listed
    assert "fruit-envs[agents]" in run(scripts / "fruit-envs", "list", expected=2)
    assert "fruit-envs[train]" in run(scripts / "fruit-train", "fruit_cocktail", expected=1)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("extra", "command"),
    [("agents", ["fruit-envs", "describe", "fruit_cocktail"]), ("train", ["fruit-train", "--help"])],
)
def test_each_extra_installs_from_the_wheel(wheel, fresh, tmp_path, extra, command):
    scripts, install = fresh
    install(f"{wheel}[{extra}]")
    run(scripts / command[0], *command[1:], cwd=tmp_path)


@pytest.mark.heavy
def test_the_environments_pass_their_tests_with_agents_and_training_removed(fresh, tmp_path):
    scripts, install = fresh
    project = tmp_path / "project"
    project.mkdir()
    for part in ("fruit_envs", "tests", "docs"):
        shutil.copytree(ROOT / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(project / "tests" / "fruit_agents")
    shutil.rmtree(project / "tests" / "fruit_train")
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, project)
    install(
        "numpy", "numba", "gymnasium", "pettingzoo", "platformdirs", "pytest", "pytest-xdist", "hypothesis", "scipy"
    )
    output = run(
        scripts / "python",
        "-m",
        "pytest",
        "-n",
        "2",
        "--ignore",
        "tests/test_install.py",
        cwd=project,
        PYTHONPATH=str(project),
    )
    assert " passed" in output
    assert " failed" not in output


@pytest.mark.heavy
def test_the_oldest_supported_gymnasium(fresh, tmp_path):
    """The whole conformance suite on gymnasium 1.2.2, which RLlib pins."""
    scripts, _ = fresh
    constraints = (ROOT / "constraints.txt").read_text("utf-8").replace("gymnasium==1.4.0", "gymnasium==1.2.2")
    (tmp_path / "constraints.txt").write_text(constraints)
    needs = [
        "numpy",
        "numba",
        "gymnasium",
        "pettingzoo",
        "platformdirs",
        "pytest",
        "pytest-xdist",
        "hypothesis",
        "scipy",
    ]
    run(scripts / "pip", "install", "-q", "-c", tmp_path / "constraints.txt", *needs)
    assert "1.2.2" in run(scripts / "python", "-c", "import gymnasium; print(gymnasium.__version__)")
    run(scripts / "python", "-m", "pytest", "-n", "2", "tests/conformance", cwd=ROOT, PYTHONPATH=str(ROOT))


@pytest.mark.heavy
def test_the_readme_s_first_command_on_a_copy_of_the_project(tmp_path):
    """Word for word, but for a shorter training."""
    readme = (ROOT / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^(python3 -m venv \.venv && .*fruit-train .*)$", readme, re.MULTILINE)
    project = tmp_path / "project"
    shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".git", ".venv*", "runs", "__pycache__", "*_cache"))
    short = "--total-steps 8192 --checkpoints 2 --checkpoint-deals 4 --deals 20 --name short"
    output = run("bash", "-c", f"{command} {short}", cwd=project)
    assert "| policy | greedy2 |" in output
    assert {"policy.safetensors", "results.md", "curve.png"} <= {p.name for p in (project / "runs" / "short").iterdir()}

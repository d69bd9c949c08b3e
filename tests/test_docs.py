"""Everything printed in README and docs runs, and agrees with the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fruit_agents")

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)

#: Commands that set up a machine or run for minutes; other tests and CI run them.
SET_UP = ("python3 -m venv", "python -m pytest")


def blocks(language):
    found = []
    for page in PAGES:
        for number, (kind, code) in enumerate(BLOCK.findall(page.read_text("utf-8"))):
            if kind == language:
                found.append(pytest.param(code, id=f"{page.name}-{number}"))
    return found


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("code", blocks("bash"))
def test_shell_blocks_run(code, tmp_path):
    scripts = Path(sys.executable).parent
    for line in code.strip().splitlines():
        if line.startswith(SET_UP):
            continue
        words = shlex.split(line)
        done = subprocess.run(
            [scripts / words[0], *words[1:]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"COLUMNS": "120"},
        )
        assert done.returncode == 0, done.stderr[-2000:]


def test_ci_installs_with_the_readme_s_own_test_command():
    readme = (ROOT / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^python3 -m venv \.venv && (.*-m pytest.*)$", readme, re.MULTILINE)
    install = command.split(" && ")[0].replace(".venv/bin/", "")
    assert install in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


def test_generated_tables_are_up_to_date():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_pages_show_what_was_measured():
    for page in PAGES:
        for part in re.findall(r"<!-- generated: (.+?) -->\n(.*?)<!-- end -->", page.read_text("utf-8"), re.DOTALL):
            assert "|" in part[1], f"{page.name}: {part[0]} is empty"


def test_mutants_still_fit_the_sources():
    import mutants

    for mutant in mutants.MUTANTS:
        assert (ROOT / mutant.file).read_text("utf-8").count(mutant.old) == 1, mutant.name


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+?)\)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    ("game", "letter"),
    [("fruit_cocktail", "C"), ("fruitoplay", "F"), ("fruity_fruit", "Y"), ("fruit_salad", "S")],
)
def test_every_ruling_is_told_and_tested(game, letter):
    page = (ROOT / "docs" / "games" / f"{game}.md").read_text("utf-8")
    told = set(re.findall(rf"^\| ({letter}\d+) ", page, re.MULTILINE))
    files = (ROOT / "tests" / game).glob("test_rulings_*.py")
    tests = "".join(path.read_text("utf-8") for path in files)
    tested = {name.upper() for name in re.findall(rf"def test_({letter.lower()}\d+)_", tests)}
    assert told == tested


def test_files_stay_small_and_headed():
    for path in [p for part in ("fruit_envs", "agents", "train") for p in (ROOT / part).rglob("*.py")]:
        text = path.read_text("utf-8")
        assert len(text.splitlines()) <= 440, f"{path}: about 400 lines are enough for one idea"
        assert text.startswith('"""'), f"{path} says what it is for"

"""Training libraries take the environments as they are, each in an environment of its own with pinned versions.

    python -m pytest -m heavy tests/clients

`requirements/CLIENT.txt` holds the versions, `play_CLIENT.py` what the client does. A folder named by the variable
FRUIT_ENVS_CLIENTS keeps the environments for the next time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CLIENTS = sorted(path.stem for path in (HERE / "requirements").glob("*.txt"))

#: Clients that need no torch; it is installed first, so that the others take the build that is at hand.
LIGHT = ("minari", "supersuit")
TORCH = "torch==2.13.0"


def run(*command, **environment):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=os.environ | environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def installed(client, folder):
    """The Python of the client's environment, made where it is not there or was made for other versions."""
    requirements = HERE / "requirements" / f"{client}.txt"
    place, done = folder / client, folder / client / "installed.txt"
    wanted = requirements.read_text("utf-8")
    python = place / "bin" / "python"
    if not done.exists() or done.read_text("utf-8") != wanted:
        run(sys.executable, "-m", "venv", "--clear", place)
        if client not in LIGHT:
            run(python, "-m", "pip", "install", "-q", TORCH)
        run(python, "-m", "pip", "install", "-q", "-r", requirements)
        done.write_text(wanted, "utf-8")
    return python


def test_every_client_has_its_script():
    assert sorted(path.stem.removeprefix("play_") for path in HERE.glob("play_*.py")) == CLIENTS


@pytest.mark.heavy
@pytest.mark.parametrize("client", CLIENTS)
def test_it_plays(client, tmp_path):
    python = installed(client, Path(os.environ.get("FRUIT_ENVS_CLIENTS", tmp_path)))
    run(
        python,
        HERE / f"play_{client}.py",
        PYTHONPATH=str(ROOT),
        HOME=str(tmp_path),
        XDG_CACHE_HOME=os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
        MINARI_DATASETS_PATH=str(tmp_path / "data"),
        OMP_NUM_THREADS="1",
    )

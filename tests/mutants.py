"""Plants faults, one at a time, in a copy of the sources, and runs the tests that must catch them.

    python tests/mutants.py [NAME ...]

Each fault is of a kind that users of such software have met. A fault that survives is a hole in the tests: the command
then fails. The faults are in `planted/`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from planted import Mutant, agents, engine, faces, fruit_cocktail, fruit_salad, fruitoplay, fruity_fruit, words

ROOT = Path(__file__).parents[1]

MUTANTS = [
    mutant
    for part in (engine, faces, agents, fruit_cocktail, fruitoplay, fruity_fruit, fruit_salad, words)
    for mutant in part.MUTANTS
]


def survives(mutant: Mutant, folder: Path) -> bool:
    """Whether the tests pass in spite of the fault."""
    for part in ("fruit_envs", "agents", "train", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / mutant.file
    text = path.read_text("utf-8")
    if text.count(mutant.old) != 1:
        sys.exit(f"{mutant.name}: expected its text once in {mutant.file}, found it {text.count(mutant.old)} times")
    path.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    places = [folder, folder / "agents", folder / "train"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{mutant.name}: the tests did not run\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def main() -> None:
    chosen = [m for m in MUTANTS if not sys.argv[1:] or any(word in m.name for word in sys.argv[1:])]
    alive = []
    for mutant in chosen:
        with tempfile.TemporaryDirectory() as folder:
            alive += [mutant.name] if survives(mutant, Path(folder)) else []
        verdict = "SURVIVES" if alive and alive[-1] == mutant.name else "caught"
        sys.stdout.write(f"{verdict:<9}{mutant.name}  ({mutant.tests})\n")
        sys.stdout.flush()
    sys.exit(f"{len(alive)} of {len(chosen)} faults survive" if alive else 0)


if __name__ == "__main__":
    main()

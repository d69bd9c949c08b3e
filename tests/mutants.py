"""Plants faults, one at a time, in a copy of the sources, and runs the tests that must catch them.

    python tests/mutants.py [--jobs N] [NAME ...]

Each fault is of a kind that users of such software have met. A fault that survives is a hole in the tests: the command
then fails, as it does for one whose text is no longer in the sources, or whose tests cannot be run. The faults are in
`planted/`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planted import Mutant, agents, engine, faces, fruit_cocktail, fruit_salad, fruitoplay, fruity_fruit, words

ROOT = Path(__file__).parents[1]

MUTANTS = [
    mutant
    for part in (engine, faces, agents, fruit_cocktail, fruitoplay, fruity_fruit, fruit_salad, words)
    for mutant in part.MUTANTS
]

CAUGHT, SURVIVES, NO_FIT, NO_RUN = "caught", "SURVIVES", "NO FIT", "NO RUN"


def fits(mutant: Mutant) -> bool:
    """Whether the text to replace is in the sources, once."""
    path = ROOT / mutant.file
    return path.is_file() and path.read_text("utf-8").count(mutant.old) == 1


def judge(mutant: Mutant, folder: Path, cache: Path) -> tuple[str, str]:
    """What becomes of a fault planted in a copy of the sources in `folder`, and what the tests said."""
    if not fits(mutant):
        return NO_FIT, f"expected its text once in {mutant.file}"
    for part in ("fruit_envs", "agents", "train", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / mutant.file
    path.write_text(path.read_text("utf-8").replace(mutant.old, mutant.new), "utf-8")
    places = [folder, folder / "agents", folder / "train"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        # One for all: compiled code lies in it by its sources, so what a fault does not touch is compiled once.
        "NUMBA_CACHE_DIR": str(cache),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return {0: SURVIVES, 1: CAUGHT}.get(done.returncode, NO_RUN), said


def run(mutants: list[Mutant], jobs: int, report: Callable[[Mutant, str, float], None]) -> dict[str, list[str]]:
    """Judge these faults, so many at a time; the names of those that were not caught, by what became of them."""
    bad: dict[str, list[str]] = {SURVIVES: [], NO_FIT: [], NO_RUN: []}

    def one(mutant: Mutant) -> None:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            verdict, said = judge(mutant, Path(folder), Path(cache))
        if verdict != CAUGHT:
            bad[verdict].append(mutant.name)
        report(mutant, verdict, time.monotonic() - began)
        if verdict == NO_RUN:
            sys.stderr.write(f"{mutant.name}: the tests did not run\n{said}\n")

    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, mutants))
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of the names of faults; all without any")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    given = parser.parse_args()
    chosen = [m for m in MUTANTS if not given.names or any(word in m.name for word in given.names)]

    def report(mutant: Mutant, verdict: str, seconds: float) -> None:
        sys.stdout.write(f"{verdict:<9}{seconds:4.0f} s  {mutant.name}  ({mutant.tests})\n")
        sys.stdout.flush()

    bad = {verdict: names for verdict, names in run(chosen, given.jobs, report).items() if names}
    listed = "".join(f"\n{verdict}: {name}" for verdict, names in bad.items() for name in names)
    sys.exit(f"{sum(map(len, bad.values()))} of {len(chosen)} faults were not caught:{listed}" if bad else 0)


if __name__ == "__main__":
    main()

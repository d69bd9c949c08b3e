"""The libraries side by side: random legal play in PettingZoo, RLCard, OpenSpiel, pgx and our own faces, in one run.

Each library has an environment of its own, made of `requirements/NAME.txt` and kept for the next run. A decision is one
seat's choice with its observation, its mask and automatic reset, the random choosing included. Every repeat visits all
rows in turn, on one core; CPU seconds of all threads of a process are counted, and an empty Python loop is timed beside
each. The medians are reported. What `table.py` declares must be there: if a row is missing, the run fails.

    python benchmarks/peers/run.py --json benchmarks/results/peers.json
    python benchmarks/peers/plot.py
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fruit_train.facts import machine
from table import TITLES, Row, expected

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

#: Seconds after which a measurement is given up; the first of a row compiles it.
LIMIT = 600.0


def script(name: str) -> Path:
    """What measures a library."""
    return HERE / f"{name}_rows.py"


def environment(name: str, folder: Path) -> Path:
    """The interpreter of a library's own virtual environment, made anew when its requirements have changed."""
    requirements = HERE / "requirements" / f"{name}.txt"
    pins = requirements.read_bytes() + (ROOT / "constraints.txt").read_bytes() + str(ROOT).encode()
    digest = hashlib.sha256(pins).hexdigest()
    home = (folder / name).resolve()
    python, made_of = home / "bin" / "python", home / "requirements.sha256"
    if not made_of.exists() or made_of.read_text() != digest:
        print(f"{name}: installing", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", requirements], check=True, cwd=ROOT, env=clean())
        made_of.write_text(digest)
    return python


def clean() -> dict[str, str]:
    """Variables for a library's process: one thread, and no packages but its own and the shared modules."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return os.environ | threads | {"PYTHONPATH": str(HERE.parent)}


class Library:
    """A running library, asked for one measurement at a time."""

    def __init__(self, name: str, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, script(name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean()
        )
        self.facts = self._answer()

    def measure(self, row: Row, seconds: float) -> dict[str, float]:
        """Count per CPU second and per 1,000 loops."""
        stdin = self._process.stdin
        assert stdin is not None
        print(row.mode, row.game, row.batch, seconds, file=stdin, flush=True)
        found = self._answer()
        if not all(math.isfinite(value) and value > 0 for value in found.values()):
            raise RuntimeError(f"measured {found}")
        return found

    def _answer(self) -> Any:
        stdout = self._process.stdout
        assert stdout is not None
        timer = threading.Timer(LIMIT, self._process.kill)
        timer.start()
        line = stdout.readline()
        timer.cancel()
        if not line:
            raise RuntimeError(f"its process ended with {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def measure(rows: Iterable[Row], folder: Path, repeats: int, seconds: float) -> tuple[Any, Any, dict[Row, str]]:
    """(measurements of each row, facts about each library, what went wrong with the other rows)."""
    rows = list(rows)
    found: dict[Row, list[dict[str, float]]] = {row: [] for row in rows}
    libraries: dict[str, Library] = {}
    lost: dict[Row, str] = {}
    try:
        for name in dict.fromkeys(row.peer for row in rows):
            try:
                libraries[name] = Library(name, environment(name, folder))
            except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
                lost |= {row: f"not started: {error}" for row in rows if row.peer == name}
        for repeat in range(repeats):
            print(f"repeat {repeat + 1} of {repeats}", flush=True)
            for row in rows:
                if row not in lost:
                    try:
                        found[row].append(libraries[row.peer].measure(row, seconds))
                    except (OSError, RuntimeError) as error:
                        lost[row] = str(error)
    finally:
        for library in libraries.values():
            library.close()
    measured = {row: values for row, values in found.items() if row not in lost}
    return measured, {name: library.facts for name, library in libraries.items()}, lost


def medians(measured: dict[Row, list[dict[str, float]]]) -> list[dict[str, Any]]:
    """A row's medians; `best` tells which of the batches of the same game is the fastest."""
    result = []
    for row, values in measured.items():
        rate, ratio = (statistics.median(v[key] for v in values) for key in ("per_second", "per_1000_loops"))
        facts = {"unit": row.unit, "label": row.label, "toy": row.toy}
        figures = {"per_second": round(rate), "per_1000_loops": round(ratio, 3)}
        result.append(asdict(row) | facts | figures)
    for row in result:
        same = [r for r in result if all(r[key] == row[key] for key in ("peer", "mode", "game"))]
        row["best"] = row is max(same, key=lambda r: r["per_1000_loops"])
    return result


def one_core() -> None:
    """Leave this process and its children one core, where the system can: some libraries take all they see."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1, help="CPU seconds of one measurement")
    parser.add_argument("--only", choices=TITLES, help="measure one library")
    parser.add_argument("--envs", type=Path, default=ROOT / ".venv-peers", help="where the environments are kept")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    args = parser.parse_args()

    one_core()
    rows = [row for row in expected() if args.only in (None, row.peer)]
    measured, libraries, lost = measure(rows, args.envs, args.repeats, args.seconds)
    result = medians(measured)
    for row in result:
        print(
            f"{TITLES[row['peer']]:<12}{row['mode']:<14}{row['label']:<18}{row['batch']:>6}"
            f"{row['per_second']:>14,} /s{row['per_1000_loops']:>12.3f} per 1,000 loops"
        )
    if args.json:
        facts = {
            "command": f"python benchmarks/peers/run.py --repeats {args.repeats} --seconds {args.seconds:g}",
            "machine": machine(),
            "libraries": {name: {"title": TITLES[name]} | found for name, found in libraries.items()},
        }
        args.json.write_text(json.dumps({"facts": facts, "rows": result}, indent=1) + "\n")
    if lost:
        sys.exit("\n".join(f"missing: {row}: {why}" for row, why in lost.items()))


if __name__ == "__main__":
    main()

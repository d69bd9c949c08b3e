"""How long it takes to begin: imports, first step with a warm cache, first step with a cold one.

Each figure is the median over fresh processes, in CPU seconds.

    python benchmarks/startup.py [--game fruit_cocktail] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TIMED = """
import resource
{code}
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_utime + usage.ru_stime)
"""

STEP = """
import fruit_envs
batch = fruit_envs.Batch({game!r}, 64)
batch.reset(1)
batch.step(batch.sample())
state = fruit_envs.load({game!r}).deal(1)
state.apply(state.seat, state.legal_actions(state.seat)[0])
"""


def seconds(code: str, runs: int, **environment: str) -> float:
    """Median CPU seconds of a fresh interpreter that runs this code, the interpreter's own start included."""
    found = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", TIMED.format(code=code)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | environment,
        )
        found.append(float(done.stdout))
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="Time imports and first steps in fresh processes.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()

    step = STEP.format(game=args.game)
    bare = seconds("", args.runs)
    peers = seconds("import gymnasium, pettingzoo", args.runs) - bare
    ours = seconds("import fruit_envs", args.runs) - bare
    seconds(step, 1)  # fills the cache
    warm = seconds(step, args.runs) - bare
    with tempfile.TemporaryDirectory() as empty:
        cold = seconds(step, 1, NUMBA_CACHE_DIR=empty) - bare
    rows = {
        "import gymnasium, pettingzoo": peers,
        "import fruit_envs": ours,
        "first steps, warm cache": warm,
        "first steps, cold cache": cold,
    }
    for name, value in rows.items():
        print(f"{name:<32}{value:>8.2f} CPU s")
    print(f"{'import, against both libraries':<32}{ours / peers:>8.2f} x")
    if args.json:
        args.json.write_text(json.dumps({"game": args.game, "seconds": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""How much faster two threads of `Batch` are than one, in wall time, for several numbers of games.

Meaningful on an idle machine only. Both batches play the same actions in turn, and the median of the ratios is told.

    python benchmarks/threads.py --game fruit_cocktail --json FILE
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import sys
import time
from pathlib import Path

import fruit_envs


def wall(batch: fruit_envs.Batch, steps: int) -> float:
    """Seconds of so many steps, the sampling left out."""
    spent = 0.0
    for _ in range(steps):
        actions = batch.sample()
        began = time.perf_counter()
        batch.step(actions)
        spent += time.perf_counter() - began
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description="Two threads against one.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = []
    for n in (64, 1024, 4096, 16384, 65536):
        one, more = (fruit_envs.Batch(args.game, n, threads=threads) for threads in (1, args.threads))
        steps = max(4, 200_000 // n)
        ratios = []
        for batch in (one, more):
            batch.reset(seed=0)
            wall(batch, steps)  # warm
        for _ in range(args.repeats):
            ratios.append(wall(one, steps) / wall(more, steps))
        quartiles = statistics.quantiles(ratios, n=4)
        rows.append({"games": n, "ratio": round(quartiles[1], 2), "quartiles": [round(q, 2) for q in quartiles]})
        print(f"{n:>7} games: {args.threads} threads {quartiles[1]:.2f} times as fast as one {rows[-1]['quartiles']}")
    if args.json:
        facts = {
            "command": shlex.join(["python", "benchmarks/threads.py", *sys.argv[1:]]),
            "python": platform.python_version(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        }
        args.json.write_text(json.dumps({"game": args.game, "facts": facts, "rows": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

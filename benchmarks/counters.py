"""What memory is worth in Fruit Salad: the perfect counter against counters that remember so many cards.

    python benchmarks/counters.py --deals 500 --json FILE

Also how often each threshold for arming a slap wins against three counters with the default one. Duplicate deals, each
played once from every seat.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from pathlib import Path
from typing import Any

import fruit_envs
from fruit_agents.arena import duplicate_match
from fruit_agents.fruit_salad.counter import THRESHOLD, Counter
from fruit_agents.fruit_salad.memory import MemoryCounter
from fruit_train.facts import machine, versions

SPANS = (3, 5, 8, 60)
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 2.0)


def share(one: Any, rest: Any, deals: int) -> dict[str, float]:
    """The win share of one against three."""
    found = duplicate_match(one.game, one, rest, deals=deals).win_share
    return {"mean": found.mean, "low": found.low, "high": found.high}


def main() -> None:
    parser = argparse.ArgumentParser(description="What memory is worth in Fruit Salad.")
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    game = fruit_envs.load("fruit_salad", num_players=4)
    rows: list[dict[str, Any]] = []
    for span in SPANS:
        for threshold in (math.inf, THRESHOLD):
            others = MemoryCounter(game, span=span, threshold=threshold)
            row = {"span": span, "arms": threshold != math.inf}
            row["counter_against_three"] = share(Counter(game), others, args.deals)
            row["one_against_counters"] = share(others, Counter(game), args.deals)
            print(row, flush=True)
            rows.append(row)
    thresholds = []
    for threshold in THRESHOLDS:
        found = share(Counter(game, threshold=threshold), Counter(game), args.deals)
        thresholds.append({"threshold": threshold, "against_three": found})
        print(thresholds[-1], flush=True)
    if args.json:
        facts = {
            "command": shlex.join(["python", "benchmarks/counters.py", *sys.argv[1:]]),
            "machine": machine(),
            "versions": versions(),
        }
        told = {"game": "fruit_salad", "facts": facts, "rows": rows, "thresholds": thresholds, "deals": args.deals}
        args.json.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

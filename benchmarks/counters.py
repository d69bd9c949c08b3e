"""What memory is worth in Fruit Salad: the perfect counter against counters that remember so many cards.

    python benchmarks/counters.py --deals 500 --json FILE

Also how often each threshold for arming a slap wins against three counters with the default one; duplicate deals, each
played once from every seat. And what it is worth to start, over 40 games a deal.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np

import fruit_envs
from fruit_agents.arena import duplicate_match
from fruit_agents.fruit_salad.heuristic import THRESHOLD, Counter, MemoryCounter
from fruit_envs.runtime.rows import Rows
from fruit_train.facts import machine, versions

SPANS = (3, 5, 8, 60)
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 2.0)


def share(one: Any, rest: Any, deals: int) -> dict[str, float]:
    """The win share of one against three."""
    found = duplicate_match(one.game, one, rest, deals=deals).win_share
    return {"mean": found.mean, "low": found.low, "high": found.high}


def by_place(game: Any, games: int, at_once: int = 4096) -> list[dict[str, float]]:
    """Win share of each place clockwise from the starter, counters among themselves, with 95 % intervals."""
    agent, rows, shares = Counter(game), Rows(game, at_once), []
    for first in range(0, games, at_once):
        going = np.arange(min(at_once, games - first))
        rows.records["seed"][going] = first + going
        rows.deal(going, onwards=False)
        starters, dealt = rows.records["turn"][going].astype(int), going
        while len(going):
            seats, seen, masks, keys = rows.ask(going, 9)
            views, memories = rows.views(going, seats, keys), np.zeros((len(keys), 0), np.float32)
            rows.play(going, seats, agent.act_batch(seen, masks, views, keys, memories))
            going = going[rows.records["over"][going] == 0]
        shares += [np.roll(rows.state(row).shares, -starters[row]) for row in dealt]
    found = np.array(shares)
    half = 1.96 * found.std(axis=0) / np.sqrt(games)
    both = zip(found.mean(axis=0).tolist(), half.tolist(), strict=True)
    return [{"mean": mean, "low": mean - side, "high": mean + side} for mean, side in both]


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
    places = {n: by_place(fruit_envs.load("fruit_salad", num_players=n), 40 * args.deals) for n in (2, 3, 4, 5, 6)}
    print(places, flush=True)
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
        told = {"game": "fruit_salad", "facts": facts, "rows": rows, "thresholds": thresholds, "places": places}
        args.json.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

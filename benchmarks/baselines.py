"""How strong the baselines of a game are against each other, on duplicate deals.

python benchmarks/baselines.py --game fruitoplay --num-players 2 4 --deals 1000 --json FILE
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

import fruit_envs
from fruit_agents import fitting
from fruit_agents.arena import run
from fruit_train.facts import machine, versions


def main() -> None:
    parser = argparse.ArgumentParser(description="Play the baselines of a game against each other.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--num-players", type=int, nargs="+", default=[2])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = []
    for players in args.num_players:
        game = fruit_envs.load(args.game, num_players=players)
        # Strongest last among the names, so that each result is told from the stronger side.
        for result in run(game, fitting(game)[::-1], deals=args.deals, jobs=args.jobs):
            if result.seats == 1:
                rows.append(result.summary() | {"num_players": players})
    for row in rows:
        margin = row["margin"]
        print(f"{row['num_players']} players: {row['agent']} against {row['opponent']} {margin['mean']:+.2f}")
    if args.json:
        facts = {
            "command": shlex.join(["python", "benchmarks/baselines.py", *sys.argv[1:]]),
            "machine": machine(),
            "versions": versions(),
        }
        args.json.write_text(json.dumps({"game": args.game, "facts": facts, "rows": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

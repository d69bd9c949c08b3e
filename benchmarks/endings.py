"""How random games of Fruit Salad end under some caps: with a winner, or cut off and paid nothing.

python benchmarks/endings.py [--games 4000] [--seed 0]
"""

from __future__ import annotations

import argparse

from scipy.stats import binomtest

import fruit_envs

CASES = (
    {},
    {"max_reveals": 120},
    {"points_to_win": 1},
    {"max_reveals": 120, "points_to_win": 1},
    {"max_reveals": 240, "points_to_win": 1},
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print("| options | games | with a winner | decisions a game |")
    print("| --- | --- | --- | --- |")
    for options in CASES:
        batch = fruit_envs.Batch("fruit_salad", args.games, **options)
        batch.reset(args.seed)
        # The first game of each row, so that short games are not counted more often than long ones.
        waiting, won, decisions = set(range(args.games)), 0, 0
        while waiting:
            batch.step(batch.sample())
            decisions += len(waiting)
            ended = [i for i in waiting if batch.over[i]]
            won += sum(batch.over[i] == 1 for i in ended)
            waiting -= set(ended)
        interval = binomtest(int(won), args.games).proportion_ci(method="wilson")
        share = f"{won / args.games:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
        named = ", ".join(f"{name}={value}" for name, value in options.items()) or "defaults"
        print(f"| {named} | {args.games} | {share} | {decisions / args.games:.0f} |")


if __name__ == "__main__":
    main()

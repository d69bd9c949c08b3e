"""Where the time of a batch step goes: nanoseconds per call of each function of a game's contract.

Each function is called over the games of a batch in the middle of random play (`shares` over finished games), so the
figures leave out what functions cost each other: stalls on memory just written, and mispredicted branches.

    python benchmarks/kernels.py --game fruit_cocktail [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import fruit_envs
from fruit_envs.engine.jit import call, loop
from fruit_envs.engine.kernels import APPLY, BLOCKS, DEAL, LEGAL, OBSERVE, SHARES


@loop
def each_seat(table: Any, rules: Any, states: Any, which: Any, seats: Any, rows: Any) -> None:
    for i in range(states.shape[0]):
        if which == OBSERVE:
            call(table[OBSERVE], (rules[0], table[BLOCKS], states[i], np.int64(seats[i]), rows[i]))
        else:
            call(table[which], (rules[0], states[i], np.int64(seats[i]), rows[i]))


@loop
def each_action(table: Any, rules: Any, states: Any, which: Any, seats: Any, actions: Any) -> None:
    for i in range(states.shape[0]):
        call(table[which], (rules[0], states[i], np.int64(seats[i]), np.int64(actions[i])))


@loop
def each_row(table: Any, rules: Any, states: Any, which: Any, rows: Any) -> None:
    for i in range(states.shape[0]):
        call(table[which], (rules[0], states[i], rows[i]))


@loop
def each_state(table: Any, rules: Any, states: Any, which: Any) -> None:
    for i in range(states.shape[0]):
        call(table[which], (rules[0], states[i]))


def fastest(run: Any, prepare: Any = lambda: None, repeats: int = 60) -> float:
    """Seconds of the least disturbed of so many runs."""
    best = float("inf")
    for _ in range(repeats):
        prepare()
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description="Time each function of a game's contract.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()

    game, n = fruit_envs.load(args.game), args.num_envs
    batch = fruit_envs.Batch(game, n)
    batch.reset(seed=0)
    script = []
    for _ in range(64):
        script.append(batch.sample().copy())
        batch.step(script[-1])
    for _ in range(8):
        batch.step(batch.sample())

    table, rules, states, seats = game.scoring, game.rules, batch._memory, batch.seats.copy()
    masks, observations, rows = batch.masks.copy(), batch.observations.copy(), np.zeros((n, game.num_players))
    actions, middle = batch.sample().copy(), states.copy()

    def restore() -> None:
        states[:] = middle

    times = {
        "apply": fastest(lambda: each_action(table, rules, states, APPLY, seats, actions), restore),
        "legal": fastest(lambda: each_seat(table, rules, middle, LEGAL, seats, masks)),
        "observe": fastest(lambda: each_seat(table, rules, middle, OBSERVE, seats, observations)),
        "shares": fastest(lambda: each_row(table, rules, middle, SHARES, rows)),
        "deal": fastest(lambda: each_state(table, rules, states, DEAL), restore),
        "sample": fastest(batch.sample),
    }
    batch.reset(seed=0)
    times["step, all together"] = fastest(
        lambda: [batch.step(a) for a in script], lambda: batch.reset(seed=0), 20
    ) / len(script)
    begin = time.perf_counter()
    for _ in range(10**6):
        pass
    loop_ns = (time.perf_counter() - begin) * 1e9 / 1000
    table_rows = {name: round(seconds / n * 1e9, 1) for name, seconds in times.items()}
    for name, nanoseconds in table_rows.items():
        print(f"{name:<22}{nanoseconds:>8.1f} ns")
    print(f"{'1,000 empty loops':<22}{loop_ns:>8.0f} ns")
    if args.json:
        args.json.write_text(json.dumps({"game": args.game, "num_envs": n, "nanoseconds": table_rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""How fast the faces of a game are, in decisions per second and per 1,000 iterations of an empty Python loop.

A decision is one seat's choice with its observation, its mask and automatic reset, under uniformly random legal play,
the choosing included (except in the row `batch_given`, where the actions were recorded before). The empty loop is timed
beside every repeat, in CPU seconds, which takes most of the machine's mood out; repeats of all rows are interleaved and
the median is reported.

    python benchmarks/throughput.py --game fruit_cocktail --json FILE [--quick]
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import fruit_envs
from fruit_envs.engine import masks
from fruit_envs.engine.memory import copy_records
from fruit_envs.faces.aec import AEC, wrapped
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.faces.vector import VectorEnv
from timing import SEED, Workload, aec, choose, repeated, sample, until


def batch_sample(game: Any, num_envs: int, threads: int = 1) -> Workload:
    batch = fruit_envs.Batch(game, num_envs, threads=threads)
    batch.reset(seed=SEED)

    def chunk() -> int:
        for _ in range(8):
            batch.step(batch.sample())
        return 8 * num_envs

    return lambda seconds: until(seconds, chunk)


def vector(game: Any, num_envs: int) -> Workload:
    """Gymnasium's vector face: learners' decisions, those of the random opponents not counted."""
    env = VectorEnv(game, num_envs)
    shown, _ = env.reset(seed=SEED)
    keys, actions = np.arange(num_envs, dtype=np.uint64), np.zeros(num_envs, np.int64)

    def chunk() -> int:
        nonlocal shown
        for _ in range(8):
            np.add(keys, num_envs, out=keys)
            masks.pick_rows(shown["action_mask"], keys, actions)
            shown, *_ = env.step(actions)
        return 8 * num_envs

    return lambda seconds: until(seconds, chunk)


def batch_given(game: Any, num_envs: int, threads: int = 1) -> Workload:
    """Actions recorded once, then given again to the same games."""
    batch = fruit_envs.Batch(game, num_envs, threads=threads)
    batch.reset(seed=SEED)
    script = []
    for _ in range(64):
        script.append(batch.sample().copy())
        batch.step(script[-1])

    def run(seconds: float) -> tuple[int, float]:
        spent, total = 0.0, 0
        while spent < seconds:
            batch.reset(seed=SEED)  # not counted: only steps are timed
            start = time.process_time()
            for actions in script:
                batch.step(actions)
            spent += time.process_time() - start
            total += len(script) * num_envs
        return total, spent

    return run


def state(game: Any) -> Workload:
    """One game from Python: observation and mask of the seat asked, a random legal action, the next decision."""
    pick = masks.pick_one

    def chunk() -> int:
        decisions = 0
        for seed in range(8):
            current = game.deal(seed)
            seat = current.seat
            while seat >= 0:
                current.observation(seat)
                decisions += 1
                current.apply(seat, pick(current.legal(seat), decisions))
                seat = current.seat
        return decisions

    return lambda seconds: until(seconds, chunk)


def parallel(env: Any) -> Workload:
    rng = random.Random(SEED)
    held = [env.reset(seed=SEED)[0]]

    def chunk() -> int:
        decisions = 0
        for _ in range(16):
            actions = {agent: choose(o["action_mask"], rng) for agent, o in held[0].items()}
            decisions += sum(action != env.noop for action in actions.values())
            held[0] = env.step(actions)[0]
            if not env.agents:
                held[0] = env.reset()[0]
        return decisions

    return lambda seconds: until(seconds, chunk)


def single(env: Any) -> Workload:
    """The learner's decisions; those of the random opponents inside come on top."""
    rng = random.Random(SEED)
    held = [env.reset(seed=SEED)[0]]

    def chunk() -> int:
        for _ in range(16):
            held[0], _, terminated, truncated, _ = env.step(choose(held[0]["action_mask"], rng))
            if terminated or truncated:
                held[0] = env.reset()[0]
        return 16

    return lambda seconds: until(seconds, chunk)


def copies(game: Any, num_envs: int) -> Workload:
    """Copies of game states inside the engine, whole batches at a time."""
    batch = fruit_envs.Batch(game, num_envs)
    batch.reset(seed=SEED)

    def chunk() -> int:
        for _ in range(8):
            copy_records(batch._rows.records)
        return 8 * num_envs

    return lambda seconds: until(seconds, chunk)


#: Faces that play one game, and faces that play many at once.
ONE: dict[str, Callable[[Any], Workload]] = {
    "state": state,
    "aec_raw": lambda game: aec(AEC(game)),
    "aec_wrapped": lambda game: aec(wrapped(AEC(game))),
    "parallel": lambda game: parallel(Parallel(game)),
    "gymnasium": lambda game: single(SingleAgent(game)),
    "copy": lambda game: repeated(game.deal(SEED).copy),
}
MANY: dict[str, Callable[[Any, int], Workload]] = {
    "vector": vector,
    "batch_sample": batch_sample,
    "batch_given": batch_given,
    "copies": copies,
}


def workloads(game: Any, threads: int) -> list[tuple[str, int, int, Workload]]:
    """(face, num_envs, threads, workload) of every row."""
    rows = [(face, n, 1, MANY[face](game, n)) for n in (256, 4096) for face in ("batch_sample", "batch_given")]
    rows.append(("vector", 1024, 1, vector(game, 1024)))
    if threads > 1:
        rows.append(("batch_sample", 16384, threads, batch_sample(game, 16384, threads)))
    rows += [(face, 1, 1, build(game)) for face, build in ONE.items()]
    rows.append(("copies", 4096, 1, copies(game, 4096)))
    return rows


def measure(rows: list[tuple[str, int, int, Workload]], repeats: int, seconds: float) -> list[tuple[float, float]]:
    """Per row, the medians of decisions per CPU second and per 1,000 empty loops, over interleaved repeats."""
    results: list[list[tuple[float, float]]] = [[] for _ in rows]
    for _, _, _, run in rows:
        run(seconds / 4)  # warm
    for _ in range(repeats):
        for (_, _, _, run), found in zip(rows, results, strict=True):
            found.append(sample(run, seconds))
    return [(statistics.median(a for a, _ in found), statistics.median(b for _, b in found)) for found in results]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--num-players", type=int, default=None)
    parser.add_argument("--option", action="append", default=[], help="a rule option as name=text; may be repeated")
    parser.add_argument("--threads", type=int, default=1, help="also measure a batch on so many threads")
    parser.add_argument("--json", type=Path, default=None, help="write the rows to this file")
    parser.add_argument("--quick", action="store_true", help="three short repeats instead of ten")
    args = parser.parse_args()

    options: dict[str, Any] = {} if args.num_players is None else {"num_players": args.num_players}
    options |= dict(option.split("=", 1) for option in args.option)
    game = fruit_envs.load(args.game, **options)
    rows = workloads(game, args.threads)
    measured = measure(rows, *((3, 0.1) if args.quick else (10, 0.5)))
    table = [
        {
            "game": args.game,
            "num_players": game.num_players,
            "face": face,
            "num_envs": num_envs,
            "threads": threads,
            "decisions_per_second": round(rate),
            "per_1000_loops": round(ratio, 3),
        }
        for (face, num_envs, threads, _), (rate, ratio) in zip(rows, measured, strict=True)
    ]
    for row in table:
        print(
            f"{row['face']:<14}{row['num_envs']:>7} games {row['threads']} thread(s)"
            f"{row['decisions_per_second']:>14,} decisions/s{row['per_1000_loops']:>10.2f} per 1,000 loops"
        )
    if args.json:
        facts = {
            "command": " ".join(["python", *sys.argv]),
            "python": platform.python_version(),
            "machine": f"{platform.machine()}, {platform.system()}",
            "versions": {name: version(name) for name in ("numpy", "numba", "gymnasium", "pettingzoo")},
        }
        args.json.write_text(json.dumps({"facts": facts, "rows": table}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""What all speed measurements share: the clock, the unit, and the loop that plays PettingZoo environments.

The standard library only: libraries are compared in environments of their own, and all of them import this.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

SEED = 0

#: Runs for about so many CPU seconds; returns what it counted (decisions, copies) and the CPU seconds that took.
Workload = Callable[[float], tuple[int, float]]


def empty_loop() -> float:
    """CPU seconds of 1,000 iterations of an empty loop."""
    start = time.process_time()
    for _ in range(10**6):
        pass
    return (time.process_time() - start) / 1000


def until(seconds: float, chunk: Callable[[], int]) -> tuple[int, float]:
    """Repeat `chunk` for so many CPU seconds, of all threads of the process."""
    start = time.process_time()
    total, spent = 0, 0.0
    while spent < seconds:
        total += chunk()
        spent = time.process_time() - start
    return total, spent


def sample(run: Workload, seconds: float) -> tuple[float, float]:
    """One measurement: the count per CPU second, and per 1,000 empty loops timed before and after."""
    before = empty_loop()
    count, spent = run(seconds)
    loop = (before + empty_loop()) / 2
    return count / spent, count / spent * loop


def choose(mask: Any, rng: random.Random) -> int:
    """A random legal action, from a NumPy mask."""
    return int(rng.choice(mask.nonzero()[0]))


def aec(env: Any) -> Workload:
    """PettingZoo's documented loop, ours and theirs; the steps of agents that are done are not counted."""
    rng = random.Random(SEED)
    env.reset(seed=SEED)

    def chunk() -> int:
        decisions = 0
        for _ in range(32):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                if not env.agents:
                    env.reset()
            else:
                env.step(choose(observation["action_mask"], rng))
                decisions += 1
        return decisions

    return lambda seconds: until(seconds, chunk)


def repeated(once: Callable[[], Any], times: int = 16) -> Workload:
    """Calls of one function, so many between two looks at the clock."""

    def chunk() -> int:
        for _ in range(times):
            once()
        return times

    return lambda seconds: until(seconds, chunk)

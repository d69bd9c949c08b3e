"""The header in compiled code: one game's memory, read and written by the names of its first fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import OVER_SHIFT
from fruit_envs.engine.jit import JIT, helper

__all__ = [
    "count_decision",
    "decisions_of",
    "seed_of",
    "set_chance",
    "set_running",
    "set_seed",
    "status_of",
    "uncount_decision",
]

if JIT:
    # The header's words: seed; stream; tape; decisions (32 bits), pending (16), over (8), nothing (8).

    @helper
    def seed_of(state: Any) -> Any:
        return np.uint64(state[0])

    @helper
    def status_of(state: Any) -> Any:
        """The game's status, see `declare.header.OVER_SHIFT`."""
        return (state[3] >> 32) & 0xFFFFFF

    @helper
    def decisions_of(state: Any) -> Any:
        return state[3] & 0xFFFFFFFF

    @helper
    def count_decision(state: Any) -> None:
        state[3] += 1

    @helper
    def uncount_decision(state: Any) -> None:
        state[3] -= 1

    @helper
    def set_chance(state: Any, seed: Any, stream: Any) -> None:
        state[0], state[1] = np.int64(seed), np.int64(stream)

    @helper
    def set_seed(state: Any, seed: Any) -> None:
        state[0] = np.int64(seed)

    @helper
    def set_running(state: Any) -> None:
        state[3] = 0

else:

    def seed_of(state: Any) -> Any:
        return state[0].seed

    def status_of(state: Any) -> Any:
        return int(state[0].pending) + (int(state[0].over) << OVER_SHIFT)

    def decisions_of(state: Any) -> Any:
        return int(state[0].decisions)

    def count_decision(state: Any) -> None:
        state[0].decisions += 1

    def uncount_decision(state: Any) -> None:
        state[0].decisions -= 1

    def set_chance(state: Any, seed: Any, stream: Any) -> None:
        state[0].seed, state[0].stream = seed, stream

    def set_seed(state: Any, seed: Any) -> None:
        state[0].seed = seed

    def set_running(state: Any) -> None:
        state[0].decisions = state[0].over = 0

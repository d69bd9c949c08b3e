"""The header: the first fields of every game's records, which all code that serves any game may read."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

__all__ = ["HEADER", "MAX_SEATS", "OVER_SHIFT", "RULES_HEADER", "RUNNING", "TERMINATED", "TRUNCATED"]

#: No game here seats more.
MAX_SEATS = 6

#: First fields of every game's STATE: what each loop needs to know of any game.
HEADER: list[tuple[str, DTypeLike]] = [
    ("seed", np.uint64),  # of this episode, below 2^53; the next episode's seed follows from it
    ("stream", np.uint64),  # where this episode's chance comes from
    ("tape", np.uint64),  # address of forced outcomes; 0 outside the one call that uses them
    ("decisions", np.int32),  # made so far in this episode
    ("pending", np.uint16),  # bit s: seat s may decide now
    ("over", np.int8),  # RUNNING, TERMINATED or TRUNCATED
    ("spare", np.int8),  # the header is four words of 64 bits, see `memory_of`
]
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2

#: A *status* tells both at one glance: `pending` in its lowest 16 bits, above them `over`.
OVER_SHIFT = 16

#: First fields of every game's RULES.
RULES_HEADER: list[tuple[str, DTypeLike]] = [
    ("margin_scale", np.float64),
    ("num_actions", np.int32),
    ("num_players", np.uint8),
    ("margin", np.int8),  # 1: reward="margin", 0: reward="win"
    ("as_scored", np.int8),  # 1: score changes are paid as they happen
    ("tabletop", np.int8),  # 1: memory="tabletop"
]

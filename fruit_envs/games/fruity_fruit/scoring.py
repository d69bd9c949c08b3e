"""What fruit is worth in Fruity Fruit by a scoring card, insects counted (Y13)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruity_fruit.state import KINDS


@helper
def best_kind(rules: Record, card: Any, counted: Any) -> Any:
    """The kind of which a fruit is worth most by this card, and its worth; bits of `counted` leave kinds out."""
    best, worth = np.int64(0), np.int64(-1)
    for kind in range(KINDS):
        value = np.int64(rules.values[card * KINDS + kind])
        if not (counted >> kind) & 1 and value > worth:
            best, worth = np.int64(kind), value
    return best, worth


@helper
def score_by(rules: Record, state: Record, seat: Any, card: Any) -> Any:
    """What the seat's fruit is worth by this card; every insect takes away one of the best."""
    total, insects, counted = np.int64(0), np.int64(state.insects[seat]), np.int64(0)
    for _ in range(KINDS):
        kind, worth = best_kind(rules, card, counted)
        counted |= 1 << kind
        count = np.int64(state.fruits[seat * KINDS + kind])
        removed = min(count, insects)
        insects -= removed
        total += worth * (count - removed)
    return total


@helper
def score_of(rules: Record, state: Record, seat: Any) -> Any:
    """The seat's score by its own card; 0 before the draft."""
    if state.kept[seat] < 0:
        return np.int64(0)
    return score_by(rules, state, seat, np.int64(state.kept[seat]))

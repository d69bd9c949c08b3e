"""The toy in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord
from fruit_envs.engine.tape import Outcomes, shuffle_outcomes
from toy_windows.components import BIDS, DECK, MAX_TOKENS


def action_names(rules: np.ndarray) -> list[str]:
    return [f"bid {b}" for b in range(BIDS)] + [f"give to +{k}" for k in range(1, int(rules[0]["num_players"]))]


def to_text(_rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def deal_events(state: Any) -> list[dict[str, Any]]:
    return [{"event": "deal", "order": state.records[0]["order"].tolist()}]


def decision_events(before: Any, seat: int, action: int, after: Any) -> list[dict[str, Any]]:
    b, a = before.records[0], after.records[0]
    events: list[dict[str, Any]] = []
    if b["winner"] >= 0:
        events.append({"event": "gift", "seat": seat, "action": action})
    elif before.seats == (seat,):  # the last to commit
        bids = [action if s == seat else int(b["bid"][s]) for s in range(before.game.num_players)]
        winner = int(a["winner"])
        events.append({"event": "window", "actions": bids, "winner": winner if winner >= 0 else None})
    if after.over:
        events.append({"event": "score", "tokens": a["token"][: before.game.num_players].tolist()})
    return events


def outcomes(_rules: np.ndarray, events: Sequence[Mapping[str, Any]]) -> Outcomes:
    try:
        return shuffle_outcomes(DECK, list(range(MAX_TOKENS)), events[0]["order"])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidRecord(f"expected a possible deal ({error!r})") from error

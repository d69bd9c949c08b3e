"""The rules record of any game: its header filled in from the options, its fields checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption

__all__ = ["check_fields", "rules_record"]


def rules_record(dtype: np.dtype, options: Mapping[str, Any], num_actions: int = 0) -> np.ndarray:
    """A rules record, shape (1,), zero but for its header.

    Parameters
    ----------
    dtype
        The game's RULES.
    options
        Checked options, those of `common_options` among them.
    num_actions
        The size of the action space, where it is known already.
    """
    rules = np.zeros(1, dtype)
    record = rules[0]
    record["num_players"], record["num_actions"] = options["num_players"], num_actions
    record["margin"], record["margin_scale"] = options["reward"] == "margin", options["margin_scale"]
    record["as_scored"], record["tabletop"] = options["reward_timing"] == "as_scored", options["memory"] == "tabletop"
    return rules


def check_fields(rules: np.ndarray, limits: Mapping[str, tuple[int, int]]) -> None:
    """Refuse a rules record whose header, or one of these fields, is out of its bounds; compiled code trusts them.

    Parameters
    ----------
    rules
        Shape (1,).
    limits
        Field -> the least and the greatest value; flags of the header need not be among them.

    Raises
    ------
    InvalidOption
        Naming the field and its bounds.
    """
    record = rules[0]
    for field, (low, high) in {**dict.fromkeys(("margin", "as_scored", "tabletop"), (0, 1)), **limits}.items():
        if not low <= int(record[field]) <= high:
            raise InvalidOption(f"rules: expected {field} {low}..{high}, got {record[field]}")
    if not 1e-6 <= record["margin_scale"] <= 1e6:
        raise InvalidOption(f"rules: expected margin_scale 1e-6..1e6, got {record['margin_scale']}")

"""The toy's options and rules record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.options import Option, common_options, whole

MAX_PLAYERS, MAX_TOKENS, BIDS, GIFTS = 4, 7, 3, 2
DECK = 0  # the only kind of chance event

RULES = np.dtype([*RULES_HEADER, ("tokens", np.int8), ("wins", np.int8), ("windows", np.int8)], align=True)

OPTIONS = (
    *common_options(players=(2, 4), num_players=3, margin_scale=5.0),
    Option("max_windows", 5, "windows before the game is cut off", check=whole("max_windows", 1, 9)),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    rules = np.zeros(1, RULES)
    record, n = rules[0], options["num_players"]
    record["num_players"], record["num_actions"] = n, BIDS + n - 1
    record["margin"], record["margin_scale"] = options["reward"] == "margin", options["margin_scale"]
    record["as_scored"], record["tabletop"] = options["reward_timing"] == "as_scored", options["memory"] == "tabletop"
    record["tokens"], record["wins"], record["windows"] = MAX_TOKENS, 3, options["max_windows"]
    rules.flags.writeable = False
    return rules


def check_rules(rules: np.ndarray) -> None:
    if not (2 <= rules[0]["num_players"] <= MAX_PLAYERS and rules[0]["tokens"] == MAX_TOKENS):
        raise InvalidOption(f"expected 2..{MAX_PLAYERS} players and {MAX_TOKENS} tokens")


def worst_margin(_rules: np.ndarray) -> float:
    return -12.0  # six stones, and a token of six, against nothing


def reset_outcomes(_rules: np.ndarray, _options: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    return {}

"""The toy's options and rules record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.options import Option, common_options, whole
from fruit_envs.declare.rules import rules_record

MAX_PLAYERS, MAX_TOKENS, BIDS, GIFTS = 4, 7, 3, 2
DECK = 0  # the only kind of chance event

RULES = np.dtype([*RULES_HEADER, ("tokens", np.int8), ("wins", np.int8), ("windows", np.int8)], align=True)

OPTIONS = (
    *common_options(players=(2, 4), num_players=3, margin_scale=5.0),
    Option("max_windows", 5, "windows before the game is cut off", check=whole("max_windows", 1, 9)),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    rules = rules_record(RULES, options, num_actions=BIDS + options["num_players"] - 1)
    record = rules[0]
    record["tokens"], record["wins"], record["windows"] = MAX_TOKENS, 3, options["max_windows"]
    return rules


def check_rules(rules: np.ndarray) -> None:
    if not (2 <= rules[0]["num_players"] <= MAX_PLAYERS and rules[0]["tokens"] == MAX_TOKENS):
        raise InvalidOption(f"expected 2..{MAX_PLAYERS} players and {MAX_TOKENS} tokens")


def worst_margin(_rules: np.ndarray) -> float:
    return -12.0  # six stones, and a token of six, against nothing

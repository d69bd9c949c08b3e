"""Options of a game as texts, the way command lines give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fruit_envs.base.errors import InvalidOption
from fruit_envs.base.files import parse_json

__all__ = ["game_options"]


def game_options(given: Sequence[str], num_players: int | None = None) -> dict[str, Any]:
    """The options of `--option name=value …` and `--num-players`: a value that is no JSON is text.

    Raises
    ------
    InvalidOption
        For anything else, or two different numbers of players.
    """
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals or name in options:
            raise InvalidOption(f"--option: expected name=value, each name once, got {text!r}")
        try:
            options[name] = parse_json(value)
        except ValueError:
            options[name] = value
    if num_players is not None and options.setdefault("num_players", num_players) != num_players:
        raise InvalidOption(f"expected one number of players, got {num_players} and {options['num_players']}")
    return options

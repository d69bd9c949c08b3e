"""Arguments that several commands take."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

import fruit_envs
from fruit_envs.core.errors import InvalidOption
from fruit_envs.core.game import Game

__all__ = ["GameName", "NumPlayers", "Options", "load_game", "parse_options"]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game, see `list`.")]
NumPlayers = Annotated[int | None, typer.Option(help="Seats; the game's default if not given.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the game; the value is JSON or text. Repeatable."
    ),
]


def parse_options(given: list[str] | None) -> dict[str, Any]:
    """The options of `--option name=value …`: a value that is no JSON is text."""
    options: dict[str, Any] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name or not equals or name in options:
            raise InvalidOption(f"--option: expected name=value, each name once, got {text!r}")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def load_game(name: str, num_players: int | None, given: list[str] | None) -> Game:
    """The game of a command, its number of players from either place."""
    options = parse_options(given)
    if num_players is not None and options.setdefault("num_players", num_players) != num_players:
        raise InvalidOption(f"expected one number of players, got {num_players} and {options['num_players']}")
    return fruit_envs.load(name, **options)

"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

import fruit_envs
from fruit_agents.options import game_options
from fruit_envs.declare.catalog import GAMES, presets
from fruit_envs.runtime.game import Game

__all__ = ["GameName", "NumPlayers", "Options", "load_game"]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of a game or preset, see `list`.")]
NumPlayers = Annotated[int | None, typer.Option(help="Seats; the game's default if not given.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option", metavar="NAME=VALUE", help="An option of the game; the value is JSON or text. Repeatable."
    ),
]


def load_game(name: str, num_players: int | None, given: list[str] | None) -> Game:
    """The game of a command, its number of players from either place; the name may be that of a preset."""
    options = game_options(given or (), num_players)
    for game in GAMES:
        if name in presets(game):
            return fruit_envs.load(game, **{**presets(game)[name], **options})
    return fruit_envs.load(name, **options)

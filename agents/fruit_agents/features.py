"""What a network is fed: the observation as it is, or facts derived from it and from nothing else."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from fruit_envs.base.errors import InvalidOption

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["DERIVED", "RAW", "Features", "default_features", "make_features"]

#: The observation as it is.
RAW = "raw"

#: Name of a set of derived facts -> game -> where its class lives. The name rises with what it computes.
DERIVED: dict[str, dict[str, str]] = {
    "one_ply_v1": {"fruit_cocktail": "fruit_agents.fruit_cocktail.features:OnePly"},
    "table_v1": {"fruit_salad": "fruit_agents.fruit_salad.features:Table"},
}


class Features:
    """The observation as it is; subclasses derive facts from it.

    Attributes
    ----------
    name : str
        As policies name it.
    size : int
        How many numbers a network is fed.
    scale : numpy.ndarray
        float32, shape (size,): brings them to about unit size.

    Parameters
    ----------
    game
        With its options fixed.
    """

    name = RAW

    def __init__(self, game: Game) -> None:
        self.game = game
        self.size = game.layout.size
        self.scale: np.ndarray = game.layout.scale

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """The numbers of each row: shape (rows, size)."""
        return observations


def default_features(game: Game) -> str:
    """The name of the derived facts that fit this game with its options, or else `RAW`."""
    for name, homes in DERIVED.items():
        if game.name in homes:
            with suppress(InvalidOption):
                return make_features(name, game).name
    return RAW


def make_features(name: str, game: Game) -> Features:
    """The features of this name.

    Raises
    ------
    InvalidOption
        Where the game has none of that name.
    """
    if name == RAW:
        return Features(game)
    homes = DERIVED.get(name, {})
    if game.name not in homes:
        known = [RAW, *(other for other, places in DERIVED.items() if game.name in places)]
        raise InvalidOption(f"expected features of {game.name}, one of {known}, got {name!r}")
    module, attribute = homes[game.name].split(":")
    features: Features = getattr(import_module(module), attribute)(game)
    return features

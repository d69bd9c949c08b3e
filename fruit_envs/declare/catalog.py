"""Which games there are. Light on purpose: importing the package reads this and nothing of a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["GAMES", "Entry", "preset_name", "presets"]


@dataclass(frozen=True)
class Entry:
    """Where a game lives.

    Parameters
    ----------
    title
        Printed name; without its spaces, the name in Gymnasium's registry.
    version
        Of the environments: rises when rules, observations, actions or rewards change.
    package
        Holds the modules components, rules, observation and text.
    presets
        Options that are registered as environments of their own: suffix of the name -> options.
    namespace
        Of its environments' ids, such as `fruit/kuhn-v0`.
    """

    title: str
    version: int
    package: str
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    namespace: str = "fruit"


#: Game name -> its entry; see `faces.registration.register_game`.
GAMES: dict[str, Entry] = {
    "fruit_cocktail": Entry("Fruit Cocktail", 0, "fruit_envs.games.fruit_cocktail"),
    "fruitoplay": Entry("Fruitoplay", 0, "fruit_envs.games.fruitoplay"),
    "fruity_fruit": Entry("Fruity Fruit", 0, "fruit_envs.games.fruity_fruit"),
    "fruit_salad": Entry(
        "Fruit Salad",
        0,
        "fruit_envs.games.fruit_salad",
        # Random play runs into the cut-off of the published game after 4,000 decisions, and is paid nothing.
        {"Memory": {"memory": "tabletop"}, "Short": {"max_reveals": 120, "points_to_win": 1}},
    ),
}


def preset_name(game: str, suffix: str) -> str:
    """Such as `fruit_salad_memory`."""
    return f"{game}_{suffix.lower()}"


def presets(game: str) -> dict[str, Mapping[str, Any]]:
    """The options of a game's presets, by their names."""
    return {preset_name(game, suffix): options for suffix, options in GAMES[game].presets.items()}

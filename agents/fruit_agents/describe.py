"""What a game is, as data: its options, actions and observation blocks, from the declarations that the code uses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from fruit_agents import fitting
from fruit_envs.declare.catalog import presets
from fruit_envs.runtime.game import Game

__all__ = ["describe", "folded"]

#: A run of like actions that is longer is told by its first and last ones.
LONG = 24


def describe(game: Game) -> dict[str, Any]:
    """The facts of a game with its options, JSON-ready.

    Returns
    -------
    dict
        `game`, `title`, `version`, `env_id` (of the preset that has just these options if there is one), `presets`
        (options by name), `agents` (names of the baselines that play it), `options` (name, default, value, choices or
        None, doc), `actions` (count, names by id), `observation` (size, dtype, and per block name, shape, axes, low,
        high, meaning, and its slice [start, stop) of the vector).
    """
    blocks = []
    for block in game.layout.blocks:
        place = game.layout[block.name]
        blocks.append(
            {
                "name": block.name,
                "shape": list(block.shape),
                "axes": list(block.axes),
                "low": block.low,
                "high": block.high,
                "meaning": block.doc,
                "slice": [place.start, place.stop],
            }
        )
    options = [
        {
            "name": option.name,
            "default": option.default,
            "value": game.options[option.name],
            "choices": None if option.choices is None else list(option.choices),
            "doc": option.doc,
        }
        for option in game.components.OPTIONS
    ]
    named = {name: dict(given) for name, given in presets(game.name).items()}
    chosen = {o["name"]: o["value"] for o in options if o["name"] != "num_players" and o["value"] != o["default"]}
    own = next((name for name, given in named.items() if given == chosen), game.name)
    return {
        "game": game.name,
        "title": game.title,
        "version": game.version,
        "env_id": f"fruit/{own}-v{game.version}",
        "presets": named,
        "agents": fitting(game),
        "options": options,
        "actions": {"count": game.num_actions, "names": list(game.action_names)},
        "observation": {"size": game.layout.size, "dtype": game.layout.dtype.name, "blocks": blocks},
    }


def folded(names: Sequence[str]) -> list[tuple[str, str]]:
    """Ids and names of actions as rows; long runs of names that begin with the same word are told in one."""
    rows = []
    for _, run in groupby(enumerate(names), lambda action: action[1].split(" ")[0]):
        actions = list(run)
        if len(actions) <= LONG:
            rows += [(str(number), name) for number, name in actions]
            continue
        (first, one), (_, two), *_, (last, end) = actions
        rows.append((f"{first} to {last}", f"{one}, {two}, …, {end}"))
    return rows

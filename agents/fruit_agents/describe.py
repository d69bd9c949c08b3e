"""What a game is, as data: its options, actions and observation blocks, from the declarations that the code uses."""

from __future__ import annotations

from typing import Any

from fruit_agents import baselines
from fruit_envs.runtime.game import Game

__all__ = ["describe"]


def describe(game: Game) -> dict[str, Any]:
    """The facts of a game with its options, JSON-ready.

    Returns
    -------
    dict
        `game`, `title`, `version`, `env_id`, `agents` (names of the baselines that play it), `options` (name, default,
        value, choices or None, doc), `actions` (count, names by id), `observation` (size, dtype, and per block name,
        shape, axes, low, high, meaning, and its slice [start, stop) of the vector).
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
        for option in game.module("components").OPTIONS
    ]
    return {
        "game": game.name,
        "title": game.title,
        "version": game.version,
        "env_id": game.env_id,
        "agents": baselines(game.name),
        "options": options,
        "actions": {"count": game.num_actions, "names": list(game.action_names)},
        "observation": {"size": game.layout.size, "dtype": game.layout.dtype.name, "blocks": blocks},
    }

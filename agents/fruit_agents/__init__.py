"""Baseline agents, the arena and the command line for fruit_envs.

Importing this package makes the baselines known by name, `opponents="greedy"`, and saved policies by their folder,
`record(..., agents="runs/mine")`. Their modules are imported when the first one is made.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from fruit_envs.agents.agent import Agent
from fruit_envs.agents.names import FINDERS, make_agent, register_agent
from fruit_envs.base.errors import InvalidOption

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["BASELINES", "baselines", "fitting"]

#: Name of a baseline -> game -> where its class lives.
BASELINES: dict[str, dict[str, str]] = {
    "greedy": {
        "fruit_cocktail": "fruit_agents.fruit_cocktail.heuristic:Greedy",
        "fruity_fruit": "fruit_agents.fruity_fruit.heuristic:Greedy",
    },
    "greedy2": {"fruit_cocktail": "fruit_agents.fruit_cocktail.heuristic:Greedy2"},
    "closest": {"fruitoplay": "fruit_agents.fruitoplay.heuristic:Closest"},
    "one_ply": {"fruitoplay": "fruit_agents.fruitoplay.heuristic:OnePly"},
    "memory3": {"fruit_salad": "fruit_agents.fruit_salad.heuristic:Memory3"},
    "memory5": {"fruit_salad": "fruit_agents.fruit_salad.heuristic:Memory5"},
    "memory8": {"fruit_salad": "fruit_agents.fruit_salad.heuristic:Memory8"},
    "memory_all": {"fruit_salad": "fruit_agents.fruit_salad.heuristic:MemoryAll"},
    "counter": {"fruit_salad": "fruit_agents.fruit_salad.heuristic:Counter"},
}


def baselines(game: str) -> list[str]:
    """The names of the agents that play the game of this name."""
    return ["random", *(name for name, homes in BASELINES.items() if game in homes)]


def fitting(game: Game) -> list[str]:
    """The names of the agents that play this game with its options."""
    names = []
    for name in baselines(game.name):
        with suppress(InvalidOption):
            make_agent(name, game)
            names.append(name)
    return names


def _make(name: str, game: Game) -> Agent:
    homes = BASELINES[name]
    if game.name not in homes:
        raise InvalidOption(f"agent {name!r}: expected one of the games {sorted(homes)}, got {game.name!r}")
    module, attribute = homes[game.name].split(":")
    agent: Agent = getattr(import_module(module), attribute)(game)
    return agent


for _name in BASELINES:
    register_agent(_name, partial(_make, _name))


def _find(text: str, game: Game) -> Agent | None:
    """The saved policy in a folder of this name, if there is one."""
    try:
        if not (Path(text) / "policy.json").is_file():
            return None
    except (OSError, ValueError):  # a text that can be no path
        return None
    from fruit_agents.policy import load_policy

    return load_policy(text, game)


FINDERS.append(_find)

"""From what a user names, an agent: a registered name, or the directory of a saved policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fruit_envs.agents.agent import Agent
from fruit_envs.agents.names import AGENTS, make_agent

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["resolve"]


def resolve(name_or_path: str, game: Game) -> Agent:
    """The agent that a text stands for; registered names come first.

    Parameters
    ----------
    name_or_path
        A registered name, or a directory that holds `policy.json`.
    game
        The game it is to play.

    Raises
    ------
    InvalidOption
        If it is neither, or the agent does not fit the game.
    """
    if name_or_path not in AGENTS and (Path(name_or_path) / "policy.json").is_file():
        from fruit_agents.policy import load_policy

        return load_policy(Path(name_or_path), game)
    agent: Agent = make_agent(name_or_path, game)
    return agent

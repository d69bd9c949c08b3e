"""Agents by name: the registry that `opponents=…`, records and the command line look into."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from fruit_envs.agents.agent import RandomAgent
from fruit_envs.base.errors import InvalidOption, brief

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["AGENTS", "make_agent", "name_of", "register_agent"]

#: Name -> what makes the agent for a game. Importing fruit_agents adds its own.
AGENTS: dict[str, Callable[[Game], Any]] = {"random": RandomAgent}


def register_agent(name: str, factory: Callable[[Game], Any]) -> None:
    """Make an agent known by name, for `opponents=…`, records and the command line.

    Raises
    ------
    InvalidOption
        If the name is no text or the factory cannot be called.
    """
    if not isinstance(name, str) or not callable(factory):
        raise InvalidOption(f"expected a name and a function of a game, got {brief(name)} and {brief(factory)}")
    AGENTS[name] = factory


def make_agent(agent: Any, game: Game) -> Any:
    """An agent for this game, from a registered name or an agent object, which is returned as it is.

    Raises
    ------
    InvalidOption
        For a name that is not registered, or an object without `act`.
    """
    if isinstance(agent, str):
        if agent not in AGENTS:
            near = get_close_matches(agent, AGENTS, 1)
            hint = f"did you mean {near[0]!r}?" if near else "`import fruit_agents` registers the baselines"
            raise InvalidOption(f"unknown agent: expected one of {sorted(AGENTS)}, got {agent!r}; {hint}")
        return AGENTS[agent](game)
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise InvalidOption(f"expected the name of an agent or an object with act(), got {brief(agent)}")
    return agent


def name_of(agent: Any) -> str:
    """What an agent calls itself, or its class."""
    return str(getattr(agent, "name", type(agent).__name__))

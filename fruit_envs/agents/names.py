"""Which agent is meant: a registered name, a text that a finder knows, or an agent itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from fruit_envs.agents.agent import RandomAgent
from fruit_envs.base.errors import InvalidOption, brief

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["AGENTS", "FINDERS", "make_agent", "name_of", "register_agent"]

#: Name -> what makes the agent for a game. Importing fruit_agents adds its own.
AGENTS: dict[str, Callable[[Game], Any]] = {"random": RandomAgent}

#: What an agent is asked with.
_ASKED = {
    "act": "observation, mask, view, key, memory",
    "act_batch": "observations, masks, views, keys, memories",
    "policy": "observation, mask, view, key, memory",
}

#: What makes the agent of a text that is no registered name, or returns None: fruit_agents reads saved policies.
FINDERS: list[Callable[[str, Game], Any]] = []


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
    """The agent that is meant, for this game.

    Parameters
    ----------
    agent
        A registered name; with fruit_agents imported, the folder of a saved policy; or an agent object, which is
        returned as it is.
    game
        The game it is to play.

    Raises
    ------
    InvalidOption
        For a name that is not registered, an agent that does not fit the game, an object without `act`, or one whose
        methods take other arguments than `Agent`'s.
    """
    if isinstance(agent, str):
        agent = _named(agent, game)
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise InvalidOption(f"expected the name of an agent or an object with act(), got {brief(agent)}")
    for method, arguments in _ASKED.items():
        _check_arguments(agent, method, arguments)
    return agent


def _named(name: str, game: Game) -> Any:
    if name in AGENTS:
        return AGENTS[name](game)
    for find in FINDERS:
        if (found := find(name, game)) is not None:
            return found
    near = get_close_matches(name, AGENTS, 1)
    hint = f"did you mean {near[0]!r}?" if near else "`import fruit_agents` registers the baselines"
    raise InvalidOption(f"unknown agent: expected one of {sorted(AGENTS)}, got {brief(name)}; {hint}")


def _check_arguments(agent: Any, method: str, arguments: str) -> None:
    """Refuse a method that cannot be called with these arguments: better now than in the middle of a game."""
    try:
        signature = inspect.signature(getattr(agent, method))
    except (AttributeError, TypeError, ValueError):  # there is none, or it does not say what it takes
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise InvalidOption(
            f"agent {name_of(agent)}: expected {method}({arguments}), got {method}{signature}"
        ) from None


def name_of(agent: Any) -> str:
    """What an agent calls itself, or its class."""
    return str(getattr(agent, "name", type(agent).__name__))

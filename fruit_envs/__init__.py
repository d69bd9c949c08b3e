"""Hidden-information fruit games as reinforcement-learning environments.

Importing this package registers every game with PettingZoo and Gymnasium. The rules are compiled on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fruit_envs.faces.registration import register_all, register_game

if TYPE_CHECKING:
    from fruit_envs.agents.agent import Agent, RandomAgent
    from fruit_envs.agents.names import make_agent, register_agent
    from fruit_envs.agents.pool import Pool
    from fruit_envs.agents.recording import record
    from fruit_envs.base.errors import (
        AgentError,
        FruitEnvsError,
        IllegalAction,
        InvalidBuffer,
        InvalidFile,
        InvalidGame,
        InvalidOption,
        InvalidRecord,
        InvalidSeat,
        InvalidTable,
        MissingExtra,
        NotDeclared,
        NotReset,
        NoView,
        UnknownKeyword,
    )
    from fruit_envs.faces.batch import Batch
    from fruit_envs.faces.vector import VectorEnv
    from fruit_envs.runtime.game import Game, load
    from fruit_envs.runtime.records import replay
    from fruit_envs.runtime.state import State, View
    from fruit_envs.runtime.views import Views

__version__ = "0.1.0a1"

_EXPORTS = {
    "fruit_envs.agents.agent": ("Agent", "RandomAgent"),
    "fruit_envs.agents.names": ("make_agent", "register_agent"),
    "fruit_envs.base.errors": (
        "AgentError",
        "FruitEnvsError",
        "IllegalAction",
        "InvalidBuffer",
        "InvalidGame",
        "InvalidFile",
        "InvalidOption",
        "InvalidRecord",
        "InvalidSeat",
        "InvalidTable",
        "MissingExtra",
        "NoView",
        "NotDeclared",
        "NotReset",
        "UnknownKeyword",
    ),
    "fruit_envs.runtime.game": ("Game", "load"),
    "fruit_envs.agents.pool": ("Pool",),
    "fruit_envs.agents.recording": ("record",),
    "fruit_envs.runtime.records": ("replay",),
    "fruit_envs.runtime.state": ("State", "View"),
    "fruit_envs.runtime.views": ("Views",),
    "fruit_envs.faces.batch": ("Batch",),
    "fruit_envs.faces.vector": ("VectorEnv",),
}
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names}

__all__ = [
    "Agent",
    "AgentError",
    "Batch",
    "FruitEnvsError",
    "Game",
    "IllegalAction",
    "InvalidBuffer",
    "InvalidFile",
    "InvalidGame",
    "InvalidOption",
    "InvalidRecord",
    "InvalidSeat",
    "InvalidTable",
    "MissingExtra",
    "NoView",
    "NotDeclared",
    "NotReset",
    "Pool",
    "RandomAgent",
    "State",
    "UnknownKeyword",
    "VectorEnv",
    "View",
    "Views",
    "load",
    "make_agent",
    "record",
    "register_agent",
    "register_game",
    "replay",
]


def __getattr__(name: str) -> Any:
    """Import the public names on first use: importing the package must stay cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fruit_envs' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


register_all()

"""Registers every game in PettingZoo's and Gymnasium's registries; entry points are strings, so nothing is imported."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo

from fruit_envs.declare.catalog import GAMES

__all__ = ["make_single_agent", "make_vector", "register_all"]


def make_single_agent(**kwargs: Any) -> Any:
    """The Gymnasium entry point; the keyword `game` comes from the registration."""
    from fruit_envs.faces.single_agent import SingleAgent

    return SingleAgent(**kwargs)


def make_vector(**kwargs: Any) -> Any:
    """The Gymnasium entry point of many games at once, for `gymnasium.make_vec`."""
    from fruit_envs.faces.vector import VectorEnv

    return VectorEnv(**kwargs)


def register_all() -> None:
    """Register what is not registered yet: every game, and each of its presets under a name of its own."""
    for name, entry in GAMES.items():
        title = entry.title.replace(" ", "")
        _register(name, f"{name}-v{entry.version}", f"{title}-v{entry.version}", {})
        for preset, options in entry.presets.items():
            own = f"{name}_{preset.lower()}-v{entry.version}"
            _register(name, own, f"{title}-{preset}-v{entry.version}", dict(options))


def _register(name: str, pettingzoo_name: str, gymnasium_name: str, options: dict[str, Any]) -> None:
    package = GAMES[name].package
    for kind, registry, function in (
        ("aec", pettingzoo.aec_registry, "env"),
        ("parallel", pettingzoo.parallel_registry, "parallel_env"),
    ):
        if f"fruit/{pettingzoo_name}" not in registry:
            pettingzoo.register(kind, f"fruit/{pettingzoo_name}", entry_point=f"{package}:{function}", kwargs=options)
    if f"fruit/{gymnasium_name}" not in gymnasium.registry:
        gymnasium.register(
            f"fruit/{gymnasium_name}",
            entry_point="fruit_envs.faces.registration:make_single_agent",
            vector_entry_point="fruit_envs.faces.registration:make_vector",
            kwargs={"game": name, **options},
        )

"""Registers every game in PettingZoo's and Gymnasium's registries; entry points are strings, so nothing is imported."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo

from fruit_envs.core.catalog import GAMES

__all__ = ["make_single_agent", "make_vector", "register_all"]


def make_single_agent(**kwargs: Any) -> Any:
    """The Gymnasium entry point; the keyword `game` comes from the registration."""
    from fruit_envs.interfaces.single_agent import SingleAgent

    return SingleAgent(**kwargs)


def make_vector(**kwargs: Any) -> Any:
    """The Gymnasium entry point of many games at once, for `gymnasium.make_vec`."""
    from fruit_envs.interfaces.vector import VectorEnv

    return VectorEnv(**kwargs)


def register_all() -> None:
    """Register what is not registered yet."""
    for name, entry in GAMES.items():
        env_id = f"fruit/{name}-v{entry.version}"
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, entry_point=f"{entry.package}:env")
        if env_id not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", env_id, entry_point=f"{entry.package}:parallel_env")
        gym_id = f"fruit/{entry.title.replace(' ', '')}-v{entry.version}"
        if gym_id not in gymnasium.registry:
            gymnasium.register(
                gym_id,
                entry_point="fruit_envs.registry:make_single_agent",
                vector_entry_point="fruit_envs.registry:make_vector",
                kwargs={"game": name},
            )

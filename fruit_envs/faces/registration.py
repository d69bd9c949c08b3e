"""Registers every game in PettingZoo's and Gymnasium's registries; entry points are strings, so nothing is imported."""

from __future__ import annotations

from typing import Any

import gymnasium
import pettingzoo

from fruit_envs.declare.catalog import GAMES, preset_name

__all__ = ["register_all"]


def register_all() -> None:
    """Register what is not registered yet: every game, and each of its presets under a name of its own."""
    for name, entry in GAMES.items():
        title = entry.title.replace(" ", "")
        _register(name, f"{name}-v{entry.version}", f"{title}-v{entry.version}", {})
        for preset, options in entry.presets.items():
            own = f"{preset_name(name, preset)}-v{entry.version}"
            _register(name, own, f"{title}-{preset}-v{entry.version}", dict(options))


def _register(name: str, pettingzoo_name: str, gymnasium_name: str, options: dict[str, Any]) -> None:
    kwargs = {"game": name, **options}
    for kind, registry, function in (
        ("aec", pettingzoo.aec_registry, "env"),
        ("parallel", pettingzoo.parallel_registry, "parallel_env"),
    ):
        if f"fruit/{pettingzoo_name}" not in registry:
            entry_point = f"fruit_envs.faces.functions:{function}"
            pettingzoo.register(kind, f"fruit/{pettingzoo_name}", entry_point=entry_point, kwargs=kwargs)
    if f"fruit/{gymnasium_name}" not in gymnasium.registry:
        gymnasium.register(
            f"fruit/{gymnasium_name}",
            entry_point="fruit_envs.faces.single_agent:SingleAgent",
            vector_entry_point="fruit_envs.faces.vector:VectorEnv",
            kwargs=kwargs,
        )

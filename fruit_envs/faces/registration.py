"""Registers games: in our catalogue, and in PettingZoo's and Gymnasium's registries.

Entry points are strings, so nothing is imported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import gymnasium
import pettingzoo

from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.catalog import GAMES, Entry, preset_name

__all__ = ["register_all", "register_game"]

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def register_game(
    name: str,
    package: str,
    *,
    title: str | None = None,
    version: int = 0,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
    namespace: str = "fruit",
) -> None:
    """Make a game in anybody's package a citizen of every face, record, arena and trainer.

    Parameters
    ----------
    name
        Such as `kuhn_poker`: what `load` takes, and with the version the PettingZoo id `fruit/kuhn_poker-v0`.
    package
        The importable name of the package, or of the one module, that declares the game; see `declare.contract`.
    title
        Printed name; by default made from the name. Without its spaces, the name in Gymnasium's registry.
    version
        Of the environments: rises when rules, observations, actions or rewards change.
    presets
        Options that are registered as environments of their own: suffix of the name -> options.
    namespace
        Of the environments' ids.

    Raises
    ------
    InvalidOption
        For a name that is none, or that another package has taken.
    """
    for what, value in (("name", name), ("namespace", namespace)):
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise InvalidOption(
                f"expected the {what} of a game in small letters, such as kuhn_poker, got {brief(value)}"
            )
    if not isinstance(package, str) or not all(part.isidentifier() for part in package.split(".")):
        raise InvalidOption(f"expected the name of a package that can be imported, got {brief(package)}")
    if type(version) is not int or version < 0:
        raise InvalidOption(f"expected a version 0, 1, ..., got {brief(version)}")
    title = name.replace("_", " ").title() if title is None else title
    entry = Entry(title, version, package, dict(presets or {}), namespace)
    if name in GAMES and GAMES[name] != entry:
        raise InvalidOption(f"expected a name that is not taken, got {name!r}, which is {GAMES[name]}")
    GAMES[name] = entry
    _register_entry(name, entry)


def register_all() -> None:
    """Register the environments of every game in the catalogue that are not registered yet."""
    for name, entry in GAMES.items():
        _register_entry(name, entry)


def _register_entry(name: str, entry: Entry) -> None:
    """A game, and each of its presets under a name of its own."""
    title, version = entry.title.replace(" ", ""), entry.version
    _register(name, f"{entry.namespace}/{name}-v{version}", f"{entry.namespace}/{title}-v{version}", {})
    for preset, options in entry.presets.items():
        pettingzoo_id = f"{entry.namespace}/{preset_name(name, preset)}-v{version}"
        _register(name, pettingzoo_id, f"{entry.namespace}/{title}-{preset}-v{version}", dict(options))


def _register(name: str, pettingzoo_id: str, gymnasium_id: str, options: dict[str, Any]) -> None:
    kwargs = {"game": name, **options}
    for kind, registry, function in (
        ("aec", pettingzoo.aec_registry, "env"),
        ("parallel", pettingzoo.parallel_registry, "parallel_env"),
    ):
        if pettingzoo_id not in registry:
            entry_point = f"fruit_envs.faces.functions:{function}"
            pettingzoo.register(kind, pettingzoo_id, entry_point=entry_point, kwargs=kwargs)
    if gymnasium_id not in gymnasium.registry:
        gymnasium.register(
            gymnasium_id,
            entry_point="fruit_envs.faces.single_agent:SingleAgent",
            vector_entry_point="fruit_envs.faces.vector:VectorEnv",
            kwargs=kwargs,
        )

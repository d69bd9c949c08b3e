"""Fruit Salad: slap the bowl when it holds enough of the fruit that the dice ask for; remember what lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fruit_envs.faces.aec import AEC
    from fruit_envs.faces.parallel import Parallel


def raw_env(render_mode: str | None = None, **options: Any) -> AEC:
    """The AEC environment without wrappers; see `faces.aec.AEC` and the game's options."""
    from fruit_envs.faces.aec import AEC
    from fruit_envs.runtime.game import load

    return AEC(load("fruit_salad", **options), render_mode)


def env(render_mode: str | None = None, **options: Any) -> Any:
    """The AEC environment in PettingZoo's canonical wrappers."""
    from fruit_envs.faces.aec import wrapped

    return wrapped(raw_env(render_mode, **options))


def parallel_env(render_mode: str | None = None, **options: Any) -> Parallel:
    """The parallel environment; see `faces.parallel.Parallel` and the game's options."""
    from fruit_envs.faces.parallel import Parallel
    from fruit_envs.runtime.game import load

    return Parallel(load("fruit_salad", **options), render_mode)

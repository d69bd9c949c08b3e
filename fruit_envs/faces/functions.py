"""The PettingZoo environments of every game as functions, which the registry and the games' packages share.

Light on purpose: importing a game reads this, and compiles nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fruit_envs.faces.aec import AEC, OrderEnforcing
    from fruit_envs.faces.parallel import Parallel
    from fruit_envs.runtime.game import Game

__all__ = ["env", "face_functions", "parallel_env", "raw_env", "raw_parallel_env"]


def raw_env(
    game: str | Game,
    render_mode: str | None = None,
    *,
    observation: str = "integer",
    max_cycles: int | None = None,
    **options: Any,
) -> AEC:
    """The AEC environment without wrappers; see `faces.aec.AEC` and the game's options."""
    from fruit_envs.faces.aec import AEC
    from fruit_envs.runtime.game import as_game

    return AEC(as_game(game, options), render_mode, observation=observation, max_cycles=max_cycles)


def env(game: str | Game, render_mode: str | None = None, **keywords: Any) -> OrderEnforcing:
    """The AEC environment in PettingZoo's canonical wrappers: an illegal action ends the game; see `raw_env`."""
    from fruit_envs.faces.aec import wrapped

    return wrapped(raw_env(game, render_mode, **keywords))


def raw_parallel_env(game: str | Game, render_mode: str | None = None, **keywords: Any) -> Parallel:
    """The parallel environment that raises at an illegal action; see `faces.parallel.Parallel`."""
    return _parallel(game, render_mode, "raise", **keywords)


def parallel_env(game: str | Game, render_mode: str | None = None, **keywords: Any) -> Parallel:
    """The parallel environment in which an illegal action ends the game; see `faces.parallel.Parallel`."""
    return _parallel(game, render_mode, "terminate", **keywords)


def _parallel(
    game: str | Game,
    render_mode: str | None,
    illegal: str,
    *,
    observation: str = "integer",
    max_cycles: int | None = None,
    **options: Any,
) -> Parallel:
    from fruit_envs.faces.parallel import Parallel
    from fruit_envs.runtime.game import as_game

    return Parallel(
        as_game(game, options), render_mode, illegal=illegal, observation=observation, max_cycles=max_cycles
    )


Function = Callable[..., Any]


def face_functions(game: str, package: str) -> tuple[Function, Function, Function, Function]:
    """`raw_env`, `env`, `raw_parallel_env` and `parallel_env` of one game, for its package.

    Parameters
    ----------
    game
        Its name.
    package
        The `__name__` of the package whose functions these are to be.
    """
    raw, canonical, raw_parallel, parallel = (
        _bound(function, game, package) for function in (raw_env, env, raw_parallel_env, parallel_env)
    )
    return raw, canonical, raw_parallel, parallel


def _bound(function: Function, game: str, package: str) -> Function:
    def bound(render_mode: str | None = None, **keywords: Any) -> Any:
        return function(game, render_mode, **keywords)

    bound.__name__ = bound.__qualname__ = function.__name__  # so that it is found, and pickled, by name
    bound.__module__, bound.__doc__ = package, function.__doc__
    return bound

"""A game small enough to check by hand that uses what Fruit Cocktail does not: secret windows, phases, a cap.

Each seat holds a secret token; a deck of tokens lies face down. In a window all seats bid in secret (not what they bid
last time). The highest bid that nobody shares wins: its seat gives away two stones, one decision each, lays its token
open and draws another. Three windows won end the game; five windows in all cut it off. A stone is a point, and at the
end the token counts too.
"""

from __future__ import annotations

from typing import Any


def raw_env(render_mode: str | None = None, **options: Any) -> Any:
    from fruit_envs.faces.aec import AEC
    from fruit_envs.runtime.game import load

    return AEC(load("toy_windows", **options), render_mode)


def env(render_mode: str | None = None, **options: Any) -> Any:
    from fruit_envs.faces.aec import wrapped

    return wrapped(raw_env(render_mode, **options))


def parallel_env(render_mode: str | None = None, **options: Any) -> Any:
    from fruit_envs.faces.parallel import Parallel
    from fruit_envs.runtime.game import load

    return Parallel(load("toy_windows", **options), render_mode)

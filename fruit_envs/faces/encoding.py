"""Observations as a face hands them out: the game's integers, or the same as float32 of about unit size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.layout import Layout

__all__ = ["INTEGER", "as_encoding", "encoder", "vector_space"]

INTEGER, FLOAT32 = "integer", "float32"


def as_encoding(observation: Any) -> str:
    """How observations are handed out: "integer", or "float32" for their values times `layout.scale`.

    Raises
    ------
    InvalidOption
        For anything else.
    """
    if not isinstance(observation, str) or observation not in (INTEGER, FLOAT32):
        raise InvalidOption(f"option observation: expected 'integer' or 'float32', got {brief(observation)}")
    return observation


def encoder(layout: Layout, observation: str) -> Callable[[np.ndarray], np.ndarray]:
    """What makes of vectors of the game's integers (any leading axes) those that are handed out.

    Raises
    ------
    InvalidOption
        See `as_encoding`.
    """
    if as_encoding(observation) == INTEGER:
        return _as_they_are
    return partial(np.multiply, layout.scale, dtype=np.float32)


def _as_they_are(vectors: np.ndarray) -> np.ndarray:
    return vectors


def vector_space(layout: Layout, observation: str) -> spaces.Box:
    """The space of the vectors that `encoder` makes."""
    encode = encoder(layout, observation)
    low, high = encode(layout.low), encode(layout.high)
    return spaces.Box(low, high, (layout.size,), low.dtype.type)

"""Checks of what users hand in: whole numbers, actions, seeds."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from fruit_envs.core.errors import IllegalAction, InvalidOption

__all__ = ["SEED_LIMIT", "as_action", "as_seed", "entropy", "whole_number"]

#: Episode seeds are below this, so that any of them is exact as a float64 and in JSON.
SEED_LIMIT = 2**53


def whole_number(value: Any, low: int, high: int) -> int | None:
    """The value as an int if it is a whole number low..high (NumPy integers count, booleans do not), else None."""
    if isinstance(value, (bool, np.bool_)) or getattr(value, "shape", ()) != ():
        return None
    try:
        number = operator.index(value)
    except TypeError:
        return None
    return number if low <= number <= high else None


def as_action(action: Any, num_actions: int) -> int:
    """An action as a plain int: Python and NumPy integers, 0-d integer arrays.

    Raises
    ------
    IllegalAction
        For anything else (booleans, floats, strings, one-element arrays) and for numbers out of range.
    """
    number = whole_number(action, 0, num_actions - 1)
    if number is None:
        raise IllegalAction(f"expected an action id 0..{num_actions - 1} as an integer, got {action!r}")
    return number


def as_seed(seed: Any) -> int:
    """A seed as a plain int.

    Raises
    ------
    InvalidOption
        If it is not a whole number 0..2^53 - 1.
    """
    if type(seed) is int and 0 <= seed < SEED_LIMIT:
        return seed
    number = whole_number(seed, 0, SEED_LIMIT - 1)
    if number is None:
        raise InvalidOption(f"expected a seed 0..2^53 - 1, got {seed!r}")
    return number


def entropy() -> int:
    """A fresh seed from the system."""
    return secrets.randbelow(SEED_LIMIT)

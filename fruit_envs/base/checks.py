"""Checks of what users hand in: whole numbers, actions, seeds."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.base.errors import IllegalAction, InvalidOption, brief

__all__ = [
    "SEED_LIMIT",
    "as_action",
    "as_key",
    "as_mapping",
    "as_seed",
    "as_seeds",
    "entropy",
    "integer_array",
    "is_list",
    "whole_number",
]

#: Episode seeds are below this, so that any of them is exact as a float64 and in JSON.
SEED_LIMIT = 2**53


def whole_number(value: Any, low: int, high: int) -> int | None:
    """The value as an int if it is a whole number low..high (NumPy integers count, booleans do not), else None."""
    foreign = not isinstance(value, (int, np.integer))  # an array, or another library's scalar
    flag = isinstance(value, bool) or (foreign and "bool" in str(getattr(value, "dtype", "")))
    if flag or (foreign and getattr(value, "shape", ()) != ()):
        return None
    try:
        number = operator.index(value)
    except TypeError:
        return None
    return number if low <= number <= high else None


def integer_array(values: Any, count: int) -> np.ndarray | None:
    """The values as an array of whole numbers of some integer dtype, shape (count,), or None."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # ragged, or of a type that refuses
        return None
    return array if array.dtype.kind in "iu" and array.shape == (count,) else None


def is_list(value: Any) -> bool:
    """Whether this is a list of something: a sequence, but no text, or an array with at least one dimension."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def as_action(action: Any, num_actions: int) -> int:
    """An action as a plain int: Python and NumPy integers, 0-d integer arrays.

    Raises
    ------
    IllegalAction
        For anything else (booleans, floats, strings, one-element arrays) and for numbers out of range.
    """
    if type(action) is int and 0 <= action < num_actions:  # the common case
        return action
    number = whole_number(action, 0, num_actions - 1)
    if number is None:
        raise IllegalAction(f"expected an action id 0..{num_actions - 1} as an integer, got {brief(action)}")
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
        raise InvalidOption(f"expected a seed 0..2^53 - 1, got {brief(seed)}")
    return number


def as_seeds(seed: Any, count: int) -> list[int]:
    """One seed for each of so many games: seed, seed + 1, ..., those of a sequence, or for None from the system.

    Raises
    ------
    InvalidOption
        For anything else, or where they would not be seeds.
    """
    if seed is None:
        seed = max(entropy() - count, 0)
    if is_list(seed):
        if len(seed) != count:
            raise InvalidOption(f"expected {count} seeds, got {len(seed)}")
        return [as_seed(item) for item in seed]
    first = as_seed(seed)
    as_seed(first + count - 1)
    return list(range(first, first + count))


def as_key(key: Any, what: str = "key") -> int:
    """A key, or an agent's seed, as a plain int.

    Raises
    ------
    InvalidOption
        If it is not a whole number 0..2^64 - 1.
    """
    number = whole_number(key, 0, 2**64 - 1)
    if number is None:
        raise InvalidOption(f"expected the {what} as a number 0..2^64 - 1, got {brief(key)}")
    return number


def as_mapping(value: Any, what: str) -> Mapping[str, Any]:
    """A mapping, or an empty one for None.

    Raises
    ------
    InvalidOption
        For anything else.
    """
    if value is not None and not isinstance(value, Mapping):
        raise InvalidOption(f"{what}: expected a mapping or None, got {brief(value)}")
    return value or {}


def entropy() -> int:
    """A fresh seed from the system."""
    return secrets.randbelow(SEED_LIMIT)

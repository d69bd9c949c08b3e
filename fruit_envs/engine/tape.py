"""Chance in Python's hands: outcomes that are forced, notes of what was drawn, every outcome there is.

A `Tape` attached to a state forces chosen outcomes and notes every other draw that the rules make. That is how a record
is replayed and how an exact solver enumerates deals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableSequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from fruit_envs.base.checks import whole_number
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.engine import jit
from fruit_envs.engine.chance import TAPE_HEAD

__all__ = ["Outcomes", "Tape", "enumerate_chance", "shuffle_outcomes"]

#: Forced outcomes: (kind, index) -> number below the bound of that draw.
Outcomes = Mapping[tuple[int, int], int]

T = TypeVar("T")


class Tape:
    """Forced outcomes for one native call, and the notes of what else was drawn.

    The buffer holds int64: how many outcomes are forced, how many other draws were noted, room for notes, whether a
    forced outcome was impossible, then triples (kind, index, outcome) and triples (kind, index, bound).

    Raises
    ------
    InvalidOption
        For outcomes that are no whole numbers, and at the end of `attached` for one that its draw cannot have.
    """

    def __init__(self, outcomes: Outcomes, room: int = 1024) -> None:
        try:
            flat: list[Any] = [
                whole_number(x, 0, 2**31) for (kind, index), outcome in outcomes.items() for x in (kind, index, outcome)
            ]
        except (AttributeError, TypeError, ValueError):
            flat = [None]
        if None in flat:
            raise InvalidOption(f"outcomes: expected (kind, index) -> number, all whole, got {brief(outcomes)}")
        self._outcomes = outcomes
        self._forced = len(outcomes)
        self._buffer = np.zeros(TAPE_HEAD + len(flat) + 3 * room, np.int64)
        self._buffer[:TAPE_HEAD] = self._forced, 0, room, 0
        self._buffer[TAPE_HEAD : TAPE_HEAD + len(flat)] = flat

    @contextmanager
    def attached(self, states: np.ndarray) -> Iterator[None]:
        """Attach to a one-element state array. The address never outlives the block."""
        address = self._buffer.ctypes.data
        jit.BUFFERS[address] = self._buffer
        states["tape"] = address
        try:
            yield
        finally:
            states["tape"] = 0
            del jit.BUFFERS[address]
        if self._buffer[3]:
            raise InvalidOption(f"outcomes: expected numbers below the bound of each draw, got {brief(self._outcomes)}")

    @property
    def draws(self) -> list[tuple[int, int, int]]:
        """Every draw that was not forced, in order, as (kind, index, bound)."""
        start = TAPE_HEAD + 3 * self._forced
        rows = self._buffer[start : start + 3 * int(self._buffer[1])].reshape(-1, 3).tolist()
        return [(kind, index, bound) for kind, index, bound in rows]


def enumerate_chance(
    run: Callable[[Outcomes], tuple[T, list[tuple[int, int, int]]]], fixed: Outcomes
) -> Iterator[tuple[float, T]]:
    """Every result that chance allows, with its probability.

    Parameters
    ----------
    run
        Plays one step under forced outcomes; returns the result and the draws that were not forced.
    fixed
        Outcomes held fixed (their probability counts as 1).

    Yields
    ------
    probability, result
        The probabilities add up to 1. Every combination of outcomes is visited once.
    """
    waiting: MutableSequence[tuple[float, dict[tuple[int, int], int]]] = [(1.0, dict(fixed))]
    while waiting:
        probability, outcomes = waiting.pop()
        result, draws = run(outcomes)
        if not draws:
            yield probability, result
            continue
        kind, index, bound = draws[0]
        waiting.extend((probability / bound, {**outcomes, (kind, index): k}) for k in reversed(range(bound)))


def shuffle_outcomes(kind: int, start: list[int], target: list[int], first: int = 0) -> dict[tuple[int, int], int]:
    """The outcomes that make `shuffle` put `target` in the first places of an order that was `start`.

    Raises ValueError where `target` is no arrangement of members of `start`.
    """
    order = list(start)
    outcomes = {}
    for i, wanted in enumerate(target):
        j = order.index(wanted, i)
        outcomes[kind, first + i] = j - i
        order[i], order[j] = order[j], order[i]
    return outcomes

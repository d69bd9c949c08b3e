"""The contract of a game: a common header of its record, and eight functions over it.

Everything else in this package (faces, batches, search, records) is written once, over this contract.

=================================== ============================================================================
function                            does
=================================== ============================================================================
deal(rules, state)                  sets up a game from the state's own stream
legal(rules, state, seat, mask)     writes the 0/1 mask of that seat (all 0 where it is not asked)
apply(rules, state, seat, action)   one legal decision; resolves everything up to the next decision or the end
observe(rules, state, seat, out)    writes that seat's encoding
reveal(rules, state, out)           every seat's observation in seat order, then the hidden facts; no seeds
redeal(rules, state, seat, key)     redraws uniformly all that the seat cannot know; every draw comes from `key`
scores(rules, state, out)           running or final scores, as float64
shares(rules, state, out)           win shares of a finished game, as float64; they add up to 1
=================================== ============================================================================

Simultaneous moves are hidden commitments: `state.pending` holds the seats still to be asked, in any order; nothing
that a seat can observe changes until the last one has committed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from fruit_envs.engine import jit

__all__ = [
    "APPLY",
    "DEAL",
    "LEGAL",
    "OBSERVE",
    "REDEAL",
    "REVEAL",
    "RULES",
    "SCORES",
    "SHARES",
    "Kernels",
]

F = TypeVar("F", bound=Callable[..., Any])

DEAL, LEGAL, APPLY, OBSERVE, REVEAL, REDEAL, SCORES, SHARES = range(8)
RULES = 8  # in the table that loops get, after the functions: the rules record itself
_NAMES = ("deal", "legal", "apply", "observe", "reveal", "redeal", "scores", "shares")


class Kernels:
    """The compiled functions of one game.

    Parameters
    ----------
    rules, state
        The dtypes of the game's two records.
    observation
        The dtype of its observations: the smallest integer type in which every block fits.

    Examples
    --------
    A game's modules declare each function with the decorator `@kernels`, by the name it has in the contract.
    """

    def __init__(self, rules: np.dtype, state: np.dtype, observation: DTypeLike) -> None:
        self.rules, self.state, self.observation = rules, state, np.dtype(observation)
        self._functions: dict[str, Any] = {}
        self._native: dict[str, jit.Native] = {}

    def __call__(self, function: F) -> F:
        """Compile a function of the contract and keep it in its place in the table."""
        name = function.__name__
        if name not in _NAMES:
            raise ValueError(f"expected a function of the contract, one of {_NAMES}, got {name!r}")
        self._functions[name] = function
        self._native[name] = jit.Native(function, lambda: self._signature(name))
        return function

    def table(self, rules: np.ndarray) -> Any:
        """A table for loops, in which `fill` has still to put the functions; the caller keeps the rules alive."""
        if not jit.JIT:
            return [*(self._functions[name] for name in _NAMES), rules]
        return np.array([*(0 for _ in _NAMES), rules.ctypes.data], np.uintp)

    def fill(self, table: Any, *which: int) -> None:
        """Put these functions into a table: their addresses, or with JIT off the functions themselves."""
        if jit.JIT:
            for number in which:
                table[number] = self._native[_NAMES[number]].address

    def _signature(self, name: str) -> Any:
        from numba import from_dtype, types

        row = jit.row
        integer = types.int64
        rest: dict[str, tuple[Any, ...]] = {
            "deal": (),
            "legal": (integer, row(np.int8)),
            "apply": (integer, integer),
            "observe": (integer, row(self.observation)),
            "reveal": (row(self.observation),),
            "redeal": (integer, types.uint64),
            "scores": (row(np.float64),),
            "shares": (row(np.float64),),
        }
        return types.void(from_dtype(self.rules), from_dtype(self.state), *rest[name])

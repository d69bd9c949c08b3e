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

from fruit_envs.core import jit

__all__ = [
    "APPLY",
    "DEAL",
    "HEADER",
    "LEGAL",
    "MAX_SEATS",
    "OBSERVE",
    "REDEAL",
    "REVEAL",
    "RULES",
    "RULES_HEADER",
    "RUNNING",
    "SCORES",
    "SHARES",
    "TERMINATED",
    "TRUNCATED",
    "Kernels",
    "as_records",
    "copy_memory",
    "copy_records",
    "memory_of",
    "new_memory",
    "new_records",
    "records_of",
]

F = TypeVar("F", bound=Callable[..., Any])

#: No game here seats more.
MAX_SEATS = 6

#: First fields of every game's STATE: what each loop needs to know of any game.
HEADER: list[tuple[str, DTypeLike]] = [
    ("seed", np.uint64),  # of this episode, below 2^53; the next episode's seed follows from it
    ("stream", np.uint64),  # where this episode's chance comes from
    ("tape", np.uint64),  # address of forced outcomes; 0 outside the one call that uses them
    ("decisions", np.int32),  # made so far in this episode
    ("pending", np.uint16),  # bit s: seat s may decide now
    ("over", np.int8),  # RUNNING, TERMINATED or TRUNCATED
    ("spare", np.int8),  # the header is four words of 64 bits, see `memory_of`
]
RUNNING, TERMINATED, TRUNCATED = 0, 1, 2

#: First fields of every game's RULES.
RULES_HEADER: list[tuple[str, DTypeLike]] = [
    ("margin_scale", np.float64),
    ("num_actions", np.int32),
    ("num_players", np.uint8),
    ("margin", np.int8),  # 1: reward="margin", 0: reward="win"
    ("as_scored", np.int8),  # 1: score changes are paid as they happen
    ("tabletop", np.int8),  # 1: memory="tabletop"
]

DEAL, LEGAL, APPLY, OBSERVE, REVEAL, REDEAL, SCORES, SHARES = range(8)
RULES = 8  # in the table that loops get, after the functions: the rules record itself
_NAMES = ("deal", "legal", "apply", "observe", "reveal", "redeal", "scores", "shares")


def as_records(records: np.ndarray) -> np.ndarray:
    """The same memory; with JIT off as a recarray, whose elements have their fields as attributes."""
    return records if jit.JIT else records.view(np.recarray)


def new_records(dtype: np.dtype, count: int) -> np.ndarray:
    """Zeroed records."""
    return as_records(np.zeros(count, dtype))


def copy_records(records: np.ndarray) -> np.ndarray:
    """An independent copy, padding included (NumPy's own leaves it undefined), so that equal games have equal bytes."""
    return records.view(np.uint8, np.ndarray).copy().view(records.dtype, type(records))


# What loops are handed are not records but their memory as rows of 64-bit words. Numba recognises a plain array twice
# as fast as a structured one, which counts where a loop is called for one game, and it compiles each loop once for all
# games. With JIT off a row is the record itself, in an array of one.


def new_memory(dtype: np.dtype, count: int) -> np.ndarray:
    """Zeroed rows of the memory of so many records."""
    if jit.JIT:
        return np.zeros((count, dtype.itemsize // 8), np.int64)
    return new_records(dtype, count).reshape(count, 1)


def memory_of(records: np.ndarray) -> np.ndarray:
    """The memory of records, one row each."""
    return records.view(np.int64, np.ndarray).reshape(len(records), -1) if jit.JIT else records.reshape(-1, 1)


def records_of(memory: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The records whose memory this is (a row, or rows), shape (count,)."""
    return memory.view(dtype).reshape(-1) if jit.JIT else memory.reshape(-1)


def copy_memory(memory: np.ndarray) -> np.ndarray:
    """An independent copy of a row, or of rows."""
    return memory.copy() if jit.JIT else copy_records(memory.reshape(-1)).reshape(memory.shape)


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

    def __call__(self, function: F) -> F:
        """Compile a function of the contract and keep it in its place in the table."""
        name = function.__name__
        if name not in _NAMES:
            raise ValueError(f"expected a function of the contract, one of {_NAMES}, got {name!r}")
        compiled = jit.native(self._signature(name))(function)
        self._functions[name] = compiled
        return compiled

    def table(self, rules: np.ndarray) -> Any:
        """What the loops get: addresses of the functions and of the rules record, or with JIT off these themselves.

        The caller keeps the rules alive.
        """
        functions = [self._functions[name] for name in _NAMES]
        if not jit.JIT:
            return (*functions, rules)
        return np.array([*(function.address for function in functions), rules.ctypes.data], np.uintp)

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

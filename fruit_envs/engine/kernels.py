"""The compiled half of a game's contract: eight functions over one record; for the rest see `declare.contract`.

Everything else in this package (faces, batches, search, records) is written once, over this contract.

=================================== ============================================================================
function                            does
=================================== ============================================================================
deal(rules, state)                  sets up a game from the state's own stream
legal(rules, state, seat, mask)     writes the 0/1 mask of that seat (all 0 where it is not asked)
apply(rules, state, seat, action)   one legal decision; resolves everything up to the next decision or the end
observe(rules, at, state, seat, out) writes that seat's encoding: the block `name` begins at `out[at.name]`
hidden(rules, at, state, out)       the hidden facts for the privileged view, found likewise; no seeds
redeal(rules, state, seat, key)     redraws uniformly all that the seat cannot know; every draw comes from `key`
scores(rules, state, out)           running or final scores, as float64
shares(rules, state, out)           win shares of a finished game, as float64; they add up to 1
=================================== ============================================================================

Simultaneous moves are hidden commitments: `state.pending` holds the seats still to be asked, in any order; nothing
that a seat can observe changes until the last one has committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from fruit_envs.base.errors import InvalidGame
from fruit_envs.declare.header import HEADER, RULES_HEADER
from fruit_envs.engine import jit

__all__ = [
    "APPLY",
    "BLOCKS",
    "DEAL",
    "HIDDEN",
    "HIDDEN_BLOCKS",
    "LEGAL",
    "OBSERVE",
    "REDEAL",
    "RULES",
    "SCORES",
    "SHARES",
    "Kernels",
]

F = TypeVar("F", bound=Callable[..., Any])

DEAL, LEGAL, APPLY, OBSERVE, HIDDEN, REDEAL, SCORES, SHARES = range(8)
# In the table that loops get, after the functions: the rules record, and where the blocks of the observation and of the
# hidden facts begin.
RULES, BLOCKS, HIDDEN_BLOCKS = 8, 9, 10
_NAMES = ("deal", "legal", "apply", "observe", "hidden", "redeal", "scores", "shares")

#: Block name -> where it begins; `end` -> how many values there are.
Places = Mapping[str, int]


def _check_record(what: str, dtype: np.dtype, header: Sequence[tuple[str, DTypeLike]]) -> None:
    """Refuse a record that loops could not read as words, header first."""
    expected = np.dtype(list(header), align=True)
    if dtype.fields is None or list(dtype.fields.items())[: len(header)] != list((expected.fields or {}).items()):
        raise InvalidGame(f"expected {what} to begin with the fields {[name for name, _ in header]}, got {dtype}")
    if not dtype.isalignedstruct or dtype.itemsize % 8:
        raise InvalidGame(
            f"expected {what} as whole words of 8 bytes: np.dtype([...], align=True); got {dtype.itemsize} bytes"
        )


def _places(names: Iterable[str]) -> np.dtype:
    """The record in which a kernel finds where each block begins."""
    return np.dtype([(name, np.int64) for name in names])


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

    Raises
    ------
    InvalidGame
        For a record that does not begin with its header, or that is not aligned to whole words.
    """

    def __init__(self, rules: np.dtype, state: np.dtype, observation: DTypeLike) -> None:
        for what, dtype, header in (("STATE", state, HEADER), ("RULES", rules, RULES_HEADER)):
            _check_record(what, dtype, header)
        self.rules, self.state, self.observation = rules, state, np.dtype(observation)
        self._blocks: dict[int, tuple[str, ...]] = {}
        self._functions: dict[str, Any] = {}
        self._native: dict[str, jit.Native] = {}

    def __call__(self, function: F) -> F:
        """Compile a function of the contract and keep it in its place in the table."""
        name = function.__name__
        if name not in _NAMES:
            raise InvalidGame(f"expected a kernel of the contract, one of {', '.join(_NAMES)}, got {name!r}")
        self._functions[name] = function
        self._native[name] = jit.Native(function, lambda: self._signature(name))
        return function

    def table(self, rules: np.ndarray, blocks: Places, hidden_blocks: Places) -> tuple[Any, Any]:
        """A table for loops, in which `fill` has still to put the functions; and what the caller keeps alive with it.

        Raises
        ------
        InvalidGame
            Where a function is missing, or the blocks are not those of the game's other options.
        """
        needed = [name for name in _NAMES if name != "hidden" or len(hidden_blocks) > 1]  # beside `end`
        missing = [name for name in needed if name not in self._functions]
        if missing:
            raise InvalidGame(f"expected the kernels {', '.join(_NAMES)}; {', '.join(missing)} is not declared")
        for which, places in ((BLOCKS, blocks), (HIDDEN_BLOCKS, hidden_blocks)):
            if self._blocks.setdefault(which, tuple(places)) != tuple(places):
                raise InvalidGame(f"expected blocks of the same names under all options, got {list(places)}")
        if not jit.JIT:
            functions = [self._functions.get(name) for name in _NAMES]
            return [*functions, rules, SimpleNamespace(**blocks), SimpleNamespace(**hidden_blocks)], None
        records = [np.array([tuple(places.values())], _places(places)) for places in (blocks, hidden_blocks)]
        owned = [rules, *records]
        return np.array([*(0 for _ in _NAMES), *(record.ctypes.data for record in owned)], np.uintp), owned

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
            "hidden": (row(self.observation),),
            "redeal": (integer, types.uint64),
            "scores": (row(np.float64),),
            "shares": (row(np.float64),),
        }
        blocks = {"observe": BLOCKS, "hidden": HIDDEN_BLOCKS}.get(name)
        at = () if blocks is None else (from_dtype(_places(self._blocks[blocks])),)
        return types.void(from_dtype(self.rules), *at, from_dtype(self.state), *rest[name])

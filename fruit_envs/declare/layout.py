"""Named observation blocks: one declaration gives the space, the docs table, `decode` and `scale`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from fruit_envs.base.errors import InvalidBuffer, InvalidGame, InvalidOption, brief

__all__ = ["Block", "Layout"]


@dataclass(frozen=True)
class Block:
    """A named piece of the flat observation.

    Parameters
    ----------
    name, doc
        Identifier and meaning.
    shape
        Logical shape; the values lie in C order.
    axes
        What each axis counts, for readers.
    low, high
        Declared bounds, both included; nothing is clipped to them.
    kind
        How `Layout.decode` reads the last axis: plain numbers, a set (the labels whose value is 1), or one
        choice (the only such label, or None).
    labels
        Names of the places of the last axis, for sets and choices; by default their numbers.
    unit
        What counts as large, for `Layout.scale`; by default the bounds.
    """

    name: str
    doc: str
    shape: tuple[int, ...]
    axes: tuple[str, ...]
    low: int = 0
    high: int = 1
    kind: Literal["numbers", "set", "choice"] = "numbers"
    labels: tuple[str, ...] | None = None
    unit: int | None = None

    @property
    def size(self) -> int:
        return prod(self.shape)


class Layout:
    """The blocks of a game's observation, in order.

    Parameters
    ----------
    blocks
        In the order in which `observe` writes them.
    dtype
        Of the vector.
    """

    def __init__(self, blocks: Sequence[Block], dtype: DTypeLike) -> None:
        names = [block.name for block in blocks]
        wrong = next(
            (name for name in names if not name.isidentifier() or name == "end" or names.count(name) > 1), None
        )
        if wrong is not None:
            raise InvalidGame(
                f"expected blocks with names of their own, and none called 'end', got {wrong!r} in {names}"
            )
        self.blocks = tuple(block for block in blocks if block.size)
        self.dtype = np.dtype(dtype)
        ends = np.cumsum([0, *(block.size for block in blocks)]).tolist()
        self.size: int = ends[-1]
        self._slices = {b.name: slice(start, start + b.size) for b, start in zip(blocks, ends, strict=False) if b.size}
        #: Where each declared block begins, those of size 0 included, and at `end` how many values there are.
        self.places: dict[str, int] = dict(zip([*names, "end"], ends, strict=True))

    def __getitem__(self, name: str) -> slice:
        """Where a block lies in the vector."""
        return self._slices[name]

    def block(self, observation: np.ndarray, name: str) -> np.ndarray:
        """A view of one block in its logical shape; leading axes of a batch of observations stay."""
        shapes = {block.name: block.shape for block in self.blocks}
        if name not in shapes:
            raise InvalidOption(f"expected a block, one of {list(shapes)}, got {brief(name)}")
        shape = shapes[name]
        return observation[..., self._slices[name]].reshape(*observation.shape[:-1], *shape)

    def planes(self, observation: np.ndarray) -> np.ndarray:
        """A view of all blocks over rows and columns as planes, for convolutions; leading axes of a batch stay.

        Returns
        -------
        numpy.ndarray
            Shape (..., planes, rows, columns): the planes of each such block in order.

        Raises
        ------
        InvalidOption
            If the game has no board.
        """
        blocks = [block for block in self.blocks if block.axes[-2:] == ("row", "column")]
        if not blocks:
            raise InvalidOption("expected blocks over rows and columns, which only a game with a board has")
        start, stop = self._slices[blocks[0].name].start, self._slices[blocks[-1].name].stop
        return observation[..., start:stop].reshape(*observation.shape[:-1], -1, *blocks[0].shape[-2:])

    def _spread(self, values: Sequence[float], dtype: DTypeLike) -> np.ndarray:
        vector = np.repeat(np.array(values, dtype), [block.size for block in self.blocks])
        vector.flags.writeable = False
        return vector

    @cached_property
    def low(self) -> np.ndarray:
        """Lower bounds, shape (size,), of the observation's dtype."""
        return self._spread([block.low for block in self.blocks], self.dtype)

    @cached_property
    def high(self) -> np.ndarray:
        """Upper bounds, shape (size,), of the observation's dtype."""
        return self._spread([block.high for block in self.blocks], self.dtype)

    @cached_property
    def scale(self) -> np.ndarray:
        """Factors (float32, shape (size,)) that bring every block to about unit size."""
        sizes = [block.unit or max(abs(block.low), abs(block.high), 1) for block in self.blocks]
        return self._spread([1 / size for size in sizes], np.float32)

    @cached_property
    def digest(self) -> str:
        """A hash of the declaration: a trained policy fits exactly the observations of its digest."""
        facts = [{k: v for k, v in asdict(block).items() if k != "unit"} | {"doc": None} for block in self.blocks]
        return hashlib.sha256(json.dumps([facts, self.dtype.str]).encode()).hexdigest()[:16]

    def decode(self, observation: np.ndarray) -> dict[str, Any]:
        """The facts in one observation, JSON-ready.

        Parameters
        ----------
        observation
            Shape (size,).

        Returns
        -------
        dict
            Block name to nested lists of whole numbers, of label lists (sets), or of labels or None (choices). A
            block of one number decodes to that number.
        """
        if getattr(observation, "shape", None) != (self.size,):
            came = getattr(observation, "shape", None) or brief(observation)
            raise InvalidBuffer(f"expected an observation of shape ({self.size},), got {came}")
        return {b.name: _decode(b, self.block(observation, b.name)) for b in self.blocks}


def _decode(block: Block, values: np.ndarray) -> Any:
    if block.kind == "numbers":
        return values.tolist() if block.size > 1 else int(values.item())
    labels: Sequence[Any] = block.labels or range(block.shape[-1])

    def name(row: np.ndarray) -> Any:
        chosen = [labels[i] for i in np.flatnonzero(row).tolist()]
        if block.kind == "set":
            return chosen
        return chosen[0] if chosen else None

    named = [name(row) for row in values.reshape(-1, block.shape[-1])]
    for extent in reversed(block.shape[1:-1]):
        named = [named[i : i + extent] for i in range(0, len(named), extent)]
    return named if len(block.shape) > 1 else named[0]

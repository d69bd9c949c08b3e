"""The board as two words: which cells are free, and where a tile fits.

Cell 10 * row + column is bit `cell` of the low word (rows 0-4), or bit `cell - 50` of the high one (rows 5-9). A figure
is a tile's shape in one orientation. Where it fits follows from its cells by shifting the free ones: none is visited.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import spread_bits
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruity_fruit.components import CELLS, FIGURE_CELLS, HALF, MAX_TURNS
from fruit_envs.games.fruity_fruit.table import SIDE

_FULL = (1 << HALF) - 1  # all cells of a word
_LEFT = sum(1 << row * SIDE for row in range(SIDE // 2))  # column 0
_RIGHT = _LEFT << (SIDE - 1)
_STEP = HALF - SIDE  # from the last row of a word to the first
_REST = 64 - HALF  # bits that join the low word's when a board is written


@helper
def at_offset(low: Any, high: Any, offset: Any) -> Any:
    """The cells from which `offset` cells onwards (0..49) is one of these."""
    return (low >> offset) | ((high & ((1 << offset) - 1)) << (HALF - offset)), high >> offset


@helper
def beside(low: Any, high: Any) -> Any:
    """The orthogonal neighbours of these cells; some of these cells may be among them."""
    around_low = ((low & ~_RIGHT) << 1) | ((low & ~_LEFT) >> 1) | (low << SIDE) | (low >> SIDE) | (high << _STEP)
    around_high = ((high & ~_RIGHT) << 1) | ((high & ~_LEFT) >> 1) | (high << SIDE) | (high >> SIDE) | (low >> _STEP)
    return around_low & _FULL, around_high & _FULL


@helper
def touch(rules: Record, state: Record) -> Any:
    """Cells of which a tile must cover one: those beside placed tiles (Y5), for the first tile its own (Y4)."""
    if state.placed == 0:
        return np.int64(rules.opening_low), np.int64(rules.opening_high)
    low = np.int64(rules.ground_low) & ~np.int64(state.free_low)
    high = np.int64(rules.ground_high) & ~np.int64(state.free_high)
    return beside(low, high)


@helper
def fit(rules: Record, figure: Any, free_low: Any, free_high: Any, near_low: Any, near_high: Any) -> Any:
    """Where the corner of a figure's bounding box may lie (Y5): the figure on free cells, one of them near."""
    low, high = np.int64(rules.anchors_low[figure]), np.int64(rules.anchors_high[figure])
    touch_low, touch_high = np.int64(0), np.int64(0)
    for i in range(FIGURE_CELLS):
        offset = np.int64(rules.offsets[figure * FIGURE_CELLS + i])
        a, b = at_offset(free_low, free_high, offset)
        low, high = low & a, high & b
        a, b = at_offset(near_low, near_high, offset)
        touch_low, touch_high = touch_low | a, touch_high | b
    return low & touch_low, high & touch_high


@helper
def fitting_tiles(rules: Record, state: Record) -> Any:
    """The tiles that may be placed somewhere, whoever holds them, as bits of their ids."""
    free_low, free_high = np.int64(state.free_low), np.int64(state.free_high)
    near_low, near_high = touch(rules, state)
    found = np.int64(0)
    for shape in range(np.int64(rules.shapes)):
        for turn in range(np.int64(rules.turns[shape])):
            low, high = fit(rules, shape * MAX_TURNS + turn, free_low, free_high, near_low, near_high)
            if low | high:
                found |= np.int64(rules.tiles_of[shape])
                break
    return found


@helper
def cells_of(rules: Record, figure: Any, cell: Any) -> Any:
    """The cells that a figure covers when its bounding box's corner lies on `cell`."""
    low, high = np.int64(0), np.int64(0)
    for i in range(FIGURE_CELLS):
        covered = cell + np.int64(rules.offsets[figure * FIGURE_CELLS + i])
        if covered < HALF:
            low |= np.int64(1) << covered
        else:
            high |= np.int64(1) << (covered - HALF)
    return low, high


@helper
def write_bits(out: Any, k: Any, low: Any, high: Any) -> None:
    """The hundred cells as 0 and 1 from place `k` of a row on, and zeros over the twelve places after them."""
    first = low | ((high & ((1 << _REST) - 1)) << HALF)
    rest = high >> _REST
    for start in range(0, 64, 16):
        spread_bits(out, k + start, first >> start)
    for start in range(0, CELLS - 64, 16):
        spread_bits(out, k + 64 + start, rest >> start)

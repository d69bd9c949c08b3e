"""Fruity Fruit's component table: board, scoring cards, tile shapes; what a user's own table must obey (Y17)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from fruit_envs.base.checks import is_list, whole_number
from fruit_envs.base.errors import InvalidTable, brief
from fruit_envs.declare.options import FrozenTable, table_rows
from fruit_envs.declare.tables import check_published

COLOURS = ("red", "green", "yellow", "blue")
FRUITS = ("melon", "peach", "cherry", "apple", "orange", "grape")
SYMBOLS = "MPCaogBX"  # the fruits in order, basket, insect
BLANK = "."
SIDE, CARDS, VALUES = 10, 9, 9  # the board's rows and columns; scoring cards; tiles of a colour
MAX_VALUE = 300  # of a fruit on a scoring card: scores then fit the observation

#: Cells (row, column) of a tile in one orientation, ascending; its bounding box begins at (0, 0).
Figure = tuple[tuple[int, int], ...]

#: What a table may repeat of the published game; it holds for every copy of it.
_PUBLISHED: dict[str, Any] = {
    "symbols": dict(zip((*SYMBOLS, BLANK), (*FRUITS, "basket", "insect", "blank"), strict=True)),
    "fruits": list(FRUITS),
    "colours": list(COLOURS),
    "trump": "red",
    "players": [3, 4],
    "tiles_per_player": {"2": 18, "3": 12, "4": 9},
    "basket_spaces": 4,
    "rotation": True,
    "reflection": False,
}
_ROWS = ("board", "scoring_cards", "shapes", "tile_shapes_bars", "tile_shapes_mixed")


def check_table(table: Any) -> FrozenTable:
    """The whole component table: the rows that can differ from copy to copy (Y17), and what is published.

    Raises
    ------
    InvalidTable
        Naming the row and the constraint that it breaks.
    """
    check_published("components", table, _ROWS, _PUBLISHED)
    for key in _ROWS:
        if key not in table:
            raise InvalidTable(f"components row {key!r}: expected it, got a table without")
    shapes = _shapes(table["shapes"])
    rows = {
        "board": check_board(table["board"]),
        "scoring_cards": _scoring_cards(table["scoring_cards"]),
        "shapes": shapes,
        "tile_shapes_bars": _tile_shapes("tile_shapes_bars", table["tile_shapes_bars"], shapes),
        "tile_shapes_mixed": _tile_shapes("tile_shapes_mixed", table["tile_shapes_mixed"], shapes),
    }
    return FrozenTable.of(_PUBLISHED | rows)


def _listed(what: str, value: Any, length: int | None = None) -> list[Any]:
    if not is_list(value):
        raise InvalidTable(f"components {what}: expected a list, got {brief(value)}")
    if length is not None and len(value) != length:
        raise InvalidTable(f"components {what}: expected {length} entries, got {len(value)}")
    return list(value)


def check_board(board: Any, rows: int = SIDE, columns: int = SIDE) -> tuple[str, ...]:
    """A board as strings of symbols, one a row."""
    for number, row in enumerate(_listed("row 'board'", board, rows)):
        if not isinstance(row, str) or len(row) != columns or not set(row) <= {*SYMBOLS, BLANK}:
            expected = f"{columns} symbols of {SYMBOLS + BLANK!r}"
            raise InvalidTable(f"components row 'board', line {number}: expected {expected}, got {brief(row)}")
    return tuple(board)


def _scoring_cards(cards: Any) -> tuple[tuple[int, ...], ...]:
    found = []
    for number, card in enumerate(_listed("row 'scoring_cards'", cards, CARDS)):
        what = f"row 'scoring_cards', card {number}"
        for value in _listed(what, card, len(FRUITS)):
            if whole_number(value, 0, MAX_VALUE) is None:
                raise InvalidTable(f"components {what}: expected whole values 0..{MAX_VALUE}, got {brief(value)}")
        found.append(tuple(int(value) for value in card))
    return tuple(found)


def _shapes(shapes: Any) -> FrozenTable:
    """Name -> cells, moved to the corner of their bounding box."""
    if not isinstance(shapes, Mapping):
        raise InvalidTable(f"components row 'shapes': expected an object, name to cells, got {brief(shapes)}")
    found: dict[str, Figure] = {}
    for name, cells in shapes.items():
        what = f"row 'shapes', {brief(name)}"
        drawn = {_cell(what, cell) for cell in _listed(what, cells)}
        if not isinstance(name, str) or len(drawn) != len(cells) or not 2 <= len(drawn) <= 4 or not _connected(drawn):
            raise InvalidTable(f"components {what}: expected 2 to 4 connected cells, each once, got {brief(cells)}")
        found[name] = cornered(drawn)
    return FrozenTable(found)


def _cell(what: str, cell: Any) -> tuple[int, int]:
    numbers = [whole_number(number, 0, SIDE - 1) for number in _listed(what, cell, 2)]
    if None in numbers:
        raise InvalidTable(f"components {what}: expected cells [row, column] of 0..{SIDE - 1}, got {brief(cell)}")
    row, column = (int(number) for number in cell)
    return row, column


def _connected(cells: set[tuple[int, int]]) -> bool:
    reached, waiting = set(), sorted(cells)[:1]
    while waiting:
        row, column = waiting.pop()
        reached.add((row, column))
        around = {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)}
        waiting += around & cells - reached
    return reached == cells


def _tile_shapes(key: str, names: Any, shapes: Mapping[str, Any]) -> Any:
    """Nine shape names, by value: for all colours alike, or an object with a list for each colour."""
    if isinstance(names, Mapping):
        if set(names) != set(COLOURS):
            raise InvalidTable(
                f"components row {key!r}: expected the colours {list(COLOURS)}, got {brief(list(names))}"
            )
        return FrozenTable({colour: _named(f"row {key!r}, {colour}", names[colour], shapes) for colour in COLOURS})
    return _named(f"row {key!r}", names, shapes)


def _named(what: str, names: Any, shapes: Mapping[str, Any]) -> tuple[str, ...]:
    for value, name in enumerate(_listed(what, names, VALUES), 1):
        if not isinstance(name, str) or name not in shapes:
            raise InvalidTable(f"components {what}, value {value}: expected one of {list(shapes)}, got {brief(name)}")
    return tuple(names)


def cornered(cells: Any) -> Figure:
    """Cells moved so that their bounding box begins at (0, 0), ascending."""
    top, left = (min(extent) for extent in zip(*cells, strict=True))
    return tuple(sorted((row - top, column - left) for row, column in cells))


@cache
def figures(shape: Figure) -> tuple[Figure, ...]:
    """A shape in all its orientations: clockwise quarter turns, those that repeat an earlier one dropped."""
    found = [cornered(shape)]
    for _ in range(3):
        found.append(cornered([(column, -row) for row, column in found[-1]]))
    return tuple(dict.fromkeys(found))


def shape_of_tile(table: Mapping[str, Any], shapes: str) -> list[Figure]:
    """The cells of every tile, by its id."""
    names = table[f"tile_shapes_{shapes}"]
    lists = names.values() if isinstance(names, Mapping) else [names] * len(COLOURS)
    return [tuple(table["shapes"][name]) for row in lists for name in row]


@cache
def default_table() -> FrozenTable:
    """The table `assumed-v1`: that tiles are strips is inferred, board, fruits, cards and mixed shapes are assumed."""
    return check_table(json.loads((resources.files(__package__) / "table.json").read_text("utf-8")))


def read_table(value: Any) -> FrozenTable | None:
    """The option `components`: None, or its rows (a path becomes its rows, so that a record needs no file)."""
    return None if value is None else check_table(table_rows("components", value))

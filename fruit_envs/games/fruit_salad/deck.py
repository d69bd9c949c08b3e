"""Fruit Salad's cards: the table `assumed-v1`, and the option that replaces it."""

from __future__ import annotations

import csv
import io
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fruit_envs.base.checks import is_list, whole_number
from fruit_envs.base.errors import InvalidTable, brief

FRUITS = ("watermelon", "strawberry", "orange", "pear")
MINIONS = ("none", "number", "fruit", "both")  # which dice a card's minions roll again: bit 0 number, bit 1 fruit
CARDS = 60
MAX_PIECES = 9

_ROW = f"[{', '.join(FRUITS)}, minion]"
_COLUMNS = ["id", "family", *FRUITS, "minion"]

#: Pieces of each fruit, and the minions.
Row = tuple[int, int, int, int, str]


def check_deck(rows: Any) -> tuple[Row, ...]:
    """The 60 rows of a deck table.

    Raises
    ------
    InvalidTable
        Naming the row and the constraint that it breaks.
    """
    if not is_list(rows):
        raise InvalidTable(f"deck: expected {CARDS} rows {_ROW}, got {brief(rows)}")
    if len(rows) != CARDS:
        raise InvalidTable(f"deck: expected {CARDS} rows {_ROW}, got {len(rows)} rows")
    return tuple(check_row(number, row) for number, row in enumerate(rows))


def check_row(number: int, row: Any) -> Row:
    """One row of a deck table; `number` is told in the error."""
    if not is_list(row) or len(row) != len(FRUITS) + 1:
        raise InvalidTable(f"deck row {number}: expected {_ROW}, got {brief(row)}")
    *counts, minion = row
    for count, fruit in zip(counts, FRUITS, strict=True):
        if whole_number(count, 0, MAX_PIECES) is None:
            raise InvalidTable(
                f"deck row {number}: expected {fruit} to be a whole number 0..{MAX_PIECES}, got {brief(count)}"
            )
    if not any(counts):
        raise InvalidTable(f"deck row {number}: expected at least one piece of fruit, got {brief(row)}")
    if not isinstance(minion, str) or minion not in MINIONS:
        raise InvalidTable(f"deck row {number}: expected minion to be one of {MINIONS}, got {brief(minion)}")
    watermelon, strawberry, orange, pear = map(int, counts)
    return watermelon, strawberry, orange, pear, str(minion)


def read_deck(text: str, name: str) -> tuple[Row, ...]:
    """A deck from CSV text with the columns id, family (may be missing), the fruits, minion; in the order of ids."""
    try:
        lines = [cells for cells in csv.reader(io.StringIO(text)) if cells]
    except csv.Error as error:
        raise InvalidTable(f"deck {name}: expected a CSV file, got one that cannot be read ({error})") from error
    columns = lines[0] if lines else []
    if columns not in (_COLUMNS, [column for column in _COLUMNS if column != "family"]):
        raise InvalidTable(f"deck {name}: expected the columns {_COLUMNS}, got {lines[:1]}")
    rows = []
    for number, cells in enumerate(lines[1:]):
        try:
            row = dict(zip(columns, cells, strict=True))
            if int(row["id"]) != number:
                raise ValueError(f"id {row['id']!r} is not {number}")
            rows.append([*(int(row[fruit]) for fruit in FRUITS), row["minion"]])
        except (TypeError, ValueError) as error:
            raise InvalidTable(f"deck {name}, row {number}: expected {_COLUMNS}; {error}") from error
    return check_deck(rows)


@cache
def default_deck() -> tuple[Row, ...]:
    """The deck `assumed-v1`: every arrangement of eight patterns of pieces over the four fruits; all of it assumed."""
    return read_deck((resources.files(__package__) / "cards.csv").read_text("utf-8"), "assumed-v1")


def deck_option(value: Any) -> Any:
    """The option `deck`: its name, or its rows (a path becomes its rows, so that a record needs no file)."""
    if isinstance(value, str) and value == "assumed-v1":
        return value
    if isinstance(value, (str, os.PathLike)):
        try:
            text = Path(value).read_text("utf-8-sig")
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path with a null byte
            raise InvalidTable(
                f'deck: expected "assumed-v1", the path of a CSV file, or rows, got {brief(value)} ({error})'
            ) from error
        return read_deck(text, str(value))
    return check_deck(value)

"""Fruit Salad's cards: the table `assumed-v1`, and the option that replaces it."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from fruit_envs.base.checks import is_list, whole_number
from fruit_envs.base.errors import InvalidTable, brief
from fruit_envs.declare.tables import csv_rows, deck_of

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
    read = csv_rows(text, name, _COLUMNS, lambda cells: [*(int(cells[fruit]) for fruit in FRUITS), cells["minion"]])
    return check_deck(read)


@cache
def default_deck() -> tuple[Row, ...]:
    """The deck `assumed-v1`: every arrangement of eight patterns of pieces over the four fruits; all of it assumed."""
    return read_deck((resources.files(__package__) / "cards.csv").read_text("utf-8"), "assumed-v1")


def deck_option(value: Any) -> Any:
    """The option `deck`, see `tables.deck_of`."""
    return deck_of(value, read_deck, check_deck)

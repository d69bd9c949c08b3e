"""Fruit Cocktail's components: the deck table, the options, and the read-only record the rules read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from fruit_envs.base.checks import whole_number
from fruit_envs.base.errors import InvalidOption, InvalidTable, brief
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.minis import mini_option, own_size, shrunken
from fruit_envs.declare.options import Option, common_options, starter_outcomes, whole
from fruit_envs.declare.rules import check_fields, rules_record
from fruit_envs.declare.tables import csv_rows, deck_of

FRUITS = ("banana", "cherry", "apple", "strawberry", "lychee", "grape", "blueberry", "orange")
COLUMNS, COLUMN_SIZE, HIDDEN = 8, 3, 3  # the published sizes, and the maxima of the records
CARDS = COLUMNS * COLUMN_SIZE

#: Hidden tiles (C1, C16, C17) and whether seats peek, per mode.
MODES = {"base": (3, True), "easy": (2, False), "total_control": (0, False)}

#: Kinds of chance event (see `engine.chance`).
TILE, CARD, HIDE, PEEK, START = range(5)

#: Shrunken games by name: columns x cards of each.
MINIS = {
    f"{columns}x{cards}": {"columns": columns, "column_size": cards}
    for columns, cards in ((3, 2), (4, 2), (5, 2), (3, 3), (6, 2), (4, 3))
}

Row = tuple[int, int, int]

RULES = np.dtype(
    [
        *RULES_HEADER,
        ("columns", np.uint8),
        ("column_size", np.uint8),
        ("hidden", np.uint8),
        ("peeks", np.uint8),  # 1: seats peek
        ("replay", np.uint8),  # 1: tie="replay"
        ("fruit", np.uint8, (CARDS,)),  # of each card id
        ("pieces", np.int8, (CARDS,)),
        ("value", np.int8, (CARDS,)),
    ],
    align=True,
)


def check_deck(rows: Any) -> tuple[Row, ...]:
    """The 24 rows (fruit id, pieces, value) of a deck table.

    Raises
    ------
    InvalidTable
        Naming the row and the constraint that it breaks.
    """
    if not isinstance(rows, (Sequence, np.ndarray)) or getattr(rows, "shape", None) == () or len(rows) != CARDS:
        came = f"{len(rows)} rows" if isinstance(rows, (list, tuple)) else brief(rows)
        raise InvalidTable(f"deck: expected {CARDS} rows [fruit id, pieces, value], got {came}")
    deck: list[Row] = []
    limits = (("fruit id", 0, len(FRUITS) - 1), ("pieces", 1, 3), ("value", -4, 5))
    for number, row in enumerate(rows):
        if not isinstance(row, (Sequence, np.ndarray)) or isinstance(row, (str, bytes)) or len(row) != 3:
            raise InvalidTable(f"deck row {number}: expected [fruit id, pieces, value], got {brief(row)}")
        for item, (what, low, high) in zip(row, limits, strict=True):
            if whole_number(item, low, high) is None:
                raise InvalidTable(
                    f"deck row {number}: expected {what} to be a whole number {low}..{high}, got {brief(item)}"
                )
        deck.append((int(row[0]), int(row[1]), int(row[2])))
    for fruit, name in enumerate(FRUITS):
        held = [number for number, row in enumerate(deck) if row[0] == fruit]
        if len(held) != COLUMN_SIZE:
            raise InvalidTable(f"deck: expected three {name} cards, got {len(held)} (rows {held})")
    return tuple(deck)


def read_deck(text: str, name: str) -> tuple[Row, ...]:
    """A deck from CSV text with the columns id, fruit, pieces, value; rows in the order of their ids."""

    def row(cells: dict[str, str]) -> Row:
        if cells["fruit"] not in FRUITS:
            raise ValueError(f"fruit {cells['fruit']!r} is not one of {FRUITS}")
        return FRUITS.index(cells["fruit"]), int(cells["pieces"]), int(cells["value"])

    return check_deck(csv_rows(text, name, ("id", "fruit", "pieces", "value"), row))


@cache
def default_deck() -> tuple[Row, ...]:
    """The deck `assumed-v1`: fruits and pieces are inferred from the rule text, the values are assumed."""
    return read_deck((resources.files(__package__) / "cards.csv").read_text("utf-8"), "assumed-v1")


def _deck(value: Any) -> Any:
    """The option `deck`, see `tables.deck_of`."""
    return deck_of(value, read_deck, check_deck)


OPTIONS: tuple[Option, ...] = (
    *common_options(players=(2, 4), num_players=2, margin_scale=20.0),
    Option(
        "mode", "base", "hidden tiles: base 3 with peeks (C1-C3), easy 2 (C16), total_control 0 (C17)", tuple(MODES)
    ),
    Option("tie", "share", "C13: a tie is shared, or another game is played", ("share", "replay")),
    Option("deck", "assumed-v1", "the 24 cards: a name, a CSV path, or rows [fruit id, pieces, value]", check=_deck),
    mini_option(MINIS, "columns x cards of each"),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    """The read-only rules record (shape (1,)) of checked options.

    Raises
    ------
    InvalidOption
        For options that exclude each other.
    """
    hidden, peeks = MODES[options["mode"]]
    if options["reward_timing"] == "as_scored" and (hidden or options["tie"] == "replay"):
        raise InvalidOption(
            'C19: reward_timing="as_scored" expected mode="total_control" and tie="share" (score changes would tell '
            f"the hidden tiles), got mode={options['mode']!r}, tie={options['tie']!r}"
        )
    deck = default_deck() if options["deck"] == "assumed-v1" else options["deck"]
    rules = rules_record(RULES, options)
    record = rules[0]
    record["columns"], record["column_size"], record["hidden"], record["peeks"] = COLUMNS, COLUMN_SIZE, hidden, peeks
    record["num_actions"] = CARDS
    record["replay"] = options["tie"] == "replay"
    record["fruit"], record["pieces"], record["value"] = np.array(deck, np.int8).T
    return shrunken(rules, options, MINIS, _shrink, check_rules)


def _shrink(
    record: Any, _options: Mapping[str, Any], columns: int, column_size: int, hidden: int | None = None
) -> None:
    """Keep the first cards of the first fruits; seats peek as in the base mode where there are tiles enough."""
    columns = whole("columns", 2, COLUMNS)(columns)
    column_size = whole("column_size", 2, COLUMN_SIZE)(column_size)
    fruits = record["fruit"].tolist()
    kept = [card for card, f in enumerate(fruits) if f < columns and fruits[:card].count(f) < column_size]
    record["columns"], record["column_size"], record["num_actions"] = columns, column_size, len(kept)
    if hidden is not None:
        n = int(record["num_players"])
        record["hidden"] = whole("hidden", 0, min(HIDDEN, columns))(hidden)
        record["peeks"] = hidden >= (2 if n == 4 else n)
    for field in ("fruit", "pieces", "value"):
        record[field][: len(kept)] = record[field][kept]


def check_rules(rules: np.ndarray) -> None:
    """Refuse a rules record whose sizes the state's fields could not hold; compiled code trusts them.

    Raises
    ------
    InvalidOption
        Naming the field and its bounds.
    """
    r = rules[0]
    cards = int(r["columns"]) * int(r["column_size"])
    limits = {
        "num_players": (2, 4),
        "columns": (2, COLUMNS),
        "column_size": (2, COLUMN_SIZE),
        "num_actions": (cards, cards),
        "hidden": (0, min(HIDDEN, int(r["columns"]))),
        "peeks": (0, int(int(r["hidden"]) >= (2 if r["num_players"] == 4 else r["num_players"]))),
        "replay": (0, 1),
    }
    check_fields(rules, limits)
    for field, low, high in (("fruit", 0, int(r["columns"]) - 1), ("pieces", 1, 3), ("value", -4, 5)):
        kept = r[field][:cards]
        if kept.min() < low or kept.max() > high:
            raise InvalidOption(f"rules: expected every {field} in {low}..{high}, got {kept.tolist()}")


def worst_margin(_rules: np.ndarray) -> float:
    """Points: no margin is below this. At most 24 pieces a seat, worth at least -4 here and at most 5 there."""
    return -24.0 * 4 - 24.0 * 5


def mini_rules(
    columns: int = 3, column_size: int = 2, hidden: int = 3, num_players: int = 2, **options: Any
) -> np.ndarray:
    """Rules of a shrunken game for exact methods: the first cards of the first fruits.

    Seats peek as in the base mode where there are tiles enough. For research and tests; not a published variant.
    `options` are those of the game, such as `reward`; `MINIS` has sizes with names.
    """
    sizes = {"columns": columns, "column_size": column_size, "hidden": hidden}
    return make_rules(own_size("fruit_cocktail", OPTIONS, options | {"num_players": num_players}, **sizes))


def reset_outcomes(rules: np.ndarray, options: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Chance outcomes that `reset(options=…)` forces: "starter" (C5). Unknown names are ignored."""
    return starter_outcomes(START, rules, options)

"""Fruitoplay's components: the card table, the options, and the read-only record the rules read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from fruit_envs.base.checks import is_list, whole_number
from fruit_envs.base.errors import InvalidOption, InvalidTable, brief
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.minis import mini_option, own_size, shrunken
from fruit_envs.declare.options import FrozenTable, Option, common_options, table_rows, whole
from fruit_envs.declare.rules import check_fields, rules_record
from fruit_envs.declare.tables import check_published

FRUITS = ("banana", "strawberry", "apple", "fig")
NUMBERS = 20
CARDS = len(FRUITS) * NUMBERS
MAX_PLAYERS, MAX_HAND, TURNS, ROUNDS = 6, 7, 7, 3  # the published sizes, and the maxima of the records

#: Kinds of cards, in the order of the table and of a column's parts, with the value of each.
KINDS = ("single", "double", "rotten")
VALUES = (1, 2, 0)

#: No rules give a seat more: in each round all of one fruit, every card a double, and its collective card, squared.
MOST_POINTS = sum((NUMBERS * max(VALUES) + side) ** 2 for side in range(ROUNDS))

#: Shrunken games by name: fruits x numbers, cards dealt to each seat, turns.
MINIS = {
    f"{fruits}x{numbers},{hand},{turns}": {"fruits": fruits, "numbers": numbers, "hand": hand, "turns": turns}
    for fruits, numbers, hand, turns in ((2, 3, 2, 2), (2, 4, 3, 2), (3, 3, 2, 2))
}

#: Action ids beyond the cards: the optional draw (F8), the collective fruit (F11), which value to cancel (F9).
DRAW, DECLINE, CHOOSE, CANCEL = CARDS, CARDS + 1, CARDS + 2, CARDS + 2 + len(FRUITS)
NUM_ACTIONS = CANCEL + 2

#: Kinds of chance event (see `engine.chance`).
DECK, COLLECTIVE = range(2)

RULES = np.dtype(
    [
        *RULES_HEADER,
        ("fruits", np.uint8),
        ("numbers", np.uint8),  # cards of each fruit
        ("hand", np.uint8),  # cards dealt to each seat
        ("turns", np.uint8),
        ("rounds", np.uint8),
        ("river_public", np.uint8),  # 1: river="public" (F1)
        ("tie_all", np.uint8),  # 1: tie_scope="all" (F3)
        ("reuse", np.uint8),  # 1: collective_reuse=True (F11)
        ("fruit", np.uint8, (CARDS,)),  # of each card id
        ("number", np.uint8, (CARDS,)),
        ("kind", np.uint8, (CARDS,)),  # place in KINDS
    ],
    align=True,
)

#: What a table may repeat of the published game; it holds for every copy of it.
_PUBLISHED: dict[str, Any] = {
    "fruits": list(FRUITS),
    "numbers": [1, NUMBERS],
    "hand": {str(n): 7 if n < 4 else 6 for n in range(2, MAX_PLAYERS + 1)},
    "river": TURNS,
    "turns": TURNS,
    "rounds": ROUNDS,
    "collective": [{"fruit": fruit, "single_side": 1, "double_side": 2} for fruit in FRUITS],
}


def check_table(table: Any) -> FrozenTable:
    """The whole card table: the numbers of each kind, the same for the four fruits (F15), and what is published.

    Raises
    ------
    InvalidTable
        Naming the row and the constraint that it breaks.
    """
    check_published("table", table, KINDS, _PUBLISHED)
    rows = {kind: _row(kind, table.get(kind)) for kind in KINDS}
    if len(rows["rotten"]) != 1:
        raise InvalidTable(f"table row 'rotten': expected exactly one number, got {list(rows['rotten'])}")
    for number in range(1, NUMBERS + 1):
        named = [kind for kind, numbers in rows.items() for other in numbers if other == number]
        if len(named) != 1:
            raise InvalidTable(f"table: expected number {number} once in the rows {list(KINDS)}, got it in {named}")
    return FrozenTable.of(_PUBLISHED | rows)


def _row(kind: str, numbers: Any) -> tuple[int, ...]:
    if not is_list(numbers):
        raise InvalidTable(f"table row {kind!r}: expected a list of numbers, got {brief(numbers)}")
    for number in numbers:
        if whole_number(number, 1, NUMBERS) is None:
            raise InvalidTable(f"table row {kind!r}: expected whole numbers 1..{NUMBERS}, got {brief(number)}")
    return tuple(sorted(int(number) for number in numbers))


@cache
def default_table() -> FrozenTable:
    """The table `assumed-v1`: that 13 is rotten is published, which numbers are double is assumed."""
    return check_table(json.loads((resources.files(__package__) / "cards.json").read_text("utf-8")))


def _table(value: Any) -> FrozenTable | None:
    """The option `table`: None, or its rows (a path becomes its rows, so that a record needs no file)."""
    return None if value is None else check_table(table_rows("table", value))


OPTIONS: tuple[Option, ...] = (
    *common_options(players=(2, MAX_PLAYERS), num_players=4, margin_scale=40.0),
    Option("river", "public", "F1: all seven targets are seen, or only the current one", ("public", "current")),
    Option(
        "tie_scope",
        "key",
        "F3: cards tie with cards of the same key, or of the same distance",
        ("key", "all"),
    ),
    Option("collective_reuse", True, "F11: in round 3 the collective fruit of round 2 may come again", (True, False)),
    Option("table", None, "F15: None (assumed-v1), a JSON path, or a table of single, double, rotten", check=_table),
    mini_option(MINIS, "fruits x numbers, hand, river; one round"),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    """The read-only rules record (shape (1,)) of checked options."""
    rules = rules_record(RULES, options)
    record, n = rules[0], options["num_players"]
    record["num_actions"] = NUM_ACTIONS
    record["fruits"], record["numbers"], record["turns"], record["rounds"] = len(FRUITS), NUMBERS, TURNS, ROUNDS
    record["hand"] = dealt_hand(n)
    record["river_public"], record["tie_all"] = options["river"] == "public", options["tie_scope"] == "all"
    record["reuse"] = options["collective_reuse"]
    table = default_table() if options["table"] is None else options["table"]
    _lay_out(record, [next(k for k, kind in enumerate(KINDS) if n in table[kind]) for n in range(1, NUMBERS + 1)])
    return shrunken(rules, options, MINIS, _shrink, check_rules)


def _shrink(
    record: Any,
    _options: Mapping[str, Any],
    fruits: int,
    numbers: int,
    hand: int,
    turns: int,
    rounds: int = 1,
    rotten: int | None = None,
) -> None:
    """Keep the first numbers of the first fruits, with their kinds unless another number is rotten."""
    kinds = record["kind"][: whole("numbers", 1, NUMBERS)(numbers)].tolist()
    if rotten is not None:
        kinds = [0 if kind == KINDS.index("rotten") else kind for kind in kinds]
        kinds[whole("rotten", 1, numbers)(rotten) - 1] = KINDS.index("rotten")
    record["fruits"], record["numbers"] = whole("fruits", 1, len(FRUITS))(fruits), numbers
    record["hand"], record["turns"] = whole("hand", 1, MAX_HAND)(hand), whole("turns", 1, TURNS)(turns)
    record["rounds"] = whole("rounds", 1, ROUNDS)(rounds)
    for field in ("fruit", "number", "kind"):
        record[field] = 0
    _lay_out(record, kinds)


def _lay_out(record: Any, kinds: Sequence[int]) -> None:
    """Fill in the cards: for every fruit in turn, numbers from 1 of these kinds."""
    fruits = int(record["fruits"])
    cards = fruits * len(kinds)
    record["fruit"][:cards] = np.repeat(np.arange(fruits), len(kinds))
    record["number"][:cards] = np.tile(np.arange(1, len(kinds) + 1), fruits)
    record["kind"][:cards] = np.tile(kinds, fruits)


def check_rules(rules: np.ndarray) -> None:
    """Refuse a rules record whose sizes the state's fields could not hold; compiled code trusts them.

    Raises
    ------
    InvalidOption
        Naming the field and its bounds.
    """
    r = rules[0]
    n, cards = int(r["num_players"]), int(r["fruits"]) * int(r["numbers"])
    limits = {
        "num_players": (2, MAX_PLAYERS),
        "num_actions": (NUM_ACTIONS, NUM_ACTIONS),
        "fruits": (1, len(FRUITS)),
        "numbers": (1, NUMBERS),
        "rounds": (1, ROUNDS),
        "turns": (1, min(TURNS, cards)),
        "hand": (1, min(MAX_HAND, (cards - int(r["turns"])) // n)),
        **dict.fromkeys(("river_public", "tie_all", "reuse"), (0, 1)),
    }
    check_fields(rules, limits)
    deck = cards - n * int(r["hand"]) - int(r["turns"])
    if r["turns"] > r["hand"] and deck < n * (int(r["turns"]) - 1):  # so that somebody always has a card to play
        raise InvalidOption(f"rules: expected turns at most {r['hand']} with {deck} cards to draw, got {r['turns']}")
    made = np.zeros(1, RULES)[0]
    made["fruits"] = r["fruits"]
    kinds = r["kind"][: int(r["numbers"])].tolist()
    if max(kinds) >= len(KINDS) or kinds.count(KINDS.index("rotten")) > 1:
        raise InvalidOption(f"rules: expected kinds 0..{len(KINDS) - 1}, rotten at most once, got {kinds}")
    _lay_out(made, kinds)
    for field in ("fruit", "number", "kind"):
        if (r[field] != made[field]).any():
            raise InvalidOption(f"rules: expected the {field} of cards fruit by fruit, got {r[field].tolist()}")


def dealt_hand(num_players: int) -> int:
    """How many cards each seat of the published game is dealt."""
    return int(_PUBLISHED["hand"][str(num_players)])


def worst_margin(rules: np.ndarray) -> float:
    """Points: no margin is below this. A rival's best round is all of one fruit and its collective card, squared."""
    r = rules[0]
    fruit = sum(VALUES[kind] for kind in r["kind"][: int(r["numbers"])].tolist())
    return -float(sum((fruit + side) ** 2 for side in range(int(r["rounds"]))))


def mini_rules(
    fruits: int = 3,
    numbers: int = 3,
    hand: int = 2,
    turns: int = 2,
    *,
    rounds: int = 1,
    num_players: int = 2,
    rotten: int | None = None,
    **options: Any,
) -> np.ndarray:
    """Rules of a shrunken game for exact methods, with the kinds of the table unless another number is rotten.

    For research and tests; not a published variant. `options` are those of the game, such as `river`; `MINIS` has sizes
    with names.
    """
    sizes = {"fruits": fruits, "numbers": numbers, "hand": hand, "turns": turns, "rounds": rounds, "rotten": rotten}
    return make_rules(own_size("fruitoplay", OPTIONS, options | {"num_players": num_players}, **sizes))

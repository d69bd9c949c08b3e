"""Fruit Salad's components: the options, and the read-only record the rules read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.base.checks import is_list, whole_number
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.minis import mini_option, own_size, shrunken
from fruit_envs.declare.options import Option, common_options, starter_outcomes, whole
from fruit_envs.declare.rules import check_fields, rules_record
from fruit_envs.games.fruit_salad.deck import (
    CARDS,
    FRUITS,
    MAX_PIECES,
    MINIONS,
    Row,
    check_row,
    deck_option,
    default_deck,
)

MAX_PLAYERS = 6
MAX_REVEALS = 30_000  # so that counts of reveals fit an int16
MOST_POINTS = 20
MAX_NUMBER = 127  # on the number die of a shrunken game

#: The faces of the dice; ANY is the any-fruit face. A die has six faces.
ANY, FACES = len(FRUITS), 6
FACE_NAMES = (*FRUITS, "any")
NUMBER_FACES = (4, 5, 6, 6, 7, 8)
FRUIT_FACES = (0, 1, 2, 3, ANY, ANY)

#: Action ids: 0 waits, 1 to 4 slap naming a fruit, KEEP + card keeps it, GIVE + k gives to the k-th seat clockwise.
WAIT, SLAP, KEEP = 0, 1, 1 + len(FRUITS)
GIVE = KEEP + CARDS - 1

#: Presets of the option `windows`: which of the three windows there are.
WINDOWS = ("lite", "reaction", "full")

#: Shrunken games by name: the sizes of the piles.
MINIS = {",".join(map(str, dealt)): {"dealt": dealt} for dealt in ((3, 3), (4, 4), (2, 2, 2))}

#: Kinds of chance event (see `engine.chance`): SHUFFLE + seat for a seat's pile.
START, DEAL, FRUIT_DIE, NUMBER_DIE, FIRST, SHUFFLE = range(6)

RULES = np.dtype(
    [
        *RULES_HEADER,
        ("max_reveals", np.int32),
        ("cards", np.uint8),
        ("dealt", np.uint8, (MAX_PLAYERS,)),  # cards of each seat's first pile
        ("first", np.int8),  # the seat that starts, -1 by chance (S2)
        ("number_faces", np.uint8, (FACES,)),
        ("fruit_faces", np.uint8, (FACES,)),  # fruit ids, or ANY
        ("windows", np.uint8),  # place in WINDOWS
        ("bulk", np.uint8),  # 1: distribution="bulk" (S17)
        ("last_window", np.uint8),  # 1: last_card_window=True (S21)
        ("reroll", np.uint8),  # 1: reroll_each_round=True (S29)
        ("goal", np.uint8),  # victory points to win (S30)
        ("early", np.uint8),  # bit s: seat s sees its next card in W0 (S31)
        ("pieces", np.int8, (CARDS * len(FRUITS),)),  # of each fruit on each card
        ("minion", np.uint8, (CARDS,)),  # place in MINIONS: 1 number, 2 fruit, 3 both
    ],
    align=True,
)


def _seats(value: Any) -> tuple[int, ...]:
    """The option `early_seats`: ascending seats, each once."""
    expected = f"expected different seats 0..{MAX_PLAYERS - 1}, got {brief(value)}"
    if not is_list(value):
        raise InvalidOption(f"option early_seats: {expected}")
    seats = [whole_number(seat, 0, MAX_PLAYERS - 1) for seat in value]
    if None in seats or len(set(seats)) != len(seats):
        raise InvalidOption(f"option early_seats: {expected}")
    return tuple(sorted(seat for seat in seats if seat is not None))


OPTIONS: tuple[Option, ...] = (
    *common_options(players=(2, MAX_PLAYERS), num_players=4, margin_scale=4.0),
    Option("windows", "full", "when slaps are asked for: W0+W1+W2, W1+W2, or W2 alone", WINDOWS[::-1]),
    Option("distribution", "each", "S17: a won bowl is given away card by card, or all to one seat", ("each", "bulk")),
    Option("last_card_window", False, "S21: the turn of a pile's last card runs as usual", (False, True)),
    Option(
        "max_reveals",
        1000,
        f"S28: reveals before the game is cut off, 1 to {MAX_REVEALS}",
        check=whole("max_reveals", 1, MAX_REVEALS),
    ),
    Option("reroll_each_round", True, "S29: the dice are rolled for every round, or only once", (True, False)),
    Option(
        "points_to_win",
        4,
        f"S30: victory points that win, 1 to {MOST_POINTS}",
        check=whole("points_to_win", 1, MOST_POINTS),
    ),
    Option("early_seats", (), "S31: seats that see their own next card before it is turned over", check=_seats),
    Option(
        "deck",
        "assumed-v1",
        "the 60 cards: a name, a CSV path, or rows [watermelon, strawberry, orange, pear, minion]",
        check=deck_option,
    ),
    mini_option(
        MINIS,
        "cards in each pile; lower numbers on the die",
        {name: len(sizes["dealt"]) for name, sizes in MINIS.items()},
    ),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    """The read-only rules record (shape (1,)) of checked options.

    Raises
    ------
    InvalidOption
        For early seats that the game does not have.
    """
    n, early = options["num_players"], options["early_seats"]
    if early and early[-1] >= n:
        raise InvalidOption(f"option early_seats: expected seats 0..{n - 1} with {n} players, got {list(early)}")
    rules = rules_record(RULES, options)
    record = rules[0]
    record["num_actions"] = GIVE + n
    record["max_reveals"], record["goal"] = options["max_reveals"], options["points_to_win"]
    record["windows"], record["bulk"] = WINDOWS.index(options["windows"]), options["distribution"] == "bulk"
    record["last_window"], record["reroll"] = options["last_card_window"], options["reroll_each_round"]
    record["early"] = sum(1 << seat for seat in early)
    record["first"], record["dealt"][:n] = -1, CARDS // n
    record["number_faces"], record["fruit_faces"] = NUMBER_FACES, FRUIT_FACES
    _lay_out(record, default_deck() if options["deck"] == "assumed-v1" else options["deck"])
    return shrunken(rules, options, MINIS, _shrink, check_rules)


def _shrink(
    record: Any,
    options: Mapping[str, Any],
    dealt: Sequence[int],
    numbers: Sequence[int] = (1, 2, 2, 3, 3, 4),
    first: int = -1,
    table: Sequence[Sequence[Any]] | None = None,
) -> None:
    """Deal piles of these sizes: the rows of a table, or some of the deck, spread over all its families."""
    for name, value, length in (("numbers", numbers, FACES), ("table", table or [], None)):
        if not is_list(value) or length not in (None, len(value)):
            raise InvalidOption(f"{name}: expected a list{f' of {length}' if length else ''}, got {brief(value)}")
    if options["num_players"] != len(dealt):
        raise InvalidOption(f"expected a pile for each of {options['num_players']} players, got {brief(dealt)}")
    cards = whole("cards", 2, CARDS)(sum(whole("dealt", 1, CARDS)(size) for size in dealt))
    record["first"] = whole("first", -1, len(dealt) - 1)(first)
    record["dealt"][: len(dealt)] = dealt
    record["number_faces"] = [whole("numbers", 1, MAX_NUMBER)(number) for number in numbers]
    deck = default_deck() if options["deck"] == "assumed-v1" else options["deck"]
    rows = [deck[7 * card % CARDS] for card in range(cards)]
    _lay_out(record, rows if table is None else [check_row(number, row) for number, row in enumerate(table)])


def _lay_out(record: Any, deck: Sequence[Row]) -> None:
    """Fill in the cards."""
    record["cards"], record["pieces"], record["minion"] = len(deck), 0, 0
    record["pieces"][: len(deck) * len(FRUITS)] = [count for row in deck for count in row[: len(FRUITS)]]
    record["minion"][: len(deck)] = [MINIONS.index(row[-1]) for row in deck]


def check_rules(rules: np.ndarray) -> None:
    """Refuse a rules record whose sizes the state's fields could not hold; compiled code trusts them.

    Raises
    ------
    InvalidOption
        Naming the field and its bounds.
    """
    r = rules[0]
    n, last_window = int(r["num_players"]), int(r["last_window"] > 0)
    limits = {
        "num_players": (2, MAX_PLAYERS),
        "num_actions": (GIVE + n, GIVE + n),
        "max_reveals": (1, MAX_REVEALS),
        "cards": (n, CARDS),
        "first": (-1, n - 1),
        "windows": (0, len(WINDOWS) - 1),
        "goal": (1, MOST_POINTS),
        "early": (0, 2**n - 1),
        **dict.fromkeys(("bulk", "last_window", "reroll"), (0, 1)),
    }
    check_fields(rules, limits)
    dealt, first = r["dealt"].tolist(), int(r["first"])
    if min(dealt[:n]) < 1 or any(dealt[n:]) or sum(dealt) != int(r["cards"]):
        raise InvalidOption(f"rules: expected {n} piles of {r['cards']} cards together, got {dealt}")
    if min(dealt[:n] if first < 0 else [dealt[first]]) < 2 - last_window:  # or the game is over before anybody is asked
        raise InvalidOption(f"rules: expected 2 cards of a seat that starts without last_card_window, got {dealt}")
    pieces = r["pieces"].reshape(CARDS, -1)
    for field, values, low, high in (
        ("number faces", r["number_faces"], 1, MAX_NUMBER),
        ("fruit faces", r["fruit_faces"], 0, ANY),
        ("minions", r["minion"], 0, len(MINIONS) - 1),
        ("pieces", pieces, 0, MAX_PIECES),
        ("pieces of a card", pieces[: int(r["cards"])].sum(axis=1), 1, MAX_PIECES * len(FRUITS)),
    ):
        if values.min() < low or values.max() > high:
            raise InvalidOption(f"rules: expected {field} {low}..{high}, got {values.tolist()}")


def worst_margin(rules: np.ndarray) -> float:
    """Points: no margin is below this; a rival may have all the points that win, and others one less."""
    return -float(rules[0]["goal"])


def mini_rules(
    dealt: Sequence[int] = (3, 3),
    *,
    numbers: Sequence[int] = (1, 2, 2, 3, 3, 4),
    first: int = -1,
    table: Sequence[Sequence[Any]] | None = None,
    **options: Any,
) -> np.ndarray:
    """Rules of a shrunken game for exact methods: piles of these sizes, lower numbers on the die.

    For research and tests; not a published variant. The cards are the rows of `table`, by default some of the option
    `deck`, spread over all its families. `first` is the seat that starts, -1 for one drawn by chance. `options` are
    those of the game, such as `windows`; `num_players` is the number of piles. `MINIS` has sizes with names.
    """
    if not is_list(dealt):
        raise InvalidOption(f"dealt: expected a list, got {brief(dealt)}")
    sizes = {"dealt": dealt, "numbers": numbers, "first": first, "table": table}
    return make_rules(own_size("fruit_salad", OPTIONS, {"num_players": len(dealt)} | options, **sizes))


def reset_outcomes(rules: np.ndarray, options: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Chance outcomes that `reset(options=…)` forces: "starter" (S2). Unknown names are ignored."""
    return starter_outcomes(START, rules, options)

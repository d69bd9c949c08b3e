"""Records of games that cannot have been played are refused, also without a seed that tells their deals."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

import fruit_envs

from .helpers import WORTHLESS, dealer
from .oracle import PLAYERS, Match, choosers, deck_of, write_record
from .records import Record, first_and_last, made, refuse_all, refused, tamperings

HAND_MADE: dict[str, Callable[[Record], Any]] = {
    "two seats at one tile": lambda deal: deal.update(peeks=[deal["hidden"][0]] * 2),
    "a peek at a tile that is turned up": lambda deal: deal.update(
        peeks=[next(p for p in range(8) if p not in deal["hidden"]), deal["hidden"][0]]
    ),
    "no peeks": lambda deal: deal.update(peeks=[None, None]),
    "one peek missing": lambda deal: deal.update(peeks=[deal["hidden"][0], None]),
    "peeks as hidden tiles' numbers": lambda deal: deal.update(hidden=[3, 4, 5], peeks=[0, 1]),
    "hidden not ascending": lambda deal: deal.update(hidden=deal["hidden"][::-1]),
    "a tile hidden twice": lambda deal: deal.update(hidden=[deal["hidden"][0], *deal["hidden"][:2]]),
    "two hidden": lambda deal: deal.update(hidden=deal["hidden"][:2]),
    "four hidden": lambda deal: deal.update(hidden=[0, 1, 2, 3]),
    "none hidden": lambda deal: deal.update(hidden=[]),
    "a position 8": lambda deal: deal.update(hidden=[*deal["hidden"][:2], 8]),
    "a negative position": lambda deal: deal.update(hidden=[-1, *deal["hidden"][1:]]),
    "a tile twice": lambda deal: deal["tiles"].__setitem__(0, deal["tiles"][1]),
    "a tile 8": lambda deal: deal["tiles"].__setitem__(0, 8),
    "seven tiles": lambda deal: deal["tiles"].pop(),
    "a card twice": lambda deal: deal["columns"][0].__setitem__(0, deal["columns"][1][0]),
    "a card 24": lambda deal: deal["columns"][0].__setitem__(0, 24),
    "a column of two": lambda deal: deal["columns"][0].pop(),
    "columns of two and four": lambda deal: deal["columns"][1].append(deal["columns"][0].pop()),
    "seven columns": lambda deal: deal["columns"].pop(),
    "nine columns": lambda deal: deal["columns"].append([]),
    "a flat list of cards": lambda deal: deal.update(columns=[c for column in deal["columns"] for c in column]),
    "a starter beyond the seats": lambda deal: deal.update(starter=2),
    "a negative starter": lambda deal: deal.update(starter=-1),
    "no starter": lambda deal: deal.update(starter=None),
    "a starter in words": lambda deal: deal.update(starter="0"),
    "a huge starter": lambda deal: deal.update(starter=2**70),
    "three peeks": lambda deal: deal.update(peeks=deal["hidden"]),
}


@pytest.mark.parametrize("change", HAND_MADE.values(), ids=HAND_MADE.keys())
def test_an_impossible_deal_is_refused_without_a_seed(change: Callable[[Record], Any]) -> None:
    record = made(2)
    record["seed"] = None
    fruit_envs.replay(copy.deepcopy(record))
    change(record["events"][0])
    refused(record, record["events"][0])


@pytest.mark.parametrize(
    "peeks",
    [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 2], [0, 1, 2, 2], [1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 0], [0, 1]],
    ids=str,
)
def test_four_players_peek_in_two_pairs_also_without_a_seed(peeks: list[int]) -> None:
    record = made(num_players=4)
    record["seed"] = None
    deal = record["events"][0]
    deal["peeks"] = [deal["hidden"][h] for h in peeks]
    refused(record, peeks)


@pytest.mark.parametrize("mode", ["easy", "total_control"])
@pytest.mark.parametrize("players", PLAYERS)
def test_nobody_peeks_in_the_other_modes_also_without_a_seed(players: int, mode: str) -> None:
    record = made(num_players=players, mode=mode)
    record["seed"] = None
    for peeks in ([0] * players, [None] * (players - 1), [None] * (players + 1), [], list(range(players))):
        record["events"][0]["peeks"] = peeks
        refused(record, peeks)


@pytest.mark.parametrize("name", ["take", "lock", "reveal", "score"])
def test_other_events_are_checked_without_a_seed_too(name: str) -> None:
    record = made(2)
    record["seed"] = None
    for number in first_and_last(record):
        if record["events"][number]["event"] == name:
            refuse_all(tamperings(record, number))


def test_a_new_game_after_a_tie_is_begun_by_the_next_seat() -> None:
    """The deals are free in a hand-made record, the starter of the second one is not."""
    options: Record = {"num_players": 3, "tie": "replay", "deck": [list(row) for row in WORTHLESS]}
    rng = random.Random(1)
    match = Match(dealer(rng, 3, "base"), deck_of(WORTHLESS), replay_ties=True)
    record = write_record(match, next(choosers(rng)), options)
    fruit_envs.replay(record)
    deals = [event for event in record["events"] if event["event"] == "deal"]
    for deal in deals[1:]:
        right = deal["starter"]
        for starter in ({0, 1, 2} | {3, -1}) - {right}:
            deal["starter"] = starter
            refused(record, starter)
        deal["starter"] = right
    fruit_envs.replay(record)


def test_a_tied_game_is_not_followed_by_another_where_ties_are_shared() -> None:
    record = made(deck=WORTHLESS, tie="replay")
    options = dict(record["options"])
    del options["tie"]
    refused({**record, "options": options}, "more games than one")
    record = made(deck=WORTHLESS)
    refused({**record, "options": {**record["options"], "tie": "replay"}}, "one game where ties are replayed")

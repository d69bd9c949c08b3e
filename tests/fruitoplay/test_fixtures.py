"""The worked examples of the rule file: tricks and scorings, by the engine and by the oracle."""

from __future__ import annotations

import pytest

from .helpers import Both, at_the_end, cards, deal, load
from .oracle import card_id, scored, trick_winner

#: Played cards, the winning one with tie_scope="key", and with "all"; the target is banana 10.
TRICKS = [
    ("B9 B11 B3", "B3", "B3"),
    ("B9 A11 F2", "B9", "F2"),
    ("B9 B11 A10", "A10", "A10"),
    ("B9 B11 A8 F12", None, None),
    ("B8 B12 B9 B11 B1 F10", "B1", "B1"),
    ("S9 A11 F14", "F14", "F14"),
    ("S10 A10", None, None),
]


@pytest.mark.parametrize("scope", ["key", "all"])
@pytest.mark.parametrize(("played", "by_key", "by_all"), TRICKS, ids=[played for played, *_ in TRICKS])
def test_f2_f3_the_printed_tricks(played, by_key, by_all, scope):
    expected = by_key if scope == "key" else by_all
    names = played.split()
    n = len(names)
    for order in (names, names[::-1]):
        winner = None if expected is None else order.index(expected)
        assert trick_winner(card_id("B10"), dict(enumerate(cards(" ".join(order)))), scope) == winner
        both = Both(load(num_players=n, tie_scope=scope), deal(n, order, river="B10"))
        both.turn(*order)
        both.compare()
        assert int(both.state.records[0]["winner"]) == (-1 if winner is None else winner)
        seen = both.state.to_json(0)
        heap = sorted([*cards(played), card_id("B10")])
        assert seen["gone"] == (heap if winner is None else [])
        assert seen["laid"] == ([] if winner is None else heap)
        drew = [seat for seat in range(n) if seat != winner]
        assert seen["deck"] == 80 - 7 - n * len(both.oracle.hands_of_deal.hands[0]) - len(drew)


def test_s10_a10_nobody_wins_and_both_draw():
    both = Both(load(num_players=2), deal(2, ["S10", "A10"], river="B10", deck="F1 F2"))
    both.turn("S10", "A10")
    assert both.state.to_json(0)["hand_sizes"] == [7, 7]
    assert card_id("F1") in both.state.to_json(0)["hand"]
    assert card_id("F2") in both.state.to_json(1)["hand"]


def one(_columns, _fruit):
    return 1


def two(_columns, _fruit):
    return 2


#: Cards at the round's end, collective (fruit, value), chosen value, sums, points.
SCORINGS = [
    ("S1 S3 S4 S6 S7 S9 S10 S12 S15", None, one, [0, 9, 0, 0], 81),
    ("A13 F1 F3 F4 F6 B1 B3 B4", None, one, [3, 0, 0, 4], 12),
    ("B1 B3 B4 B6 B7 B9", (3, 1), one, [6, 0, 0, 1], 6),
    ("S13 S2 S1 B1 B3 B4 B6 B7", (1, 2), one, [5, 4, 0, 0], 20),
    ("S13 S2 S1 B1 B3 B4 B6 B7", (1, 2), two, [5, 3, 0, 0], 15),
]


@pytest.mark.parametrize(("held", "collective", "choose", "sums", "points"), SCORINGS, ids=[s[0] for s in SCORINGS])
def test_f9_f10_the_printed_scorings(held, collective, choose, sums, points):
    found = scored(cards(held), collective, choose)
    assert found[:2] == (sums, points)


@pytest.mark.parametrize(("held", "collective", "choose", "sums", "points"), SCORINGS, ids=[s[0] for s in SCORINGS])
def test_f9_f10_the_printed_scorings_in_the_engine(held, collective, choose, sums, points):
    """Seat 0 gets these cards by winning nothing but tricks in which no other card is played: see `at_the_end`."""
    state = at_the_end(held, collective)
    while not state.over:
        assert state.seats == (0,)
        assert state.legal_actions(0) == [86, 87]
        state.apply(0, 85 + choose(None, 0))
    assert state.records[0]["sums"][:4].tolist() == sums
    assert int(state.records[0]["points"][0]) == points


def test_f9_cancelling_the_collective_cancels_it_for_that_player_only():
    """Both hold a fig column; seat 0's rotten fig has only the collective card to cancel."""
    state = at_the_end("F13 B1 B3", (3, 2), others=["F1 A1"])
    assert state.over
    assert state.records[0]["sums"].tolist()[:8] == [2, 0, 0, 0, 0, 0, 1, 3]
    assert state.to_json(0)["denied"] == [1, 0]
    assert state.to_json(1)["denied"] == [0, 1]
    assert state.records[0]["points"][:2].tolist() == [4, 3]

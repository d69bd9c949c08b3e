"""The rulings on scores and the end of the game (Y13, Y14), by the engine beside the oracle."""

from __future__ import annotations

import pytest

from fruit_envs.games.fruity_fruit import text

from .helpers import (
    APPLE,
    CHERRY,
    GRAPE,
    MELON,
    PEACH,
    Both,
    choosers,
    every_count,
    load,
    row,
    started,
)
from .oracle import tile_id


@pytest.mark.parametrize(
    ("fruits", "insects", "removed", "score"),
    [
        ([MELON, GRAPE], 3, [MELON, GRAPE], 0),
        ([MELON, MELON, CHERRY], 1, [MELON], 6),
        ([MELON, APPLE, PEACH, GRAPE], 2, [MELON, APPLE], 3),
        ([PEACH, CHERRY, CHERRY], 0, [], 5),
        ([GRAPE, GRAPE], 1, [GRAPE], 0),
        ([], 2, [], 0),
    ],
)
def test_y13_insects_take_the_best_fruit_away_and_scores_stay_at_least_zero(fruits, insects, removed, score):
    """Card 0: melon 5, peach 3, cherry 1, apple 4, orange 2, grape 0."""
    both = Both(load(num_players=2), starter=0, offers=[[0, 1, 2, 3], [1, 2, 3, 4]])
    both.answer(0)
    both.answer(1)
    both.rig(fruits={0: fruits}, insects={0: insects})
    assert both.state.scores.tolist()[0] == both.oracle.scores()[0] == score
    assert both.oracle.removed(0) == removed
    assert text._removed(both.state, 0) == removed


def nearly_done(*counts):
    """Hands cut down to so many tiles, before a trick that seat 0 leads with G1."""
    both = started("G1 R1 R2", "G3 R3 R4", "G2 R5 R6", players=3)
    game, s = both.oracle, both.state.records[0]
    named = [["G1", "R1", "R2"], ["G3", "R3", "R4"], ["G2", "R5", "R6"]]
    for seat, count in enumerate(counts):
        game.hands[seat] = {tile_id(name) for name in named[seat][:count]}
        s["hands"][seat] = sum(1 << tile for tile in game.hands[seat])
        s["sizes"][seat] = count
    both.rig()
    return both


def test_y14_the_last_tile_ends_the_game_only_after_the_trick():
    both = nearly_done(1, 2, 2)
    both.place("G1", 9, 0)
    assert not both.state.over
    both.place("G3", 8, 0)
    assert not both.state.over
    both.answer(both.oracle.question.options[0])
    assert both.state.over
    assert both.oracle.reason == "out of tiles"
    assert both.state.scores.tolist() == both.oracle.scores()


def test_y14_the_picks_come_before_the_end():
    both = nearly_done(1, 1, 1)
    both.rig(pot=[MELON, GRAPE, GRAPE, APPLE, APPLE, APPLE], spaces={1: 2})
    both.place("G1", 9, 0)
    both.place("G3", 8, 0)
    both.answer(both.oracle.question.options[0])
    assert not both.state.over
    assert both.oracle.question.kind == "fruit"
    both.play()
    assert both.state.over
    assert both.state.scores.tolist() == both.oracle.scores()


def test_y14_a_game_goes_on_while_somebody_can_place_and_holds_tiles():
    both = nearly_done(2, 2, 2)
    for _ in range(3):
        both.answer(both.oracle.question.options[0])
    assert not both.state.over


def test_y14_nobody_can_place():
    both = started("G8", "G9", "G1", players=3)
    both.rig(free=[*row(0, 0, 1), *row(2, 0, 1), *row(4, 0, 3)])
    both.place("G8", 0, 0)
    both.place("G9", 2, 0)
    both.place("G1", 4, 0)
    assert both.state.over
    assert both.oracle.reason == "no room"
    assert all(both.oracle.hands)


@every_count
def test_all_rulings_together_in_games_of_every_kind(players):
    for number in range(5):
        both = Both(load(num_players=players), seed=70 + number)
        both.play(choosers(both)[number])
        both.compare()

"""The rulings on tiles, tricks and fruit (Y4-Y12), by the engine beside the oracle."""

from __future__ import annotations

import pytest

from .helpers import APPLE, GRAPE, MELON, Both, every_count, every_mode, every_shape, load, row, started
from .oracle import colour_of, tile_id


def winner(both):
    found = int(both.state.records[0]["winner"])
    expected = next(event["winner"] for event in reversed(both.oracle.events) if event["event"] == "trick")
    assert found == (-1 if expected is None else expected)
    return expected


# ---- placing -------------------------------------------------------------------------------------------------------


@every_mode
@every_shape
@every_count
def test_y4_the_first_tile_anywhere_or_on_a_middle_cell(players, shapes, mode):
    for first_tile in ("anywhere", "centre"):
        both = Both(load(num_players=players, shapes=shapes, action_mode=mode, first_tile=first_tile), seed=4)
        both.play(until="tile")
        both.check_legal()
        placements = both.oracle.question.options
        middle = [(4, 4), (4, 5), (5, 4), (5, 5)]
        central = [p for p in placements if any(cell in middle for cell in both.oracle.board.cells(p))]
        assert len(central) > 0
        assert (central == placements) == (first_tile == "centre")


def test_y5_a_tile_touches_a_placed_one_with_an_edge():
    both = started("R8 G1", "R9")
    both.place("R8", 4, 4)
    both.check_legal()
    legal = {p[1:] for p in both.oracle.question.options if p[0] == tile_id("R9")}
    across = {(0, r, c) for r, c in [(3, 3), (3, 4), (3, 5), (5, 3), (5, 4), (5, 5), (4, 2), (4, 6)]}
    upright = {(1, r, c) for r, c in [(2, 4), (2, 5), (5, 4), (5, 5)]}
    beside = {(1, r, c) for r in (3, 4) for c in (3, 6)}
    assert legal == across | upright | beside, "a corner is not enough"


def test_y5_there_is_no_passing():
    both = started("R8 G1", "R9")
    both.place("R8", 4, 4)
    assert both.state.legal_actions(1) == [tile for tile in range(9) if tile in both.oracle.hands[1]]


@every_mode
def test_y6_the_led_colour_must_be_followed_by_one_that_fits(mode):
    both = started("G1 G2", "G3 G4 R1", mode=mode)
    both.place("G1", 0, 0)
    both.check_legal()
    assert {colour_of(p[0]) for p in both.oracle.question.options} == {1}


@every_mode
def test_y6_led_colour_held_but_nowhere_to_fit_others_are_legal(mode):
    both = started("G8 R1", "G1 G2 G3 B8 R4 Y1 Y2 Y3 Y4 B1 B2 B3", players=3, mode=mode)
    both.rig(free=[*row(0, 0, 1), *row(0, 3, 5), *row(2, 0, 2)])
    both.place("G8", 0, 0)
    both.check_legal()
    placed = {p[0] for p in both.oracle.question.options}
    assert tile_id("B8") in placed
    assert tile_id("R4") in placed
    assert tile_id("G1") not in placed
    held = [tile for tile in both.oracle.hands[1] if colour_of(tile) == 1]
    assert held
    both.answer(next(p for p in both.oracle.question.options if p[0] == tile_id("B8")))
    green = {tile for tile in range(9, 18) if both.state.records[0]["barred"][1] >> tile & 1}
    assert green == {12, 13, 14, 15, 16, 17}, "not a void: only that it holds none of those that would have fitted"


@every_count
def test_y6_following_proves_nothing(players):
    both = started("G1 G2", "G3 G4", players=players)
    both.place("G1", 0, 0)
    both.place("G3", 1, 0)
    assert both.state.records[0]["barred"].tolist() == [0] * 4


@every_mode
def test_y7_a_skipped_seat_keeps_its_tiles_and_cannot_win(mode):
    both = started("G8 G9", "G1 G2 G3 Y1 Y2 Y3 B1 B2 B3 R1 R2 R3", "B8", players=3, mode=mode)
    both.rig(free=[*row(0, 0, 1), *row(2, 0, 1), *row(4, 0, 2)])
    both.place("G8", 0, 0)
    assert both.oracle.events[-1] == {"event": "skip", "seat": 1}
    assert both.oracle.question.seat == 2
    both.check_legal()
    assert both.state.records[0]["sizes"][:3].tolist() == [11, 12, 12]
    both.answer(both.oracle.question.options[0])
    assert winner(both) in (0, 2)
    short = {tile for tile in range(36) if both.state.records[0]["barred"][1] >> tile & 1}
    assert {tile % 9 + 1 for tile in short} == {4, 5, 6, 7, 8, 9}, "it holds nothing that would have fitted"


@every_shape
@every_count
def test_y7_once_skipped_always_skipped(players, shapes):
    for seed in range(6):
        both = Both(load(num_players=players, shapes=shapes), seed=seed)
        both.play()
        skipped = set()
        for event in both.oracle.events:
            if event["event"] == "skip":
                skipped.add(event["seat"])
            assert event["event"] != "place" or event["seat"] not in skipped


@every_mode
def test_y7_y10_an_unable_leader_stays_leader_and_the_next_seat_leads_in_its_stead(mode):
    """Seat 0 wins with its last short tile, cannot place afterwards, and wins nothing; the colour is seat 1's."""
    long = "G1 G2 G3 Y1 Y2 Y3 B1 B2 B3 R1 R2"
    both = started(f"R9 {long}", "R8 Y8 Y9 B9", "R7 G9 B8", players=3, mode=mode)
    both.rig(free=[*row(0, 0, 1), *row(2, 0, 1), *row(4, 0, 2), *row(6, 0, 1), *row(8, 0, 1)])
    both.place("R9", 0, 0)
    both.place("R8", 2, 0)
    both.place("R7", 4, 0)
    assert winner(both) == 0
    assert both.oracle.events[-1] == {"event": "skip", "seat": 0}
    assert both.oracle.question.seat == 1
    both.check_legal()
    both.place("Y8", 6, 0)
    assert both.state.records[0]["led"] == 2
    both.rig(spaces={1: 0, 2: 0})
    both.answer(both.oracle.question.options[0])
    assert winner(both) is None
    assert both.oracle.leader == both.state.records[0]["leader"] == 0


def test_y8_red_may_be_led_and_must_then_be_followed_and_trumping_is_optional():
    both = started("R1 R2", "R3 R4 G1")
    both.place("R1", 0, 0)
    assert {colour_of(p[0]) for p in both.oracle.question.options} == {0}
    both = started("G1 Y1", "R3 R4 R5 R6 R7 R8 R9 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 B1 B2 B3")
    both.place("G1", 0, 0)
    assert {colour_of(p[0]) for p in both.oracle.question.options} == {0, 2, 3}


# ---- who wins ------------------------------------------------------------------------------------------------------

VOID_IN_GREEN = "R1 R2 Y1 Y2 Y3 Y4 Y5 Y6 Y7 B1 B2 B3"

#: Tiles in the order of play, led by seat 0, and the winner.
TRICKS = [
    ("G1 G3 G2", 1),
    ("G1 G3 R1", 2),
    ("R4 R3 R2", 0),
    ("G2 G1 Y7", 0),
    ("G2 G1 B3", 0),
]


@every_mode
@pytest.mark.parametrize(("played", "expected"), TRICKS)
def test_y9_the_highest_red_else_the_highest_of_the_led_colour(played, expected, mode):
    names = played.split()
    third = VOID_IN_GREEN if names[2][0] != "G" and names[0][0] == "G" else names[2]
    both = started(names[0], names[1], third, players=3, mode=mode)
    for place, name in enumerate(names):
        both.place(name, place, 0)
    assert winner(both) == expected
    both.compare()


def test_y9_a_full_seat_with_the_highest_red_loses_to_the_next_eligible():
    both = started("G1", "G3", VOID_IN_GREEN, players=3)
    both.rig(spaces={2: 0})
    both.place("G1", 9, 0)
    both.place("G3", 8, 2)
    both.place("R1", 7, 4)
    assert winner(both) == 1


def test_y9_y12_a_basket_gained_in_the_trick_restores_eligibility():
    both = started("G1", "G9", "R1", players=3)
    both.rig(spaces={0: 0, 1: 0, 2: 0})
    both.place("G1", 1, 0)  # its third cell is the basket
    assert both.state.records[0]["spaces"][0] == 4
    assert both.state.records[0]["baskets"][0] == 2
    both.place("G9", 0, 0)
    both.answer(both.oracle.question.options[-1])
    assert winner(both) == 0
    both.compare()


def on_blanks(*, pot=(), spaces, mode="two_step"):
    """Seat 0 leads and seat 1 follows, higher, on blank cells; then the trick is over."""
    both = started("G4 Y8", "G8 Y9", mode=mode)
    both.rig(pot=pot, spaces={1: spaces})
    both.place("G4", 6, 0)
    both.place("G8", 4, 1, 1)
    return both


def test_y9_a_free_space_is_needed_even_when_the_pot_is_empty():
    assert winner(on_blanks(spaces=1)) == 1
    both = on_blanks(spaces=0)
    assert both.oracle.pot == []
    assert winner(both) == 0


def test_y9_other_colours_never_win():
    """The only eligible seat placed neither red nor the led colour."""
    both = started("G1", "G3", VOID_IN_GREEN, players=3)
    both.rig(spaces={0: 0, 1: 0})
    both.place("G1", 9, 0)
    both.place("G3", 8, 2)
    both.place("Y1", 7, 4)
    assert winner(both) is None


@every_mode
def test_y10_all_full_the_pot_is_carried_and_the_leader_stays(mode):
    both = started("G1", "G3", "G2", players=3, mode=mode, starter=1)
    both.rig(spaces={0: 0, 1: 0, 2: 0}, pot=[MELON, GRAPE])
    both.place("G3", 9, 0)
    both.place("G2", 8, 0)
    both.place("G1", 9, 4)
    assert winner(both) is None
    assert both.oracle.question.seat == both.oracle.leader == 1
    assert both.state.records[0]["leader"] == 1
    pot = both.state.to_json(0)["pot"]
    assert sum(pot) >= 2
    assert pot == [both.oracle.pot.count(fruit) for fruit in range(6)]


def single_tile_trick(spaces):
    """Only seat 0 can place: one hole of two cells, and one that nothing else fills."""
    long = "G1 G2 G3 G4 G5 G6 G7 Y1 Y2 Y3 Y4 Y5"
    both = started("R9 Y6 Y7 R1 R2 R3 R4 R5 R6 R7 B4 B5", long, "B1 B2 B3 Y8 Y9 B8 B9 G8 G9 B6 B7 R8", players=3)
    game, s = both.oracle, both.state.records[0]
    short = {tile for tile in game.hands[2] if tile % 9 > 6}
    game.hands[2] -= short
    s["hands"][2] = sum(1 << tile for tile in game.hands[2])
    s["sizes"][2] = len(game.hands[2])
    both.rig(free=row(0, 0, 1), spaces=spaces)
    both.place("R9", 0, 0)
    return both


def test_y10_a_single_tile_trick_is_won_by_its_only_tile():
    both = single_tile_trick({})
    kinds = [event["event"] for event in both.oracle.events]
    assert kinds[kinds.index("place") :][:4] == ["place", "skip", "skip", "trick"]
    assert winner(both) == 0
    assert both.state.over


def test_y10_a_single_tile_trick_by_a_full_seat_has_no_winner():
    both = single_tile_trick({0: 0})
    assert winner(both) is None
    assert both.state.over
    assert both.oracle.reason == "no room"


# ---- the pot -------------------------------------------------------------------------------------------------------


@every_mode
def test_y11_pot_of_five_and_two_spaces_exactly_two_picks(mode):
    both = on_blanks(pot=[MELON, MELON, APPLE, APPLE, GRAPE], spaces=2, mode=mode)
    for fruit in (GRAPE, MELON):
        assert both.oracle.question.kind == "fruit"
        assert both.state.seats == (1,)
        both.check_legal()
        both.answer(fruit)
    assert both.oracle.question.kind == "tile"
    assert both.state.records[0]["spaces"][1] == 0
    assert both.state.to_json(0)["pot"] == [1, 0, 0, 2, 0, 0]
    assert both.state.to_json(1)["fruits"][0] == [1, 0, 0, 0, 0, 1]


def test_y11_the_picks_go_on_when_one_kind_is_left():
    both = on_blanks(pot=[MELON, *[GRAPE] * 4], spaces=3)
    kinds = []
    while both.oracle.question.kind == "fruit":
        kinds.append(both.oracle.question.options)
        both.check_legal()
        both.answer(both.oracle.question.options[0])
    assert kinds == [[MELON, GRAPE], [GRAPE], [GRAPE]]


def test_y11_a_pot_that_just_fits_is_taken_without_asking():
    both = on_blanks(pot=[MELON, GRAPE, GRAPE], spaces=3)
    assert both.oracle.question.kind == "tile"
    assert both.state.to_json(1)["fruits"][0] == [1, 0, 0, 0, 0, 2]
    both.check_legal()


def test_y11_a_pot_of_one_kind_that_exceeds_the_space_is_taken_without_asking():
    both = on_blanks(pot=[GRAPE] * 5, spaces=2)
    assert both.oracle.question.kind == "tile"
    assert both.state.to_json(1)["fruits"][0][GRAPE] == 2
    assert both.state.to_json(1)["pot"][GRAPE] == 3
    both.check_legal()


def test_y12_what_a_tile_covers_is_gone_and_goes_where_it_belongs():
    both = started("G1", "G3")
    both.place("G1", 1, 0)  # grape, blank, basket, blank
    assert both.state.to_json(0)["pot"] == [0, 0, 0, 0, 0, 1]
    assert both.state.to_json(0)["baskets"] == [2, 1]
    assert both.state.to_json(0)["spaces"] == [8, 4]
    symbols = both.state.to_json(0)["symbol"]
    assert symbols[GRAPE][1][0] == symbols[6][1][2] == 0
    both.compare()

"""The engine and the oracle play the same games: legality in every state, every fact, both action modes.

The long version, every state of 500 games per player count, shape set and action mode:

    python -m pytest -m heavy tests/fruity_fruit/test_oracle.py
"""

from __future__ import annotations

import pytest

from .helpers import Both, choosers, every_count, every_mode, every_shape, load
from .oracle import TABLE, Board, pair_numbers


def play(players, shapes, mode, games, seed, step=1, **options):
    """Legality in every state, all facts in every `step`-th."""
    for number in range(games):
        both = Both(load(num_players=players, shapes=shapes, action_mode=mode, **options), seed=seed + number)
        choose, asked = choosers(both)[number % 5], 0
        while both.oracle.question is not None:
            both.check_legal()
            if asked % step == 0:
                both.compare()
            both.answer(choose(both.oracle))
            asked += 1
        both.check_legal()
        both.compare()
        yield both


@every_mode
@every_shape
@every_count
def test_engine_and_oracle_play_the_same_games(players, shapes, mode):
    ends = [both.oracle.reason for both in play(players, shapes, mode, 5, 1000)]
    assert set(ends) <= {"no room", "out of tiles"}


@pytest.mark.parametrize("options", [{"first_tile": "centre"}, {"memory": "tabletop"}], ids=str)
@every_mode
def test_variants_too(mode, options):
    for _ in play(3, "bars", mode, 3, 2000, **options):
        pass


@pytest.mark.heavy
@every_mode
@every_shape
@every_count
def test_legality_over_every_state_of_five_hundred_games(players, shapes, mode):
    for _ in play(players, shapes, mode, 500, 10_000, step=10):
        pass


@every_shape
@every_count
def test_both_action_modes_generate_the_same_games(players, shapes):
    """The same choices, told in two steps or in one, lead to the same table."""
    for seed in range(8):
        games = [load(num_players=players, shapes=shapes, action_mode=mode) for mode in ("two_step", "single")]
        pair = [Both(game, seed=seed) for game in games]
        for both in pair:
            both.play()
        one, two = (both.oracle for both in pair)
        assert one.events == two.events
        records = [both.state.records[0] for both in pair]
        for field in records[0].dtype.names:
            assert field == "decisions" or (records[0][field] == records[1][field]).all(), field


@pytest.mark.parametrize(("shapes", "pairs", "squares"), [("bars", 5680, 112), ("mixed", 7770, None)])
def test_y20_y21_numbers_of_pairs_and_squares(shapes, pairs, squares):
    board = Board(TABLE, shapes, "anywhere")
    assert len(pair_numbers(shapes)) == pairs
    assert sum(len(turns[0]) for turns in board.turns) == 112
    game = load(shapes=shapes, action_mode="single")
    assert game.num_actions == pairs + 15
    assert load(shapes=shapes).num_actions == {"bars": 251, "mixed": 451}[shapes]
    for (tile, turn, row, column), number in pair_numbers(shapes).items():
        name = game.action_names[number]
        colour = ["red", "green", "yellow", "blue"][tile // 9]
        turned = f" turned {90 * turn}" if turn else ""
        assert name == f"{colour} {tile % 9 + 1} on row {row} column {column}{turned}"


MOST = {"bars": {4: 1600, 3: 2080, 2: 3040}, "mixed": {4: 2880, 3: 3744, 2: 5040}}


@every_shape
@every_count
def test_the_most_placements_there_can_be(players, shapes):
    """A hand of the tiles with the most places on an empty board."""
    board = Board(TABLE, shapes, "anywhere")
    places = sorted(range(36), key=lambda tile: -len(board.placements(tile)))
    best = places[: 36 // players]
    rest = places[36 // players :]
    size = 36 // players
    held = [sorted(best), *(sorted(rest[i * size : (i + 1) * size]) for i in range(players - 1))]
    both = Both(load(num_players=players, shapes=shapes, action_mode="single"), held, starter=0)
    both.play(until="tile")
    assert len(both.state.legal_actions(0)) == MOST[shapes][players]

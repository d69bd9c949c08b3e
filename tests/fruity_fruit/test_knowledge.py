"""What a seat knows: encodings tell all of it, views are fair against all deals there are; two exact symmetries.

The long versions:

    python -m pytest -m heavy tests/fruity_fruit/test_knowledge.py
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from fruit_envs import Game, InvalidOption
from fruit_envs.games.fruity_fruit.components import mini_rules
from fruit_envs.games.fruity_fruit.worlds import _hidden_hands, _ways
from support import random_states

from .helpers import Both, every_count, every_deal, every_mode, every_shape, load
from .oracle import HAND

# ---- encodings -----------------------------------------------------------------------------------------------------


def known_facts(state, seat):
    """What the seat knows that can still matter, from the record and the rulings alone, not from the encoding."""
    s, n = state.records[0], state.game.num_players
    around = [(seat + k) % n for k in range(n)]
    drafting, own = not state.over and s["phase"] == 0, seat in state.seats
    laid, phase = int(s["laid"]), int(s["phase"])
    return (
        int(s["free_low"]),
        int(s["free_high"]),
        tuple((int(s["colour_low"][c]), int(s["colour_high"][c])) for c in range(4)),
        tuple((int(s["owner_low"][o]), int(s["owner_high"][o])) for o in around),
        0 if drafting else int(s["hands"][seat]),
        tuple(int(s["barred"][o]) & ~laid for o in around),
        laid,
        int(s["kept"][seat]),
        int(s["seen"][seat]),
        around.index(int(s["starter"])),
        int(s["drafted"]),
        tuple(int(x) for o in around for x in (s["sizes"][o], s["spaces"][o], s["baskets"][o], s["insects"][o])),
        tuple(tuple(s["fruits"][6 * o : 6 * o + 6].tolist()) for o in around),
        tuple(s["pot"].tolist()),
        tuple(int(s["trick"][o]) for o in around),
        tuple(int(s["skipped"]) >> o & 1 for o in around),
        int(s["led"]),
        around.index(int(s["leader"])),
        tuple(o in state.seats for o in around),
        None if state.over else 1 if phase == 2 and not own else phase,
        int(s["chosen"]) if own else -1,
        tuple(state.scores[o] for o in around) if state.over else None,
    )


@pytest.mark.parametrize("options", [{}, {"shapes": "mixed"}, {"action_mode": "single"}], ids=str)
@every_count
def test_two_views_share_an_encoding_only_if_they_know_the_same(players, options):
    game = load(num_players=players, **options)
    by_encoding, by_facts = {}, {}
    for number, state in enumerate(random_states(game, 4)):
        for seat in range(players):
            for world in (state, state.view(seat, number)):
                for viewer in {seat, (seat + 1) % players}:
                    encoding, facts = world.observation(viewer).tobytes(), known_facts(world, viewer)
                    assert by_encoding.setdefault(encoding, facts) == facts
                    assert by_facts.setdefault(facts, encoding) == encoding
    assert len(by_encoding) > 300


@every_count
def test_the_planes_of_an_observation(players):
    game = load(num_players=players)
    state = list(random_states(game, 1))[-1]
    observation = state.observation(0)
    planes = game.layout.planes(observation)
    assert planes.shape == (4 + 8 + players, 10, 10)
    assert np.shares_memory(planes, observation)
    parts = [game.layout.block(observation, name) for name in ("colour", "symbol", "owner")]
    np.testing.assert_array_equal(planes, np.concatenate(parts))
    batch = np.stack([observation] * 5)
    np.testing.assert_array_equal(game.layout.planes(batch), np.stack([planes] * 5))
    without = Game("fruitoplay").layout
    with pytest.raises(InvalidOption, match="expected blocks over rows and columns"):
        without.planes(np.zeros(without.size, np.int16))


# ---- views ---------------------------------------------------------------------------------------------------------


def world_of(state):
    """The hidden facts, whoever looks."""
    s = state.records[0]
    return tuple(s["hands"].tolist()), tuple(s["kept"].tolist()), tuple(s["seen"].tolist())


#: Colours, values (of which some may fit when others do not), rows, columns, players, cards, cards drawn.
SMALL = [
    (2, 2, 3, 3, 2, 0, 0),
    (2, 3, 2, 4, 2, 0, 0),
    (3, 2, 3, 3, 3, 0, 0),
    (3, 2, 2, 5, 3, 0, 0),
    (4, 1, 3, 3, 4, 0, 0),
    (2, 1, 2, 3, 2, 3, 2),
    (3, 1, 3, 3, 3, 4, 2),
    (3, (7, 8), 3, 3, 3, 0, 0),
    (3, (1, 8), 2, 5, 3, 0, 0),
    (4, 2, 2, 5, 4, 0, 0),
]


@every_mode
@pytest.mark.parametrize("sizes", SMALL, ids=str)
def test_views_are_uniform_over_the_deals_that_fit_what_was_seen(sizes, mode):
    """All deals there are, each played the same way: those with the seat's information state are what may be true."""
    colours, values, rows, columns, players, cards, drawn = sizes
    rules = mini_rules(colours, values, rows, columns, num_players=players, cards=cards, drawn=drawn, action_mode=mode)
    game = Game("fruity_fruit", rules=rules)
    rng = np.random.default_rng(SMALL.index(sizes))
    deals = every_deal(game)
    for _ in range(3):
        true = deals[int(rng.integers(len(deals)))].copy()
        possible = [state.copy() for state in deals if state.records[0]["starter"] == true.records[0]["starter"]]
        while not true.over:
            seat = int(rng.integers(players))
            if not (drawn and true.records[0]["phase"] == 0):
                check_against_deals(possible, true, seat)
            actor = true.seat
            action = int(rng.choice(true.legal_actions(actor)))
            drafting = drawn and true.records[0]["phase"] == 0
            true.apply(actor, action)
            # All deals in which the same could have been done; of a draft, whatever could have been kept and offered.
            possible = [
                child
                for state in possible
                if state.seat == actor
                for other in (state.legal_actions(actor) if drafting else [action])
                if state.legal(actor)[other]
                for _, child in state.transitions(actor, other)
            ]
        for seat in range(players):
            check_against_deals(possible, true, seat)


def check_against_deals(possible, true, seat):
    """Deals that fit; a step that only its seat sees may have been another."""
    fits = Counter()
    for state in possible:
        if state.information_state(seat) == true.information_state(seat):
            fits[world_of(state)] += 1
    if true.records[0]["phase"] == 2 and seat not in true.seats:
        return  # what others could have chosen is not in `possible`: see the states before and after
    assert len(set(fits.values())) == 1, "every world fits equally many deals"
    assert set(fits) == {world_of(world) for _, world in true.worlds(seat)}
    draws = 30 * len(fits)
    found = Counter(world_of(true.view(seat, key)) for key in range(draws))
    assert set(found) <= set(fits)
    if len(fits) > 1:
        assert stats.chisquare([found[world] for world in fits]).pvalue > 1e-6


@every_shape
@every_count
def test_views_of_whole_games_obey_all_that_play_has_shown(players, shapes):
    """Exclusions (Y6), sizes, and that the asked seat can place something; never stuck."""
    game = load(num_players=players, shapes=shapes)
    for number, state in enumerate(random_states(game, 12, seed=players)):
        s = state.records[0]
        for seat in range(players):
            w = state.view(seat, number).records[0]
            assert w["sizes"].tolist() == s["sizes"].tolist()
            assert sum(w["hands"].tolist()) == 2**36 - 1 - int(s["laid"])
            for other in range(players):
                assert int(w["hands"][other]).bit_count() == int(s["sizes"][other])
                assert not int(w["hands"][other]) & int(s["barred"][other])
            if not state.over and s["phase"] in (1, 2):
                assert int(w["hands"][state.seat]) & int(s["fits"])


@every_count
def test_scoring_cards_stay_secret_after_the_end_and_give_the_scores_that_all_see(players):
    """Y16: views of a finished game are the same wherever the others' cards give the same scores."""
    moved = 0
    for state in random_states(load(num_players=players), 12, seed=players):
        for seat in range(players if state.over else 0):
            view = state.view(seat, 2**40)
            kept = Counter()
            for key in range(30):
                world = state.view(seat, key)
                assert world.scores.tolist() == state.scores.tolist()
                assert world.reveal().tobytes() == view.view(seat, key).reveal().tobytes()
                kept[tuple(world.records[0]["kept"].tolist())] += 1
            moved += len(kept) > 1
    assert moved > 3


def test_groups_of_tiles_are_split_by_the_number_of_worlds():
    """In whole games of four the number of tiles of a group in a hand has the distribution that counting gives."""
    game, checked = load(num_players=4), 0
    for state in random_states(game, 6, seed=3):
        s = state.records[0]
        if state.over or s["phase"] != 1 or not s["barred"][:4].any():
            continue
        seat = state.seat
        may, sizes, asked = _hidden_hands(game.rules, state.records, seat)
        open_tiles = [tile for tile in may if len(may[tile]) == 2]
        if asked or len(open_tiles) < 2 or checked > 12:
            continue
        tile, holder = open_tiles[0], min(may[open_tiles[0]])
        total = _ways(may, sizes)
        share = _ways({**may, tile: {holder}}, sizes) / total
        hits = sum(int(state.view(seat, key).records[0]["hands"][holder]) >> tile & 1 for key in range(2000))
        assert stats.binomtest(hits, 2000, share).pvalue > 1e-6
        checked += 1
    assert checked > 5


@every_count
def test_worlds_of_a_published_game_are_too_many_to_list(players):
    with pytest.raises(InvalidOption, match="expected at most 1000000 worlds to list"):
        load(num_players=players).deal(1).worlds(0)


def next_seat_s_reds(state, seat):
    """How much red the next seat holds."""
    return float(int(state.records[0]["hands"][(seat + 1) % state.game.num_players] & 511).bit_count())


def next_seat_s_card(state, seat):
    return float(state.records[0]["kept"][(seat + 1) % state.game.num_players])


@pytest.mark.heavy
@pytest.mark.parametrize("statistic", [next_seat_s_reds, next_seat_s_card])
@every_shape
@every_count
def test_true_worlds_rank_uniformly_among_views_of_full_games(players, shapes, statistic):
    """Simulation-based calibration (Talts et al. 2018)."""
    game = load(num_players=players, shapes=shapes)
    rng, size, ranks = np.random.default_rng(players), 19, []
    for g in range(4000):
        state, stop = game.deal(50_000 + g), int(rng.integers(0, 75))
        while not state.over and state.decisions < stop:
            seat = state.seat
            state.apply(seat, int(rng.choice(state.legal_actions(seat))))
        if state.over:
            continue
        seat = int(rng.integers(players))
        true = statistic(state, seat)
        drawn = [statistic(state.view(seat, int(k)), seat) for k in rng.integers(0, 2**62, size)]
        ties = sum(d == true for d in drawn)
        ranks.append(sum(d < true for d in drawn) + int(rng.integers(0, ties + 1)))
    assert len(ranks) > 2500
    assert stats.chisquare(np.bincount(ranks, minlength=size + 1)).pvalue > 1e-4


# ---- symmetries ----------------------------------------------------------------------------------------------------


def twin(both, tile_of, place_of):
    """The same game told otherwise: tiles renamed, places moved; returns how it ended."""
    game = both.game
    held = [[tile_of(tile) for tile in hand] for hand in both.deal["hands"]]
    offers = [event["seen"] for event in both.oracle.events if event["event"] == "draft"]
    other = Both(game, held, both.deal["starter"], offers=offers)
    for event in [dict(event) for event in both.oracle.events]:
        if event["event"] == "draft":
            other.answer(event["kept"])
        elif event["event"] == "place":
            other.answer(place_of(*event["placement"]))
        elif event["event"] == "pick":
            other.answer(event["fruit"])
    return other


@every_mode
@every_count
def test_colours_other_than_red_are_exchangeable(players, mode):
    """With bars: renaming them leads to the same game, told with the new names (masks, facts, scores)."""
    for number, order in enumerate(permutations((1, 2, 3))):
        both = Both(load(num_players=players, action_mode=mode), seed=number)
        both.play()
        names = (0, *order)

        def tile_of(tile, names=names):
            return 9 * names[tile // 9] + tile % 9

        other = twin(both, tile_of, lambda tile, *place, rename=tile_of: (rename(tile), *place))
        assert other.state.scores.tolist() == both.state.scores.tolist()
        for seat in range(players):
            mine, theirs = both.state.to_json(seat), other.state.to_json(seat)
            assert [mine["colour"][names.index(c)] for c in range(4)] == theirs["colour"]
            for same in ("symbol", "owner", "pot", "fruits", "spaces", "insects", "skipped", "leader"):
                assert mine[same] == theirs[same]
            for moved in ("hand", "laid"):
                assert sorted(map(tile_of, mine[moved])) == theirs[moved]
            assert [sorted(map(tile_of, row)) for row in mine["barred"]] == theirs["barred"]


@every_mode
@every_shape
@every_count
def test_the_default_board_is_symmetric_under_a_half_turn(players, shapes, mode):
    for number in range(4):
        both = Both(load(num_players=players, shapes=shapes, action_mode=mode), seed=number)
        both.play()

        def place_of(tile, turn, row, column, board=both.oracle.board):
            cells = [(9 - r, 9 - c) for r, c in board.cells((tile, turn, row, column))]
            top, left = min(r for r, _ in cells), min(c for _, c in cells)
            shape = sorted((r - top, c - left) for r, c in cells)
            return tile, board.turns[tile].index(shape), top, left

        other = twin(both, lambda tile: tile, place_of)
        assert other.state.scores.tolist() == both.state.scores.tolist()
        for seat in range(players):
            mine, theirs = (state.observation(seat) for state in (both.state, other.state))
            planes = [both.game.layout.planes(observation) for observation in (mine, theirs)]
            np.testing.assert_array_equal(planes[0][:, ::-1, ::-1], planes[1])
            rest = 100 * len(planes[0])
            np.testing.assert_array_equal(mine[rest:], theirs[rest:])


def test_hands_are_as_large_as_published():
    for players, size in HAND.items():
        assert int(load(num_players=players).rules[0]["hand"]) == size

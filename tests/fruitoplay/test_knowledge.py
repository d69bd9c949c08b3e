"""What a seat knows: encodings tell all of it, views are fair against all deals there are, seats are symmetric.

The long versions:

    python -m pytest -m heavy tests/fruitoplay/test_knowledge.py
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from fruit_envs import Batch, Game, InvalidOption
from fruit_envs.games.fruitoplay.components import mini_rules
from support import random_states

from .helpers import every_count, load
from .oracle import fruit_of

# ---- encodings -----------------------------------------------------------------------------------------------------


def known_facts(state, seat):
    """What the seat knows that can still matter, from the record and the rulings alone, not from the encoding."""
    s, n, options = state.records[0], state.game.num_players, state.game.options
    place, kind, fruit = s["place"], state.game.rules[0]["kind"], state.game.rules[0]["fruit"]
    around = [(seat + k) % n for k in range(n)]
    window = int(s["phase"]) if not state.over else None
    ahead = s["river"][int(s["turn"]) : 7].tolist() if window in (0, 1) else []
    return (
        frozenset(np.flatnonzero(place == seat).tolist()),
        frozenset(np.flatnonzero((place >= 8) & (place < 14)).tolist()),
        frozenset(np.flatnonzero(place == 16).tolist()),
        tuple(ahead[:1] if options["river"] == "current" else ahead),
        tuple(
            tuple(sorted(Counter((int(fruit[c]), int(kind[c])) for c in np.flatnonzero(place == 8 + o)).items()))
            for o in around
        ),
        tuple(int(s["sizes"][o]) for o in around),
        tuple(int(s["asked"]) >> o & 1 for o in around),
        tuple(int(s["denied"][o]) for o in around),
        tuple(int(s["totals"][o]) for o in around),
        tuple(int(s["points"][o]) for o in around) if state.over else None,
        int(s["collective"]),
        int(s["barred"]) if not options["collective_reuse"] else None,
        window,
        int(s["fruit"]) if window == 3 else None,
        int(s["round_no"]),
        int(s["turn"]),
        int((place == 32).sum()),
        int(s["chosen"][seat]),
    )


@pytest.mark.parametrize("options", [{}, {"river": "current"}, {"collective_reuse": False}], ids=str)
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


# ---- views ---------------------------------------------------------------------------------------------------------


def world_of(state):
    """The hidden facts, whoever looks."""
    s = state.records[0]
    ahead = [card for card in s["river"].tolist() if card != 255 and s["place"][card] == 64]
    return s["place"].tobytes(), tuple(s["deck"][int(s["next"]) :].tolist()), tuple(ahead)


SMALL = [(2, 3, 1, 1, 2), (2, 3, 1, 1, 3), (2, 3, 2, 1, 2), (2, 3, 2, 2, 2)]


@pytest.mark.parametrize("river", ["public", "current"])
@pytest.mark.parametrize("sizes", SMALL, ids=str)
def test_views_are_uniform_over_the_deals_that_fit_what_was_seen(sizes, river):
    """All deals there are, each played the same way: those with the seat's information state are what may be true."""
    *sizes, players = sizes
    game = Game("fruitoplay", rules=mini_rules(*sizes, num_players=players, river=river, rotten=3))
    deals = [state for _, state in game.deals({})]
    assert len(deals) == 720
    rng = np.random.default_rng(len(sizes) + players)
    for _ in range(2):
        play = []  # (seat, action) as the true game went
        true = deals[int(rng.integers(720))].copy()
        while not true.over:
            if len(set(true.seats)) == bin(int(true.records[0]["asked"])).count("1"):  # nobody has committed
                check_against_deals(deals, play, true, int(rng.integers(players)))
            seat = true.seats[int(rng.integers(len(true.seats)))]
            play.append((seat, int(rng.choice(true.legal_actions(seat)))))
            true.apply(*play[-1])


def check_against_deals(deals, play, true, seat):
    fits = Counter()
    for deal in deals:
        state = deal.copy()
        for who, action in play:
            if who not in state.seats or not state.legal(who)[action]:
                break
            state.apply(who, action)
        else:
            if state.information_state(seat) == true.information_state(seat):
                fits[world_of(state)] += 1
    assert len(set(fits.values())) == 1, "every world fits equally many deals"
    assert set(fits) == {world_of(world) for _, world in true.worlds(seat)}
    draws = 30 * len(fits)
    found = Counter(world_of(true.view(seat, key)) for key in range(draws))
    assert set(found) <= set(fits)
    if len(fits) > 1:
        assert stats.chisquare([found[world] for world in fits]).pvalue > 1e-6


@every_count
def test_a_view_withdraws_what_others_have_committed_to_and_keeps_the_own_choice(players):
    game = load(num_players=players)
    windows = 0
    for number, state in enumerate(random_states(game, 2)):
        asked = [seat for seat in range(players) if int(state.records[0]["asked"]) >> seat & 1]
        committed = [seat for seat in asked if seat not in state.seats]
        for seat in committed:
            view = state.view(seat, number)
            assert view.seats == tuple(other for other in asked if other != seat)
            chosen = view.records[0]["chosen"].tolist()
            assert chosen[seat] == int(state.records[0]["chosen"][seat])
            assert [c for other, c in enumerate(chosen) if other != seat] == [-1] * 5
            windows += 1
        for seat in set(range(players)) - set(committed):
            assert state.view(seat, number).seats == tuple(asked)
    assert windows > 20


@every_count
def test_worlds_of_a_published_game_are_too_many_to_list(players):
    with pytest.raises(InvalidOption, match="expected at most 1000000 worlds to list"):
        load(num_players=players).deal(1).worlds(0)


def on_colour(state, seat):
    """How many cards of the current target's fruit the next seat holds."""
    s = state.records[0]
    target = fruit_of(int(s["river"][int(s["turn"])]))
    hand = np.flatnonzero(s["place"] == (seat + 1) % state.game.num_players).tolist()
    return float(sum(fruit_of(card) == target for card in hand))


def first_draws(state, _seat):
    """What the next two cards of the deck add up to."""
    s = state.records[0]
    return float(sum(s["deck"][int(s["next"]) :][:2].tolist()))


@pytest.mark.heavy
@pytest.mark.parametrize("river", ["public", "current"])
@pytest.mark.parametrize("statistic", [on_colour, first_draws])
@every_count
def test_true_worlds_rank_uniformly_among_views_of_full_games(players, statistic, river):
    """Simulation-based calibration (Talts et al. 2018) on states with no commitment."""
    game = load(num_players=players, river=river)
    rng, size, ranks = np.random.default_rng(players), 19, []
    for g in range(4000):
        state, stop = game.deal(50_000 + g), int(rng.integers(0, 20 * players))
        while not state.over and (state.decisions < stop or state.view(state.seat, 0).seats != state.seats):
            seat = int(rng.choice(state.seats))
            state.apply(seat, int(rng.choice(state.legal_actions(seat))))
        if state.over:
            continue
        seat = state.seat
        true = statistic(state, seat)
        drawn = [statistic(state.view(seat, int(k)), seat) for k in rng.integers(0, 2**62, size)]
        ties = sum(d == true for d in drawn)
        ranks.append(sum(d < true for d in drawn) + int(rng.integers(0, ties + 1)))
    assert len(ranks) > 3000
    assert stats.chisquare(np.bincount(ranks, minlength=size + 1)).pvalue > 1e-4


# ---- information sets ----------------------------------------------------------------------------------------------


def information_sets(fruits, numbers, hand, turns, **options):
    """How many information sets each of two players has in which it is asked for a card."""
    game = Game("fruitoplay", rules=mini_rules(fruits, numbers, hand, turns, **options))
    cards = range(fruits * numbers)
    outcomes = game.text.outcomes
    keys = [set(), set()]

    def walk(state):
        if state.over or int(state.records[0]["phase"]) != 1:
            return
        for seat in state.seats:
            keys[seat].add(state.information_state(seat))
        for action in state.legal_actions(state.seat):
            child = state.copy()
            child.apply(state.seat, action)
            for answer in child.legal_actions(child.seat):
                grandchild = child.copy()
                grandchild.apply(child.seat, answer)
                walk(grandchild)

    for first in combinations(cards, hand):
        rest = [card for card in cards if card not in first]
        for second in combinations(rest, hand):
            for order in permutations([card for card in rest if card not in second]):
                event = {"event": "deal", "hands": [list(first), list(second)], "river": list(order[:turns])}
                event["deck"] = list(order[turns:])
                walk(game.deal(0, outcomes=outcomes(game.rules, [event])))
    return [len(found) for found in keys]


def test_information_sets_of_the_smallest_game():
    """15 hands x 12 rivers, then 2 own and 2 rival cards: 180 (1 + 4)."""
    assert information_sets(2, 3, 2, 2) == [900, 900]


def test_information_sets_of_a_larger_game():
    """56 hands x 20 rivers, then 3 own and 3 rival cards: 1,120 (1 + 9)."""
    assert information_sets(2, 4, 3, 2) == [11_200, 11_200]


@pytest.mark.heavy
@pytest.mark.parametrize(("tie_scope", "expected"), [("key", 43_092), ("all", 47_412)])
def test_information_sets_of_a_game_with_a_deck(tie_scope, expected):
    """36 hands x 42 rivers x 10 pairs of cards; who does not win has drawn one of 4 unseen cards.

    6,300 pairs win with tie_scope="key", 4,860 with "all": 1,512 + 15,120 x 4 - 3 x wins.
    """
    assert information_sets(3, 3, 2, 2, tie_scope=tie_scope) == [expected] * 2


# ---- seats ---------------------------------------------------------------------------------------------------------


def win_shares(players, games_each, num_envs=2_000):
    """Each seat's win share in each of so many random games, shape (games, players)."""
    batch = Batch(load(num_players=players), num_envs)
    batch.reset(seed=11 * players)
    played, found = np.zeros(num_envs, int), []
    while played.min() < games_each:
        batch.step(batch.sample())
        counted = (batch.over > 0) & (played < games_each)
        found.append((batch.rewards[counted] * (players - 1) + 1) / players)
        played += batch.over > 0
    return np.concatenate(found)


@every_count
def test_seats_are_symmetric_over_a_hundred_thousand_games(players):
    """No seat's win share differs beyond its 99.9 % interval."""
    shares = win_shares(players, 50)
    assert len(shares) == 100_000
    assert shares.sum(axis=1) == pytest.approx(1)
    interval = stats.norm.ppf(0.9995) * shares.std(axis=0) / np.sqrt(len(shares))
    assert (abs(shares.mean(axis=0) - 1 / players) < interval).all(), (shares.mean(axis=0), interval)

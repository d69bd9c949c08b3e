"""Chance: exactly uniform draws, the same whatever is played in between, forced and enumerated outcomes."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fruit_envs import load
from fruit_envs.engine import chance, loops
from fruit_envs.engine.memory import new_memory, records_of
from fruit_envs.engine.tape import Tape, enumerate_chance, shuffle_outcomes
from fruit_envs.games.fruit_cocktail.components import CARD, START, TILE


def splitmix64(seed, count):
    """The published generator in plain Python: an independent opinion on `mix`."""
    state, words = seed, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        words.append(z ^ (z >> 31))
    return words


def test_words_are_those_of_splitmix64():
    # The first outputs of the reference implementation for seed 1234567.
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert splitmix64(1234567, 5) == known
    assert [int(chance._word(np.uint64(1234567), counter)) for counter in range(1, 6)] == known


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 24, 1000, 3 * 2**29])
def test_draws_are_uniform_and_below_their_bound(bound):
    stream = np.uint64(chance.stream_of(np.uint64(bound)))
    draws = np.array([int(chance.draw(stream, counter, bound)) for counter in range(6000)])
    assert draws.min() >= 0
    assert draws.max() < bound
    cells = np.bincount(draws * min(bound, 20) // bound, minlength=min(bound, 20))
    sizes = np.bincount(np.arange(min(bound, 10**6)) * min(bound, 20) // min(bound, 10**6))
    if bound > 1:
        assert stats.chisquare(cells, sizes / sizes.sum() * len(draws)).pvalue > 1e-6
        assert stats.chi2_contingency(np.histogram2d(draws[:-1], draws[1:], bins=min(bound, 5))[0]).pvalue > 1e-6


def test_a_biased_remainder_is_rejected():
    """With 3 * 2^29 a plain multiply-shift would give some numbers two preimages and others three."""
    bound = 3 * 2**29
    draws = np.array([int(chance.draw(np.uint64(9), counter, bound)) % 3 for counter in range(30000)])
    assert stats.chisquare(np.bincount(draws, minlength=3)).pvalue > 1e-6


@settings(max_examples=200, deadline=None)
@given(st.permutations(list(range(8))), st.integers(0, 8))
def test_shuffle_outcomes_reproduce_any_arrangement(target, count):
    game = load("fruit_cocktail")
    forced = shuffle_outcomes(TILE, list(range(8)), target[: max(count, 1)])
    state = game.deal(3, outcomes=forced)
    assert state.records["tiles"][0].tolist()[: max(count, 1)] == target[: max(count, 1)]


def test_shuffle_outcomes_refuse_what_is_no_arrangement():
    for target in ([0, 0], [9], [0, 1, 2, 3]):
        with pytest.raises(ValueError, match="not in list"):
            shuffle_outcomes(TILE, [0, 1, 2], target)


def test_the_tape_notes_what_was_not_forced_and_leaves_no_address():
    game = load("fruit_cocktail", num_players=2)
    memory = new_memory(game.state_dtype, 1)[0]
    records = records_of(memory, game.state_dtype)
    tape = Tape({(START, 0): 1})
    with tape.attached(records):
        assert records["tape"][0] != 0
        shown = np.empty(game.num_actions, np.int8), np.empty(game.layout.size, game.layout.dtype)
        loops.deal_one(game.playing, memory, *shown, 5)
    assert records["tape"][0] == 0
    kinds = Counter(kind for kind, _, _ in tape.draws)
    assert kinds[CARD] == 23
    assert kinds[TILE] == 7
    assert START not in kinds
    assert all(bound >= 1 for _, _, bound in tape.draws)
    assert records["starter"][0] == 1


def test_forcing_one_event_leaves_the_others_as_the_seed_has_them():
    game = load("fruit_cocktail", num_players=3)
    for starter in range(3):
        state = game.deal(8, outcomes={(START, 0): starter})
        assert state.seat == starter
        assert state.records["order"].tolist() == game.deal(8).records["order"].tolist()


def test_enumeration_visits_every_combination_once_with_its_probability():
    def two_dice_then_a_coin_on_doubles(forced):
        draws = []

        def roll(kind, index, bound):
            if (kind, index) in forced:
                return forced[kind, index]
            draws.append((kind, index, bound))
            return 0

        a, b = roll(0, 0, 6), roll(0, 1, 6)
        return (a, b, roll(1, 0, 2) if a == b else None), draws

    found = list(enumerate_chance(two_dice_then_a_coin_on_doubles, {}))
    assert sum(p for p, _ in found) == pytest.approx(1)
    assert len(found) == 30 + 12
    assert len({result for _, result in found}) == 42
    assert {p for p, (a, b, _) in found if a == b} == {1 / 72}
    one = list(enumerate_chance(two_dice_then_a_coin_on_doubles, {(0, 0): 3}))
    assert {result[0] for _, result in one} == {3}
    assert sum(p for p, _ in one) == pytest.approx(1)


def test_neighbouring_seeds_have_unrelated_streams():
    streams = [int(chance.stream_of(np.uint64(seed))) for seed in range(200)]
    flips = [bin(a ^ b).count("1") for a, b in itertools.pairwise(streams)]
    assert 28 < np.mean(flips) < 36
    seeds = [0]
    for _ in range(1000):
        seeds.append(int(loops.seed_after(np.uint64(seeds[-1]))))
    assert len(set(seeds)) == 1001
    assert max(seeds) < 2**53

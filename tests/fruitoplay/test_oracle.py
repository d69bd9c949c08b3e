"""The engine against the oracle: whole games side by side, every window compared.

The long version plays 100,000 tricks and 20,000 rounds for every player count and tie scope:

    python -m pytest -m heavy tests/fruitoplay/test_oracle.py
"""

from __future__ import annotations

import random

import pytest

from .helpers import Both, choosers, every_count, every_scope, facts, load

TRICKS_AND_ROUNDS = 6_700  # games of 3 rounds of 7 tricks


def play(both, choose, watch=lambda both: None):
    both.compare()
    while not both.oracle.over:
        both.play(choose)
        both.compare()
        watch(both)
    assert both.state.shares.tolist() == pytest.approx([float(share) for share in both.oracle.shares()])
    options = both.game.options
    rewards = both.oracle.rewards(options["reward"], int(options["margin_scale"]))
    assert both.state.returns.tolist() == pytest.approx([float(reward) for reward in rewards])
    assert both.state.records[0]["points"][: both.oracle.n].tolist() == both.oracle.points


@every_scope
@every_count
@pytest.mark.parametrize("reuse", [True, False])
def test_every_window_of_whole_games_agrees(players, tie_scope, reuse):
    game = load(num_players=players, tie_scope=tie_scope, collective_reuse=reuse)
    rng = random.Random(players)
    for seed, choose in enumerate(choosers(rng) * 2):
        play(Both(game, seed=seed), choose)


@pytest.mark.heavy
@every_scope
@every_count
def test_many_tricks_and_rounds_agree(players, tie_scope):
    game = load(num_players=players, tie_scope=tie_scope, reward="margin")
    rng = random.Random(players)
    ways = choosers(rng)
    for seed in range(TRICKS_AND_ROUNDS):
        play(Both(game, seed=1000 + seed), ways[seed % len(ways)])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"memory": "tabletop"},
        {"river": "current"},
        {"river": "current", "memory": "tabletop", "collective_reuse": False},
    ],
    ids=str,
)
@every_count
def test_what_a_seat_sees_is_what_it_may_know(players, options):
    game = load(num_players=players, **options)

    def watch(both):
        for seat in range(players):
            assert both.state.to_json(seat) == facts(both.oracle, seat, game.options)

    for seed, choose in enumerate(choosers(random.Random(players))):
        both = Both(game, seed=seed)
        watch(both)
        play(both, choose, watch)


@every_count
def test_nothing_changes_in_an_open_window_but_what_a_seat_sees_of_its_own_choice(players):
    game = load(num_players=players)
    rng = random.Random(3)
    both = Both(game, seed=5)
    choose = choosers(rng)[1]
    while not both.oracle.over:
        question = both.oracle.question
        actions = {seat: choose(both.oracle, seat) for seat in question.asked}
        twin, done = both.state.copy(), {}
        for seat in rng.sample(sorted(actions), len(actions))[:-1]:
            twin.apply(seat, actions[seat])
            done[seat] = actions[seat]
            for other in range(players):
                assert twin.to_json(other) == facts(both.oracle, other, game.options, done.get(other))
        both.answer(actions)

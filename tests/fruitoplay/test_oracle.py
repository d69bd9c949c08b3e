"""The engine against the oracle: whole games side by side, every window compared.

The long version plays 100,000 tricks and 20,000 rounds for every player count and tie scope:

    python -m pytest -m heavy tests/fruitoplay/test_oracle.py
"""

from __future__ import annotations

import random

import pytest

from .helpers import Both, choosers, every_count, every_scope, facts, load

GAMES = 6_900  # of 3 rounds of 7 tricks


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
    """Who wins each trick, who is asked next, what each round scores; every 50th game is compared card by card."""
    game = load(num_players=players, tie_scope=tie_scope, reward="margin")
    rng = random.Random(players)
    ways, tricks, rounds = choosers(rng), 0, 0
    for seed in range(GAMES):
        both, choose = Both(game, seed=1000 + seed), ways[seed % len(ways)]
        if seed % 50 == 0:
            play(both, choose)
        while not both.oracle.over:
            known = len(both.oracle.events)
            both.play(choose)
            new, record = both.oracle.events[known:], both.state.records[0]
            for event in new:
                if event["event"] == "trick":
                    assert record["winner"] == (-1 if event["winner"] is None else event["winner"])
                    tricks += 1
                if event["event"] == "round":
                    assert record["points"][:players].tolist() == event["points"]
                    columns = record["sums"][: 4 * players].reshape(players, 4).tolist()
                    assert columns == event["columns"] or not both.oracle.over  # else dealt anew
                    rounds += 1
            assert both.state.seats == tuple(both.oracle.question.asked if both.oracle.question else ())
            assert both.state.scores.tolist() == both.oracle.totals
    assert tricks > 130_000
    assert rounds > 20_000


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

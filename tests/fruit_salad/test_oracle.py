"""The engine and the oracle play the same games: windows, legality and every fact in every state.

The long version, two hundred games per player count and variant:

    python -m pytest -m heavy tests/fruit_salad/test_oracle.py
"""

from __future__ import annotations

import pytest

from .helpers import Table, every_count, load, mini

VARIANTS = [
    {},
    {"windows": "reaction"},
    {"windows": "lite"},
    {"distribution": "bulk"},
    {"last_card_window": True},
    {"reroll_each_round": False},
    {"points_to_win": 2},
    {"early_seats": (0, 1)},
    {"memory": "tabletop"},
]
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=str)


@every_variant
@every_count
def test_engine_and_oracle_play_the_same_games(players, options):
    phases, ends = set(), set()
    game = load(num_players=players, **options)
    for seed in range(4):
        table = Table(game, seed=seed)
        phases |= set(table.play(seed, slapping=0.5, step=9))
        ends.add(table.oracle.over)
    assert ends <= {"points", "empty", "truncated"}
    expected = {"premature", "reaction", "keep"} | ({"anticipation"} if "windows" not in options else set())
    expected |= {"give"} if players > 2 else set()
    assert phases >= expected - ({"premature"} if options.get("windows") == "lite" else set())


@every_variant
@every_count
def test_random_play_too(players, options):
    table = Table(load(num_players=players, max_reveals=60, **options), seed=players)
    for _ in table.play(players, step=7):
        pass


@pytest.mark.parametrize("options", [{}, {"last_card_window": True}, {"distribution": "bulk"}], ids=str)
@pytest.mark.parametrize("dealt", [(3, 3), (2, 3, 2), (2, 2, 2, 2)], ids=str)
def test_shrunken_games_end_in_every_way(dealt, options):
    ends = set()
    game = mini(dealt, points_to_win=2, max_reveals=12, **options)
    for seed in range(60):
        table = Table(game, seed=seed, told={"points_to_win": 2, "max_reveals": 12, **options})
        for _ in table.play(seed, slapping=0.7 if seed % 2 else None, step=3):
            pass
        ends.add(table.oracle.over)
    assert ends == {"points", "empty", "truncated"}


@pytest.mark.heavy
@every_variant
@every_count
def test_two_hundred_games_of_every_kind(players, options):
    game = load(num_players=players, **options)
    for seed in range(200):
        for _ in Table(game, seed=seed).play(seed, slapping=0.5, step=11):
            pass

"""The tutorial's game: a citizen of every face, solved exactly, and short."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import kuhn  # of docs/tutorial; importing it registers the game
import pettingzoo
import pytest

import fruit_envs
from fruit_envs.declare.catalog import GAMES
from fruit_envs.testing import check_game
from test_exact import CFRPlus

ENTRY = GAMES.pop("kuhn_poker")  # tests that run over all games are about the published ones


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(GAMES, "kuhn_poker", ENTRY)


def test_it_takes_one_module_of_at_most_150_lines():
    assert len(Path(kuhn.__file__).read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("options", [{}, {"reward": "margin"}])
def test_it_keeps_the_contract(options):
    check_game("kuhn_poker", **options)


def test_it_is_played_by_name():
    pettingzoo.make("aec", "fruit/kuhn_poker-v0").reset(seed=1)
    pettingzoo.make("parallel", "fruit/kuhn_poker-v0").reset(seed=1)
    gymnasium.make("fruit/KuhnPoker-v0").reset(seed=1)
    gymnasium.make_vec("fruit/KuhnPoker-v0", num_envs=2).reset(seed=1)


def test_its_value_is_minus_one_eighteenth():
    game = fruit_envs.load("kuhn_poker", reward="margin")
    solver = CFRPlus(list(game.deals({})))
    for iteration in range(1, 300):
        solver.iterate(iteration)
    assert len(solver.regrets) == 12
    assert solver.nash_conv() < 2e-3
    low, high = -solver.best_response(1), solver.best_response(0)
    assert low - 1e-9 <= -1 / 18 <= high + 1e-9
    assert high - low < 2e-3

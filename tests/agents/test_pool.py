"""Pools of opponents, and views of many games side by side."""

from __future__ import annotations

import numpy as np
import pytest

from fruit_envs import Agent, InvalidBuffer, InvalidOption, NoView, Pool, VectorEnv, Views, load, make_agent
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.runtime.rows import Rows


class Named(Agent):
    """Takes the first legal action, and counts the games it was seen in."""

    uses_view = False

    def __init__(self, game, name):
        super().__init__(game)
        self.name, self.asked = name, 0

    def act(self, observation, mask, view, key, memory):
        self.asked += 1
        return int(mask.argmax())


def test_agents_are_drawn_as_often_as_their_weights_say():
    game = load("fruit_cocktail")
    pool = Pool(game, [Named(game, "a"), "random", Named(game, "b")], [1, 2, 5])
    keys = np.random.default_rng(0).integers(2**63, size=80_000).astype(np.uint64) * np.uint64(2)
    counts = np.bincount(pool.draw(keys), minlength=3) / len(keys)
    assert np.abs(counts - [1 / 8, 2 / 8, 5 / 8]).max() < 0.01
    assert pool.draw(np.array([0, 2**64 - 1], np.uint64)).tolist() == [0, 2]


def test_a_game_keeps_its_opponent_until_it_ends():
    game = load("fruit_cocktail")
    first, second = Named(game, "first"), Named(game, "second")
    pool = Pool(game, [first])
    env = VectorEnv(game, 8, opponents=pool, autoreset_mode="SameStep")
    single = SingleAgent(game, opponents=pool)
    single.reset(seed=1)
    observations, _ = env.reset(seed=1)
    observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
    pool.replace([second])
    done = np.zeros(8, bool)
    while not done.any():
        before = second.asked
        single.step(int(single.action_masks().argmax()))
        observations, _, done, _, _ = env.step(observations["action_mask"].argmax(axis=1))
        assert done.all() or second.asked == before
    assert done.all()
    asked = first.asked
    for _ in range(6):
        observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
    assert first.asked == asked
    assert second.asked > 0
    single.reset()
    single.step(int(single.action_masks().argmax()))
    assert first.asked == asked


def test_agents_that_have_left_the_pool_are_forgotten():
    game = load("fruit_cocktail")
    pool = Pool(game, ["random"])
    env = VectorEnv(game, 4, opponents=pool, autoreset_mode="SameStep")
    observations, _ = env.reset(seed=1)
    for number in range(60):
        pool.replace([Named(game, str(number)), "random"])
        for _ in range(5):
            observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
    assert len(env._opponents._agents) < 20


def test_bad_pools():
    game = load("fruit_cocktail")
    for agents, weights, text in (
        ([], None, "at least one agent"),
        ("random", None, "at least one agent"),
        (["nobody"], None, "unknown agent"),
        (["random"], [0], "positive weights"),
        (["random"], [1, 2], "positive weights"),
        (["random"], ["x"], "positive weights"),
        (["random"], [float("nan")], "positive weights"),
    ):
        with pytest.raises(InvalidOption, match=text):
            Pool(game, agents, weights)
    with pytest.raises(InvalidOption, match="as a Game"):
        Pool("fruit_cocktail", ["random"])


def test_views_of_rows_are_those_of_states():
    game = load("fruit_cocktail", num_players=3)
    rows = Rows(game, 6)
    rows.records["seed"] = np.arange(6)
    rows.deal(np.arange(6), onwards=False)
    chosen, seats = np.array([5, 0, 3]), np.array([2, 1, 0])
    keys = np.array([2**64 - 1, 7, 0], np.uint64)
    views = rows.views(chosen, seats, keys)
    assert len(views) == 3
    for i, view in enumerate(views):
        expected = game.deal(int(chosen[i])).view(int(seats[i]), int(keys[i]))
        assert view.tobytes() == expected.tobytes()
        assert view.viewer == seats[i]
    assert views[-1].tobytes() == views[2].tobytes()
    assert [view.viewer for view in views[1:]] == [1, 0]
    again = Views.of(game, list(views))
    assert again.records.tobytes() == views.records.tobytes()
    assert Views.of(game, views) is views
    views[0].apply(views[0].seat, views[0].legal_actions(views[0].seat)[0])  # a copy
    assert again.records.tobytes() == views.records.tobytes()
    with pytest.raises(IndexError):
        views[3]
    with pytest.raises(NoView, match="got None"):
        Views.of(game, [None])
    with pytest.raises(InvalidBuffer, match="expected a view of"):
        Views.of(load("fruit_cocktail"), list(views))
    with pytest.raises(InvalidBuffer, match="expected a view of"):
        Views.of(game, [game.deal(1)])


def test_an_agent_without_act_batch_plays_in_a_vector():
    class Bare:
        def act(self, observation, mask, view, key, memory):
            assert view.viewer in (0, 1)
            return int(mask.argmax())

    game = load("fruit_cocktail")
    ours, theirs = (VectorEnv(game, 4, opponents=one) for one in (Bare(), Named(game, "first")))
    shown = [env.reset(seed=3)[0] for env in (ours, theirs)]
    for _ in range(20):
        np.testing.assert_array_equal(shown[0]["observation"], shown[1]["observation"])
        actions = shown[0]["action_mask"].argmax(axis=1)
        shown = [env.step(actions)[0] for env in (ours, theirs)]
    assert make_agent("random", game).name == "random"

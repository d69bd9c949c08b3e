"""Fruit Salad is registered with perfect memory, as its memory twin, and as a short game to begin with."""

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import fruit_envs
from fruit_envs.declare.catalog import presets

from .helpers import every_count

TWINS = [("fruit/FruitSalad-v0", "fruit/fruit_salad-v0", "perfect")]
TWINS += [("fruit/FruitSalad-Memory-v0", "fruit/fruit_salad_memory-v0", "tabletop")]
every_twin = pytest.mark.parametrize(("gymnasium_id", "pettingzoo_id", "memory"), TWINS)


@every_twin
@every_count
def test_both_twins_are_registered_everywhere(gymnasium_id, pettingzoo_id, memory, players):
    size = fruit_envs.load("fruit_salad", num_players=players, memory=memory).layout.size
    env = gymnasium.make(gymnasium_id, num_players=players, max_reveals=20)
    check_env(env.unwrapped)
    observation, _ = env.reset(seed=1)
    assert observation["observation"].shape == (size,)
    assert gymnasium.spec(gymnasium_id).to_json()
    many = gymnasium.make_vec(gymnasium_id, num_envs=3, num_players=players, max_reveals=20)
    observations, _ = many.reset(seed=1)
    assert observations["observation"].shape == (3, size)
    aec = pettingzoo.make("aec", pettingzoo_id, num_players=players, max_reveals=20)
    aec.reset(seed=1)
    assert aec.last()[0]["observation"].shape == (size,)
    parallel = pettingzoo.make("parallel", pettingzoo_id, num_players=players, max_reveals=20)
    observations, _ = parallel.reset(seed=1)
    assert all(seen["observation"].shape == (size,) for seen in observations.values())


@every_twin
def test_keeping_and_giving_ask_one_seat_and_the_others_hold_the_no_op(gymnasium_id, pettingzoo_id, memory):
    deck = [[9, 9, 9, 9, "none"]] * 60
    env = pettingzoo.make("parallel", pettingzoo_id, deck=deck, num_players=3)
    observations, infos = env.reset(seed=2)
    alone = 0
    assert not any(info["action_mask"][67] for info in infos.values())
    while env.agents:
        masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
        active = [agent for agent in env.agents if not infos[agent]["action_mask"][67]]
        assert len(active) in (1, 3)
        if len(active) == 1:
            alone += 1
            others = [masks[agent] for agent in env.agents if agent != active[0]]
            assert all(np.flatnonzero(mask).tolist() == [67] for mask in others)
        actions = {agent: int(np.flatnonzero(mask)[-1]) for agent, mask in masks.items()}
        observations, *_, infos = env.step(actions)
    assert alone > 5


def test_the_short_game_ends_soon_and_pays_somebody_now_and_then():
    batch = fruit_envs.Batch("fruit_salad", 256, **dict(presets("fruit_salad")["fruit_salad_short"]))
    batch.reset(1)
    ended = won = steps = 0
    while ended < 500:
        batch.step(batch.sample())
        steps += 1
        over = batch.over != 0
        ended += int(over.sum())
        won += int((batch.over == 1).sum())
        assert (batch.rewards[over].any(axis=1) == (batch.over[over] == 1)).all()
    assert won > 10
    assert steps * 256 / ended < 800

"""Shrunken games have names: every one of every game is loaded, played, written down and drawn like any other."""

from __future__ import annotations

import json
import pickle
from importlib import import_module

import numpy as np
import pettingzoo
import pytest

import fruit_envs
from fruit_envs import InvalidOption, InvalidRecord, load
from fruit_envs.declare.catalog import GAMES
from support import random_states


def components(name):
    return import_module(f"{GAMES[name].package}.components")


MINIS = {name: getattr(components(name), "MINIS", {}) for name in sorted(GAMES)}
every_mini = pytest.mark.parametrize(("name", "mini"), [(name, mini) for name in MINIS for mini in MINIS[name]])


def short(name):
    return {"max_reveals": 30} if name == "fruit_salad" else {}


@pytest.mark.parametrize("name", [name for name in sorted(GAMES) if name.startswith("fruit")])
def test_every_game_has_some(name):
    assert len(MINIS[name]) >= 2
    (option,) = (option for option in components(name).OPTIONS if option.name == "mini")
    assert option.choices == (None, *MINIS[name])
    with pytest.raises(InvalidOption, match="mini: expected one of"):
        load(name, mini="9x9")


@every_mini
def test_a_mini_is_loaded_and_kept_by_name(name, mini):
    game = load(name, mini=mini)
    assert not game.custom
    assert game.options["mini"] == mini
    assert game.rules.tobytes() != load(name, num_players=game.num_players).rules.tobytes()
    assert pickle.loads(pickle.dumps(game)).rules.tobytes() == game.rules.tobytes()
    assert components(name).mini_rules(**MINIS[name][mini]).tobytes() == game.rules.tobytes()


@every_mini
def test_a_mini_is_played_recorded_and_replayed(name, mini):
    (record,) = fruit_envs.record(name, mini=mini, seed=5, **short(name))
    record = json.loads(json.dumps(record))
    assert record["options"] == {"num_players": load(name, mini=mini).num_players, "mini": mini, **short(name)}
    assert fruit_envs.replay(record).over
    for wrong in ("9x9", 3, {"columns": 3}):
        with pytest.raises(InvalidRecord, match="mini"):
            fruit_envs.replay(record | {"options": record["options"] | {"mini": wrong}})


@every_mini
def test_worlds_of_a_mini_are_few_and_hold_the_true_one(name, mini):
    game = load(name, mini=mini, **short(name))
    for number, state in enumerate(random_states(game, 1, seed=3)):
        seat = number % game.num_players
        worlds = state.worlds(seat)
        assert sum(p for p, _ in worlds) == pytest.approx(1)
        assert 0 < len(worlds) <= 6000
        view = state.view(seat, number)
        assert any(world.reveal().tobytes() == view.reveal().tobytes() for _, world in worlds)
        copy = pickle.loads(pickle.dumps(state))
        assert copy.tobytes() == state.tobytes()
        if number > 6:
            break


@every_mini
@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
def test_a_mini_shares_its_observations_with_the_whole_game(name, mini, memory):
    game = load(name, mini=mini, memory=memory)
    whole = load(name, num_players=game.num_players, memory=memory)
    assert game.layout.digest == whole.layout.digest
    np.testing.assert_array_equal(game.layout.scale, whole.layout.scale)
    for state in random_states(load(name, mini=mini, memory=memory, **short(name)), 2):
        for seat in range(game.num_players):
            observation = state.observation(seat)
            assert (observation >= game.layout.low).all()
            assert (observation <= game.layout.high).all()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fruit_cocktail", {"mini": "3x2", "num_players": 4, "memory": "tabletop"}),
        ("fruit_cocktail", {"mini": "4x3", "mode": "easy", "tie": "replay"}),
        ("fruit_cocktail", {"mini": "6x2", "mode": "total_control", "reward": "margin", "reward_timing": "as_scored"}),
        ("fruitoplay", {"mini": "3x3,2,2", "num_players": 3, "river": "current"}),
        ("fruity_fruit", {"mini": "2x2,4x4,2", "action_mode": "single", "first_tile": "centre"}),
        ("fruit_salad", {"mini": "3,3", "windows": "lite", "points_to_win": 1, "reward": "margin"}),
    ],
    ids=str,
)
def test_minis_go_with_other_options(name, options):
    (record,) = fruit_envs.record(name, seed=1, **options, **short(name))
    assert fruit_envs.replay(record).over


@pytest.mark.parametrize("mode", ["base", "easy", "total_control"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_mini_of_fruit_cocktail_is_played_in_any_mode(mode, players):
    """Who peeks is a matter of the mode, however many columns there are."""
    whole, mini = (load("fruit_cocktail", mode=mode, num_players=players, mini=mini) for mini in (None, "3x2"))
    for field in ("hidden", "peeks"):
        assert mini.rules[0][field] == whole.rules[0][field]


@pytest.mark.parametrize(
    ("name", "mini", "players", "why"),
    [
        ("fruitoplay", "2x3,2,2", 4, "expected hand 1..1, got 2"),
        ("fruity_fruit", "2x2,3x3,2", 3, "expected tiles for 3 hands of 2, got 4"),
        ("fruity_fruit", "2x2,3x3,2", 4, "expected tiles for 4 hands of 2, got 4"),
        ("fruit_salad", "3,3", 3, "expected a pile for each of 3 players"),
    ],
)
def test_a_mini_too_small_for_the_players_says_why(name, mini, players, why):
    with pytest.raises(InvalidOption, match=why):
        load(name, mini=mini, num_players=players)


@pytest.mark.parametrize("name", [name for name in MINIS if MINIS[name]])
def test_sizes_of_one_s_own_take_no_name(name):
    with pytest.raises(InvalidOption, match="unknown option 'mini'"):
        components(name).mini_rules(mini=next(iter(MINIS[name])))


@every_mini
def test_a_mini_is_made_by_its_options(name, mini):
    env = pettingzoo.make("aec", f"fruit/{name}-v0", mini=mini, **short(name))
    env.reset(seed=1)
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
    assert env.spec.make().unwrapped.game.options == env.unwrapped.game.options

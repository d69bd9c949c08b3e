"""Shrunken games by name, and what games of one kind share: the declaration of their observations."""

from __future__ import annotations

import pickle
from importlib import import_module

import numpy as np
import pytest

import fruit_envs
from fruit_envs.base.errors import InvalidOption
from fruit_envs.declare.catalog import GAMES, presets

PUBLISHED = [name for name in GAMES if name.startswith("fruit")]
MINIS = [(name, mini) for name in PUBLISHED for mini in import_module(f"{GAMES[name].package}.components").MINIS]
SEATS = {"fruit_salad": {"3,3": 2, "4,4": 2, "2,2,2": 3}}


def load(name, mini, **options):
    return fruit_envs.load(name, mini=mini, num_players=SEATS.get(name, {}).get(mini, 2), **options)


@pytest.mark.parametrize(("name", "mini"), MINIS)
def test_a_mini_is_loaded_played_recorded_and_replayed_by_name(name, mini):
    game = load(name, mini, reward="margin")
    assert not game.custom
    assert pickle.loads(pickle.dumps(game)).rules.tobytes() == game.rules.tobytes()
    for record in fruit_envs.record(game, games=3, seed=4):
        assert record["options"]["mini"] == mini
        assert fruit_envs.replay(record).over
    state = game.deal(5)
    worlds = state.worlds(0)
    assert sum(p for p, _ in worlds) == pytest.approx(1)
    assert pickle.loads(pickle.dumps(state)).tobytes() == state.tobytes()


@pytest.mark.parametrize(("name", "mini"), MINIS)
def test_a_mini_is_what_mini_rules_makes_of_its_sizes(name, mini):
    components = import_module(f"{GAMES[name].package}.components")
    sizes = components.MINIS[mini]
    rules = components.mini_rules(sizes) if name == "fruit_salad" else components.mini_rules(*sizes)
    assert load(name, mini).rules.tobytes() == rules.tobytes()


def test_unknown_minis_and_those_of_other_player_counts_are_refused():
    for name in PUBLISHED:
        with pytest.raises(InvalidOption, match="mini"):
            fruit_envs.load(name, mini="9x9")
    with pytest.raises(InvalidOption, match="num_players=2"):
        fruit_envs.load("fruit_salad", mini="3,3", num_players=4)


OTHERS = {
    "fruit_cocktail": [{"reward": "margin"}, {"tie": "share"}, {"mini": "4x3"}, {"mini": "3x2"}],
    "fruitoplay": [{"river": "current"}, {"tie_scope": "all"}, {"mini": "2x3,2,2"}],
    "fruity_fruit": [{"shapes": "mixed"}, {"first_tile": "centre"}, {"mini": "2x2,3x3"}],
    "fruit_salad": [{"max_reveals": 120}, {"points_to_win": 1}, {"windows": "reaction"}, {"mini": "3,3"}],
}


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
def test_games_of_one_kind_declare_the_same_observations(name, memory):
    """So what was trained on one plays in the other."""
    whole = fruit_envs.load(name, num_players=2, memory=memory).layout
    others = [options for options in presets(name).values() if options.get("memory", memory) == memory]
    for options in [*OTHERS[name], *others]:
        layout = fruit_envs.load(name, **{"num_players": 2, "memory": memory} | dict(options)).layout
        assert layout.digest == whole.digest, options
        assert np.array_equal(layout.scale, whole.scale), options


def test_a_short_game_of_fruit_salad_ends_soon_and_pays_somebody_now_and_then():
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

"""What shrunken games, tables and views refuse or hide."""

from __future__ import annotations

import json
import random
from collections import deque

import numpy as np
import pytest

import fruit_envs
from fruit_envs import Game, InvalidOption, InvalidTable
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.games.fruitoplay.components import FRUITS, default_table, mini_rules


@pytest.mark.parametrize(
    "options",
    [
        {"river": "publik"},
        {"tie_scope": "everything"},
        {"memory": "tabeltop"},
        {"reward": "points"},
        {"rivr": "current"},
        {"collective_reuse": "no"},
        {"reward_timing": "as_scored"},
        {"num_players": 7},
    ],
    ids=str,
)
def test_shrunken_games_check_their_options(options):
    with pytest.raises(InvalidOption, match=next(iter(options)) if options != {"rivr": "current"} else "rivr"):
        mini_rules(3, 3, 2, 2, **options)


def test_a_rules_record_that_pays_as_scored_pays_margins():
    rules = mini_rules(3, 3, 2, 2, rounds=3, reward="margin", reward_timing="as_scored").copy()
    Game("fruitoplay", rules=rules)
    rules["margin"] = 0
    with pytest.raises(InvalidOption, match="as_scored with margin"):
        Game("fruitoplay", rules=rules)


def test_malformed_tables(tmp_path):
    good = dict(default_table())
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    for table, text in (
        (good | {"numbers": np.array([1, 20])}, "'numbers'"),
        (good | {"single": np.array(5)}, "'single'"),
        (good | {"river": 7.0}, "'river'"),
        (good | {"river": True}, "'river'"),
        (str(deep), "JSON"),
    ):
        with pytest.raises(InvalidTable, match=text):
            fruit_envs.load("fruitoplay", table=table)
    path = tmp_path / "table.json"
    path.write_text(json.dumps(good | {"numbers": [1, 20]}))
    by_path = fruit_envs.load("fruitoplay", table=str(path))
    by_rows = fruit_envs.load("fruitoplay", table=good | {"numbers": (1, 20)})
    assert by_path.rules.tobytes() == by_rows.rules.tobytes() == fruit_envs.load("fruitoplay").rules.tobytes()


def test_f13_a_view_does_not_count_the_commitments_of_others():
    state = fruit_envs.load("fruitoplay").deal(3)
    before = state.view(0, 5).tobytes()
    for seat in (3, 1, 2):
        state.apply(seat, state.legal_actions(seat)[0])
        assert state.view(0, 5).tobytes() == before
    assert state.view(1, 5).decisions == 1  # its own


@pytest.fixture(scope="module")
def six_wins():
    """The game and the choices of each seat until turn 7 of a round in which seat 0 has won six tricks."""
    game = fruit_envs.load("fruitoplay", num_players=4)
    for seed in range(3_000):
        state, rng, choices = game.deal(seed), random.Random(seed), [deque() for _ in range(4)]
        while not state.over:
            facts = state.to_json(0)
            if facts["phase"] == "card" and facts["turn"] == 6 and facts["hand_sizes"][0] == 0:
                return game, seed, choices
            seat = state.seat
            legal = state.legal_actions(seat)
            if seat == 0 and facts["phase"] == "card":
                target = FRUITS.index(facts["river_fruit"][0]) * 20 + facts["river_number"][0] - 1
                action = min(legal, key=lambda card: (card // 20 != target // 20, abs(card % 20 - target % 20)))
            else:
                action = rng.choice(legal)
            choices[seat].append(action)
            state.apply(seat, action)
    raise AssertionError("no such game")


def test_f5_a_seat_without_cards_is_not_asked_in_the_aec_face(six_wins):
    game, seed, choices = six_wins
    env = AEC(game)
    env.reset(seed=seed)
    left = [deque(queue) for queue in choices]
    while any(left):
        env.step(left[env.agents.index(env.agent_selection)].popleft())
    for agent in ("player_1", "player_2", "player_3"):
        assert env.agent_selection == agent
        assert env.infos["player_0"]["action_mask"].sum() == 0
        env.step(int(env.last()[0]["action_mask"].argmax()))


def test_f5_a_seat_without_cards_is_not_asked_in_the_parallel_face(six_wins):
    game, seed, choices = six_wins
    env = Parallel(game)
    _, infos = env.reset(seed=seed)
    left = [deque(queue) for queue in choices]
    while any(left):
        active = [not infos[agent]["action_mask"][game.num_actions] for agent in env.agents]
        actions = [queue.popleft() if asked else game.num_actions for queue, asked in zip(left, active, strict=True)]
        _, _, _, _, infos = env.step(dict(zip(env.agents, actions, strict=True)))
    assert [int(infos[agent]["action_mask"][game.num_actions]) for agent in env.agents] == [1, 0, 0, 0]
    assert np.flatnonzero(infos["player_0"]["action_mask"]).tolist() == [game.num_actions]

"""Information states: they tell all that a seat is shown, and those of shrunken games are counted."""

from __future__ import annotations

import copy

import pytest

import fruit_envs
from fruit_envs import Game
from fruit_envs.games.fruity_fruit.components import mini_rules
from support import random_states

from .helpers import every_count, every_deal, every_mode, load
from .oracle import TABLE


def every_state(state):
    """This state and all that may follow, chance included."""
    yield state
    for action in [] if state.over else state.legal_actions(state.seat):
        for _, child in state.transitions(state.seat, action):
            yield from every_state(child)


def check(state, shown):
    """No state seen before had the same information state but another observation."""
    for seat in range(state.game.num_players):
        observation = state.observation(seat).tobytes()
        assert shown.setdefault(state.information_state(seat), observation) == observation


@every_mode
@pytest.mark.parametrize(
    "sizes",
    [
        {"rows": 2, "columns": 2},
        {"values": (1, 2, 9), "rows": 1, "columns": 6},  # a seat may place twice in a row, red 1 in the corner first
        {"values": 1, "rows": 2, "columns": 3, "cards": 3, "drawn": 2},
    ],
    ids=str,
)
def test_equal_information_states_of_small_games_imply_equal_observations(sizes, mode):
    shown = {}
    for deal in every_deal(Game("fruity_fruit", rules=mini_rules(**sizes, action_mode=mode))):
        for state in every_state(deal):
            check(state, shown)
    assert len(shown) > 50


@every_count
def test_equal_information_states_of_whole_games_imply_equal_observations(players):
    """Whatever is done next, on the default board and on one so full of fruit that the winner picks."""
    full = copy.deepcopy(TABLE) | {"board": ["MPMPMPMPMP"] * 10}
    picks, shown = 0, {}
    for game in (load(num_players=players), fruit_envs.load("fruity_fruit", num_players=players, components=full)):
        for state in random_states(game, 2, seed=players):
            check(state, shown)
            picks += not state.over and state.to_json(0)["phase"] == "fruit"
            for action in [] if state.over else state.legal_actions(state.seat)[:3]:
                child = state.copy()
                child.apply(child.seat, action)
                check(child, shown)
        shown.clear()  # two games may tell the same of different boards
    assert picks > 3


@pytest.mark.parametrize(
    ("values", "rows", "sets"),
    [
        (2, 2, [6, 48]),  # 6 hands; 4 places of 2 tiles of the known other hand, and one place is left
        ((7, 8), 3, [246, 348]),
        ((7, 8), 4, [8698, 8932]),
    ],
)
def test_information_sets_in_which_each_seat_decides(values, rows, sets):
    """Two colours, seat 0 starts."""
    game = Game("fruity_fruit", rules=mini_rules(2, values, rows, rows, action_mode="single"))
    keys = [set(), set()]
    for deal in every_deal(game):
        if deal.records[0]["starter"] == 0:
            for state in every_state(deal):
                if not state.over:
                    keys[state.seat].add(state.information_state(state.seat))
    assert [len(found) for found in keys] == sets

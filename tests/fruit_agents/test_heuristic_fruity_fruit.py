"""Fruity Fruit's heuristic: against its definition, on other worlds, in its ablations.

The long version, 500 duplicate sets:

    python -m pytest -m heavy tests/fruit_agents/test_heuristic_fruity_fruit.py
"""

from __future__ import annotations

import copy
import random
from collections import Counter

import numpy as np
import pytest

import fruit_envs
from fruit_agents.arena.match import duplicate_match
from fruit_agents.fruity_fruit.compiled import ILLEGAL
from fruit_agents.fruity_fruit.heuristic import Greedy
from fruit_envs import InvalidOption, NoView
from fruity_fruit.helpers import Both, load
from fruity_fruit.oracle import TABLE, colour_of, value_of
from support import NOTHING, nothing

BASKET, INSECT, ROOM = 3, 4, 2


def value_by_hand(both, placement):
    """What the heuristic's definition gives, from the oracle's table and the seat's own knowledge."""
    game, seat, n = both.oracle, both.oracle.question.seat, both.game.num_players
    tile, cards = placement[0], TABLE["scoring_cards"]
    led = colour_of(tile) if game.led is None else game.led
    laid = {other for other, _ in game.board.covered.values()}
    unseen = set(range(36)) - laid - game.hands[seat]

    def rank(other):
        return 9 * (colour_of(other) == 0) + value_of(other) if colour_of(other) in (0, led) else 0

    chance = float(rank(tile) > 0)
    for other, placed in game.trick.items():
        chance *= not (game.spaces[other] > 0 and rank(placed) > rank(tile))
    beaten = sum(rank(other) > rank(tile) for other in unseen) / max(1, len(unseen))
    waiting = [(game.leader + turn) % n for turn in range(n)]
    for other in waiting[waiting.index(seat) + 1 :]:
        chance *= (1 - beaten) ** 2 if game.spaces[other] > 0 else 1
    cells = game.board.cells(placement)
    marks = [game.board.symbols[cell] for cell in cells]
    pot = game.pot + ["MPCaog".index(mark) for mark in marks if mark in "MPCaog"]
    space = game.spaces[seat] + 4 * marks.count("B")
    own = sum(sorted((cards[game.cards[seat]][fruit] for fruit in pot), reverse=True)[:space])
    rivals = sum(sum(card[fruit] for card in cards) / 9 for fruit in pot)
    chance *= space > 0
    value = chance * own - (1 - chance) * rivals / (n - 1) + BASKET * marks.count("B") - INSECT * marks.count("X")
    board = game.board
    board.covered |= dict.fromkeys(cells, (tile, seat))
    mine = sum(len(board.placements(other)) for other in game.hands[seat] - {tile})
    theirs = sum(len(board.placements(other)) for other in unseen) / (n - 1)
    for cell in cells:
        del board.covered[cell]
    return value + ROOM * (mine - theirs) / (mine + theirs + 1)


@pytest.mark.parametrize("mode", ["two_step", "single"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_values_are_those_of_the_definition(players, mode):
    game = load(num_players=players, action_mode=mode, shapes="mixed")
    agent, rng = Greedy(game), random.Random(players)
    for seed in range(2):
        both = Both(game, seed=seed)
        while both.oracle.question is not None:
            question = both.oracle.question
            if question.kind == "tile":
                values = agent.values(both.state.view(question.seat, 5))
                for choice in rng.sample(question.options, min(2, len(question.options))):
                    expected = value_by_hand(both, choice)
                    if mode == "single":
                        assert values[both.ids(choice)[0]] == pytest.approx(expected)
                    else:
                        tile, place = both.ids(choice)
                        step = both.state.copy()
                        step.apply(question.seat, tile)
                        places = agent.values(step.view(question.seat, 5))
                        assert places[place] == pytest.approx(expected)
                        assert places.max() == values[tile]
            both.answer(both.anything(both.oracle))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_scoring_cards_are_worth_all_fruit_on_the_board_and_fruits_what_the_own_card_says(players):
    """On a board so full of fruit that the winner picks."""
    table = copy.deepcopy(TABLE) | {"board": ["MPaMPaMPaC"] * 10}
    game, asked = fruit_envs.load("fruity_fruit", num_players=players, components=table), Counter()
    agent, both = Greedy(game), Both(game, seed=players)
    cards, shown = TABLE["scoring_cards"], Counter("".join(table["board"]))
    while both.oracle.question is not None:
        question = both.oracle.question
        if question.kind != "tile":
            values, expected = agent.values(both.state.view(question.seat, 5)), {}
            for choice in question.options:
                if question.kind == "card":
                    worth = sum(value * shown[mark] for value, mark in zip(cards[choice], "MPCaog", strict=True))
                else:
                    worth = cards[both.oracle.cards[question.seat]][choice]
                expected[both.ids(choice)[0]] = worth
            assert {action: value for action, value in enumerate(values) if value > ILLEGAL} == expected
            asked[question.kind] += 1
        both.answer(both.anything(both.oracle))
    assert asked["card"] == players
    assert asked["fruit"] > 0


@pytest.mark.parametrize("mode", ["two_step", "single"])
def test_legal_actions_and_no_others_have_values_and_other_worlds_change_nothing(mode):
    game = load(action_mode=mode)
    agent, rng = Greedy(game), random.Random(1)
    for seed in range(6):
        state = game.deal(seed)
        while not state.over:
            seat, mask = state.seat, state.legal(state.seat)
            first, second = (state.view(seat, key) for key in (1, 2))
            values = agent.values(first)
            np.testing.assert_array_equal(values > ILLEGAL, mask == 1)
            np.testing.assert_array_equal(agent.values(second), values)
            key = rng.randrange(2**62)
            choice = agent.act(state.observation(seat), mask, first, key, NOTHING)
            assert values[choice] == values.max()
            assert agent.policy(state.observation(seat), mask, first, key, NOTHING)[choice] > 0
            rows = agent.act_batch(
                np.empty(0),
                mask,
                [first, second],
                np.array([key, key], np.uint64),
                nothing(2),
            )
            assert rows.tolist() == [choice, choice]
            state.apply(seat, choice if rng.random() < 0.7 else rng.choice(np.flatnonzero(mask).tolist()))


def test_what_it_refuses():
    with pytest.raises(InvalidOption, match=r'expected a game with memory="perfect"'):
        Greedy(fruit_envs.load("fruity_fruit", memory="tabletop"))
    agent = Greedy(load())
    with pytest.raises(NoView, match="expected a view, got None"):
        agent.act(np.empty(0), np.empty(0, np.int8), None, 0, NOTHING)


def lost(deals, **without):
    """The win share of an ablation as one against two of the whole heuristic."""
    agent = Greedy(load(), **without)
    agent.name = "ablation"
    return duplicate_match(load(), agent, Greedy(load()), deals=deals).win_share


def test_it_beats_random():
    assert duplicate_match(load(), Greedy(load()), "random", deals=40).win_share.low > 0.9


@pytest.mark.parametrize("without", ["baskets", "insects"])
def test_without_a_part_it_loses_win_share(without):
    assert lost(40, **{without: False}).high < 1 / 3


@pytest.mark.heavy
@pytest.mark.parametrize("without", ["baskets", "insects"])
def test_without_a_part_it_loses_win_share_over_five_hundred_sets(without):
    assert lost(500, **{without: False}).high < 1 / 3

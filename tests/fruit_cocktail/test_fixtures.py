"""The worked example of the rule text, and what holds in every game."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import islice
from typing import Any

import pytest

import fruit_envs

from .helpers import EXAMPLE_HANDS, EXAMPLE_LOCKED, beside, build, load, play, play_out, stage, staged
from .oracle import ASSUMED_V1, FRUITS, MODES, PLAYERS, Table, check_record, choosers

#: The printed lines: fruit, pieces, points. The line "Grape x1 = 3" of player 1 must be blueberry, and the orange card
#: of player 1, worth nothing, is not printed.
PRINTED = (
    {"banana": (2, -8), "cherry": (2, 2), "apple": (1, 4), "strawberry": (5, 5), "lychee": (1, 2), "blueberry": (1, 3)},
    {"blueberry": (3, 9), "cherry": (4, 4), "lychee": (3, 6), "orange": (1, 0), "grape": (4, -8), "banana": (1, -4)},
)
#: How the eight tiles can lie while some of them are hidden; the example has them at the positions of their ids.
HIDDEN_AND_PEEKS = {"base": ((1, 4, 6), (6, 1)), "easy": ((2, 7), None), "total_control": ((), None)}


@pytest.mark.parametrize("player", [0, 1])
def test_the_hands_are_those_of_the_printed_lines(player: int) -> None:
    pieces: Counter[str] = Counter()
    for card in EXAMPLE_HANDS[player]:
        pieces[FRUITS[ASSUMED_V1[card].fruit]] += ASSUMED_V1[card].pieces
    unprinted = {"orange": 2} if player == 0 else {}
    assert pieces == {fruit: count for fruit, (count, _) in PRINTED[player].items()} | unprinted
    worth = {FRUITS[p]: ASSUMED_V1[card].value for p, card in enumerate(EXAMPLE_LOCKED)}
    assert all(worth[fruit] * count == points for fruit, (count, points) in PRINTED[player].items())
    assert sum(points for _, points in PRINTED[player].values()) == (8, 7)[player]


@pytest.mark.parametrize("starter", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_the_worked_example_scores_8_and_7(mode: str, starter: int) -> None:
    hidden, peeks = HIDDEN_AND_PEEKS[mode]
    for reward, returns in (("win", [1, -1]), ("margin", [1 / 20, -1 / 20])):
        game = load(mode=mode, reward=reward)
        state = staged(game, EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks, starter=starter)
        assert state.scores.tolist() == [8, 7]
        assert state.shares.tolist() == [1, 0]
        assert state.returns.tolist() == pytest.approx(returns)
        seen = state.to_json(0)
        assert seen["held"] == [sorted(hand) for hand in EXAMPLE_HANDS]
        assert seen["value"] == [-4, 1, 4, 1, 2, -2, 3, 0]
        assert seen["tiles"] == [[fruit] for fruit in FRUITS]


@pytest.mark.parametrize("mode", MODES)
def test_the_worked_example_in_any_order_of_takes(mode: str) -> None:
    hidden, peeks = HIDDEN_AND_PEEKS[mode]
    rng = random.Random(0)
    game = load(mode=mode)
    for _ in range(20):
        hands = [rng.sample(hand, 8) for hand in EXAMPLE_HANDS]
        state = staged(game, hands, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks, starter=rng.randrange(2))
        assert state.scores.tolist() == [8, 7]


def example_record(mode: str, **options: Any) -> dict[str, Any]:
    """A hand-written record of the example: seat 0 begins, columns are locked after every second take of theirs."""
    hidden, peeks = HIDDEN_AND_PEEKS[mode]
    deal, takes = stage(EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks)
    left = {position: set(column) for position, column in enumerate(deal.columns)}
    events: list[dict[str, Any]] = [
        {
            "event": "deal",
            "tiles": [0, 1, 2, 3, 4, 5, 6, 7],
            "hidden": list(hidden),
            "columns": [list(column) for column in deal.columns],
            "peeks": list(peeks or [None, None]),
            "starter": 0,
        }
    ]
    for seat, card in takes:
        events.append({"event": "take", "seat": seat, "action": card, "card": card})
        (position,) = (p for p, cards in left.items() if card in cards)
        left[position].remove(card)
        if len(left[position]) == 1:
            events.append({"event": "lock", "position": position, "card": EXAMPLE_LOCKED[position]})
    if hidden:
        events.append({"event": "reveal", "tiles": [0, 1, 2, 3, 4, 5, 6, 7]})
    events.append({"event": "score", "values": [-4, 1, 4, 1, 2, -2, 3, 0], "scores": [8, 7]})
    return {
        "format": "fruit-record-1",
        "game": "fruit_cocktail",
        "version": 0,
        "options": {"num_players": 2, **({} if mode == "base" else {"mode": mode}), **options},
        "seed": None,
        "agents": ["player 1", "player 2"],
        "events": events,
        "scores": [8, 7],
        "returns": [1.0, -1.0] if options.get("reward") != "margin" else [0.05, -0.05],
    }


@pytest.mark.parametrize("options", [{}, {"reward": "margin"}, {"memory": "tabletop"}, {"tie": "replay"}], ids=str)
@pytest.mark.parametrize("mode", MODES)
def test_the_worked_example_as_a_hand_written_record(mode: str, options: dict[str, Any]) -> None:
    record = json.loads(json.dumps(example_record(mode, **options)))
    state = fruit_envs.replay(record)
    assert state.over
    assert state.scores.tolist() == [8, 7]
    assert check_record(record).table.scores() == [8, 7]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_sixteen_picks_two_from_every_column(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode)
    for seed, choose in zip(range(40), islice(choosers(random.Random(1)), 40), strict=True):
        state, table = beside(game, seed)
        play_out(state, table, choose)
        assert state.over
        assert state.decisions == 16
        taken = {card for hand in state.to_json(0)["held"] for card in hand}
        assert len(taken) == 16
        assert [len(taken & set(column)) for column in table.deal.columns] == [2] * 8
        sizes = [len(hand) for hand in state.to_json(table.deal.starter)["held"]]
        assert sizes == {2: [8, 8], 3: [6, 5, 5], 4: [4, 4, 4, 4]}[players]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_mask_loses_a_columns_last_card_in_the_step_that_locks_it(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode)
    for seed in range(20):
        state, table = beside(game, seed)
        choose = next(choosers(random.Random(seed)))
        while not table.over:
            before = set(state.legal_actions(table.turn))
            card = choose(table)
            play(state, table, card)
            after = set(state.legal_actions(state.seat)) if not state.over else set()
            column = next(set(column) for column in table.deal.columns if card in column)
            lost = {card} if len(column & before) == 3 else column & before
            assert before - after == lost
            assert not after - before


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_each_position_can_be_the_last_to_close(players: int, mode: str) -> None:
    """Every column over every tile, hidden or not, may decide the end."""
    hidden = {"base": (1, 4, 6), "easy": (2, 7), "total_control": ()}[mode]
    peeks = None
    if mode == "base":
        peeks = {2: (1, 4), 3: (6, 1, 4), 4: (4, 6, 6, 4)}[players]
    columns = [(3 * p, 3 * p + 1, 3 * p + 2) for p in range(8)]
    locked = [column[2] for column in columns]
    game = load(num_players=players, mode=mode)
    for last in range(8):
        order = [p for p in range(8) if p != last] + [last]
        cards = [columns[p][0] for p in order] + [columns[p][1] for p in order]
        hands = [cards[seat::players] for seat in range(players)]
        deal, _ = stage(hands, locked, hidden=hidden, peeks=peeks)
        deal = type(deal)(deal.tiles, deal.hidden, tuple(columns), deal.peeks, 0)
        state, table = build(game, deal), Table(deal)
        for card in cards[:-1]:
            play(state, table, card)
            assert not state.over
        assert state.legal_actions(state.seat) == [columns[last][1], columns[last][2]]
        play(state, table, cards[-1])
        assert state.over
        assert state.scores.tolist() == table.scores()

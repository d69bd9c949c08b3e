"""The engine against the oracle in every state: who may do what, and what it is worth."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest

from fruit_envs import Game, IllegalAction, InvalidSeat, State

from .helpers import MEAGRE, WORTHLESS, beside, build, content, dealt, facts, forced, load, match, play
from .oracle import MODES, PLAYERS, Chooser, Match, Table, choosers, deck_of, random_deal

DEFAULT, HEAVY = 60, 2000


def accepted(state: State, seat: int) -> list[int]:
    """The actions that a copy of the game accepts; a refused one changes nothing."""
    found, before = [], content(state)
    trial = state.copy()
    for action in range(24):
        try:
            trial.apply(seat, action)
        except IllegalAction:
            assert content(trial) == before
        else:
            found.append(action)
            trial = state.copy()
    assert content(state) == before
    return found


def compare_turn(state: State, table: Table) -> None:
    """Who may act and how, while a game is on."""
    assert state.seats == (() if table.over else (table.turn,))
    assert state.over == table.over
    assert not state.truncated
    for seat in range(table.players):
        legal = table.legal() if seat == table.turn and not table.over else []
        mask = state.legal(seat)
        assert mask.dtype == np.int8
        assert mask.tolist() == [int(card in legal) for card in range(24)]
        assert state.legal_actions(seat) == legal
        if legal:
            assert accepted(state, seat) == legal
        else:
            for card in (*table.legal()[:1], 0):
                with pytest.raises(InvalidSeat):
                    state.copy().apply(seat, card)


def compare_locks(state: State, table: Table) -> None:
    """Which columns are locked, with what value, as each seat sees it."""
    locked = [int(p in table.locked) for p in range(8)]
    values = [table.deck[table.locked[p]].value if p in table.locked else 0 for p in range(8)]
    for seat in range(table.players):
        seen = state.observation(seat)
        assert state.game.layout.block(seen, "locked").tolist() == locked
        assert state.game.layout.block(seen, "value").tolist() == values


def compare_end(state: State, table: Table) -> None:
    """Scores, win shares and rewards of a finished game."""
    options = state.game.options
    rewards = table.rewards(options["reward"], int(options["margin_scale"]))
    assert state.scores.tolist() == table.scores()
    assert state.shares.tolist() == pytest.approx([float(share) for share in table.shares()], abs=1e-12)
    assert state.returns.tolist() == pytest.approx([float(reward) for reward in rewards], abs=1e-12)
    assert sum(state.returns) == pytest.approx(0, abs=1e-12)


def play_and_compare(state: State, table: Table, choose: Chooser) -> None:
    """One whole game, every state compared."""
    compare_turn(state, table)
    while not table.over:
        play(state, table, choose(table))
        compare_turn(state, table)
        compare_locks(state, table)
        assert state.scores.tolist() == table.scores()  # as far as fruits are worth something
        if not table.over:
            assert state.returns.tolist() == [0] * table.players
            assert state.shares.tolist() == [0] * table.players
    assert len(table.takes) == 16
    compare_end(state, table)


def compare_games(game: Game, first: int, count: int) -> None:
    """Games from the engine's own deals and from built ones, in turn, played in several ways."""
    rng = random.Random(first)
    for seed, choose in zip(range(first, first + count), islice(choosers(rng), count), strict=True):
        if seed % 4:
            state, table = beside(game, seed)
        else:
            deal = random_deal(rng, game.num_players, game.options["mode"])
            state, table = build(game, deal), Table(deal)
        play_and_compare(state, table, choose)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("reward", ["win", "margin"])
def test_every_state_agrees(players: int, mode: str, reward: str) -> None:
    compare_games(load(num_players=players, mode=mode, reward=reward), 0, DEFAULT // 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_copy_has_the_same_bytes(players: int, mode: str) -> None:
    state, table = beside(load(num_players=players, mode=mode), 5)
    while not table.over:
        noise = [np.full(state.game.state_dtype.itemsize, 0xA5, np.uint8) for _ in range(8)]
        del noise  # freed memory of a record's size, which the next copy may be given
        copy = state.copy()
        assert content(copy) == content(state)
        assert copy.tobytes() == state.tobytes()
        play(state, table, table.legal()[0])


@pytest.mark.heavy
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_every_state_agrees_in_two_thousand_games(players: int, mode: str) -> None:
    compare_games(load(num_players=players, mode=mode), 10_000, HEAVY // 2)
    compare_games(load(num_players=players, mode=mode, reward="margin", margin_scale=7), 20_000, HEAVY // 2)


@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_every_seat_sees_what_the_oracle_says_it_may_know(players: int, mode: str, memory: str) -> None:
    game = load(num_players=players, mode=mode, memory=memory)
    rng = random.Random(7)
    for seed, choose in zip(range(100, 112), islice(choosers(rng), 12), strict=True):
        state, table = beside(game, seed)
        while True:
            for seat in range(players):
                assert state.to_json(seat) == facts(table, seat, mode, tabletop=memory == "tabletop")
            if table.over:
                break
            play(state, table, choose(table))


@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("rows", [WORTHLESS, MEAGRE], ids=["worthless", "meagre"])
def test_matches_of_tied_games_agree(
    rows: tuple[tuple[int, int, int], ...], players: int, mode: str, memory: str
) -> None:
    game = load(num_players=players, mode=mode, memory=memory, tie="replay", deck=rows)
    rng = random.Random(3)
    for seed, choose in zip(range(4), choosers(rng), strict=False):
        state = game.deal(seed)
        first = dealt(state)

        def engine_deals(number: int, starter: int | None, state: State = state) -> object:
            found = dealt(state)
            assert number == 0 or found.starter == starter
            return found

        whole = Match(engine_deals, deck_of(rows), replay_ties=True)  # type: ignore[arg-type]
        assert whole.table.deal == first
        while True:
            table = whole.table
            for seat in range(players):
                seen = facts(table, seat, mode, tabletop=memory == "tabletop", game_number=len(whole.games) - 1)
                assert state.to_json(seat) == seen
            if whole.over:
                break
            play(state, table, choose(table))
            assert state.over == whole.over
            if whole.replays():
                assert state.returns.tolist() == [0] * players
                compare_turn(state, whole.next_game())
        assert not state.seats
        compare_end(state, whole.table)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_engine_deals_nothing_impossible(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode)
    for seed in range(300):
        assert dealt(game.deal(seed)).faults(players, mode) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_engine_can_be_given_any_match(players: int, mode: str) -> None:
    """Built deals, tied games included: the forced outcomes of a whole match lead to exactly those games."""
    rng = random.Random(11)
    game = load(num_players=players, mode=mode, tie="replay", deck=MEAGRE)
    for choose in islice(choosers(rng), 8):
        whole = match(rng, players, mode, MEAGRE, "replay")
        takes = []
        while not whole.over:
            if whole.replays():
                whole.next_game()
            card = choose(whole.table)
            takes.append((whole.table.turn, card))
            whole.table.take(card)
        outcomes = forced(game, *[table.deal for table in whole.games])
        state = game.deal(0, outcomes=outcomes)
        for seat, card in takes:
            assert not state.over
            state.apply(seat, card, outcomes=outcomes)
        assert state.over
        compare_end(state, whole.table)

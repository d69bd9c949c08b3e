"""The rulings on play (C6-C9): what may be taken, in which order, and what a locked card does."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice, pairwise

import pytest

import fruit_envs
from fruit_envs import IllegalAction

from .helpers import (
    EXAMPLE_HANDS,
    EXAMPLE_HANDS_OF_3,
    EXAMPLE_HANDS_OF_4,
    EXAMPLE_LOCKED,
    beside,
    build,
    facts,
    load,
    play,
    play_out,
    staged,
)
from .oracle import ASSUMED_V1, ASSUMED_V1_ROWS, Table, choosers, random_deal
from .rulings import every_count, every_memory, every_mode

# ---- turns ---------------------------------------------------------------------------------------------------------


@every_mode
@every_count
def test_c6_any_card_of_a_column_that_holds_two(players: int, mode: str) -> None:
    """Columns over hidden tiles, over known tiles, of three cards and of two: all of it may be taken, nothing else."""
    state, table = beside(load(num_players=players, mode=mode), 8)
    lying = [set(column) for column in table.deal.columns]
    for seat, card in islice(_any_takes(table), 16):
        allowed = {c for column in lying if len(column) >= 2 for c in column}
        assert set(state.legal_actions(seat)) == allowed
        state.apply(seat, card)
        next(column for column in lying if card in column).remove(card)
    assert all(len(column) == 1 for column in lying)
    assert state.over


def _any_takes(table: Table) -> Iterable[tuple[int, int]]:
    choose = next(choosers(random.Random(8)))
    while not table.over:
        seat, card = table.turn, choose(table)
        table.take(card)
        yield seat, card


@every_count
def test_c6_no_passing(players: int) -> None:
    game = load(num_players=players)
    assert game.num_actions == 24
    state, table = beside(game, 2)
    while not table.over:
        assert state.seats == (table.turn,)
        assert state.legal(table.turn).sum() >= 2
        for action in (None, 24, -1):
            with pytest.raises(IllegalAction):
                state.apply(table.turn, action)  # type: ignore[arg-type]
        play(state, table, table.legal()[-1])


@every_mode
@pytest.mark.parametrize("starter", range(3))
def test_c7_three_players(starter: int, mode: str) -> None:
    """6/5/5 in strict turn order; the starter makes the first and the sixteenth pick."""
    game = load(num_players=3, mode=mode)
    rng = random.Random(starter)
    state = build(game, random_deal(rng, 3, mode, starter))
    order = []
    while not state.over:
        order.append(state.seat)
        state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
    assert order == [(starter + i) % 3 for i in range(16)]
    assert order[0] == order[-1] == starter
    held = [len(hand) for hand in state.to_json(starter)["held"]]
    assert held == [6, 5, 5]


@every_mode
@pytest.mark.parametrize("players", [2, 4])
def test_c7_two_and_four_players_share_the_picks_evenly(players: int, mode: str) -> None:
    state, table = beside(load(num_players=players, mode=mode), 12)
    play_out(state, table)
    assert [seat for seat, _ in table.takes] == [(table.deal.starter + i) % players for i in range(16)]
    assert [len(hand) for hand in state.to_json(0)["held"]] == [16 // players] * players


# ---- locks ---------------------------------------------------------------------------------------------------------


@every_memory
@every_mode
@every_count
def test_c8_a_column_is_locked_in_the_same_step(players: int, mode: str, memory: str) -> None:
    """At each position, hidden or not: the second take locks the third card for the very next seat, for all to see."""
    game = load(num_players=players, mode=mode, memory=memory)
    deal = random_deal(random.Random(players), players, mode)
    for position in range(8):
        state = build(game, deal)
        first, second, last = deal.columns[position]
        state.apply(state.seat, first)
        assert state.legal(state.seat)[[second, last]].tolist() == [1, 1]
        state.apply(state.seat, second)
        assert not state.legal(state.seat)[[first, second, last]].any()
        with pytest.raises(IllegalAction):
            state.apply(state.seat, last)
        for seat in range(players):
            seen = state.to_json(seat)
            assert seen["locked"] == [int(p == position) for p in range(8)]
            assert seen["value"][position] == ASSUMED_V1[last].value


@every_mode
def test_c8_a_lock_under_a_hidden_tile_does_not_turn_it_up(mode: str) -> None:
    game = load(mode=mode)
    deal = random_deal(random.Random(4), 2, mode)
    for position in deal.hidden:
        state, table = build(game, deal), Table(deal)
        for card in deal.columns[position][:2]:
            play(state, table, card)
        for seat in range(2):
            assert state.to_json(seat) == facts(table, seat, mode)


@every_mode
def test_c8_the_record_locks_right_after_the_take(mode: str) -> None:
    (record,) = fruit_envs.record("fruit_cocktail", seed=21, mode=mode)
    events = record["events"]
    left = {p: set(column) for p, column in enumerate(events[0]["columns"])}
    for event, after in pairwise(events):
        if event["event"] != "take":
            continue
        position = next(p for p, column in left.items() if event["card"] in column)
        left[position].remove(event["card"])
        if len(left[position]) == 1:
            assert after == {"event": "lock", "position": position, "card": next(iter(left[position]))}
        else:
            assert after["event"] == "take"


def _with_card(card: int, **changes: int) -> tuple[tuple[int, int, int], ...]:
    rows = [dict(zip(("fruit", "pieces", "value"), row, strict=True)) for row in ASSUMED_V1_ROWS]
    rows[card] |= changes
    return tuple((row["fruit"], row["pieces"], row["value"]) for row in rows)


@every_mode
def test_c9_a_locked_card_counts_its_value_per_piece(mode: str) -> None:
    """Grape2 under the banana tile: -4 for each banana piece, whatever sign and fruit the banana cards show."""
    hidden = {"base": (0, 1, 2), "easy": (0, 1), "total_control": ()}[mode]
    peeks = (0, 1) if mode == "base" else None
    for value, scores in ((-4, [8, 7]), (-1, [14, 10]), (0, [16, 11]), (5, [26, 16])):
        deck = _with_card(16, value=value)
        state = staged(load(mode=mode, deck=deck), EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks)
        assert state.scores.tolist() == scores


@every_mode
def test_c9_the_pieces_of_a_locked_card_count_for_nobody(mode: str) -> None:
    hidden = {"base": (0, 1, 2), "easy": (0, 1), "total_control": ()}[mode]
    peeks = (0, 1) if mode == "base" else None
    for card in EXAMPLE_LOCKED:
        for pieces in (1, 2, 3):
            game = load(mode=mode, deck=_with_card(card, pieces=pieces))
            state = staged(game, EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks)
            assert state.scores.tolist() == [8, 7]


@every_count
def test_c9_the_fruit_of_a_locked_card_counts_for_nobody(players: int) -> None:
    """Two locked cards trade fruits, values staying where they are: no score changes."""
    hands = {2: EXAMPLE_HANDS, 3: EXAMPLE_HANDS_OF_3, 4: EXAMPLE_HANDS_OF_4}[players]
    plain = load(num_players=players, mode="total_control")
    rows = [list(row) for row in ASSUMED_V1_ROWS]
    rows[16][0], rows[8][0] = rows[8][0], rows[16][0]
    traded = load(num_players=players, mode="total_control", deck=tuple(map(tuple, rows)))
    first, second = staged(plain, hands, EXAMPLE_LOCKED), staged(traded, hands, EXAMPLE_LOCKED)
    assert first.scores.tolist() == second.scores.tolist()


@every_count
def test_c9_values_of_taken_cards_count_for_nobody(players: int) -> None:
    """All taken cards change their value, the locked ones keep theirs."""
    hands = {2: EXAMPLE_HANDS, 3: EXAMPLE_HANDS_OF_3, 4: EXAMPLE_HANDS_OF_4}[players]
    rows = tuple(tuple(r) if c in EXAMPLE_LOCKED else (r[0], r[1], 5) for c, r in enumerate(ASSUMED_V1_ROWS))
    plain = staged(load(num_players=players, mode="total_control"), hands, EXAMPLE_LOCKED)
    other = staged(load(num_players=players, mode="total_control", deck=rows), hands, EXAMPLE_LOCKED)
    assert plain.scores.tolist() == other.scores.tolist()

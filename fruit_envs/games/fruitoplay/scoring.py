"""Who wins a trick of Fruitoplay (F2, F3), what rotten cards take with them (F9), what columns score (F10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import lowest_bit
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruitoplay.components import NUMBERS
from fruit_envs.games.fruitoplay.state import ALONE, COLORS, DOUBLE, GONE, IN_COLUMNS, PARTS, ROTTEN, SHARED, SINGLE


@helper
def trick_winner(rules: Record, state: Record, target: Any) -> Any:
    """F2: the seat of the lowest key that nobody shares, or -1; a key is the distance, plus NUMBERS off-colour.

    Keys are below 40, so a set of them is the bits of a number. With tie_scope="all" (F3) whoever is equally far away
    ties, whatever the colour: then distances are counted instead, and spoil both keys of that distance.
    """
    number, fruit = np.int64(rules.number[target]), rules.fruit[target]
    once, twice = np.int64(0), np.int64(0)
    keys = np.int64(0)
    for seat in range(np.int64(rules.num_players)):
        card = np.int64(state.chosen[seat])
        if card >= 0:
            distance = abs(np.int64(rules.number[card]) - number)
            key = distance + NUMBERS * np.int64(rules.fruit[card] != fruit)
            keys |= np.int64(1) << key
            tied = np.int64(1) << (distance if rules.tie_all else key)
            twice |= once & tied
            once |= tied
    if rules.tie_all:
        twice |= twice << NUMBERS
    best = lowest_bit(keys & ~twice)
    winner = np.int64(-1)
    for seat in range(np.int64(rules.num_players)):
        card = np.int64(state.chosen[seat])
        if card >= 0:
            own = abs(np.int64(rules.number[card]) - number) + NUMBERS * np.int64(rules.fruit[card] != fruit)
            if own == best:
                winner = np.int64(seat)
    return winner


@helper
def _collective_of(state: Record, seat: Any, fruit: Any) -> Any:
    """What the collective card adds to a seat's column of this fruit: its value, which is the round's number from 0."""
    return np.int64(state.round_no) * np.int64(state.collective == fruit) * (1 - np.int64(state.denied[seat]))


@helper
def offers(state: Record, seat: Any, fruit: Any, value: Any) -> Any:
    """F9: whether a seat's rotten card may remove this value (1 or 2): a card's, or that of the collective one."""
    part = seat * PARTS + fruit * 3
    return state.columns[part + value - 1] > 0 or _collective_of(state, seat, fruit) == value


@helper
def _remove(rules: Record, state: Record, seat: Any, fruit: Any, kind: Any) -> None:
    """A card of this fruit and kind leaves the seat's columns; cards of a kind are alike, so the lowest number does."""
    state.columns[seat * PARTS + fruit * 3 + kind] -= 1
    first = fruit * np.int64(rules.numbers)
    for card in range(first, first + np.int64(rules.numbers)):
        if state.place[card] == IN_COLUMNS + seat and rules.kind[card] == kind:
            state.place[card] = GONE
            return


@helper
def resolve_rotten(rules: Record, state: Record, seat: Any, fruit: Any, value: Any) -> None:
    """F9: the rotten card goes, and with it this value (0: nothing): a card before a collective of equal value."""
    _remove(rules, state, seat, fruit, ROTTEN)
    how = ALONE
    if value > 0:
        if state.columns[seat * PARTS + fruit * 3 + value - 1] > 0:
            _remove(rules, state, seat, fruit, value - 1)
            how = SINGLE if value == 1 else DOUBLE
        else:
            state.denied[seat] = 1
            how = SHARED
    state.resolved[seat * COLORS + fruit] = how


@helper
def score_round(rules: Record, state: Record) -> None:
    """F10: a seat's largest column times its smallest that is not 0."""
    for seat in range(np.int64(rules.num_players)):
        largest, smallest = np.int64(0), np.int64(99)
        for fruit in range(COLORS):
            part = seat * PARTS + fruit * 3
            total = np.int64(state.columns[part]) + 2 * np.int64(state.columns[part + 1])
            total += _collective_of(state, seat, fruit)
            state.sums[seat * COLORS + fruit] = total
            largest = max(largest, total)
            if 0 < total < smallest:
                smallest = total
        state.points[seat] = largest * smallest if largest > 0 else 0
        state.totals[seat] += state.points[seat]

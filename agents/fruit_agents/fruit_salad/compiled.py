"""The compiled part of the counters for Fruit Salad.

The perfect counter reads a view's record; the counters that remember a few cards read observations, never a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import count_bits, lowest_bit
from fruit_envs.engine.chance import CHOICE, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.games.fruit_salad.components import ANY, GIVE, KEEP, SLAP
from fruit_envs.games.fruit_salad.deck import CARDS
from fruit_envs.games.fruit_salad.knowledge import next_card, sees_next, unseen_cards
from fruit_envs.games.fruit_salad.rules import COLORS
from fruit_envs.games.fruit_salad.state import GIVING, KEEPING, W0, W2

ILLEGAL = -1e30


@helper
def pieces_on(rules: Record, card: Any) -> Any:
    """Pieces of all fruits on a card."""
    pieces = np.int64(0)
    for fruit in range(COLORS):
        pieces += np.int64(rules.pieces[card * COLORS + fruit])
    return pieces


@helper
def complete(rules: Record, cards: Any, fruit: Any, missing: Any) -> Any:
    """How many of these cards have no minion and so many pieces of a fruit."""
    count = np.int64(0)
    while cards:
        card = lowest_bit(cards)
        count += rules.minion[card] == 0 and rules.pieces[card * COLORS + fruit] >= missing
        cards &= cards - 1
    return count


@helper
def _chance_to_complete(rules: Record, state: Record, seat: Any, fruit: Any) -> Any:
    """That the next card completes the target without a minion: known cards and unseen ones of the pile, counted."""
    turn = np.int64(state.turn)
    size = np.int64(state.sizes[turn])
    if size == 1 and not rules.last_window:
        return 0.0  # S21: the game is over before the slap lands
    missing = np.int64(state.number) - np.int64(state.totals[fruit])
    if sees_next(rules, state, seat):
        return 1.0 * complete(rules, np.int64(1) << next_card(state, seat), fruit, missing)
    known, unseen = np.int64(state.known[turn]), unseen_cards(rules, state)
    found = 1.0 * complete(rules, known, fruit, missing)
    hidden = size - count_bits(known)
    if hidden > 0:
        found += hidden * complete(rules, unseen, fruit, missing) / count_bits(unseen)
    return found / size


@helper
def _shortest_other(rules: Record, state: Record, seat: Any) -> Any:
    """Cards in the shortest pile of the others."""
    least = np.int64(CARDS)
    for other in range(np.int64(rules.num_players)):
        if other != seat:
            least = min(least, np.int64(state.sizes[other]))
    return least


@helper
def _wins_next(rules: Record, state: Record, seat: Any) -> Any:
    """Whether another seat turns over its last card next, and so wins (S21), unless a slap takes the turn from it."""
    turn = np.int64(state.turn)
    due = turn + 1 if turn + 1 < rules.num_players else np.int64(0)
    return due != seat and state.sizes[due] == 1 and not rules.last_window


@helper
def _value_slap(rules: Record, state: Record, seat: Any, fruit: Any, threshold: Any, short: Any) -> Any:
    """A slap that names this fruit, against 0 for waiting."""
    if state.phase == W0:
        if _shortest_other(rules, state, seat) <= short:
            return -1.0
        return _chance_to_complete(rules, state, seat, fruit) - threshold
    if state.phase == W2 and state.totals[fruit] >= state.number:
        return 1.0 * state.totals[fruit]
    return 0.5 if state.phase == W2 and _wins_next(rules, state, seat) else -1.0


@helper
def _evaluate(rules: Record, state: Record, seat: Any, threshold: Any, short: Any, aims: Any, values: Any) -> None:
    """The value of every action of the seat, which is asked; only the order of values means something."""
    for action in range(values.shape[0]):
        values[action] = ILLEGAL
    if state.phase <= W2:
        values[0] = 0.0
        for fruit in range(COLORS):
            if state.fruit == ANY or state.fruit == fruit:
                values[SLAP + fruit] = _value_slap(rules, state, seat, fruit, threshold, short)
    elif state.phase == KEEPING:
        cards = np.int64(state.bowl)
        while cards:
            card = lowest_bit(cards)
            values[KEEP + card] = -1.0 * pieces_on(rules, card)
            cards &= cards - 1
    elif state.phase == GIVING:
        n = np.int64(rules.num_players)
        for place in range(1, n):
            other = (seat + place) % n
            before = np.int64(state.sizes[other]) - count_bits(np.int64(state.given[other]))
            values[GIVE + place] = -1.0 * before if aims else 0.0


@loop
def choose(
    rules: Any,
    states: Any,
    seats: Any,
    keys: Any,
    threshold: Any,
    short: Any,
    aims: Any,
    values: Any,
    actions: Any,
) -> None:
    """In every state the best action of a seat, ties broken by chance from the key; `values` keeps all values."""
    for i in range(actions.shape[0]):
        own = values[i]
        _evaluate(rules[0], states[i], seats[i], threshold, short, aims, own)
        actions[i] = draw_best(own, own.shape[0], stream_of_key(keys[i], CHOICE), 0)


# ---- counters that remember -----------------------------------------------------------------------------------------

#: Which of a table of places is which block's.
_PHASE, _TOP, _FIRST, _TURN, _NUMBER, _POINTS, _PILE, _NEXT = range(8)


@helper
def _which(seen: Any, start: Any, count: Any) -> Any:
    """The place of the 1 in a block of one choice, or -1."""
    for place in range(count):
        if seen[start + place]:
            return place
    return -1


@helper
def _remember(places: Any, seen: Any, memory: Any) -> None:
    """A card has landed for good; the first of a round lies in an empty bowl. A card is kept as its id + 1."""
    last = memory.shape[0] - 1
    if seen[places[_FIRST]]:
        for i in range(last + 1):
            memory[i] = 0
    for i in range(last):
        memory[i] = memory[i + 1]
    memory[last] = _which(seen, places[_TOP], CARDS) + 1


@helper
def _remembered(rules: Record, memory: Any, fruit: Any) -> Any:
    """Pieces of a fruit on the cards remembered."""
    count = np.int64(0)
    for i in range(memory.shape[0]):
        if memory[i] > 0:
            count += np.int64(rules.pieces[(np.int64(memory[i]) - 1) * COLORS + fruit])
    return count


@helper
def _chance_remembered(rules: Record, places: Any, seen: Any, memory: Any, fruit: Any) -> Any:
    """That the next card completes the target without a minion: any card that is not kept or remembered may come."""
    missing = np.int64(seen[places[_NUMBER]]) - _remembered(rules, memory, fruit)
    own = seen[places[_TURN]] != 0  # seats are relative: the observer is seat 0
    if own and seen[places[_PILE]] == 1 and not rules.last_window:
        return 0.0  # S21
    foreseen = _which(seen, places[_NEXT], CARDS) if own and places[_NEXT] >= 0 else np.int64(-1)
    if foreseen >= 0:
        return 1.0 * complete(rules, np.int64(1) << foreseen, fruit, missing)
    possible = (np.int64(1) << np.int64(rules.cards)) - 1
    for i in range(memory.shape[0]):
        if memory[i] > 0:
            possible &= ~(np.int64(1) << (np.int64(memory[i]) - 1))
    for card in range(CARDS):
        if seen[places[_POINTS] + card]:
            possible &= ~(np.int64(1) << card)
    return complete(rules, possible, fruit, missing) / max(count_bits(possible), np.int64(1))


@helper
def _evaluate_remembered(
    rules: Record, places: Any, seen: Any, mask: Any, memory: Any, threshold: Any, values: Any
) -> None:
    """The value of every action; only the order of values means something."""
    phase = _which(seen, places[_PHASE], GIVING + 1)
    if phase == W2:
        _remember(places, seen, memory)
    for action in range(values.shape[0]):
        values[action] = 0.0 if mask[action] else ILLEGAL
    if phase <= W2:
        for fruit in range(COLORS):
            if mask[SLAP + fruit]:
                if phase == W0:
                    value = _chance_remembered(rules, places, seen, memory, fruit) - threshold
                else:
                    count = _remembered(rules, memory, fruit)
                    value = 1.0 * count if phase == W2 and count >= seen[places[_NUMBER]] else -1.0
                values[SLAP + fruit] = value
    elif phase == KEEPING:
        for card in range(CARDS):
            if mask[KEEP + card]:
                values[KEEP + card] = -1.0 * pieces_on(rules, card)


@loop
def choose_remembered(
    rules: Any,
    places: Any,
    seen: Any,
    masks: Any,
    keys: Any,
    memories: Any,
    threshold: Any,
    values: Any,
    actions: Any,
) -> None:
    """In every row the best action, ties broken by chance from the key; memories are brought up to date."""
    for i in range(actions.shape[0]):
        row = values[i]
        _evaluate_remembered(rules[0], places, seen[i], masks[i], memories[i], threshold, row)
        actions[i] = draw_best(row, row.shape[0], stream_of_key(keys[i], CHOICE), 0)

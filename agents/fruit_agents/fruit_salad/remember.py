"""The compiled part of the counters that remember a few cards: they read observations, never a game's record."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_agents.fruit_salad.compiled import ILLEGAL, complete, pieces_on
from fruit_envs.engine.bits import count_bits
from fruit_envs.engine.chance import CHOICE, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.games.fruit_salad.components import KEEP, SLAP
from fruit_envs.games.fruit_salad.deck import CARDS
from fruit_envs.games.fruit_salad.rules import COLORS
from fruit_envs.games.fruit_salad.state import GIVING, KEEPING, W0, W2

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
def _chance_to_complete(rules: Record, places: Any, seen: Any, memory: Any, fruit: Any) -> Any:
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
def _evaluate(rules: Record, places: Any, seen: Any, mask: Any, memory: Any, threshold: Any, values: Any) -> None:
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
                    value = _chance_to_complete(rules, places, seen, memory, fruit) - threshold
                else:
                    count = _remembered(rules, memory, fruit)
                    value = 1.0 * count if phase == W2 and count >= seen[places[_NUMBER]] else -1.0
                values[SLAP + fruit] = value
    elif phase == KEEPING:
        for card in range(CARDS):
            if mask[KEEP + card]:
                values[KEEP + card] = -1.0 * pieces_on(rules, card)


@loop
def choose(
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
        own = values[i]
        _evaluate(rules[0], places, seen[i], masks[i], memories[i], threshold, own)
        actions[i] = draw_best(own, own.shape[0], stream_of_key(keys[i], CHOICE), 0)

"""The compiled part of the baselines for Fruitoplay."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.chance import CHOICE, draw, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.games.fruitoplay.components import (
    CANCEL,
    CARDS,
    CHOOSE,
    DECLINE,
    DRAW,
    MAX_PLAYERS,
    NUM_ACTIONS,
    NUMBERS,
)
from fruit_envs.games.fruitoplay.rules import is_hidden
from fruit_envs.games.fruitoplay.state import COLLECT, COLORS, OPTIONAL, PARTS, PLAY, ROTTEN

ILLEGAL = -(2**62)

#: Numbers drawn from a key for its samples come before this one, which breaks ties.
_TIE = 2**31

#: What one decision needs.
SCRATCH = np.dtype(
    [
        ("value", np.int64, (NUM_ACTIONS,)),
        ("hidden", np.int64, (CARDS,)),  # the cards that the viewer cannot place
        ("count", np.int64),  # how many
        ("parts", np.int64, (MAX_PLAYERS * PARTS,)),  # columns and hands by seat, fruit and kind
        ("played", np.int64, (MAX_PLAYERS,)),  # in a sampled world, -1 where nothing
        ("without", np.int64, (MAX_PLAYERS,)),  # what each seat scores in it if it wins nothing
        ("bonus_fruit", np.int64),  # of the collective card, or -1
        ("bonus", np.int64),  # its value
    ]
)


@helper
def _add(rules: Record, scratch: Record, seat: Any, card: Any, count: Any) -> None:
    """A card comes to a seat (count 1) or leaves it (count -1)."""
    scratch.parts[seat * PARTS + np.int64(rules.fruit[card]) * 3 + np.int64(rules.kind[card])] += count


@helper
def _points(scratch: Record, seat: Any) -> Any:
    """What the seat's cards score (F9, F10); a rotten card takes a value 1 if it can."""
    largest, smallest = np.int64(0), np.int64(99)
    for fruit in range(COLORS):
        part = seat * PARTS + fruit * 3
        singles, bonus = scratch.parts[part], scratch.bonus * (scratch.bonus_fruit == fruit)
        total = singles + 2 * scratch.parts[part + 1] + bonus
        if scratch.parts[part + ROTTEN] > 0 and total > 0:
            total -= 1 if singles > 0 or bonus == 1 else 2
        largest = max(largest, total)
        if 0 < total < smallest:
            smallest = total
    return largest * smallest if largest > 0 else np.int64(0)


@helper
def _look(rules: Record, state: Record, seat: Any, scratch: Record) -> None:
    """What the seat knows: all columns, its hand, and which cards are hidden from it."""
    n, count = np.int64(rules.num_players), np.int64(0)
    scratch.bonus_fruit, scratch.bonus = np.int64(state.collective), np.int64(state.round_no)
    for part in range(n * PARTS):
        scratch.parts[part] = state.columns[part]
    for card in range(np.int64(rules.fruits) * np.int64(rules.numbers)):
        if state.place[card] == seat:
            _add(rules, scratch, seat, card, 1)
        elif is_hidden(rules, state, seat, card):
            scratch.hidden[count] = card
            count += 1
    scratch.count = count


@helper
def _key(rules: Record, target: Any, card: Any) -> Any:
    """F2: the distance, plus NUMBERS off-colour; the lowest that is not shared wins."""
    distance = abs(np.int64(rules.number[card]) - np.int64(rules.number[target]))
    return distance + NUMBERS * np.int64(rules.fruit[card] != rules.fruit[target])


@helper
def _winner(rules: Record, scratch: Record, target: Any) -> Any:
    """F2, F3: who wins with the cards of `scratch.played`, or -1."""
    n, winner, lowest = np.int64(rules.num_players), np.int64(-1), np.int64(2 * NUMBERS)
    for seat in range(n):
        if scratch.played[seat] >= 0:
            key = _key(rules, target, scratch.played[seat])
            shared = False
            for other in range(n):
                if other != seat and scratch.played[other] >= 0:
                    difference = key - _key(rules, target, scratch.played[other])
                    shared |= difference == 0 or (rules.tie_all and abs(difference) == NUMBERS)
            if not shared and key < lowest:
                winner, lowest = np.int64(seat), key
    return winner


@helper
def _sample(rules: Record, state: Record, seat: Any, scratch: Record, stream: Any, used: Any) -> Any:
    """A world: each rival's hand, of which it plays a card at random; returns how many numbers have been drawn.

    The other cards of a hand are added to the rival's parts.
    """
    n, i = np.int64(rules.num_players), np.int64(0)
    for rival in range(n):
        scratch.played[rival] = -1
        if rival != seat:
            for card in range(np.int64(state.sizes[rival])):
                j = i + draw(stream, used + i, scratch.count - i)
                scratch.hidden[i], scratch.hidden[j] = scratch.hidden[j], scratch.hidden[i]
                if card == 0:
                    scratch.played[rival] = scratch.hidden[i]
                else:
                    _add(rules, scratch, rival, scratch.hidden[i], 1)
                i += 1
            scratch.without[rival] = _points(scratch, rival)
    return used + i


@helper
def _forget(rules: Record, state: Record, seat: Any, scratch: Record) -> None:
    """Take the sampled hands away again."""
    i = np.int64(0)
    for rival in range(np.int64(rules.num_players)):
        if rival != seat:
            for card in range(np.int64(state.sizes[rival])):
                if card > 0:
                    _add(rules, scratch, rival, scratch.hidden[i], -1)
                i += 1


@helper
def _pot(rules: Record, scratch: Record, winner: Any, target: Any, count: Any) -> None:
    """The trick comes to its winner, or is taken back."""
    _add(rules, scratch, winner, target, count)
    for seat in range(np.int64(rules.num_players)):
        if scratch.played[seat] >= 0:
            _add(rules, scratch, winner, scratch.played[seat], count)


@helper
def _outcome(rules: Record, state: Record, seat: Any, scratch: Record, target: Any) -> Any:
    """Own score times n - 1, minus the rivals', after a trick in a sampled world; the own card has left the hand."""
    winner = _winner(rules, scratch, target)
    rivals = np.int64(0)
    for rival in range(np.int64(rules.num_players)):
        if rival != seat:
            rivals += scratch.without[rival]
    if winner < 0:
        mine = _points(scratch, seat)
    else:
        _pot(rules, scratch, winner, target, 1)
        mine = _points(scratch, seat)
        if winner != seat:
            rivals += _points(scratch, winner) - scratch.without[winner]
        _pot(rules, scratch, winner, target, -1)
    return mine * (np.int64(rules.num_players) - 1) - rivals


@helper
def _value_cards(rules: Record, state: Record, seat: Any, samples: Any, stream: Any, scratch: Record) -> None:
    """Every card of the hand: its key where there are no samples, else the sum of its outcomes over them."""
    target = np.int64(state.river[np.int64(state.turn)])
    for card in range(CARDS):
        if state.place[card] == seat:
            scratch.value[card] = 0 if samples else -_key(rules, target, card)
    used = np.int64(0)
    for _ in range(samples):
        used = _sample(rules, state, seat, scratch, stream, used)
        for card in range(CARDS):
            if state.place[card] == seat:
                _add(rules, scratch, seat, card, -1)
                scratch.played[seat] = card
                scratch.value[card] += _outcome(rules, state, seat, scratch, target)
                _add(rules, scratch, seat, card, 1)
        _forget(rules, state, seat, scratch)


@helper
def _value_draw(rules: Record, scratch: Record, seat: Any) -> None:
    """The optional draw: own points summed over all cards that may come, against as many times the points now."""
    total = np.int64(0)
    for i in range(scratch.count):
        _add(rules, scratch, seat, scratch.hidden[i], 1)
        total += _points(scratch, seat)
        _add(rules, scratch, seat, scratch.hidden[i], -1)
    scratch.value[DRAW], scratch.value[DECLINE] = total, scratch.count * _points(scratch, seat)


@helper
def _evaluate(rules: Record, state: Record, seat: Any, samples: Any, stream: Any, scratch: Record) -> None:
    """The value of every action of the seat, which is asked."""
    for action in range(NUM_ACTIONS):
        scratch.value[action] = ILLEGAL
    _look(rules, state, seat, scratch)
    if state.phase == PLAY:
        _value_cards(rules, state, seat, samples, stream, scratch)
    elif state.phase == OPTIONAL:
        _value_draw(rules, scratch, seat)
    elif state.phase == COLLECT:
        for fruit in range(np.int64(rules.fruits)):
            if rules.reuse or rules.fruits == 1 or state.barred != fruit:
                scratch.bonus_fruit = fruit
                scratch.value[CHOOSE + fruit] = _points(scratch, seat)
    else:
        scratch.value[CANCEL], scratch.value[CANCEL + 1] = 1, 0


@loop
def choose(rules: Any, states: Any, seats: Any, keys: Any, samples: Any, scratch: Any, actions: Any) -> None:
    """In every state the best action of a seat, ties broken by chance from the key; `scratch` keeps all values."""
    for i in range(actions.shape[0]):
        own, stream = scratch[i], stream_of_key(keys[i], CHOICE)
        _evaluate(rules[0], states[i], seats[i], samples, stream, own)
        actions[i] = draw_best(own.value, NUM_ACTIONS, stream, _TIE)

"""The compiled part of the heuristics for Fruit Cocktail: what a seat believes, and what its picks are worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.chance import CHOICE, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.games.fruit_cocktail.components import CARDS, COLUMNS
from fruit_envs.games.fruit_cocktail.rules import unseen

#: Means are taken over up to three cards in a column and up to three unseen tiles: in sixths they are whole numbers.
WHOLE = 6
PART = np.array([0, 6, 3, 2])  # one of so many, in sixths
UNITS = WHOLE * WHOLE
ILLEGAL = -(2**62)

#: What the viewer believes, and what it makes of it.
BELIEF = np.dtype(
    [
        ("total", np.int64, (COLUMNS,)),  # values of the cards left in each column, added up
        ("left", np.int64, (COLUMNS,)),
        ("worth", np.int64, (COLUMNS,)),  # WHOLE times their mean
        ("doubt", np.int64, (COLUMNS,)),  # 1: the viewer has not seen the tile
        ("pieces", np.int64, (COLUMNS,)),  # of each fruit: own ones times n - 1, minus all rivals'
        ("free", np.int64, (CARDS,)),  # 1: still in the line
        ("value", np.int64, (CARDS,)),  # of taking each card
    ]
)


@helper
def _move(rules: Record, state: Record, belief: Record, card: Any, count: Any, share: Any) -> None:
    """Take a card from its column (count -1) into a hand of this share, or put it back (count 1)."""
    p = np.int64(state.at[card])
    belief.free[card] += count
    belief.left[p] += count
    belief.total[p] += count * np.int64(rules.value[card])
    belief.worth[p] = belief.total[p] * PART[belief.left[p]]
    belief.pieces[np.int64(rules.fruit[card])] -= count * share * np.int64(rules.pieces[card])


@helper
def _legal(state: Record, belief: Record, card: Any) -> Any:
    """C6 in the viewer's mind: a card of a column that holds at least two."""
    return belief.free[card] and belief.left[np.int64(state.at[card])] > 1


@helper
def _believe(rules: Record, state: Record, seat: Any, belief: Record) -> None:
    """What the seat knows of a state, in the terms of `BELIEF`, which comes zeroed."""
    for h in range(np.int64(rules.hidden)):
        belief.doubt[np.int64(state.hidden_at[h])] = unseen(state, seat, h)
    for card in range(np.int64(rules.num_actions)):
        if state.here[card]:
            _move(rules, state, belief, card, 1, 0)
        else:
            share = np.int64(rules.num_players) - 1 if state.holder[card] == seat else -1
            belief.pieces[np.int64(rules.fruit[card])] += share * np.int64(rules.pieces[card])


@helper
def _position(rules: Record, state: Record, belief: Record) -> Any:
    """Expected margin over the rivals' mean, in units of 1 / (UNITS (n - 1)) points."""
    known, doubtful = np.int64(0), np.int64(0)
    worth, pieces = np.int64(0), np.int64(0)
    for p in range(np.int64(rules.columns)):
        held = belief.pieces[np.int64(state.tiles[p])]
        if belief.doubt[p]:  # of these tiles only the set is used, which is public
            doubtful += 1
            worth += belief.worth[p]
            pieces += held
        else:
            known += belief.worth[p] * held
    return known * WHOLE + worth * pieces * PART[doubtful]


@helper
def _after_reply(rules: Record, state: Record, belief: Record) -> Any:
    """The position after the next seat's most damaging pick, or as it is where none is left."""
    worst = -ILLEGAL
    for card in range(np.int64(rules.num_actions)):
        if _legal(state, belief, card):
            _move(rules, state, belief, card, -1, -1)
            worst = min(worst, _position(rules, state, belief))
            _move(rules, state, belief, card, 1, -1)
    return _position(rules, state, belief) if worst == -ILLEGAL else worst


@helper
def _evaluate(rules: Record, state: Record, seat: Any, replies: Any, belief: Record) -> None:
    """What the seat, which is asked, expects of every card it may take, into `belief.value`."""
    _believe(rules, state, seat, belief)
    own = np.int64(rules.num_players) - 1
    for card in range(np.int64(rules.num_actions)):
        belief.value[card] = ILLEGAL
        if _legal(state, belief, card):
            _move(rules, state, belief, card, -1, own)
            value = _after_reply(rules, state, belief) if replies else _position(rules, state, belief)
            _move(rules, state, belief, card, 1, own)
            belief.value[card] = value


@loop
def choose(rules: Any, states: Any, seats: Any, keys: Any, replies: Any, beliefs: Any, actions: Any) -> None:
    """In every state the best pick of a seat, ties broken by chance from the key; the beliefs keep all values."""
    for i in range(actions.shape[0]):
        belief = beliefs[i]
        _evaluate(rules[0], states[i], seats[i], replies, belief)
        stream = stream_of_key(keys[i], CHOICE)
        actions[i] = draw_best(belief.value, np.int64(rules[0].num_actions), stream, 0)

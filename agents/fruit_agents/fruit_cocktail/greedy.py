"""One-ply greedy and greedy-2 for Fruit Cocktail.

A position is worth what its holdings would score if every fruit had the value that the viewer expects of it. A column
is expected to lock the mean of the cards left in it. A fruit whose tile the viewer has not seen lies under each unseen
tile equally often over the consistent worlds, so its expected value is the mean over those columns, and the average
over all worlds needs no list of worlds. Other seats' picks are not read as hints.

Worth is counted in whole numbers (`UNITS` (n - 1) a point), so that equally good actions are equal exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.valued import ValuedAgent
from fruit_envs.engine.chance import CHOICE, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.engine.memory import new_records
from fruit_envs.games.fruit_cocktail.components import CARDS, COLUMNS
from fruit_envs.games.fruit_cocktail.rules import unseen
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.state import View

__all__ = ["Greedy", "Greedy2"]

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


class Greedy(ValuedAgent):
    """Takes the card that leaves the best expected position.

    Parameters
    ----------
    game
        Fruit Cocktail with any number of players, in any mode, with `memory="perfect"`.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    name = "greedy"
    replies = False

    def values(self, view: View | None) -> NDArray[np.float64]:
        """What the viewer, who is asked, expects of each action: margin over the rivals' mean, in points.

        Returns
        -------
        numpy.ndarray
            float64, shape (num_actions,); -inf where the action is not legal.
        """
        units = self.decide_one(view)[1]
        return np.where(units == ILLEGAL, -np.inf, units / (UNITS * (self.game.num_players - 1)))

    def decide(self, seen: Views, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best action in every view, and the values of all actions in units."""
        beliefs, actions = new_records(BELIEF, len(seen)), np.empty(len(seen), np.int64)
        choose(self.game.rules, seen.records, seen.viewers, keys, self.replies, beliefs, actions)
        return actions, beliefs["value"][:, : self.game.num_actions]


class Greedy2(Greedy):
    """Takes the card that leaves the best expected position after the next seat's most damaging pick."""

    name = "greedy2"
    replies = True

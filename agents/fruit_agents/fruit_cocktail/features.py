"""Facts of Fruit Cocktail that follow from an observation, for networks: what fruits are worth and cards would change.

A network that multiplies badly is spared the products. Everything is computed from one observation, so nothing hidden
can get in. Terms as in `greedy`: a column is expected to lock the mean of the cards left in it; a fruit whose tile the
observer has not seen lies equally often under each such tile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.features import Features
from fruit_envs.base.errors import InvalidOption
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.engine.memory import new_records
from fruit_envs.games.fruit_cocktail.components import CARDS, COLUMNS, HIDDEN

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["OnePly"]

#: Columns by what is known of their tile: one for each fruit, then one for each tile that the observer has not seen.
PLACES = COLUMNS + HIDDEN

#: What is worked out for one observation.
SCRATCH = np.dtype(
    [
        ("place", np.int64, (CARDS,)),  # of each card in the line, else -1
        ("total", np.float64, (PLACES,)),  # values of the cards left, added up
        ("left", np.float64, (PLACES,)),
        ("mean", np.float64, (PLACES,)),
        ("worth", np.float64, (COLUMNS,)),  # expected value of each fruit
        ("mine", np.float64, (PLACES,)),  # pieces of the fruit of each column, or the mean over what it may be
        ("theirs", np.float64, (PLACES,)),  # the rivals' mean
    ]
)

#: Numbers for each card and for each fruit; and for each seat.
PER_CARD, PER_FRUIT = 5, 4
_VALUE, _PIECES = 1 / 5, 1 / 6  # scales


@helper
def _place_cards(rules: Record, observation: Any, line: Any, under: Any, scratch: Record) -> Any:
    """Find each card's column, and what is left in it; returns how many tiles are unknown to the observer."""
    for place in range(PLACES):
        scratch.total[place] = scratch.left[place] = scratch.mean[place] = 0.0
    for card in range(CARDS):
        fruits, fruit = 0, 0
        for f in range(COLUMNS):
            if observation[line + card * COLUMNS + f]:
                fruits += 1
                fruit = f
        place = fruit if fruits else -1
        if fruits > 1:
            for h in range(HIDDEN):
                if observation[under + h * CARDS + card]:
                    place = COLUMNS + h
        scratch.place[card] = place
        if place >= 0:
            scratch.total[place] += rules.value[card]
            scratch.left[place] += 1
    unknown = 0
    for place in range(PLACES):
        if scratch.left[place] > 0:
            scratch.mean[place] = scratch.total[place] / scratch.left[place]
            if place >= COLUMNS:
                unknown += 1
    return unknown


@helper
def _weigh_fruits(rules: Record, observation: Any, held: Any, unknown: Any, scratch: Record) -> None:
    """What each fruit is expected to be worth, and who holds how much of it."""
    n = np.int64(rules.num_players)
    doubtful = 0.0
    for h in range(HIDDEN):
        doubtful += scratch.mean[COLUMNS + h]
    mine, theirs, doubts = 0.0, 0.0, 0
    for f in range(COLUMNS):
        scratch.mine[f] = scratch.theirs[f] = 0.0
    for card in range(np.int64(rules.num_actions)):
        fruit = np.int64(rules.fruit[card])
        for seat in range(n):
            if observation[held + seat * CARDS + card]:
                if seat == 0:
                    scratch.mine[fruit] += rules.pieces[card]
                else:
                    scratch.theirs[fruit] += rules.pieces[card] / (n - 1)
    for f in range(np.int64(rules.columns)):
        if scratch.left[f] > 0:
            scratch.worth[f] = scratch.mean[f]
        else:
            scratch.worth[f] = doubtful / max(unknown, 1)
            mine += scratch.mine[f]
            theirs += scratch.theirs[f]
            doubts += 1
    for h in range(HIDDEN):
        scratch.mine[COLUMNS + h] = mine / max(doubts, 1)
        scratch.theirs[COLUMNS + h] = theirs / max(doubts, 1)


@helper
def _write_cards(rules: Record, unknown: Any, scratch: Record, out: Any) -> None:
    """For each card: whether it is there, whether it may be taken, and what taking it would change."""
    for card in range(CARDS):
        k, place = card * PER_CARD, scratch.place[card]
        for j in range(PER_CARD):
            out[k + j] = 0.0
        if place < 0:
            continue
        out[k] = 1.0
        left = scratch.left[place]
        if left < 2:
            continue
        out[k + 1] = 1.0 if left == 2 else 0.5  # 1: it would lock its column
        change = (scratch.total[place] - rules.value[card]) / (left - 1) - scratch.mean[place]
        f = np.int64(rules.fruit[card])
        worth = scratch.worth[f]
        if place == f:
            worth += change
        elif place >= COLUMNS and scratch.left[f] == 0:
            worth += change / unknown
        out[k + 2] = rules.pieces[card] * worth * _VALUE
        out[k + 3] = change * scratch.mine[place] * _VALUE
        out[k + 4] = change * scratch.theirs[place] * _VALUE


@helper
def _write_fruits(rules: Record, scratch: Record, out: Any, k: Any) -> Any:
    for f in range(COLUMNS):
        out[k] = scratch.worth[f] * _VALUE
        out[k + 1] = 1.0 if scratch.left[f] == 0 else (scratch.left[f] - 1) * 0.5 - 1.0  # its tile is unknown; how open
        out[k + 2] = scratch.mine[f] * _PIECES
        out[k + 3] = scratch.theirs[f] * _PIECES
        k += PER_FRUIT
    return k


@loop
def feature_rows(
    rules: Any, observations: Any, line: Any, under: Any, held: Any, tail: Any, scratches: Any, out: Any
) -> None:
    """The features of every row; `line`, `under`, `held` and `tail` are where the blocks begin."""
    scratch = scratches[0]
    for i in range(observations.shape[0]):
        observation, row = observations[i], out[i]
        unknown = _place_cards(rules[0], observation, line, under, scratch)
        _weigh_fruits(rules[0], observation, held, unknown, scratch)
        _write_cards(rules[0], unknown, scratch, row)
        k = _write_fruits(rules[0], scratch, row, CARDS * PER_CARD)
        for j in range(tail, observations.shape[1]):  # peeks, mover, picks: as they are
            row[k] = observation[j]
            k += 1


class OnePly(Features):
    """What every fruit is expected to be worth, who holds how much of it, and what taking each card would change.

    For each card: whether it is in the line; 0.5 where it may be taken, 1 where that would lock its column; what it
    would add at its fruit's expected value; how far the change of its column's mean would move the observer's score,
    and the rivals' mean. For each fruit: its expected value; 1 where its tile is unknown, else how open its column is;
    pieces of the observer; the rivals' mean. Then who peeked where, the mover, and the picks. Up to rounding, the sum
    of the third and fourth numbers of a card minus the fifth is what the one-ply greedy agent maximises.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, whose observations do not tell who holds what.
    """

    name = "one_ply_v1"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if game.options["memory"] != "perfect":
            raise InvalidOption(f'features {self.name!r}: expected memory="perfect", got {game.options["memory"]!r}')
        layout = game.layout
        self._starts = tuple(layout[name].start for name in ("line", "hidden_columns", "held"))
        self._tail = layout["held"].stop
        tail = layout.size - self._tail
        self.size = CARDS * PER_CARD + COLUMNS * PER_FRUIT + tail
        self.scale = np.ones(self.size, np.float32)
        self.scale[self.size - tail :] = layout.scale[self._tail :]

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """The numbers of each row: float32, shape (rows, size)."""
        out = np.empty((len(observations), self.size), np.float32)
        rows = np.ascontiguousarray(observations)
        line, under, held = self._starts
        feature_rows(self.game.rules, rows, line, under, held, self._tail, new_records(SCRATCH, 1), out)
        return out

"""Counters for Fruit Salad: one that counts everything, and some that remember the last few cards of the bowl.

The perfect counter knows what lies in the bowl and what may lie on top of each pile. It reacts exactly where the target
is met, under an any-fruit die with the fruit there is most of. Before a card lands it arms where that card completes
the target, and has no minion, with enough probability, as long as no other pile is short. Otherwise it slaps only to
deny: where another seat would win by turning over its last card next, even a slap that loses takes the turn from it
(S5, S25). What it wins goes to the seat that is closest to an empty pile; it keeps the card with the fewest pieces.

Those that remember see the table alone. They read the blocks that an observation has under either `memory`, so they
play both environments alike, and against the perfect counter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruit_salad.compiled import choose, choose_remembered
from fruit_agents.valued import ValuedAgent
from fruit_envs.agents.agent import Agent, as_memory
from fruit_envs.base.errors import InvalidBuffer, brief
from fruit_envs.declare.options import whole
from fruit_envs.engine.masks import as_masks
from fruit_envs.games.fruit_salad.deck import CARDS
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["Counter", "Memory3", "Memory5", "Memory8", "MemoryAll", "MemoryCounter"]

#: Probability from which a slap is armed. A counter that waits shares the point of a card that completes the target
#: with all n who react; an armed slap takes it alone, and a wrong one costs c points in cards that come back. So arming
#: pays from (1 - p) c = p (1 - 1/n) on. Found in play of four: 0.15, which is c = 0.13, wins most among its like.
THRESHOLD = 0.15

#: Cards. With another pile this short it arms nothing: a bowl lost lies in the own pile, and the others, who get none,
#: empty theirs first. Found against three that remember five cards: 6 wins most. Against others who arm it costs.
SHORT = 6


class Counter(ValuedAgent):
    """Counts exactly; ties are broken by chance.

    Parameters
    ----------
    game
        Fruit Salad with any number of players and any options but `memory="tabletop"`.
    threshold
        Probability of completing the target from which a slap is armed; above 1, none ever is.
    short
        Where another pile has at most so many cards, none is armed either.
    aims
        Whether won cards go to the shortest pile: without, an ablation that gives them to anybody.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    name = "counter"

    def __init__(self, game: Game, *, threshold: float = THRESHOLD, short: int = SHORT, aims: bool = True) -> None:
        super().__init__(game)
        self.threshold, self.short, self.aims = float(threshold), int(short), bool(aims)

    def values(self, view: View | None) -> NDArray[np.float64]:
        """What the viewer, who is asked, makes of each action; only the order of values means something.

        Returns
        -------
        numpy.ndarray
            float64, shape (num_actions,); `compiled.ILLEGAL` where the action is not legal.
        """
        values: NDArray[np.float64] = self.decide_one(view)[1]
        return values

    def decide(self, seen: Views, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The best action in every view, and the values of all actions."""
        values, actions = np.empty((len(seen), self.game.num_actions)), np.empty(len(seen), np.int64)
        habits = (self.threshold, self.short, self.aims)
        choose(self.game.rules, seen.records, seen.viewers, keys, *habits, values, actions)
        return actions, values


# ---- counters that remember -----------------------------------------------------------------------------------------

#: What they read, in the order in which `compiled` expects the blocks' places.
_BLOCKS = ("phase", "top", "first", "turn", "die_number", "points", "pile", "next")


class MemoryCounter(Agent):
    """Slaps when what it remembers of the bowl meets the target.

    So it is late rather than wrong. It keeps what the perfect counter keeps; as it cannot tell which pile is the
    shortest, the rest goes to anybody.

    Parameters
    ----------
    game
        Fruit Salad with any options.
    span
        How many of the bowl's last cards it remembers; by default the class's.
    threshold
        Probability of completing the target from which it arms a slap for the next card, every card that it does not
        remember and nobody has kept being as likely as any; by default it arms none: what it has forgotten makes it
        arm too late for a good chance.
    """

    name = "memory"
    uses_view = False
    span = CARDS

    def __init__(self, game: Game, *, span: int | None = None, threshold: float = math.inf) -> None:
        super().__init__(game)
        self.span = self.memory_size = whole("span", 1, CARDS)(self.span if span is None else span)
        self.threshold = float(threshold)
        self._places = np.array([_place(game, name) for name in _BLOCKS])

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """One action per row."""
        keys, seen = np.asarray(keys, np.uint64), np.ascontiguousarray(observations)
        layout, rows = self.game.layout, len(keys)
        masks = as_masks(np.ascontiguousarray(masks), (rows, self.game.num_actions))
        if seen.shape != (rows, layout.size) or seen.dtype != layout.dtype:
            raise InvalidBuffer(f"expected observations {layout.dtype} {(rows, layout.size)}, got {seen.shape}")
        memories = as_memory(memories, (rows, self.span))
        if not ((memories >= 0) & (memories <= CARDS) & (memories == np.floor(memories))).all():
            raise InvalidBuffer(f"expected memories of whole numbers 0..{CARDS}, got {brief(memories)}")
        values, actions = np.empty(masks.shape), np.empty(rows, np.int64)
        choose_remembered(self.game.rules, self._places, seen, masks, keys, memories, self.threshold, values, actions)
        return actions


def _place(game: Game, name: str) -> int:
    """Where a block begins, or -1 where this game has none."""
    return game.layout[name].start if any(block.name == name for block in game.layout.blocks) else -1


class Memory3(MemoryCounter):
    """Remembers three cards."""

    name = "memory3"
    span = 3


class Memory5(MemoryCounter):
    """Remembers five cards."""

    name = "memory5"
    span = 5


class Memory8(MemoryCounter):
    """Remembers eight cards."""

    name = "memory8"
    span = 8


class MemoryAll(MemoryCounter):
    """Remembers every card of the bowl."""

    name = "memory_all"
    span = CARDS

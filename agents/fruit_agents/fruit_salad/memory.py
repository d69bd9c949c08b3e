"""Counters for Fruit Salad that see the table alone and remember the last few cards of the bowl.

They read the blocks that an observation has under either `memory`, so they play both environments alike, and against
the perfect counter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruit_salad.remember import choose
from fruit_envs.agents.agent import Agent
from fruit_envs.base.errors import InvalidBuffer, brief
from fruit_envs.declare.options import whole
from fruit_envs.engine.masks import as_masks
from fruit_envs.games.fruit_salad.deck import CARDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["Memory3", "Memory5", "Memory8", "MemoryAll", "MemoryCounter"]

#: What they read, in the order in which `remember` expects the blocks' places.
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

    def act(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32] | None = None,
    ) -> int:
        """The best action by what it remembers."""
        keys, memories = np.array([key], np.uint64), None if memory is None else memory[None]
        return int(self.act_batch(observation[None], mask[None], [view], keys, memories)[0])

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32] | None = None,
    ) -> NDArray[np.int64]:
        """One action per row."""
        keys, seen = np.asarray(keys, np.uint64), np.ascontiguousarray(observations)
        layout, rows = self.game.layout, len(keys)
        masks = as_masks(np.ascontiguousarray(masks), (rows, self.game.num_actions))
        if seen.shape != (rows, layout.size) or seen.dtype != layout.dtype:
            raise InvalidBuffer(f"expected observations {layout.dtype} {(rows, layout.size)}, got {seen.shape}")
        if memories is None or memories.shape != (rows, self.span) or memories.dtype != np.float32:
            came = memories if memories is None else f"{memories.dtype} {memories.shape}"
            raise InvalidBuffer(f"expected memories as float32 {(rows, self.span)}, got {came}")
        if not ((memories >= 0) & (memories <= CARDS) & (memories == np.floor(memories))).all():
            raise InvalidBuffer(f"expected memories of whole numbers 0..{CARDS}, got {brief(memories)}")
        values, actions = np.empty(masks.shape), np.empty(rows, np.int64)
        choose(self.game.rules, self._places, seen, masks, keys, memories, self.threshold, values, actions)
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

"""The heuristic for Fruity Fruit: one placement ahead, from what the seat knows.

A placement is worth the chance to win the trick times what the fruit in the middle is worth by the own card and fits
the own baskets, less what it is worth to rivals otherwise; a basket counts as points, an insect against them, and the
room that is left for the own tiles is set against that for the rivals'. Chances come from counting unseen tiles; who
may hold which of them is not looked at. A tile is worth its best placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruity_fruit.compiled import choose
from fruit_envs.core.agents import Agent
from fruit_envs.core.errors import InvalidBuffer, InvalidOption, NoView
from fruit_envs.core.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game
    from fruit_envs.core.state import View

__all__ = ["Greedy"]


class Greedy(Agent):
    """Plays the best placement; ties are broken by chance.

    Parameters
    ----------
    game
        Fruity Fruit with any number of players and any options but `memory="tabletop"`.
    baskets, insects
        Whether baskets and insects are looked at: without, an ablation.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    name = "greedy"

    def __init__(self, game: Game, *, baskets: bool = True, insects: bool = True) -> None:
        memory = game.options["memory"]
        if memory != "perfect":
            raise InvalidOption(f'agent {self.name!r}: expected a game with memory="perfect", got memory={memory!r}')
        super().__init__(game)
        self.baskets, self.insects = baskets, insects

    def values(self, view: View | None) -> NDArray[np.float64]:
        """What the viewer, who is asked, makes of each action, in points.

        Returns
        -------
        numpy.ndarray
            float64, shape (num_actions,); `compiled.ILLEGAL` where the action is not legal.
        """
        values: NDArray[np.float64] = self._choose([view], np.zeros(1, np.uint64))[1][0]
        return values

    def act(self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int) -> int:
        """The best action; ties come from the key."""
        return int(self._choose([view], np.array([key], np.uint64))[0][0])

    def act_batch(
        self, observations: np.ndarray, masks: NDArray[np.int8], views: Sequence[View | None], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The best action of every row."""
        keys = np.asarray(keys, np.uint64)
        if keys.shape != (len(views),):
            raise InvalidBuffer(f"expected {len(views)} keys, one per view, got {keys.shape}")
        return self._choose(views, keys)[0]

    def policy(
        self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int
    ) -> NDArray[np.float64]:
        """Equal probabilities on the best actions."""
        values = self.values(view)
        best = values == values.max()
        probabilities: NDArray[np.float64] = best / best.sum()
        return probabilities

    def _choose(
        self, views: Sequence[View | None], keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The best action in every view, and the values of all actions."""
        if any(view is None for view in views):
            raise NoView(f"agent {self.name!r}: expected a view, got None")
        seen = Views.of(self.game, views)
        values, actions = np.empty((len(views), self.game.num_actions)), np.empty(len(views), np.int64)
        choose(self.game.rules, seen.records, seen.viewers, keys, self.baskets, self.insects, values, actions)
        return actions, values

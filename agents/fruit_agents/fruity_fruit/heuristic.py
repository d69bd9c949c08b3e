"""The heuristic for Fruity Fruit: one placement ahead, from what the seat knows.

A placement is worth the chance to win the trick times what the fruit in the middle is worth by the own card and fits
the own baskets, less what it is worth to rivals otherwise; a basket counts as points, an insect against them, and the
room that is left for the own tiles is set against that for the rivals'. Chances come from counting unseen tiles; who
may hold which of them is not looked at. A tile is worth its best placement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruity_fruit.compiled import choose
from fruit_agents.valued import ValuedAgent
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["Greedy"]


class Greedy(ValuedAgent):
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
        super().__init__(game)
        self.baskets, self.insects = baskets, insects

    def values(self, view: View | None) -> NDArray[np.float64]:
        """What the viewer, who is asked, makes of each action, in points.

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
        choose(self.game.rules, seen.records, seen.viewers, keys, self.baskets, self.insects, values, actions)
        return actions, values

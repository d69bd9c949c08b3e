"""One-ply greedy and greedy-2 for Fruit Cocktail.

A position is worth what its holdings would score if every fruit had the value that the viewer expects of it. A column
is expected to lock the mean of the cards left in it. A fruit whose tile the viewer has not seen lies under each unseen
tile equally often over the consistent worlds, so its expected value is the mean over those columns, and the average
over all worlds needs no list of worlds. Other seats' picks are not read as hints.

Worth is counted in whole numbers (`UNITS` (n - 1) a point), so that equally good actions are equal exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruit_cocktail.compiled import BELIEF, ILLEGAL, UNITS, choose
from fruit_agents.valued import ValuedAgent
from fruit_envs.engine.memory import new_records
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.state import View

__all__ = ["Greedy", "Greedy2"]


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

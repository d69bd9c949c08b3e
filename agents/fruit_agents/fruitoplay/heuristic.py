"""What the baselines for Fruitoplay share: what a round would score if it ended now, and the choice of the best action.

Values are whole numbers, so that equally good actions are equal exactly; ties are broken by chance from the key. Both
agents decide alike what is no card: the optional draw by the mean over all cards that may come, the collective fruit by
the own hand, and a rotten card takes a value 1, which never scores less than a value 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruitoplay.compiled import SCRATCH, choose
from fruit_agents.valued import ValuedAgent
from fruit_envs.engine.memory import new_records
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.state import View

__all__ = ["Closest", "OnePly"]


class Closest(ValuedAgent):
    """Plays the card that would win against the most others: on-colour, then closest to the target.

    Parameters
    ----------
    game
        Fruitoplay with any number of players and any options but `memory="tabletop"`.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    name = "closest"
    #: Sampled worlds per decision; with none the card is chosen by its distance alone.
    samples = 0

    def values(self, view: View | None, key: int = 0) -> NDArray[np.int64]:
        """What the viewer, who is asked, makes of each action, in units that only compare within a decision.

        Returns
        -------
        numpy.ndarray
            int64, shape (num_actions,); `ILLEGAL` where the action is not legal.
        """
        values: NDArray[np.int64] = self.decide_one(view, key)[1]
        return values

    def decide(self, seen: Views, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best action in every view, and the values of all actions; sampled worlds come from the keys too."""
        scratch, actions = new_records(SCRATCH, len(seen)), np.empty(len(seen), np.int64)
        choose(self.game.rules, seen.records, seen.viewers, keys, self.samples, scratch, actions)
        return actions, scratch["value"]


class OnePly(Closest):
    """Plays the card of the best expectation over sampled worlds, as if the round ended with this trick.

    In each world the rivals hold hands that they may hold, and each plays a card of its hand at random. What counts is
    the own score minus the mean of the rivals'.
    """

    name = "one_ply"
    samples = 24

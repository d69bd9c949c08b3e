"""What the baselines for Fruitoplay share: what a round would score if it ended now, and the choice of the best action.

Values are whole numbers, so that equally good actions are equal exactly; ties are broken by chance from the key. Both
agents decide alike what is no card: the optional draw by the mean over all cards that may come, the collective fruit by
the own hand, and a rotten card takes a value 1, which never scores less than a value 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruitoplay.compiled import SCRATCH, choose
from fruit_envs.core.agents import Agent
from fruit_envs.core.contract import new_records
from fruit_envs.core.errors import InvalidBuffer, InvalidOption, NoView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game
    from fruit_envs.core.state import View

__all__ = ["Closest", "OnePly"]


class Closest(Agent):
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

    def __init__(self, game: Game) -> None:
        memory = game.options["memory"]
        if memory != "perfect":
            raise InvalidOption(f'agent {self.name!r}: expected a game with memory="perfect", got memory={memory!r}')
        super().__init__(game)

    def values(self, view: View | None, key: int = 0) -> NDArray[np.int64]:
        """What the viewer, who is asked, makes of each action, in units that only compare within a decision.

        Returns
        -------
        numpy.ndarray
            int64, shape (num_actions,); `ILLEGAL` where the action is not legal.
        """
        seen = self._seen(view)
        values: NDArray[np.int64] = self._choose(seen.records, [seen.viewer], np.array([key], np.uint64))[1][0]
        return values

    def act(self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int) -> int:
        """The best action; ties, and the sampled worlds, come from the key."""
        seen = self._seen(view)
        return int(self._choose(seen.records, [seen.viewer], np.array([key], np.uint64))[0][0])

    def act_batch(
        self, observations: np.ndarray, masks: NDArray[np.int8], views: Sequence[View | None], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The best action of every row."""
        seen = [self._seen(view) for view in views]
        keys = np.asarray(keys, np.uint64)
        if keys.shape != (len(seen),):
            raise InvalidBuffer(f"expected {len(seen)} keys, one per view, got {keys.shape}")
        records = new_records(self.game.state_dtype, len(seen))
        for i, view in enumerate(seen):
            records[i : i + 1] = view.records
        return self._choose(records, [view.viewer for view in seen], keys)[0]

    def policy(
        self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int
    ) -> NDArray[np.float64]:
        """Equal probabilities on the best actions."""
        values = self.values(view, key)
        best = values == values.max()
        probabilities: NDArray[np.float64] = best / best.sum()
        return probabilities

    def _seen(self, view: View | None) -> View:
        if view is None:
            raise NoView(f"agent {self.name!r}: expected a view, got None")
        return view

    def _choose(
        self, records: np.ndarray, viewers: Sequence[int], keys: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best action in every state, and the values of all actions."""
        scratch, actions = new_records(SCRATCH, len(viewers)), np.empty(len(viewers), np.int64)
        choose(self.game.rules, records, np.array(viewers, np.int64), keys, self.samples, scratch, actions)
        return actions, scratch["value"]


class OnePly(Closest):
    """Plays the card of the best expectation over sampled worlds, as if the round ended with this trick.

    In each world the rivals hold hands that they may hold, and each plays a card of its hand at random. What counts is
    the own score minus the mean of the rivals'.
    """

    name = "one_ply"
    samples = 24

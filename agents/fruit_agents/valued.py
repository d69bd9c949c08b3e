"""`ValuedAgent`: what agents share that give every action a value, from what they know, and take the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.agents.agent import Agent
from fruit_envs.base.errors import InvalidBuffer, InvalidOption, NoView
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["ValuedAgent"]


class ValuedAgent(Agent):
    """Takes an action of the highest value; ties are broken by chance from the key.

    Subclasses define `decide`.

    Parameters
    ----------
    game
        Any with `memory="perfect"`.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    def __init__(self, game: Game) -> None:
        memory = game.options["memory"]
        if memory != "perfect":
            raise InvalidOption(f'agent {self.name!r}: expected a game with memory="perfect", got memory={memory!r}')
        super().__init__(game)

    def decide(self, seen: Views, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The best action in every view, and the values of all actions, lowest where one is not legal.

        Returns
        -------
        actions, values
            int64, shape (rows,); numbers, shape (rows, num_actions).
        """
        raise NotImplementedError(f"{type(self).__name__} does not define decide()")

    def decide_one(self, view: View | None, key: int = 0) -> tuple[int, NDArray[Any]]:
        """The best action in one view, and the values of all actions.

        Raises
        ------
        NoView
            Without one.
        """
        actions, values = self.decide(self._side_by_side([view]), np.array([key], np.uint64))
        return int(actions[0]), values[0]

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """The best action of every row."""
        seen, keys = self._side_by_side(views), np.asarray(keys, np.uint64)
        if keys.shape != (len(seen),):
            raise InvalidBuffer(f"expected {len(seen)} keys, one per view, got {keys.shape}")
        return self.decide(seen, keys)[0]

    def policy(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Equal probabilities on the best actions."""
        values = self.decide_one(view, key)[1]
        best = values == values.max()
        probabilities: NDArray[np.float64] = best / best.sum()
        return probabilities

    def _side_by_side(self, views: Sequence[View | None]) -> Views:
        if not isinstance(views, Views) and any(view is None for view in views):
            raise NoView(f"agent {self.name!r}: expected a view, got None")
        return Views.of(self.game, views)

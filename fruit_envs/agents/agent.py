"""What an agent is, the built-in random agent, and the registry of agents by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.checks import as_action
from fruit_envs.base.errors import InvalidBuffer, brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["Agent", "RandomAgent", "as_memory"]


class Agent:
    """Something that decides for a seat, from what that seat may know and nothing else.

    Subclasses define `act` or `act_batch`; each is made from the other. Agents keep nothing about a game in themselves,
    so that one object can play any number of seats and games. One that has to remember what it has seen says how much
    in `memory_size`: `memory` holds zeros at the seat's first decision in a game, and in it the agent leaves what it
    wants to find at its next one. Whoever runs the game keeps it, for each game and seat apart.

    Attributes
    ----------
    name : str
        For tables and records.
    uses_view : bool
        Whether `act` wants a `View`; making one costs a redraw, so agents that do not need it say so.
    memory_size : int
        How many numbers the agent remembers from one of its decisions to the next.

    Parameters
    ----------
    game
        The game with its options; an agent fits exactly one.
    """

    name = "agent"
    uses_view = True
    memory_size = 0

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> int:
        """One decision; by default a batch of one.

        Parameters
        ----------
        observation
            Shape (game.layout.size,).
        mask
            int8, shape (game.num_actions,); at least one entry is 1.
        view
            The game as the seat may know it, all else redrawn from `key`; None where `uses_view` is False or
            the game is played from memory (`memory="tabletop"`).
        key
            The decision's own randomness (uint64).
        memory
            float32, shape (memory_size,): what the agent remembers; it may write to it.

        Returns
        -------
        int
            A legal action id.
        """
        if type(self).act_batch is Agent.act_batch:
            raise NotImplementedError(f"{type(self).__name__} defines neither act() nor act_batch()")
        keys = np.array([key], np.uint64)
        return int(self.act_batch(observation[None], mask[None], [view], keys, memory[None])[0])

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """Decisions of many games; each row equals `act` of that row.

        Raises
        ------
        IllegalAction
            Where `act` answers with what is no action id.
        """
        rows = zip(observations, masks, views, keys.tolist(), memories, strict=True)
        # Copies: an agent may not look at its neighbour's row.
        answers = [self.act(seen.copy(), mask.copy(), view, key, memory) for seen, mask, view, key, memory in rows]
        return np.array([as_action(answer, masks.shape[1]) for answer in answers], np.int64)

    def policy(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Probabilities of the actions, by default all on the action that `act` chooses; nothing is remembered."""
        probabilities = np.zeros(len(mask))
        probabilities[self.act(observation, mask, view, key, memory.copy())] = 1.0
        return probabilities


class RandomAgent(Agent):
    """Uniformly random legal actions."""

    name = "random"
    uses_view = False

    def act(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> int:
        """A legal action, uniformly at random."""
        from fruit_envs.engine.jit import word
        from fruit_envs.engine.masks import as_masks, pick_one

        return int(pick_one(as_masks(mask, (self.game.num_actions,)), word(key)))

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """One legal action per row."""
        from fruit_envs.engine.masks import as_masks, pick_rows

        keys = np.asarray(keys, np.uint64)
        actions = np.empty(len(keys), np.int64)
        pick_rows(as_masks(masks, (len(keys), self.game.num_actions)), keys, actions)
        return actions

    def policy(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Equal probabilities over the legal actions."""
        from fruit_envs.engine.masks import as_masks

        probabilities: NDArray[np.float64] = as_masks(mask, (self.game.num_actions,)) / mask.sum()
        return probabilities


def as_memory(given: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """What was remembered, of one decision or of rows of them, as it is.

    Raises
    ------
    InvalidBuffer
        For anything but float32 of this shape.
    """
    if isinstance(given, np.ndarray) and given.dtype == np.float32 and given.shape == shape:
        return given
    came = f"{given.dtype} {given.shape}" if isinstance(given, np.ndarray) else brief(given)
    raise InvalidBuffer(f"expected memories as float32 {shape}, got {came}")

"""`Rows`: many games side by side, any of which may be asked, played or dealt anew while the others wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_envs.engine.jit import word
from fruit_envs.engine.memory import copy_records, memory_of, new_memory, records_of
from fruit_envs.engine.rows import ask_rows, deal_rows, key_rows, play_rows, view_rows
from fruit_envs.runtime.state import State
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game

__all__ = ["Rows"]


class Rows:
    """The memory of so many games of one kind.

    Attributes
    ----------
    game : Game
    memory : numpy.ndarray
        One row per game, see `contract.memory_of`.

    Parameters
    ----------
    game
        With its options fixed.
    count
        How many games.
    """

    def __init__(self, game: Game, count: int) -> None:
        self.game = game
        self.memory = new_memory(game.state_dtype, count)

    @property
    def records(self) -> np.ndarray:
        """The games' records, shape (count,), in the same memory."""
        return records_of(self.memory, self.game.state_dtype)

    def state(self, row: int) -> State:
        """An independent copy of one game."""
        return State(self.game, copy_records(self.records[row : row + 1]))

    def put(self, row: int, state: State) -> None:
        """Copy a game into a row."""
        self.memory[row] = memory_of(state.records)[0]

    def deal(self, rows: NDArray[np.int64], *, onwards: bool) -> None:
        """Begin in each row the episode of the seed in its record, or the one after it."""
        deal_rows(self.game.playing, self.memory, rows, onwards)

    def keys(self, rows: NDArray[np.int64], stream: int, use: int) -> NDArray[np.uint64]:
        """A key of each row's game seed, as `decision_key(stream, seed, use, 0)`."""
        keys = np.empty(len(rows), np.uint64)
        key_rows(self.memory, rows, stream, use, keys)
        return keys

    def ask(
        self, rows: NDArray[np.int64], agent_seed: int
    ) -> tuple[NDArray[np.int64], np.ndarray, NDArray[np.int8], NDArray[np.uint64]]:
        """The lowest seat that each row asks: who, what it sees, its mask, and the key of its decision."""
        count, game = len(rows), self.game
        seats, keys = np.empty(count, np.int64), np.empty(count, np.uint64)
        masks = np.empty((count, game.num_actions), np.int8)
        observations = np.empty((count, game.layout.size), game.layout.dtype)
        ask_rows(game.playing, self.memory, rows, word(agent_seed), seats, masks, observations, keys)
        return seats, observations, masks, keys

    def play(self, rows: NDArray[np.int64], seats: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """One legal decision of a seat of each row."""
        play_rows(self.game.playing, self.memory, rows, seats, actions)

    def views(self, rows: NDArray[np.int64], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Views:
        """What a seat of each row may know, see `State.view`."""
        memory = new_memory(self.game.state_dtype, len(rows))
        view_rows(self.game.viewing, self.memory, rows, seats, keys, memory)
        return Views(self.game, records_of(memory, self.game.state_dtype), seats)

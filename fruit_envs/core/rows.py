"""Many games side by side, any of which may be asked, played or dealt anew while the others wait.

The loops take the numbers of the rows that they work on. As in `loops`, they see the header and the contract's
addresses, never a rule, and whoever calls them has checked what users handed in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.core.chance import CHOICE, draw, one_way, stream_of_key
from fruit_envs.core.contract import LEGAL, OBSERVE, RUNNING, copy_records, memory_of, new_memory, records_of
from fruit_envs.core.jit import call, helper, loop, lowest_bit, word
from fruit_envs.core.loops import (
    decide,
    decisions_of,
    next_seed,
    payoff,
    redeal,
    seed_of,
    set_seed,
    start,
    status_of,
)
from fruit_envs.core.state import State
from fruit_envs.core.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game

__all__ = ["Rows"]


@loop
def deal_rows(functions: Any, rules: Any, states: Any, rows: Any, onwards: Any) -> None:
    """Begin the episode of the seed that each row holds, or with `onwards` of the seed after it."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        if onwards:
            set_seed(state, next_seed(seed_of(state)))
        start(functions, rules[0], state, seed_of(state))


@loop
def key_rows(states: Any, rows: Any, stream: Any, use: Any, keys: Any) -> None:
    """For each row the key of an agent's seed `stream`, the game's seed and the numbers `use` and 0."""
    for k in range(rows.shape[0]):
        keys[k] = one_way(stream, seed_of(states[rows[k]]), use, 0)


@loop
def draw_rows(keys: Any, bound: Any, numbers: Any) -> None:
    """A number below `bound` from each key."""
    for k in range(keys.shape[0]):
        numbers[k] = draw(stream_of_key(keys[k], CHOICE), 0, bound)


@loop
def waiting_rows(states: Any, seats: Any, rows: Any) -> Any:
    """The games in progress that do not ask the seat given for them: their numbers, into `rows`; returns how many."""
    count = 0
    for i in range(states.shape[0]):
        status = status_of(states[i])
        if status >> 16 == RUNNING and not (status >> seats[i]) & 1:
            rows[count] = i
            count += 1
    return count


@loop
def ask_rows(
    functions: Any,
    rules: Any,
    states: Any,
    rows: Any,
    agent_seed: Any,
    seats: Any,
    masks: Any,
    observations: Any,
    keys: Any,
) -> None:
    """Mask, observation and key of the lowest seat that each row asks; the arrays have one row for each."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        seat = lowest_bit(np.int64(status_of(state)))
        seats[k] = seat
        call(functions[LEGAL], (rules[0], state, np.int64(seat), masks[k]))
        call(functions[OBSERVE], (rules[0], state, np.int64(seat), observations[k]))
        keys[k] = one_way(agent_seed, seed_of(state), seat, decisions_of(state))


@helper
def _copy_row(target: Any, source: Any) -> None:
    for w in range(source.shape[0]):
        target[w] = source[w]


@loop
def view_rows(functions: Any, rules: Any, states: Any, rows: Any, seats: Any, keys: Any, views: Any) -> None:
    """A copy of each row in which all that the seat cannot know has been redrawn."""
    for k in range(rows.shape[0]):
        _copy_row(views[k], states[rows[k]])
        redeal(functions, rules[0], views[k], seats[k], keys[k])


@loop
def play_rows(functions: Any, rules: Any, states: Any, rows: Any, seats: Any, actions: Any) -> None:
    """One legal decision of the seat given for each row."""
    for k in range(rows.shape[0]):
        decide(functions, rules[0], states[rows[k]], seats[k], actions[k])


@loop
def show_rows(
    functions: Any, rules: Any, states: Any, rows: Any, seats: Any, closed: Any, masks: Any, observations: Any
) -> None:
    """Mask and observation of the seat given for each game, into the games' rows.

    Where the game is over, or closed to the seat, bit 0 of the mask alone is set.
    """
    for k in range(rows.shape[0]):
        i = rows[k]
        state = states[i]
        if closed[i] or status_of(state) >> 16 != RUNNING:
            for action in range(masks.shape[1]):
                masks[i, action] = 0
            masks[i, 0] = 1
        else:
            call(functions[LEGAL], (rules[0], state, np.int64(seats[i]), masks[i]))
        call(functions[OBSERVE], (rules[0], state, np.int64(seats[i]), observations[i]))


@loop
def earn_rows(
    functions: Any, rules: Any, states: Any, rows: Any, seats: Any, scratch: Any, earned: Any, rewards: Any, over: Any
) -> None:
    """What the seat given for each game has earned since the last call, and whether the game is over."""
    for k in range(rows.shape[0]):
        i = rows[k]
        over[i] = status_of(states[i]) >> 16
        rewards[i] = 0.0
        if over[i] != RUNNING or rules[0].as_scored:
            payoff(functions, rules[0], states[i], scratch)
            rewards[i] = scratch[seats[i]] - earned[i]
            earned[i] = scratch[seats[i]]


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
        deal_rows(self.game.table, self.game.rules, self.memory, rows, onwards)

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
        ask_rows(game.table, game.rules, self.memory, rows, word(agent_seed), seats, masks, observations, keys)
        return seats, observations, masks, keys

    def play(self, rows: NDArray[np.int64], seats: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """One legal decision of a seat of each row."""
        play_rows(self.game.table, self.game.rules, self.memory, rows, seats, actions)

    def views(self, rows: NDArray[np.int64], seats: NDArray[np.int64], keys: NDArray[np.uint64]) -> Views:
        """What a seat of each row may know, see `State.view`."""
        memory = new_memory(self.game.state_dtype, len(rows))
        view_rows(self.game.table, self.game.rules, self.memory, rows, seats, keys, memory)
        return Views(self.game, records_of(memory, self.game.state_dtype), seats)

"""`Batch`: many games stepped by one native call, for throughput."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.checks import as_seeds, integer_array, whole_number
from fruit_envs.base.errors import IllegalAction, InvalidBuffer, InvalidOption, NotReset, brief, brief_array
from fruit_envs.declare.options import whole
from fruit_envs.engine import loops
from fruit_envs.engine.masks import find_missing, words_for
from fruit_envs.faces.encoding import FLOAT32, INTEGER, as_encoding
from fruit_envs.runtime.game import Game, as_game
from fruit_envs.runtime.keys import decision_key
from fruit_envs.runtime.rows import Rows
from fruit_envs.runtime.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Batch"]

#: Below this many games two threads were never faster than one.
_MIN_PARALLEL = 4096
_parallel = threading.Lock()
_pid = os.getpid()

#: The "agent seed" of `sample`.
_SAMPLE_STREAM = 0x5A3B1E


class Batch:
    """Many games of one kind, each asked for one decision a step; finished games are dealt anew at once.

    In a window of simultaneous choices the seats still asked are asked one after another, in seat order; nothing they
    can observe changes until the last one.

    Game i of a batch reset with seed s plays the episodes of a single environment reset with seed s + i.

    The arrays `observations`, `masks`, `seats`, `rewards` and `over` belong to the batch and are written again by the
    next step: copy what you keep. Where a game ended, all but `rewards` and `over` show the next one.

    Parameters
    ----------
    game
        A game's name or a `Game`.
    num_envs
        How many games.
    threads
        At most so many threads; 1 never starts Numba's parallel runtime. Small batches and forked children stay serial.
    observation
        "integer", or "float32" for the same values times `game.layout.scale`.
    **options
        The game's options, if `game` is a name.
    """

    def __init__(
        self, game: str | Game, num_envs: int, *, threads: int = 1, observation: str = INTEGER, **options: Any
    ) -> None:
        self.game = as_game(game, options)
        self.num_envs = n = whole("num_envs", 1, 2**31 - 1)(num_envs)
        self.threads = whole("threads", 1, 1024)(threads)
        self._rows = Rows(self.game, n)
        self._memory = self._rows.memory
        self._shown = loops.Shown(
            seats=np.zeros(n, np.int64),
            masks=np.zeros((n, self.game.num_actions), np.int8),
            legal=np.zeros((n, words_for(self.game.num_actions)), np.int64),
            observations=np.zeros((n, self.game.layout.size), self.game.layout.dtype),
            rewards=np.zeros((n, self.game.num_players)),
            earned=np.zeros((n, self.game.num_players)),
            over=np.zeros(n, np.int8),
        )
        floats = as_encoding(observation) == FLOAT32
        self._seen = np.zeros_like(self._shown.observations, np.float32) if floats else self._shown.observations
        self._actions = np.zeros(n, np.int64)
        self._keys = np.zeros(n, np.uint64)
        self._is_reset = False

    # Callers may write into what they are shown (and not replace it): the engine keeps the masks packed for itself (a
    # second array of bytes would not stay in the cache), and finds out by itself who is asked.

    @property
    def observations(self) -> np.ndarray:
        """The view of the seat asked in each game, shape (num_envs, game.layout.size)."""
        return self._seen

    @property
    def masks(self) -> NDArray[np.int8]:
        """The mask of the seat asked in each game, shape (num_envs, game.num_actions)."""
        return self._shown.masks

    @property
    def seats(self) -> NDArray[np.int64]:
        """Who is asked in each game, shape (num_envs,)."""
        return self._shown.seats

    @property
    def rewards(self) -> NDArray[np.float64]:
        """What the last step brought each seat, shape (num_envs, num_players)."""
        return self._shown.rewards

    @property
    def over(self) -> NDArray[np.int8]:
        """1 where the last step ended a game by its rules, 2 by a cap; shape (num_envs,)."""
        return self._shown.over

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Deal every game.

        Parameters
        ----------
        seed
            Game i gets seed + i, or seed[i]. None draws entropy the first time, then every game goes on from its
            last seed.
        """
        if seed is None and self._is_reset:
            seeds = [int(loops.seed_after(last)) for last in self._rows.records["seed"].tolist()]
        else:
            seeds = as_seeds(seed, self.num_envs)
        self._rows.records["seed"] = seeds
        first = seeds[0]
        self._keys[:] = [decision_key(_SAMPLE_STREAM, first, i, 0) for i in range(self.num_envs)]
        self._shown.rewards[:] = 0
        self._shown.earned[:] = 0
        self._shown.over[:] = 0
        loops.deal_batch(self.game.scoring, self._memory, *self._shown)
        if self._seen is not self._shown.observations:
            self._scale()
        self._is_reset = True

    def _scale(self) -> None:
        np.multiply(self._shown.observations, self.game.layout.scale, out=self._seen)

    def sample(self) -> NDArray[np.int64]:
        """A uniformly random legal action per game, shape (num_envs,), in an array that the next call reuses."""
        self._check_reset()
        loops.sample_batch(self._shown.legal, self._keys, self._actions)
        return self._actions

    def step(self, actions: NDArray[np.int64]) -> None:
        """One decision in every game.

        Parameters
        ----------
        actions
            Whole numbers of any integer dtype, shape (num_envs,), of the seat `seats[i]` in game i; int64 in C order is
            not copied.

        Raises
        ------
        InvalidBuffer
            For another type, dtype or shape.
        IllegalAction
            Naming the first game whose action is not legal. In either case no game has changed.
        """
        self._check_reset()
        if (
            isinstance(actions, np.ndarray)
            and actions.dtype == np.int64
            and actions.shape == (self.num_envs,)
            and actions.flags.c_contiguous
        ):
            chosen = actions
        else:
            chosen = self._as_actions(actions)
        illegal = find_missing(self._shown.legal, self.game.num_actions, chosen)
        if illegal >= 0:
            state = self.state(illegal)
            some = state.legal_actions(state.seat)[:12]
            raise IllegalAction(
                f"game {illegal}: expected a legal action of seat {state.seat} (such as {some}), got {actions[illegal]}"
            )
        arguments = (self.game.scoring, self.game.header, self._memory, chosen, *self._shown)
        if self.threads > 1 and self.num_envs >= _MIN_PARALLEL and os.getpid() == _pid:
            self._step_parallel(arguments)
        else:
            loops.step_batch(*arguments)
        if self._seen is not self._shown.observations:
            self._scale()

    def _as_actions(self, actions: Any) -> NDArray[np.int64]:
        """The actions as compiled code reads them; what is beyond int64 becomes negative, which no action is."""
        array = integer_array(actions, self.num_envs) if hasattr(actions, "__array__") else None
        if array is None:
            raise InvalidBuffer(f"expected actions as an integer array ({self.num_envs},), got {brief_array(actions)}")
        return np.ascontiguousarray(array, np.int64)

    def _step_parallel(self, arguments: tuple[Any, ...]) -> None:
        import numba

        with _parallel:  # Numba's thread pool serves one caller at a time
            before = numba.get_num_threads()
            numba.set_num_threads(min(self.threads, before))
            try:
                loops.step_batch_parallel(*arguments)
            finally:
                numba.set_num_threads(before)

    def state(self, index: int) -> State:
        """An independent copy of one game."""
        self._check_reset()
        number = whole_number(index, 0, self.num_envs - 1)
        if number is None:
            raise InvalidOption(f"expected a game 0..{self.num_envs - 1}, got {brief(index)}")
        return self._rows.state(number)

    def _check_reset(self) -> None:
        if not self._is_reset:
            raise NotReset("expected reset() before this call")

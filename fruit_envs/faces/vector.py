"""The Gymnasium vector face of every game: many learners stepped together, their opponents played inside in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from fruit_envs.base.checks import as_mapping, as_seed, as_seeds, integer_array, whole_number
from fruit_envs.base.errors import (
    IllegalAction,
    InvalidOption,
    InvalidSeat,
    NotReset,
    brief,
    brief_array,
)
from fruit_envs.declare.header import TERMINATED, TRUNCATED
from fruit_envs.declare.options import whole
from fruit_envs.engine import rows as loops
from fruit_envs.engine.loops import seed_after
from fruit_envs.engine.memory import copy_memory
from fruit_envs.faces.encoding import INTEGER, encoder
from fruit_envs.faces.opponents import SEAT_STREAM, Opponents, as_illegal, as_learner, as_opponents
from fruit_envs.faces.saved import as_saved_rows
from fruit_envs.faces.seats import METADATA, as_limit, as_render_mode, illegal_reward, observation_space
from fruit_envs.runtime.game import Game, as_game
from fruit_envs.runtime.rows import Rows
from fruit_envs.runtime.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VectorEnv"]

Observations = dict[str, np.ndarray]

#: What one step changes beside the games themselves, and what an error in it must not leave changed.
_KEPT = ("_learners", "_earned", "_closed", "_ended", "_steps", "_masks")


def _as_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except (TypeError, ValueError):
        modes = [one.value for one in AutoresetMode]
        raise InvalidOption(f"option autoreset_mode: expected one of {modes}, got {brief(mode)}") from None


class VectorEnv(gymnasium.vector.VectorEnv[Observations, Any, np.ndarray]):
    """So many games, each with one learner; every step is one decision of every learner.

    Equal to `gymnasium.vector.SyncVectorEnv` over as many `SingleAgent`, step by step: game i reset with seed s plays
    the episodes of a single environment reset with seed s + i. Games whose opponents are asked wait for nobody: in each
    round all seats that are asked and not learners decide together, through `act_batch`.

    Observations are `{"observation": (num_envs, size), "action_mask": (num_envs, num_actions)}`; `info["action_mask"]`
    is an equal copy. Nothing that is handed out shares memory with anything else.

    Parameters
    ----------
    game
        A game's name or a `Game`.
    num_envs
        How many games.
    opponents, seat, illegal, observation, opponent_seed, render_mode
        As in `SingleAgent`, for every game.
    max_episode_steps
        Truncate an episode after so many decisions of its learner, as Gymnasium's TimeLimit does.
    autoreset_mode
        When a finished game is dealt anew: `AutoresetMode.NEXT_STEP` (the step after the last ignores its action),
        `SAME_STEP` (`info["final_obs"]` and `info["final_info"]` hold the end) or `DISABLED`
        (`reset(options={"reset_mask": …})`); or its value as text.
    **options
        The game's options, if `game` is a name.

    Raises
    ------
    InvalidOption
        For anything outside its domain.
    AgentError
        From `reset` and `step`, where an opponent answers illegally; no game has changed then.
    """

    metadata = METADATA

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Any = "random",
        seat: int | None = None,
        illegal: str = "terminate",
        observation: str = INTEGER,
        max_episode_steps: int | None = None,
        opponent_seed: int = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = as_game(game, options)
        self.num_envs = n = whole("num_envs", 1, 2**31 - 1)(num_envs)
        self.autoreset_mode = _as_mode(autoreset_mode)
        self.render_mode = as_render_mode(render_mode)
        self.metadata = METADATA | {"autoreset_mode": self.autoreset_mode}
        self.max_episode_steps = as_limit("max_episode_steps", max_episode_steps)
        self._illegal = as_illegal(illegal)
        self._fixed_seat = as_learner(seat, self.game)
        self.single_observation_space: spaces.Dict = observation_space(self.game, observation=observation)
        self._encode = encoder(self.game.layout, observation)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)

        self._rows = Rows(self.game, n)
        self._opponents = Opponents(self._rows, as_opponents(opponents, self.game), as_seed(opponent_seed))
        self._all = np.arange(n)
        self._masks = np.zeros((n, self.game.num_actions), np.int8)  # of the learners, as last shown
        self._learners = np.full(n, self._fixed_seat or 0, np.int64)
        self._earned = np.zeros(n)
        self._scratch = np.zeros(self.game.num_players)
        self._closed = np.zeros(n, np.bool_)  # ended by an illegal action
        self._ended = np.zeros(n, np.bool_)  # episodes that ended and were not dealt anew
        self._steps = np.zeros(n, np.int64)  # decisions of each learner in its episode
        self._is_reset = False

    # ---- episodes --------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal the games and let the opponents move until every learner is asked.

        Parameters
        ----------
        seed
            Game i gets seed + i, or seed[i]. None draws entropy the first time; then each game goes on from its last
            seed.
        options
            `"reset_mask"`, bool of shape (num_envs,), names the games to deal; the others stay as they are. The rest
            holds for these episodes, as in `SingleAgent.reset`.
        """
        given = dict(as_mapping(options, "reset options"))
        rows = self._all if "reset_mask" not in given else self._masked(given.pop("reset_mask"))
        outcomes = self.game.components.reset_outcomes(self.game.rules, given) if given else None
        seeds = self._seeds(seed)
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=seeds[0])
        with self._all_or_nothing():
            self._rows.records["seed"][rows] = np.array(seeds, np.uint64)[rows]
            if outcomes:
                for i in rows.tolist():
                    self._rows.put(i, self.game.deal(seeds[i], outcomes=outcomes))
            else:
                self._rows.deal(rows, onwards=False)
            self._seat(rows)
            self._opponents.play(self._learners)
            self._is_reset = True
        return self._show(), self._infos(rows)

    def _masked(self, mask: Any) -> NDArray[np.int64]:
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise InvalidOption(f"reset_mask: expected a bool array ({self.num_envs},), got {brief_array(mask)}")
        if not mask.any():
            raise InvalidOption("reset_mask: expected at least one game to deal, got none")
        if not self._is_reset and not mask.all():
            raise NotReset("expected reset() of all games before one of some")
        return np.flatnonzero(mask)

    def _seeds(self, seed: Any) -> list[int]:
        n, before = self.num_envs, self._rows.records["seed"]
        onwards = [int(seed_after(last)) for last in before.tolist()] if self._is_reset else as_seeds(None, n)
        if seed is None:
            return onwards
        if isinstance(seed, Sequence) and not isinstance(seed, str) and len(seed) == n and None in seed:
            return [onwards[i] if one is None else as_seed(one) for i, one in enumerate(seed)]
        return as_seeds(seed, n)

    def _seat(self, rows: NDArray[np.int64]) -> None:
        """For episodes that begin: the learner's seat, who plays the others, and no reward yet."""
        if self._fixed_seat is None:
            seats = np.empty(len(rows), np.int64)
            loops.draw_rows(self._rows.keys(rows, SEAT_STREAM, 0), self.game.num_players, seats)
            self._learners[rows] = seats
        self._earned[rows] = 0.0  # what opponents do before the learner's first decision counts in its first reward
        self._closed[rows] = self._ended[rows] = False
        self._steps[rows] = 0
        self._opponents.cast(rows)

    # ---- steps -----------------------------------------------------------------------------------------------------

    def step(
        self, actions: Any
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision of every learner, then the opponents' until every learner is asked again or its game is over.

        Parameters
        ----------
        actions
            Whole numbers, shape (num_envs,).

        Raises
        ------
        IllegalAction
            For malformed actions, and with `illegal="raise"` for illegal ones; no game has changed.
        InvalidSeat
            With `AutoresetMode.DISABLED`, where a game has ended and was not reset.
        """
        self._check_reset()
        next_step = self.autoreset_mode is AutoresetMode.NEXT_STEP
        if self._ended.any() and not next_step:
            raise InvalidSeat(f"expected games in progress, game {int(self._ended.argmax())} has ended; reset it")
        again, going = np.flatnonzero(self._ended), self._all
        if len(again):
            going = np.flatnonzero(~self._ended)
        chosen = self._as_actions(actions, going)
        with self._all_or_nothing():
            if len(again):
                self._rows.deal(again, onwards=True)
                self._seat(again)
            illegal = self._play_learners(going, chosen)
            self._opponents.play(self._learners)
            rewards, terminated, truncated = self._earn(going, illegal)
            done = terminated | truncated
            if not done.any():
                self._ended = done
                return self._show(), rewards, terminated, truncated, self._infos(self._all)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                return self._show_new(done, chosen, illegal, rewards, terminated, truncated)
            self._ended = done
            shown, infos = self._show(), self._infos(self._all)
            self._note_illegal(infos, illegal, chosen)
            return shown, rewards, terminated, truncated, infos

    def _as_actions(self, actions: Any, going: NDArray[np.int64]) -> NDArray[np.int64]:
        array = integer_array(actions, self.num_envs)
        if array is None:
            raise IllegalAction(f"expected {self.num_envs} action ids as an integer array, got {brief_array(actions)}")
        wrong = (array[going] < 0) | (array[going] >= self.game.num_actions)
        if wrong.any():
            i = going[wrong.argmax()]
            raise IllegalAction(f"game {i}: expected an action id 0..{self.game.num_actions - 1}, got {array[i]}")
        return array.astype(np.int64)

    def _play_learners(self, going: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """The learners' decisions; returns the games in which they were illegal."""
        legal = self._masks[going, chosen[going]] != 0
        illegal: NDArray[np.int64] = going[~legal]
        if len(illegal):
            if self._illegal == "raise":
                i = int(illegal[0])
                some = np.flatnonzero(self._masks[i])[:12].tolist()
                raise IllegalAction(f"game {i}: expected a legal action (such as {some}), got {chosen[i]}")
            going = going[legal]
        self._rows.play(going, self._learners[going], chosen[going])
        return illegal

    def _earn(
        self, going: NDArray[np.int64], illegal: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """The learners' rewards for this step, and whose episode has ended."""
        rewards, over = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int8)
        loops.earn_rows(
            self.game.scoring,
            self.game.header,
            self._rows.memory,
            going,
            self._learners,
            self._scratch,
            self._earned,
            rewards,
            over,
        )
        terminated = over == TERMINATED
        if len(illegal):
            self._closed[illegal] = terminated[illegal] = True
            rewards[illegal] += illegal_reward(self.game) - self._earned[illegal]
        self._steps[going] += 1
        truncated = over == TRUNCATED
        if self.max_episode_steps is not None:
            truncated |= self._steps >= self.max_episode_steps
        return rewards, terminated, truncated

    def _show_new(
        self,
        done: NDArray[np.bool_],
        chosen: NDArray[np.int64],
        illegal: NDArray[np.int64],
        rewards: NDArray[np.float64],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """The end of a SAME_STEP step: the last observations of what ended, then the first ones of what follows."""
        ended = np.flatnonzero(done)
        seen, masks = self._seen(), self._masks.copy()
        last = self._encode(seen[ended])
        final_obs = np.full(self.num_envs, None, object)
        for place, i in enumerate(ended.tolist()):
            final_obs[i] = {"observation": last[place].copy(), "action_mask": masks[i].copy()}
        final_info = self._infos(ended)
        self._note_illegal(final_info, illegal, chosen)
        self._rows.deal(ended, onwards=True)
        self._seat(ended)
        self._opponents.play(self._learners)
        self._write(ended, seen)
        masks[ended] = self._masks[ended]
        infos = self._infos(self._all)
        infos |= {"final_obs": final_obs, "_final_obs": done.copy(), "final_info": final_info, "_final_info": done}
        shown = {"observation": self._encode(seen), "action_mask": masks}
        return shown, rewards, terminated, truncated, infos

    # ---- what is handed out ----------------------------------------------------------------------------------------

    def _write(self, rows: NDArray[np.int64], observations: np.ndarray) -> None:
        loops.show_rows(
            self.game.playing,
            self._rows.memory,
            rows,
            self._learners,
            self._closed,
            self._masks,
            observations,
        )

    def _seen(self) -> np.ndarray:
        """The observations of all learners as the game's integers; their masks are written to `_masks`."""
        observations = np.empty((self.num_envs, self.game.layout.size), self.game.layout.dtype)
        self._write(self._all, observations)
        return observations

    def _show(self) -> Observations:
        return {"observation": self._encode(self._seen()), "action_mask": self._masks.copy()}

    def _infos(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """The infos of these games, with the keys that SyncVectorEnv gives them."""
        shown: dict[str, np.ndarray] = {"action_mask": self._masks, "seat": self._learners, "illegal_end": self._closed}
        told = np.zeros(self.num_envs, np.bool_)
        told[rows] = True
        infos: dict[str, Any] = {}
        for name, values in shown.items():
            if rows is self._all:
                infos[name] = values.copy()
            else:
                infos[name] = np.zeros_like(values)
                infos[name][rows] = values[rows]
            infos[f"_{name}"] = told.copy()
        return infos

    def _note_illegal(self, infos: dict[str, Any], illegal: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
        if len(illegal):
            infos["illegal"], infos["_illegal"] = np.zeros(self.num_envs, np.int64), np.zeros(self.num_envs, np.bool_)
            infos["illegal"][illegal], infos["_illegal"][illegal] = chosen[illegal], True

    def action_masks(self) -> NDArray[np.bool_]:
        """The learners' masks as sb3-contrib asks for them: bool, shape (num_envs, num_actions)."""
        self._check_reset()
        return self._masks.astype(bool)

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learners' seats in these episodes, shape (num_envs,)."""
        self._check_reset()
        return self._learners.copy()

    def state(self, index: int) -> State:
        """An independent copy of one game, the whole truth of it."""
        self._check_reset()
        number = whole_number(index, 0, self.num_envs - 1)
        if number is None:
            raise InvalidOption(f"expected a game 0..{self.num_envs - 1}, got {brief(index)}")
        return self._rows.state(number)

    def render(self) -> tuple[Any, ...]:
        """The drawings from the learners' points of view; None for each without a render mode."""
        self._check_reset()
        if self.render_mode is None:
            return (None,) * self.num_envs
        return tuple(self.state(i).to_text(int(seat)) for i, seat in enumerate(self._learners))

    # ---- what is kept ----------------------------------------------------------------------------------------------

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Whatever goes wrong within, Ctrl-C included, leaves every game as it was."""
        memory = copy_memory(self._rows.memory)
        kept = {name: getattr(self, name).copy() for name in _KEPT}
        opponents = self._opponents.kept()
        try:
            yield
        except BaseException:
            self._rows.memory[:] = memory
            vars(self).update(kept)
            self._opponents.restore(opponents)
            raise

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable.

        Agents are not in it, only what they remember: where opponents come from a `Pool`, the games go on with those
        that it would draw now, and these remember nothing if they are others.
        """
        self._check_reset()
        kept = {name[1:]: getattr(self, name).copy() for name in _KEPT}
        kept |= {"memories": self._opponents.memories.copy(), "players": self._opponents.players()}
        return {"games": [self.state(i).tobytes() for i in range(self.num_envs)], **kept}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options and opponents.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        own = {name[1:]: getattr(self, name) for name in _KEPT}
        games, memories, players = as_saved_rows(state, self.game, own, self._opponents.who.shape)
        with self._all_or_nothing():
            for i, game in enumerate(games):
                self._rows.put(i, game)
            self._opponents.cast(self._all)
            self._opponents.recall(memories, players)
        for name, array in own.items():
            array[:] = state[name]
        self._is_reset = True
        self._show()

    def _check_reset(self) -> None:
        if not self._is_reset:
            raise NotReset("expected reset() before this call")

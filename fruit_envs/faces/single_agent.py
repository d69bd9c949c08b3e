"""The Gymnasium face of every game: one learning seat, the other seats played inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces

from fruit_envs.agents.asking import as_memories, ask, label, new_memory
from fruit_envs.agents.names import name_of
from fruit_envs.agents.pool import POOL_STREAM, Pool
from fruit_envs.base.checks import as_action, as_seed
from fruit_envs.base.errors import AgentError, IllegalAction, InvalidBuffer, InvalidSeat, brief
from fruit_envs.engine.jit import word
from fruit_envs.engine.loops import draw_one
from fruit_envs.faces.encoding import INTEGER
from fruit_envs.faces.opponents import SEAT_STREAM, as_illegal, as_learner, as_opponents
from fruit_envs.faces.seats import METADATA, GameHolder, illegal_reward, observation_space
from fruit_envs.runtime.game import Game, as_game
from fruit_envs.runtime.keys import decision_key
from fruit_envs.runtime.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SingleAgent"]

Observation = dict[str, np.ndarray]


class SingleAgent(gymnasium.Env[Observation, Any]):
    """One game as a Gymnasium environment.

    Observations are `{"observation": vector, "action_mask": int8 mask}`; `info["action_mask"]` is an equal copy, and
    `action_masks()` gives it to sb3-contrib. The learner's reward includes what happens after its last move. At the end
    bit 0 of the mask alone is set, because some vector environments ask the policy once more. `info["illegal_end"]`
    says whether an illegal action has ended the episode, for statistics such as those of SB3's Monitor.

    Parameters
    ----------
    game
        A game's name or a `Game`.
    opponents
        A registered agent's name, an agent, a `Pool` from which one is drawn each episode, or one of these for each
        other seat in clockwise order from the learner.
    seat
        The learner's seat, or None to draw one each episode.
    illegal
        What a merely illegal action does: "terminate" ends the episode with the reward of a sole loser (under
        `reward="margin"`, of the worst loss there can be), and `info["illegal"]` holds the action; "raise" raises and
        changes nothing. Malformed actions always raise.
    observation
        "integer", or "float32" for the same values times `game.layout.scale`.
    opponent_seed
        The opponents' own randomness; their decisions depend on it and on the game's seed.
    render_mode
        None or "ansi".
    **options
        The game's options, if `game` is a name.

    Raises
    ------
    InvalidOption
        For anything outside its domain.
    AgentError
        From `reset` and `step`, where an opponent answers illegally.
    """

    metadata = METADATA

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Any = "random",
        seat: int | None = None,
        illegal: str = "terminate",
        observation: str = INTEGER,
        opponent_seed: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = as_game(game, options)
        self._holder = GameHolder(self.game, render_mode, observation)
        self.render_mode = render_mode
        self._illegal = as_illegal(illegal)
        self._fixed_seat = as_learner(seat, self.game)
        self._opponent_seed = as_seed(opponent_seed)
        self._opponents = as_opponents(opponents, self.game)
        self.observation_space: spaces.Space[Any] = observation_space(self.game, observation=observation)
        self.action_space = spaces.Discrete(self.game.num_actions)
        self._finished = False

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        self._holder.current  # noqa: B018 (raises before the first reset)
        return self._seat

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and let the opponents move until the learner is asked.

        See `GameHolder.begin` for seeds and options.
        """
        if seed is not None:
            seed = as_seed(seed)
            super().reset(seed=seed)
        before = dict(vars(self)), vars(self._holder).copy()
        try:
            self._begin(self._holder.begin(seed, options))
        except BaseException:  # whatever went wrong in an opponent
            vars(self).update(before[0])
            vars(self._holder).update(before[1])
            raise
        return self._show(), self._info()

    def _begin(self, state: State) -> None:
        """Seat everybody, and let the opponents move until the learner is asked."""
        self._finished = False
        if self._fixed_seat is None:
            key = decision_key(SEAT_STREAM, state.seed, 0, 0)
            self._seat = int(draw_one(word(key), self.game.num_players))
        else:
            self._seat = self._fixed_seat
        self._playing = self._cast(state.seed)
        self._memories = [new_memory(agent) for agent in self._playing]
        self._earned = 0.0  # what opponents do before the learner's first decision counts in its first reward
        self._play_opponents()

    def _cast(self, seed: int) -> list[Any]:
        """The agents that play the game of this seed, drawn from the pools, clockwise from the learner."""
        return [
            one.agents[int(one.draw(np.array([decision_key(POOL_STREAM, seed, k, 0)], np.uint64))[0])]
            if isinstance(one, Pool)
            else one
            for k, one in enumerate(self._opponents)
        ]

    def _play_opponents(self) -> None:
        """Let the other seats decide until the learner is asked or the game is over."""
        state, n = self._holder.current, self.game.num_players
        while not state.over and self._seat not in state.seats:
            seat = state.seat
            place = (seat - self._seat) % n - 1
            agent = self._playing[place]
            try:
                state.apply(seat, ask(agent, state, seat, self._opponent_seed, self._memories[place]))
            except IllegalAction as error:
                raise AgentError(f"opponent {name_of(agent)} in seat {seat}: {error}") from error

    def _mask(self) -> NDArray[np.int8]:
        state = self._holder.current
        if self._finished or state.over:
            mask = self._holder.zero_mask()
            mask[0] = 1
            return mask
        return state.legal(self._seat)

    def _show(self) -> Observation:
        return {"observation": self._holder.observe(self._seat), "action_mask": self._mask()}

    def _info(self) -> dict[str, Any]:
        illegal_end = self._finished and not self._holder.current.over
        return {"action_mask": self._mask(), "seat": self._seat, "illegal_end": illegal_end}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask as sb3-contrib asks for it: bool, shape (num_actions,)."""
        return self._mask().astype(bool)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner's decision, then the opponents' until the learner is asked again."""
        state = self._holder.current
        if self._finished:
            raise InvalidSeat("expected a game in progress, this one has ended; call reset()")
        action = as_action(action, self.game.num_actions)
        if not state.legal(self._seat)[action] and self._illegal == "terminate":
            self._finished = True
            reward = illegal_reward(self.game) - self._earned
            return self._show(), reward, True, False, self._info() | {"illegal": action}
        before, memories = state.copy(), self._remembered()
        state.apply(self._seat, action)
        try:
            self._play_opponents()
        except BaseException:  # whatever went wrong in an opponent, Ctrl-C included
            self._holder.current, self._memories = before, memories
            raise
        earned = float(state.returns[self._seat])
        reward, self._earned = earned - self._earned, earned
        self._finished = state.over
        return self._show(), reward, state.over and not state.truncated, state.truncated, self._info()

    def _remembered(self) -> list[NDArray[np.float32]]:
        return [memory.copy() for memory in self._memories]

    def render(self) -> str | None:
        """The drawing from the learner's point of view."""
        return self._holder.text(self.seat)

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable.

        Agents are not in it, only what they remember: where a `Pool` would now draw others, these remember nothing.
        """
        return {
            "game": self._holder.current.tobytes(),
            "seat": self._seat,
            "earned": self._earned,
            "finished": self._finished,
            "memories": self._remembered(),
            "players": [label(agent) for agent in self._playing],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options and opponents.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        game_state, kept = self._holder.restored(
            state, seat=int, earned=float, finished=bool, memories=list, players=list
        )
        seat, earned, finished, memories, players = kept
        if not 0 <= seat < self.game.num_players:
            raise InvalidBuffer(f"expected a seat 0..{self.game.num_players - 1}, got {brief(seat)}")
        if not np.isfinite(earned):
            raise InvalidBuffer(f"expected a finite reward, got {earned}")
        if not finished and (game_state.over or seat not in game_state.seats):
            raise InvalidBuffer(f"expected a game that asks the learner, or a finished one, got {game_state!r}")
        playing = self._cast(game_state.seed)
        self._memories = as_memories(memories, players, playing)
        self._seat, self._earned, self._finished = seat, earned, finished
        self._playing, self._holder.current = playing, game_state

"""The PettingZoo AEC face of every game: seats take turns; seats of an open window are asked in seat order."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from fruit_envs.base.errors import IllegalAction, InvalidBuffer, InvalidSeat, NotReset, brief
from fruit_envs.faces.seats import GameHolder, illegal_reward
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

__all__ = ["AEC", "OrderEnforcing", "wrapped"]

Observation = dict[str, np.ndarray]


class AEC(AECEnv[str, Observation, int]):
    """One game as a PettingZoo AEC environment, without wrappers.

    Observations are `{"observation": vector, "action_mask": int8 mask}`; a seat that is not asked now, or whose game
    has ended, has an all-zero mask. All seats end on the same step; `step(None)` then removes them in seat order.
    Rewards are those of the step, in units of the option `reward`.

    Parameters
    ----------
    game
        The game with its options fixed.
    render_mode
        None or "ansi": `render()` returns a drawing from the point of view of the seat to move.

    Raises
    ------
    IllegalAction
        From `step`, for a malformed or illegal action; nothing changes. (The canonical environment is wrapped in
        PettingZoo's TerminateIllegal, which ends the game instead.)
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self._holder = GameHolder(game, render_mode)
        self.game = game
        self.render_mode = render_mode
        self.metadata = self._holder.metadata | {"is_parallelizable": False}
        self.possible_agents = self._holder.agents
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces, self.state_space = self._holder.spaces(game.num_actions)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call; equal for all seats."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call; equal for all seats."""
        return self.action_spaces[agent]

    # ---- the episode -----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; see `GameHolder.begin` for seeds and options."""
        state = self._holder.begin(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._earned = state.returns
        self._skip_agent_selection = None
        self._show(state)

    def _show(self, state: State) -> None:
        """Choose the seat that is asked next, and give every seat its info."""
        seat = state.seat
        self.agent_selection = self.agents[max(seat, 0)]
        zero_mask = self._holder.zero_mask
        self.infos = {agent: {"action_mask": zero_mask()} for agent in self.agents}
        if seat >= 0:
            self.infos[self.agent_selection]["action_mask"] = state.legal(seat).copy()  # a row's neighbours are secret

    def _mask(self, state: State, agent: str) -> np.ndarray:
        """The mask of the selected seat; all zero for every other, so that only who is asked can act."""
        if agent == self.agent_selection and state.seat >= 0 and not self.terminations.get(agent, True):
            return state.legal(self._seats[agent]).copy()
        return self._holder.zero_mask()

    def observe(self, agent: str) -> Observation:
        """What a seat sees and may do now."""
        state = self._holder.current
        try:
            seat = self._seats[agent]
        except (KeyError, TypeError):
            raise InvalidSeat(f"expected one of {self.possible_agents}, got {brief(agent)}") from None
        return {"observation": state.observation(seat).copy(), "action_mask": self._mask(state, agent)}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, reward since the seat last acted, flags and info of the selected seat."""
        if not self.agents:
            if not self._holder.started:
                raise NotReset("expected reset() before last()")
            raise InvalidSeat("expected a seat still in the game, all have been removed; call reset()")
        return super().last(observe)

    def step(self, action: int | None) -> None:
        """The decision of the selected seat; None removes a seat whose game has ended."""
        state = self._holder.current
        if not self.agents:
            raise InvalidSeat("expected a seat still in the game, all have been removed; call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise IllegalAction(f"expected None from {agent}, whose game has ended, got {brief(action)}")
            self._was_dead_step(None)
            self.infos = {other: {"action_mask": self._holder.zero_mask()} for other in self.agents}
            return
        if action is None:
            raise IllegalAction(f"expected an action id of {agent}, got None (only a finished seat takes it)")
        state.apply(self._seats[agent], action)
        self._cumulative_rewards[agent] = 0.0
        self._pay(state)
        if state.over:
            ended = self.truncations if state.truncated else self.terminations
            for other in self.agents:
                ended[other] = True
        self._show(state)

    def _pay(self, state: State) -> None:
        """The rewards of this step, and their accumulation."""
        if state.over or self.game.options["reward_timing"] == "as_scored":
            earned = state.returns
            for agent, reward in zip(self.agents, (earned - self._earned).tolist(), strict=True):
                self.rewards[agent] = reward
                self._cumulative_rewards[agent] += reward
            self._earned = earned

    # ---- the rest of the API ---------------------------------------------------------------------------------------

    def state(self) -> np.ndarray:
        """The privileged view for critics: every seat's observation, then the hidden facts."""
        return self._holder.current.reveal()

    def render(self) -> str | None:
        """The drawing of the seat to move (of seat 0 when the game is over)."""
        state = self._holder.current
        return self._holder.text(max(state.seat, 0))

    def close(self) -> None:
        """Nothing to release."""

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable."""
        game = self._holder.current.tobytes()
        return {"game": game, "earned": self._earned.copy(), "bookkeeping": {n: _copy(getattr(self, n)) for n in _KEPT}}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        game_state, (earned, bookkeeping) = self._holder.restored(state, earned=np.ndarray, bookkeeping=dict)
        if set(bookkeeping) != set(_KEPT):
            raise InvalidBuffer(f"expected the bookkeeping {_KEPT}, got {brief(sorted(map(str, bookkeeping)))}")
        self._holder.current = game_state
        self._earned = earned
        for name, value in bookkeeping.items():
            setattr(self, name, value)
        self.infos = {agent: {"action_mask": self._mask(game_state, agent)} for agent in self.agents}


#: What PettingZoo's protocol keeps beside the game.
_KEPT = (
    "agents",
    "rewards",
    "terminations",
    "truncations",
    "_cumulative_rewards",
    "agent_selection",
    "_skip_agent_selection",
)


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, (dict, list)) else value


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's wrapper with a `last` that reads the environment once, not each of its dicts through three layers.

    The look-ups through wrappers were a third of the time of a step.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._raw: AEC = env.unwrapped
        self._has_reset: bool = False

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As in the raw environment; the observation comes through the wrappers, which watch its mask."""
        raw = self._raw
        self._has_reset = self._has_reset or raw._holder.started  # also by `set_state`
        if not self._has_reset or not raw.agents:
            return raw.last(observe)
        observation = self.observe(raw.agent_selection) if observe else None
        return observation, *raw.last(observe=False)[1:]

    def step(self, action: Any) -> None:
        """A step; where the wrappers end the game, all masks in infos become zero as in observations."""
        super().step(action)
        raw = self._raw
        if raw.agents and raw.terminations[raw.agents[0]] and not raw._holder.current.over:
            raw.infos = {agent: {"action_mask": raw._holder.zero_mask()} for agent in raw.agents}


def wrapped(env: AEC) -> OrderEnforcing:
    """The canonical stack: an illegal action ends the game as a loss, calls out of order are refused."""
    illegal = TerminateIllegalWrapper(env, illegal_reward=illegal_reward(env.game))
    return OrderEnforcing(AssertOutOfBoundsWrapper(illegal))

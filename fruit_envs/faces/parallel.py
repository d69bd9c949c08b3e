"""The PettingZoo parallel face of every game: all seats hand in at once, seats that are not asked a no-op."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from fruit_envs.base.checks import as_action
from fruit_envs.base.errors import IllegalAction, InvalidSeat, brief
from fruit_envs.faces.seats import GameHolder
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

__all__ = ["Parallel"]

Observation = dict[str, np.ndarray]


class Parallel(ParallelEnv[str, Observation, int]):
    """One game as a PettingZoo parallel environment.

    The action space is Discrete(N + 1): id N is a no-op, legal exactly for the seats that are not asked;
    `infos[agent]["active"]` says who is asked. On the last step every seat still has an observation (its mask all
    zero), a reward, flags and an info; then `agents` is empty.

    Parameters
    ----------
    game
        The game with its options fixed.
    render_mode
        None or "ansi": `render()` returns a drawing from the point of view of the lowest seat that is asked.

    Raises
    ------
    InvalidSeat
        From `step`, for a missing or an extra seat.
    IllegalAction
        From `step`, for a malformed or illegal action of any seat; nothing changes.
    """

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        self._holder = GameHolder(game, render_mode)
        self.game = game
        self.render_mode = render_mode
        self.metadata = self._holder.metadata
        self.possible_agents = self._holder.agents
        self.agents: list[str] = []
        self.noop = game.num_actions
        self.observation_spaces, self.action_spaces, self.state_space = self._holder.spaces(self.noop + 1)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call; equal for all seats."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object at every call; equal for all seats."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new game; see `GameHolder.begin` for seeds and options."""
        state = self._holder.begin(seed, options)
        self.agents = self.possible_agents[:]
        self._earned = state.returns
        return self._show(state)

    def _show(self, state: State) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        observations, infos = {}, {}
        for seat, agent in enumerate(self.possible_agents):
            active = seat in state.seats
            mask = self._holder.zero_mask(1)
            if active:
                mask[:-1] = state.legal(seat)
            elif not state.over:
                mask[self.noop] = 1
            observations[agent] = {"observation": state.observation(seat).copy(), "action_mask": mask}
            infos[agent] = {"active": active, "action_mask": mask.copy()}
        return observations, infos

    def _checked(self, state: State, actions: dict[str, int]) -> list[tuple[int, int]]:
        """The decisions (seat, action) that these actions make, all of them legal."""
        if not isinstance(actions, dict) or set(actions) != set(self.agents):
            given = sorted(map(str, actions)) if isinstance(actions, dict) else brief(actions)
            raise InvalidSeat(f"expected an action of each of {self.agents}, got {given}")
        decisions = []
        for seat, agent in enumerate(self.possible_agents):
            action = as_action(actions[agent], self.noop + 1)
            if seat not in state.seats:
                if action != self.noop:
                    raise IllegalAction(f"expected the no-op {self.noop} of {agent}, who is not asked, got {action}")
                continue
            if action == self.noop or not state.legal(seat)[action]:
                legal = state.legal_actions(seat)
                raise IllegalAction(f"expected a legal action of {agent} (one of {legal[:12]}), got {action}")
            decisions.append((seat, action))
        return decisions

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """One action of every seat.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            Five dicts over the same seats.
        """
        state = self._holder.current
        if not self.agents:
            raise InvalidSeat("expected a game in progress, this one has ended; call reset()")
        for seat, action in self._checked(state, actions):
            state.apply(seat, action)
        earned = state.returns
        rewards = dict(zip(self.agents, (earned - self._earned).tolist(), strict=True))
        self._earned = earned
        terminations = dict.fromkeys(self.agents, state.over and not state.truncated)
        truncations = dict.fromkeys(self.agents, state.truncated)
        observations, infos = self._show(state)
        if state.over:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def state(self) -> np.ndarray:
        """The privileged view for critics: every seat's observation, then the hidden facts."""
        return self._holder.current.reveal()

    def render(self) -> str | None:
        """The drawing of the lowest seat that is asked (of seat 0 when the game is over)."""
        return self._holder.text(max(self._holder.current.seat, 0))

    def close(self) -> None:
        """Nothing to release."""

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable."""
        return {"game": self._holder.current.tobytes(), "earned": self._earned.copy(), "agents": self.agents[:]}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        game_state, (self._earned, self.agents) = self._holder.restored(state, earned=np.ndarray, agents=list)
        self._holder.current = game_state

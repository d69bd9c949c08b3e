"""The PettingZoo parallel face of every game: all seats hand in at once, seats that are not asked a no-op."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from fruit_envs.base.checks import as_action
from fruit_envs.base.errors import IllegalAction, InvalidBuffer, InvalidSeat, brief
from fruit_envs.faces.encoding import INTEGER
from fruit_envs.faces.opponents import as_illegal
from fruit_envs.faces.seats import METADATA, GameHolder, illegal_reward
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

__all__ = ["Parallel"]

Observation = dict[str, np.ndarray]


class Parallel(ParallelEnv[str, Observation, int]):
    """One game as a PettingZoo parallel environment.

    The action space is Discrete(N + 1): id N is a no-op, legal exactly for the seats that are not asked, so that the
    mask tells who is. On the last step every seat still has an observation (its mask all zero), a reward, flags and an
    info; then `agents` is empty.

    Parameters
    ----------
    game
        The game with its options fixed.
    render_mode
        None or "ansi": `render()` returns a drawing from the point of view of the lowest seat that is asked.
    illegal
        What a merely illegal action does: "raise" raises and changes nothing (the raw environment); "terminate" ends
        the game: the lowest seat that chose one gets the total of a sole loser, nobody else anything, and what seats
        that are not asked hand in is ignored (the canonical one). Malformed actions always raise.
    observation
        "integer", or "float32" for the same values times `game.layout.scale`.
    max_cycles
        Cut an episode off after so many steps: it is truncated, and pays as a game that is cut off (the margin so far,
        or an equal share of the win).

    Raises
    ------
    InvalidSeat
        From `step`, for a missing or an extra seat.
    IllegalAction
        From `step`, for a malformed action, or with `illegal="raise"` an illegal one, of any seat; nothing changes.
    """

    metadata = METADATA

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        *,
        illegal: str = "raise",
        observation: str = INTEGER,
        max_cycles: int | None = None,
    ) -> None:
        self._holder = GameHolder(game, render_mode, observation, max_cycles)
        self.game = game
        self.render_mode = render_mode
        self._illegal = as_illegal(illegal)
        self._as_scored = game.options["reward_timing"] == "as_scored"
        self.max_cycles = self._holder.max_cycles
        self.metadata = self._holder.metadata
        self.possible_agents = self._holder.agents
        self.agents: list[str] = []
        self.noop = game.num_actions
        self._nothing = self._holder.zero_mask(1)
        self.observation_spaces, self.action_spaces, self.state_space = self._holder.spaces(self.noop + 1)

    @property
    def spec(self) -> Any:
        """What `pettingzoo.make("parallel", …)` makes an environment like this one from."""
        return self._holder.spec("parallel")

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
        observations, infos, encode = {}, {}, self._holder.encode
        asked = state.seats if self.agents else ()
        for seat, agent in enumerate(self.possible_agents):
            mask = self._nothing.copy()
            if seat in asked:
                mask[:-1] = state.legal(seat)
            elif asked:
                mask[self.noop] = 1
            observations[agent] = {"observation": encode(state.observation(seat)), "action_mask": mask}
            infos[agent] = {"action_mask": mask.copy()}
        return observations, infos

    def _chosen(self, state: State, actions: dict[str, int]) -> dict[int, int]:
        """The action of every seat that is asked; none is malformed."""
        if not isinstance(actions, dict) or set(actions) != set(self.agents):
            given = sorted(map(str, actions)) if isinstance(actions, dict) else brief(actions)
            raise InvalidSeat(f"expected an action of each of {self.agents}, got {given}")
        chosen, asked, strict = {}, state.seats, self._illegal == "raise"
        for seat, agent in enumerate(self.possible_agents):
            if seat in asked:
                chosen[seat] = as_action(actions[agent], self.noop + 1)
            elif strict and as_action(actions[agent], self.noop + 1) != self.noop:
                came = brief(actions[agent])
                raise IllegalAction(f"expected the no-op {self.noop} of {agent}, who is not asked, got {came}")
        return chosen

    def step(self, actions: dict[str, int]) -> tuple[Any, Any, Any, Any, Any]:
        """One action of every seat.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            Five dicts over the same seats.
        """
        holder, state = self._holder, self._holder.current
        if not self.agents:
            raise InvalidSeat("expected a game in progress, this one has ended; call reset()")
        chosen = self._chosen(state, actions)
        for seat, action in chosen.items():
            if action == self.noop or not state.legal(seat)[action]:
                return self._lost(state, seat, action)
        over = False
        for seat, action in chosen.items():
            over = holder.play(seat, action)
        truncated = over and holder.truncated
        if over or self._as_scored:
            earned = holder.returns
            rewards = dict(zip(self.agents, (earned - self._earned).tolist(), strict=True))
            self._earned = earned
        else:
            rewards = dict.fromkeys(self.agents, 0.0)
        return self._told(state, rewards, over and not truncated, truncated)

    def _lost(self, state: State, seat: int, action: int) -> tuple[Any, Any, Any, Any, Any]:
        """A seat that is asked has chosen an illegal action."""
        agent = self.agents[seat]
        if self._illegal == "raise":
            legal = state.legal_actions(seat)
            raise IllegalAction(f"expected a legal action of {agent} (one of {legal[:12]}), got {action}")
        EnvLogger.warn_on_illegal_move()
        rewards = dict.fromkeys(self.agents, 0.0)
        rewards[agent] = illegal_reward(self.game) - float(self._earned[seat])
        return self._told(state, rewards, True, False)

    def _told(
        self, state: State, rewards: dict[str, float], terminated: bool, truncated: bool
    ) -> tuple[Any, Any, Any, Any, Any]:
        """What a step returns; where the game has ended, nobody is left in it."""
        terminations, truncations = dict.fromkeys(self.agents, terminated), dict.fromkeys(self.agents, truncated)
        if terminated or truncated:
            self.agents = []
        observations, infos = self._show(state)
        return observations, rewards, terminations, truncations, infos

    def state(self) -> np.ndarray:
        """The privileged view for critics: every seat's observation, then the hidden facts."""
        return self._holder.reveal()

    def render(self) -> str | None:
        """The drawing of the lowest seat that is asked (of seat 0 when the game is over)."""
        return self._holder.text(max(self._holder.current.seat, 0))

    def close(self) -> None:
        """Nothing to release."""

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable."""
        return {
            "game": self._holder.current.tobytes(),
            "earned": self._earned.copy(),
            "cycles": self._holder.cycles,
            "agents": self.agents[:],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        holder = self._holder
        game_state, kept = holder.restored(state, earned=np.ndarray, cycles=int, agents=list)
        earned, cycles, agents = holder.as_earned(kept[0]), holder.as_cycles(kept[1]), kept[2]
        ended = game_state.over or cycles == holder.max_cycles
        left = [[]] if ended else [self.possible_agents, []]  # an illegal action may have ended it
        if not all(isinstance(agent, str) for agent in agents) or agents not in left:
            raise InvalidBuffer(f"expected agents as one of {left}, got {brief(agents)}")
        holder.current, holder.cycles, self._earned, self.agents = game_state, cycles, earned, agents[:]

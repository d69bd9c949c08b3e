"""The PettingZoo AEC face of every game: seats take turns; seats of an open window are asked in seat order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from fruit_envs.base.checks import as_action
from fruit_envs.base.errors import IllegalAction, InvalidBuffer, InvalidSeat, NotReset, brief
from fruit_envs.faces.encoding import INTEGER
from fruit_envs.faces.seats import METADATA, GameHolder, illegal_reward
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

__all__ = ["AEC", "InBounds", "OrderEnforcing", "TerminateIllegal", "wrapped"]

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
    observation
        "integer", or "float32" for the same values times `game.layout.scale`.
    max_cycles
        Cut an episode off after so many cycles, in each of which everybody who is asked together decides: it is
        truncated, and pays as a game that is cut off (the margin so far, or an equal share of the win).

    Raises
    ------
    IllegalAction
        From `step`, for a malformed or illegal action; nothing changes. (The canonical environment is wrapped in
        PettingZoo's TerminateIllegal, which ends the game instead.)
    """

    metadata = METADATA | {"is_parallelizable": False}

    def __init__(
        self,
        game: Game,
        render_mode: str | None = None,
        *,
        observation: str = INTEGER,
        max_cycles: int | None = None,
    ) -> None:
        super().__init__()
        self._holder = GameHolder(game, render_mode, observation, max_cycles)
        self.game = game
        self.render_mode = render_mode
        self.max_cycles = self._holder.max_cycles
        self.metadata = self._holder.metadata | {"is_parallelizable": False}
        self._encode = self._holder.encode
        self._nothing = self._holder.zero_mask()
        #: The mask of the seat that is asked; handed out as copies.
        self._legal: np.ndarray | None = None
        self._as_scored = game.options["reward_timing"] == "as_scored"
        self.possible_agents = self._holder.agents
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces, self.state_space = self._holder.spaces(game.num_actions)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    @property
    def spec(self) -> Any:
        """What `pettingzoo.make("aec", …)` makes an environment like this one from, in its wrappers."""
        return self._holder.spec("aec")

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

    def _show(self, state: State, over: bool = False) -> None:
        """Choose the seat that is asked next, and give every seat its info."""
        if over:
            self.agent_selection, self._legal = self.agents[0], None
        else:
            seat = state.seat
            self.agent_selection, self._legal = self.agents[seat], state.legal(seat)
        self._write_infos()

    def _write_infos(self) -> None:
        nothing = self._nothing
        self.infos = {agent: {"action_mask": nothing.copy()} for agent in self.agents}
        if self._legal is not None:
            self.infos[self.agent_selection]["action_mask"] = self._legal.copy()

    def _mask(self, agent: str) -> np.ndarray:
        """The mask of the selected seat; all zero for every other, so that only who is asked can act."""
        if self._legal is None or agent != self.agent_selection or self.terminations.get(agent, True):
            return self._nothing.copy()
        return self._legal.copy()

    def observe(self, agent: str) -> Observation:
        """What a seat sees and may do now."""
        state = self._holder.current
        try:
            seat = self._seats[agent]
        except (KeyError, TypeError):
            raise InvalidSeat(f"expected one of {self.possible_agents}, got {brief(agent)}") from None
        return {"observation": self._encode(state.observation(seat)), "action_mask": self._mask(agent)}

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
            self._write_infos()
            return
        if action is None:
            raise IllegalAction(f"expected an action id of {agent}, got None (only a finished seat takes it)")
        if self.max_cycles is None:
            state.apply(self._seats[agent], action)
            over = state.over
        else:
            over = self._holder.play(self._seats[agent], action)
        self._cumulative_rewards[agent] = 0.0
        if over or self._as_scored:
            self._pay()
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        if over:
            ended = self.truncations if self._holder.truncated else self.terminations
            for other in self.agents:
                ended[other] = True
        self._show(state, over)

    def _pay(self) -> None:
        """The rewards of this step, and their accumulation."""
        earned = self._holder.returns
        self.rewards = dict(zip(self.agents, (earned - self._earned).tolist(), strict=True))
        self._accumulate_rewards()
        self._earned = earned

    # ---- the rest of the API ---------------------------------------------------------------------------------------

    def state(self) -> np.ndarray:
        """The privileged view for critics: every seat's observation, then the hidden facts."""
        return self._holder.reveal()

    def render(self) -> str | None:
        """The drawing of the seat to move (of seat 0 when the game is over)."""
        state = self._holder.current
        return self._holder.text(max(state.seat, 0))

    def close(self) -> None:
        """Nothing to release."""

    def get_state(self) -> dict[str, Any]:
        """All that decides how this environment goes on, later resets included; picklable."""
        game = self._holder.current.tobytes()
        bookkeeping = {name: _copy(getattr(self, name)) for name in _KEPT}
        return {
            "game": game,
            "earned": self._earned.copy(),
            "cycles": self._holder.cycles,
            "bookkeeping": bookkeeping,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` returned, in an environment with the same options.

        Raises
        ------
        InvalidBuffer
            For anything else; nothing changes.
        """
        holder = self._holder
        game_state, kept = holder.restored(state, earned=np.ndarray, cycles=int, bookkeeping=dict)
        earned, cycles, bookkeeping = holder.as_earned(kept[0]), holder.as_cycles(kept[1]), kept[2]
        cut = holder.max_cycles is not None and cycles == holder.max_cycles and not game_state.over
        self._check_bookkeeping(bookkeeping, game_state, cut)
        holder.current, holder.cycles, self._earned = game_state, cycles, earned
        for name, value in bookkeeping.items():
            setattr(self, name, _copy(value))
        going = self.agents and not any(self.terminations.values()) and not any(self.truncations.values())
        self._legal = game_state.legal(game_state.seat) if going else None
        self._write_infos()

    def _check_bookkeeping(self, kept: dict[str, Any], state: State, cut: bool) -> None:
        """Raise InvalidBuffer for what this environment cannot have kept beside this game."""

        def check(name: str, fits: bool, expected: str) -> None:
            if not fits:
                raise InvalidBuffer(f"expected {name} as {expected}, got {brief(kept[name])}")

        def check_values(name: str, fits: Callable[[Any], bool], expected: str) -> None:
            values = kept[name]
            known = isinstance(values, dict) and list(values) == agents and all(map(fits, values.values()))
            check(name, known, f"{expected} of {agents}")

        if set(kept) != set(_KEPT):
            raise InvalidBuffer(f"expected the bookkeeping {_KEPT}, got {brief(sorted(map(str, kept)))}")
        possible, agents, selected = self.possible_agents, kept["agents"], kept["agent_selection"]
        named = isinstance(agents, list) and all(isinstance(agent, str) for agent in agents)
        check("agents", named and agents == possible[len(possible) - len(agents) :], f"the last ones of {possible}")
        for name in ("rewards", "_cumulative_rewards"):
            check_values(name, lambda x: type(x) in (int, float) and -1e300 < x < 1e300, "finite rewards")
        for name in ("terminations", "truncations"):
            check_values(name, lambda x: type(x) is bool, "flags")
        flags = set(zip(kept["terminations"].values(), kept["truncations"].values(), strict=True))
        if state.over or cut:
            possible_flags = {(not (state.truncated or cut), state.truncated or cut)}
        else:  # in progress, or ended by an illegal action
            possible_flags = {(False, False), (True, True)}
        check("terminations", len(flags) < 2 and flags <= possible_flags, f"one of {possible_flags} with truncations")
        asked = possible if not agents else [possible[state.seat]] if flags == {(False, False)} else agents[:1]
        check("agent_selection", isinstance(selected, str) and selected in asked, f"one of {asked}")
        skipped = kept["_skip_agent_selection"]
        check("_skip_agent_selection", skipped is None or (isinstance(skipped, str) and skipped in possible), "a seat")


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


class InBounds(BaseWrapper[str, Observation, Any]):
    """PettingZoo's AssertOutOfBounds, with an error that says what came.

    What is no member of the action space goes no further; integers of any kind go on as plain ones.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._raw: AEC = env.unwrapped

    def step(self, action: Any) -> None:
        """A step, see `AEC.step`."""
        raw = self._raw
        dead = raw.terminations[raw.agent_selection] or raw.truncations[raw.agent_selection]
        if dead != (action is None):
            raw.step(action)  # which says what is wrong
        if isinstance(action, (int, np.integer, np.ndarray)):
            action = as_action(action, raw.game.num_actions)
        elif action is not None:
            raise IllegalAction(f"expected an action id 0..{raw.game.num_actions - 1}, got {brief(action)}")
        self.env.step(action)


class TerminateIllegal(TerminateIllegalWrapper):
    """PettingZoo's wrapper, under which an illegal action ends the game with the total of a sole loser.

    What was paid before counts in it, and all masks in infos become zero as in observations. Whether an action is legal
    is asked of the game, not of the mask that was handed out last.
    """

    def __init__(self, env: AEC) -> None:
        super().__init__(env, illegal_reward=illegal_reward(env.game))
        self._raw = env

    def step(self, action: Any) -> None:
        """A step; an illegal action of the selected seat ends the game."""
        raw, legal = self._raw, self._raw._legal
        if legal is not None and legal[action]:
            raw.step(action)
            return
        agent, before = raw.agent_selection, self._terminated
        self.observe(agent)  # PettingZoo's wrapper reads the mask that it saw last
        super().step(action)
        if self._terminated and not before:
            paid = float(raw._earned[raw._seats[agent]])
            raw.rewards[agent] -= paid
            raw._cumulative_rewards[agent] -= paid
            raw._legal = None
            raw._write_infos()


class OrderEnforcing(OrderEnforcingWrapper):
    """PettingZoo's wrapper, which asks the environment itself what it has to know, and not through three layers.

    The look-ups through wrappers were more than half of the time of a step.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._raw: AEC = env.unwrapped
        self._has_reset: bool = False

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As in the raw environment."""
        self._has_reset = self._has_reset or self._raw._holder.started  # also by `set_state`
        return self._raw.last(observe)

    def step(self, action: Any) -> None:
        """A step, see `AEC.step`; before a reset and after the end as PettingZoo's wrapper has it."""
        if self._has_reset and self._raw.agents:
            self._has_updated = True
            self.env.step(action)
        else:
            super().step(action)


def wrapped(env: AEC) -> OrderEnforcing:
    """The canonical stack: an illegal action ends the game as a loss, calls out of order are refused."""
    return OrderEnforcing(InBounds(TerminateIllegal(env)))

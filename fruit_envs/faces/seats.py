"""What the PettingZoo faces and the Gymnasium faces say alike: seat names, spaces, the state they keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pettingzoo
from gymnasium import spaces

from fruit_envs.base.checks import as_mapping, as_seed, entropy
from fruit_envs.base.errors import InvalidBuffer, NotReset, UnknownKeyword, brief
from fruit_envs.declare.options import whole
from fruit_envs.engine.loops import seed_after
from fruit_envs.faces.encoding import INTEGER, encoder, vector_space
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["METADATA", "GameHolder", "as_limit", "as_render_mode", "illegal_reward", "mask_space", "observation_space"]

RENDER_MODES = ("ansi",)

#: What every face says of itself, before an environment of it is made.
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}


def as_render_mode(render_mode: Any) -> str | None:
    """A render mode that the faces have.

    Raises
    ------
    UnknownKeyword
        For another one.
    """
    if render_mode is not None and (not isinstance(render_mode, str) or render_mode not in RENDER_MODES):
        raise UnknownKeyword(f"expected render_mode None or one of {RENDER_MODES}, got {brief(render_mode)}")
    return render_mode


def as_limit(name: str, value: Any) -> int | None:
    """A limit on the length of episodes, or None where there is none."""
    return None if value is None else whole(name, 1, 2**31 - 1)(value)


def mask_space(num_actions: int) -> spaces.Box:
    """The space of an action mask: int8, shape (num_actions,), 0/1."""
    return spaces.Box(0, 1, (num_actions,), np.int8)


def observation_space(game: Game, num_actions: int | None = None, observation: str = INTEGER) -> spaces.Dict:
    """{"observation": the flat vector, "action_mask": its mask}, equal for all seats."""
    return spaces.Dict(
        {
            "observation": vector_space(game.layout, observation),
            "action_mask": mask_space(num_actions or game.num_actions),
        }
    )


def illegal_reward(game: Game) -> float:
    """What an illegal action earns where it ends the game: a sole loser's reward, and never more than losing does."""
    loss = -1.0 / (game.num_players - 1)
    if game.options["reward"] == "win":
        return loss
    worst: float = game.components.worst_margin(game.rules) / game.options["margin_scale"]
    return min(loss, worst)


class GameHolder:
    """The game behind one face, and the episodes it goes through.

    Attributes
    ----------
    agents : list of str
        PettingZoo's names of the seats: player_0, player_1, ...
    metadata : dict
        What both PettingZoo faces say of themselves.
    cycles : int
        How many have been played in this episode. A cycle ends when nobody is left to be asked in a window.

    Parameters
    ----------
    game
        With its options fixed.
    render_mode
        None or "ansi".
    observation
        How observations are handed out, see `encoding.encoder`.
    max_cycles
        Where an episode is cut off, or None.
    """

    def __init__(
        self, game: Game, render_mode: str | None, observation: str = INTEGER, max_cycles: int | None = None
    ) -> None:
        self.game = game
        self.render_mode = as_render_mode(render_mode)
        self.encode = encoder(game.layout, observation)
        self.observation = observation
        self.max_cycles = as_limit("max_cycles", max_cycles)
        self.agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.metadata = {"name": f"{game.name}_v{game.version}", **METADATA}
        self.cycles = 0
        self._state: State | None = None

    @property
    def started(self) -> bool:
        """Whether there has been a reset."""
        return self._state is not None

    @property
    def current(self) -> State:
        """The episode being played.

        Raises
        ------
        NotReset
            Before the first reset.
        """
        if self._state is None:
            raise NotReset("expected reset() before this call")
        return self._state

    @current.setter
    def current(self, state: State) -> None:
        self._state = state

    @property
    def cut(self) -> bool:
        """Whether the limit, and not the game, has ended the episode."""
        return self.max_cycles is not None and self.cycles >= self.max_cycles and not self.current.over

    @property
    def truncated(self) -> bool:
        """Whether the episode was cut off, by the limit or by the game's own cap."""
        return self.current.truncated or self.cut

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.current.over or self.cut

    @property
    def returns(self) -> NDArray[np.float64]:
        """What each seat has earned so far."""
        return self.current.cut_returns if self.cut else self.current.returns

    def begin(self, seed: int | None, options: Mapping[str, Any] | None) -> State:
        """Deal the next episode.

        Without a seed the first one draws entropy from the system, later ones go on from the last seed. Options hold
        for this episode; names that the game does not know are ignored.
        """
        if seed is not None:
            seed = as_seed(seed)
        elif self._state is None:
            seed = entropy()
        else:
            seed = int(seed_after(self._state.seed))
        given = as_mapping(options, "reset options")
        outcomes = self.game.components.reset_outcomes(self.game.rules, given) if given else None
        self._state = self.game.deal(seed, outcomes=outcomes or None)
        self.cycles = 0
        return self._state

    def play(self, seat: int, action: Any) -> bool:
        """One decision, see `State.apply`; returns whether the episode has ended."""
        state = self.current
        if self.max_cycles is None:
            state.apply(seat, action)
            return state.over
        ends_cycle = len(state.seats) == 1
        state.apply(seat, action)
        self.cycles += ends_cycle
        return self.over

    def observe(self, seat: int) -> np.ndarray:
        """What a seat sees now, in memory of its own."""
        return self.encode(self.current.observation(seat))

    def reveal(self) -> np.ndarray:
        """The privileged view: every seat's observation, then the hidden facts."""
        return encoder(self.game.reveal_layout, self.observation)(self.current.reveal())

    def spaces(self, num_actions: int) -> tuple[dict[str, spaces.Space[Any]], dict[str, spaces.Space[Any]], spaces.Box]:
        """Observation and action spaces by agent, and the space of the privileged view."""
        observations: dict[str, spaces.Space[Any]] = {
            agent: observation_space(self.game, num_actions, self.observation) for agent in self.agents
        }
        actions: dict[str, spaces.Space[Any]] = {agent: spaces.Discrete(num_actions) for agent in self.agents}
        return observations, actions, vector_space(self.game.reveal_layout, self.observation)

    def spec(self, kind: str) -> Any:
        """PettingZoo's specification from which `pettingzoo.make` makes an environment like this one.

        Parameters
        ----------
        kind
            "aec" or "parallel".
        """
        game = self.game
        keywords = {"render_mode": self.render_mode} if self.render_mode else {}
        keywords |= {"observation": self.observation} if self.observation != INTEGER else {}
        if game.custom:  # no options name it
            own = pettingzoo.spec(kind, game.env_id)
            return replace(own, kwargs={"game": game, **keywords}, max_cycles=self.max_cycles)
        defaults = {option.name: option.default for option in game.components.OPTIONS}
        changed = {name: value for name, value in game.options.items() if value != defaults[name]}
        kwargs = {"game": game.name, **changed, **keywords}
        registry = pettingzoo.aec_registry if kind == "aec" else pettingzoo.parallel_registry
        registered = [spec for spec in registry.values() if spec.kwargs.get("game") == game.name]
        fitting = [spec for spec in registered if spec.kwargs.items() <= kwargs.items()]  # the game, and presets of it
        return replace(max(fitting, key=lambda spec: len(spec.kwargs)), kwargs=kwargs, max_cycles=self.max_cycles)

    def restored(self, saved: Any, **expected: type) -> tuple[State, list[Any]]:
        """The state and the other entries of what a face's `get_state` returned; nothing is taken over yet.

        Raises
        ------
        InvalidBuffer
            For anything else.
        """
        names = ["game", *expected]
        if not isinstance(saved, dict) or set(saved) != set(names):
            raise InvalidBuffer(f"expected what get_state() returned, with the entries {names}, got {brief(saved)}")
        for name, kind in expected.items():
            if type(saved[name]) is not kind:
                raise InvalidBuffer(f"expected {name} as {kind.__name__}, got {brief(saved[name])}")
        return State.frombytes(self.game, saved["game"]), [saved[name] for name in expected]

    def as_earned(self, earned: np.ndarray) -> np.ndarray:
        """A copy of what each seat had earned, as `get_state` returned it.

        Raises
        ------
        InvalidBuffer
            For anything else.
        """
        shape = (self.game.num_players,)
        if earned.dtype != np.float64 or earned.shape != shape or not np.isfinite(earned).all():
            raise InvalidBuffer(f"expected earned as {shape} finite float64, got {brief(earned)}")
        return earned.copy()

    def as_cycles(self, cycles: int) -> int:
        """How many cycles had been played, as `get_state` returned it.

        Raises
        ------
        InvalidBuffer
            For anything else.
        """
        if not 0 <= cycles <= (self.max_cycles or 2**31 - 1):
            raise InvalidBuffer(f"expected cycles 0..{self.max_cycles or 2**31 - 1}, got {brief(cycles)}")
        return cycles

    def text(self, seat: int) -> str | None:
        """The drawing of the current render mode, from the point of view of a seat."""
        return self.current.to_text(seat) if self.render_mode == "ansi" else None

    def zero_mask(self, extra: int = 0) -> NDArray[np.int8]:
        """A mask in which nothing is legal."""
        return np.zeros(self.game.num_actions + extra, np.int8)

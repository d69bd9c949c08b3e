"""What the PettingZoo faces and the Gymnasium faces say alike: seat names, spaces, the state they keep."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from fruit_envs.base.checks import as_mapping, as_seed, entropy
from fruit_envs.base.errors import InvalidBuffer, InvalidOption, NotReset, brief
from fruit_envs.engine.loops import seed_after
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GameHolder", "illegal_reward", "mask_space", "observation_space"]

RENDER_MODES = ("ansi",)


def mask_space(num_actions: int) -> spaces.Box:
    """The space of an action mask: int8, shape (num_actions,), 0/1."""
    return spaces.Box(0, 1, (num_actions,), np.int8)


def observation_space(game: Game, num_actions: int | None = None) -> spaces.Dict:
    """{"observation": the flat vector, "action_mask": its mask}, equal for all seats."""
    layout = game.layout
    return spaces.Dict(
        {
            "observation": spaces.Box(layout.low, layout.high, (layout.size,), layout.dtype.type),
            "action_mask": mask_space(num_actions or game.num_actions),
        }
    )


def illegal_reward(game: Game) -> float:
    """What an illegal action earns where it ends the game: a sole loser's reward, and never more than losing does."""
    loss = -1.0 / (game.num_players - 1)
    if game.options["reward"] == "win":
        return loss
    worst: float = game.module("components").worst_margin(game.rules) / game.options["margin_scale"]
    return min(loss, worst)


class GameHolder:
    """The game behind one face, and the episodes it goes through.

    Attributes
    ----------
    agents : list of str
        PettingZoo's names of the seats: player_0, player_1, ...
    metadata : dict
        What both PettingZoo faces say of themselves.

    Parameters
    ----------
    game
        With its options fixed.
    render_mode
        None or "ansi".
    """

    def __init__(self, game: Game, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InvalidOption(f"expected render_mode None or one of {RENDER_MODES}, got {brief(render_mode)}")
        self.game = game
        self.render_mode = render_mode
        self.agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
        }
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
        outcomes = self.game.module("components").reset_outcomes(self.game.rules, given) if given else None
        self._state = self.game.deal(seed, outcomes=outcomes or None)
        return self._state

    def spaces(self, num_actions: int) -> tuple[dict[str, spaces.Space[Any]], dict[str, spaces.Space[Any]], spaces.Box]:
        """Observation and action spaces by agent, and the space of the privileged view."""
        observations: dict[str, spaces.Space[Any]] = {a: observation_space(self.game, num_actions) for a in self.agents}
        actions: dict[str, spaces.Space[Any]] = {a: spaces.Discrete(num_actions) for a in self.agents}
        layout = self.game.reveal_layout
        return observations, actions, spaces.Box(layout.low, layout.high, (layout.size,), layout.dtype.type)

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
            if not isinstance(saved[name], kind):
                raise InvalidBuffer(f"expected {name} as {kind.__name__}, got {brief(saved[name])}")
        return State.frombytes(self.game, saved["game"]), [copy.deepcopy(saved[name]) for name in expected]

    def text(self, seat: int) -> str | None:
        """The drawing of the current render mode, from the point of view of a seat."""
        return self.current.to_text(seat) if self.render_mode == "ansi" else None

    def zero_mask(self, extra: int = 0) -> NDArray[np.int8]:
        """A mask in which nothing is legal."""
        return np.zeros(self.game.num_actions + extra, np.int8)

"""What the PettingZoo faces and the Gymnasium faces say alike: seat names, spaces, the state they keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from fruit_envs.core.checks import as_seed, entropy
from fruit_envs.core.errors import InvalidOption, NotReset
from fruit_envs.core.game import Game
from fruit_envs.core.loops import seed_after
from fruit_envs.core.state import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GameHolder", "mask_space", "observation_space"]

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


class GameHolder:
    """The game behind one face, and the episodes it goes through.

    Parameters
    ----------
    game
        With its options fixed.
    render_mode
        None or "ansi".
    """

    def __init__(self, game: Game, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise InvalidOption(f"expected render_mode None or one of {RENDER_MODES}, got {render_mode!r}")
        self.game = game
        self.render_mode = render_mode
        self._game_state: State | None = None

    @property
    def current(self) -> State:
        """The episode being played.

        Raises
        ------
        NotReset
            Before the first reset.
        """
        if self._game_state is None:
            raise NotReset("expected reset() before this call")
        return self._game_state

    def begin(self, seed: int | None, options: Mapping[str, Any] | None) -> State:
        """Deal the next episode.

        Without a seed the first one draws entropy from the system, later ones go on from the last seed. Options hold
        for this episode; names that the game does not know are ignored.
        """
        if seed is not None:
            seed = as_seed(seed)
        elif self._game_state is None:
            seed = entropy()
        else:
            seed = int(seed_after(self._game_state.seed))
        outcomes = self.game.module("components").reset_outcomes(self.game.rules, options) if options else None
        self._game_state = self.game.deal(seed, outcomes=outcomes or None)
        return self._game_state

    def text(self, seat: int) -> str | None:
        """The drawing of the current render mode, from the point of view of a seat."""
        return self.current.to_text(seat) if self.render_mode == "ansi" else None

    def zero_mask(self, extra: int = 0) -> NDArray[np.int8]:
        """A mask in which nothing is legal."""
        return np.zeros(self.game.num_actions + extra, np.int8)

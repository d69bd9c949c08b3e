"""What `VectorEnv.get_state` returned, checked before anything is taken over."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidBuffer, brief
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State

__all__ = ["as_saved_rows"]


def as_saved_rows(
    saved: Any, game: Game, own: dict[str, np.ndarray], seated: tuple[int, ...]
) -> tuple[list[State], np.ndarray, list[list[str]]]:
    """The games, what opponents remember, and who these are.

    Parameters
    ----------
    saved
        To be judged.
    game
        What the environment plays.
    own
        The arrays by which the saved ones are judged.
    seated
        The shape of what is kept of each opponent.

    Raises
    ------
    InvalidBuffer
        For anything that an environment like this one did not return.
    """
    names = ["games", *own, "memories", "players"]
    if not isinstance(saved, dict) or set(saved) != set(names):
        raise InvalidBuffer(f"expected what get_state() returned, with the entries {names}, got {brief(saved)}")
    count = seated[0]
    if not isinstance(saved["games"], list) or len(saved["games"]) != count:
        raise InvalidBuffer(f"expected {count} games, got {brief(saved['games'])}")
    for name, array in own.items():
        given = saved[name]
        if not isinstance(given, np.ndarray) or (given.dtype, given.shape) != (array.dtype, array.shape):
            raise InvalidBuffer(f"expected {name} as {array.dtype} {array.shape}, got {brief(given)}")
    memories, players = saved["memories"], saved["players"]
    if not isinstance(memories, np.ndarray) or memories.dtype != np.float32 or memories.shape[:-1] != seated:
        raise InvalidBuffer(f"expected memories as float32 {(*seated, 'any')}, got {brief(memories)}")
    if not isinstance(players, list) or np.shape(np.array(players, object)) != seated:
        raise InvalidBuffer(f"expected players as lists of the shape {seated}, got {brief(players)}")
    if not np.isfinite(saved["earned"]).all():
        raise InvalidBuffer(f"expected finite rewards, got {brief(saved['earned'])}")
    learners = saved["learners"]
    if ((learners < 0) | (learners >= game.num_players)).any():
        raise InvalidBuffer(f"expected seats 0..{game.num_players - 1}, got {brief(learners)}")
    return [State.frombytes(game, data) for data in saved["games"]], memories, players

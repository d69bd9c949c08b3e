"""`check_game`: every check, those that find overwritten memory first."""

from __future__ import annotations

from typing import Any

from fruit_envs.runtime.game import Game, as_game
from fruit_envs.testing.faces import check_faces
from fruit_envs.testing.hidden import check_hidden
from fruit_envs.testing.memory import check_compilation, check_memory
from fruit_envs.testing.play import check_batch, check_masks, check_records, check_rewards, check_seeds

__all__ = ["check_game"]

CHECKS = (
    check_compilation,
    check_memory,
    check_masks,
    check_rewards,
    check_seeds,
    check_hidden,
    check_batch,
    check_records,
    check_faces,
)


def check_game(game: str | Game, **options: Any) -> None:
    """Whether a game keeps the contract that faces, batches, search and records are written over.

    What a game does not declare is not checked. Takes seconds for short games.

    Parameters
    ----------
    game
        A registered game's name or a `Game`.
    **options
        The game's options, if `game` is a name.

    Raises
    ------
    GameFault
        At the first thing that is wrong: what was expected and what came.
    InvalidGame
        Where something that a game has to declare is missing.

    Examples
    --------
    >>> from fruit_envs.testing import check_game
    >>> check_game("fruit_cocktail")
    """
    made = as_game(game, options)
    for check in CHECKS:
        check(made)

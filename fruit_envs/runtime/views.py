"""`Views`: what the asked seats of many games may know, as agents get it for a whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from fruit_envs.base.errors import InvalidBuffer, NoView, brief
from fruit_envs.engine.memory import copy_records, new_records
from fruit_envs.runtime.state import View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game

__all__ = ["Views"]


class Views(Sequence[View]):
    """A sequence of views whose records lie side by side, for compiled agents.

    Attributes
    ----------
    game : Game
    records : numpy.ndarray
        The records of all views, shape (count,).
    viewers : numpy.ndarray
        int64, shape (count,): the seat whose knowledge is true in each.
    """

    def __init__(self, game: Game, records: np.ndarray, viewers: NDArray[np.int64]) -> None:
        self.game, self.records, self.viewers = game, records, viewers

    @staticmethod
    def of(game: Game, views: Sequence[View | None]) -> Views:
        """The same views side by side; those that already lie so are taken as they are.

        Raises
        ------
        NoView
            Where one is None.
        InvalidBuffer
            For anything else that is no view of this game.
        """
        if isinstance(views, Views) and views.game is game:
            return views
        records, viewers = new_records(game.state_dtype, len(views)), np.empty(len(views), np.int64)
        for i, view in enumerate(views):
            if view is None:
                raise NoView("expected a view of the game, got None")
            if not isinstance(view, View) or view.game.rules.tobytes() != game.rules.tobytes():
                raise InvalidBuffer(f"expected a view of {game!r}, got {brief(view)}")
            records[i : i + 1] = view.records
            viewers[i] = view.viewer
        return Views(game, records, viewers)

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, index: int) -> View: ...
    @overload
    def __getitem__(self, index: slice) -> Views: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Views(self.game, self.records[index], self.viewers[index])
        row = range(len(self))[index]
        return View(self.game, copy_records(self.records[row : row + 1]), int(self.viewers[row]))

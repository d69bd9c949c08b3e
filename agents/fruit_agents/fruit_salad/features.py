"""What a network that remembers is fed of Fruit Salad: what the table shows, without which card is which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.features import Features
from fruit_envs.base.errors import InvalidOption

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["Table"]

_BLOCKS = (
    "phase",
    "top_pieces",
    "top_minion",
    "first",
    "turn",
    "die_fruit",
    "die_number",
    "scores",
    "pile",
    "slapper",
    "slap_result",
    "next",  # in games where somebody may see it
)


class Table(Features):
    """Blocks of the observation as they are: a tenth of its values, so that many moments fit into a history.

    Raises
    ------
    InvalidOption
        Under `memory="perfect"`, whose observations tell what the table does not show.
    """

    name = "table_v1"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if game.options["memory"] != "tabletop":
            raise InvalidOption(f'features {self.name!r}: expected memory="tabletop", got {game.options["memory"]!r}')
        layout = game.layout
        shown = [block.name for block in layout.blocks]
        self._places = np.concatenate([np.arange(layout.size)[layout[name]] for name in _BLOCKS if name in shown])
        self.size = len(self._places)
        self.scale = layout.scale[self._places]

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """The numbers of each row: float32, shape (rows, size)."""
        return observations[:, self._places].astype(np.float32)

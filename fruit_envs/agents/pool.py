"""`Pool`: opponents of which every game meets one that is drawn for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.agents.names import make_agent
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.runtime.game import Game

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["POOL_STREAM", "Pool"]

#: The "agent seed" from which a pool's opponents are drawn.
POOL_STREAM = 0x9001


class Pool:
    """Agents of which one is drawn, by the game's seed, for each seat that the pool fills, whenever a game begins.

    Who is in the pool may change at any time; a game that has begun is played to its end by the agents drawn for it.

    Attributes
    ----------
    agents : list
        Who may be drawn from now on.

    Parameters
    ----------
    game
        What they play.
    agents
        Registered names or agents.
    weights
        How often each is drawn, relative to the others; by default all equally often.

    Raises
    ------
    InvalidOption
        For an empty pool, an agent that does not exist, or weights that are not positive numbers, one per agent.
    """

    def __init__(self, game: Game, agents: Sequence[Any], weights: Sequence[float] | None = None) -> None:
        if not isinstance(game, Game):
            raise InvalidOption(f"expected a pool's game as a Game, got {brief(game)}")
        self.game = game
        self.replace(agents, weights)

    def replace(self, agents: Sequence[Any], weights: Sequence[float] | None = None) -> None:
        """Draw from other agents from now on; see the constructor."""
        if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
            raise InvalidOption(f"expected a pool of at least one agent, got {brief(agents)}")
        if weights is None:
            weights = [1.0] * len(agents)
        try:
            parts = np.array(weights, np.float64)
        except (TypeError, ValueError):
            parts = np.zeros(0)
        if parts.shape != (len(agents),) or not np.isfinite(parts).all() or not ((parts > 0) & (parts < 1e100)).all():
            raise InvalidOption(f"expected {len(agents)} positive weights, one per agent, got {brief(weights)}")
        self.agents = [make_agent(agent, self.game) for agent in agents]
        reached = parts.cumsum()
        self._limits = reached[:-1] / reached[-1]

    def draw(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """For each key the number of an agent in `agents`."""
        uniform = (np.asarray(keys, np.uint64) >> np.uint64(11)) * 2.0**-53
        return np.searchsorted(self._limits, uniform, side="right")

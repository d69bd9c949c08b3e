"""`League`: whom the learner meets in self-play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fruit_agents.network import Layer
from fruit_agents.policy import PolicyAgent
from fruit_envs.agents.names import make_agent
from fruit_envs.agents.pool import Pool
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.keys import decision_key
from fruit_train.args import PAST, SELF, Args

__all__ = ["League"]

#: Keeps the choice of the snapshot that leaves apart from everything else that a seed decides.
_LEAVES = 0x1EA7E5


class League:
    """The learner's opponents: itself, snapshots of its past, and named agents.

    Every game meets agents that are drawn from `pool` when it begins; games that have begun keep theirs. The learner
    among them plays as it did when the latest rollout began, and like its snapshots draws from its probabilities.

    Attributes
    ----------
    pool : fruit_envs.Pool
    past : list
        Layers of the snapshots, oldest first.
    rollouts : int
        How many have begun.

    Parameters
    ----------
    args, game
        Who takes part, and what they play.
    features
        What the learner's network is fed.
    """

    def __init__(self, args: Args, game: Game, features: str) -> None:
        self._args, self._game, self._features = args, game, features
        self._weights = args.league
        named = [name for name in self._weights if name not in (SELF, PAST)]
        self._named = {name: make_agent(name, game) for name in named}
        self.past: list[list[Layer]] = []
        self._players: list[PolicyAgent] = []
        self.rollouts = 0
        self.pool = Pool(game, [make_agent("random", game)])

    def begin_rollout(self, layers: list[Layer]) -> None:
        """Seat the learner as it is now; now and then keep it as a snapshot."""
        if self.rollouts % self._args.snapshot_every == 0:
            self._remember(layers)
            if len(self.past) > self._args.snapshots:
                leaves = decision_key(_LEAVES, self._args.seed, 0, self.rollouts) % (len(self.past) - 1)
                del self.past[leaves], self._players[leaves]
        self.rollouts += 1
        self._seat(layers)

    def restore(self, past: Sequence[list[Layer]], rollouts: int, layers: list[Layer]) -> None:
        """Go on where a checkpoint was written."""
        self.past, self._players = [], []
        for snapshot in past:
            self._remember(snapshot)
        self.rollouts = rollouts
        self._seat(layers)

    def _player(self, layers: list[Layer]) -> PolicyAgent:
        return PolicyAgent(self._game, layers, choose="sample", features=self._features, history=self._args.frames)

    def _remember(self, layers: list[Layer]) -> None:
        self.past.append(layers)
        self._players.append(self._player(layers))

    def _seat(self, layers: list[Layer]) -> None:
        seats: list[tuple[Any, float]] = []
        for name, weight in self._weights.items():
            if name == SELF:
                seats.append((self._player(layers), weight))
            elif name == PAST:
                seats += [(player, weight / len(self._players)) for player in self._players]
            else:
                seats.append((self._named[name], weight))
        agents, weights = zip(*seats, strict=True)
        self.pool.replace(agents, np.array(weights).tolist())

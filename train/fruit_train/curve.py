"""The learning curve: what the learner reaches in its own games, and against the baselines on duplicate deals."""

from __future__ import annotations

import csv
import io
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fruit_agents.arena import duplicate_match
from fruit_agents.policy import PolicyAgent
from fruit_envs.runtime.game import Game
from fruit_train.args import Args

__all__ = ["CURVE_DEALS", "Curve", "Episodes", "as_json"]

#: The set of duplicate deals for the learning curve (the final evaluation plays set 0).
CURVE_DEALS = 1

#: Episodes over which the margin in training is averaged.
_RECENT = 2_000


class Episodes:
    """How the games of the training end for the learner.

    Attributes
    ----------
    recent : collections.deque
        Its margin in the latest ones, in points, or in rewards without reward="margin".
    illegal : int
        Illegal actions in training; masks leave none.
    """

    def __init__(self, args: Args, game: Game) -> None:
        self.recent: deque[float] = deque(maxlen=_RECENT)
        self.illegal = 0
        self._returns = np.zeros(args.num_envs)
        self._unit = float(game.rules[0]["margin_scale"]) if game.options["reward"] == "margin" else 1.0

    def add(self, rewards: np.ndarray, dones: np.ndarray, infos: Sequence[Mapping[str, Any]]) -> None:
        """Count one step of all games."""
        self._returns += rewards
        for i in np.flatnonzero(dones).tolist():
            self.recent.append(float(self._returns[i] * self._unit))
            self._returns[i] = 0.0
            self.illegal += "illegal" in infos[i]

    def begin(self) -> None:
        """All games are dealt anew."""
        self._returns[:] = 0.0

    @property
    def margin(self) -> float:
        """The mean of the latest; NaN before the first."""
        return float(np.mean(self.recent)) if self.recent else math.nan


class Curve:
    """What was measured so far.

    Attributes
    ----------
    rows : list of dict
        One per measurement: steps, cpu_minutes, entropy (of the policy, in nats), train_margin (see `Episodes`), and
        for each baseline the margin in points with its 95 % interval (NAME, NAME_low, NAME_high).
    """

    def __init__(self, args: Args, game: Game) -> None:
        self._args, self._game = args, game
        self.rows: list[dict[str, float]] = []

    @property
    def columns(self) -> list[str]:
        """Of the rows."""
        margins = (f"{name}{side}" for name in self._args.baselines for side in ("", "_low", "_high"))
        return ["steps", "cpu_minutes", "entropy", "train_margin", *margins]

    def measure(self, agent: PolicyAgent, **facts: float) -> dict[str, float]:
        """Play the baselines and add a row, which is returned; `facts` are its other columns."""
        row = dict(facts)
        for name in self._args.baselines:
            found = duplicate_match(
                self._game, agent, name, deals=self._args.checkpoint_deals, seed=CURVE_DEALS, progress=False
            ).margin
            row |= {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
        self.rows.append(row)
        return row

    def table(self) -> str:
        """The rows as CSV."""
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self.columns)
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()


def as_json(rows: Iterable[Mapping[str, float]]) -> list[dict[str, float | None]]:
    """The rows of a curve without NaN, which JSON does not know."""
    return [{name: None if math.isnan(value) else value for name, value in row.items()} for row in rows]

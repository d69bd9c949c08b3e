"""What can be said from a sample of deals: means with intervals, and what duplicate deals are worth.

The unit of inference is a deal with all its seatings: games of one deal share its luck. Intervals come from the
cluster bootstrap (Field and Welsh 2007, "Bootstrapping clustered data"), in the form of the expanded percentile
interval (Hesterberg 2015, "What Teachers Should Know About the Bootstrap"): for few deals the plain one is too narrow,
by what lies between the normal and Student's distribution, and between dividing by n and by n - 1. An agent against
itself is then rejected one time in twenty already with 40 deals, which a heavy test measures:

    python -m pytest -m heavy tests/fruit_agents/test_arena_statistics.py

Where every deal has the same outcome (say, all are won) an interval has no width: the bootstrap knows only what it saw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LEVEL", "RESAMPLES", "Interval", "bootstrap", "variance_factor"]

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with the bounds of its 95 % interval, which are NaN where a single deal says nothing about them."""

    mean: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """The three numbers by name; null for NaN, which JSON does not have."""
        return {name: None if math.isnan(value) else value for name, value in vars(self).items()}


def bootstrap(values: NDArray[np.float64], *, seed: int = 0, resamples: int = RESAMPLES) -> list[Interval]:
    """Means with expanded percentile intervals, by resampling whole rows with replacement.

    Parameters
    ----------
    values
        Shape (units, metrics): one row per independent unit (a deal), already averaged within it.
    seed
        Of the resampling.
    resamples
        How many.

    Returns
    -------
    list of Interval
        One per metric.
    """
    columns = np.ascontiguousarray(values.T)
    if len(values) < 2:
        return [Interval(float(mean), math.nan, math.nan) for mean in columns.mean(axis=1)]
    rng = np.random.default_rng(seed)
    means = np.empty((resamples, len(columns)))
    for i in range(resamples):
        chosen = rng.integers(len(values), size=len(values))
        means[i] = columns.take(chosen, axis=1).mean(axis=1)
    tail = 100 * _tail(len(values))
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    return [Interval(*map(float, bounds)) for bounds in zip(columns.mean(axis=1), low, high, strict=True)]


def _tail(units: int) -> float:
    """The share of resampled means to leave out at either end, for two units or more.

    Such that the interval of normal values is Student's: the normal tail beyond sqrt(n / (n - 1)) times its quantile.
    """
    normal, freedom = NormalDist(), units - 1
    z = -normal.inv_cdf((1 - LEVEL) / 2)
    # Student's quantile, by the first terms of its Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5).
    student = z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    return float(normal.cdf(-student * math.sqrt(units / freedom)))


def variance_factor(values: NDArray[np.float64]) -> float:
    """How many times fewer games duplicate deals need for the same precision.

    The mean of N games on independent deals, with independent seats, has the variance Var(game) / N. On duplicate deals
    of n seatings it is Var(deal mean) / (N / n). The factor is Var(game) / (n Var(deal mean)).

    Parameters
    ----------
    values
        Shape (deals, seatings), such as margins.

    Returns
    -------
    float
        Infinite where the seatings of every deal cancel exactly, NaN for a single deal or where nothing varies.
    """
    if len(values) < 2:
        return math.nan
    game, deal = float(values.var()), float(values.mean(axis=1).var(ddof=1))
    if deal <= 1e-20 * game:  # nothing but rounding
        return math.inf if game else math.nan
    return float(game / (values.shape[1] * deal))

"""What the tests of the rulings share: their parameters, and counting what chance may deal."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import pytest
from scipy.stats import chisquare

from fruit_envs import Game

from .helpers import dealt, forced, load
from .oracle import MODES, PLAYERS, Deal, random_deal

every_mode = pytest.mark.parametrize("mode", MODES)
every_count = pytest.mark.parametrize("players", PLAYERS)
every_memory = pytest.mark.parametrize("memory", ["perfect", "tabletop"])


def deals_of(count: int, **options: Any) -> list[Deal]:
    """The deals of the first seeds."""
    game = load(**options)
    return [dealt(game.deal(seed)) for seed in range(count)]


def assert_uniform(seen: Iterable[Hashable], cells: int) -> None:
    """Every one of so many outcomes occurs, equally often as far as chi-square can tell."""
    counts = Counter(seen)
    assert len(counts) == cells
    assert chisquare(list(counts.values())).pvalue > 1e-4


def exact(game: Game, *kinds: int) -> dict[Deal, float]:
    """The probability of every deal when only these kinds of chance event are left to chance."""
    deal = random_deal(random.Random(1), game.num_players, game.options["mode"])
    fixed = {(kind, i): outcome for (kind, i), outcome in forced(game, deal).items() if kind not in kinds}
    found: Counter[Deal] = Counter()
    for probability, state in game.deals(fixed):
        found[dealt(state)] += probability  # type: ignore[assignment]
    assert sum(found.values()) == pytest.approx(1)
    return dict(found)

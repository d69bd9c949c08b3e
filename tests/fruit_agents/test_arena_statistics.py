"""Intervals that hold, also for few deals, and what duplicates are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fruit_envs
from fruit_agents.arena import bootstrap, duplicate_match, variance_factor
from fruit_agents.arena.statistics import LEVEL, _tail


def test_intervals_contain_the_mean_and_match_the_normal_ones() -> None:
    values = np.random.default_rng(5).normal(3.0, 2.0, size=(400, 2))
    values[:, 1] = 7.0
    spread, constant = bootstrap(values, seed=1)
    assert spread.low < spread.mean < spread.high
    assert spread.mean == pytest.approx(values[:, 0].mean())
    half = 1.96 * values[:, 0].std() / np.sqrt(len(values))
    assert spread.high - spread.mean == pytest.approx(half, rel=0.05)
    assert spread.mean - spread.low == pytest.approx(half, rel=0.05)
    assert vars(constant) == pytest.approx({"mean": 7, "low": 7, "high": 7})
    assert bootstrap(values, seed=1) == [spread, constant]
    assert bootstrap(values, seed=2)[0] != spread


def test_scipy_s_bootstrap_agrees_where_there_are_many_deals() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(3).exponential(size=2000)
    (ours,) = bootstrap(values[:, None])
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(0), batch=500)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.05 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.05 * width)


@pytest.mark.parametrize("deals", [5, 10, 20, 40, 2000])
def test_the_tail_is_student_s(deals: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    student = stats.t.ppf(1 - (1 - LEVEL) / 2, deals - 1)
    assert _tail(deals) == pytest.approx(stats.norm.cdf(-student * math.sqrt(deals / (deals - 1))), rel=0.2)
    if deals >= 20:
        assert -stats.norm.ppf(_tail(deals)) == pytest.approx(student * math.sqrt(deals / (deals - 1)), rel=1e-3)


def test_the_factor_by_hand() -> None:
    independent = np.random.default_rng(0).normal(size=(20_000, 3))
    assert variance_factor(independent) == pytest.approx(1, rel=0.05)
    assert variance_factor(independent[:, :1].repeat(3, axis=1)) == pytest.approx(1 / 3, rel=0.05)
    assert variance_factor(np.array([[3.0, -1.0], [1.0, 1.0], [0.0, 4.0]])) == pytest.approx(
        (28 / 6 - 16 / 9) / (2 / 3)
    )
    assert variance_factor(np.array([[3.0, -3.0], [-1.0, 1.0]])) == math.inf
    assert math.isnan(variance_factor(np.ones((5, 2))))
    assert math.isnan(variance_factor(np.array([[1.0, 2.0]])))


def test_duplicates_are_worth_twice_the_games_between_the_baselines(capsys: pytest.CaptureFixture[str]) -> None:
    game = fruit_envs.load("fruit_cocktail")
    result = duplicate_match(game, "greedy2", "greedy", deals=2000, progress=False)
    with capsys.disabled():
        print(f"\ngreedy2 against greedy: duplicates cut variance {result.variance_factor:.2f}x")  # noqa: T201
    assert result.variance_factor >= 2
    assert result.margin.low > 0


def rejections(num_players: int, replicates: int, deals: int, resamples: int) -> tuple[float, float]:
    """How often intervals of random against itself leave out the fair share, and a margin of 0."""
    game = fruit_envs.load("fruit_cocktail", num_players=num_players)
    rows = duplicate_match(game, "random", "random", deals=replicates * deals, seed=11, progress=False).rows
    units = np.stack([rows["share"].mean(axis=1), rows["margin"].mean(axis=1)], axis=1)
    found = []
    for number, one in enumerate(units.reshape(replicates, deals, 2)):  # deals are independent, and so are replicates
        intervals = bootstrap(one, seed=number, resamples=resamples)
        expected = (1 / num_players, 0)
        found.append([not i.low <= fair <= i.high for i, fair in zip(intervals, expected, strict=True)])
    share, margin = np.mean(found, axis=0)
    return float(share), float(margin)


def test_an_agent_is_not_better_than_itself() -> None:
    # A taste of the heavy test below: 100 replicates of 10 deals tell some 5 % from 20 %, and no more.
    assert max(rejections(2, 100, 10, 1000)) <= 0.14


@pytest.mark.heavy
@pytest.mark.parametrize("num_players", [2, 4])
def test_an_agent_against_itself_is_rejected_one_time_in_twenty(
    num_players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    share, margin = rejections(num_players, 400, 40, 10_000)
    with capsys.disabled():
        print(f"\n{num_players} players, random against itself: win share {share:.1%}, margin {margin:.1%} rejected")  # noqa: T201
    assert 0.03 <= share <= 0.07
    assert 0.03 <= margin <= 0.07

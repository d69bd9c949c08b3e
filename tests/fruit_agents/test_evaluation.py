"""Duplicate matches: symmetry, intervals, illegal actions, tables."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest

import fruit_envs
from fruit_agents.arena import PHRASE, MatchResult, bootstrap, deal_seeds, duplicate_match, to_json, to_markdown
from fruit_envs.core.agents import Agent, ask

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])


class First(Agent):
    """The lowest legal action."""

    name, uses_view = "first", False

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int) -> int:
        return int(np.flatnonzero(mask)[0])


class Last(First):
    """The highest legal action."""

    name = "last"

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int) -> int:
        return int(np.flatnonzero(mask)[-1])


class Cheat(First):
    """Takes card 0 from the third decision of the game on, whether it is there or not."""

    name = "cheat"

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int) -> int:
        picks = int(self.game.layout.block(observation, "picks")[0])
        return 0 if picks > 1 else super().act(observation, mask, view, key)


class Beyond(First):
    """Answers no action at all."""

    name = "beyond"

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int) -> int:
        return len(mask)


def load(num_players: int = 2, **options: Any) -> Any:
    return fruit_envs.load("fruit_cocktail", num_players=num_players, **options)


def match(game: Any, agent: Any, opponent: Any, deals: int = 30, **options: Any) -> MatchResult:
    return duplicate_match(game, agent, opponent, deals=deals, progress=False, **options)


def test_deal_seeds_follow_from_the_phrase() -> None:
    digest = hashlib.sha256((PHRASE + " 3 1").encode()).hexdigest()
    assert deal_seeds(2, 3)[1] == int(digest, 16) >> (256 - 53)
    seeds = deal_seeds(5000) + deal_seeds(5000, 1)
    assert len(set(seeds)) == 10_000
    assert 0 <= min(seeds) <= max(seeds) < 2**53
    assert deal_seeds(5) == deal_seeds(9)[:5]


@COUNTS
def test_a_deterministic_agent_against_itself_is_even_on_every_deal(num_players: int) -> None:
    game = load(num_players)
    result = match(game, First(game), First(game))
    assert result.rows["margin"].any()
    assert np.allclose(result.rows["margin"].sum(axis=1), 0)
    assert np.allclose(result.rows["share"].sum(axis=1), 1)
    assert vars(result.margin) == pytest.approx({"mean": 0, "low": 0, "high": 0})
    assert vars(result.win_share) == pytest.approx(dict.fromkeys(("mean", "low", "high"), 1 / num_players))


def test_two_agents_share_the_win_of_every_game() -> None:
    game = load()
    ours, theirs = match(game, First(game), Last(game)), match(game, Last(game), First(game))
    assert np.allclose(ours.rows["share"] + theirs.rows["share"][:, ::-1], 1)
    assert np.allclose(ours.rows["margin"] + theirs.rows["margin"][:, ::-1], 0)
    assert ours.win_share.mean + theirs.win_share.mean == pytest.approx(1)
    assert ours.margin.mean != 0


@COUNTS
def test_rows_are_the_games_themselves(num_players: int) -> None:
    game = load(num_players)
    result = match(game, First(game), Last(game), deals=4, seed=2)
    assert result.rows["seed"].tolist() == deal_seeds(4, 2)
    for row in result.rows:
        for own in range(num_players):
            state = game.deal(int(row["seed"]))
            while not state.over:
                agent = First(game) if state.seat == own else Last(game)
                state.apply(state.seat, ask(agent, state, state.seat, 0))
            others = np.delete(state.scores, own)
            assert row["margin"][own] == pytest.approx(state.scores[own] - others.mean())
            assert row["share"][own] == state.shares[own]


def test_everything_follows_from_the_seeds() -> None:
    game = load()
    one, same = match(game, "random", "random"), match(game, "random", "random")
    assert one.rows.tobytes() == same.rows.tobytes()
    assert (one.win_share, one.margin) == (same.win_share, same.margin)
    for other in (match(game, "random", "random", agent_seed=1), match(game, "random", "random", seed=1)):
        assert (one.rows["margin"] != other.rows["margin"]).any()
    # Separate streams: the same agent on both sides does not play the same game from both seats.
    assert np.abs(one.rows["margin"].sum(axis=1)).max() > 0


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


def test_deals_not_games_are_the_unit() -> None:
    # Every deal's seatings cancel exactly: no interval may widen by what happens within a deal.
    game = load()
    result = match(game, First(game), First(game), deals=50)
    assert result.rows["margin"].std() > 1
    assert result.margin.high - result.margin.low < 1e-9


@COUNTS
@pytest.mark.parametrize("cheat", [Cheat, Beyond])
def test_an_illegal_agent_loses_the_game_and_is_counted(num_players: int, cheat: type[Agent]) -> None:
    game = load(num_players, margin_scale=12.0)
    result = match(game, cheat(game), First(game), deals=20)
    guilty = result.rows["illegal"] == 1
    assert result.illegal == guilty.sum() > 0
    assert result.opponent_illegal == 0
    assert (result.rows["share"][guilty] == 0).all()
    assert np.allclose(result.rows["margin"][guilty], -12 / (num_players - 1))
    assert len(result.reasons) == result.illegal
    assert all("expected a" in reason and "decision" in reason for reason in result.reasons)


@COUNTS
def test_an_illegal_opponent_loses_the_game_and_is_counted(num_players: int) -> None:
    game = load(num_players)
    result = match(game, First(game), Beyond(game), deals=20)
    assert (result.illegal, result.opponent_illegal) == (0, 20 * num_players)
    assert result.win_share.mean == pytest.approx(1 / (num_players - 1))
    assert (result.rows["margin"] >= 0).all()


def test_names_times_and_summary() -> None:
    game = load(3, mode="easy")
    result = match(game, "greedy", First(game), deals=8)
    assert (result.agent, result.opponent, result.deals) == ("greedy", "first", 8)
    assert 0 < result.p50_ms <= result.p99_ms
    (summary,) = json.loads(to_json([result]))
    assert summary["margin"] == vars(result.margin)
    assert summary["margin"]["low"] <= summary["margin"]["mean"] <= summary["margin"]["high"]
    assert summary["seatings"] == len(summary["win_share_by_seat"]) == 3
    assert np.mean(summary["margin_by_seat"]) == pytest.approx(result.margin.mean)
    assert summary["options"]["mode"] == "easy"
    assert (summary["phrase"], summary["seed"], summary["illegal"]) == (PHRASE, 0, 0)


def test_markdown_has_a_row_per_result_and_equal_cells() -> None:
    game = load()
    table = to_markdown([match(game, First(game), Last(game), deals=5), match(game, Last(game), "random", deals=5)])
    lines = table.splitlines()
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert lines[2].startswith("| first | last | 2 | 5 | ")


def test_other_games_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    game = fruit_envs.load("toy_windows")
    result = duplicate_match(game, "random", "random", deals=3)
    assert result.rows["share"].shape == (3, game.num_players)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("deals", [0, -1, 2.0, True])
def test_a_wrong_number_of_deals_is_refused(deals: Any) -> None:
    with pytest.raises(fruit_envs.InvalidOption, match="deals"):
        duplicate_match(load(), "random", "random", deals=deals, progress=False)


def test_unknown_agents_are_refused() -> None:
    with pytest.raises(fruit_envs.InvalidOption, match="unknown agent"):
        match(load(), "nobody", "random")
    with pytest.raises(fruit_envs.InvalidOption, match=r"act\(\)"):
        match(load(), "random", object())

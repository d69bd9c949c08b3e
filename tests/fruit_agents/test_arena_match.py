"""Duplicate matches: seatings, symmetry, both sides, tables."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest
from arena_agents import First, Last

import fruit_envs
from fruit_agents.arena import PHRASE, MatchResult, deal_seeds, duplicate_match, to_json, to_markdown
from fruit_agents.arena.match import judge
from fruit_agents.arena.play import ONE, REST, Played, Table
from fruit_envs.agents.asking import ask, new_memory

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])


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
                state.apply(state.seat, ask(agent, state, state.seat, 0, new_memory(agent)))
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


def test_deals_not_games_are_the_unit() -> None:
    # Every deal's seatings cancel exactly: no interval may widen by what happens within a deal.
    game = load()
    result = match(game, First(game), First(game), deals=50)
    assert result.rows["margin"].std() > 1
    assert result.margin.high - result.margin.low < 1e-9


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
    assert (summary["phrase"], summary["seed"], summary["seats"]) == (PHRASE, 0, 1)
    assert set(summary["failures"].values()) == {0}


def test_markdown_has_a_row_per_result_and_equal_cells() -> None:
    game = load()
    table = to_markdown([match(game, First(game), Last(game), deals=5), match(game, Last(game), "random", deals=5)])
    lines = table.splitlines()
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert lines[2].startswith("| first | last | 1 of 2 | 5 | ")


def test_a_name_cannot_break_the_table() -> None:
    game = load()
    agent = First(game)
    agent.name = "a | b\nc"
    table = to_markdown([match(game, agent, agent, deals=2)])
    assert table.splitlines()[2].startswith("| a \\| b c | a \\| b c | 1 of 2 | 2 | ")


def test_one_deal_says_nothing_about_the_bounds() -> None:
    game = load()
    result = match(game, First(game), Last(game), deals=1)
    assert np.isnan([result.margin.low, result.margin.high, result.variance_factor]).all()
    (summary,) = json.loads(to_json([result]), parse_constant=pytest.fail)
    assert summary["margin"] == {"mean": result.margin.mean, "low": None, "high": None}
    assert summary["variance_factor"] is None
    assert "[–, –]" in to_markdown([result])


def played(seat: int, share: float, margin: float, failed: int | None = None) -> Played:
    kind = None if failed is None else "raised"
    return Played(seat, share, margin, 20, kind, failed, kind, ([1_000_000], [2_000_000] * 3))


def test_both_sides_of_two() -> None:
    games = [played(0, 1, 7), played(1, 0.5, 0), played(0, 0, -4), played(1, 0, -20, failed=1)]
    one, rest = (judge(side, load(), ("a", "b"), 0, 0, games) for side in (ONE, REST))
    assert (one.agent, one.opponent, one.seats) == (rest.opponent, rest.agent, rest.seats) == ("a", "b", 1)
    assert one.rows["share"].tolist() == [[1, 0.5], [0, 0]]
    # Told by the seat of the teller: b sat in seat 1 while a sat in seat 0.
    assert rest.rows["share"].tolist() == [[0.5, 0], [1, 1]]
    assert rest.rows["margin"].tolist() == [[0, -7], [20, 4]]
    assert (one.win_share.mean, rest.win_share.mean) == (0.375, 0.625)
    assert (one.margin.mean, rest.margin.mean) == (-17 / 4, 17 / 4)
    assert (one.failures["raised"], one.opponent_failures["raised"]) == (1, 0)
    assert (rest.failures["raised"], rest.opponent_failures["raised"]) == (0, 1)
    assert rest.rows["failure"].tolist() == [[0, 0], [2, 0]]
    assert one.reasons == rest.reasons == (f"deal {deal_seeds(2)[1]}, seat 1, raised: raised",)
    assert (one.p50_ms, rest.p99_ms) == (1, 2)


def test_both_sides_of_three() -> None:
    # A win of the one; one of the rest; a failure of the rest, whose other seat shares the win with the one.
    games = [played(0, 1, 6), played(1, 0, -3), played(2, 0.5, 5, failed=0)]
    one, rest = (judge(side, load(3), ("a", "b"), 0, 0, games) for side in (ONE, REST))
    assert (one.seats, rest.seats) == (1, 2)
    assert one.rows["share"].tolist() == [[1, 0, 0.5]]
    assert rest.rows["share"].tolist() == [[0, 0.5, 0.25]]
    assert rest.rows["margin"].tolist() == [[-6, 3, -5]]
    assert one.win_share.mean + 2 * rest.win_share.mean == pytest.approx(1)
    assert (one.opponent_failures["raised"], rest.failures["raised"]) == (1, 1)


@COUNTS
def test_both_sides_are_what_the_scores_say(num_players: int) -> None:
    game, n = load(num_players), num_players
    table = Table(game, First(game), Last(game))
    games = [one for deal in deal_seeds(6) for one in table.seatings(deal)]
    result = judge(REST, game, ("first", "last"), 0, 0, games)
    for row in result.rows:
        for own in range(n):  # of the one
            state = game.deal(int(row["seed"]))
            while not state.over:
                state.apply(state.seat, state.legal_actions(state.seat)[0 if state.seat == own else -1])
            others = np.delete(np.arange(n), own)
            place = own if n > 2 else 1 - own
            assert row["share"][place] == pytest.approx(state.shares[others].mean())
            assert row["margin"][place] == pytest.approx(state.scores[others].mean() - state.scores[own])


def test_other_games_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    game = fruit_envs.load("toy_windows")
    result = duplicate_match(game, "random", "random", deals=3)
    assert result.rows["share"].shape == (3, game.num_players)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("deals", [0, -1, 2.0, True]),
        ("seed", [-1, 2**53, "0"]),
        ("agent_seed", [-1, 2**63, 0.5]),
        ("time_limit", [0, -1, "1", True, float("nan"), float("inf"), 1e9]),
    ],
)
def test_wrong_numbers_are_refused(option: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(fruit_envs.InvalidOption, match=option.replace("_", ".") + r"|expected a seed"):
            duplicate_match(load(), "random", "random", **{"deals": 2, option: value}, progress=False)


def test_unknown_agents_are_refused() -> None:
    with pytest.raises(fruit_envs.InvalidOption, match="unknown agent"):
        match(load(), "nobody", "random")
    with pytest.raises(fruit_envs.InvalidOption, match=r"act\(\)"):
        match(load(), "random", object())

"""The exact form of Fruit Cocktail's records: by the engine, by the rules alone, and of the golden games."""

from __future__ import annotations

import json
import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import fruit_envs

from .helpers import MEAGRE, ONES, WORTHLESS, dealer
from .oracle import ASSUMED_V1_ROWS, HIDDEN, MODES, PLAYERS, Match, check_record, choosers, deck_of, write_record
from .records import KEYS, Record, made

GOLDEN = Path(__file__).parents[1] / "golden"

FIELDS = {
    "deal": {"tiles", "hidden", "columns", "peeks", "starter"},
    "take": {"seat", "action", "card"},
    "lock": {"position", "card"},
    "reveal": {"tiles"},
    "score": {"values", "scores"},
}


def whole(value: Any) -> bool:
    """A whole JSON number, never a boolean or a float."""
    return type(value) is int


def numbers(value: Any, size: int, low: int, high: int) -> bool:
    return type(value) is list and len(value) == size and all(whole(x) and low <= x <= high for x in value)


def check_form(record: Record) -> None:
    """Key sets, types and bounds, as the format describes them."""
    assert list(record) == KEYS
    assert record["format"] == "fruit-record-1"
    assert record["game"] == "fruit_cocktail"
    assert whole(record["version"])
    n = record["options"]["num_players"]
    assert whole(n)
    assert record["seed"] is None or whole(record["seed"])
    assert [type(agent) for agent in record["agents"]] == [str] * n
    assert numbers(record["scores"], n, -10_000, 10_000)
    assert [type(x) for x in record["returns"]] == [float] * n
    hidden = HIDDEN[record["options"].get("mode", "base")]
    for event in record["events"]:
        assert event.keys() == FIELDS[event["event"]] | {"event"}
        match event["event"]:
            case "deal":
                assert numbers(event["tiles"], 8, 0, 7)
                assert numbers(event["hidden"], hidden, 0, 7)
                assert event["hidden"] == sorted(event["hidden"])
                assert len(event["columns"]) == 8
                assert all(numbers(column, 3, 0, 23) for column in event["columns"])
                assert len(event["peeks"]) == n
                assert all(whole(peek) if hidden == 3 else peek is None for peek in event["peeks"])
                assert whole(event["starter"])
                assert 0 <= event["starter"] < n
            case "take":
                assert numbers([event["seat"]], 1, 0, n - 1)
                assert numbers([event["card"], event["action"]], 2, 0, 23)
                assert event["card"] == event["action"]
            case "lock":
                assert numbers([event["position"]], 1, 0, 7)
                assert numbers([event["card"]], 1, 0, 23)
            case "reveal":
                assert numbers(event["tiles"], 8, 0, 7)
            case "score":
                assert numbers(event["values"], 8, -4, 5)
                assert numbers(event["scores"], n, -10_000, 10_000)


def check_order(record: Record) -> None:
    """Per game: deal, sixteen takes with a lock at once after each that closes a column, reveal, score."""
    hidden = HIDDEN[record["options"].get("mode", "base")]
    kinds = [event["event"] for event in record["events"]]
    starts = [i for i, kind in enumerate(kinds) if kind == "deal"]
    assert starts[0] == 0
    for start, end in zip(starts, [*starts[1:], len(kinds)], strict=True):
        game = kinds[start:end]
        assert game[0] == "deal"
        assert game[-1] == "score"
        assert game[-2] == ("reveal" if hidden else "lock")
        assert game[-3 if hidden else -2] == "lock"
        assert game.count("take") == 16
        assert game.count("lock") == 8
        assert game.count("reveal") == (1 if hidden else 0)
        assert game.count("score") == 1
        assert all(game[i - 1] == "take" for i, kind in enumerate(game) if kind == "lock")


# ---- form ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tie", ["share", "replay"])
@pytest.mark.parametrize("deck", ["assumed-v1", MEAGRE, WORTHLESS], ids=["assumed-v1", "meagre", "worthless"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_record_has_the_form_plays_again_and_agrees_with_the_rules(
    players: int, mode: str, deck: Any, tie: str
) -> None:
    for record in fruit_envs.record(
        "fruit_cocktail", seed=3, games=3, num_players=players, mode=mode, deck=deck, tie=tie
    ):
        check_form(record)
        check_order(record)
        again = json.loads(json.dumps(record, allow_nan=False))
        assert again == record
        state = fruit_envs.replay(again)
        assert state.over
        assert state.scores.tolist() == record["scores"]
        match = check_record(again)
        assert match.table.scores() == record["scores"]
        if deck == WORTHLESS:
            assert len(match.games) == (10 if tie == "replay" else 1)


@pytest.mark.parametrize("reward", ["win", "margin"])
@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
@pytest.mark.parametrize("players", PLAYERS)
def test_rewards_and_memory_in_a_record(players: int, memory: str, reward: str) -> None:
    record = made(num_players=players, memory=memory, reward=reward, margin_scale=8)
    check_form(record)
    fruit_envs.replay(record)
    check_record(record)


@pytest.mark.parametrize("players", PLAYERS)
def test_as_scored_records_carry_the_whole_margin_and_not_the_timing(players: int) -> None:
    record = made(num_players=players, mode="total_control", reward="margin", reward_timing="as_scored")
    assert "reward_timing" not in record["options"]
    assert record == made(num_players=players, mode="total_control", reward="margin")
    fruit_envs.replay(record)
    check_record(record)


def test_options_hold_the_player_count_and_what_differs_from_the_defaults() -> None:
    assert made()["options"] == {"num_players": 2}
    assert made(num_players=3, mode="base", tie="share", deck="assumed-v1")["options"] == {"num_players": 3}
    record = made(mode="easy", tie="replay", reward="margin", margin_scale=10, memory="tabletop")
    assert record["options"] == {
        "num_players": 2,
        "mode": "easy",
        "tie": "replay",
        "reward": "margin",
        "margin_scale": 10,
        "memory": "tabletop",
    }


def test_options_that_repeat_defaults_are_understood() -> None:
    record = made()
    record["options"] |= {"mode": "base", "tie": "share", "reward": "win", "memory": "perfect", "margin_scale": 20}
    assert fruit_envs.replay(record).over


def test_games_have_seeds_in_a_row() -> None:
    records = fruit_envs.record("fruit_cocktail", seed=40, games=4, num_players=3)
    assert [record["seed"] for record in records] == [40, 41, 42, 43]
    assert [record["events"][0] for record in records] == [
        made(seed, num_players=3)["events"][0] for seed in range(40, 44)
    ]


def test_values_of_a_score_are_by_fruit_id() -> None:
    record = made(8)
    deal, score = record["events"][0], record["events"][-1]
    for event in record["events"]:
        if event["event"] == "lock":
            fruit = deal["tiles"][event["position"]]
            assert score["values"][fruit] == ASSUMED_V1_ROWS[event["card"]][2]


@pytest.mark.parametrize("tie", ["share", "replay"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_records_written_by_the_rules_alone_play_in_the_engine(players: int, mode: str, tie: str) -> None:
    """The other way round: the oracle deals, plays and writes, with the seed null; the engine agrees with all of it."""
    rng = random.Random(players)
    decks = (ASSUMED_V1_ROWS, MEAGRE, WORTHLESS, ONES)
    for number, choose in enumerate(islice(choosers(rng), 24)):
        rows = decks[number % 4]
        options: Record = {"num_players": players, "mode": mode, "tie": tie, "reward": ("win", "margin")[number % 2]}
        if number % 4:
            options["deck"] = [list(row) for row in rows]
        match = Match(dealer(rng, players, mode), deck_of(rows), tie == "replay")
        record = write_record(match, choose, options)
        check_form(record)
        check_order(record)
        assert fruit_envs.replay(json.loads(json.dumps(record))).scores.tolist() == record["scores"]


# ---- golden games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_golden_records(players: int) -> None:
    record = json.loads((GOLDEN / f"fruit_cocktail_{players}p.json").read_text("utf-8"))
    assert record["options"] == {"num_players": players}
    assert record["agents"] == ["random"] * players
    check_form(record)
    check_order(record)
    state = fruit_envs.replay(record)
    assert state.returns.tolist() == record["returns"]
    assert check_record(record).table.scores() == record["scores"]

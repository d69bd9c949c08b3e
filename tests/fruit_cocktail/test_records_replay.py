"""Playing a record again: what it may leave open, and what comes of it."""

from __future__ import annotations

import json

import pytest

import fruit_envs
from fruit_envs import InvalidRecord

from .helpers import MEAGRE, WORTHLESS, load
from .oracle import MODES, PLAYERS, check_record
from .records import made


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_a_named_starter_plays_again(starter: int) -> None:
    (record,) = fruit_envs.record(
        "fruit_cocktail", seed=6, starter=starter, num_players=3, tie="replay", deck=WORTHLESS
    )
    deals = [event for event in record["events"] if event["event"] == "deal"]
    assert [deal["starter"] for deal in deals] == [(starter + g) % 3 for g in range(10)]
    assert fruit_envs.replay(record).over
    check_record(record)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", PLAYERS)
def test_the_seed_may_be_null(players: int, mode: str) -> None:
    record = made(num_players=players, mode=mode)
    record["seed"] = None
    assert fruit_envs.replay(record).over


@pytest.mark.parametrize("agents", [["", ""], ["a person", "π"]])
def test_agents_are_free_text(agents: list[str]) -> None:
    record = made()
    record["agents"] = agents
    assert fruit_envs.replay(record).over


@pytest.mark.parametrize("seed", [5, None])
def test_the_order_of_cards_in_a_column_means_nothing(seed: int | None) -> None:
    record = made()
    record["seed"] = seed
    for column in record["events"][0]["columns"]:
        column.reverse()
    assert fruit_envs.replay(record).over


def test_returns_have_a_tolerance() -> None:
    record = made(reward="margin")
    record["returns"] = [x + 5e-7 for x in record["returns"]]
    assert fruit_envs.replay(record).over
    record["returns"] = [x + 5e-6 for x in record["returns"]]
    with pytest.raises(InvalidRecord, match="returns"):
        fruit_envs.replay(record)


def test_replay_leaves_the_record_as_it_is() -> None:
    record = made(tie="replay", deck=MEAGRE)
    before = json.dumps(record)
    fruit_envs.replay(record)
    assert json.dumps(record) == before


def test_replay_returns_the_finished_game() -> None:
    record = made()
    state = fruit_envs.replay(record)
    assert state.over
    assert state.game.options == load().options
    assert state.to_json(0)["picks"] == 16

"""Fruit Salad's records: their exact form, by the engine and by the rules alone; impossible ones are refused.

The golden games are written by

    python tests/fruit_salad/test_records.py
"""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import pytest

import fruit_envs
from fruit_envs import InvalidRecord

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fruit_salad.helpers import Table, every_count, every_window, load, record_of
from fruit_salad.oracle import FRUITS, PLAYERS, Impossible, check_record
from tampering import changed, others, refused

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_SEED = 7

FIELDS = {
    "deal": ["piles", "starter"],
    "roll": ["fruit", "number"],
    "window": ["window", "choices", "actions"],
    "land": ["seat", "card"],
    "reroll": ["fruit", "number"],
    "slap": ["seat", "fruit", "count", "needed", "result"],
    "keep": ["seat", "action", "card"],
    "give": ["seat", "action", "card", "to"],
    "end": ["reason"],
    "score": ["points", "scores"],
}
VARIANTS = [
    {},
    {"distribution": "bulk"},
    {"last_card_window": True},
    {"reroll_each_round": False},
    {"points_to_win": 1},
    {"early_seats": [0, 1], "reward": "margin", "memory": "tabletop"},
]


def through_json(record):
    return json.loads(json.dumps(record, allow_nan=False))


def played(seed=0, slapping=0.6, **options):
    """A record of a game in which bowls are won."""
    hashable = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    table = Table(load(**hashable), seed=seed)
    for _ in table.play(seed, slapping=slapping, step=10**9):
        pass
    written = {k: v for k, v in options.items() if k != "num_players"}
    return through_json(record_of(table, **written) | {"seed": seed})


def whole(value, low, high):
    return type(value) is int and low <= value <= high


def check_form(record):
    """Key sets, types and bounds, as the format describes them."""
    n = record["options"]["num_players"]
    for event in record["events"]:
        kind = event["event"]
        assert list(event) == ["event", *FIELDS[kind]]
        assert whole(event.get("seat", 0), 0, n - 1)
        assert whole(event.get("card", 0), 0, 59)
        match kind:
            case "deal":
                assert [len(pile) for pile in event["piles"]] == [60 // n] * n
                assert whole(event["starter"], 0, n - 1)
            case "roll":
                assert event["fruit"] in (*FRUITS, "any")
                assert whole(event["number"], 4, 8)
            case "window":
                assert event["window"] in ("W0", "W1", "W2")
                assert len(event["choices"]) == len(event["actions"]) == n
                assert all(choice in ("wait", *FRUITS) for choice in event["choices"])
                assert all(whole(action, 0, 4) for action in event["actions"])
            case "reroll":
                assert event["fruit"] in (*FRUITS, "any", None)
                assert event["number"] is None or whole(event["number"], 4, 8)
            case "slap":
                assert event["fruit"] in FRUITS
                assert whole(event["count"], 0, 48)
                assert event["result"] in ("win", "loss", "automatic")
            case "give":
                assert event["action"] is None or whole(event["action"], 65, 63 + n)
                assert whole(event["to"], 0, n - 1)
            case "end":
                assert event["reason"] in ("points", "empty", "truncated")
            case "score":
                assert event["scores"] == record["scores"]
                assert all(whole(points, 0, 4) for points in event["points"])
    assert [event["event"] for event in record["events"]][-2:] == ["end", "score"]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@every_window
@every_count
def test_records_have_the_form_play_again_and_agree_with_the_rules(players, windows, options):
    for seed in range(2):
        record = played(seed, num_players=players, windows=windows, **options)
        check_form(record)
        check_record(record)
        assert fruit_envs.replay(record).shares.tolist() == pytest.approx(record["scores"])


@every_count
def test_a_game_cut_off_after_a_thousand_reveals(players):
    (record,) = fruit_envs.record("fruit_salad", seed=players, num_players=players)
    record = through_json(record)
    check_form(record)
    check_record(record)
    assert record["events"][-2]["reason"] == "truncated"
    assert record["scores"] == pytest.approx([1 / players] * players)
    assert sum(event["event"] == "land" for event in record["events"]) == 1000


def test_a_starter_shows_only_in_the_deal():
    records = [fruit_envs.record("fruit_salad", seed=3, starter=seat, max_reveals=9)[0] for seat in range(4)]
    assert [record["events"][0]["starter"] for record in records] == [0, 1, 2, 3]
    assert len({str(record["events"][0]["piles"]) for record in records}) == 1
    for record in records:
        fruit_envs.replay(through_json(record))


def other_words(value):
    return [*others(value), *(["pear" if value != "pear" else "orange"] if type(value) is str else [])]


@pytest.mark.parametrize("distribution", ["each", "bulk"])
def test_every_changed_field_is_refused(distribution):
    record = played(5, num_players=3, distribution=distribution)
    assert {event["event"] for event in record["events"]} == set(FIELDS)
    fruit_envs.replay(record)
    tampered = list(changed(record, other_words, every=11))
    assert len(tampered) > 120
    assert [why for bad, why in tampered if not refused(bad)] == []


def test_the_oracle_refuses_what_the_engine_refuses_in_the_game_itself():
    record = played(5, num_players=3)
    for number, event in enumerate(record["events"]):
        if event["event"] not in ("land", "slap", "give", "end") or number % 5:
            continue
        for name in ("count", "to", "reason"):
            if name in event:
                bad = copy.deepcopy(record)
                bad["events"][number][name] = "truncated" if name == "reason" else event[name] + 1
                if bad["events"][number][name] == event[name]:
                    continue
                with pytest.raises((Impossible, IndexError)):
                    check_record(bad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e["piles"][0].__setitem__(0, e["piles"][1][0]), "each of the 60 cards once"),
        (lambda e: e["piles"][1].append(e["piles"][0].pop()), r"piles of \[20, 20, 20\] cards"),
        (lambda e: e["piles"][0].__setitem__(0, True), "each of the 60 cards once"),
        (lambda e: e.update(starter=3), r"a starter 0\.\.2"),
        (lambda e: e.pop("piles"), "piles"),
        (lambda e: e.update(piles=None), "NoneType"),
    ],
)
def test_an_impossible_deal_is_named(change, message):
    record = played(num_players=3)
    change(record["events"][0])
    with pytest.raises(InvalidRecord, match=f"expected a possible deal, got .*{message}"):
        fruit_envs.replay(record)


def test_a_card_that_cannot_land_is_named_by_its_event():
    record = played(num_players=3)
    number = [i for i, event in enumerate(record["events"]) if event["event"] == "land"][9]
    record["events"][number]["card"] ^= 1
    with pytest.raises(InvalidRecord, match=rf"event {number}: expected .*'land'"):
        fruit_envs.replay(record)


@pytest.mark.parametrize("players", PLAYERS)
def test_golden_games(players):
    record = json.loads((GOLDEN / f"fruit_salad_{players}p.json").read_text("utf-8"))
    check_form(record)
    check_record(record)
    state = fruit_envs.replay(record)
    assert state.over
    assert record == golden(players)


def golden(players):
    return played(GOLDEN_SEED + players, 0.8, num_players=players)


if __name__ == "__main__":
    for count in PLAYERS:
        path = GOLDEN / f"fruit_salad_{count}p.json"
        path.write_text(json.dumps(golden(count), separators=(",", ":")) + "\n", "utf-8")

"""Fruity Fruit's records: their exact form, by the engine and by the rules alone; impossible ones are refused.

The golden games are written by

    python tests/fruity_fruit/test_records.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import fruit_envs
from fruit_envs import InvalidRecord

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fruity_fruit.helpers import Both, choosers, every_count, every_mode, every_shape, load
from fruity_fruit.oracle import HAND, PLAYERS, check_record
from tampering import changed, refused

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_SEED = 7

FIELDS = {
    "deal": ["starter", "hands"],
    "draft": ["seat", "action", "seen", "kept"],
    "place": ["seat", "actions", "tile", "cells", "baskets", "insects", "fruits"],
    "skip": ["seat"],
    "trick": ["lead", "winner"],
    "take": ["seat", "fruits"],
    "pick": ["seat", "action", "fruit"],
    "end": ["reason"],
    "score": ["removed", "scores"],
}


def made(seed=5, agents="random", **options):
    """A record, through JSON."""
    (record,) = fruit_envs.record("fruity_fruit", agents, seed=seed, **options)
    return json.loads(json.dumps(record, allow_nan=False))


def whole(value, low, high):
    return type(value) is int and low <= value <= high


def fruits(value):
    return value == sorted(value) and all(whole(fruit, 0, 5) for fruit in value)


def check_form(record):
    """Key sets, types, bounds and order of events, as the format describes them."""
    n, events = record["options"]["num_players"], record["events"]
    kinds = [event["event"] for event in events]
    for number, event in enumerate(events):
        kind = event["event"]
        assert list(event) == ["event", *FIELDS[kind]]
        assert whole(event.get("seat", 0), 0, n - 1)
        match kind:
            case "deal":
                assert [len(hand) for hand in event["hands"]] == [HAND[n]] * n
                assert all(hand == sorted(hand) for hand in event["hands"])
            case "draft":
                assert event["seen"] == sorted(event["seen"])
                assert len(event["seen"]) == 4
                assert event["kept"] in event["seen"]
            case "place":
                single = record["options"].get("action_mode") == "single"
                assert len(event["actions"]) == 2 - single
                assert single or event["actions"][0] == event["tile"]
                assert event["cells"] == sorted(event["cells"])
                assert 2 <= len(event["cells"]) <= 4
                assert fruits(event["fruits"])
                assert event["baskets"] + event["insects"] + len(event["fruits"]) <= len(event["cells"])
            case "trick":
                assert whole(event["lead"], 0, 3)
                assert event["winner"] is None or whole(event["winner"], 0, n - 1)
            case "take":
                assert fruits(event["fruits"])
                assert event["fruits"]
                assert events[number - 1] == {**events[number - 1], "event": "trick", "winner": event["seat"]}
            case "pick":
                assert whole(event["fruit"], 0, 5)
            case "end":
                assert event["reason"] in ("out of tiles", "no room")
            case "score":
                assert event["scores"] == record["scores"]
    assert kinds[: n + 1] == ["deal", *["draft"] * n]
    assert kinds[-2:] == ["end", "score"]
    acted = [event["seat"] for event in events if event["event"] in ("place", "skip")]
    tricks = [acted[i : i + n] for i in range(0, len(acted), n)]
    assert len(tricks) == kinds.count("trick")
    for seats in tricks:
        assert seats == [(seats[0] + turn) % n for turn in range(n)], "each seat once a trick, clockwise"


@pytest.mark.parametrize("options", [{}, {"first_tile": "centre", "reward": "margin"}], ids=str)
@every_mode
@every_shape
@every_count
def test_records_have_the_form_play_again_and_agree_with_the_rules(players, shapes, mode, options):
    record = made(players, num_players=players, shapes=shapes, action_mode=mode, **options)
    check_form(record)
    check_record(record)
    assert fruit_envs.replay(record).scores.tolist() == record["scores"]


@every_mode
@every_count
def test_games_of_every_kind_are_recorded_as_the_rules_say(players, mode):
    """Picks, carried pots, skips: the oracle's events of games that lead to them are the engine's."""
    kinds = set()
    for number in range(5):
        both = Both(load(num_players=players, action_mode=mode), seed=40 + number)
        both.play(choosers(both)[number])
        record = {
            "format": "fruit-record-1",
            "game": "fruity_fruit",
            "version": 0,
            "options": {"num_players": players, "action_mode": mode},
            "seed": None,
            "agents": ["hand"] * players,
            "events": [both.deal, *told(both)],
            "scores": both.oracle.scores(),
            "returns": [float(reward) for reward in both.oracle.rewards()],
        }
        check_form(json.loads(json.dumps(record)))
        assert fruit_envs.replay(record).scores.tolist() == record["scores"]
        kinds |= {event["event"] for event in record["events"]}
    assert kinds >= set(FIELDS) - {"pick"}


def told(both):
    """The oracle's events with the ids of the actions, as a record has them."""
    script, events = iter(both.script), []
    for event in both.oracle.events:
        kind, facts = event["event"], {k: v for k, v in event.items() if k not in ("event", "seat", "placement")}
        if kind == "place":
            steps = 1 if both.game.options["action_mode"] == "single" else 2
            actions = [next(script)[1] for _ in range(steps)]
            events.append({"event": kind, "seat": event["seat"], "actions": actions, **facts})
        elif kind in ("draft", "pick"):
            events.append({"event": kind, "seat": event["seat"], "action": next(script)[1], **facts})
        else:
            events.append(event)
    return events


@pytest.mark.parametrize("seed", [5, None], ids=["seed", "no seed"])
@every_mode
def test_every_changed_field_is_refused(mode, seed):
    record = made(num_players=3, action_mode=mode)
    record["seed"] = seed
    fruit_envs.replay(record)
    tampered = list(changed(record))
    assert len(tampered) > 80
    assert [why for bad, why in tampered if not refused(bad)] == []


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (0, lambda e: e["hands"][0].__setitem__(0, e["hands"][1][0]), "each of the 36 tiles once"),
        (0, lambda e: e["hands"][1].append(e["hands"][0].pop()), "3 hands of 12 tiles"),
        (0, lambda e: e["hands"][0].__setitem__(0, True), "each of the 36 tiles once"),
        (0, lambda e: e.update(starter=3), r"a starter 0\.\.2"),
        (0, lambda e: e.pop("hands"), "hands"),
        (0, lambda e: e.update(hands=None), "NoneType"),
        (1, lambda e: e["seen"].pop(), "4 cards are seen"),
        (1, lambda e: e["seen"].__setitem__(0, 9), "9 is not in list"),
        (1, lambda e: e.update(kept=9), "not in list"),
    ],
)
def test_an_impossible_deal_or_draft_is_named(number, change, message):
    record = made()
    event = record["events"][number]
    change(event)
    with pytest.raises(InvalidRecord, match=f"expected a possible {event['event']}, got .*{message}"):
        fruit_envs.replay(record)


def test_a_draft_too_many_is_named():
    record = made()
    record["events"].append(record["events"][1])
    with pytest.raises(InvalidRecord, match=r"expected a possible draft, got .*3 seats draft"):
        fruit_envs.replay(record)


def golden(players):
    """What a golden record holds: the default game, random agents."""
    return made(GOLDEN_SEED, num_players=players)


@pytest.mark.parametrize("players", PLAYERS)
def test_golden_records(players):
    record = json.loads((GOLDEN / f"fruity_fruit_{players}p.json").read_text("utf-8"))
    assert record["options"] == {"num_players": players}
    assert record["agents"] == ["random"] * players
    check_form(record)
    assert fruit_envs.replay(record).returns.tolist() == record["returns"]
    assert check_record(record).scores() == record["scores"]


if __name__ == "__main__":
    for count in PLAYERS:
        lines = json.dumps(golden(count)).replace('{"event"', '\n  {"event"')
        (GOLDEN / f"fruity_fruit_{count}p.json").write_text(lines + "\n", "utf-8")

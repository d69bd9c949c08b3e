"""Fruitoplay's records: their exact form, by the engine and by the rules alone; impossible ones are refused.

The golden games are written by

    python tests/fruitoplay/test_records.py
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import pytest

import fruit_envs
from fruit_envs import InvalidRecord

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fruitoplay.helpers import choosers, every_count
from fruitoplay.oracle import HAND, Game, check_record, random_deal
from tampering import changed, refused

GOLDEN = Path(__file__).parents[1] / "golden"
GOLDEN_COUNTS = (2, 4, 6)
GOLDEN_SEED = 7

FIELDS = {
    "deal": ["round", "hands", "river", "deck"],
    "collective": ["fruit", "seat", "action"],
    "play": ["turn", "seat", "action", "card"],
    "trick": ["turn", "target", "winner"],
    "draw": ["seat", "card"],
    "optional": ["seat", "action", "drew", "card"],
    "cancel": ["seat", "action", "fruit", "removed"],
    "round": ["columns", "points"],
    "score": ["totals", "scores"],
}


def made(seed=5, agents="random", **options):
    """A record, through JSON."""
    (record,) = fruit_envs.record("fruitoplay", agents, seed=seed, **options)
    return json.loads(json.dumps(record, allow_nan=False))


def whole(value, low, high):
    return type(value) is int and low <= value <= high


def or_none(value, low, high):
    return value is None or whole(value, low, high)


def check_form(record):
    """Key sets, types, bounds and order of events, as the format describes them."""
    n = record["options"]["num_players"]
    kinds = [event["event"] for event in record["events"]]
    for event in record["events"]:
        kind = event["event"]
        assert list(event) == ["event", *FIELDS[kind]]
        assert whole(event.get("seat", 0), 0, n - 1) or kind == "collective"
        match kind:
            case "deal":
                assert [len(hand) for hand in event["hands"]] == [HAND[n]] * n
                lying = [card for hand in event["hands"] for card in hand] + event["river"] + event["deck"]
                assert sorted(lying) == list(range(80))
                assert len(event["river"]) == 7
            case "collective":
                assert whole(event["fruit"], 0, 3)
                assert (event["seat"] is None) == (event["action"] is None)
            case "play":
                assert event["action"] == event["card"]
                assert or_none(event["card"], 0, 79)
            case "trick":
                assert or_none(event["winner"], 0, n - 1)
            case "optional":
                assert event["action"] in (80, 81)
                assert type(event["drew"]) is bool
                assert event["drew"] == (event["card"] is not None)
            case "cancel":
                assert event["action"] in (None, 86, 87)
                assert event["removed"] in (None, "single", "double", "collective")
            case "round":
                assert [len(sums) for sums in event["columns"]] == [4] * n
            case "score":
                assert event["totals"] == event["scores"] == record["scores"]
    assert kinds.count("deal") == kinds.count("round") == 3
    assert kinds.count("trick") == 21
    assert kinds.count("play") == 21 * n
    assert kinds.count("collective") == 2
    assert kinds[-1] == "score"
    assert [kinds[i + 1] for i, kind in enumerate(kinds) if kind == "deal"] == ["play", "collective", "collective"]


@pytest.mark.parametrize("options", [{}, {"tie_scope": "all", "collective_reuse": False, "reward": "margin"}], ids=str)
@every_count
def test_records_have_the_form_play_again_and_agree_with_the_rules(players, options):
    for seed in range(4):
        record = made(seed, num_players=players, **options)
        check_form(record)
        check_record(record)
        assert fruit_envs.replay(record).scores.tolist() == record["scores"]


@every_count
def test_records_written_by_the_rules_alone_play_in_the_engine(players):
    """The other way round: the oracle deals, plays and writes, with the seed null; the engine agrees with all of it."""
    rng = random.Random(players)
    for choose in choosers(rng):
        game = Game(players, lambda _: random_deal(rng, players), lambda _, fruits: rng.choice(fruits))
        while not game.over:
            game.answer({seat: choose(game, seat) for seat in game.question.asked})
        record = {
            "format": "fruit-record-1",
            "game": "fruitoplay",
            "version": 0,
            "options": {"num_players": players},
            "seed": None,
            "agents": ["hand"] * players,
            "events": game.events,
            "scores": game.totals,
            "returns": [float(reward) for reward in game.rewards()],
        }
        check_form(record)
        record = json.loads(json.dumps(record))
        for hand in record["events"][0]["hands"]:
            rng.shuffle(hand)  # the order of cards in a hand means nothing
        assert fruit_envs.replay(record).scores.tolist() == game.totals


@pytest.mark.parametrize("seed", [5, None], ids=["seed", "no seed"])
@pytest.mark.parametrize("players", [2, 6])
def test_every_changed_field_is_refused(players, seed):
    record = made(num_players=players)
    record["seed"] = seed
    fruit_envs.replay(record)
    tampered = list(changed(record))
    assert len(tampered) > 100
    assert [why for bad, why in tampered if not refused(bad)] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda deal: deal["hands"][0].__setitem__(0, deal["river"][0]), "each of the 80 cards once"),
        (lambda deal: deal["river"].append(deal["deck"].pop()), "hands of 6 cards and 7 targets"),
        (lambda deal: deal["hands"][1].append(deal["hands"][0].pop()), "hands of 6 cards and 7 targets"),
        (lambda deal: deal["deck"].pop(), "each of the 80 cards once"),
        (lambda deal: deal["deck"].__setitem__(0, True), "each of the 80 cards once"),
        (lambda deal: deal.pop("river"), "river"),
        (lambda deal: deal.update(hands=None), "NoneType"),
    ],
)
def test_an_impossible_deal_is_named(change, message):
    record = made()
    change(record["events"][0])
    with pytest.raises(InvalidRecord, match=f"round 0: expected a possible deal, got .*{message}"):
        fruit_envs.replay(record)


def test_an_impossible_collective_card_is_named():
    record = made(num_players=2, collective_reuse=False)
    first, second = (event for event in record["events"] if event["event"] == "collective")
    second.update(fruit=first["fruit"], seat=None, action=None)
    with pytest.raises(InvalidRecord, match="round 2: expected a possible collective"):
        fruit_envs.replay(record)
    record["events"].append(record["events"][0])
    with pytest.raises(InvalidRecord, match="expected a possible"):
        fruit_envs.replay(record)


def golden(players):
    """What a golden record holds: the default game, random agents."""
    return made(GOLDEN_SEED, num_players=players)


@pytest.mark.parametrize("players", GOLDEN_COUNTS)
def test_golden_records(players):
    record = json.loads((GOLDEN / f"fruitoplay_{players}p.json").read_text("utf-8"))
    assert record["options"] == {"num_players": players}
    assert record["agents"] == ["random"] * players
    check_form(record)
    assert fruit_envs.replay(record).returns.tolist() == record["returns"]
    assert check_record(record).totals == record["scores"]


if __name__ == "__main__":
    for count in GOLDEN_COUNTS:
        lines = json.dumps(golden(count)).replace('{"event"', '\n  {"event"')
        (GOLDEN / f"fruitoplay_{count}p.json").write_text(lines + "\n", "utf-8")

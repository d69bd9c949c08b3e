"""Records of every game: written, JSON, replayed; every difference is named."""

from __future__ import annotations

import copy
import json

import pytest

from fruit_envs import InvalidOption, InvalidRecord, load, record, replay
from support import every_case, every_count

KEYS = ["format", "game", "version", "options", "seed", "agents", "events", "scores", "returns"]


@every_case
def test_records_replay_after_a_trip_through_json(name, options):
    records = record(name, "random", games=6, seed=30, **options)
    assert [r["seed"] for r in records] == list(range(30, 36))
    for written in records:
        assert list(written) == KEYS
        read = json.loads(json.dumps(written, allow_nan=False))
        assert read == written
        state = replay(read)
        assert state.over
        assert state.returns.tolist() == pytest.approx(written["returns"])
        by_hand = {**read, "seed": None}
        assert replay(by_hand).scores.tolist() == state.scores.tolist()


@every_count
def test_the_same_seed_gives_the_same_record_and_agents_have_streams_of_their_own(name, options):
    first = record(name, "random", seed=5, **options)
    assert first == record(name, "random", seed=5, **options)
    other = record(name, "random", seed=5, agent_seed=1, **options)
    assert other[0]["events"][0] == first[0]["events"][0], "the deal is the seed's"
    assert other != first
    assert record(name, "random", **options) != record(name, "random", **options)


@every_count
def test_malformed_records_are_refused(name, options):
    (good,) = record(name, "random", seed=5, **options)

    def refused(change, match):
        bad = copy.deepcopy(good)
        change(bad)
        with pytest.raises(InvalidRecord, match=match):
            replay(bad)

    for key in KEYS:
        refused(lambda r, key=key: r.pop(key), "expected an object with the keys")
    refused(lambda r: r.update(extra=1), "expected an object with the keys")
    refused(lambda r: r.update(format="fruit-record-2"), "expected format")
    refused(lambda r: r.update(version=99), "expected version")
    refused(lambda r: r.update(version=True), "expected version")
    refused(lambda r: r.update(game="chess"), "game and options that exist")
    refused(lambda r: r["options"].update(colour=1), "game and options that exist")
    refused(lambda r: r["options"].pop("num_players"), "options with num_players")
    n = options["num_players"]
    refused(lambda r: r["options"].update(num_players=str(n)), f"num_players: expected a whole number .*, got '{n}'")
    refused(lambda r: r.update(seed=-1), "game and options that exist")
    refused(lambda r: r.update(seed=6), "from seed 6")
    refused(lambda r: r.update(agents=["random"]), "agent names")
    refused(lambda r: r.update(events={}), "expected events as a list")
    refused(lambda r: r["events"].pop(), "event")
    refused(lambda r: r["events"].append({"event": "encore"}), r"expected the end, got \{'event': 'encore'\}")
    refused(lambda r: r["events"][-2].update(surplus=1), "event")
    refused(lambda r: r["scores"].reverse() or r["scores"].__setitem__(0, 999), "scores: expected")
    refused(lambda r: r["returns"].__setitem__(0, 0.123), "returns: expected")
    refused(lambda r: r["returns"].__setitem__(0, True), "returns: expected")
    for bad in (None, [], "record", 1):
        with pytest.raises(InvalidRecord, match="expected an object"):
            replay(bad)


@every_count
def test_bad_arguments_of_record(name, options):
    n = options["num_players"]
    with pytest.raises(InvalidOption, match=f"expected one agent or {n}"):
        record(name, ["random"] * (n + 1), **options)
    with pytest.raises(InvalidOption, match="unknown agent"):
        record(name, "nobody", **options)
    with pytest.raises(InvalidOption, match="either a Game or options"):
        record(load(name, **options), "random", **options)
    assert record(load(name, **options), ["random"] * n, seed=1) == record(name, ["random"], seed=1, **options)

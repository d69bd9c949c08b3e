"""Records of Fruit Cocktail: their exact form, playing them again, and what is refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import fruit_envs
from fruit_envs import InvalidRecord

from .helpers import MEAGRE, ONES, WORTHLESS, dealer, load
from .oracle import (
    ASSUMED_V1_ROWS,
    HIDDEN,
    MODES,
    PLAYERS,
    Match,
    check_record,
    choosers,
    deck_of,
    write_record,
)
from .test_fixtures import example_record

GOLDEN = Path(__file__).parents[1] / "golden"
Record = dict[str, Any]

KEYS = ["format", "game", "version", "options", "seed", "agents", "events", "scores", "returns"]
FIELDS = {
    "deal": {"tiles", "hidden", "columns", "peeks", "starter"},
    "take": {"seat", "action", "card"},
    "lock": {"position", "card"},
    "reveal": {"tiles"},
    "score": {"values", "scores"},
}


def made(seed: int = 5, **options: Any) -> Record:
    """A record of random agents, through JSON."""
    (record,) = fruit_envs.record("fruit_cocktail", seed=seed, **options)
    return json.loads(json.dumps(record, allow_nan=False))  # type: ignore[no-any-return]


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


# ---- tampering -----------------------------------------------------------------------------------------------------


def complaint(record: Any, why: Any) -> str:
    """What is wrong with how a tampered record is met; empty where it is refused as it should be."""
    try:
        fruit_envs.replay(record)
    except InvalidRecord as error:
        return "" if str(error) else f"no message for {why}"
    except Exception as error:
        return f"{type(error).__name__} instead of InvalidRecord for {why}: {error}"
    return f"accepted: {why}"


def refuse_all(tampered: Iterable[tuple[Record, Any]]) -> None:
    """Every one of these records is refused with InvalidRecord."""
    wrong = [found for record, why in tampered if (found := complaint(record, why))]
    assert not wrong, f"{len(wrong)} not refused as InvalidRecord:\n" + "\n".join(wrong[:20])


def refused(record: Any, why: Any) -> None:
    refuse_all([(record, why)])


def variations(value: Any) -> Iterator[Any]:
    """Other values of one field: near ones, far ones, of the wrong type, and equal ones of the wrong type."""
    if type(value) is int:
        yield from (value + 1, value - 1, -1 - value, value + 24, 2**31, 2**63, 2**70, -(2**70))
        yield from (float(value), value + 0.5, str(value), [value], {"value": value}, None, float("nan"), float("inf"))
        if value in (0, 1):
            yield bool(value)
        else:
            yield True
    elif type(value) is str:
        yield from (value + "x", value.upper(), "", 0, None, [value], True)
    elif value is None:
        yield from (0, 1, -1, False, 0.0, "null", [])
    elif type(value) is list:
        yield from (None, 0, "", {}, [*value, 0], [*value, None], dict(enumerate(value)), str(value))
        if value:
            yield from (value[:-1], value[1:], [], [value], [None] * len(value))
        for i, item in enumerate(value):
            for other in variations(item):
                yield [*value[:i], other, *value[i + 1 :]]
        for i in range(len(value) - 1):
            if value[i] != value[i + 1]:
                yield [*value[:i], value[i + 1], value[i], *value[i + 2 :]]
    else:
        raise AssertionError(value)


def identical(a: Any, b: Any) -> bool:
    """Equal in value and type, all the way down."""
    return json.dumps(a) == json.dumps(b)


def tamperings(record: Record, number: int) -> Iterator[tuple[Record, Any]]:
    """Every change of one field of one event."""
    event = record["events"][number]
    kind = event["event"]
    for name, value in event.items():
        for other in variations(value):
            if identical(other, value):
                continue
            if name == "columns" and _same_columns(value, other):
                continue  # the order of cards in a column means nothing
            yield _with_event(record, number, {**event, name: other}), (number, kind, name, other)
        yield _with_event(record, number, {k: v for k, v in event.items() if k != name}), (number, kind, f"no {name}")
    yield _with_event(record, number, {**event, "note": 0}), (number, kind, "an extra field")
    yield _with_event(record, number, {**event, "actions": []}), (number, kind, "an extra field of another game")
    for other in (None, 0, "deal", [], [event]):
        yield _with_event(record, number, other), (number, kind, "is no object")
    events = record["events"]
    yield {**record, "events": events[:number] + events[number + 1 :]}, (number, kind, "is missing")
    yield {**record, "events": events[: number + 1] + events[number:]}, (number, kind, "comes twice")
    if number + 1 < len(events):
        swapped = [*events[:number], events[number + 1], event, *events[number + 2 :]]
        yield {**record, "events": swapped}, (number, kind, "comes one too late")


def _same_columns(value: Any, other: Any) -> bool:
    try:
        return identical([sorted(column) for column in value], [sorted(column) for column in other])
    except TypeError:
        return False


def _with_event(record: Record, number: int, event: Any) -> Record:
    events = list(record["events"])
    events[number] = event
    return {**record, "events": events}


def first_and_last(record: Record) -> list[int]:
    """The places of the first and of the last event of each kind."""
    kinds = [event["event"] for event in record["events"]]
    return sorted({f(i for i, k in enumerate(kinds) if k == kind) for kind in set(kinds) for f in (min, max)})


TAMPERED = {
    "2-base": {},
    "3-base": {"num_players": 3},
    "4-base": {"num_players": 4},
    "2-easy": {"mode": "easy"},
    "4-easy": {"num_players": 4, "mode": "easy"},
    "3-total_control": {"num_players": 3, "mode": "total_control"},
    "2-replay": {"tie": "replay", "deck": MEAGRE},
}


def _tied_seed(options: Record) -> int:
    """A seed whose first game is tied and replayed."""
    return next(s for s in range(99) if sum(e["event"] == "deal" for e in made(s, **options)["events"]) > 1)


@pytest.mark.parametrize("options", TAMPERED.values(), ids=TAMPERED.keys())
def test_every_changed_field_of_an_event_is_refused(options: Record) -> None:
    record = made(_tied_seed(options) if options.get("tie") else 5, **options)
    fruit_envs.replay(record)
    refuse_all(tampered for number in first_and_last(record) for tampered in tamperings(record, number))


@pytest.mark.parametrize("name", KEYS)
def test_every_key_is_required(name: str) -> None:
    record = made()
    del record[name]
    refused(record, f"no {name}")


def test_no_other_key_is_allowed() -> None:
    refused({**made(), "note": "x"}, "an extra key")


@pytest.mark.parametrize("record", [None, [], "fruit-record-1", 1, {}, [("format", "fruit-record-1")]], ids=repr)
def test_what_is_no_record_is_refused(record: Any) -> None:
    refused(record, record)


TOP: dict[str, list[Any]] = {
    "format": ["fruit-record-2", "", None, 1, ["fruit-record-1"], True],
    "game": ["fruit_salad", "Fruit_Cocktail", "", None, 0, ["fruit_cocktail"], {}],
    "version": [1, -1, 0.0, False, None, "0", [0]],
    "options": [None, [], {}, "num_players", {"mode": "base"}, [["num_players", 2]]],
    "seed": [6, 0, -5, 5.0, True, "5", [5], 2**53, 2**70, float("nan")],
    "agents": [None, [], ["random"], ["random"] * 3, "random", "rr", [0, 1], [None, None], {"0": "a", "1": "b"}],
    "events": [None, [], {}, "deal", [None], [{}], [[]]],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k, values in TOP.items() for v in values], ids=str)
def test_every_changed_key_is_refused(name: str, value: Any) -> None:
    refused({**made(), name: value}, (name, value))


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 3},
        {"num_players": 4},
        {"num_players": 2.0},
        {"num_players": True},
        {"num_players": "2"},
        {"num_players": None},
        {"num_players": 5},
        {"num_players": 2, "mode": "easy"},
        {"num_players": 2, "mode": "total_control"},
        {"num_players": 2, "mode": None},
        {"num_players": 2, "mode": ["base"]},
        {"num_players": 2, "reward": "margin"},
        {"num_players": 2, "reward": 0},
        {"num_players": 2, "margin_scale": "20"},
        {"num_players": 2, "margin_scale": 0},
        {"num_players": 2, "margin_scale": None},
        {"num_players": 2, "tie": "roll"},
        {"num_players": 2, "deck": "assumed-v2"},
        {"num_players": 2, "deck": None},
        {"num_players": 2, "deck": [list(row) for row in WORTHLESS]},
        {"num_players": 2, "players": 2},
        {"num_players": 2, "render_mode": "ansi"},
    ],
    ids=str,
)
def test_every_changed_option_is_refused(options: Record) -> None:
    record = made()
    assert sum(record["scores"])  # so that another deck shows
    refused({**record, "options": options}, options)


@pytest.mark.parametrize("options", [{"reward_timing": "end"}, {"render_mode": None}, {"opponents": "random"}], ids=str)
def test_options_hold_neither_the_face_nor_the_timing(options: Record) -> None:
    record = made()
    refused({**record, "options": {**record["options"], **options}}, options)


def test_a_record_keeps_its_deck_in_full_never_as_a_path(tmp_path: Path) -> None:
    """A path in a record would make it depend on a file."""
    path = tmp_path / "deck.csv"
    names = ("banana", "cherry", "apple", "strawberry", "lychee", "grape", "blueberry", "orange")
    lines = [f"{i},{names[f]},{p},{v}" for i, (f, p, v) in enumerate(ASSUMED_V1_ROWS)]
    path.write_text("\n".join(["id,fruit,pieces,value", *lines]) + "\n", "utf-8")
    record = made(deck=str(path))
    assert record["options"]["deck"] == ASSUMED_V1_ROWS
    refused({**record, "options": {"num_players": 2, "deck": str(path)}}, "a path")


@pytest.mark.parametrize("name", ["scores", "returns"])
@pytest.mark.parametrize("seed", [5, None])
def test_every_changed_result_is_refused(name: str, seed: int | None) -> None:
    record = made(reward="margin")
    record["seed"] = seed
    changed: list[Any] = [None, 0, "", {}, [], record[name][:1], [*record[name], 0], record[name][::-1]]
    for i, value in enumerate(record[name]):
        for other in (value + 1, -value, str(value), None, [value], True, float("nan"), float("inf"), 2**2000):
            changed.append([*record[name][:i], other, *record[name][i + 1 :]])
    refuse_all(({**record, name: other}, (name, str(other)[:40])) for other in changed)


def test_scores_are_whole_numbers() -> None:
    record = made()
    refused({**record, "scores": [float(score) for score in record["scores"]]}, "scores as floats")
    refused({**record, "scores": [score + 1e-7 for score in record["scores"]]}, "scores that are almost right")


def test_a_score_of_one_is_not_true() -> None:
    """The worked example, with one more point for nobody: booleans are no numbers."""
    record = example_record("base")
    for name, values in (("returns", [True, -1.0]), ("scores", [8, True])):
        refused({**record, name: values}, name)


HAND_MADE: dict[str, Callable[[Record], Any]] = {
    "two seats at one tile": lambda deal: deal.update(peeks=[deal["hidden"][0]] * 2),
    "a peek at a tile that is turned up": lambda deal: deal.update(
        peeks=[next(p for p in range(8) if p not in deal["hidden"]), deal["hidden"][0]]
    ),
    "no peeks": lambda deal: deal.update(peeks=[None, None]),
    "one peek missing": lambda deal: deal.update(peeks=[deal["hidden"][0], None]),
    "peeks as hidden tiles' numbers": lambda deal: deal.update(hidden=[3, 4, 5], peeks=[0, 1]),
    "hidden not ascending": lambda deal: deal.update(hidden=deal["hidden"][::-1]),
    "a tile hidden twice": lambda deal: deal.update(hidden=[deal["hidden"][0], *deal["hidden"][:2]]),
    "two hidden": lambda deal: deal.update(hidden=deal["hidden"][:2]),
    "four hidden": lambda deal: deal.update(hidden=[0, 1, 2, 3]),
    "none hidden": lambda deal: deal.update(hidden=[]),
    "a position 8": lambda deal: deal.update(hidden=[*deal["hidden"][:2], 8]),
    "a negative position": lambda deal: deal.update(hidden=[-1, *deal["hidden"][1:]]),
    "a tile twice": lambda deal: deal["tiles"].__setitem__(0, deal["tiles"][1]),
    "a tile 8": lambda deal: deal["tiles"].__setitem__(0, 8),
    "seven tiles": lambda deal: deal["tiles"].pop(),
    "a card twice": lambda deal: deal["columns"][0].__setitem__(0, deal["columns"][1][0]),
    "a card 24": lambda deal: deal["columns"][0].__setitem__(0, 24),
    "a column of two": lambda deal: deal["columns"][0].pop(),
    "columns of two and four": lambda deal: deal["columns"][1].append(deal["columns"][0].pop()),
    "seven columns": lambda deal: deal["columns"].pop(),
    "nine columns": lambda deal: deal["columns"].append([]),
    "a flat list of cards": lambda deal: deal.update(columns=[c for column in deal["columns"] for c in column]),
    "a starter beyond the seats": lambda deal: deal.update(starter=2),
    "a negative starter": lambda deal: deal.update(starter=-1),
    "no starter": lambda deal: deal.update(starter=None),
    "a starter in words": lambda deal: deal.update(starter="0"),
    "a huge starter": lambda deal: deal.update(starter=2**70),
    "three peeks": lambda deal: deal.update(peeks=deal["hidden"]),
}


@pytest.mark.parametrize("change", HAND_MADE.values(), ids=HAND_MADE.keys())
def test_an_impossible_deal_is_refused_without_a_seed(change: Callable[[Record], Any]) -> None:
    record = made(2)
    record["seed"] = None
    fruit_envs.replay(copy.deepcopy(record))
    change(record["events"][0])
    refused(record, record["events"][0])


@pytest.mark.parametrize(
    "peeks",
    [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 2], [0, 1, 2, 2], [1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 0], [0, 1]],
    ids=str,
)
def test_four_players_peek_in_two_pairs_also_without_a_seed(peeks: list[int]) -> None:
    record = made(num_players=4)
    record["seed"] = None
    deal = record["events"][0]
    deal["peeks"] = [deal["hidden"][h] for h in peeks]
    refused(record, peeks)


@pytest.mark.parametrize("mode", ["easy", "total_control"])
@pytest.mark.parametrize("players", PLAYERS)
def test_nobody_peeks_in_the_other_modes_also_without_a_seed(players: int, mode: str) -> None:
    record = made(num_players=players, mode=mode)
    record["seed"] = None
    for peeks in ([0] * players, [None] * (players - 1), [None] * (players + 1), [], list(range(players))):
        record["events"][0]["peeks"] = peeks
        refused(record, peeks)


@pytest.mark.parametrize("name", ["take", "lock", "reveal", "score"])
def test_other_events_are_checked_without_a_seed_too(name: str) -> None:
    record = made(2)
    record["seed"] = None
    for number in first_and_last(record):
        if record["events"][number]["event"] == name:
            refuse_all(tamperings(record, number))


def test_a_new_game_after_a_tie_is_begun_by_the_next_seat() -> None:
    """The deals are free in a hand-made record, the starter of the second one is not."""
    options: Record = {"num_players": 3, "tie": "replay", "deck": [list(row) for row in WORTHLESS]}
    rng = random.Random(1)
    match = Match(dealer(rng, 3, "base"), deck_of(WORTHLESS), replay_ties=True)
    record = write_record(match, next(choosers(rng)), options)
    fruit_envs.replay(record)
    deals = [event for event in record["events"] if event["event"] == "deal"]
    for deal in deals[1:]:
        right = deal["starter"]
        for starter in ({0, 1, 2} | {3, -1}) - {right}:
            deal["starter"] = starter
            refused(record, starter)
        deal["starter"] = right
    fruit_envs.replay(record)


def test_a_tied_game_is_not_followed_by_another_where_ties_are_shared() -> None:
    record = made(deck=WORTHLESS, tie="replay")
    options = dict(record["options"])
    del options["tie"]
    refused({**record, "options": options}, "more games than one")
    record = made(deck=WORTHLESS)
    refused({**record, "options": {**record["options"], "tie": "replay"}}, "one game where ties are replayed")


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

"""Records with anything changed in them are refused: events, keys, options and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fruit_envs

from .helpers import MEAGRE, WORTHLESS
from .oracle import ASSUMED_V1_ROWS
from .records import KEYS, Record, first_and_last, made, refuse_all, refused, tamperings
from .test_fixtures import example_record

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

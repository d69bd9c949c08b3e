"""Records as test material: made by random agents, changed in one place, and refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import fruit_envs
from fruit_envs import InvalidRecord

Record = dict[str, Any]

KEYS = ["format", "game", "version", "options", "seed", "agents", "events", "scores", "returns"]


def made(seed: int = 5, **options: Any) -> Record:
    """A record of random agents, through JSON."""
    (record,) = fruit_envs.record("fruit_cocktail", seed=seed, **options)
    return json.loads(json.dumps(record, allow_nan=False))  # type: ignore[no-any-return]


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

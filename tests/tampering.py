"""Records with one change each, and whether replay refuses them."""

from __future__ import annotations

import copy

import fruit_envs
from fruit_envs import InvalidRecord


def others(value):
    """Values that a field of a record may not have instead of this one."""
    if type(value) is bool:
        return [not value, int(value), None]
    if type(value) is int:
        return [value + 1, -1 - value, float(value), str(value), None, 2**70, value != 1]
    if type(value) is str:
        return [value + "x", 0, None]
    if value is None:
        return [0, 1, "null", False]
    return [value[:-1], value[::-1], [], None, [*value, 0], {}, [value]]


def changed(record, others=others, every=7):
    """One change in one event at a time, of every kind and field; now and then an event that is lost or doubled."""
    seen = set()
    for number, event in enumerate(record["events"]):
        for name, value in event.items():
            if (event["event"], name, value is None) in seen:
                continue
            seen.add((event["event"], name, value is None))
            for other in others(value):
                if other != value or type(other) is not type(value):
                    bad = copy.deepcopy(record)
                    bad["events"][number][name] = other
                    yield bad, (number, event["event"], name, other)
        for change in ("missing", "twice"):
            bad = copy.deepcopy(record)
            bad["events"][number : number + 1] = [] if change == "missing" else [event, event]
            if number % every == 0:
                yield bad, (number, event["event"], change)


def refused(record):
    """Whether replay refuses a record as such."""
    try:
        fruit_envs.replay(record)
    except InvalidRecord:
        return True
    return False

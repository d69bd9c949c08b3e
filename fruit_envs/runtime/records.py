"""Game records: a whole game as JSON, written by playing it and checked by playing it again.

The format is `fruit-record-1`. Records hold the full truth, private facts included. `replay` forces the recorded chance
outcomes through the engine and fails at the first event that differs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fruit_envs.base.checks import as_seed
from fruit_envs.base.errors import FruitEnvsError, InvalidOption, InvalidRecord, brief
from fruit_envs.base.files import read_json
from fruit_envs.declare.catalog import GAMES
from fruit_envs.declare.contract import Components, part_of, seed_alone
from fruit_envs.engine.tape import Tape
from fruit_envs.runtime.game import Game, load
from fruit_envs.runtime.state import State

__all__ = ["CUT", "FORMAT", "read_records", "replay", "rule_options", "scores_of"]

FORMAT = "fruit-record-1"

#: The last event of a game that a limit has cut off.
CUT = {"event": "cut"}
_KEYS = ("format", "game", "version", "options", "seed", "agents", "events", "scores", "returns")
_TOLERANCE = 1e-6
_MAX_BYTES = 2**33  # of a file: some hundred thousand games


def rule_options(game: Game) -> dict[str, Any]:
    """What the record keeps of the options: those that differ from their defaults, and always the player count."""
    defaults = {option.name: option.default for option in game.components.OPTIONS}
    kept = {k: v for k, v in game.options.items() if k == "num_players" or v != defaults[k]}
    kept.pop("reward_timing", None)
    return {k: _listed(v) for k, v in kept.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(row) for name, row in value.items()}
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def scores_of(state: State) -> list[float | int]:
    """The scores of a game; a game may tell others at its end than those that margins are made from."""
    return _plain(state.game.text.record_scores(state) if state.over else state.scores.tolist())


def _plain(numbers: Sequence[float]) -> list[float | int]:
    return [int(x) if float(x).is_integer() else x for x in numbers]


# ---- reading -------------------------------------------------------------------------------------------------------


def read_records(file: str | os.PathLike[str]) -> list[Any]:
    """What a file holds as records, one or a list of them: JSON of any kind, which `replay` checks.

    Raises
    ------
    InvalidFile
        Where it cannot be read as JSON, see `parse_json`.
    InvalidRecord
        For an empty list.
    """
    content = read_json(Path(file), "a record or a list of records as JSON", max_bytes=_MAX_BYTES)
    if content == []:
        raise InvalidRecord(f"expected a record or a list of records in {file}, got an empty list")
    return content if isinstance(content, list) else [content]


# ---- replay --------------------------------------------------------------------------------------------------------


def replay(record: Mapping[str, Any]) -> State:
    """Play a record again.

    Parameters
    ----------
    record
        As `record` writes it; one made by hand may have the seed null.

    Returns
    -------
    State
        The finished game, or one as it was when a limit cut it off.

    Raises
    ------
    InvalidRecord
        If the record is malformed, or at the first event that the rules do not reproduce, naming it.
    """
    game = _checked(record)
    events = record["events"]
    cut = bool(events) and events[-1] == CUT
    if cut:
        events = events[:-1]
    seed = record["seed"]
    if seed is None and game.text.outcomes is seed_alone:
        raise InvalidRecord(f"expected a seed: a record of {game.name} holds no outcomes of chance")
    forced = game.text.outcomes(game.rules, events)
    state = _replayed(game, events, game.deal(0 if seed is None else seed, outcomes=forced), forced, cut)
    if seed is not None:
        starter = next((e["starter"] for e in events if e.get("event") == "deal" and "starter" in e), None)
        named = {} if starter is None else {"starter": starter}
        own = game.components.reset_outcomes(game.rules, named)
        _replayed(game, events, game.deal(seed, outcomes=own or None), None, cut, f" from seed {seed}")
    _compare("scores", record["scores"], scores_of(state))
    _compare("returns", record["returns"], (state.cut_returns if cut else state.returns).tolist())
    return state


def _checked(record: Mapping[str, Any]) -> Game:
    if not isinstance(record, Mapping) or set(record) != set(_KEYS):
        got = sorted(map(str, record)) if isinstance(record, Mapping) else type(record).__name__
        raise InvalidRecord(f"expected an object with the keys {sorted(_KEYS)}, got {brief(got)}")
    if record["format"] != FORMAT:
        raise InvalidRecord(f"expected format {FORMAT!r}, got {brief(record['format'])}")
    if not isinstance(record["options"], Mapping) or "num_players" not in record["options"]:
        raise InvalidRecord(f"expected options with num_players, got {brief(record['options'])}")
    try:
        _check_options(record["game"], record["options"])
        game = load(record["game"], **record["options"])
        if record["seed"] is not None:
            as_seed(record["seed"])
    except (FruitEnvsError, TypeError) as error:
        raise InvalidRecord(f"expected a game and options that exist: {error}") from error
    if type(record["version"]) is not int or record["version"] != game.version:
        raise InvalidRecord(f"expected version {game.version} of {game.name}, got {brief(record['version'])}")
    agents = record["agents"]
    if not isinstance(agents, list) or len(agents) != game.num_players or not all(isinstance(a, str) for a in agents):
        raise InvalidRecord(f"expected {game.num_players} agent names, got {brief(agents)}")
    events = record["events"]
    if not isinstance(events, list) or not all(isinstance(e, dict) and "event" in e for e in events):
        raise InvalidRecord("expected events as a list of objects with the key 'event'")
    return game


def _check_options(name: Any, options: Mapping[str, Any]) -> None:
    """Refuse what a record may not hold: reward timing, and paths (replaying a record opens no file)."""
    if not isinstance(name, str) or name not in GAMES:
        raise InvalidOption(f"unknown game {brief(name)}")
    declared = part_of(name, Components).OPTIONS
    # A table that can be named, or is made when None is given, is what may come from a file.
    tables = {o.name: o.default for o in declared if o.choices is None and isinstance(o.default, str | None)}
    for key, value in options.items():
        if key == "reward_timing":
            raise InvalidOption("expected no reward_timing, which is not a rule")
        if key in tables and isinstance(value, (str, os.PathLike)) and value != tables[key]:
            raise InvalidOption(f"option {key}: expected {tables[key]!r} or a whole table, got {brief(value)}")


def _replayed(
    game: Game, events: list[dict[str, Any]], state: State, forced: Any, cut: bool, source: str = ""
) -> State:
    """Play the decisions among the events, comparing every event that results."""
    text = game.text
    normalised = text.normalised
    produced: list[dict[str, Any]] = []
    tape = None if forced is None else Tape(forced)

    def check(new: list[dict[str, Any]]) -> None:
        for event in new:
            number = len(produced)
            if number >= len(events):
                raise InvalidRecord(f"event {number}: expected {event}{source}, got the end of the record")
            if not _same(normalised(event), normalised(events[number])):
                raise InvalidRecord(f"event {number}: expected {event}{source}, got {brief(events[number])}")
            produced.append(event)

    check(text.deal_events(state))
    for number, event in enumerate(events):
        for seat, action in _decisions(event):
            before = state.copy()
            try:
                state.apply(seat, action, outcomes=tape)
            except FruitEnvsError as error:
                raise InvalidRecord(f"event {number}: {error}") from error
            check(text.decision_events(before, seat, action, state))
    if state.over == cut or len(produced) < len(events):
        rest = brief(events[len(produced)]) if len(produced) < len(events) else "a cut" if cut else "no more events"
        raise InvalidRecord(f"event {len(produced)}: expected {'the end' if state.over else 'a decision'}, got {rest}")
    return state


def _decisions(event: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """The decisions an event stands for: of one seat, of one seat several, or of every seat of a window."""
    if "actions" in event and isinstance(event["actions"], list):
        if "seat" in event:
            return [(event["seat"], action) for action in event["actions"]]
        return list(enumerate(event["actions"]))
    if event.get("action") is not None and "seat" in event:
        return [(event["seat"], event["action"])]
    return []


def _same(expected: Any, got: Any) -> bool:
    """Equality that tells 1 from 1.0 and from true: records hold whole numbers."""
    if type(expected) is not type(got):
        return False
    if isinstance(expected, dict):
        return expected.keys() == got.keys() and all(_same(v, got[k]) for k, v in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(got) and all(map(_same, expected, got))
    return bool(expected == got)


def _compare(what: str, got: Any, expected: Sequence[float]) -> None:
    """Whole numbers must be equal and whole; others agree within a tolerance."""
    fits = isinstance(got, list) and len(got) == len(expected)
    for a, b in zip(got, expected, strict=True) if fits else ():
        if isinstance(b, int):
            fits = fits and _same(a, b)
        else:
            fits = fits and type(a) in (int, float) and b - _TOLERANCE <= a <= b + _TOLERANCE
    if not fits:
        raise InvalidRecord(f"{what}: expected {list(expected)}, got {brief(got)}")

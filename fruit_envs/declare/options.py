"""Options: declared once per game, checked at construction, never changed afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from fruit_envs.base.checks import whole_number
from fruit_envs.base.errors import InvalidFile, InvalidOption, InvalidTable, UnknownKeyword, brief
from fruit_envs.base.files import read_json

__all__ = ["FrozenTable", "Option", "common_options", "resolve", "same_rows", "starter_outcomes", "table_rows", "whole"]


class FrozenTable(dict[str, Any]):
    """A component table with named rows as the value of an option: a dict that JSON writes, hashable and unchangeable.

    Rows are tuples.
    """

    @staticmethod
    def of(rows: Mapping[str, Any]) -> FrozenTable:
        """A table of these rows, with the lists and objects in them made unchangeable too."""

        def frozen(value: Any) -> Any:
            if isinstance(value, Mapping):
                return FrozenTable.of(value)
            return tuple(map(frozen, value)) if isinstance(value, (list, tuple)) else value

        return FrozenTable({name: frozen(row) for name, row in rows.items()})

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenTable, (dict(self),)

    def __deepcopy__(self, _memo: Any) -> FrozenTable:
        return self  # nothing in it changes

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("expected no change of a table that a game was made from")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


def same_rows(value: Any, published: Any) -> bool:
    """Whether a row of a table is what is published: of the same types, throughout (JSON tells 4, 4.0 and true apart).

    Lists and tuples are alike.
    """
    if isinstance(published, Mapping) and isinstance(value, Mapping):
        return set(value) == set(published) and all(same_rows(value[key], published[key]) for key in published)
    if isinstance(published, (list, tuple)) and isinstance(value, (list, tuple)):
        return len(value) == len(published) and all(map(same_rows, value, published))
    return type(value) is type(published) and bool(value == published)


def table_rows(name: str, value: Any) -> Any:
    """The rows of a table option: what was given, or where that is a path, what the JSON file holds.

    So a record needs no file.

    Raises
    ------
    InvalidTable
        For a file that cannot be read as JSON.
    """
    if not isinstance(value, (str, os.PathLike)):
        return value
    try:
        return read_json(Path(value), "a table")
    except InvalidFile as error:
        raise InvalidTable(
            f"{name}: expected None, the path of a JSON file, or a table, got {brief(value)} ({error})"
        ) from error


@dataclass(frozen=True)
class Option:
    """One rule option of a game.

    Parameters
    ----------
    name, default
        The keyword and its value when not given.
    doc
        One line for `describe` and the generated docs; starts with the ruling's id where it has one.
    choices
        The allowed values, or None where `check` decides.
    check
        Returns the value to use, or raises `InvalidOption`.
    brings
        Values of this option that bring defaults of their own for others: value -> name -> default.
    """

    name: str
    default: Any
    doc: str
    choices: tuple[Any, ...] | None = None
    check: Callable[[Any], Any] | None = None
    brings: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)

    def validated(self, value: Any) -> Any:
        """The value to use for what was given."""
        if self.choices is not None:
            # By type too: 1 == True, and an option that takes one should not take the other.
            if not any(type(value) is type(choice) and value == choice for choice in self.choices):
                raise InvalidOption(f"option {self.name}: expected one of {self.choices}, got {brief(value)}")
            return value
        return self.check(value) if self.check else value


def whole(name: str, low: int, high: int) -> Callable[[Any], int]:
    """A check for whole numbers low..high."""

    def check(value: Any) -> int:
        number = whole_number(value, low, high)
        if number is None:
            raise InvalidOption(f"option {name}: expected a whole number {low}..{high}, got {brief(value)}")
        return number

    return check


def _scale(value: Any) -> float:
    low, high = 1e-6, 1e6  # rewards stay finite, and never vanish
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not low <= value <= high:
        raise InvalidOption(f"option margin_scale: expected a number {low}..{high}, got {brief(value)}")
    return float(value)


def common_options(players: tuple[int, int], num_players: int, margin_scale: float) -> tuple[Option, ...]:
    """The options that every game has.

    Parameters
    ----------
    players
        Smallest and largest number of players.
    num_players, margin_scale
        The game's defaults.
    """
    low, high = players
    return (
        Option("num_players", num_players, f"seats, {low} to {high}", check=whole("num_players", low, high)),
        Option(
            "memory",
            "perfect",
            'observe all that can be known ("perfect") or what lies on the table now ("tabletop")',
            ("perfect", "tabletop"),
        ),
        Option(
            "reward",
            "win",
            'zero-sum win share ("win") or own score minus the mean of the others\' ("margin")',
            ("win", "margin"),
        ),
        Option("margin_scale", margin_scale, 'divides the rewards of reward="margin"', check=_scale),
        Option(
            "reward_timing",
            "end",
            'pay at the end, or with reward="margin" score changes as they happen',
            ("end", "as_scored"),
        ),
    )


def resolve(game: str, declared: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every declared option with the value given or its default.

    Raises
    ------
    UnknownKeyword
        For an unknown name.
    InvalidOption
        For a value outside the option's domain.
    """
    names = [option.name for option in declared]
    for name in given:
        if name not in names:
            # Python's own words come too: TorchRL looks for them in the text.
            raise UnknownKeyword(
                f"unknown option {brief(name)} for {game}: expected one of {', '.join(names)}; "
                f"{game} got an unexpected keyword argument '{name}'"
            )
    defaults = {option.name: option.default for option in declared}
    for option in declared:
        if option.brings:
            defaults |= option.brings.get(option.validated(given.get(option.name, option.default)), {})
    options = {option.name: option.validated(given.get(option.name, defaults[option.name])) for option in declared}
    if options["reward_timing"] == "as_scored" and options["reward"] != "margin":
        raise InvalidOption(f'reward_timing="as_scored" needs reward="margin", got reward={options["reward"]!r}')
    return options


def starter_outcomes(kind: int, rules: np.ndarray, options: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """What `reset(options={"starter": seat})` forces of the draw of this kind; other names are ignored.

    Raises
    ------
    InvalidOption
        For a seat that the game does not have.
    """
    starter = options.get("starter")
    if starter is None:
        return {}
    last = int(rules[0]["num_players"]) - 1
    seat = whole_number(starter, 0, last)
    if seat is None:
        raise InvalidOption(f"reset option starter: expected a seat 0..{last}, got {brief(starter)}")
    return {(kind, 0): seat}

"""What the conformance tests share: the cases they run on, random play, and hashes of whole games."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import fruit_envs
from fruit_envs.base.errors import InvalidOption
from fruit_envs.declare.catalog import GAMES
from fruit_envs.declare.contract import Components, part_of
from fruit_envs.games.fruit_salad.deck import default_deck
from fruit_envs.runtime.game import Game

#: The memory of agents that do not remember.
NOTHING = np.zeros(0, np.float32)

#: A game of so many states is long.
LONG = 40

#: Options that only change numbers, not how the game goes.
_PLAIN = {"num_players"}


#: Games that random play would not end for thousands of decisions, and options that make them end sooner, in every way:
#: with so many pieces on the cards, random slaps of Fruit Salad win bowls.
_SHORT: dict[str, dict[str, Any]] = {
    "fruit_salad": {
        "max_reveals": 24,
        "deck": tuple((3 * w, 3 * s, 3 * o, 3 * p, minion) for w, s, o, p, minion in default_deck()),
    }
}


#: Variants that are no choices of an option: what a seat may know privately, for instance.
_MORE: dict[str, list[dict[str, Any]]] = {"fruit_salad": [{"early_seats": (0, 1)}]}


@cache
def player_counts(name: str) -> tuple[int, ...]:
    """Every player count that the game accepts."""
    return tuple(n for n in range(1, 10) if _accepts(name, num_players=n))


def _accepts(name: str, **options: Any) -> bool:
    try:
        Game(name, **options)
    except InvalidOption:
        return False
    return True


@cache
def variants(name: str) -> tuple[dict[str, Any], ...]:
    """The defaults, and each choice of each option alone (with what it needs to be accepted)."""
    found: list[dict[str, Any]] = [{}]
    declared = part_of(name, Components).OPTIONS
    for option in declared:
        for choice in (option.choices or ()) if option.name != "mini" else ():
            if choice != option.default and option.name not in _PLAIN:
                tries = [{option.name: choice}, {option.name: choice, "reward": "margin"}]
                tries += [{**tries[1], "mode": "total_control"}]
                found += [given for given in tries if _accepts(name, **given)][:1]
    return (*found, *_MORE.get(name, []))


def cases(*names: str) -> list[Any]:
    """A pytest parameter (name, options) for every game, player count and variant."""
    parameters = []
    for name in names or sorted(GAMES):
        for n in player_counts(name):
            for variant in variants(name):
                label = "-".join([name, str(n), *(f"{k}={v}" for k, v in variant.items())])
                options = {"num_players": n, **_SHORT.get(name, {}), **variant}
                parameters.append(pytest.param(name, options, id=label))
    return parameters


def default_cases() -> list[Any]:
    """A pytest parameter (name, options) for every game and player count, default variant."""
    return [
        pytest.param(name, {"num_players": n, **_SHORT.get(name, {})}, id=f"{name}-{n}")
        for name in sorted(GAMES)
        for n in player_counts(name)
    ]


def is_default(name: str, options: dict[str, Any]) -> bool:
    """Whether these are the options of one of `default_cases`."""
    return set(options) == {"num_players", *_SHORT.get(name, {})}


#: Register the toy before the cases are collected: test modules call `cases` when they are imported.
import conftest  # noqa: E402, F401

every_case = pytest.mark.parametrize(("name", "options"), cases())
every_count = pytest.mark.parametrize(("name", "options"), default_cases())


def random_states(game: Game, games: int, seed: int = 0, shuffle_seats: bool = True) -> Iterator[Any]:
    """Every state of random legal play, the last one of each game included.

    In an open window a random one of the asked seats commits next. The states are the play's own: copy to change.
    """
    rng = random.Random(seed)
    for g in range(games):
        state = game.deal(seed * 1_000_003 + g)
        yield state
        while not state.over:
            seat = rng.choice(state.seats) if shuffle_seats else state.seat
            state.apply(seat, rng.choice(state.legal_actions(seat)))
            yield state


def _length(game: Game, seed: int) -> int:
    """How many states a random game has."""
    return sum(1 for _ in random_states(game, 1, seed))


def some_states(game: Game, count: int, seed: int = 0) -> Iterator[Any]:
    """About so many states of random play: every one of games that are short.

    Of long games every k-th, and a third of the number: one state of theirs is much like the next.
    """
    length = _length(game, seed)
    count = count if length < LONG else count // 3
    games = max(6, -(-count // length))
    step = max(1, games * length // count)
    for number, state in enumerate(random_states(game, games, seed)):
        if number % step == 0 or state.over:
            yield state


#: Games with too many worlds to list, and what shrinks them: player count -> arguments of `mini_rules`.
_SMALL: dict[str, dict[int, dict[str, Any]]] = {
    "fruit_salad": {
        2: {"dealt": (3, 3)},
        3: {"dealt": (2, 2, 2)},
        4: {"dealt": (2, 2, 1, 1), "first": 0},
        5: {"dealt": (1, 2, 1, 1, 1), "first": 1},
        6: {"dealt": (1, 1, 1, 1, 1, 2), "first": 5},
    },
    "fruitoplay": {
        2: {"fruits": 2, "numbers": 4, "hand": 2, "turns": 2, "rounds": 3, "rotten": 3},
        3: {"fruits": 2, "numbers": 4, "hand": 2, "turns": 2, "rounds": 3, "rotten": 3},
        4: {"fruits": 2, "numbers": 3, "hand": 1, "turns": 1, "rounds": 3, "rotten": 3},
        5: {"fruits": 2, "numbers": 3, "hand": 1, "turns": 1, "rounds": 3, "rotten": 3},
        6: {"fruits": 1, "numbers": 7, "hand": 1, "turns": 1, "rounds": 3, "rotten": 3},
    },
    "fruity_fruit": {
        2: {"colours": 2, "values": 3, "rows": 4, "columns": 4, "cards": 4, "drawn": 2},
        3: {"colours": 3, "values": 2, "rows": 4, "columns": 4, "cards": 4, "drawn": 2},
        4: {"colours": 4, "values": 2, "rows": 3, "columns": 4, "cards": 4, "drawn": 1},
    },
}


def small(name: str, options: dict[str, Any]) -> Game:
    """The game itself, or a shrunken one with the same options where its worlds are too many to list."""
    if name not in _SMALL:
        return Game(name, **options)
    components = import_module(f"{GAMES[name].package}.components")
    return Game(name, rules=components.mini_rules(**_SMALL[name][options["num_players"]], **options))


def trace_hash(game: Game, games: int = 5, seed: int = 11) -> str:
    """A hash of everything that a few random games show: masks, observations, reveals, scores, returns, views.

    Of long games one, every seventh state and the last: without compilation they take minutes.
    """
    digest = hashlib.sha256()
    games, step = (games, 1) if _length(game, seed) < LONG else (1, 7)
    for number, state in enumerate(random_states(game, games, seed)):
        if number % step and not state.over:
            continue
        for seat in range(game.num_players):
            digest.update(state.observation(seat).tobytes() + state.legal(seat).tobytes())
            if game.options["memory"] == "perfect":
                digest.update(state.view(seat, number).reveal().tobytes())
        digest.update(state.reveal().tobytes() + state.scores.tobytes() + state.returns.round(12).tobytes())
    return digest.hexdigest()[:16]


__all__ = [
    "cases",
    "every_case",
    "every_count",
    "fruit_envs",
    "is_default",
    "player_counts",
    "random_states",
    "small",
    "some_states",
    "trace_hash",
    "variants",
]


def nothing(rows: int) -> np.ndarray:
    """`NOTHING` in each of so many rows."""
    return np.zeros((rows, 0), np.float32)

"""Every world that a seat of Fruit Salad holds possible, listed one by one; for small games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption
from fruit_envs.engine.memory import copy_records
from fruit_envs.games.fruit_salad.state import GIVING, STRIDE, W0

#: More worlds than this are not listed.
MAX_WORLDS = 10**6


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every world consistent with what the seat has seen: what lies in which order.

    Yields
    ------
    probability, states
        Records of shape (1,), all equally likely.

    Raises
    ------
    InvalidOption
        Where there are more than `MAX_WORLDS`, as in most states of the published size.
    """
    s, n = states[0], int(rules[0]["num_players"])
    piles = [s["piles"][other * STRIDE :][: int(s["sizes"][other])].tolist() for other in range(n)]
    fixed = [_on_top(rules, states, seat, other) for other in range(n)]
    sets = [_bits(int(s["known"][other])) for other in range(n)]
    places = [len(pile) - top for pile, top in zip(piles, fixed, strict=True)]
    known = [[card for card in sets[o] if card not in piles[o][places[o] :]] for o in range(n)]
    shown = {card for o in range(n) for card in (*known[o], *piles[o][places[o] :])}
    unseen = [card for pile in piles for card in pile if card not in shown]
    count = factorial(len(unseen))
    for other in range(n):  # ways to put its known cards into places of the pile
        count *= factorial(places[other]) // factorial(places[other] - len(known[other]))
    if count > MAX_WORLDS:
        raise InvalidOption(f"expected at most {MAX_WORLDS} worlds to list, got {count}; see mini_rules, or use view()")
    for order in permutations(sorted(unseen)):
        for arranged in _arranged(list(order), known, places):
            world = copy_records(states)
            w: Any = world[0]
            for other, cards in enumerate(arranged):
                w["piles"][other * STRIDE :][: len(cards)] = cards
            yield 1 / count, world


def _bits(word: int) -> list[int]:
    return [place for place in range(word.bit_length()) if word >> place & 1]


def _on_top(rules: np.ndarray, states: np.ndarray, seat: int, other: int) -> int:
    """How many cards on top of a pile the seat knows in order: those just given, or its own next one (S31)."""
    s = states[0]
    if s["over"]:
        return 0
    if s["phase"] == GIVING:
        return int(s["given"][other]).bit_count()
    return int(s["phase"] == W0 and other == seat == s["turn"] and int(rules[0]["early"]) >> seat & 1)


def _arranged(unseen: list[int], known: list[list[int]], places: list[int]) -> Iterator[list[list[int]]]:
    """The piles below those cards: in every way that keeps the order of the unseen ones."""
    if not places:
        yield []
        return
    size, own = places[0], known[0]
    hidden = size - len(own)
    for spots in permutations(range(size), len(own)):
        rest = iter(unseen[:hidden])
        pile = [own[spots.index(place)] if place in spots else next(rest) for place in range(size)]
        for others in _arranged(unseen[hidden:], known[1:], places[1:]):
            yield [pile, *others]

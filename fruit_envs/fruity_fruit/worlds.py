"""Every world that a seat of Fruity Fruit holds possible, listed one by one; for small games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from fruit_envs.core.contract import copy_records
from fruit_envs.core.errors import InvalidOption
from fruit_envs.fruity_fruit.state import DRAFT, PICK, PLACE, TILE

#: More worlds than this are not listed.
MAX_WORLDS = 10**6


def _bits(word: int) -> list[int]:
    return [place for place in range(word.bit_length()) if word >> place & 1]


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every world consistent with what the seat has seen: hands and scoring cards (Y2, Y6).

    Yields
    ------
    probability, states
        Records of shape (1,), all equally likely; their chance stream is still the true one, the caller replaces it.

    Raises
    ------
    InvalidOption
        Where there are more than `MAX_WORLDS`, as in every game of the published size.
    """
    may, sizes, asked = _hidden_hands(rules, states, seat)
    drafting = rules[0]["drawn"] and not states[0]["over"]
    count = _ways(may, sizes) - (_ways(asked, sizes) if asked else 0)
    count *= _count_drafts(rules, states, seat) if drafting else 1
    if count > MAX_WORLDS:
        raise InvalidOption(f"expected at most {MAX_WORLDS} worlds to list, got {count}; see mini_rules, or use view()")
    drafts = list(_drafts(rules, states, seat)) if drafting else [()]
    for hands in _dealt(sorted(may), may, sizes):
        if asked and not any(tile in hands[other] for tile in asked for other in may[tile] - asked[tile]):
            continue
        for draft in drafts:
            world = copy_records(states)
            w: Any = world[0]
            for other, hand in hands.items():
                w["hands"][other] = sum(1 << tile for tile in hand)
            for other, kept, seen in draft:
                w["kept"][other], w["seen"][other] = kept, seen
            if w["phase"] == PLACE and not int(w["pending"]) >> seat & 1:
                w["phase"], w["chosen"] = TILE, -1
            yield 1 / count, world


def _hidden_hands(
    rules: np.ndarray, states: np.ndarray, seat: int
) -> tuple[dict[int, set[int]], dict[int, int], dict[int, set[int]]]:
    """Who may hold each hidden tile; places in each hidden hand; and who may hold each tile if the asked seat, being
    another, could place nothing."""
    r, s = rules[0], states[0]
    others = [other for other in range(int(r["num_players"])) if other != seat or s["phase"] == DRAFT]
    known = int(s["laid"]) | (0 if s["phase"] == DRAFT else int(s["hands"][seat]))
    tiles = [tile for tile in _bits(int(r["tiles"])) if not known >> tile & 1]
    may = {tile: {other for other in others if not int(s["barred"][other]) >> tile & 1} for tile in tiles}
    sizes = {other: int(s["sizes"][other]) for other in others}
    asked: dict[int, set[int]] = {}
    if not s["over"] and s["phase"] not in (DRAFT, PICK) and not int(s["pending"]) >> seat & 1:
        asking = set(_bits(int(s["pending"])))
        asked = {tile: may[tile] - asking if int(s["fits"]) >> tile & 1 else may[tile] for tile in tiles}
    return may, sizes, asked


def _ways(may: dict[int, set[int]], sizes: dict[int, int]) -> int:
    """How many ways there are to deal each tile to a seat that may hold it."""
    seats = sorted(sizes)
    ways = {tuple(sizes[seat] for seat in seats): 1}
    for holders in may.values():
        after: dict[tuple[int, ...], int] = {}
        for room, count in ways.items():
            for place, seat in enumerate(seats):
                if seat in holders and room[place]:
                    rest = (*room[:place], room[place] - 1, *room[place + 1 :])
                    after[rest] = after.get(rest, 0) + count
        ways = after
    return sum(ways.values())


def _dealt(tiles: Sequence[int], may: dict[int, set[int]], sizes: dict[int, int]) -> Iterator[dict[int, list[int]]]:
    """Every such way, as the tiles of each seat."""
    if not tiles:
        yield {seat: [] for seat in sizes}
        return
    for seat in sorted(may[tiles[0]]):
        if sizes[seat]:
            for hands in _dealt(tiles[1:], may, sizes | {seat: sizes[seat] - 1}):
                yield hands | {seat: [tiles[0], *hands[seat]]}


def _draft_order(rules: np.ndarray, states: np.ndarray) -> list[int]:
    """The seats that have been offered scoring cards, in the order of the draft."""
    s, n = states[0], int(rules[0]["num_players"])
    return [(int(s["starter"]) + turn) % n for turn in range(min(n, int(s["drafted"]) + (s["phase"] == DRAFT)))]


def _count_drafts(rules: np.ndarray, states: np.ndarray, seat: int) -> int:
    """How many drafts `_drafts` lists."""
    cards, drawn, order = int(rules[0]["cards"]), int(rules[0]["drawn"]), _draft_order(rules, states)
    count, before = 1, seat in order
    for turn, other in enumerate(order):
        deck = cards - turn
        if other == seat:
            before = False
        elif turn < states[0]["drafted"]:
            count *= (deck - drawn * before) * comb(deck - 1, drawn - 1)
        else:
            count *= comb(deck, drawn)
    return count


def _drafts(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Every draft that may have happened, as (seat, card kept or -1, cards seen) of each other seat that took part."""
    s, drawn, drafted = states[0], int(rules[0]["drawn"]), int(states[0]["drafted"])
    order, own = _draft_order(rules, states), set(_bits(int(s["seen"][seat])))

    def go(turn: int, deck: list[int]) -> Iterator[tuple[tuple[int, int, int], ...]]:
        if turn == len(order):
            yield ()
        elif order[turn] == seat:
            if own <= set(deck):
                yield from go(turn + 1, [card for card in deck if card != s["kept"][seat]])
        else:
            for seen in combinations(deck, drawn):
                bits = sum(1 << card for card in seen)
                for kept in seen if turn < drafted else (-1,):
                    for rest in go(turn + 1, [card for card in deck if card != kept]):
                        yield ((order[turn], kept, bits), *rest)

    return go(0, list(range(int(rules[0]["cards"]))))

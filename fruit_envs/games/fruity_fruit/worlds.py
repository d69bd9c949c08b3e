"""Every world that a seat of Fruity Fruit holds possible, listed one by one; for small games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption
from fruit_envs.engine.memory import copy_records
from fruit_envs.games.fruity_fruit.components import bits
from fruit_envs.games.fruity_fruit.state import DRAFT, KINDS, PICK

#: More worlds than this are not listed.
MAX_WORLDS = 10**6


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every world consistent with what the seat has seen: hands and scoring cards (Y2, Y6).

    Yields
    ------
    probability, states
        Records of shape (1,), all equally likely.

    Raises
    ------
    InvalidOption
        Where there are more than `MAX_WORLDS`, as in every game of the published size.
    """
    may, sizes, asked = _hidden_hands(rules, states, seat)
    drafting = bool(rules[0]["drawn"])
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
            yield 1 / count, world


def _hidden_hands(
    rules: np.ndarray, states: np.ndarray, seat: int
) -> tuple[dict[int, set[int]], dict[int, int], dict[int, set[int]]]:
    """Who may hold each hidden tile; places in each hidden hand; and who may hold each tile if the asked seat, being
    another, could place nothing."""
    r, s = rules[0], states[0]
    others = [other for other in range(int(r["num_players"])) if other != seat or s["phase"] == DRAFT]
    known = int(s["laid"]) | (0 if s["phase"] == DRAFT else int(s["hands"][seat]))
    tiles = [tile for tile in bits(int(r["tiles"])) if not known >> tile & 1]
    may = {tile: {other for other in others if not int(s["barred"][other]) >> tile & 1} for tile in tiles}
    sizes = {other: int(s["sizes"][other]) for other in others}
    asked: dict[int, set[int]] = {}
    if not s["over"] and s["phase"] not in (DRAFT, PICK) and not int(s["pending"]) >> seat & 1:
        asking = set(bits(int(s["pending"])))
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


def _kept_cards(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[dict[int, int]]:
    """Every way in which the others may have kept scoring cards: none that `seat` saw before it kept one itself; at
    the end such as give the scores, which all see (Y16)."""
    r, s = rules[0], states[0]
    order = _draft_order(rules, states)
    drafted = order[: int(s["drafted"])]
    before = order.index(seat) if seat in order else len(order)
    may = {}
    for turn, other in enumerate(drafted):
        barred = int(s["seen"][seat]) if turn < before else 1 << int(s["kept"][seat])
        if other != seat:
            may[other] = [card for card in range(int(r["cards"])) if not barred >> card & 1]
            if s["over"]:
                score = score_by_card(rules, states, other, int(s["kept"][other]))
                may[other] = [card for card in may[other] if score_by_card(rules, states, other, card) == score]
    for cards in product(*may.values()):
        if len(set(cards)) == len(cards):
            yield dict(zip(may, cards, strict=True))


def _count_drafts(rules: np.ndarray, states: np.ndarray, seat: int) -> int:
    """How many drafts `_drafts` lists: whatever was kept, a seat saw any others of the deck of its time."""
    cards, drawn, drafted = int(rules[0]["cards"]), int(rules[0]["drawn"]), int(states[0]["drafted"])
    count = sum(1 for _ in _kept_cards(rules, states, seat))
    for turn, other in enumerate(_draft_order(rules, states)):
        if other != seat:
            count *= comb(cards - turn - 1, drawn - 1) if turn < drafted else comb(cards - turn, drawn)
    return count


def _drafts(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Every draft that may have happened, as (seat, card kept or -1, cards seen) of each other seat that took part."""
    cards, drawn, order = int(rules[0]["cards"]), int(rules[0]["drawn"]), _draft_order(rules, states)
    for kept in _kept_cards(rules, states, seat):
        deck, offers = list(range(cards)), []
        for other in order:
            own = int(states[0]["kept"][seat]) if other == seat else kept.get(other, -1)
            if other != seat:
                offers.append([(other, own, offer) for offer in combinations(deck, drawn) if own < 0 or own in offer])
            deck = [card for card in deck if card != own]
        for draft in product(*offers):
            yield tuple((other, own, sum(1 << card for card in offer)) for other, own, offer in draft)


def score_by_card(rules: np.ndarray, states: np.ndarray, seat: int, card: int) -> int:
    """What the seat's fruit is worth by this scoring card (Y13)."""
    s, values = states[0], rules[0]["values"][card * KINDS :][:KINDS].tolist()
    fruits = [v for kind, v in enumerate(values) for _ in range(int(s["fruits"][seat * KINDS + kind]))]
    return sum(sorted(fruits, reverse=True)[int(s["insects"][seat]) :])

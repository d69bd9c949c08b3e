"""What a seat of Fruitoplay sees and knows: the encoding, the information state, the consistent worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import factorial, prod
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption
from fruit_envs.declare.layout import Block
from fruit_envs.engine.bits import get8, spread16
from fruit_envs.engine.jit import Record
from fruit_envs.engine.memory import copy_records
from fruit_envs.games.fruitoplay.components import (
    CARDS,
    DECLINE,
    FRUITS,
    KINDS,
    MAX_HAND,
    MOST_POINTS,
    NUMBERS,
    ROUNDS,
    TURNS,
    dealt_hand,
)
from fruit_envs.games.fruitoplay.state import (
    COLORS,
    GONE,
    IN_COLUMNS,
    IN_DECK,
    IN_RIVER,
    NONE,
    PARTS,
    SHOWN,
    kernels,
)

PHASES = ("collective", "card", "draw", "rotten")

#: More worlds than this are not listed.
MAX_WORLDS = 10**6


def blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The observation's blocks, in order; seats are relative to the observer.

    Sizes and bounds are the published game's in every variant, shrunken games included: what was trained on one
    plays in the other.
    """
    r = rules[0]
    n = int(r["num_players"])

    def cards(name: str, doc: str, present: int = 1) -> Block:
        return Block(name, doc, (CARDS * present,), ("card",), kind="set")

    def seat(name: str, doc: str, high: int = 1, unit: int | None = None) -> Block:
        return Block(name, doc, (n,), ("seat",), high=high, unit=unit)

    def one_fruit(name: str, doc: str, present: int = 1) -> Block:
        return Block(name, doc, (COLORS * present,), ("fruit",), kind="choice", labels=FRUITS)

    return (
        cards("hand", "own cards, one laid face down included"),
        cards("laid", "the cards in anybody's columns"),
        cards("gone", "the cards that have left the round (F17)", 1 - int(r["tabletop"])),
        Block(
            "river_fruit",
            "the targets to come as far as they are seen (F1), the current one first",
            (TURNS, COLORS),
            ("turns ahead", "fruit"),
            kind="choice",
            labels=FRUITS,
        ),
        Block("river_number", "their numbers, 0 where none is seen", (TURNS,), ("turns ahead",), high=NUMBERS),
        Block("collective", "what the collective card adds to a fruit (F11)", (COLORS,), ("fruit",), high=ROUNDS - 1),
        Block("round", "the round, from 0", (ROUNDS,), ("round",), kind="choice"),
        Block("phase", "what is being decided", (len(PHASES),), ("phase",), kind="choice", labels=PHASES),
        one_fruit("rotten", "the fruit of the rotten card that is being resolved (F9)"),
        Block("turn", "turns before this one", (1,), ("",), high=TURNS - 1),
        Block("deck", "cards left to draw", (1,), ("",), high=CARDS),
        one_fruit("barred", "the fruit of the latest collective card, which does not come again", 1 - int(r["reuse"])),
        Block(
            "columns",
            f"cards of each fruit in each seat's columns: {', '.join(KINDS)}",
            (n, COLORS, len(KINDS)),
            ("seat", "fruit", "kind"),
            high=NUMBERS,
            unit=4,
        ),
        seat("hand_sizes", "cards in each hand, those laid face down included", MAX_HAND, dealt_hand(n)),
        seat("asked", "1 for the seats that decide in this window, those that have done so included"),
        seat("denied", "1 where a rotten card has cancelled the collective one (F9)"),
        seat("scores", "points of the rounds scored", MOST_POINTS, 100),
        seat("points", "points of the last round, once the game is over (F14)", MOST_POINTS, 100),
        Block("committed", "1 + own action in this window, 0 before", (1,), ("",), high=DECLINE + 1),
    )


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    # Block by block: sixteen values at a time, and what overshoots the end of a block is written over by the next.
    # Places are read before a loop, not in it: the compiler cannot know that writing to `out` leaves them as they are.
    n = np.int64(rules.num_players)
    own, gone = np.uint8(seat), np.uint8(GONE)
    k = at.hand
    for card in range(CARDS):
        out[k + card] = state.place[card] == own
    k = at.laid
    for card in range(CARDS):
        out[k + card] = (np.int64(state.place[card]) // IN_COLUMNS) & 1
    if not rules.tabletop:
        k = at.gone
        for card in range(CARDS):
            out[k + card] = state.place[card] == gone
    k = at.river_fruit
    for w in range(0, SHOWN, 16):  # the blocks from river_fruit to deck, which the state keeps as they are shown
        spread16(out, k + w, get8(state.shown, w), get8(state.shown, w + 8))
    if not rules.reuse:
        for fruit in range(COLORS):
            out[at.barred + fruit] = state.barred == fruit
    other, k = np.int64(seat), at.columns
    for _ in range(n):
        spread16(out, k, get8(state.columns, other * PARTS), get8(state.columns, other * PARTS + 8))
        k += PARTS
        other = other + 1 if other + 1 < n else np.int64(0)
    sizes, asked, denied, scores, points = at.hand_sizes, at.asked, at.denied, at.scores, at.points
    for r in range(n):
        out[sizes + r] = state.sizes[other]
        out[asked + r] = (np.int64(state.asked) >> other) & 1
        out[denied + r] = state.denied[other]
        out[scores + r] = state.totals[other]
        out[points + r] = np.int64(state.points[other]) * (state.over != 0)
        other = other + 1 if other + 1 < n else np.int64(0)
    out[at.committed] = np.int64(state.chosen[seat]) + 1


@kernels
def hidden(rules: Record, at: Record, state: Record, out: Any) -> None:
    for turn in range(TURNS):
        card = np.int64(state.river[turn])
        out[at.true_river + turn] = card if card != NONE else -1
    for i in range(CARDS):
        place = np.int64(state.next) + i
        out[at.true_deck + i] = np.int64(state.deck[place]) if place < CARDS and state.deck[place] != NONE else -1


def hidden_blocks(_rules: np.ndarray) -> tuple[Block, ...]:
    """The hidden facts of the privileged view; the observations before them hold hands and commitments."""
    return (
        Block("true_river", "the targets in turn order", (TURNS,), ("turn",), low=-1, high=CARDS - 1),
        Block("true_deck", "the cards to draw, the next one first", (CARDS,), ("place",), low=-1, high=CARDS - 1),
    )


def _hidden(rules: np.ndarray, states: np.ndarray, seat: int) -> np.ndarray:
    """Which cards the seat cannot place (F13), shape (CARDS,)."""
    r, s = rules[0], states[0]
    place = s["place"]
    hidden: np.ndarray = (place == IN_DECK) | ((place < IN_COLUMNS) & (place != seat))
    if not r["river_public"]:
        hidden |= (place == IN_RIVER) & (np.arange(CARDS) != s["river"][s["turn"]])
    return hidden


def information_state(rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    """The information state: own private facts plus the public history, under perfect recall of the round.

    Of earlier rounds, which become public to the last card, it holds a digest; in which turn a seat drew which of its
    cards, and who asked in vain for a card of an empty deck, is told by none of it: nothing can depend on it any more.
    """
    r, s = rules[0], states[0]
    seen = TURNS if r["river_public"] else int(s["turn"]) + 1
    numbers = [seat, *(int(s[f]) for f in ("over", "round_no", "turn", "phase", "asked", "collective", "fruit"))]
    numbers += [int(s["chosen"][seat]), *s["sizes"].tolist(), *s["resolved"].tolist(), *s["played"].tolist()]
    numbers += [*s["river"][:seen].tolist(), *s["drawn"][seat * TURNS : (seat + 1) * TURNS].tolist()]
    numbers += np.where(_hidden(rules, states, seat), NONE, s["place"]).tolist()
    return int(s["past"]).to_bytes(8, "little") + np.array(numbers, np.int16).tobytes()


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every world consistent with what the seat has seen: others' hands, river and deck.

    Yields
    ------
    probability, states
        Records of shape (1,), all equally likely.

    Raises
    ------
    InvalidOption
        Where there are more than `MAX_WORLDS`, as in every game of the published size.
    """
    r, s = rules[0], states[0]
    n, cards, turn = int(r["num_players"]), int(r["fruits"]) * int(r["numbers"]), int(s["turn"])
    unknown = np.flatnonzero(_hidden(rules, states, seat)).tolist()
    others = [other for other in range(n) if other != seat]
    sizes = [int(s["sizes"][other]) for other in others]
    count = factorial(len(unknown)) // prod(factorial(size) for size in sizes)
    if count > MAX_WORLDS:
        raise InvalidOption(f"expected at most {MAX_WORLDS} worlds to list, got {count}; see mini_rules, or use view()")
    to_come = 0 if r["river_public"] else max(0, int((s["place"] == IN_RIVER).sum()) - 1)
    for hands, rest in _dealt(unknown, sizes):
        for order in permutations(rest):
            world = copy_records(states)
            w: Any = world[0]
            for other, hand in zip(others, hands, strict=True):
                w["place"][list(hand)] = other
            w["river"][turn + 1 : turn + 1 + to_come] = order[:to_come]
            w["place"][list(order[:to_come])] = IN_RIVER
            w["place"][list(order[to_come:])] = IN_DECK
            w["deck"][cards - len(order) + to_come : cards] = order[to_come:]
            yield 1 / count, world


def _dealt(cards: list[int], sizes: list[int]) -> Iterator[tuple[list[tuple[int, ...]], list[int]]]:
    """Every way to deal hands of these sizes from the cards, and what is left."""
    if not sizes:
        yield [], cards
        return
    for hand in combinations(cards, sizes[0]):
        for hands, rest in _dealt([card for card in cards if card not in hand], sizes[1:]):
            yield [hand, *hands], rest

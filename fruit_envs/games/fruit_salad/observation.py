"""What a seat of Fruit Salad sees and knows: the encoding and the information state."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.layout import Block
from fruit_envs.engine.bits import count_bits, lowest_bit, spread16, spread_bits
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruit_salad.components import FACE_NAMES, MAX_NUMBER, MAX_REVEALS, MOST_POINTS, NUMBER_FACES
from fruit_envs.games.fruit_salad.deck import CARDS, FRUITS, MAX_PIECES
from fruit_envs.games.fruit_salad.knowledge import next_card, sees_next
from fruit_envs.games.fruit_salad.rules import COLORS
from fruit_envs.games.fruit_salad.state import KEEPING, NONE, STRIDE, W0, kernels
from fruit_envs.games.fruit_salad.worlds import worlds

__all__ = ["blocks", "hidden_blocks", "information_state", "worlds"]

PHASES = ("anticipation", "premature", "reaction", "keep", "give")
RESULTS = ("win", "loss", "automatic")
DICE = ("number", "fruit")  # the bits of a card's minions

_ZERO = np.uint64(0)


def blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The observation's blocks, in order; seats are relative to the observer.

    Those of `memory="tabletop"` come first, so that an agent made for them plays under both. The blocks over cards have
    the published game's size in every variant.
    """
    r = rules[0]
    n, perfect = int(r["num_players"]), 1 - int(r["tabletop"])
    deck = CARDS * MAX_PIECES

    def cards(name: str, doc: str, present: Any = 1, kind: Any = "set") -> Block:
        return Block(name, doc, (CARDS * int(present),), ("card",), kind=kind)

    def card_seats(name: str, doc: str) -> Block:
        return Block(name, doc, (CARDS,), ("card",), high=n)

    def one_seat(name: str, doc: str) -> Block:
        return Block(name, doc, (n,), ("seat",), kind="choice")

    def one(name: str, doc: str, labels: tuple[str, ...], axis: str) -> Block:
        return Block(name, doc, (len(labels),), (axis,), kind="choice", labels=labels)

    def number(name: str, doc: str, high: int, unit: int | None = None, present: int = 1) -> Block:
        return Block(name, doc, (present,), ("",), high=high, unit=unit)

    return (
        one("phase", "what is being decided", PHASES, "phase"),
        cards("top", "the card that landed last: the top of the bowl", kind="choice"),
        Block("top_pieces", "its pieces", (COLORS,), ("fruit",), high=MAX_PIECES, unit=3),
        Block("top_minion", "the dice that its minions roll again", (2,), ("die",), kind="set", labels=DICE),
        number("first", "1 if it is the first card of its round", 1),
        one_seat("turn", "whose card it is; before a card lands, whose card is next"),
        one("die_fruit", "the fruit die", FACE_NAMES, "face"),
        number("die_number", "the number die", MAX_NUMBER, max(NUMBER_FACES)),
        Block("scores", "victory points", (n,), ("seat",), high=MOST_POINTS, unit=4),
        card_seats("points", "1 + the seat that keeps a card as a victory point, 0 where none does (S16)"),
        number("pile", "cards in the own pile", CARDS, CARDS // n),
        one_seat("slapper", "who took the last bowl; this and the next blocks until the second card of a round lands"),
        one("slap_fruit", "the fruit named with that slap", FRUITS, "fruit"),
        number("slap_count", "pieces of it in the bowl then", deck, 8),
        number("slap_needed", "the number die then", MAX_NUMBER, max(NUMBER_FACES)),
        one("slap_result", "what became of it", RESULTS, "result"),
        cards("slap_top", "the card on top of the bowl then", kind="choice"),
        card_seats("given", "1 + the seat that was given a card out of that bowl, 0 where none was (S18)"),
        cards("open", "the cards of a bowl won, laid open until all are given; the lowest is next"),
        number("committed", "1 + own action in this window, 0 before", 5),
        cards("next", "the own next card, for a seat that may see it (S31)", r["early"] > 0, "choice"),
        cards("bowl", "the cards in the bowl", perfect),
        Block("known", "the cards that certainly lie in each pile", (n * perfect, CARDS), ("seat", "card"), kind="set"),
        Block("totals", "pieces in the bowl", (COLORS * perfect,), ("fruit",), high=deck, unit=8),
        Block("piles", "cards in each pile", (n * perfect,), ("seat",), high=CARDS, unit=CARDS // n),
        Block("unseen", "cards in each pile that nobody has seen", (n * perfect,), ("seat",), high=CARDS, unit=8),
        number("reveals", "cards turned over so far (S28)", MAX_REVEALS, 100, perfect),
    )


@helper
def _write_set(out: Any, k: Any, cards: Any) -> None:
    """A set of cards as 0 and 1; writes four places more than there are cards."""
    spread_bits(out, k, cards)
    spread_bits(out, k + 16, cards >> 16)
    spread_bits(out, k + 32, cards >> 32)
    spread_bits(out, k + 48, cards >> 48)


@helper
def _mark(out: Any, k: Any, cards: Any, value: Any) -> None:
    """Write a value at the place of each card of a set."""
    while cards:
        out[k + lowest_bit(cards)] = value
        cards &= cards - 1


@helper
def _relative(seat: Any, observer: Any, n: Any) -> Any:
    """How many places after the observer a seat sits."""
    return seat - observer if seat >= observer else seat - observer + n


@helper
def _write_slap(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """The slap that took the last bowl, where all is zero."""
    n, other = np.int64(rules.num_players), seat
    out[at.slapper + _relative(np.int64(state.slapper), seat, n)] = 1
    out[at.slap_fruit + np.int64(state.named)] = 1
    out[at.slap_count] = state.count
    out[at.slap_needed] = state.needed
    out[at.slap_result + np.int64(state.result)] = 1
    out[at.slap_top + np.int64(state.on)] = 1
    for r in range(n):
        _mark(out, at.given, np.int64(state.given[other]), r + 1)
        other = other + 1 if other + 1 < n else np.int64(0)


@helper
def _write_table(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """What lies on the table, where all is zero."""
    n, top = np.int64(rules.num_players), np.int64(state.top)
    if not state.over:
        out[at.phase + np.int64(state.phase)] = 1
    out[at.top + top] = 1
    pieces, scores, points = at.top_pieces, at.scores, at.points
    for fruit in range(COLORS):
        out[pieces + fruit] = rules.pieces[top * COLORS + fruit]
    minion = np.int64(rules.minion[top])
    out[at.top_minion] = minion & 1
    out[at.top_minion + 1] = minion >> 1
    out[at.first] = state.landed == 1
    out[at.turn + _relative(np.int64(state.turn), seat, n)] = 1
    out[at.die_fruit + np.int64(state.fruit)] = 1
    out[at.die_number] = state.number
    other = seat
    for r in range(n):
        out[scores + r] = state.scores[other]
        if state.scores[other]:
            _mark(out, points, np.int64(state.points[other]), r + 1)
        other = other + 1 if other + 1 < n else np.int64(0)
    out[at.pile] = state.sizes[seat]
    if state.slaps and state.landed <= 1:
        _write_slap(rules, at, state, seat, out)
    if state.phase >= KEEPING and state.landed == 0:
        _mark(out, at.open, np.int64(state.bowl), 1)
    out[at.committed] = state.chosen[seat] + 1
    if rules.early and sees_next(rules, state, seat):
        out[at.next + next_card(state, seat)] = 1


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    n = np.int64(rules.num_players)
    table = at.bowl  # places are read before a loop, not in it, see Fruitoplay's
    for w in range(0, table - 15, 16):
        spread16(out, w, _ZERO, _ZERO)
    for place in range(table & ~15, table):
        out[place] = 0
    _write_table(rules, at, state, np.int64(seat), out)
    if rules.tabletop:
        return
    _write_set(out, table, np.int64(state.bowl))
    other, known, totals, piles, unseen = np.int64(seat), at.known, at.totals, at.piles, at.unseen
    for r in range(n):
        _write_set(out, known + CARDS * r, np.int64(state.known[other]))
        other = other + 1 if other + 1 < n else np.int64(0)
    for fruit in range(COLORS):
        out[totals + fruit] = state.totals[fruit]
    for r in range(n):
        size = np.int64(state.sizes[other])
        out[piles + r] = size
        out[unseen + r] = size - count_bits(np.int64(state.known[other]))
        other = other + 1 if other + 1 < n else np.int64(0)
    out[at.reveals] = state.reveals


@kernels
def hidden(rules: Record, at: Record, state: Record, out: Any) -> None:
    for seat in range(np.int64(rules.num_players)):
        size = np.int64(state.sizes[seat])
        for place in range(CARDS):
            card = state.piles[seat * STRIDE + size - 1 - place] if place < size else -1
            out[at.true_piles + seat * CARDS + place] = card
    for card in range(CARDS):
        out[at.true_bowl + card] = (np.int64(state.bowl) >> card) & 1
    out[at.true_reveals] = state.reveals


def hidden_blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The hidden facts of the privileged view, after the observations of all seats, which hold their commitments."""
    n = int(rules[0]["num_players"])
    return (
        Block("true_piles", "each pile, its top first", (n, CARDS), ("seat", "place"), low=-1, high=CARDS - 1),
        Block("true_bowl", "the cards in the bowl", (CARDS,), ("card",), kind="set"),
        Block("true_reveals", "cards turned over so far", (1,), ("",), high=MAX_REVEALS),
    )


def information_state(rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    """The information state: own private facts plus a digest of the public history, under perfect recall.

    Public are the starter, every roll, every card that lands, what all have chosen once a window is closed, who slapped
    first, what is kept and who is given what. A card that a seat saw early (S31) lands before anything else happens.
    """
    s = states[0]
    numbers = [seat, *(int(s[field]) for field in ("over", "phase", "turn", "reveals", "slaps"))]
    numbers.append(int(s["chosen"][seat]))
    early = s["phase"] == W0 and s["turn"] == seat and int(rules[0]["early"]) >> seat & 1 and not s["over"]
    numbers.append(int(s["piles"][seat * STRIDE + int(s["sizes"][seat]) - 1]) if early else NONE)
    return int(s["past"]).to_bytes(8, "little") + np.array(numbers, np.int32).tobytes()

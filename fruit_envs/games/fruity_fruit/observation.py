"""What a seat of Fruity Fruit sees and knows: the encoding, the information state, the consistent worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.layout import Block
from fruit_envs.engine.bits import spread_bits
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruity_fruit.board import write_bits
from fruit_envs.games.fruity_fruit.components import BASKET, CELLS, MOST_POINTS, TILES
from fruit_envs.games.fruity_fruit.scoring import score_of
from fruit_envs.games.fruity_fruit.state import DRAFT, KINDS, PLACE, TILE, kernels
from fruit_envs.games.fruity_fruit.table import CARDS, COLOURS, FRUITS, SIDE, SYMBOLS, VALUES
from fruit_envs.games.fruity_fruit.worlds import score_by_card, worlds

__all__ = ["PHASES", "SHOWN", "blocks", "hidden_blocks", "information_state", "worlds"]

PHASES = ("card", "tile", "place", "fruit")

#: What the board's symbol planes show, in order.
SHOWN = (*FRUITS, "basket", "insect")


def blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The observation's blocks, in order; seats are relative to the observer.

    The planes come first. Sizes and bounds are the greatest that any table allows, shrunken games included: what was
    trained on one plays in the other.
    """
    r = rules[0]
    n, perfect = int(r["num_players"]), 1 - int(r["tabletop"])

    def planes(name: str, doc: str, channels: int, axis: str) -> Block:
        return Block(name, doc, (channels, SIDE, SIDE), (axis, "row", "column"))

    def tiles(name: str, doc: str, present: int = 1) -> Block:
        return Block(name, doc, (TILES * present,), ("tile",), kind="set")

    def seat(name: str, doc: str, high: int = 1, unit: int | None = None) -> Block:
        return Block(name, doc, (n,), ("seat",), high=high, unit=unit)

    def one_seat(name: str, doc: str, present: int = 1) -> Block:
        return Block(name, doc, (n * present,), ("seat",), kind="choice")

    return (
        planes("colour", "cells covered by tiles of each colour: red, green, yellow, blue", len(COLOURS), "colour"),
        planes("symbol", f"cells that still show each symbol: {', '.join(SHOWN)}", len(SYMBOLS), "symbol"),
        planes("owner", "cells covered by each seat", n, "seat"),
        tiles("hand", "own tiles, one about to be placed included; none before the end of the draft (Y2)"),
        tiles("laid", "the tiles on the board"),
        Block(
            "barred",
            "the tiles that play has shown each seat not to hold (Y6), but for those on the board",
            (n * perfect, TILES),
            ("seat", "tile"),
            kind="set",
        ),
        Block(
            "chosen",
            "the own tile that is about to be placed (Y21)",
            (TILES * (1 - int(r["single"])),),
            ("tile",),
            kind="choice",
        ),
        Block("card", "the own scoring card", (CARDS,), ("card",), kind="choice"),
        Block(
            "seen",
            "the scoring cards that the seat was offered in the draft (Y2)"
            if perfect
            else "the scoring cards that the seat is offered",
            (CARDS,),
            ("card",),
            kind="set",
        ),
        Block("phase", "what is being decided", (len(PHASES),), ("phase",), kind="choice", labels=PHASES),
        Block("led", "the led colour", (len(COLOURS),), ("colour",), kind="choice", labels=COLOURS),
        Block("pot", "fruit in the middle", (KINDS,), ("fruit",), high=CELLS, unit=4),
        one_seat("starter", "who drafted and led first (Y1)", perfect),
        one_seat("asked", "who decides now"),
        one_seat("leader", "who leads this trick, or would if able (Y10); during the draft who will"),
        seat("drafted", "1 for the seats that have kept a scoring card"),
        seat("skipped", "1 for the seats that could not place in this trick (Y7)"),
        Block(
            "trick_colour",
            "colour of the tile that each seat has placed in this trick",
            (n, len(COLOURS)),
            ("seat", "colour"),
            kind="choice",
            labels=COLOURS,
        ),
        seat("trick_value", "its value, 0 where there is none", VALUES),
        seat("sizes", "tiles in each hand", TILES // 2, TILES // n),
        seat("spaces", "free spaces in each seat's baskets", BASKET * (1 + CELLS), 2 * BASKET),
        seat("baskets", "baskets of each seat", 1 + CELLS, 7),
        seat("insects", "insects of each seat", CELLS, 8),
        seat("scores", "final scores, 0 before the end", MOST_POINTS, 30),
        Block("fruits", "fruit in each seat's baskets", (n, KINDS), ("seat", "fruit"), high=CELLS, unit=4),
    )


@helper
def _final(rules: Record, state: Record, seat: Any) -> Any:
    return score_of(rules, state, seat) if state.over else np.int64(0)


@helper
def _write_tiles(out: Any, k: Any, tiles: Any) -> None:
    """A set of tiles, and zeros over the twelve places after it."""
    for start in range(0, TILES, 16):
        spread_bits(out, k + start, tiles >> start)


@helper
def _write_board(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """The planes over the board."""
    n, plane = np.int64(rules.num_players), SIDE * SIDE
    for colour in range(len(COLOURS)):
        low, high = np.int64(state.colour_low[colour]), np.int64(state.colour_high[colour])
        write_bits(out, at.colour + colour * plane, low, high)
    free_low, free_high = np.int64(state.free_low), np.int64(state.free_high)
    for symbol in range(len(SYMBOLS)):
        low, high = np.int64(rules.symbol_low[symbol]), np.int64(rules.symbol_high[symbol])
        write_bits(out, at.symbol + symbol * plane, low & free_low, high & free_high)
    other = np.int64(seat)
    for r in range(n):
        write_bits(out, at.owner + r * plane, np.int64(state.owner_low[other]), np.int64(state.owner_high[other]))
        other = other + 1 if other + 1 < n else np.int64(0)


@helper
def _write_tiles_and_cards(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """What is known of tiles and scoring cards, and what is being decided."""
    n, other = np.int64(rules.num_players), np.int64(seat)
    _write_tiles(out, at.hand, np.int64(state.hands[seat]) * np.int64(state.phase != DRAFT))
    _write_tiles(out, at.laid, np.int64(state.laid))
    if not rules.tabletop:
        for r in range(n):
            _write_tiles(out, at.barred + r * TILES, np.int64(state.barred[other]) & ~np.int64(state.laid))
            other = other + 1 if other + 1 < n else np.int64(0)
    mine = (np.int64(state.pending) >> seat) & 1
    if not rules.single:
        placing = np.int64(state.phase == PLACE) * mine
        _write_tiles(out, at.chosen, placing << max(np.int64(state.chosen), np.int64(0)))
    own = np.int64(state.kept[seat])
    spread_bits(out, at.card, np.int64(own >= 0) << max(own, np.int64(0)))
    offered = mine * np.int64(state.phase == DRAFT)
    spread_bits(out, at.seen, np.int64(state.seen[seat]) if offered or not rules.tabletop else np.int64(0))
    going = np.int64(state.over == 0)
    covert = np.int64(state.phase == PLACE) * (1 - mine)  # that a tile has been chosen shows only when it lies
    spread_bits(out, at.phase, going << (np.int64(state.phase) - covert))
    spread_bits(out, at.led, np.int64(state.led >= 0) << max(np.int64(state.led), np.int64(0)))


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    # Block by block: planes and sets sixteen values at a time, and what overshoots is written over by what follows.
    n, other = np.int64(rules.num_players), np.int64(seat)
    _write_board(rules, at, state, seat, out)
    _write_tiles_and_cards(rules, at, state, seat, out)
    for kind in range(KINDS):
        out[at.pot + kind] = state.pot[kind]
    if not rules.tabletop:
        for r in range(n):
            out[at.starter + r] = (np.int64(state.starter) - seat - r) % n == 0
    for r in range(n):
        tile = np.int64(state.trick[other])
        out[at.asked + r] = (np.int64(state.pending) >> other) & 1
        out[at.leader + r] = state.leader == other
        out[at.drafted + r] = (other + n - np.int64(state.starter)) % n < state.drafted
        out[at.skipped + r] = (np.int64(state.skipped) >> other) & 1
        for colour in range(len(COLOURS)):
            out[at.trick_colour + r * len(COLOURS) + colour] = tile >= 0 and tile // VALUES == colour
        out[at.trick_value + r] = (tile % VALUES + 1) * np.int64(tile >= 0)
        out[at.sizes + r] = state.sizes[other]
        out[at.spaces + r] = state.spaces[other]
        out[at.baskets + r] = state.baskets[other]
        out[at.insects + r] = state.insects[other]
        out[at.scores + r] = _final(rules, state, other)
        for kind in range(KINDS):
            out[at.fruits + r * KINDS + kind] = state.fruits[other * KINDS + kind]
        other = other + 1 if other + 1 < n else np.int64(0)


@kernels
def hidden(rules: Record, at: Record, state: Record, out: Any) -> None:
    for seat in range(np.int64(rules.num_players)):
        for tile in range(TILES):
            out[at.true_hands + seat * TILES + tile] = (np.int64(state.hands[seat]) >> tile) & 1
        for card in range(CARDS):
            out[at.true_seen + seat * CARDS + card] = (np.int64(state.seen[seat]) >> card) & 1


def hidden_blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The hidden facts of the privileged view, after the observations of all seats, which hold the scoring cards."""
    n = int(rules[0]["num_players"])
    return (
        Block("true_hands", "the tiles of each seat", (n, TILES), ("seat", "tile"), kind="set"),
        Block("true_seen", "the scoring cards that each seat was offered", (n, CARDS), ("seat", "card"), kind="set"),
    )


def information_state(rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    """The information state: own private facts plus the whole public history, under perfect recall.

    The starter, all placements and all picks give every public fact: who was skipped, who won, what was taken. Only the
    final scores do not follow from them.
    """
    s = states[0]
    own = bool(int(s["pending"]) >> seat & 1)
    numbers = [seat, *(int(s[field]) for field in ("over", "starter", "drafted", "phase", "pending"))]
    if s["phase"] == PLACE and not own:
        numbers[4] = TILE  # that a tile has been chosen shows only when it lies
    numbers += [int(s["kept"][seat]), int(s["seen"][seat]), int(s["chosen"]) if own else -1]
    numbers += [*s["moves"].tolist(), *s["picks"].tolist()]
    if s["over"]:
        seats = range(int(rules[0]["num_players"]))
        numbers += [score_by_card(rules, states, other, int(s["kept"][other])) for other in seats]
    hand = 0 if s["phase"] == DRAFT else int(s["hands"][seat])
    return hand.to_bytes(8, "little") + np.array(numbers, np.int32).tobytes()

"""What a seat of Fruit Cocktail sees and knows: the encoding, the information state, the consistent worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from fruit_envs.declare.layout import Block
from fruit_envs.engine.bits import clear, copy_bytes, get8, put8
from fruit_envs.engine.jit import Record, helper
from fruit_envs.engine.memory import copy_records
from fruit_envs.games.fruit_cocktail.components import CARDS, COLUMNS, FRUITS, HIDDEN
from fruit_envs.games.fruit_cocktail.rules import MAX_GAMES, MAX_PICKS, fruit_bit, kernels, unseen

_ONE = np.uint64(1)


def blocks(rules: np.ndarray) -> tuple[Block, ...]:
    """The observation's blocks, in order; seats are relative to the observer.

    Sizes and bounds are the published game's in every mode, shrunken games included: what was trained on
    one plays in the other.
    """
    r = rules[0]
    n, tabletop, peeks = int(r["num_players"]), int(r["tabletop"]), int(r["peeks"])
    seats = tuple("me" if s == 0 else f"+{s}" for s in range(n))

    def fruits(name: str, doc: str, axis: str, size: int) -> Block:
        return Block(name, doc, (size, COLUMNS), (axis, "fruit"), kind="set", labels=FRUITS)

    def cards(name: str, doc: str, axis: str, size: int) -> Block:
        return Block(name, doc, (size, CARDS), (axis, "card"), kind="set")

    def seat(name: str, doc: str, present: int = 1) -> Block:
        return Block(name, doc, (n * present,), ("seat",), kind="choice", labels=seats)

    return (
        fruits("tiles", "the fruits that may lie at each position", "position", COLUMNS),
        fruits("line", "the fruits that the tile of each card in the line may be", "card", CARDS),
        cards("hidden_columns", "the cards in the line under each hidden tile", "hidden tile", HIDDEN),
        Block("face_down", "1 where the tile lies face down", (COLUMNS,), ("position",)),
        Block("locked", "1 where a column's last card is locked", (COLUMNS,), ("position",)),
        Block("value", "the locked value, 0 where none is", (COLUMNS,), ("position",), low=-4, high=5),
        cards("held", "the cards taken by each seat", "seat", n * (1 - tabletop)),
        cards("own", "the cards taken by the observer", "", tabletop),
        Block("counts", "how many cards each seat has taken", (n * tabletop,), ("seat",), high=-(-MAX_PICKS // n)),
        seat("last_seat", "who made the latest take", tabletop),
        Block("last_card", "the card of the latest take", (CARDS * tabletop,), ("card",), kind="choice"),
        Block(
            "peeked",
            "which hidden tile each seat has seen",
            (n * peeks, HIDDEN),
            ("seat", "hidden tile"),
            kind="choice",
        ),
        seat("mover", "the seat to move"),
        Block("picks", "cards taken in this game", (1,), ("",), high=MAX_PICKS),
        Block("game", "tied games before this one", (int(r["replay"]),), ("",), high=MAX_GAMES - 1),
    )


@helper
def _write_line(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """The line of tiles and cards.

    The sizes of its blocks are constants, so that the compiler unrolls these loops; a shrunken game leaves zeros.
    """
    shown = state.free if rules.tabletop else state.here  # of a locked card only the value stays visible (C11)
    tiles, line, under = at.tiles, at.line, at.hidden_columns
    copy_bytes(out, tiles, state.seen, 0, COLUMNS * COLUMNS)
    doubtful = np.uint64(0)  # the fruits the seat has not seen; products instead of branches, which would mispredict
    for h in range(np.int64(rules.hidden)):
        doubtful |= fruit_bit(state.tiles[np.int64(state.hidden_at[h])]) * np.uint64(unseen(state, seat, h))
    for h in range(np.int64(rules.hidden)):
        p = np.int64(state.hidden_at[h])
        doubt = np.uint64(unseen(state, seat, h))
        put8(out, tiles + p * COLUMNS, doubtful * doubt + fruit_bit(state.tiles[p]) * (_ONE - doubt))
    for c in range(CARDS):  # a card's row is that of its tile
        put8(out, line + c * COLUMNS, get8(out, tiles + np.int64(state.at[c]) * COLUMNS) * np.uint64(shown[c]))
    for w in range(0, CARDS, 8):
        here = get8(shown, w)
        for h in range(HIDDEN):
            put8(out, under + h * CARDS + w, get8(state.veiled, h * CARDS + w) & here)
    put8(out, at.face_down, get8(state.face_down, 0))
    put8(out, at.locked, get8(state.closed, 0))
    put8(out, at.value, get8(state.value, 0))


@helper
def _write_takes(rules: Record, at: Record, state: Record, seat: Any, out: Any) -> None:
    """What was taken by whom, as far as the memory mode shows it (C11)."""
    n, picks = np.int64(rules.num_players), np.int64(state.picks)
    if not rules.tabletop:
        other, held = seat, at.held
        for _ in range(n):
            copy_bytes(out, held, state.held, other * CARDS, CARDS)
            held += CARDS
            other = other + 1 if other + 1 < n else np.int64(0)
        return
    copy_bytes(out, at.own, state.held, seat * CARDS, CARDS)
    clear(out, at.counts, n)
    clear(out, at.last_seat, n)
    clear(out, at.last_card, CARDS)
    taker = np.int64(state.starter) - seat
    if taker < 0:
        taker += n
    for i in range(picks):
        out[at.counts + taker] += 1
        if i == picks - 1:
            out[at.last_seat + taker] = 1
            out[at.last_card + np.int64(state.history[i])] = 1
        taker = taker + 1 if taker + 1 < n else 0


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    n = np.int64(rules.num_players)
    _write_line(rules, at, state, seat, out)
    _write_takes(rules, at, state, seat, out)
    if rules.peeks:
        clear(out, at.peeked, n * HIDDEN)
    pending, other = np.int64(state.pending), np.int64(seat)
    for r in range(n):
        if rules.peeks:  # C4: where each seat peeked is public
            out[at.peeked + r * HIDDEN + np.int64(state.peek[other])] = 1
        out[at.mover + r] = (pending >> other) & 1
        other = other + 1 if other + 1 < n else np.int64(0)
    out[at.picks] = state.picks
    if rules.replay:
        out[at.game] = state.game


@kernels
def hidden(rules: Record, at: Record, state: Record, out: Any) -> None:
    clear(out, at.true_tiles, COLUMNS * COLUMNS)
    for p in range(np.int64(rules.columns)):
        put8(out, at.true_tiles + p * COLUMNS, fruit_bit(state.tiles[p]))


def hidden_blocks(_rules: np.ndarray) -> tuple[Block, ...]:
    """The hidden facts of the privileged view, after the observations of all seats."""
    return (
        Block(
            "true_tiles",
            "the fruit at each position",
            (COLUMNS, COLUMNS),
            ("position", "fruit"),
            kind="choice",
            labels=FRUITS,
        ),
    )


def information_state(rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    """The information state: own private facts plus the whole public history, under perfect recall."""
    r, s = rules[0], states[0]
    seen = [tile if _knows(r, s, seat, p) else -1 for p, tile in enumerate(s["tiles"][: r["columns"]].tolist())]
    public = [int(s["over"]), int(s["starter"]), int(s["picks"]), *s["history"][: s["picks"]].tolist()]
    cards = int(r["num_actions"])
    peeks = s["peek"][: r["num_players"]].tolist()
    numbers = [seat, *public, *peeks, *s["hidden_at"][: r["hidden"]].tolist(), *s["at"][:cards].tolist(), *seen]
    return int(s["past"]).to_bytes(8, "little") + np.array(numbers, np.int8).tobytes()


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Every world consistent with what the seat has seen (C12), each equally likely a priori.

    Yields
    ------
    probability, states
        Records of shape (1,).
    """
    r, s = rules[0], states[0]
    open_to_doubt = [p for p in range(int(r["columns"])) if not _knows(r, s, seat, p)]
    arrangements = list(permutations(sorted(s["tiles"][open_to_doubt].tolist())))
    for fruits in arrangements:
        world = copy_records(states)
        world[0]["tiles"][open_to_doubt] = fruits
        yield 1 / len(arrangements), world


def _knows(rules: Any, state: Any, seat: int, position: int) -> bool:
    hidden_at = state["hidden_at"][: rules["hidden"]].tolist()
    return position not in hidden_at or bool(state["over"]) or int(state["peek"][seat]) == hidden_at.index(position)

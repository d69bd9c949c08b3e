"""Between the engine and the oracle: built deals, engine states beside tables, what a seat's facts should be."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import fruit_envs
from fruit_envs import Game, State

from .oracle import FRUITS, HIDDEN, Chooser, Deal, Match, Table, deck_of, random_deal

#: A deck in which every game is tied: nothing is worth anything.
WORTHLESS = tuple((fruit, pieces, 0) for fruit in range(8) for pieces in (1, 2, 3))
#: A deck in which only the oranges are worth something: many ties, and games that are decided.
MEAGRE = tuple((fruit, pieces, int(fruit == 7)) for fruit in range(8) for pieces in (1, 2, 3))


@cache
def load(**options: Any) -> Game:
    """The game with these options (hashable ones), made once."""
    return fruit_envs.load("fruit_cocktail", **options)


def dealt(state: State) -> Deal:
    """The deal that an engine state started from."""
    return Deal.of(state.game.text.deal_events(state)[0])


def forced(game: Game, *deals: Deal) -> dict[tuple[int, int], int]:
    """The chance outcomes that make the engine deal these games one after the other."""
    return game.text.outcomes(game.rules, [deal.event() for deal in deals])


def build(game: Game, deal: Deal) -> State:
    """The engine's state of this deal."""
    state = game.deal(0, outcomes=forced(game, deal))
    assert dealt(state) == deal
    return state


def beside(game: Game, seed: int) -> tuple[State, Table]:
    """A dealt engine state, and the same table in the oracle."""
    state = game.deal(seed)
    deck = game.options["deck"]
    table = Table(dealt(state)) if deck == "assumed-v1" else Table(dealt(state), deck_of(deck))
    return state, table


def content(state: State) -> list[bytes]:
    """The bytes of every field of the game's record (not the padding between them)."""
    data = state.tobytes()
    return [data[start:end] for start, end in _runs(state.game.state_dtype)]


@cache
def _runs(dtype: np.dtype) -> tuple[tuple[int, int], ...]:
    """Where the fields of a record lie, neighbours joined."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted((place[1], place[1] + place[0].itemsize) for place in dtype.fields.values()):
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return tuple(runs)


def play(state: State, table: Table, card: int) -> None:
    """The same take on both sides."""
    state.apply(table.turn, card)
    table.take(card)


def play_out(state: State, table: Table, choose: Chooser | None = None, until: int = 16) -> None:
    """Play both sides on until so many cards are taken."""
    rng = random.Random(state.seed)
    while len(table.takes) < until:
        play(state, table, choose(table) if choose else rng.choice(table.legal()))


def dealer(rng: random.Random, players: int, mode: str) -> Callable[[int, int | None], Deal]:
    """Deals for the oracle's matches, from Python's own generator."""
    return lambda _game, starter: random_deal(rng, players, mode, starter)


def match(rng: random.Random, players: int, mode: str, rows: Sequence[Sequence[int]], tie: str = "share") -> Match:
    """A match of the oracle with a custom deck."""
    return Match(dealer(rng, players, mode), deck_of(rows), tie == "replay")


def facts(table: Table, seat: int, mode: str, *, tabletop: bool = False, game_number: int | None = None) -> Any:
    """What a seat's observation should hold in words, from what the oracle says a seat may know."""
    n = table.players

    def relative(other: int) -> str:
        return "me" if other == seat else f"+{(other - seat) % n}"

    def named(fruits: set[int]) -> list[str]:
        return [FRUITS[fruit] for fruit in sorted(fruits)]

    around = [(seat + k) % n for k in range(n)]
    possible = [named(fruits) for fruits in table.possible(seat)]
    lying = [list(column) for column in table.columns]  # cards whose face can be seen in the line
    if not tabletop:
        for position, card in table.locked.items():
            lying[position].append(card)
    line: list[list[str]] = [[] for _ in range(24)]
    for position, cards in enumerate(lying):
        for card in cards:
            line[card] = possible[position]
    hidden = [sorted(lying[position]) for position in table.deal.hidden]
    values = [table.deck[table.locked[p]].value if p in table.locked else 0 for p in range(8)]
    found: dict[str, Any] = {
        "tiles": possible,
        "line": line,
        "hidden_columns": hidden + [[]] * (3 - HIDDEN[mode]),
        "face_down": [int(p in table.deal.hidden and not table.over) for p in range(8)],
        "locked": [int(p in table.locked) for p in range(8)],
        "value": values,
    }
    if tabletop:
        last = table.takes[-1] if table.takes else None
        found["own"] = [sorted(table.hands[seat])]
        found["counts"] = [len(table.hands[other]) for other in around]
        found["last_seat"] = relative(last[0]) if last else None
        found["last_card"] = last[1] if last else None
    else:
        found["held"] = [sorted(table.hands[other]) for other in around]
    if mode == "base":
        peeks = [table.deal.peeks[other] for other in around]
        found["peeked"] = [table.deal.hidden.index(peek) for peek in peeks if peek is not None]
    found["mover"] = None if table.over else relative(table.turn)
    found["picks"] = len(table.takes)
    if game_number is not None:
        found["game"] = game_number
    return found


#: The worked example: the card under each tile (tile p lies at position p), and what the two players hold.
EXAMPLE_LOCKED = (16, 8, 2, 9, 7, 23, 13, 19)
EXAMPLE_HANDS = ((1, 4, 6, 10, 11, 12, 18, 22), (20, 3, 5, 14, 21, 15, 17, 0))
#: The same sixteen cards in the hands of three and of four players.
EXAMPLE_HANDS_OF_3 = ((1, 4, 6, 10, 11, 12), (18, 22, 20, 3, 5), (14, 21, 15, 17, 0))
EXAMPLE_HANDS_OF_4 = ((1, 4, 6, 10), (11, 12, 18, 22), (20, 3, 5, 14), (21, 15, 17, 0))


def stage(
    hands: Sequence[Sequence[int]],
    locked: Sequence[int],
    *,
    tiles: Sequence[int] = tuple(range(8)),
    hidden: Sequence[int] = (),
    peeks: Sequence[int | None] | None = None,
    starter: int = 0,
) -> tuple[Deal, list[tuple[int, int]]]:
    """A deal, and takes (seat, card) in turn order, that end with these hands and locked cards.

    The cards that are taken lie two by two over the locked ones, in the order of the hands; since no hand holds a
    locked card, every order of taking is possible.
    """
    lying = [card for hand in hands for card in hand]
    columns = tuple((locked[p], lying[2 * p], lying[2 * p + 1]) for p in range(8))
    n = len(hands)
    deal = Deal(tuple(tiles), tuple(hidden), columns, tuple(peeks or [None] * n), starter)
    waiting = [list(hand) for hand in hands]
    takes = [((starter + i) % n, waiting[(starter + i) % n].pop(0)) for i in range(16)]
    return deal, takes


def staged(game: Game, hands: Sequence[Sequence[int]], locked: Sequence[int], **rest: Any) -> State:
    """The engine's state at the end of a staged game."""
    deal, takes = stage(hands, locked, **rest)
    state = build(game, deal)
    for seat, card in takes:
        state.apply(seat, card)
    assert state.over
    return state


#: A deck in which every piece is worth one point whatever is locked: a score is the number of pieces held.
ONES = tuple((fruit, pieces, 1) for fruit in range(8) for pieces in (1, 2, 3))


def by_pieces(*hands: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """Cards of the usual ids with these numbers of pieces in the hands, and the eight cards left over."""
    pool = {pieces: [3 * fruit + pieces - 1 for fruit in range(8)] for pieces in (1, 2, 3)}
    held = [[pool[pieces].pop() for pieces in hand] for hand in hands]
    return held, [card for left in pool.values() for card in left]

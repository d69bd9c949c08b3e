"""The oracle's search: the value of a two-player position, and every move that achieves it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from .oracle_game import ASSUMED_V1, Table


class Position(Protocol):
    """A two-player position to be searched: the oracle's table, or the engine behind the same three questions."""

    def moves(self) -> list[int]:
        """Legal moves; none when the game is over."""

    def mover(self) -> int:
        """The seat to move."""

    def after(self, move: int) -> Position:
        """The position that a move leads to."""

    def value(self) -> int:
        """At the end: seat 0's points minus seat 1's."""

    def key(self) -> Hashable:
        """Equal for positions that go on alike."""


#: What is known of positions already searched: key -> lower and upper bound of the value.
Known = dict[Hashable, tuple[int, int]]
FAR = 10_000
#: Card -> its place in the order of trying: cards of many pieces first, which cuts off more. The result is the same.
PIECES_FIRST = [-card.pieces for card in ASSUMED_V1]


def alpha_beta(position: Position, alpha: int, beta: int, known: Known) -> int:
    """The value of a position for seat 0, exact within (alpha, beta), else a bound (fail-soft)."""
    moves = sorted(position.moves(), key=PIECES_FIRST.__getitem__)
    if not moves:
        return position.value()
    key = position.key()
    low, high = known.get(key, (-FAR, FAR))
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    first = position.mover() == 0
    best, a, b = (-FAR if first else FAR), max(alpha, low), min(beta, high)
    for move in moves:
        value = alpha_beta(position.after(move), a, b, known)
        if first:
            best, a = max(best, value), max(a, value)
        else:
            best, b = min(best, value), min(b, value)
        if a >= b:
            break
    if best <= alpha:
        known[key] = (low, min(high, best))
    elif best >= beta:
        known[key] = (max(low, best), high)
    else:
        known[key] = (best, best)
    return best


def solve(position: Position) -> tuple[int, set[int]]:
    """The value for seat 0 and every move that achieves it."""
    first, known = position.mover() == 0, Known()
    best, moves = (-FAR if first else FAR), set[int]()
    for move in position.moves():
        # A window open by one beyond the best so far: an equal move is seen as equal, a worse one is cut off.
        window = (best - 1, FAR) if first else (-FAR, best + 1)
        value = alpha_beta(position.after(move), *window, known)
        if value == best:
            moves.add(move)
        elif (value > best) == first:
            best, moves = value, {move}
    return best, moves


@dataclass
class TablePosition:
    """The table as a position to be searched."""

    table: Table

    def moves(self) -> list[int]:
        return self.table.legal()

    def mover(self) -> int:
        return self.table.turn

    def after(self, move: int) -> TablePosition:
        table = self.table.copy()
        table.take(move)
        return TablePosition(table)

    def value(self) -> int:
        first, second = self.table.scores()
        return first - second

    def key(self) -> Hashable:
        return tuple(sum(1 << card for card in hand) for hand in self.table.hands)

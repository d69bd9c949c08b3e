"""The oracle's game: cards, deals, tables in play, matches, and ways to play.

See oracle.py: plain Python from the rule text, without the engine. A comment such as C9 names the ruling that a line
follows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

FRUITS = ("banana", "cherry", "apple", "strawberry", "lychee", "grape", "blueberry", "orange")
PLAYERS = (2, 3, 4)
MODES = ("base", "easy", "total_control")
HIDDEN = {"base": 3, "easy": 2, "total_control": 0}  # C1, C16, C17
GAMES_AT_MOST = 10  # C13: a tied tenth game is shared


@dataclass(frozen=True)
class Card:
    """A fruit card: one fruit, 1 to 3 pieces of it, and a point value."""

    fruit: int
    pieces: int
    value: int


def deck_of(rows: Sequence[Sequence[int]]) -> tuple[Card, ...]:
    """The deck of a table of rows [fruit id, pieces, value]."""
    return tuple(Card(*row) for row in rows)


#: The values of the cards with 1, 2 and 3 pieces of each fruit, as printed in the rule file.
_VALUES = (
    (-4, 1, 4),  # banana
    (-3, 5, 0),  # cherry
    (-1, 2, 1),  # apple
    (1, -2, 2),  # strawberry
    (0, 3, -1),  # lychee
    (2, -4, 3),  # grape
    (4, 0, -3),  # blueberry
    (5, -1, -2),  # orange
)
ASSUMED_V1 = tuple(Card(fruit, i + 1, value) for fruit, three in enumerate(_VALUES) for i, value in enumerate(three))
ASSUMED_V1_ROWS = [[card.fruit, card.pieces, card.value] for card in ASSUMED_V1]


@dataclass(frozen=True)
class Deal:
    """The table after the setting-up."""

    tiles: tuple[int, ...]
    hidden: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]
    peeks: tuple[int | None, ...]
    starter: int

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Deal:
        """The deal of a record's event."""
        columns = tuple(tuple(column) for column in event["columns"])
        return cls(tuple(event["tiles"]), tuple(event["hidden"]), columns, tuple(event["peeks"]), event["starter"])

    def event(self) -> dict[str, Any]:
        """The record's event of this deal."""
        return {
            "event": "deal",
            "tiles": list(self.tiles),
            "hidden": list(self.hidden),
            "columns": [list(column) for column in self.columns],
            "peeks": list(self.peeks),
            "starter": self.starter,
        }

    def faults(self, players: int, mode: str) -> list[str]:
        """What is impossible about it; empty for a deal that the setting-up allows."""
        found = []
        if sorted(self.tiles) != list(range(8)):
            found.append("the line holds each of the 8 tiles once")
        if len(self.columns) != 8 or any(len(column) != 3 for column in self.columns):
            found.append("8 columns of 3 cards")
        if sorted(card for column in self.columns for card in column) != list(range(24)):
            found.append("each of the 24 cards once")
        if len(self.hidden) != HIDDEN[mode] or sorted(set(self.hidden)) != list(self.hidden):
            found.append("as many different hidden tiles as the mode says, ascending")
        if any(position not in range(8) for position in self.hidden):
            found.append("hidden positions 0..7")
        if self.starter not in range(players):
            found.append("the starter is a seat")
        if len(self.peeks) != players:
            found.append("one peek or none per seat")
        if mode != "base":  # C16, C17: nobody peeks
            return found + (["no peeks"] if any(peek is not None for peek in self.peeks) else [])
        if any(peek not in self.hidden for peek in self.peeks):
            found.append("peeks are at hidden tiles")
        sharing = sorted(list(self.peeks).count(peek) for peek in set(self.peeks))
        if sharing != ([2, 2] if players == 4 else [1] * players):  # C2, C3
            found.append("2-3 players peek at different tiles, 4 players in two pairs")
        return found


def random_deal(rng: random.Random, players: int, mode: str, starter: int | None = None) -> Deal:
    """A deal from Python's own generator (C1-C3, C5)."""
    cards = rng.sample(range(24), 24)
    hidden = sorted(rng.sample(range(8), HIDDEN[mode]))
    peeks: list[int | None] = [None] * players
    if mode == "base":
        seen = rng.sample(hidden, 2 if players == 4 else players)
        peeks = [*(seen * 2 if players == 4 else seen)]
        rng.shuffle(peeks)
    return Deal(
        tuple(rng.sample(range(8), 8)),
        tuple(hidden),
        tuple(tuple(cards[3 * p : 3 * p + 3]) for p in range(8)),
        tuple(peeks),
        rng.randrange(players) if starter is None else starter,
    )


@dataclass
class Table:
    """One game in play."""

    deal: Deal
    deck: Sequence[Card] = ASSUMED_V1
    columns: list[list[int]] = field(init=False)
    hands: list[list[int]] = field(init=False)
    takes: list[tuple[int, int]] = field(default_factory=list)  # (seat, card), oldest first
    locked: dict[int, int] = field(default_factory=dict)  # position -> card under its tile

    def __post_init__(self) -> None:
        self.columns = [list(column) for column in self.deal.columns]
        self.hands = [[] for _ in self.deal.peeks]

    @property
    def players(self) -> int:
        return len(self.hands)

    @property
    def turn(self) -> int:
        """The seat to move: strict turn order from the starter (C7)."""
        return (self.deal.starter + len(self.takes)) % self.players

    def legal(self) -> list[int]:
        """Any card of a column that holds at least two (C6)."""
        return sorted(card for column in self.columns if len(column) >= 2 for card in column)

    @property
    def over(self) -> bool:
        """The game ends when there are no more cards to collect."""
        return not self.legal()

    def take(self, card: int) -> int | None:
        """The seat to move takes a card; returns the position at which a card is locked by it, at once (C8)."""
        assert card in self.legal(), card
        position = next(p for p, column in enumerate(self.columns) if card in column)
        self.columns[position].remove(card)
        self.hands[self.turn].append(card)
        self.takes.append((self.turn, card))
        if len(self.columns[position]) > 1:
            return None
        self.locked[position] = self.columns[position].pop()
        return position

    def copy(self) -> Table:
        """The same table, to be played on separately."""
        other = Table.__new__(Table)
        other.deal, other.deck = self.deal, self.deck
        other.columns = [column[:] for column in self.columns]
        other.hands = [hand[:] for hand in self.hands]
        other.takes, other.locked = self.takes[:], self.locked.copy()
        return other

    # ---- what it is worth ------------------------------------------------------------------------------------------

    def worth(self) -> dict[int, int]:
        """Fruit -> points per piece, for the fruits whose column is locked (C9: the locked card's value, no more)."""
        return {self.deal.tiles[position]: self.deck[card].value for position, card in self.locked.items()}

    def scores(self) -> list[int]:
        """Points of each seat from the fruits that are worth something so far; final once the game is over."""
        worth = self.worth()
        return [sum(self.deck[c].pieces * worth.get(self.deck[c].fruit, 0) for c in hand) for hand in self.hands]

    def shares(self) -> list[Fraction]:
        """Win share of each seat: the highest score wins, tied leaders share (C13)."""
        assert self.over
        scores = self.scores()
        leaders = scores.count(max(scores))
        return [Fraction(score == max(scores), leaders) for score in scores]

    @property
    def tied(self) -> bool:
        return max(self.shares()) < 1

    def win_rewards(self) -> list[Fraction]:
        """A win share w becomes (n*w - 1)/(n - 1) (C19)."""
        return [(self.players * share - 1) / (self.players - 1) for share in self.shares()]

    def margins(self) -> list[Fraction]:
        """Own score minus the mean of the others', as things stand (C19)."""
        scores = self.scores()
        return [own - Fraction(sum(scores) - own, self.players - 1) for own in scores]

    def rewards(self, reward: str = "win", scale: Fraction | int = 20) -> list[Fraction]:
        """What each seat earns at the end."""
        return self.win_rewards() if reward == "win" else [margin / scale for margin in self.margins()]

    # ---- what a seat may know --------------------------------------------------------------------------------------

    def unknown(self, seat: int) -> list[int]:
        """The positions whose tile the seat has not seen (C4, C12); none once all is turned up."""
        return [] if self.over else [p for p in self.deal.hidden if p != self.deal.peeks[seat]]

    def possible(self, seat: int) -> list[set[int]]:
        """The fruits that may lie at each position as far as the seat knows (C12)."""
        unknown = self.unknown(seat)
        doubtful = {self.deal.tiles[p] for p in unknown}
        return [doubtful if p in unknown else {self.deal.tiles[p]} for p in range(8)]

    def worlds(self, seat: int) -> list[tuple[int, ...]]:
        """Every line of tiles that the seat must hold possible (C12)."""
        unknown = self.unknown(seat)
        lines = []
        for order in permutations([self.deal.tiles[p] for p in unknown]):
            line = list(self.deal.tiles)
            for position, fruit in zip(unknown, order, strict=True):
                line[position] = fruit
            lines.append(tuple(line))
        return lines


#: What deals game number g (from 0) of a match with this starter; None leaves the starter to chance.
Dealer = Callable[[int, int | None], Deal]
#: What chooses the card that the seat to move takes.
Chooser = Callable[[Table], int]


@dataclass
class Match:
    """An episode: one game, or with tie="replay" games until one is decided (C13)."""

    dealer: Dealer
    deck: Sequence[Card] = ASSUMED_V1
    replay_ties: bool = False
    games: list[Table] = field(init=False)

    def __post_init__(self) -> None:
        self.games = [Table(self.dealer(0, None), self.deck)]

    @property
    def table(self) -> Table:
        """The game in play, or the last one."""
        return self.games[-1]

    def replays(self) -> bool:
        """Whether the game in play has just ended in a tie that is played again."""
        return self.replay_ties and self.table.over and self.table.tied and len(self.games) < GAMES_AT_MOST

    @property
    def over(self) -> bool:
        return self.table.over and not self.replays()

    def next_game(self) -> Table:
        """The new game after a tie, with the next seat as its starter (C13)."""
        assert self.replays()
        starter = (self.table.deal.starter + 1) % self.table.players
        self.games.append(Table(self.dealer(len(self.games), starter), self.deck))
        assert self.table.deal.starter == starter
        return self.table


# ---- ways to play --------------------------------------------------------------------------------------------------


def choosers(rng: random.Random) -> Iterator[Chooser]:
    """Ways to play that lead to different kinds of tables: anything, one column after the other, columns evenly."""

    def anything(table: Table) -> int:
        return rng.choice(table.legal())

    def draining(table: Table) -> int:
        shortest = min((column for column in table.columns if len(column) >= 2), key=len)
        return rng.choice(shortest)

    def spreading(table: Table) -> int:
        longest = max((column for column in table.columns if len(column) >= 2), key=len)
        return rng.choice(longest)

    while True:
        yield from (anything, draining, anything, spreading)

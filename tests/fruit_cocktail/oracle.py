"""A second opinion on Fruit Cocktail: plain Python, written from the rule text and the rulings alone.

Nothing here imports the engine. Seats, positions, fruits and cards are whole numbers as in the game records; a comment
such as C9 names the ruling that a line follows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any, Protocol

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


def write_record(
    match: Match, choose: Chooser, options: Mapping[str, Any], seed: int | None = None, agent: str = "hand"
) -> dict[str, Any]:
    """Play a match to its end and write its record, without the engine."""
    events: list[dict[str, Any]] = []
    while True:
        table = match.table
        events.append(table.deal.event())
        while not table.over:
            seat, card = table.turn, choose(table)
            position = table.take(card)
            events.append({"event": "take", "seat": seat, "action": card, "card": card})
            if position is not None:
                events.append({"event": "lock", "position": position, "card": table.locked[position]})
        if table.deal.hidden:
            events.append({"event": "reveal", "tiles": list(table.deal.tiles)})
        worth = table.worth()
        events.append({"event": "score", "values": [worth[f] for f in range(8)], "scores": table.scores()})
        if match.over:
            break
        match.next_game()
    rewards = table.rewards(options.get("reward", "win"), Fraction(options.get("margin_scale", 20)))
    return {
        "format": "fruit-record-1",
        "game": "fruit_cocktail",
        "version": 0,
        "options": dict(options),
        "seed": seed,
        "agents": [agent] * table.players,
        "events": events,
        "scores": table.scores(),
        "returns": [float(reward) for reward in rewards],
    }


def check_record(record: Mapping[str, Any]) -> Match:
    """Play a record again by the rules alone; AssertionError at the first thing that differs.

    Returns
    -------
    Match
        The match as the rules say it went.
    """
    options = record["options"]
    players, mode = options["num_players"], options.get("mode", "base")
    rows = options.get("deck", "assumed-v1")
    deck = ASSUMED_V1 if rows == "assumed-v1" else deck_of(rows)
    events = record["events"]
    deals = [Deal.of(event) for event in events if event["event"] == "deal"]
    taken = iter([event["card"] for event in events if event["event"] == "take"])
    for deal in deals:
        assert not deal.faults(players, mode), deal.faults(players, mode)
    match = Match(lambda g, _starter: deals[g], deck, options.get("tie", "share") == "replay")
    expected = write_record(match, lambda _table: next(taken), options)
    assert events == expected["events"]
    assert len(match.games) == len(deals)
    assert list(taken) == []
    assert record["scores"] == expected["scores"]
    assert all(abs(a - b) <= 1e-6 for a, b in zip(record["returns"], expected["returns"], strict=True))
    return match


# ---- search --------------------------------------------------------------------------------------------------------


class Position(Protocol):
    """A two-player position to be searched: the table above, or the engine behind the same three questions."""

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

"""A second opinion on Fruitoplay: plain Python, written from the rule text and the rulings alone.

Nothing here imports the engine. Seats, fruits, cards and events are those of the game records. A game is a generator
that asks questions and is sent answers; a comment such as F6 names the ruling that a line follows.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

FRUITS = ("banana", "strawberry", "apple", "fig")
PLAYERS = (2, 3, 4, 5, 6)
HAND = {2: 7, 3: 7, 4: 6, 5: 6, 6: 6}
#: assumed-v1, as printed in the rule file.
DOUBLE, ROTTEN = (2, 5, 8, 11, 14, 17, 20), 13
TABLE = {number: "double" if number in DOUBLE else "single" for number in range(1, 21)} | {ROTTEN: "rotten"}

DRAW, DECLINE, FIRST_FRUIT, CANCEL_ONE, CANCEL_TWO = 80, 81, 82, 86, 87

Event = dict[str, Any]


def fruit_of(card: int) -> int:
    return card // 20


def number_of(card: int) -> int:
    return card % 20 + 1


def card_id(text: str) -> int:
    """The card of a text such as B9 (banana, strawberry, apple, fig)."""
    return 20 * "BSAF".index(text[0]) + int(text[1:]) - 1


# ---- one trick -----------------------------------------------------------------------------------------------------


def trick_winner(target: int, cards: Mapping[int, int], tie_scope: str = "key") -> int | None:
    """Which seat's card wins the target, or None (F2, F3)."""

    def key(card: int) -> tuple[int, int]:
        off_colour = 0 if fruit_of(card) == fruit_of(target) else 1
        return off_colour, abs(number_of(card) - number_of(target))

    def tie(card: int) -> Any:
        return key(card) if tie_scope == "key" else key(card)[1]

    held = Counter(tie(card) for card in cards.values())
    survivors = [(key(card), seat) for seat, card in cards.items() if held[tie(card)] == 1]
    return min(survivors)[1] if survivors else None


# ---- one round's scoring -------------------------------------------------------------------------------------------


@dataclass
class Columns:
    """A seat's cards at the round's end, and what the collective card adds for it."""

    cards: list[int]
    collective: tuple[int, int] | None = None  # (fruit, value)
    table: Mapping[int, str] = field(default_factory=lambda: TABLE)
    gone: list[int] = field(default_factory=list)

    def rotten(self) -> list[int]:
        """The rotten cards, by fruit (F9)."""
        return sorted(card for card in self.cards if self.table[number_of(card)] == "rotten")

    def of(self, fruit: int, kind: str) -> list[int]:
        return [c for c in self.cards if fruit_of(c) == fruit and self.table[number_of(c)] == kind]

    def candidates(self, fruit: int) -> dict[int, list[str]]:
        """Value -> what of that value a rotten card of this fruit may cancel, cards before the collective (F9)."""
        found: dict[int, list[str]] = {1: [], 2: []}
        for value, kind in ((1, "single"), (2, "double")):
            found[value] += [kind] * len(self.of(fruit, kind))
        if self.collective is not None and self.collective[0] == fruit:
            found[self.collective[1]].append("collective")
        return {value: what for value, what in found.items() if what}

    def cancel(self, rotten: int, value: int | None) -> str | None:
        """Resolve a rotten card; returns what it took with it (F9)."""
        fruit = fruit_of(rotten)
        what = self.candidates(fruit)[value][0] if value is not None else None
        leaving = [rotten]
        if what == "collective":
            self.collective = None
        elif what is not None:
            leaving.append(min(self.of(fruit, what)))  # cards of a kind are alike
        for card in leaving:
            self.cards.remove(card)
            self.gone.append(card)
        return what

    def sums(self) -> list[int]:
        """What each column is worth: one per single, two per double, and the collective card."""
        worth = [len(self.of(f, "single")) + 2 * len(self.of(f, "double")) for f in range(4)]
        if self.collective is not None:
            worth[self.collective[0]] += self.collective[1]
        return worth

    def points(self) -> int:
        """The largest column times the smallest that counts (F10)."""
        columns = sorted(worth for worth in self.sums() if worth != 0)
        return columns[-1] * columns[0] if columns else 0


def scored(
    cards: Iterable[int], collective: tuple[int, int] | None, choose: Callable[[Columns, int], int], table: Any = None
) -> tuple[list[int], int, list[tuple[int, str | None]]]:
    """Sums, points and (fruit, removed) of one seat's round; `choose` is asked where a value is to be chosen."""
    columns = Columns(list(cards), collective, table or TABLE)
    resolved = []
    for rotten in columns.rotten():
        values = list(columns.candidates(fruit_of(rotten)))
        value = choose(columns, fruit_of(rotten)) if len(values) > 1 else values[0] if values else None
        resolved.append((fruit_of(rotten), columns.cancel(rotten, value)))
    return columns.sums(), columns.points(), resolved


# ---- a game --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deal:
    """How the cards lie at a round's beginning."""

    hands: tuple[tuple[int, ...], ...]
    river: tuple[int, ...]
    deck: tuple[int, ...]

    @classmethod
    def of(cls, event: Event) -> Deal:
        return cls(tuple(map(tuple, event["hands"])), tuple(event["river"]), tuple(event["deck"]))


def random_deal(rng: random.Random, n: int) -> Deal:
    cards = rng.sample(range(80), 80)
    h = HAND[n]
    hands = tuple(tuple(cards[s * h : (s + 1) * h]) for s in range(n))
    return Deal(hands, tuple(cards[n * h : n * h + 7]), tuple(cards[n * h + 7 :]))


@dataclass(frozen=True)
class Question:
    """What is asked, and of whom: seat -> the actions it may choose."""

    phase: str
    asked: dict[int, list[int]]


class Game:
    """A game in play.

    Parameters
    ----------
    n
        Seats.
    deals
        Gives the deal of a round.
    lot
        Chance's choice among fruits, for a round (F11).
    """

    def __init__(
        self,
        n: int,
        deals: Callable[[int], Deal],
        lot: Callable[[int, list[int]], int],
        tie_scope: str = "key",
        collective_reuse: bool = True,
        table: Mapping[int, str] = TABLE,
    ) -> None:
        self.n, self.deals, self.lot, self.table = n, deals, lot, table
        self.tie_scope, self.collective_reuse = tie_scope, collective_reuse
        self.events: list[Event] = []
        self.totals, self.points = [0] * n, [0] * n
        self.round = self.turn = 0
        self.collective: tuple[int, int] | None = None
        self.last_fruit: int | None = None
        self.rotten: int | None = None  # the fruit being resolved
        self.denied: set[int] = set()
        self._script = self._play()
        self.question: Question | None = next(self._script)

    def answer(self, actions: Mapping[int, int]) -> None:
        """All who are asked have answered."""
        assert self.question is not None
        assert actions.keys() == self.question.asked.keys()
        assert all(action in self.question.asked[seat] for seat, action in actions.items())
        try:
            self.question = self._script.send(actions)
        except StopIteration:
            self.question = None

    @property
    def over(self) -> bool:
        return self.question is None

    # ---- the course of a game --------------------------------------------------------------------------------------

    def _play(self) -> Generator[Question, Mapping[int, int], None]:
        for self.round in range(3):
            deal = self.deals(self.round)
            self.hands, self.deck = [list(h) for h in deal.hands], list(deal.deck)
            self.river = list(deal.river)
            self.columns: list[list[int]] = [[] for _ in range(self.n)]
            self.gone: list[int] = []
            self.turn, self.collective, self.denied = 0, None, set()
            self.hands_of_deal = deal
            event = {"hands": [sorted(h) for h in deal.hands], "river": list(deal.river), "deck": list(deal.deck)}
            self.events.append({"event": "deal", "round": self.round, **event})
            if self.round:
                yield from self._choose_collective()
            for self.turn in range(7):
                yield from self._play_turn()
            yield from self._score()
        self.events.append({"event": "score", "totals": self.totals[:], "scores": self.totals[:]})

    def _choose_collective(self) -> Generator[Question, Mapping[int, int], None]:
        """F11: the unique seat with the fewest points, or chance; +1 in the second round, +2 in the third."""
        barred = None if self.collective_reuse else self.last_fruit
        fruits = [fruit for fruit in range(4) if fruit != barred]
        poorest = [seat for seat in range(self.n) if self.totals[seat] == min(self.totals)]
        seat = action = None
        if len(poorest) == 1:
            (seat,) = poorest
            answers = yield Question("collective", {seat: [FIRST_FRUIT + fruit for fruit in fruits]})
            action = answers[seat]
            fruit = action - FIRST_FRUIT
        else:
            fruit = self.lot(self.round, fruits)
        self.collective, self.last_fruit = (fruit, self.round), fruit
        self.events.append({"event": "collective", "fruit": fruit, "seat": seat, "action": action})

    def _play_turn(self) -> Generator[Question, Mapping[int, int], None]:
        target = self.river[self.turn]
        with_cards = {seat: sorted(hand) for seat, hand in enumerate(self.hands) if hand}  # F5
        cards = yield Question("card", with_cards)
        for seat in range(self.n):
            card = cards.get(seat)
            self.events.append({"event": "play", "turn": self.turn, "seat": seat, "action": card, "card": card})
        winner = trick_winner(target, cards, self.tie_scope)
        self.events.append({"event": "trick", "turn": self.turn, "target": target, "winner": winner})
        heap = self.gone if winner is None else self.columns[winner]  # F4
        heap.append(target)
        for seat, card in cards.items():
            self.hands[seat].remove(card)
            heap.append(card)
        losers = [seat for seat in range(self.n) if seat != winner]
        if self.turn < 6:  # F6: mandatory, in seat order
            for seat in losers:
                self.hands[seat].append(self.deck.pop(0))
                self.events.append({"event": "draw", "seat": seat, "card": self.hands[seat][-1]})
            return
        answers = yield Question("draw", {seat: [DRAW, DECLINE] for seat in losers})  # F8
        for seat in losers:
            card = self.deck.pop(0) if answers[seat] == DRAW and self.deck else None  # F6: the deck may run dry
            if card is not None:
                self.hands[seat].append(card)
            event = {"seat": seat, "action": answers[seat], "drew": card is not None, "card": card}
            self.events.append({"event": "optional", **event})

    def _score(self) -> Generator[Question, Mapping[int, int], None]:
        for seat in range(self.n):
            self.columns[seat] += self.hands[seat]
        self.hands = [[] for _ in range(self.n)]
        seats = [Columns(self.columns[seat], self.collective, self.table, self.gone) for seat in range(self.n)]
        for seat, columns in enumerate(seats):  # F9: in seat order, then fruit order
            for rotten in columns.rotten():
                fruit = fruit_of(rotten)
                values, action = list(columns.candidates(fruit)), None
                value = values[0] if values else None
                if len(values) == 2:
                    self.rotten = fruit
                    answers = yield Question("rotten", {seat: [CANCEL_ONE, CANCEL_TWO]})
                    self.rotten = None
                    action = answers[seat]
                    value = {CANCEL_ONE: 1, CANCEL_TWO: 2}[action]
                removed = columns.cancel(rotten, value)
                if removed == "collective":
                    self.denied.add(seat)
                self.events.append(
                    {"event": "cancel", "seat": seat, "action": action, "fruit": fruit, "removed": removed}
                )
        self.points = [columns.points() for columns in seats]
        self.totals = [total + points for total, points in zip(self.totals, self.points, strict=True)]
        sums = [columns.sums() for columns in seats]
        self.events.append({"event": "round", "columns": sums, "points": self.points[:]})

    # ---- its end ---------------------------------------------------------------------------------------------------

    def shares(self) -> list[Fraction]:
        """F14: highest total, then the best third round, then shared."""
        assert self.over
        rank = list(zip(self.totals, self.points, strict=True))
        leaders = rank.count(max(rank))
        return [Fraction(own == max(rank), leaders) for own in rank]

    def rewards(self, reward: str = "win", scale: Fraction | int = 40) -> list[Fraction]:
        if reward == "win":
            return [(self.n * share - 1) / (self.n - 1) for share in self.shares()]
        total = sum(self.totals)
        return [(own - Fraction(total - own, self.n - 1)) / scale for own in self.totals]


def check_record(record: Mapping[str, Any]) -> Game:
    """Play a record again by the rules alone; AssertionError at the first thing that differs."""
    options, events = record["options"], record["events"]
    n = options["num_players"]
    deals = [Deal.of(event) for event in events if event["event"] == "deal"]
    for deal in deals:
        lying = [card for hand in deal.hands for card in hand] + [*deal.river, *deal.deck]
        assert sorted(lying) == list(range(80))
        assert [len(hand) for hand in deal.hands] == [HAND[n]] * n
        assert len(deal.river) == 7
    lots = {i + 1: e["fruit"] for i, e in enumerate(e for e in events if e["event"] == "collective")}

    def lot(number: int, fruits: Sequence[int]) -> int:
        assert lots[number] in fruits
        return int(lots[number])

    table = options.get("table")
    game = Game(
        n,
        deals.__getitem__,
        lot,
        options.get("tie_scope", "key"),
        options.get("collective_reuse", True),
        TABLE if table is None else kinds_of(table),
    )
    actions = iter([(event["seat"], event["action"]) for event in events if event.get("action") is not None])
    while not game.over:
        assert game.question is not None
        game.answer(dict(next(actions) for _ in game.question.asked))
    assert list(actions) == []
    assert [_ordered(event) for event in events] == [_ordered(event) for event in game.events]
    assert record["scores"] == game.totals
    rewards = game.rewards(options.get("reward", "win"), Fraction(options.get("margin_scale", 40)))
    assert all(abs(a - b) <= 1e-6 for a, b in zip(record["returns"], rewards, strict=True))
    return game


def kinds_of(table: Mapping[str, Any]) -> dict[int, str]:
    """The kind of each number in a card table."""
    return {number: kind for kind in ("single", "double", "rotten") for number in table[kind]}


def _ordered(event: Event) -> Event:
    """The order of the cards in a dealt hand means nothing."""
    return event | {"hands": [sorted(hand) for hand in event["hands"]]} if event["event"] == "deal" else event

"""Fruit Salad in plain Python, written from the rule text and its rulings alone: a second, independent opinion.

A game is told as one sequence: `Game.rules` runs through it and says before each event which one it expects, who is
asked and what is legal; then it hears the event and checks it. What chance decides it takes from the event, if that was
possible.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import resources
from typing import Any

FRUITS = ["watermelon", "strawberry", "orange", "pear"]
FRUIT_FACES = [*FRUITS, "any", "any"]
NUMBER_FACES = [4, 5, 6, 6, 7, 8]
CHOICES = ["wait", *FRUITS]
PLAYERS = (2, 3, 4, 5, 6)
PHASES = {"W0": "anticipation", "W1": "premature", "W2": "reaction"}

Event = dict[str, Any]


def default_deck() -> list[list[Any]]:
    text = (resources.files("fruit_envs.games.fruit_salad") / "cards.csv").read_text("utf-8")
    return [[*(int(row[fruit]) for fruit in FRUITS), row["minion"]] for row in csv.DictReader(text.splitlines())]


class Impossible(AssertionError):
    """An event that the rules do not allow."""


def require(condition: bool, event: Mapping[str, Any], why: str) -> None:
    if not condition:
        raise Impossible(f"{why}: {event}")


@dataclass
class Ask:
    """The event that comes next, and who decides it: seat -> legal action ids."""

    event: str
    asked: dict[int, set[int]] = field(default_factory=dict)
    phase: str | None = None


Told = Generator[Ask, Event, Any]


class Game:
    """One game.

    Parameters
    ----------
    options
        As in a record: absent ones have their defaults.
    sizes, numbers
        Of a shrunken game: the piles as dealt, the faces of the number die.
    """

    def __init__(
        self, options: Mapping[str, Any], sizes: Sequence[int] | None = None, numbers: Sequence[int] = NUMBER_FACES
    ) -> None:
        self.n = options["num_players"]
        self.windows = options.get("windows", "full")
        self.bulk = options.get("distribution", "each") == "bulk"
        self.last_window = options.get("last_card_window", False)
        self.max_reveals = options.get("max_reveals", 1000)
        self.reroll = options.get("reroll_each_round", True)
        self.goal = options.get("points_to_win", 4)
        self.early = options.get("early_seats", ())
        deck = options.get("deck", "assumed-v1")
        self.deck = default_deck() if isinstance(deck, str) else deck
        self.sizes, self.numbers = list(sizes or [60 // self.n] * self.n), list(numbers)
        self.piles: list[list[int]] = []  # the top card first, while the order is that of the deal
        self.ordered = [True] * self.n
        self.known: list[set[int]] = [set() for _ in range(self.n)]
        self.points: list[list[int]] = [[] for _ in range(self.n)]
        self.bowl: list[int] = []
        self.dice: list[Any] = [None, None]
        self.reveals = self.landed = 0
        self.turn = self.top = -1
        self.opened = False  # a bowl won lies open until all of it is given
        self.slap: Event | None = None
        self.given: dict[int, int] = {}
        self.winner: int | None = None
        self.over: str | None = None
        self.told = self.rules()
        self.ask: Ask | None = next(self.told)

    def hear(self, event: Event) -> None:
        """Check an event against the one expected, and go on."""
        if self.ask is None:
            raise Impossible(f"the game is over, got {event}")
        require(event.get("event") == self.ask.event, event, f"expected {self.ask}")
        try:
            self.ask = self.told.send(event)
        except StopIteration:
            self.ask = None

    # ---- the game ----------------------------------------------------------------------------------------------

    def rules(self) -> Told:
        deal = yield Ask("deal")
        self.piles = [list(pile) for pile in deal["piles"]]
        require([len(pile) for pile in self.piles] == self.sizes, deal, "S1: piles of other sizes")
        require(sorted(self.cards()) == list(range(sum(self.sizes))), deal, "every card once")
        self.turn = deal["starter"]
        require(0 <= self.turn < self.n, deal, "S2: a seat starts")
        slapper: int | None = self.turn
        while slapper is not None:
            self.turn = slapper
            self.landed, self.opened = 0, False
            if self.reroll or self.dice[0] is None:
                roll = yield Ask("roll")
                require(roll["fruit"] in FRUIT_FACES and roll["number"] in self.numbers, roll, "a face of each die")
                self.dice = [roll["fruit"], roll["number"]]
            slapper = yield from self.round()

    def round(self) -> Told:
        """Returns the slapper, or None when the game is over."""
        while True:
            armed: list[str] = []
            if self.windows == "full" and self.bowl:
                armed = yield from self.window("W0")
            land = yield Ask("land")
            self.land(land)
            if not self.piles[self.turn] and not self.last_window:
                return (yield from self.end("empty", self.turn))
            minion = self.deck[self.top][4]
            choices, early = armed, minion != "none"
            if not slappers(armed):
                early = False
                if minion != "none":
                    if self.windows != "lite":
                        choices = yield from self.window("W1")
                        early = bool(slappers(choices))
                    if not early:
                        self.roll_again((yield Ask("reroll")), minion)
                if not early:
                    choices = yield from self.window("W2")
            slapper = None
            if slappers(choices):
                slapper = yield from self.resolve(choices, early)
                if self.over:
                    return None
            if self.last_window and not self.piles[self.turn]:
                return (yield from self.end("empty", self.turn))
            if self.reveals == self.max_reveals:
                return (yield from self.end("truncated", None))
            if slapper is not None:
                require(not self.bowl, {}, "the bowl is empty after a round")
                return slapper
            self.turn = (self.turn + 1) % self.n

    def window(self, name: str) -> Generator[Ask, Event, list[str]]:
        legal = {0, *(1 + k for k, fruit in enumerate(FRUITS) if self.dice[0] in ("any", fruit))}
        event = yield Ask("window", dict.fromkeys(range(self.n), legal), PHASES[name])
        require(event["window"] == name, event, f"expected {name}")
        require(len(event["actions"]) == self.n and all(a in legal for a in event["actions"]), event, "S7, S8: legal")
        require(event["choices"] == [CHOICES[action] for action in event["actions"]], event, "choices are the actions")
        return list(event["choices"])

    def land(self, event: Event) -> None:
        seat, card = event["seat"], event["card"]
        require(seat == self.turn, event, f"it is the turn of seat {self.turn}")
        pile = self.piles[seat]
        require(pile[0] == card if self.ordered[seat] else card in pile, event, "S32: the card lies there")
        pile.remove(card)
        self.known[seat].discard(card)
        self.bowl.append(card)
        self.top = card
        self.landed += 1
        self.reveals += 1

    def roll_again(self, event: Event, minion: str) -> None:
        for die, (name, faces) in enumerate((("fruit", FRUIT_FACES), ("number", self.numbers))):
            if minion in (name, "both"):
                require(event[name] in faces, event, "S12: the die is rolled again")
                self.dice[die] = event[name]
            else:
                require(event[name] is None, event, "S12: the other die stays")

    def resolve(self, choices: list[str], early: bool) -> Told:
        event = yield Ask("slap")
        seat, fruit = event["seat"], event["fruit"]
        require(seat in slappers(choices) and choices[seat] == fruit, event, "one of those who slap is first")
        count = sum(self.deck[card][FRUITS.index(fruit)] for card in self.bowl)
        require((event["count"], event["needed"]) == (count, self.dice[1]), event, f"S9: {count} against {self.dice}")
        result = "automatic" if early else "win" if count >= self.dice[1] else "loss"
        require(event["result"] == result, event, f"it is a {result}")
        self.slap, self.given, self.landed = {**event, "top": self.top}, {}, 0
        if result != "win":
            self.receive(seat, self.bowl)
            self.bowl = []
            return seat
        self.opened = True
        keep = yield Ask("keep", {seat: {5 + card for card in self.bowl}}, "keep")
        card = keep["card"]
        require(keep["seat"] == seat and keep["action"] == 5 + card and card in self.bowl, keep, "S16")
        self.bowl.remove(card)
        self.points[seat].append(card)
        if len(self.points[seat]) == self.goal:
            return (yield from self.end("points", seat))
        yield from self.distribute(seat)
        return seat

    def distribute(self, seat: int) -> Told:
        to: int | None = None if self.n > 2 else 1 - seat
        everybody = {64 + k for k in range(1, self.n)}
        while self.bowl:
            asked = self.n > 2 and not (self.bulk and to is not None)
            give = yield Ask("give", {seat: everybody} if asked else {}, "give" if asked else None)
            card = min(self.bowl)
            require(give["seat"] == seat and give["card"] == card, give, "S17: ascending ids")
            if asked:
                require(give["action"] in everybody, give, "S17: to another seat")
                to = (seat + give["action"] - 64) % self.n
            else:
                require(give["action"] is None, give, "nothing is asked")
            require(give["to"] == to, give, f"it goes to seat {to}")
            self.bowl.remove(card)
            self.given[card] = give["to"]
            self.receive(give["to"], [card])

    def receive(self, seat: int, cards: Sequence[int]) -> None:
        self.piles[seat] += cards
        self.known[seat] |= set(cards)
        self.ordered[seat] = False

    def end(self, reason: str, winner: int | None) -> Told:
        self.over, self.winner = reason, winner
        event = yield Ask("end")
        require(event["reason"] == reason, event, f"it ends by {reason}")
        score = yield Ask("score")
        require(score["points"] == [len(cards) for cards in self.points], score, "point cards of each seat")
        require(score["scores"] == [float(share) for share in self.shares()], score, "win shares")
        return None

    # ---- what follows from it ----------------------------------------------------------------------------------

    def shares(self) -> list[Fraction]:
        return [Fraction(1, self.n) if self.winner is None else Fraction(seat == self.winner) for seat in range(self.n)]

    def cards(self) -> list[int]:
        """All cards, wherever they are."""
        return [card for place in (*self.piles, *self.points, self.bowl) for card in place]

    def totals(self) -> list[int]:
        return [sum(self.deck[card][k] for card in self.bowl) for k in range(4)]

    def facts(self, seat: int, committed: int | None, peek: int | None) -> dict[str, Any]:
        """What an observation of this seat must say."""
        order = [(seat + k) % self.n for k in range(self.n)]
        relative = {other: k for k, other in enumerate(order)}
        pieces, minion = self.deck[self.top][:4], self.deck[self.top][4]
        phase = None if self.ask is None else self.ask.phase
        slap = self.slap if self.landed < 2 else None
        holder = {card: relative[other] + 1 for other in range(self.n) for card in self.points[other]}
        given = {card: relative[other] + 1 for card, other in self.given.items()} if slap else {}
        facts: dict[str, Any] = {
            "phase": phase,
            "top": self.top,
            "top_pieces": list(pieces),
            "top_minion": {"none": [], "both": ["number", "fruit"]}.get(minion, [minion]),
            "first": int(self.landed == 1),
            "turn": relative[self.turn],
            "die_fruit": self.dice[0],
            "die_number": self.dice[1],
            "scores": [len(self.points[other]) for other in order],
            "points": [holder.get(card, 0) for card in range(60)],
            "pile": len(self.piles[seat]),
            "slapper": None if slap is None else relative[slap["seat"]],
            "slap_fruit": None if slap is None else slap["fruit"],
            "slap_count": 0 if slap is None else slap["count"],
            "slap_needed": 0 if slap is None else slap["needed"],
            "slap_result": None if slap is None else slap["result"],
            "slap_top": None if slap is None else slap["top"],
            "given": [given.get(card, 0) for card in range(60)],
            "open": sorted(self.bowl) if self.opened else [],
            "committed": 0 if committed is None else committed + 1,
            "bowl": sorted(self.bowl),
            "known": [sorted(self.known[other]) for other in order],
            "totals": self.totals(),
            "piles": [len(self.piles[other]) for other in order],
            "unseen": [len(self.piles[other]) - len(self.known[other]) for other in order],
            "reveals": self.reveals,
        }
        if self.early:
            facts["next"] = peek
        return facts


def slappers(choices: Sequence[str]) -> list[int]:
    return [seat for seat, choice in enumerate(choices) if choice != "wait"]


def check_record(record: Mapping[str, Any]) -> Game:
    """Whether the rules allow a record."""
    game = Game(record["options"])
    for event in record["events"]:
        game.hear(event)
    if game.ask is not None:
        raise Impossible(f"expected {game.ask}, got the end")
    shares = game.shares()
    if [Fraction(share).limit_denominator(60) for share in record["scores"]] != shares:
        raise Impossible(f"expected scores {shares}, got {record['scores']}")
    return game

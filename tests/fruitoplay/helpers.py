"""Between the engine and the oracle: built deals, both played side by side, what a seat's facts should be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

import fruit_envs
from fruit_envs import Game, State
from fruit_envs.engine.tape import Tape

from . import oracle
from .oracle import FRUITS, HAND, PLAYERS, Deal, card_id, fruit_of, number_of

every_count = pytest.mark.parametrize("players", PLAYERS)
every_scope = pytest.mark.parametrize("tie_scope", ["key", "all"])

#: Chooses the action of a seat that is asked.
Chooser = Callable[[oracle.Game, int], int]


@cache
def load(**options: Any) -> Game:
    """The game with these options (hashable ones), made once."""
    return fruit_envs.load("fruitoplay", **options)


def cards(text: str) -> list[int]:
    """Card ids of a text such as `B9 S10`."""
    return [card_id(word) for word in text.split()]


def deal(
    players: int,
    hands: Sequence[str] = (),
    river: str = "",
    deck: str = "",
    *,
    hand: int | None = None,
    avoid: str = "",
) -> Deal:
    """A deal with these cards in hands (the first ones of each), river and deck; the rest in ascending order.

    `avoid` names cards that go to the bottom of the deck.
    """
    size = HAND[players] if hand is None else hand
    named = [cards(text) for text in [*hands, *[""] * (players - len(hands))]]
    targets, top, last = cards(river), cards(deck), cards(avoid)
    used = {card for group in (*named, targets, top, last) for card in group}
    free = [card for card in range(80) if card not in used]
    for group, wanted in (*((held, size) for held in named), (targets, 7)):
        while len(group) < wanted:
            group.append(free.pop(0))
    made = Deal(tuple(map(tuple, named)), tuple(targets), (*top, *free, *last))
    lying = [card for group in (*made.hands, made.river, made.deck) for card in group]
    assert sorted(lying) == list(range(80))
    return made


def deal_event(made: Deal, number: int = 0) -> dict[str, Any]:
    """The record's event of a deal."""
    hands = [list(hand) for hand in made.hands]
    return {"event": "deal", "round": number, "hands": hands, "river": list(made.river), "deck": list(made.deck)}


def forced(game: Game, *deals: Deal) -> dict[tuple[int, int], int]:
    """The chance outcomes that make the engine deal these rounds one after the other."""
    found: dict[tuple[int, int], int] = game.text.outcomes(
        game.rules, [deal_event(made, number) for number, made in enumerate(deals)]
    )
    return found


def build(game: Game, made: Deal) -> State:
    """The engine's state of this deal."""
    return game.deal(0, outcomes=forced(game, made))


class Both:
    """The engine and the oracle playing the same game.

    Parameters
    ----------
    game
        With its options.
    deals
        Of the first rounds; later ones are random.
    seed
        Of what is random.
    """

    def __init__(self, game: Game, *deals: Deal, seed: int = 0) -> None:
        self.game, self.rng = game, random.Random(seed)
        n, options = game.num_players, game.options
        dealt = [*deals, *(oracle.random_deal(self.rng, n) for _ in range(3 - len(deals)))]
        self.forced = forced(game, *dealt)
        self.lots = {number: self.rng.randrange(2**16) for number in (1, 2)}
        table = oracle.TABLE
        if options["table"] is not None:
            table = oracle.kinds_of(options["table"])
        reuse = options["collective_reuse"]
        self.oracle = oracle.Game(n, dealt.__getitem__, self._lot, options["tie_scope"], reuse, table)
        self.tape = Tape(self.forced)
        self.state = game.deal(0, outcomes=self.forced)

    def _lot(self, number: int, fruits: list[int]) -> int:
        """Chance's choice of a fruit; the engine is told it."""
        place = self.lots[number] % len(fruits)
        self.forced[1, number] = place
        self.tape = Tape(self.forced)
        return fruits[place]

    def answer(self, actions: Mapping[int, int], order: Sequence[int] | None = None) -> None:
        """Both get the same answers; the engine in this order of seats, or in a random one."""
        seats = list(order or self.rng.sample(sorted(actions), len(actions)))
        self.oracle.answer(actions)  # first: it tells what chance is to choose
        for seat in seats:
            self.state.apply(seat, actions[seat], outcomes=self.tape)

    def play(self, choose: Chooser) -> None:
        """One window."""
        question = self.oracle.question
        assert question is not None
        self.answer({seat: choose(self.oracle, seat) for seat in question.asked})

    def turn(self, *names: str) -> None:
        """A turn with these cards, by seat (`-` where a hand is empty)."""
        self.answer({seat: card_id(name) for seat, name in enumerate(names) if name != "-"})

    def compare(self) -> None:
        """All that both know of the table."""
        compare(self.state, self.oracle)


def holdings(state: State) -> dict[str, Any]:
    """Where the engine has every card."""
    s, n = state.records[0], state.game.num_players
    place = s["place"]

    def at(value: int) -> list[int]:
        found: list[int] = np.flatnonzero(place == value).tolist()
        return found

    return {
        "hands": [at(seat) for seat in range(n)],
        "columns": [at(8 + seat) for seat in range(n)],
        "gone": at(16),
        "deck": s["deck"][int(s["next"]) :].tolist(),
        "river": [card for card in s["river"].tolist() if card != 255 and place[card] == 64],
    }


def conserved(held: Mapping[str, Any]) -> bool:
    """Whether every card is in exactly one place."""
    groups = [*held["hands"], *held["columns"], held["gone"], held["deck"], held["river"]]
    return sorted(card for group in groups for card in group) == list(range(80))


def compare(state: State, table: oracle.Game) -> None:
    """Cards, points, who is asked what."""
    assert state.over == table.over
    assert state.scores.tolist() == table.totals
    if table.over:
        return
    question = table.question
    assert question is not None
    held = holdings(state)
    assert held["hands"] == [sorted(hand) for hand in table.hands]
    assert held["columns"] == [sorted(laid) for laid in table.columns]
    assert held["gone"] == sorted(table.gone)
    assert held["deck"] == table.deck
    ahead = table.river[table.turn :] if question.phase in ("card", "collective") else []
    assert held["river"] == ahead
    assert conserved(held)
    assert state.seats == tuple(sorted(question.asked))
    for seat in range(table.n):
        assert state.legal_actions(seat) == question.asked.get(seat, [])


def facts(table: oracle.Game, seat: int, options: Mapping[str, Any], committed: int | None = None) -> dict[str, Any]:
    """What a seat's observation should hold in words, from what the oracle says a seat may know."""
    n, question = table.n, table.question
    around = [(seat + k) % n for k in range(n)]
    phase = question.phase if question else None
    river = table.river[table.turn :] if phase in ("card", "collective") else []
    river = river[:1] if options["river"] == "current" else river
    nothing: list[Any] = [None] * (7 - len(river))
    fruit, value = table.collective or (0, 0)
    found: dict[str, Any] = {
        "hand": sorted(table.hands[seat]),
        "laid": sorted(card for laid in table.columns for card in laid),
        "gone": sorted(table.gone),
        "river_fruit": [FRUITS[fruit_of(card)] for card in river] + nothing,
        "river_number": [number_of(card) for card in river] + [0] * len(nothing),
        "collective": [value * (f == fruit) for f in range(4)],
        "round": table.round,
        "phase": phase,
        "rotten": None if table.rotten is None else FRUITS[table.rotten],
        "turn": table.turn,
        "deck": len(table.deck),
        "barred": None if table.last_fruit is None else FRUITS[table.last_fruit],
        "columns": [_column_counts(table, other) for other in around],
        "hand_sizes": [len(table.hands[other]) for other in around],
        "asked": [int(question is not None and other in question.asked) for other in around],
        "denied": [int(other in table.denied) for other in around],
        "scores": [table.totals[other] for other in around],
        "points": [table.points[other] * table.over for other in around],
        "committed": 0 if committed is None else committed + 1,
    }
    if options["memory"] == "tabletop":
        del found["gone"]
    if options["collective_reuse"]:
        del found["barred"]
    return found


def _column_counts(table: oracle.Game, seat: int) -> list[list[int]]:
    laid = Counter((fruit_of(card), table.table[number_of(card)]) for card in table.columns[seat])
    return [[laid[fruit, kind] for kind in ("single", "double", "rotten")] for fruit in range(4)]


# ---- ways to play --------------------------------------------------------------------------------------------------


def anything(rng: random.Random) -> Chooser:
    return lambda table, seat: rng.choice(table.question.asked[seat])  # type: ignore[union-attr]


def closest(rng: random.Random, how_often: float = 0.8) -> Chooser:
    """Often the card whose number is closest to the target's, which makes ties likely; else anything."""

    def choose(table: oracle.Game, seat: int) -> int:
        assert table.question is not None
        options = table.question.asked[seat]
        if table.question.phase != "card" or rng.random() > how_often:
            return rng.choice(options)
        target = number_of(table.river[table.turn])
        return min(options, key=lambda card: abs(number_of(card) - target))

    return choose


def hoarding(rng: random.Random, favourite: int = 0) -> Chooser:
    """One seat tries to win all, the others to lose; everybody draws."""

    def choose(table: oracle.Game, seat: int) -> int:
        assert table.question is not None
        options = table.question.asked[seat]
        if table.question.phase != "card":
            return options[0] if rng.random() < 0.8 else options[-1]
        target = table.river[table.turn]

        def key(card: int) -> tuple[bool, int]:
            return fruit_of(card) != fruit_of(target), abs(number_of(card) - number_of(target))

        return min(options, key=key) if seat == favourite else max(options, key=key)

    return choose


def choosers(rng: random.Random) -> list[Chooser]:
    """Ways to play that lead to different kinds of tables."""
    return [anything(rng), closest(rng), hoarding(rng), closest(rng, 1.0)]


def at_the_end(
    held: str,
    collective: tuple[int, int] | None = None,
    others: Sequence[str] = ("",),
    *,
    number: int | None = None,
    totals: Sequence[int] | None = None,
    seed: int = 0,
    **options: Any,
) -> State:
    """The engine's state when a round's last optional draw has been declined and the seats hold these cards.

    Made by hand: all cards not named have left the round. With `number` that is a round of a whole game (from 0), else
    the game ends with the round of the collective card.
    """
    players = 1 + len(others)
    game = load(num_players=players, **options)
    if number is None:
        number = collective[1] if collective else 0
        rules = game.rules.copy()
        rules["rounds"] = number + 1
        game = Game("fruitoplay", rules=rules)
    state = game.deal(seed)
    s: Any = state.records[0]
    s["place"] = 16
    s["sizes"], s["deck"], s["next"] = 0, 255, 79
    s["deck"][79] = next(card for card in range(80) if card not in cards(" ".join([held, *others])))
    s["place"][s["deck"][79]] = 32
    for seat, text in enumerate((held, *others)):
        s["place"][cards(text)] = seat
        s["sizes"][seat] = len(cards(text))
    s["totals"][:players] = totals or [0] * players
    s["round_no"], s["turn"], s["phase"], s["winner"] = number, 6, 2, -1
    s["collective"] = s["barred"] = collective[0] if collective else -1
    s["asked"] = s["pending"] = (1 << players) - 1
    state = State(state.game, state.records)
    for seat in range(players):
        state.apply(seat, 81)
    return state

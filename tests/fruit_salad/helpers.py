"""Between the engine and the oracle: built deals, both played side by side, what a seat's facts should be."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

import fruit_envs
from fruit_envs import Game, State
from fruit_envs.engine.tape import Tape
from fruit_envs.games.fruit_salad.components import FIRST, FRUIT_DIE, NUMBER_DIE, START, mini_rules

from . import oracle
from .oracle import CHOICES, FRUIT_FACES, NUMBER_FACES, PLAYERS

every_count = pytest.mark.parametrize("players", PLAYERS)
every_window = pytest.mark.parametrize("windows", ["full", "reaction", "lite"])

#: Cards of `assumed-v1` by what they show.
W1_, S1_, O1_, P1_, W2_, S2_, O2_, P2_, W3_, S3_, O3_, P3_ = range(12)
NUMBER_CARD, FRUIT_CARD = 12, 30  # watermelon + strawberry, number minion; twice two of them, fruit minion


@cache
def load(**options: Any) -> Game:
    """The game with these options (hashable ones), made once."""
    return fruit_envs.load("fruit_salad", **options)


def mini(dealt: Sequence[int], **options: Any) -> Game:
    return Game("fruit_salad", rules=mini_rules(dealt, **options))


def piles(players: int, *tops: Sequence[int], sizes: Sequence[int] | None = None, cards: int = 60) -> list[list[int]]:
    """Piles with these cards on top, in order, filled up with the others in the order of their ids."""
    sizes = sizes or [cards // players] * players
    found = [list(tops[seat]) if seat < len(tops) else [] for seat in range(players)]
    free = [card for card in range(cards) if not any(card in pile for pile in found)]
    for pile, size in zip(found, sizes, strict=True):
        while len(pile) < size:
            pile.append(free.pop(0))
    return found


def deck_of(game: Game) -> list[list[Any]]:
    """The cards of a shrunken game, as rows of a deck."""
    rules = game.rules[0]
    pieces = rules["pieces"].reshape(60, 4)[: int(rules["cards"])].tolist()
    return [
        [*row, ("none", "number", "fruit", "both")[minion]]
        for row, minion in zip(pieces, rules["minion"], strict=False)
    ]


class Table:
    """The engine and the oracle playing the same game.

    Parameters
    ----------
    game
        With its options.
    dealt
        Piles, the top card first; as the seed deals them if not given.
    starter
        Who begins; by the seed if not given.
    dice
        (fruit, number) of the k-th roll of each die.
    firsts
        Which of the slappers is first, of the k-th slap, counted in seat order.
    told
        What the oracle is told besides of a game made from a rules record, which holds only some options.
    """

    def __init__(
        self,
        game: Game,
        dealt: Sequence[Sequence[int]] | None = None,
        starter: int | None = None,
        dice: Sequence[tuple[str, int]] = (),
        firsts: Sequence[int] = (),
        seed: int = 0,
        told: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        numbers = list(game.rules[0]["number_faces"])
        forced: dict[tuple[int, int], int] = {}
        if dealt is not None:
            deal = {"event": "deal", "piles": [list(pile) for pile in dealt], "starter": starter or 0}
            forced |= game.text.outcomes(game.rules, [deal])
        if starter is not None:
            forced[START, 0] = starter
        for k, (fruit, number) in enumerate(dice):
            forced[FRUIT_DIE, k], forced[NUMBER_DIE, k] = FRUIT_FACES.index(fruit), numbers.index(number)
        forced |= {(FIRST, k): first for k, first in enumerate(firsts)}
        self.tape = Tape(forced)
        self.state: State = game.deal(seed, outcomes=forced)
        sizes = game.rules[0]["dealt"][: game.num_players].tolist()
        known = {"deck": deck_of(game)} if game.custom else {}
        self.oracle = oracle.Game(game.options | known | dict(told or {}), sizes, [int(number) for number in numbers])
        self.events: list[dict[str, Any]] = []
        self.script: list[tuple[int, int]] = []
        self._hear(game.text.deal_events(self.state))

    def _hear(self, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in events:
            self.oracle.hear(event)
        self.events += events
        return list(events)

    def act(self, action: int, seat: int | None = None) -> list[dict[str, Any]]:
        """One decision, of the lowest seat that is asked; returns the events that it brings about."""
        seat = self.state.seat if seat is None else seat
        before = self.state.copy()
        self.state.apply(seat, action, outcomes=self.tape)
        self.script.append((seat, action))
        return self._hear(self.game.text.decision_events(before, seat, action, self.state))

    def window(self, *choices: str, name: str | None = None) -> list[dict[str, Any]]:
        """The choices of the first seats in the open window, the others wait; checks which window it is."""
        assert self.oracle.ask is not None
        assert name is None or self.phase == oracle.PHASES[name]
        events = []
        for seat in range(self.game.num_players):
            events += self.act(CHOICES.index(choices[seat]) if seat < len(choices) else 0, seat)
        return events

    def keep(self, card: int) -> list[dict[str, Any]]:
        return self.act(5 + card)

    def give(self, to: int) -> list[dict[str, Any]]:
        return self.act(64 + (to - self.state.seat) % self.game.num_players)

    @property
    def phase(self) -> str | None:
        return self.oracle.ask.phase if self.oracle.ask else None

    @property
    def s(self) -> Any:
        """The engine's record."""
        return self.state.records[0]

    def pile(self, seat: int) -> list[int]:
        """The true pile, its top card first."""
        return list(self.s["piles"][64 * seat :][: int(self.s["sizes"][seat])][::-1].tolist())

    # ---- comparing ---------------------------------------------------------------------------------------------

    def check(self, committed: Mapping[int, int] | None = None) -> None:
        """Who is asked, what is legal, every seat's facts, conservation, scores."""
        committed = committed or {}
        ask, n = self.oracle.ask, self.game.num_players
        asked = {} if ask is None else ask.asked
        assert self.state.seats == tuple(seat for seat in asked if seat not in committed)
        assert self.state.over == (ask is None)
        for seat in range(n):
            legal = set() if seat in committed else asked.get(seat, set())
            assert set(self.state.legal_actions(seat)) == legal
            peek = None
            if self.phase == "anticipation" and seat == self.oracle.turn and seat in self.oracle.early:
                peek = self.pile(seat)[0]
            facts = self.oracle.facts(seat, committed.get(seat), peek)
            seen = self.state.to_json(seat)
            assert seen == {name: facts[name] for name in seen}
            assert "bowl" in seen or self.game.options["memory"] == "tabletop"
        assert [sorted(self.pile(seat)) for seat in range(n)] == [sorted(pile) for pile in self.oracle.piles]
        assert sorted(self.oracle.cards()) == list(range(sum(self.oracle.sizes)))
        assert self.state.scores.tolist() == [len(cards) for cards in self.oracle.points]
        if self.state.over:
            assert self.state.shares.tolist() == pytest.approx([float(share) for share in self.oracle.shares()])

    def play(self, seed: int, slapping: float | None = None, step: int = 1) -> Iterator[str | None]:
        """Random play to the end, compared at every `step`-th decision; yields every phase.

        Parameters
        ----------
        slapping
            How often a seat slaps where the target is met; otherwise it seldom does. None: any action, equally likely.
        """
        rng = random.Random(seed)
        number = 0
        while self.state.seats:
            yield self.phase
            committed: dict[int, int] = {}
            for seat in rng.sample(self.state.seats, len(self.state.seats)):
                if number % step == 0:
                    self.check(committed)
                number += 1
                legal = self.state.legal_actions(seat)
                action = rng.choice(legal)
                if legal[0] == 0 and slapping is not None:
                    met = [a for a in legal[1:] if self.oracle.totals()[a - 1] >= self.oracle.dice[1]]
                    action = rng.choice(met or legal) if rng.random() < (slapping if met else 0.02) else 0
                self.act(action, seat)
                committed[seat] = action
        self.check()


def record_of(table: Table, **options: Any) -> dict[str, Any]:
    """A finished game as a record made by hand."""
    shares = [int(share) if share.denominator == 1 else float(share) for share in table.oracle.shares()]
    return {
        "format": "fruit-record-1",
        "game": "fruit_salad",
        "version": 0,
        "options": {"num_players": table.game.num_players, **options},
        "seed": None,
        "agents": ["hand"] * table.game.num_players,
        "events": table.events,
        "scores": shares,
        "returns": table.state.returns.tolist(),
    }


__all__ = [
    "CHOICES",
    "FRUIT_CARD",
    "NUMBER_CARD",
    "NUMBER_FACES",
    "O1_",
    "O2_",
    "O3_",
    "P1_",
    "P2_",
    "P3_",
    "S1_",
    "S2_",
    "S3_",
    "W1_",
    "W2_",
    "W3_",
    "Table",
    "every_count",
    "every_window",
    "load",
    "mini",
    "piles",
    "record_of",
]

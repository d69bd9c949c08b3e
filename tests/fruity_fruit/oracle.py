"""Fruity Fruit in plain Python, written from the rule text and its rulings alone: a second, independent opinion.

Cells are (row, column); placements are found by trying every tile in every turn on every cell.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

TABLE: dict[str, Any] = json.loads((resources.files("fruit_envs.games.fruity_fruit") / "table.json").read_text("utf-8"))
COLOURS = ["red", "green", "yellow", "blue"]
FRUITS = ["melon", "peach", "cherry", "apple", "orange", "grape"]
PLAYERS = (2, 3, 4)
HAND = {2: 18, 3: 12, 4: 9}
RED = 0

Cells = list[tuple[int, int]]
#: Tile, orientation, row, column.
Placement = tuple[int, int, int, int]
Event = dict[str, Any]


def colour_of(tile: int) -> int:
    return tile // 9


def value_of(tile: int) -> int:
    return tile % 9 + 1


def tile_id(text: str) -> int:
    """`R9` is the red tile of value 9."""
    return 9 * "RGYB".index(text[0]) + int(text[1]) - 1


def squared(cells: Cells) -> Cells:
    """Moved to the corner of the bounding box."""
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    return sorted((r - top, c - left) for r, c in cells)


def turned(cells: Cells) -> Cells:
    """A quarter turn clockwise: what was up points right."""
    return squared([(c, -r) for r, c in cells])


class Board:
    """The symbols, which tiles lie where, and what fits.

    Parameters
    ----------
    table
        As the data file.
    shapes
        "bars" or "mixed".
    first_tile
        "anywhere" or "centre".
    """

    def __init__(self, table: Mapping[str, Any], shapes: str, first_tile: str) -> None:
        self.symbols = {(r, c): mark for r, row in enumerate(table["board"]) for c, mark in enumerate(row)}
        self.first_tile = first_tile
        self.covered: dict[tuple[int, int], tuple[int, int]] = {}  # by (tile, seat)
        names = table[f"tile_shapes_{shapes}"]
        self.turns: list[list[Cells]] = []
        for colour in COLOURS:
            for name in names[colour] if isinstance(names, Mapping) else names:
                drawn = squared([tuple(cell) for cell in table["shapes"][name]])
                different: list[Cells] = []
                for _ in range(4):
                    if drawn not in different:
                        different.append(drawn)
                    drawn = turned(drawn)
                self.turns.append(different)

    def cells(self, placement: Placement) -> Cells:
        tile, turn, row, column = placement
        return [(row + r, column + c) for r, c in self.turns[tile][turn]]

    def allowed(self, cells: Cells) -> bool:
        """Y4, Y5."""
        if any(cell not in self.symbols or cell in self.covered for cell in cells):
            return False
        if not self.covered:
            return self.first_tile == "anywhere" or any(cell in [(4, 4), (4, 5), (5, 4), (5, 5)] for cell in cells)
        return any(
            beside in self.covered for r, c in cells for beside in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
        )

    def placements(self, tile: int) -> list[Placement]:
        """Every turn on every cell."""
        return [
            (tile, turn, row, column)
            for turn in range(len(self.turns[tile]))
            for row in range(10)
            for column in range(10)
            if self.allowed(self.cells((tile, turn, row, column)))
        ]

    def pairs(self) -> dict[Placement, int]:
        """The number of every pair of a tile and a place on the board."""
        every = [
            (tile, turn, row, column)
            for tile in range(36)
            for turn in range(len(self.turns[tile]))
            for row in range(10)
            for column in range(10)
            if all(cell in self.symbols for cell in self.cells((tile, turn, row, column)))
        ]
        return {placement: number for number, placement in enumerate(every)}


@dataclass
class Question:
    """What is asked of whom.

    `options` are scoring cards, placements or fruits.
    """

    kind: str
    seat: int
    options: list[Any]


class Game:
    """One game.

    Parameters
    ----------
    hands
        Tiles of each seat.
    starter
        Who begins.
    offer
        What each draft shows: (turn, deck) -> four cards of it.
    table, shapes, first_tile
        See `Board`.
    """

    def __init__(
        self,
        hands: Sequence[Sequence[int]],
        starter: int,
        offer: Callable[[int, list[int]], list[int]],
        shapes: str = "bars",
        first_tile: str = "anywhere",
        table: Mapping[str, Any] = TABLE,
    ) -> None:
        self.n = len(hands)
        self.table = table
        self.board = Board(table, shapes, first_tile)
        self.hands = [set(hand) for hand in hands]
        self.starter = self.leader = starter
        self.spaces = [4] * self.n
        self.baskets = [1] * self.n
        self.insects = [0] * self.n
        self.fruits: list[list[int]] = [[] for _ in range(self.n)]
        self.pot: list[int] = []
        self.cards: list[int | None] = [None] * self.n
        self.seen: list[list[int]] = [[] for _ in range(self.n)]
        #: Per seat the tiles that everybody knows it not to hold.
        self.ruled_out: list[set[int]] = [set() for _ in range(self.n)]
        self.trick: dict[int, int] = {}
        self.skipped: list[int] = []
        self.led: int | None = None
        self.over = False
        self.reason = ""
        self.events: list[Event] = []
        self.question: Question | None = None
        self._offer = offer
        self._play = self._game()
        self._next(None)

    def answer(self, choice: Any) -> None:
        assert self.question is not None
        assert choice in self.question.options
        self._next(choice)

    def _next(self, choice: Any) -> None:
        try:
            self.question = next(self._play) if choice is None else self._play.send(choice)
        except StopIteration:
            self.question = None
            self.over = True

    # ---- the game --------------------------------------------------------------------------------------------------

    def _game(self) -> Any:
        deck = list(range(9))
        for turn in range(self.n):  # Y2
            seat = (self.starter + turn) % self.n
            self.seen[seat] = sorted(self._offer(turn, deck))
            assert len(self.seen[seat]) == 4
            assert set(self.seen[seat]) <= set(deck)
            kept = yield Question("card", seat, self.seen[seat])
            self.cards[seat] = kept
            deck = [card for card in deck if card != kept]
            self.events.append({"event": "draft", "seat": seat, "seen": self.seen[seat], "kept": kept})
        while True:
            yield from self._trick()
            if any(not hand for hand in self.hands):  # Y14
                self.reason = "out of tiles"
                break
            if not any(self._fitting(tile) for hand in self.hands for tile in hand):
                self.reason = "no room"
                for seat in range(self.n):
                    self.ruled_out[seat] |= {tile for tile in range(36) if self._fitting(tile)}
                break
        self.events.append({"event": "end", "reason": self.reason})
        scores = self.scores()
        self.events.append({"event": "score", "removed": [self.removed(s) for s in range(self.n)], "scores": scores})

    def _fitting(self, tile: int) -> bool:
        return bool(self.board.placements(tile))

    def options(self, seat: int) -> list[Placement]:
        """Y6."""
        every = [placement for tile in sorted(self.hands[seat]) for placement in self.board.placements(tile)]
        following = [placement for placement in every if colour_of(placement[0]) == self.led]
        return following or every

    def _trick(self) -> Any:
        self.trick, self.skipped, self.led = {}, [], None
        for turn in range(self.n):
            seat = (self.leader + turn) % self.n
            options = self.options(seat)
            if not options:  # Y7
                self.skipped.append(seat)
                self.ruled_out[seat] |= {tile for tile in range(36) if self._fitting(tile)}
                self.events.append({"event": "skip", "seat": seat})
                continue
            placement = yield Question("tile", seat, options)
            self._place(seat, placement)
        winner = self.winner()
        self.events.append({"event": "trick", "lead": self.led, "winner": winner})
        if winner is None:  # Y10
            return
        self.leader = winner
        space = self.spaces[winner]
        if len(self.pot) > space and len(set(self.pot)) > 1:  # Y11
            for _ in range(space):
                fruit = yield Question("fruit", winner, sorted(set(self.pot)))
                self._take(winner, [fruit])
                self.events.append({"event": "pick", "seat": winner, "fruit": fruit})
        elif self.pot:
            taken = sorted(self.pot)[:space]
            self._take(winner, taken)
            self.events.append({"event": "take", "seat": winner, "fruits": taken})

    def _place(self, seat: int, placement: Placement) -> None:
        tile = placement[0]
        if self.led is None:
            self.led = colour_of(tile)
        elif colour_of(tile) != self.led:
            of_colour = [other for other in range(36) if colour_of(other) == self.led]
            self.ruled_out[seat] |= {other for other in of_colour if self._fitting(other)}
        cells = sorted(self.board.cells(placement))
        marks = [TABLE["symbols"][self.board.symbols[cell]] for cell in cells]
        fruits = sorted(FRUITS.index(mark) for mark in marks if mark in FRUITS)
        for cell in cells:
            self.board.covered[cell] = tile, seat
        self.hands[seat].remove(tile)
        self.trick[seat] = tile
        self.pot += fruits
        self.baskets[seat] += marks.count("basket")  # Y12
        self.spaces[seat] += 4 * marks.count("basket")
        self.insects[seat] += marks.count("insect")
        self.events.append(
            {
                "event": "place",
                "seat": seat,
                "placement": placement,
                "tile": tile,
                "cells": [list(cell) for cell in cells],
                "baskets": marks.count("basket"),
                "insects": marks.count("insect"),
                "fruits": fruits,
            }
        )

    def winner(self) -> int | None:
        """Y9."""
        eligible = {seat: tile for seat, tile in self.trick.items() if self.spaces[seat] > 0}
        for colour in (RED, self.led):
            values = {value_of(tile): seat for seat, tile in eligible.items() if colour_of(tile) == colour}
            if values:
                return values[max(values)]
        return None

    def _take(self, seat: int, fruits: list[int]) -> None:
        for fruit in fruits:
            self.pot.remove(fruit)
            self.fruits[seat].append(fruit)
            self.spaces[seat] -= 1
        assert self.spaces[seat] >= 0

    # ---- its end ---------------------------------------------------------------------------------------------------

    def worth(self, seat: int, fruit: int) -> int:
        return int(self.table["scoring_cards"][self.cards[seat]][fruit])

    def removed(self, seat: int) -> list[int]:
        """Y13."""
        best = sorted(self.fruits[seat], key=lambda fruit: (-self.worth(seat, fruit), fruit))
        return best[: self.insects[seat]]

    def scores(self) -> list[int]:
        found = []
        for seat in range(self.n):
            left = list(self.fruits[seat])
            for fruit in self.removed(seat):
                left.remove(fruit)
            found.append(sum(self.worth(seat, fruit) for fruit in left))
        return found

    def shares(self) -> list[Fraction]:
        """Y15."""
        scores = self.scores()
        return [Fraction(score == max(scores), scores.count(max(scores))) for score in scores]

    def rewards(self, reward: str = "win", scale: Fraction | int = 15) -> list[Fraction]:
        if reward == "win":
            return [(self.n * share - 1) / (self.n - 1) for share in self.shares()]
        scores = self.scores()
        return [(own - Fraction(sum(scores) - own, self.n - 1)) / scale for own in scores]


# ---- numbers of actions, deals, records ----------------------------------------------------------------------------


@cache
def pair_numbers(shapes: str) -> dict[Placement, int]:
    """Of the published table."""
    return Board(TABLE, shapes, "anywhere").pairs()


def action_ids(game: Game, mode: str, choice: Any, pairs: Mapping[Placement, int]) -> list[int]:
    """The ids of an answer: of a placement two in two_step mode."""
    assert game.question is not None
    places = 100 * max(len(turns) for turns in game.board.turns)
    cards = 36 + places if mode == "two_step" else len(pairs)
    if game.question.kind == "tile":
        tile, turn, row, column = choice
        return [tile, 36 + 100 * turn + 10 * row + column] if mode == "two_step" else [pairs[choice]]
    return [cards + choice if game.question.kind == "card" else cards + 9 + choice]


def random_hands(rng: random.Random, n: int) -> list[list[int]]:
    tiles = list(range(36))
    rng.shuffle(tiles)
    return [sorted(tiles[HAND[n] * seat : HAND[n] * (seat + 1)]) for seat in range(n)]


def check_record(record: Mapping[str, Any]) -> Game:
    """Play a record again by the rules alone; AssertionError at the first thing that differs."""
    options, events = record["options"], record["events"]
    n, mode, shapes = options["num_players"], options.get("action_mode", "two_step"), options.get("shapes", "bars")
    table = options.get("components") or TABLE
    deal, drafts = events[0], [event for event in events if event["event"] == "draft"]
    assert list(deal) == ["event", "starter", "hands"]
    assert sorted(tile for hand in deal["hands"] for tile in hand) == list(range(36))
    assert [len(hand) for hand in deal["hands"]] == [HAND[n]] * n
    assert all(hand == sorted(hand) for hand in deal["hands"])
    first = options.get("first_tile", "anywhere")
    game = Game(deal["hands"], deal["starter"], lambda turn, _deck: drafts[turn]["seen"], shapes, first, table)
    pairs = Board(table, shapes, first).pairs()
    expected: list[Event] = [deal]
    told = iter(event for event in events if "action" in event or "actions" in event)
    while not game.over:
        assert game.question is not None
        written, question, before = next(told), game.question, len(game.events)
        assert written["seat"] == question.seat
        given = written.get("actions", [written.get("action")])
        (choice,) = [c for c in question.options if action_ids(game, mode, c, pairs) == given]
        game.answer(choice)
        for event in game.events[before:]:
            now = dict(event)
            placement = now.pop("placement", None)
            if placement is not None:
                now = {"event": now.pop("event"), "seat": now.pop("seat"), "actions": given, **now}
            elif now["event"] in ("draft", "pick"):
                now = {"event": now.pop("event"), "seat": now.pop("seat"), "action": given[0], **now}
            expected.append(now)
    assert list(told) == []
    assert events == expected
    assert record["scores"] == game.scores()
    rewards = game.rewards(options.get("reward", "win"), Fraction(options.get("margin_scale", 15)))
    assert all(abs(a - b) <= 1e-6 for a, b in zip(record["returns"], rewards, strict=True))
    return game

"""Between the engine and the oracle: built deals, both played side by side, what a seat's facts should be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import pytest

import fruit_envs
from fruit_envs import Game, State
from fruit_envs.engine.tape import Tape

from . import oracle
from .oracle import COLOURS, FRUITS, HAND, PLAYERS, TABLE, colour_of, tile_id, value_of

every_count = pytest.mark.parametrize("players", PLAYERS)
every_shape = pytest.mark.parametrize("shapes", ["bars", "mixed"])
every_mode = pytest.mark.parametrize("mode", ["two_step", "single"])

MELON, PEACH, CHERRY, APPLE, ORANGE, GRAPE = range(6)

#: Chooses among the options of a question.
Chooser = Callable[[oracle.Game], Any]


@cache
def load(**options: Any) -> Game:
    """The game with these options (hashable ones), made once."""
    return fruit_envs.load("fruity_fruit", **options)


def tiles(text: str) -> list[int]:
    """Tile ids of a text such as `R9 G1`."""
    return [tile_id(word) for word in text.split()]


def hands(players: int, *named: str, size: int | None = None) -> list[list[int]]:
    """Hands with these tiles, filled up with the others in the order of their ids."""
    size = HAND[players] if size is None else size
    held = [tiles(text) for text in [*named, *[""] * (players - len(named))]]
    free = [tile for tile in range(36) if not any(tile in hand for hand in held)]
    for hand in held:
        while len(hand) < size:
            hand.append(free.pop(0))
    return [sorted(hand) for hand in held]


def numbered(game: Game) -> dict[oracle.Placement, int]:
    """The number of every pair, by the rules alone."""
    table = game.options["components"]
    if table is None:
        return oracle.pair_numbers(game.options["shapes"])
    return oracle.Board(table, game.options["shapes"], "anywhere").pairs()


class Both:
    """The engine and the oracle playing the same game.

    Parameters
    ----------
    game
        With its options.
    held
        Tiles of each seat; random if not given.
    starter
        Who begins; random if not given.
    seed
        Of what is random.
    """

    def __init__(
        self,
        game: Game,
        held: Sequence[Sequence[int]] | None = None,
        starter: int | None = None,
        seed: int = 0,
        offers: Sequence[Sequence[int]] = (),
    ) -> None:
        self.game, self.rng = game, random.Random(seed)
        n, options = game.num_players, game.options
        held = oracle.random_hands(self.rng, n) if held is None else held
        starter = self.rng.randrange(n) if starter is None else starter
        lots = [self.rng.sample(range(9 - turn), 4) for turn in range(n)]
        self.drafts: list[dict[str, Any]] = []

        def offer(turn: int, deck: list[int]) -> list[int]:
            return list(offers[turn]) if turn < len(offers) else [deck[place] for place in lots[turn]]

        self.table = TABLE if options["components"] is None else options["components"]
        self.oracle = oracle.Game(held, starter, offer, options["shapes"], options["first_tile"], self.table)
        self.pairs = numbered(game)
        self.deal = {"event": "deal", "starter": starter, "hands": [sorted(hand) for hand in held]}
        self.state = game.deal(0, outcomes=self._forced())
        self.script: list[tuple[int, int]] = []

    def _forced(self) -> dict[tuple[int, int], int]:
        """The chance outcomes so far, the cards that are offered now included."""
        drafts = [event for event in self.oracle.events if event["event"] == "draft"]
        question = self.oracle.question
        if question is not None and question.kind == "card":
            drafts = [*drafts, {"event": "draft", "seen": question.options, "kept": question.options[0]}]
        found: dict[tuple[int, int], int] = self.game.text.outcomes(self.game.rules, [self.deal, *drafts])
        return found

    def ids(self, choice: Any) -> list[int]:
        return oracle.action_ids(self.oracle, self.game.options["action_mode"], choice, self.pairs)

    def answer(self, choice: Any) -> None:
        """Both get the same answer; the engine in one or two steps."""
        question = self.oracle.question
        assert question is not None
        ids = self.ids(choice)
        self.oracle.answer(choice)
        for action in ids:
            assert self.state.seats == (question.seat,)
            outcomes = Tape(self._forced()) if question.kind == "card" else None
            self.state.apply(question.seat, action, outcomes=outcomes)
            self.script.append((question.seat, action))

    def play(self, choose: Chooser | None = None, until: str | None = None, limit: int = 1000) -> None:
        """Answers until the game is over, or something of this kind is asked."""
        for _ in range(limit):
            question = self.oracle.question
            if question is None or (until is not None and question.kind == until):
                return
            self.answer((choose or self.anything)(self.oracle))

    def anything(self, table: oracle.Game) -> Any:
        assert table.question is not None
        return self.rng.choice(table.question.options)

    def place(self, text: str, row: int, column: int, turn: int = 0) -> None:
        """The asked seat places this tile there."""
        self.answer((tile_id(text), turn, row, column))

    def rig(
        self,
        *,
        free: Sequence[tuple[int, int]] | None = None,
        pot: Sequence[int] = (),
        spaces: Mapping[int, int] | None = None,
        insects: Mapping[int, int] | None = None,
        fruits: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        """Change the table of both in the middle of a game; with `free` all other cells count as covered.

        The asked seat must still be able to place something.
        """
        game, s = self.oracle, self.state.records[0]
        if free is not None:
            for cell in game.board.symbols:
                if cell not in free:
                    game.board.covered.setdefault(cell, (-1, -1))
            s["free_low"], s["free_high"] = words([cell for cell in free if cell not in game.board.covered])
            s["placed"] = max(int(s["placed"]), 1)
            s["fits"] = sum(1 << tile for tile in range(36) if game.board.placements(tile))
        game.pot += pot
        for fruit in pot:
            s["pot"][fruit] += 1
        for seat, count in (spaces or {}).items():
            game.spaces[seat] = s["spaces"][seat] = count
        for seat, count in (insects or {}).items():
            game.insects[seat] = s["insects"][seat] = count
        for seat, held in (fruits or {}).items():
            game.fruits[seat] = list(held)
            s["fruits"][6 * seat : 6 * seat + 6] = [game.fruits[seat].count(fruit) for fruit in range(6)]
        self.state = State(self.game, self.state.records)
        if game.question is not None and game.question.kind == "tile":
            game.question.options[:] = game.options(game.question.seat)
            assert game.question.options

    def check_legal(self) -> None:
        """The engine's masks against every placement the oracle finds, both steps of two."""
        question = self.oracle.question
        for seat in range(self.game.num_players):
            if question is None or seat != question.seat:
                assert self.state.legal_actions(seat) == []
        if question is None:
            assert self.state.over
            return
        ids = [self.ids(choice) for choice in question.options]
        assert self.state.legal_actions(question.seat) == sorted({first for first, *_ in ids})
        if len(ids[0]) > 1:
            for tile in {first for first, _ in ids}:
                step = self.state.copy()
                step.apply(question.seat, tile)
                assert step.seats == (question.seat,)
                assert step.legal_actions(question.seat) == sorted(second for first, second in ids if first == tile)

    def compare(self) -> None:
        """All that both know."""
        game, s, n = self.oracle, self.state.records[0], self.game.num_players
        assert self.state.over == game.over
        assert [bits(s["hands"][seat]) for seat in range(n)] == [sorted(hand) for hand in game.hands]
        assert s["sizes"][:n].tolist() == [len(hand) for hand in game.hands]
        laid = {tile for tile, _ in game.board.covered.values()}
        assert bits(s["laid"]) == sorted(laid)
        assert sorted([*laid, *(tile for hand in game.hands for tile in hand)]) == list(range(36)), (
            "tiles are conserved"
        )
        if game.over:
            assert self.state.scores.tolist() == game.scores()
            assert self.state.shares.tolist() == pytest.approx([float(share) for share in game.shares()])
        for seat in range(n):
            assert self.state.to_json(seat) == facts(self, seat)


def started(*named: str, players: int = 2, starter: int = 0, mode: str = "two_step", **options: Any) -> Both:
    """A game whose draft is done; the hands begin with these tiles."""
    both = Both(load(num_players=players, action_mode=mode, **options), hands(players, *named), starter)
    both.play(until="tile")
    return both


def row(number: int, first: int = 0, last: int = 9) -> list[tuple[int, int]]:
    """Cells of one row."""
    return [(number, column) for column in range(first, last + 1)]


def bits(word: Any) -> list[int]:
    return [place for place in range(64) if int(word) >> place & 1]


def facts(both: Both, seat: int) -> dict[str, Any]:
    """What a seat's observation should hold in words, from what the oracle says a seat may know."""
    game, options, n = both.oracle, both.game.options, both.game.num_players
    around = [(seat + k) % n for k in range(n)]
    question, board = game.question, game.board
    kind = question.kind if question else None
    laid = {tile for tile, _ in board.covered.values()}

    def plane(shown: Callable[[tuple[int, int]], bool]) -> list[list[int]]:
        return [[int(shown((row, column))) for column in range(10)] for row in range(10)]

    def covered(cell: tuple[int, int]) -> tuple[int, int]:
        return board.covered.get(cell, (-1, -1))

    def seats(chosen: Sequence[int]) -> list[int]:
        return [int(other in chosen) for other in around]

    trick = [game.trick.get(other) for other in around]
    drafted = [other for other in range(n) if game.cards[other] is not None]
    found: dict[str, Any] = {
        "colour": [plane(lambda cell, c=c: colour_of(covered(cell)[0]) == c) for c in range(4)],
        "symbol": [plane(lambda cell, s=s: board.symbols[cell] == s and cell not in board.covered) for s in "MPCaogBX"],
        "owner": [plane(lambda cell, o=o: covered(cell)[1] == o) for o in around],
        "hand": [] if kind == "card" else sorted(game.hands[seat]),
        "laid": sorted(laid),
        "barred": [sorted(game.ruled_out[other] - laid) for other in around],
        "chosen": None,
        "card": game.cards[seat],
        "seen": game.seen[seat],
        "phase": kind,
        "led": None if game.led is None else COLOURS[game.led],
        "pot": [game.pot.count(fruit) for fruit in range(6)],
        "starter": around.index(game.starter),
        "asked": around.index(question.seat) if question else None,
        "leader": around.index(game.leader),
        "drafted": seats(drafted),
        "skipped": seats(game.skipped),
        "trick_colour": [None if tile is None else COLOURS[colour_of(tile)] for tile in trick],
        "trick_value": [0 if tile is None else value_of(tile) for tile in trick],
        "sizes": [len(game.hands[other]) for other in around],
        "spaces": [game.spaces[other] for other in around],
        "baskets": [game.baskets[other] for other in around],
        "insects": [game.insects[other] for other in around],
        "scores": [game.scores()[other] if game.over else 0 for other in around],
        "fruits": [[Counter(game.fruits[other])[fruit] for fruit in range(len(FRUITS))] for other in around],
    }
    if options["memory"] == "tabletop":
        del found["barred"], found["starter"]
        if kind != "card" or question is None or question.seat != seat:
            found["seen"] = []
    if options["action_mode"] == "single":
        del found["chosen"]
    return found


def every_deal(game: Game) -> list[State]:
    """One state per deal: starters, hands and, where there is a draft, what the first seat is offered."""
    tiles, hand, n = bits(game.rules[0]["tiles"]), int(game.rules[0]["hand"]), game.num_players

    def partitions(rest: list[int], seats: int) -> Iterator[list[list[int]]]:
        if not seats:
            yield []
            return
        for held in combinations(rest, hand):
            for others in partitions([tile for tile in rest if tile not in held], seats - 1):
                yield [list(held), *others]

    found: list[State] = []
    for hands in partitions(tiles, n):
        for starter in range(n):
            event = {"event": "deal", "starter": starter, "hands": hands}
            outcomes = game.text.outcomes(game.rules, [event])
            found += [state for _, state in game.deals(outcomes)]
    return found


# ---- ways to play --------------------------------------------------------------------------------------------------


def covering(both: Both, wanted: str, often: float = 0.9) -> Chooser:
    """Prefers to cover these symbols, which leads to many baskets or insects; else anything."""

    def choose(table: oracle.Game) -> Any:
        question = table.question
        assert question is not None
        if question.kind != "tile" or both.rng.random() > often:
            return both.rng.choice(question.options)
        few = both.rng.sample(question.options, min(40, len(question.options)))
        return max(few, key=lambda p: sum(table.board.symbols[cell] in wanted for cell in table.board.cells(p)))

    return choose


def choosers(both: Both) -> list[Chooser]:
    """Ways to play that lead to different kinds of tables."""
    return [both.anything, covering(both, "MPCaog"), covering(both, "X"), covering(both, "B"), covering(both, ".")]


def words(cells: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Cells as the two words of a board."""
    number = sum(1 << 10 * row + column for row, column in cells)
    return number & (1 << 50) - 1, number >> 50

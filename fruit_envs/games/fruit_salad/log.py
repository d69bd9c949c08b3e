"""Fruit Salad's records: the events of a game, and the chance outcomes that bring them about again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord, brief
from fruit_envs.declare.header import TRUNCATED
from fruit_envs.engine.tape import Outcomes, shuffle_outcomes
from fruit_envs.games.fruit_salad.components import (
    DEAL,
    FACE_NAMES,
    FIRST,
    FRUIT_DIE,
    GIVE,
    KEEP,
    NUMBER_DIE,
    SHUFFLE,
    START,
    WINDOWS,
)
from fruit_envs.games.fruit_salad.deck import FRUITS
from fruit_envs.games.fruit_salad.observation import RESULTS
from fruit_envs.games.fruit_salad.state import GIVING, KEEPING, STRIDE, W0, W1, W2

if TYPE_CHECKING:
    from fruit_envs.runtime.state import State

_CHOICES = ("wait", *FRUITS)
_LITE = WINDOWS.index("lite")


def record_scores(state: State) -> list[float]:
    """What a record tells as its scores: win shares. Victory points are in its last event."""
    shares: list[float] = state.shares.tolist()
    return shares


# ---- what has happened ---------------------------------------------------------------------------------------------


def deal_events(state: State) -> list[dict[str, Any]]:
    """The deal, the first roll, and the first card."""
    s, n = state.records[0], state.game.num_players
    starter = int(s["turn"])
    piles = [s["piles"][seat * STRIDE :][: int(s["sizes"][seat])][::-1].tolist() for seat in range(n)]
    piles[starter].insert(0, int(s["top"]))
    return [{"event": "deal", "piles": piles, "starter": starter}, *_landed(state, rolled=True)]


def decision_events(before: State, seat: int, action: int, after: State) -> list[dict[str, Any]]:
    """The events of one decision: none while a window stays open, else all that follows until the next decision."""
    b, a, n = before.records[0], after.records[0], before.game.num_players
    phase = int(b["phase"])
    if phase == KEEPING:
        return _kept(before, seat, action - KEEP, after)
    if phase == GIVING:
        to = (seat + action - GIVE) % n
        events = _gifts(before, seat, action, to, after)
        return events if len(events) < int(b["bowl"]).bit_count() else events + _next_round(before, after)
    if before.seats != (seat,):
        return []
    actions = [action if other == seat else int(b["chosen"][other]) for other in range(n)]
    choices = [_CHOICES[choice] for choice in actions]
    events = [{"event": "window", "window": ("W0", "W1", "W2")[phase], "choices": choices, "actions": actions}]
    slapped = a["slaps"] > b["slaps"]
    if phase == W0:
        turn = int(b["turn"])
        events.append(
            {"event": "land", "seat": turn, "card": int(b["piles"][turn * STRIDE + int(b["sizes"][turn]) - 1])}
        )
    if phase == W1 and not slapped:
        return [*events, _reroll(after)]
    if slapped:
        events.append(
            {
                "event": "slap",
                "seat": int(a["slapper"]),
                "fruit": FRUITS[int(a["named"])],
                "count": int(a["count"]),
                "needed": int(a["needed"]),
                "result": RESULTS[int(a["result"])],
            }
        )
        return events + ([] if a["phase"] == KEEPING else _next_round(before, after))
    if phase == W2 and a["reveals"] > b["reveals"]:
        return events + _landed(after, rolled=False)
    return events + _ended(after)


def _kept(before: State, seat: int, card: int, after: State) -> list[dict[str, Any]]:
    rest, won = int(before.records[0]["bowl"]) & ~(1 << card), after.scores[seat] >= after.game.rules[0]["goal"]
    kept = {"event": "keep", "seat": seat, "action": card + KEEP, "card": card}
    if won or (rest and after.game.num_players > 2):
        return [kept, *_ended(after)]
    return [kept, *_gifts(before, seat, None, 1 - seat, after), *_next_round(before, after)]


def _gifts(before: State, seat: int, action: int | None, to: int, after: State) -> list[dict[str, Any]]:
    """The cards that went to one seat: the first by this decision, the others with nothing asked (S17)."""
    bowl, given = int(before.records[0]["bowl"]), [int(s.records[0]["given"][to]) for s in (before, after)]
    events = []
    for card in _bits(given[1] & ~given[0] & bowl):
        events.append({"event": "give", "seat": seat, "action": action, "card": card, "to": to})
        action = None
    return events


def _next_round(before: State, after: State) -> list[dict[str, Any]]:
    """After a slap and all that follows from it: a roll and a card, or the end."""
    a = after.records[0]
    landed = a["landed"] == 1 and (a["reveals"] > before.records[0]["reveals"] + (before.records[0]["phase"] == W0))
    return _landed(after, rolled=bool(after.game.rules[0]["reroll"])) if landed else _ended(after)


def _landed(after: State, rolled: bool) -> list[dict[str, Any]]:
    """The last card that landed, after the roll of its round; a re-roll where no window comes before it."""
    a, rules = after.records[0], after.game.rules[0]
    events: list[dict[str, Any]] = []
    if rolled:
        fruit = FACE_NAMES[int(a["rolled_fruit"])]
        events.append({"event": "roll", "fruit": fruit, "number": int(a["rolled_number"])})
    events.append({"event": "land", "seat": int(a["turn"]), "card": int(a["top"])})
    if rules["windows"] == _LITE and rules["minion"][int(a["top"])] and not after.over:
        events.append(_reroll(after))
    return events + _ended(after)


def _reroll(after: State) -> dict[str, Any]:
    a = after.records[0]
    minion = int(after.game.rules[0]["minion"][int(a["top"])])
    fruit = FACE_NAMES[int(a["fruit"])] if minion & 2 else None
    return {"event": "reroll", "fruit": fruit, "number": int(a["number"]) if minion & 1 else None}


def _ended(after: State) -> list[dict[str, Any]]:
    if not after.over:
        return []
    s, rules = after.records[0], after.game.rules[0]
    if s["over"] == TRUNCATED:
        reason = "truncated"
    else:
        reason = "points" if s["scores"][int(s["winner"])] >= rules["goal"] else "empty"
    points = [int(score) for score in after.scores]
    shares = [int(share) if share.is_integer() else share for share in record_scores(after)]
    return [{"event": "end", "reason": reason}, {"event": "score", "points": points, "scores": shares}]


def _bits(word: int) -> list[int]:
    return [place for place in range(word.bit_length()) if word >> place & 1]


# ---- how to bring it about -----------------------------------------------------------------------------------------


class _Pile:
    """A seat's pile as far as events tell of it: the orders it has had, and what landed out of each."""

    def __init__(self, order: list[int]) -> None:
        #: Of each shuffle: how many cards came to the pile before it, which, and what landed after it.
        self.orders: list[tuple[list[int], list[int]]] = [(order, [])]
        self.coming: list[int] = []

    def land(self, card: Any) -> None:
        self.orders[-1][1].append(card)

    def shuffle(self) -> None:
        self.orders.append((self.coming, []))
        self.coming = []

    def outcomes(self, kind: int) -> dict[tuple[int, int], int]:
        """What makes every shuffle bring up the cards that landed after it; the others stay where they are."""
        forced: dict[tuple[int, int], int] = {}
        order, landed = self.orders[0]
        for number, (coming, after) in enumerate(self.orders[1:]):
            start = order[: max(0, len(order) - len(landed))] + coming
            up = [card for card in start if card in after]
            up.sort(key=after.index)
            order = [card for card in start if card not in up] + up[::-1]
            landed = after
            forced |= shuffle_outcomes(kind, start, order, STRIDE * number)
        return forced


def outcomes(rules: np.ndarray, events: Sequence[Mapping[str, Any]]) -> Outcomes:
    """The chance outcomes that give the deal, the rolls, the first slappers and the cards among these events.

    Where a pile is shuffled is known from the events, in which order only as far as its cards land before the next
    shuffle; the rest stays as it lies.

    Raises
    ------
    InvalidRecord
        If one of them is impossible.
    """
    forced: dict[tuple[int, int], int] = {}
    told = _Told(rules[0], forced)
    for event, following in _pairs(events):
        try:
            told.hear(event, following)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InvalidRecord(f"expected a possible {event['event']}, got {brief(dict(event))} ({error})") from error
    for seat, pile in enumerate(told.piles):
        forced |= pile.outcomes(SHUFFLE + seat)
    return forced


def _pairs(events: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Every event with the name of the one after it."""
    for number, event in enumerate(events):
        yield event, str(events[number + 1]["event"]) if number + 1 < len(events) else ""


class _Told:
    """A game as its events tell it."""

    def __init__(self, rules: Any, forced: dict[tuple[int, int], int]) -> None:
        self.rules, self.forced = rules, forced
        self.piles: list[_Pile] = []
        self.bowl: list[int] = []
        self.choices: list[Any] = []
        self.rolls = {FRUIT_DIE: 0, NUMBER_DIE: 0}
        self.slaps = 0

    def hear(self, event: Mapping[str, Any], following: str) -> None:
        what = event["event"]
        if what == "deal":
            self._deal(event)
        elif what in ("roll", "reroll"):
            self._roll(FRUIT_DIE, self.rules["fruit_faces"].tolist(), event["fruit"], FACE_NAMES.index)
            self._roll(NUMBER_DIE, self.rules["number_faces"].tolist(), event["number"], lambda number: number)
        elif what == "window":
            self.choices = event["choices"]
        elif what == "land":
            self.piles[event["seat"]].land(event["card"])
            self.bowl += [event["card"]] if type(event["card"]) is int else []
        elif what == "slap":
            self._slap(event)
        elif what in ("keep", "give"):
            self._leave(event)
            if what == "give" and following != "give":
                for pile in self.piles:
                    if pile.coming:
                        pile.shuffle()

    def _leave(self, event: Mapping[str, Any]) -> None:
        """A card leaves the bowl; one that is not there is for the replay to name, at the event that is wrong first."""
        if event["card"] in self.bowl:
            self.bowl.remove(event["card"])
            if event["event"] == "give":
                self.piles[event["to"]].coming.append(event["card"])

    def _deal(self, deal: Mapping[str, Any]) -> None:
        n = int(self.rules["num_players"])
        piles = [list(pile)[::-1] for pile in deal["piles"]]
        if [len(pile) for pile in piles] != self.rules["dealt"][:n].tolist():
            raise ValueError(f"piles of {self.rules['dealt'][:n].tolist()} cards")
        order, cards = [card for pile in piles for card in pile], list(range(int(self.rules["cards"])))
        if any(type(card) is not int for card in order) or sorted(order) != cards:
            raise ValueError(f"each of the {len(cards)} cards once")
        if type(deal["starter"]) is not int or not 0 <= deal["starter"] < n:
            raise ValueError(f"a starter 0..{n - 1}")
        self.forced |= {(START, 0): deal["starter"], **shuffle_outcomes(DEAL, cards, order)}
        self.piles = [_Pile(pile) for pile in piles]

    def _roll(self, die: int, faces: list[int], shown: Any, face_of: Any) -> None:
        if shown is not None:
            self.forced[die, self.rolls[die]] = faces.index(face_of(shown))
            self.rolls[die] += 1

    def _slap(self, slap: Mapping[str, Any]) -> None:
        slappers = [seat for seat, choice in enumerate(self.choices) if choice != "wait"]
        self.forced[FIRST, self.slaps] = slappers.index(slap["seat"])
        self.slaps += 1
        if slap["result"] != RESULTS[0]:
            pile = self.piles[slap["seat"]]
            pile.coming += sorted(self.bowl)
            pile.shuffle()
            self.bowl = []

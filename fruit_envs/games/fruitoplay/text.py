"""Fruitoplay in words: action names, the drawing of what a seat sees, the events of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord, brief
from fruit_envs.engine.memory import copy_records
from fruit_envs.engine.tape import Outcomes, shuffle_outcomes
from fruit_envs.games.fruitoplay.components import (
    CARDS,
    COLLECTIVE,
    DECK,
    FRUITS,
    KINDS,
    MAX_PLAYERS,
    TURNS,
    VALUES,
)
from fruit_envs.games.fruitoplay.rules import CHANCE_PER_ROUND
from fruit_envs.games.fruitoplay.state import ALONE, COLLECT, COLORS, NONE, OPTIONAL, PLAY, ROT

if TYPE_CHECKING:
    from fruit_envs.runtime.state import State


def card_name(rules: np.ndarray, card: int) -> str:
    """Such as `banana 9` or `fig 13 rotten`: fruit, number, and its kind where it is no single."""
    numbers = int(rules[0]["numbers"])
    kind = int(rules[0]["kind"][card])
    name = f"{FRUITS[card // numbers]} {card % numbers + 1}"
    return f"{name} {KINDS[kind]}" if kind else name


def action_names(rules: np.ndarray) -> list[str]:
    """The text of every action id."""
    cards = int(rules[0]["fruits"]) * int(rules[0]["numbers"])
    return [
        *(f"play {card_name(rules, card)}" for card in range(cards)),
        *(f"play card {card}, which is not in this game" for card in range(cards, CARDS)),
        "draw",
        "decline",
        *(f"choose {fruit}" for fruit in FRUITS),
        *(f"cancel a value {value}" for value in VALUES if value),
    ]


# ---- the drawing ---------------------------------------------------------------------------------------------------


def draw(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    n = len(facts["scores"])
    phase = facts["phase"]
    where = f"round {facts['round'] + 1} of {int(rules[0]['rounds'])}, turn {facts['turn'] + 1}"
    lines = [f"Fruitoplay · {where} · {_asked(facts)}", ""]
    targets = [
        f"{fruit} {number}"
        for fruit, number in zip(facts["river_fruit"], facts["river_number"], strict=True)
        if fruit is not None
    ]
    if targets:
        lines.append(f"  target  {' | '.join(targets)}")
    bonus = [f"+{value} {fruit}" for value, fruit in zip(facts["collective"], FRUITS, strict=True) if value]
    lines.append(f"  deck    {facts['deck']} cards" + "".join(f", collective {what}" for what in bonus))
    if phase == "rotten":
        lines.append(f"  rotten  {facts['rotten']}: a value 1 or a value 2 goes with it")
    lines.append("")
    for seat in range(n):
        name = "you" if seat == 0 else f"+{seat}"
        denied = ", without the collective card" if facts["denied"][seat] else ""
        last = f" (last round {facts['points'][seat]})" if phase is None else ""
        held = f"{facts['hand_sizes'][seat]} in hand"
        lines.append(f"  {name:>4}  {facts['scores'][seat]:>4} points{last}, {held}{denied}")
        for fruit, parts in zip(FRUITS, facts["columns"][seat], strict=True):
            if any(parts):
                what = ", ".join(f"{count} {kind}" for count, kind in zip(parts, KINDS, strict=True) if count)
                lines.append(f"          {fruit:<10} {what}")
    lines += ["", f"  hand    {_cards(rules, facts['hand'])}"]
    if facts["committed"]:
        lines.append(f"  chosen  {action_names(rules)[facts['committed'] - 1]}")
    lines.append(f"  laid    {_cards(rules, facts['laid'])}")
    if facts.get("barred"):
        lines.append(f"  barred  {facts['barred']} as the collective fruit")
    if "gone" in facts:
        lines.append(f"  gone    {_cards(rules, facts['gone'])}")
    return "\n".join(lines)


def _asked(facts: Mapping[str, Any]) -> str:
    what = {
        "collective": "chooses the collective fruit",
        "card": "choose a card",
        "draw": "may draw",
        "rotten": "cancels",
    }
    if facts["phase"] is None:
        return "game over"
    seats = ["you" if seat == 0 else f"+{seat}" for seat, asked in enumerate(facts["asked"]) if asked]
    return f"{', '.join(seats)}: {what[facts['phase']]}"


def _cards(rules: np.ndarray, cards: Sequence[int]) -> str:
    return ", ".join(card_name(rules, card) for card in cards) or "-"


# ---- records -------------------------------------------------------------------------------------------------------


def deal_events(state: State) -> list[dict[str, Any]]:
    """The events of a fresh round: its deal, and the collective card if chance has chosen it."""
    s, n, turns = state.records[0], state.game.num_players, int(state.game.rules[0]["turns"])
    deck = s["deck"][int(s["next"]) :]
    events: list[dict[str, Any]] = [
        {
            "event": "deal",
            "round": int(s["round_no"]),
            "hands": [np.flatnonzero(s["place"] == seat).tolist() for seat in range(n)],
            "river": s["river"][:turns].tolist(),
            "deck": deck[deck != NONE].tolist(),
        }
    ]
    if s["collective"] >= 0:
        events.append({"event": "collective", "fruit": int(s["collective"]), "seat": None, "action": None})
    return events


def decision_events(before: State, seat: int, action: int, after: State) -> list[dict[str, Any]]:
    """The events of one decision: none while a window stays open, else all that its end brings about."""
    b, phase = before.records[0], int(before.records[0]["phase"])
    if phase == COLLECT:
        fruit = int(after.records[0]["collective"])
        return [{"event": "collective", "fruit": fruit, "seat": seat, "action": action}]
    if phase in (PLAY, OPTIONAL) and before.seats != (seat,):
        return []
    dealt_again = after.records[0]["round_no"] != b["round_no"]
    ended = _without_next_round(before, seat, action) if dealt_again else after
    s, n, turn = ended.records[0], before.game.num_players, int(b["turn"])
    drawn = [_card(s["drawn"][other * TURNS + turn]) for other in range(n)]
    events: list[dict[str, Any]] = []
    if phase == PLAY:
        winner = int(s["winner"]) if s["winner"] >= 0 else None
        for other in range(n):
            card = _card(s["played"][turn * MAX_PLAYERS + other])
            events.append({"event": "play", "turn": turn, "seat": other, "action": card, "card": card})
        events.append({"event": "trick", "turn": turn, "target": int(s["river"][turn]), "winner": winner})
        draws = enumerate(drawn) if turn + 1 < before.game.rules[0]["turns"] else ()
        events += [{"event": "draw", "seat": other, "card": card} for other, card in draws if card is not None]
    elif phase == OPTIONAL:
        for other in [o for o in range(n) if b["asked"] >> o & 1]:
            answer = action if other == seat else int(b["chosen"][other])
            event = {"seat": other, "action": answer, "drew": drawn[other] is not None, "card": drawn[other]}
            events.append({"event": "optional", **event})
    events += _cancel_events(b, s, action if phase == ROT else None)
    if ended.over:
        sums = s["sums"][: n * COLORS].reshape(n, COLORS).tolist()
        events.append({"event": "round", "columns": sums, "points": s["points"][:n].tolist()})
    if after.over:
        totals = s["totals"][:n].tolist()
        events.append({"event": "score", "totals": totals, "scores": totals[:]})
    return events + (deal_events(after) if dealt_again else [])


def _card(card: Any) -> int | None:
    return None if card == NONE else int(card)


def _cancel_events(before: Any, after: Any, action: int | None) -> list[dict[str, Any]]:
    """The rotten cards resolved in between; the first of them by this decision, the others forced (F9)."""
    events: list[dict[str, Any]] = []
    for at in np.flatnonzero(after["resolved"] != before["resolved"]).tolist():
        removed = (None, "single", "double", "collective")[int(after["resolved"][at]) - ALONE]
        seat, fruit = divmod(at, COLORS)
        events.append({"event": "cancel", "seat": seat, "action": action, "fruit": fruit, "removed": removed})
        action = None
    return events


def _without_next_round(before: State, seat: int, action: int) -> State:
    """How a round stood when it ended, before the next one was dealt."""
    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import State

    rules = before.game.rules.copy()
    rules["rounds"] = int(before.records[0]["round_no"]) + 1
    ended = State(Game(before.game.name, rules=rules), copy_records(before.records))
    ended.apply(seat, action)
    return ended


def outcomes(rules: np.ndarray, events: Sequence[Mapping[str, Any]]) -> Outcomes:
    """The chance outcomes that give the deals and the drawn collective cards among these events.

    Raises
    ------
    InvalidRecord
        If one of them is impossible.
    """
    r = rules[0]
    forced: dict[tuple[int, int], int] = {}
    number, barred = -1, None
    for event in events:
        if event["event"] not in ("deal", "collective"):
            continue
        number += event["event"] == "deal"
        try:
            if not 0 <= number < int(r["rounds"]):
                raise ValueError(f"there are {int(r['rounds'])} rounds")
            if event["event"] == "deal":
                forced |= _deal_outcomes(r, event, CHANCE_PER_ROUND * number)
                continue
            fruits = [fruit for fruit in range(int(r["fruits"])) if r["reuse"] or fruit != barred]
            place = fruits.index(event["fruit"])
            if event["seat"] is None:
                forced[COLLECTIVE, number] = place
            barred = event["fruit"]
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            what = f"round {number}: expected a possible {event['event']}"
            raise InvalidRecord(f"{what}, got {brief(dict(event))} ({error})") from error
    return forced


def _deal_outcomes(rules: Any, deal: Mapping[str, Any], first: int) -> dict[tuple[int, int], int]:
    n, hand, turns = int(rules["num_players"]), int(rules["hand"]), int(rules["turns"])
    if [len(cards) for cards in deal["hands"]] != [hand] * n or len(deal["river"]) != turns:
        raise ValueError(f"{n} hands of {hand} cards and {turns} targets")
    order = [card for cards in deal["hands"] for card in cards] + [*deal["river"], *deal["deck"]]
    cards = list(range(int(rules["fruits"]) * int(rules["numbers"])))
    if any(type(card) is not int for card in order) or sorted(order) != cards:
        raise ValueError(f"each of the {len(cards)} cards once")
    return shuffle_outcomes(DECK, cards, order, first)


def normalised(event: dict[str, Any]) -> dict[str, Any]:
    """The event as replay compares it: the order of the cards in a hand means nothing."""
    if event["event"] != "deal" or not isinstance(event.get("hands"), list):
        return event
    return event | {"hands": [sorted(hand) if _numbers(hand) else hand for hand in event["hands"]]}


def _numbers(hand: Any) -> bool:
    return isinstance(hand, list) and all(type(card) is int for card in hand)

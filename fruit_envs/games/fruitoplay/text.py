"""Fruitoplay in words: action names, the drawing of what a seat sees, the events of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord, brief
from fruit_envs.declare.words import entry, listed, plural, result, seat_name, seats_named
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


def to_text(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    over = facts["phase"] is None
    where = f"round {facts['round'] + 1} of {int(rules[0]['rounds'])}, turn {facts['turn'] + 1}"
    lines = [f"Fruitoplay · {where} · {_asked(facts)}", ""]
    seen = zip(facts["river_fruit"], facts["river_number"], strict=True)
    targets = [f"{fruit} {number}" for fruit, number in seen if fruit is not None]
    if targets:
        lines += entry("target", targets[0])
    if targets[1:]:
        lines += entry("then", listed(targets[1:]))
    lines += entry("deck", plural(facts["deck"], "card"))
    bonus = [f"+{value} {fruit}" for value, fruit in zip(facts["collective"], FRUITS, strict=True) if value]
    if bonus:
        lines += entry("for all", f"{listed(bonus)} (the collective card)")
    if facts["phase"] == "rotten":
        lines += entry("rotten", f"{facts['rotten']}: a value 1 or a value 2 goes with it")
    lines.append("")
    for seat, score in enumerate(facts["scores"]):
        last = f" ({facts['points'][seat]} of them in the last round)" if over else ""
        held = "" if over else f", {plural(facts['hand_sizes'][seat], 'card')} in hand"
        denied = ", without the collective card" if facts["denied"][seat] else ""
        lines += entry(seat_name(seat), f"{plural(score, 'point')}{last}{held}{denied}")
        for fruit, parts in zip(FRUITS, facts["columns"][seat], strict=True):
            if any(parts):
                what = [f"{count} {kind}" for count, kind in zip(parts, KINDS, strict=True) if count]
                lines.append(f"          {fruit:<10} {', '.join(what)}")
    lines.append("")
    for label in ("hand", "laid", "gone"):
        if facts.get(label):
            lines += _cards(rules, label, facts[label])
    if facts["committed"]:
        lines += entry("chosen", action_names(rules)[facts["committed"] - 1])
    if facts.get("barred") and not over:
        lines += entry("barred", f"{facts['barred']} as the collective fruit")
    return "\n".join(lines + (_result(facts) if over else []))


def _asked(facts: Mapping[str, Any]) -> str:
    if facts["phase"] is None:
        return "game over"
    what = {
        "collective": "choose the collective fruit",
        "card": "play a card",
        "draw": "draw a card or not",
        "rotten": "cancel a value",
    }
    return f"{seats_named([seat for seat, asked in enumerate(facts['asked']) if asked])} to {what[facts['phase']]}"


def _cards(rules: np.ndarray, label: str, cards: Sequence[int]) -> list[str]:
    """The cards, a line or more for each fruit."""
    lines: list[str] = []
    names = [card_name(rules, card) for card in cards]
    for fruit in FRUITS:
        numbers = [name.removeprefix(f"{fruit} ") for name in names if name.startswith(f"{fruit} ")]
        if numbers:
            lines += entry(f"{'' if lines else label:<7} {fruit}", listed(numbers), 21)
    return lines


def _result(facts: Mapping[str, Any]) -> list[str]:
    """The highest total wins, then the last round tells (F14)."""
    ranks = list(zip(facts["scores"], facts["points"], strict=True))
    return result([seat for seat, rank in enumerate(ranks) if rank == max(ranks)], facts["scores"])


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

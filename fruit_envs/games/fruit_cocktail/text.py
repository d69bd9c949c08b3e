"""Fruit Cocktail in words: action names, the drawing of what a seat sees, the events of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord, brief
from fruit_envs.declare.words import entry, listed, plural, result, seat_name
from fruit_envs.engine.memory import copy_records
from fruit_envs.engine.tape import Outcomes, shuffle_outcomes
from fruit_envs.games.fruit_cocktail.components import CARD, FRUITS, HIDE, PEEK, START, TILE
from fruit_envs.games.fruit_cocktail.rules import CHANCE_PER_GAME, MAX_GAMES, MAX_PLAYERS

if TYPE_CHECKING:
    from fruit_envs.runtime.state import State


def card_name(rules: np.ndarray, card: int) -> str:
    """Such as `5: 3 cherry +0`: card id, pieces, fruit, value."""
    r = rules[0]
    return f"{card}: {r['pieces'][card]} {FRUITS[r['fruit'][card]]} {r['value'][card]:+d}"


def action_names(rules: np.ndarray) -> list[str]:
    """The text of every action id."""
    return [f"take {card_name(rules, card)}" for card in range(int(rules[0]["num_actions"]))]


# ---- the drawing ---------------------------------------------------------------------------------------------------


def to_text(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    r, mover = rules[0], facts["mover"]
    picks = int(r["columns"]) * (int(r["column_size"]) - 1)
    tied = f" · game {facts['game'] + 1}, after a tie" if facts.get("game") else ""
    turn = "game over" if mover is None else "your turn" if mover == "me" else f"{mover} to move"
    lines = [f"Fruit Cocktail · {facts['picks']} of {picks} cards taken{tied} · {turn}", ""]
    lines += [*_columns(rules, facts), ""]
    if any(facts["face_down"]):
        lines += entry("tiles", "in brackets: face down, but you know it; with a ?: face down")
    values = {fruits[0]: value for fruits, value in zip(facts["tiles"], facts["value"], strict=True) if fruits}
    worth = values if mover is None else None
    hidden_at = [position for position, down in enumerate(facts["face_down"]) if down]
    hands = _hands(rules, facts)
    for seat, hand in enumerate(hands):
        held = plural(facts["counts"][seat], "card") if hand is None else _pieces(hand, worth)
        if hidden_at and "peeked" in facts:
            held += f" (looked under {hidden_at[facts['peeked'][seat]]})"
        lines += entry(seat_name(seat), held)
    if facts.get("last_seat") is not None:
        taker = "you" if facts["last_seat"] == "me" else facts["last_seat"]
        lines += entry("last", f"{taker} took {card_name(rules, facts['last_card'])}")
    return "\n".join(lines if worth is None else lines + _result(hands, worth))


def _hands(rules: np.ndarray, facts: Mapping[str, Any]) -> list[dict[str, int] | None]:
    """The pieces of each fruit that each seat has taken; None where its cards do not show."""
    unseen = [None] * len(facts.get("counts", [0])[1:])
    hands: list[dict[str, int] | None] = []
    for cards in facts.get("held") or [facts["own"][0], *unseen]:
        pieces = dict.fromkeys(FRUITS, 0)
        for card in cards or ():
            pieces[FRUITS[rules[0]["fruit"][card]]] += int(rules[0]["pieces"][card])
        hands.append(None if cards is None else {fruit: count for fruit, count in pieces.items() if count})
    return hands


def _pieces(hand: Mapping[str, int], worth: Mapping[str, int] | None) -> str:
    """Such as `3 cherry, 1 apple`; at the end `3 cherry at +5, 1 apple at -1`."""
    return listed([f"{count} {fruit}" + (f" at {worth[fruit]:+d}" if worth else "") for fruit, count in hand.items()])


def _result(hands: Sequence[Mapping[str, int] | None], worth: Mapping[str, int]) -> list[str]:
    """Every piece is worth what was locked under its fruit."""
    scores = [sum(n * worth[fruit] for fruit, n in hand.items()) for hand in hands if hand is not None]
    if len(scores) < len(hands):
        hidden = entry("result", "does not show, because the others' cards do not")
        return [*hidden, *entry("points", f"{seat_name(0)}: {scores[0]}")]
    return result([seat for seat, score in enumerate(scores) if score == max(scores)], scores)


def columns_of(facts: Mapping[str, Any]) -> list[list[int]]:
    """The cards in the line by position, as far as the facts of an observation tell."""
    columns: list[list[int]] = [[] for _ in facts["tiles"]]
    known = {fruits[0]: p for p, fruits in enumerate(facts["tiles"]) if len(fruits) == 1}
    for card, fruits in enumerate(facts["line"]):
        if len(fruits) == 1:
            columns[known[fruits[0]]].append(card)
    hidden_at = [p for p, down in enumerate(facts["face_down"]) if down]
    for position, cards in zip(hidden_at, facts["hidden_columns"], strict=False):
        columns[position] = list(cards)
    return columns


def _columns(rules: np.ndarray, facts: Mapping[str, Any]) -> list[str]:
    """One line per position: its tile (as far as known, in brackets while it lies face down), locked value or cards."""
    positions = range(int(rules[0]["columns"]))
    tiles = ["? " + "/".join(fruits) if len(fruits) > 1 else fruits[0] for fruits in facts["tiles"][: len(positions)]]
    tiles = [f"({tiles[p]})" if facts["face_down"][p] and tiles[p][0] != "?" else tiles[p] for p in positions]
    columns = columns_of(facts)
    names = {card: card_name(rules, card) for column in columns for card in column}
    longest, widest = max(map(len, tiles)), max(map(len, names.values()), default=0)
    lines = []
    for p in positions:
        line = " | ".join(names[card].ljust(widest) for card in columns[p])
        if facts["locked"][p]:
            line = f"locked at {facts['value'][p]:+d}"
        lines.append(f"  {p}  {tiles[p]:<{longest}}  {line}")
    return [line.rstrip() for line in lines]


# ---- records -------------------------------------------------------------------------------------------------------


def deal_events(state: State) -> list[dict[str, Any]]:
    """The event of a fresh deal."""
    r, s = state.game.rules[0], state.records[0]
    columns, size, hidden = int(r["columns"]), int(r["column_size"]), int(r["hidden"])
    order = s["order"].tolist()
    hidden_at = s["hidden_at"][:hidden].tolist()
    peeks = s["peek"][: state.game.num_players].tolist()
    return [
        {
            "event": "deal",
            "tiles": s["tiles"][:columns].tolist(),
            "hidden": hidden_at,
            "columns": [order[p * size : (p + 1) * size] for p in range(columns)],
            "peeks": [None if h < 0 else hidden_at[h] for h in peeks],
            "starter": int(s["starter"]),
        }
    ]


def decision_events(before: State, seat: int, action: int, after: State) -> list[dict[str, Any]]:
    """The events of one take: the lock it causes, and at a game's end what is revealed and scored."""
    events: list[dict[str, Any]] = [{"event": "take", "seat": seat, "action": action, "card": action}]
    dealt_again = int(after.records[0]["game"]) != int(before.records[0]["game"])
    ended = _without_replay(before, seat, action) if dealt_again else after
    r, s = before.game.rules[0], ended.records[0]
    position = int(s["at"][action])
    if int(s["left"][position]) == 1:
        events.append({"event": "lock", "position": position, "card": int(s["locked"][position])})
    if ended.over:
        columns = int(r["columns"])
        tiles = s["tiles"][:columns].tolist()
        if int(r["hidden"]):
            events.append({"event": "reveal", "tiles": tiles})
        values = [0] * columns
        for p, fruit in enumerate(tiles):
            values[fruit] = int(r["value"][s["locked"][p]])
        events.append({"event": "score", "values": values, "scores": [int(x) for x in ended.scores]})
    return events + (deal_events(after) if dealt_again else [])


def _without_replay(before: State, seat: int, action: int) -> State:
    """How a tied game stood when it ended, before the next one was dealt (C13)."""
    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import State

    rules = before.game.rules.copy()
    rules["replay"] = 0
    ended = State(Game(before.game.name, rules=rules), copy_records(before.records))
    ended.apply(seat, action)
    return ended


def outcomes(rules: np.ndarray, events: Sequence[Mapping[str, Any]]) -> Outcomes:
    """The chance outcomes that give the deals among these events.

    Raises
    ------
    InvalidRecord
        If a deal is impossible.
    """
    forced: dict[tuple[int, int], int] = {}
    deals = [event for event in events if event["event"] == "deal"]
    if len(deals) > MAX_GAMES:
        raise InvalidRecord(f"expected at most {MAX_GAMES} deals, got {len(deals)}")
    for game, deal in enumerate(deals):
        try:
            forced |= _deal_outcomes(rules, deal, CHANCE_PER_GAME * game)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InvalidRecord(f"deal {game}: expected a possible deal, got {brief(dict(deal))} ({error})") from error
    return forced


def normalised(event: dict[str, Any]) -> dict[str, Any]:
    """The event as replay compares it: the order of the cards in a column means nothing."""
    if event["event"] != "deal" or not isinstance(event.get("columns"), list):
        return event
    return event | {"columns": [sorted(c) if _numbers(c) else c for c in event["columns"]]}


def _numbers(column: Any) -> bool:
    return isinstance(column, list) and all(type(card) is int for card in column)


def _deal_outcomes(rules: np.ndarray, deal: Mapping[str, Any], first: int) -> dict[tuple[int, int], int]:
    r = rules[0]
    columns, hidden, n = int(r["columns"]), int(r["hidden"]), int(r["num_players"])
    places = list(range(columns))
    cards = [card for column in deal["columns"] for card in column]
    forced = shuffle_outcomes(TILE, places, deal["tiles"], first)
    forced |= shuffle_outcomes(CARD, list(range(int(r["num_actions"]))), cards, first)
    forced |= shuffle_outcomes(HIDE, places, deal["hidden"], first)
    if first == 0:  # later games of a replayed tie start with the next seat (C13)
        forced[START, 0] = list(range(n)).index(deal["starter"])
    if not r["peeks"]:
        return forced
    peeks = [deal["hidden"].index(position) for position in deal["peeks"]]
    if n < MAX_PLAYERS:
        return forced | shuffle_outcomes(PEEK, list(range(hidden)), peeks, first)
    mates, ours = [s for s in range(1, n) if peeks[s] == peeks[0]], peeks[0]
    others = {h for h in peeks if h != ours}
    if len(mates) != 1 or len(others) != 1:
        raise ValueError(f"four seats look at two hidden tiles, two at each, got {brief(deal['peeks'])}")
    (mate,), (theirs,) = mates, others
    return forced | {(PEEK, first): mate - 1, (PEEK, first + 1): ours, (PEEK, first + 2): theirs - (theirs > ours)}

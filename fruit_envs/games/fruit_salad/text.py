"""Fruit Salad in words: action names, and the drawing of what a seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.declare.words import entry, listed, plural, result, seat_name
from fruit_envs.games.fruit_salad.components import KEEP
from fruit_envs.games.fruit_salad.deck import CARDS, FRUITS
from fruit_envs.games.fruit_salad.log import deal_events, decision_events, outcomes, record_scores
from fruit_envs.games.fruit_salad.observation import DICE
from fruit_envs.games.fruit_salad.rules import COLORS

__all__ = ["action_names", "card_name", "deal_events", "decision_events", "outcomes", "record_scores", "to_text"]


def card_name(rules: np.ndarray, card: int) -> str:
    """Such as `30: 2 watermelon 2 strawberry, fruit minion`: a deck may hold equal cards, so the id comes first."""
    pieces = rules[0]["pieces"][card * COLORS :][:COLORS].tolist()
    fruit = " ".join(f"{count} {name}" for count, name in zip(pieces, FRUITS, strict=True) if count)
    minions = [f", {die} minion" for bit, die in enumerate(DICE) if int(rules[0]["minion"][card]) >> bit & 1]
    return f"{card}: {fruit}{''.join(minions)}"


def action_names(rules: np.ndarray) -> list[str]:
    """The text of every action id."""
    cards = int(rules[0]["cards"])
    names = ["wait", *(f"slap {fruit}" for fruit in FRUITS)]
    names += [f"keep {card_name(rules, card)}" for card in range(cards)]
    names += [f"keep {card}, which is not in this game" for card in range(cards, CARDS)]
    assert len(names) == KEEP + CARDS
    return names + [f"give to +{place}" for place in range(1, int(rules[0]["num_players"]))]


#: How cards are told where they are many.
_LEGEND = (
    "43:3s1p is card 43 with 3 strawberry, 1 pear; w is watermelon, o orange; "
    "/n, /f, /nf: its minions roll the number, the fruit, both again"
)

# ---- the drawing ---------------------------------------------------------------------------------------------------


def to_text(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    over = facts["phase"] is None
    lines = [f"Fruit Salad · {_asked(facts)}", ""]
    lines += entry("dice", f"{facts['die_number']} of {facts['die_fruit']}")
    first = " (first card of the round)" if facts["first"] else ""
    lines += entry("top", f"{card_name(rules, facts['top'])}{first}")
    if facts.get("bowl"):
        totals = [f"{count} {fruit}" for count, fruit in zip(facts["totals"], FRUITS, strict=True) if count]
        lines += entry("bowl", f"{plural(len(facts['bowl']), 'card')}: {listed(totals)}")
    if facts.get("next") is not None:
        lines += entry("next", card_name(rules, facts["next"]))
    if facts["slapper"] is not None:
        lines += entry("slap", _slap(facts))
    if facts["open"]:
        lines += entry("open", _cards(rules, facts["open"]))
    if facts["committed"]:
        lines += entry("chosen", action_names(rules)[facts["committed"] - 1])
    lines.append("")
    short = bool(facts["open"])
    for seat, score in enumerate(facts["scores"]):
        lines += entry(seat_name(seat), f"{plural(score, 'point')}{_pile(facts, seat)}")
        for what, cards in (
            ("kept", [card for card, holder in enumerate(facts["points"]) if holder == seat + 1]),
            ("given", [card for card, holder in enumerate(facts["given"]) if holder == seat + 1]),
            ("known", facts["known"][seat] if "known" in facts else []),
        ):
            if cards:
                lines += entry(f"        {what}", _cards(rules, cards), 17)
                short = True
    if short:
        lines += ["", *entry("cards", _LEGEND)]
    return "\n".join(lines + (_result(rules, facts) if over else []))


def _cards(rules: np.ndarray, cards: Sequence[int]) -> str:
    return listed([_short(rules, card) for card in cards])


def _short(rules: np.ndarray, card: int) -> str:
    """Such as `30:2w2s/f`, see `_LEGEND`."""
    pieces = rules[0]["pieces"][card * COLORS :][:COLORS].tolist()
    fruit = "".join(f"{count}{name[0]}" for count, name in zip(pieces, FRUITS, strict=True) if count)
    minions = "".join(die[0] for bit, die in enumerate(DICE) if int(rules[0]["minion"][card]) >> bit & 1)
    return f"{card}:{fruit}/{minions}" if minions else f"{card}:{fruit}"


def _pile(facts: Mapping[str, Any], seat: int) -> str:
    """What shows of a seat's pile."""
    turn = ", whose card it is" if facts["turn"] == seat and facts["phase"] is not None else ""
    if "piles" in facts:
        return f", {plural(facts['piles'][seat], 'card')}, {facts['unseen'][seat]} of them unseen{turn}"
    return f", {plural(facts['pile'], 'card')}{turn}" if seat == 0 else turn


def _asked(facts: Mapping[str, Any]) -> str:
    phase = facts["phase"]
    if phase is None:
        return "game over"
    if phase in ("keep", "give"):
        what = "keep a card" if phase == "keep" else f"give card {min(facts['open'])} away"
        return f"{seat_name(facts['slapper'])} to {what}"
    when = {
        "anticipation": "before the next card lands",
        "premature": "before the dice are rolled again",
        "reaction": "now that the card has landed",
    }
    return f"all to slap or wait, {when[phase]}"


def _slap(facts: Mapping[str, Any]) -> str:
    what = {"win": "won", "loss": "too few", "automatic": "lost, before a re-roll"}[facts["slap_result"]]
    count = f"{facts['slap_count']} {facts['slap_fruit']} of {facts['slap_needed']}"
    return f"{seat_name(facts['slapper'])}: {count}, {what}, on card {facts['slap_top']}"


def _result(rules: np.ndarray, facts: Mapping[str, Any]) -> list[str]:
    """Points win, else an empty pile does, else the game was cut off (S21, S22, S28)."""
    scores = facts["scores"]
    winners = [seat for seat, score in enumerate(scores) if score >= rules[0]["goal"]]
    if not winners and "piles" in facts:
        winners = [seat for seat, size in enumerate(facts["piles"]) if size == 0]
    elif not winners and facts["pile"] == 0:
        winners = [0]
    if winners or "piles" in facts:
        return result(winners, scores)
    hidden = entry("result", "does not show: nobody has points enough, and the others' piles are not seen")
    return [*hidden, *result(winners, scores)[1:]]

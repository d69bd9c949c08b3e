"""Fruit Salad in words: action names, and the drawing of what a seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.games.fruit_salad.components import KEEP
from fruit_envs.games.fruit_salad.deck import CARDS, FRUITS
from fruit_envs.games.fruit_salad.log import deal_events, decision_events, outcomes, record_scores
from fruit_envs.games.fruit_salad.observation import DICE
from fruit_envs.games.fruit_salad.rules import COLORS

__all__ = ["action_names", "card_name", "deal_events", "decision_events", "draw", "outcomes", "record_scores"]


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


# ---- the drawing ---------------------------------------------------------------------------------------------------


def draw(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    lines = [f"Fruit Salad · {_asked(facts)}", ""]
    lines.append(f"  dice    {facts['die_number']} of {facts['die_fruit']}")
    first = " (first card of the round)" if facts["first"] else ""
    lines.append(f"  top     {card_name(rules, facts['top'])}{first}")
    if "bowl" in facts:
        total = ", ".join(f"{count} {fruit}" for count, fruit in zip(facts["totals"], FRUITS, strict=True) if count)
        lines.append(f"  bowl    {len(facts['bowl'])} cards: {total or '-'}")
    if facts.get("next") is not None:
        lines.append(f"  next    {card_name(rules, facts['next'])}")
    if facts["slapper"] is not None:
        lines.append(f"  slap    {_slap(facts)}")
    if facts["open"]:
        lines.append(f"  open    {_cards(rules, facts['open'])}")
    if facts["committed"]:
        lines.append(f"  chosen  {action_names(rules)[facts['committed'] - 1]}")
    lines.append("")
    for seat, score in enumerate(facts["scores"]):
        if "piles" in facts:
            pile = f", {facts['piles'][seat]} cards, {facts['unseen'][seat]} of them unseen"
        else:
            pile = f", {facts['pile']} cards" if seat == 0 else ""
        mark = ", turn" if facts["turn"] == seat else ""
        lines.append(f"  {_name(seat):>4}  {score} points{pile}{mark}")
        for what, cards in (
            ("kept", [card for card, holder in enumerate(facts["points"]) if holder == seat + 1]),
            ("given", [card for card, holder in enumerate(facts["given"]) if holder == seat + 1]),
            ("known", facts["known"][seat] if "known" in facts else []),
        ):
            if cards:
                lines.append(f"          {what}: {_cards(rules, cards)}")
    return "\n".join(lines)


def _name(seat: int) -> str:
    return "you" if seat == 0 else f"+{seat}"


def _asked(facts: Mapping[str, Any]) -> str:
    phase = facts["phase"]
    if phase is None:
        return "game over"
    if phase in ("keep", "give"):
        what = "keeps a card" if phase == "keep" else f"gives card {min(facts['open'])} away"
        return f"{_name(facts['slapper'])}: {what}"
    when = {
        "anticipation": "before the next card lands",
        "premature": "before the dice are rolled again",
        "reaction": "the card has landed",
    }
    return f"all: slap or wait, {when[phase]}"


def _slap(facts: Mapping[str, Any]) -> str:
    what = {"win": "won", "loss": "too few", "automatic": "before a re-roll"}[facts["slap_result"]]
    count = f"{facts['slap_count']} {facts['slap_fruit']} of {facts['slap_needed']}"
    return f"{_name(facts['slapper'])}: {count}, {what}, on card {facts['slap_top']}"


def _cards(rules: np.ndarray, cards: Sequence[int]) -> str:
    return " | ".join(card_name(rules, card) for card in cards)

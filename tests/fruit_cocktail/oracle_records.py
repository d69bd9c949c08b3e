"""The oracle's records: written, and played again, by the rules alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from .oracle_game import ASSUMED_V1, Chooser, Deal, Match, deck_of


def write_record(
    match: Match, choose: Chooser, options: Mapping[str, Any], seed: int | None = None, agent: str = "hand"
) -> dict[str, Any]:
    """Play a match to its end and write its record, without the engine."""
    events: list[dict[str, Any]] = []
    while True:
        table = match.table
        events.append(table.deal.event())
        while not table.over:
            seat, card = table.turn, choose(table)
            position = table.take(card)
            events.append({"event": "take", "seat": seat, "action": card, "card": card})
            if position is not None:
                events.append({"event": "lock", "position": position, "card": table.locked[position]})
        if table.deal.hidden:
            events.append({"event": "reveal", "tiles": list(table.deal.tiles)})
        worth = table.worth()
        events.append({"event": "score", "values": [worth[f] for f in range(8)], "scores": table.scores()})
        if match.over:
            break
        match.next_game()
    rewards = table.rewards(options.get("reward", "win"), Fraction(options.get("margin_scale", 20)))
    return {
        "format": "fruit-record-1",
        "game": "fruit_cocktail",
        "version": 0,
        "options": dict(options),
        "seed": seed,
        "agents": [agent] * table.players,
        "events": events,
        "scores": table.scores(),
        "returns": [float(reward) for reward in rewards],
    }


def check_record(record: Mapping[str, Any]) -> Match:
    """Play a record again by the rules alone; AssertionError at the first thing that differs.

    Returns
    -------
    Match
        The match as the rules say it went.
    """
    options = record["options"]
    players, mode = options["num_players"], options.get("mode", "base")
    rows = options.get("deck", "assumed-v1")
    deck = ASSUMED_V1 if rows == "assumed-v1" else deck_of(rows)
    events = record["events"]
    deals = [Deal.of(event) for event in events if event["event"] == "deal"]
    taken = iter([event["card"] for event in events if event["event"] == "take"])
    for deal in deals:
        assert not deal.faults(players, mode), deal.faults(players, mode)
    match = Match(lambda g, _starter: deals[g], deck, options.get("tie", "share") == "replay")
    expected = write_record(match, lambda _table: next(taken), options)
    assert events == expected["events"]
    assert len(match.games) == len(deals)
    assert list(taken) == []
    assert record["scores"] == expected["scores"]
    assert all(abs(a - b) <= 1e-6 for a, b in zip(record["returns"], expected["returns"], strict=True))
    return match

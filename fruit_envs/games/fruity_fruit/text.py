"""Fruity Fruit in words: action names, the drawing of what a seat sees, the events of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidRecord, brief
from fruit_envs.declare.words import entry, listed, plural, result, seat_name
from fruit_envs.engine.tape import Outcomes
from fruit_envs.games.fruity_fruit.components import (
    CELLS,
    DEAL,
    DRAWN,
    FIGURE_CELLS,
    HALF,
    MAX_TURNS,
    OFFER,
    START,
    TILES,
    bits,
    placements,
)
from fruit_envs.games.fruity_fruit.observation import SHOWN
from fruit_envs.games.fruity_fruit.state import (
    DRAFT,
    KINDS,
    MOVES_OF_SEAT,
    MOVES_OF_TILE,
    PICK,
    PLACE,
    TILE,
)
from fruit_envs.games.fruity_fruit.table import CARDS, COLOURS, FRUITS, SIDE, SYMBOLS, VALUES

if TYPE_CHECKING:
    from fruit_envs.runtime.state import State


#: How the board's symbols are drawn, in the order of `SHOWN`: capitals are tiles, and no letter means two things.
_SYMBOLS = "mpcaogux"


def tile_name(tile: int) -> str:
    """Such as `red 9`."""
    return f"{COLOURS[tile // VALUES]} {tile % VALUES + 1}"


def place_name(turn: int, row: int, column: int) -> str:
    """Such as `row 3 column 7`, with the quarter turns of the drawing if there are any."""
    turned = f" turned {90 * turn}" if turn else ""
    return f"row {row} column {column}{turned}"


def action_names(rules: np.ndarray) -> list[str]:
    """The text of every action id."""
    r = rules[0]
    if r["single"]:
        names = [
            f"{tile_name(tile)} on {place_name(turn, row, column)}"
            for tile in range(TILES)
            for turn, height, width in _orientations(r, tile)
            for row in range(SIDE + 1 - height)
            for column in range(SIDE + 1 - width)
        ]
    else:
        names = [f"tile {tile_name(tile)}" for tile in range(TILES)]
        names += [f"place on {place_name(p // CELLS, p // SIDE % SIDE, p % SIDE)}" for p in range(placements(rules))]
    return [*names, *(f"keep card {card}" for card in range(CARDS)), *(f"take {fruit}" for fruit in FRUITS)]


def _orientations(record: Any, tile: int) -> list[tuple[int, int, int]]:
    """(orientation, height, width) of a tile; none of one that a shrunken game lacks."""
    if not int(record["tiles"]) >> tile & 1:
        return []
    shape = int(record["shape_of"][tile])
    figures = [(turn, shape * MAX_TURNS + turn) for turn in range(int(record["turns"][shape]))]
    return [(turn, int(record["height"][at]), int(record["width"][at])) for turn, at in figures]


# ---- the drawing ---------------------------------------------------------------------------------------------------


def to_text(rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    """The table as one seat sees it, from the facts in its observation alone."""
    over = facts["phase"] is None
    lines = [f"Fruity Fruit · {_asked(facts)}", "", *_board(rules, facts), ""]
    lines += entry("middle", _fruit(facts["pot"]))
    if facts["led"] is not None and not over:
        lines += entry("led", facts["led"])
    for seat, fruit in enumerate(facts["fruits"]):
        lines += entry(seat_name(seat), _seat(facts, seat))
        if any(fruit):
            lines += entry("", f"holds {_fruit(fruit)}")
    if facts["card"] is not None:
        lines += entry("card", _card(rules, facts["card"]))
    elif facts["asked"] == 0:
        for number, card in enumerate(facts["seen"]):
            lines += entry("" if number else "offered", _card(rules, card))
    if facts["card"] is not None and facts["seen"]:
        lines += entry("seen", f"cards {listed([str(card) for card in facts['seen']])}")
    if facts["hand"]:
        lines += entry("hand", _tiles(facts["hand"]))
    if facts.get("chosen") is not None:
        lines += entry("chosen", tile_name(facts["chosen"]))
    for seat, tiles in enumerate(facts.get("barred", [])):
        if seat and tiles:
            lines += entry(seat_name(seat), f"holds none of {_tiles(tiles)}")
    return "\n".join(lines + (_result(facts["scores"]) if over else []))


def _board(rules: np.ndarray, facts: Mapping[str, Any]) -> list[str]:
    """The board with its legend; a cell shows its symbol, or the colour of a tile and, unless it is yours, whose."""
    rows, columns = range(int(rules[0]["rows"])), range(int(rules[0]["columns"]))
    lines = ["      " + "  ".join(f"{column:<2}" for column in columns)]
    lines += [f"  {row:>2}  " + " ".join(f"{_cell(facts, row, column):<3}" for column in columns) for row in rows]
    printed = [f"{letter} {what}" for letter, what in zip(_SYMBOLS, SHOWN, strict=True)]
    tiles = [f"{colour[0].upper()} {colour}" for colour in COLOURS]
    lines += ["", *entry("board", listed(printed))]
    lines += entry("tiles", f"{listed(tiles)}: yours; R{seat_name(1)} is one of {seat_name(1)}")
    return [line.rstrip() for line in lines]


def _cell(facts: Mapping[str, Any], row: int, column: int) -> str:
    for colour, plane in zip(COLOURS, facts["colour"], strict=True):
        if plane[row][column]:
            owner = next(seat for seat, plane in enumerate(facts["owner"]) if plane[row][column])
            return colour[0].upper() + (seat_name(owner) if owner else "")
    for letter, plane in zip(_SYMBOLS, facts["symbol"], strict=True):
        if plane[row][column]:
            return letter
    return "."


def _asked(facts: Mapping[str, Any]) -> str:
    if facts["phase"] is None:
        return "game over"
    what = {"card": "keep a scoring card", "tile": "choose a tile", "place": "place it", "fruit": "take a fruit"}
    return f"{seat_name(facts['asked'])} to {what[facts['phase']]}"


def _seat(facts: Mapping[str, Any], seat: int) -> str:
    """What one seat has, and what it has done in this trick."""
    spaces, baskets = plural(facts["spaces"][seat], "free space"), plural(facts["baskets"][seat], "basket")
    insects = f", {plural(facts['insects'][seat], 'insect')}" if facts["insects"][seat] else ""
    tiles = plural(facts["sizes"][seat], "tile")
    done = []
    if facts["phase"] == "card":
        done += ["has a scoring card"] * facts["drafted"][seat] + ["will lead"] * (facts["leader"] == seat)
    elif facts["phase"] is not None:
        done += ["leads"] * (facts["leader"] == seat) + ["could not place"] * facts["skipped"][seat]
        if facts["trick_colour"][seat] is not None:
            done.append(f"placed {facts['trick_colour'][seat]} {facts['trick_value'][seat]}")
    return f"{tiles}, {spaces} in {baskets}{insects}" + (f" ({listed(done)})" if done else "")


def _card(rules: np.ndarray, card: int) -> str:
    """Such as `1: melon 5, peach 3, cherry 1, apple 0, orange 4, grape 2`."""
    values = rules[0]["values"][card * KINDS :][:KINDS].tolist()
    return f"{card}: {listed([f'{fruit} {value}' for fruit, value in zip(FRUITS, values, strict=True)])}"


def _fruit(counts: Sequence[int]) -> str:
    return listed([f"{count} {fruit}" for count, fruit in zip(counts, FRUITS, strict=True) if count])


def _tiles(tiles: Sequence[int]) -> str:
    """Such as `red 4 5 6, blue 9`."""
    values = {colour: [tile % VALUES + 1 for tile in tiles if tile // VALUES == i] for i, colour in enumerate(COLOURS)}
    return listed([" ".join(map(str, (colour, *numbers))) for colour, numbers in values.items() if numbers])


def _result(scores: Sequence[int]) -> list[str]:
    """The highest score wins, a tie is shared (Y15)."""
    return result([seat for seat, score in enumerate(scores) if score == max(scores)], scores)


# ---- records -------------------------------------------------------------------------------------------------------


def _fruits(counts: Any) -> list[int]:
    """Counts of kinds as a list with repeats."""
    return [kind for kind, count in enumerate(counts) for _ in range(int(count))]


def deal_events(state: State) -> list[dict[str, Any]]:
    """The event of a deal; what follows it without a decision, in a game without a draft, is nothing."""
    s, n = state.records[0], state.game.num_players
    return [{"event": "deal", "starter": int(s["starter"]), "hands": [bits(s["hands"][seat]) for seat in range(n)]}]


def decision_events(before: State, seat: int, action: int, after: State) -> list[dict[str, Any]]:
    """The events of one decision: none where a tile is chosen, else all that follows until the next decision."""
    rules, b, a = before.game.rules[0], before.records[0], after.records[0]
    phase = int(b["phase"])
    if phase == DRAFT:
        kept = int(a["kept"][seat])
        return [{"event": "draft", "seat": seat, "action": action, "seen": bits(b["seen"][seat]), "kept": kept}]
    if phase == TILE and not rules["single"]:
        return []
    if phase == PICK:
        fruit = int(a["picks"][int(b["picked"])]) - 1
        events = [{"event": "pick", "seat": seat, "action": action, "fruit": fruit}]
        return events + ([] if a["to_pick"] else _after_trick(after))
    turn, n = int(b["turn"]) + 1, before.game.num_players
    placed = _place_event(before, seat, action, after)
    events = [placed]
    same = a["tricks"] == b["tricks"]
    skipped = range(turn, int(a["turn"]) if same else n)
    events += [{"event": "skip", "seat": (int(b["leader"]) + place) % n} for place in skipped]
    if same:
        return events
    lead = int(b["led"]) if b["led"] >= 0 else placed["tile"] // VALUES
    winner = int(a["winner"]) if a["winner"] >= 0 else None
    events.append({"event": "trick", "lead": lead, "winner": winner})
    if not after.over and a["phase"] == PICK:
        return events
    if winner is not None:
        kinds = slice(winner * KINDS, (winner + 1) * KINDS)
        taken = _fruits(a["fruits"][kinds].astype(int) - b["fruits"][kinds])
        if taken:
            events.append({"event": "take", "seat": winner, "fruits": taken})
    return events + _after_trick(after)


def _after_trick(after: State) -> list[dict[str, Any]]:
    """The end, or who could not place at the beginning of the next trick."""
    s, n = after.records[0], after.game.num_players
    if not after.over:
        return [{"event": "skip", "seat": (int(s["leader"]) + place) % n} for place in range(int(s["turn"]))]
    reason = "out of tiles" if (s["sizes"][:n] == 0).any() else "no room"
    removed = [_removed(after, seat) for seat in range(n)]
    scores = [int(score) for score in after.scores]
    return [{"event": "end", "reason": reason}, {"event": "score", "removed": removed, "scores": scores}]


def _removed(state: State, seat: int) -> list[int]:
    """The fruits that a seat's insects take away, best first (Y13)."""
    s = state.records[0]
    values = state.game.rules[0]["values"][int(s["kept"][seat]) * KINDS :][:KINDS].tolist()
    fruits = _fruits(s["fruits"][seat * KINDS : (seat + 1) * KINDS])
    return sorted(fruits, key=lambda fruit: (-values[fruit], fruit))[: int(s["insects"][seat])]


def _place_event(before: State, seat: int, action: int, after: State) -> dict[str, Any]:
    rules, b, a = before.game.rules[0], before.records[0], after.records[0]
    move = int(a["moves"][int(b["placed"])]) - 1 - seat * MOVES_OF_SEAT
    tile, place = divmod(move, MOVES_OF_TILE)
    turn, cell = divmod(place, CELLS)
    at = int(rules["shape_of"][tile]) * MAX_TURNS + turn
    cells = sorted({cell + int(offset) for offset in rules["offsets"][FIGURE_CELLS * at :][:FIGURE_CELLS]})
    shown = [symbol for covered in cells if (symbol := _symbol(rules, covered)) is not None]
    return {
        "event": "place",
        "seat": seat,
        "actions": [tile, action] if b["phase"] == PLACE else [action],
        "tile": tile,
        "cells": [list(divmod(covered, SIDE)) for covered in cells],
        "baskets": shown.count(SHOWN.index("basket")),
        "insects": shown.count(SHOWN.index("insect")),
        "fruits": sorted(symbol for symbol in shown if symbol < KINDS),
    }


def _symbol(rules: Any, cell: int) -> int | None:
    """What a cell of the empty board shows, by its place in SYMBOLS."""
    field, bit = ("symbol_low", cell) if cell < HALF else ("symbol_high", cell - HALF)
    return next((place for place in range(len(SYMBOLS)) if int(rules[field][place]) >> bit & 1), None)


def outcomes(rules: np.ndarray, events: Sequence[Mapping[str, Any]]) -> Outcomes:
    """The chance outcomes that give the deal and the drawn scoring cards among these events.

    Raises
    ------
    InvalidRecord
        If one of them is impossible.
    """
    r = rules[0]
    forced: dict[tuple[int, int], int] = {}
    deck, drafts = list(range(int(r["cards"]))), 0
    for event in events:
        if event["event"] not in ("deal", "draft"):
            continue
        try:
            if event["event"] == "deal":
                forced |= _deal_outcomes(r, event)
                continue
            if drafts >= int(r["num_players"]):
                raise ValueError(f"{int(r['num_players'])} seats draft")
            rest = deck[:]
            if len(event["seen"]) != int(r["drawn"]):
                raise ValueError(f"{int(r['drawn'])} cards are seen")
            for i, card in enumerate(event["seen"]):
                forced[OFFER, DRAWN * drafts + i] = rest.index(card)
                rest.remove(card)
            deck.remove(event["kept"])
            drafts += 1
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InvalidRecord(f"expected a possible {event['event']}, got {brief(dict(event))} ({error})") from error
    return forced


def _deal_outcomes(rules: Any, deal: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Y3: every tile goes to the first place left in its hand."""
    n, hand, tiles = int(rules["num_players"]), int(rules["hand"]), bits(rules["tiles"])
    lying = [tile for held in deal["hands"] for tile in held]
    if [len(held) for held in deal["hands"]] != [hand] * n:
        raise ValueError(f"{n} hands of {hand} tiles")
    if any(type(tile) is not int for tile in lying) or sorted(lying) != tiles:
        raise ValueError(f"each of the {len(tiles)} tiles once")
    if type(deal["starter"]) is not int or not 0 <= deal["starter"] < n:
        raise ValueError(f"a starter 0..{n - 1}")
    forced, room = {(START, 0): deal["starter"]}, [hand] * n
    for number, tile in enumerate(tiles):
        seat = next(seat for seat, held in enumerate(deal["hands"]) if tile in held)
        forced[DEAL, number] = sum(room[:seat])
        room[seat] -= 1
    return forced

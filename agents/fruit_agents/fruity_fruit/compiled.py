"""The compiled part of the heuristic for Fruity Fruit."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import count_bits, lowest_bit
from fruit_envs.engine.chance import CHOICE, draw_best, stream_of_key
from fruit_envs.engine.jit import Record, helper, loop
from fruit_envs.games.fruity_fruit.board import beside, cells_of, fit, touch
from fruit_envs.games.fruity_fruit.components import (
    BASKET,
    BASKETS,
    CELLS,
    HALF,
    INSECTS,
    MAX_TURNS,
    TILES,
)
from fruit_envs.games.fruity_fruit.rules import covered, options_of
from fruit_envs.games.fruity_fruit.scoring import best_kind
from fruit_envs.games.fruity_fruit.state import KINDS, PICK, PLACE, TILE
from fruit_envs.games.fruity_fruit.table import CARDS, SIDE, VALUES

ILLEGAL = -1e30

#: Points. What a basket, an insect, and all the room there is for tiles count.
BASKET_WORTH, INSECT_COST, ROOM_WORTH = 3.0, 4.0, 2.0


@helper
def _rank(tile: Any, led: Any) -> Any:
    """Y9: tiles of higher rank win; -1 for those that cannot."""
    colour = tile // VALUES
    if colour == 0:
        return VALUES + tile % VALUES
    return tile % VALUES if colour == led else np.int64(-1)


@helper
def _chance_to_win(rules: Record, state: Record, seat: Any, tile: Any, unseen: Any) -> Any:
    """That nobody beats the tile: what lies is known, each seat to come plays the better of two unseen tiles."""
    n = np.int64(rules.num_players)
    led = np.int64(state.led) if state.led >= 0 else tile // VALUES
    rank = _rank(tile, led)
    if rank < 0:
        return 0.0
    for other in range(n):
        if state.trick[other] >= 0 and state.spaces[other] > 0 and _rank(np.int64(state.trick[other]), led) > rank:
            return 0.0
    higher, rest = np.int64(0), unseen
    while rest:
        higher += np.int64(_rank(lowest_bit(rest), led) > rank)
        rest &= rest - 1
    beaten = higher / max(count_bits(unseen), np.int64(1))
    chance = 1.0
    for turn in range(np.int64(state.turn) + 1, n):
        if state.spaces[(np.int64(state.leader) + turn) % n] > 0:
            chance *= (1.0 - beaten) * (1.0 - beaten)
    return chance


@helper
def _room(rules: Record, hand: Any, unseen: Any, free_low: Any, free_high: Any, near_low: Any, near_high: Any) -> Any:
    """Legal placements left for a hand, against the mean of the rivals', between -1 and 1."""
    mine, theirs = np.int64(0), np.int64(0)
    for shape in range(np.int64(rules.shapes)):
        places = np.int64(0)
        for turn in range(np.int64(rules.turns[shape])):
            low, high = fit(rules, shape * MAX_TURNS + turn, free_low, free_high, near_low, near_high)
            places += count_bits(low) + count_bits(high)
        mine += places * count_bits(hand & np.int64(rules.tiles_of[shape]))
        theirs += places * count_bits(unseen & np.int64(rules.tiles_of[shape]))
    rivals = theirs / (np.int64(rules.num_players) - 1.0)
    return (mine - rivals) / (mine + rivals + 1.0)


@helper
def _value_placement(
    rules: Record,
    state: Record,
    seat: Any,
    tile: Any,
    turn: Any,
    cell: Any,
    chance: Any,
    baskets: Any,
    insects: Any,
    unseen: Any,
) -> Any:
    """What a placement is worth, in points; `baskets` and `insects` say whether these are looked at."""
    low, high = cells_of(rules, np.int64(rules.shape_of[tile]) * MAX_TURNS + turn, cell)
    gained = covered(rules, BASKETS, low, high)
    space = np.int64(state.spaces[seat]) + BASKET * gained
    own, rivals, counted = 0.0, 0.0, np.int64(0)
    left = space
    for _ in range(KINDS):
        best, worth = best_kind(rules, np.int64(state.kept[seat]), counted)
        counted |= 1 << best
        count = np.int64(state.pot[best]) + covered(rules, best, low, high)
        own += worth * min(count, left)
        left -= min(count, left)
        total = 0.0
        for other in range(CARDS):
            total += rules.values[other * KINDS + best]
        rivals += count * total / CARDS
    if space == 0:
        chance = 0.0
    value = chance * own - (1.0 - chance) * rivals / (np.int64(rules.num_players) - 1.0)
    if baskets:
        value += BASKET_WORTH * gained
    if insects:
        value -= INSECT_COST * covered(rules, INSECTS, low, high)
    free_low, free_high = np.int64(state.free_low) & ~low, np.int64(state.free_high) & ~high
    placed_low, placed_high = np.int64(rules.ground_low) & ~free_low, np.int64(rules.ground_high) & ~free_high
    near_low, near_high = beside(placed_low, placed_high)
    hand = np.int64(state.hands[seat]) & ~(np.int64(1) << tile)
    return value + ROOM_WORTH * _room(rules, hand, unseen, free_low, free_high, near_low, near_high)


@helper
def _value_tile(
    rules: Record, state: Record, seat: Any, tile: Any, baskets: Any, insects: Any, unseen: Any, values: Any
) -> Any:
    """The best value of the tile's placements; writes that of each one, except where only the tile is asked for."""
    free_low, free_high = np.int64(state.free_low), np.int64(state.free_high)
    near_low, near_high = touch(rules, state)
    chance = _chance_to_win(rules, state, seat, tile, unseen)
    shape, best = np.int64(rules.shape_of[tile]), ILLEGAL
    for turn in range(np.int64(rules.turns[shape])):
        figure = shape * MAX_TURNS + turn
        low, high = fit(rules, figure, free_low, free_high, near_low, near_high)
        width = SIDE + 1 - np.int64(rules.width[figure])
        for part in range(2):
            rest = high if part else low
            while rest:
                cell = lowest_bit(rest) + HALF * part
                rest &= rest - 1
                value = _value_placement(rules, state, seat, tile, turn, cell, chance, baskets, insects, unseen)
                best = max(best, value)
                if rules.single:
                    first = np.int64(rules.first_pair[tile * MAX_TURNS + turn])
                    values[first + width * (cell // SIDE) + cell % SIDE] = value
                elif state.phase == PLACE:
                    values[TILES + CELLS * turn + cell] = value
    return best


@helper
def _evaluate(rules: Record, state: Record, seat: Any, baskets: Any, insects: Any, values: Any) -> None:
    """The value of every action of the seat, which is asked."""
    for action in range(values.shape[0]):
        values[action] = ILLEGAL
    cards_at = np.int64(rules.cards_at)
    if state.phase == TILE or state.phase == PLACE:
        unseen = np.int64(rules.tiles) & ~np.int64(state.laid) & ~np.int64(state.hands[seat])
        tiles = options_of(state, seat) if state.phase == TILE else np.int64(1) << np.int64(state.chosen)
        while tiles:
            tile = lowest_bit(tiles)
            tiles &= tiles - 1
            best = _value_tile(rules, state, seat, tile, baskets, insects, unseen, values)
            if state.phase == TILE and not rules.single:
                values[tile] = best
    elif state.phase == PICK:
        for kind in range(KINDS):
            if state.pot[kind] > 0:
                values[cards_at + CARDS + kind] = rules.values[np.int64(state.kept[seat]) * KINDS + kind]
    else:
        for card in range(CARDS):
            if (np.int64(state.seen[seat]) >> card) & 1:
                worth = np.int64(0)
                for kind in range(KINDS):
                    low, high = np.int64(rules.symbol_low[kind]), np.int64(rules.symbol_high[kind])
                    worth += np.int64(rules.values[card * KINDS + kind]) * (count_bits(low) + count_bits(high))
                values[cards_at + card] = worth


@loop
def choose(
    rules: Any, states: Any, seats: Any, keys: Any, baskets: Any, insects: Any, values: Any, actions: Any
) -> None:
    """In every state the best action of a seat, ties broken by chance from the key; `values` keeps all values."""
    for i in range(actions.shape[0]):
        own = values[i]
        _evaluate(rules[0], states[i], seats[i], baskets, insects, own)
        actions[i] = draw_best(own, own.shape[0], stream_of_key(keys[i], CHOICE), 0)

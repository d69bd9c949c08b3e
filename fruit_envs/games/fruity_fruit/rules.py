"""The rules of Fruity Fruit over one record. Ruling ids (Y1 …) are explained in docs/games/fruity_fruit.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import TERMINATED
from fruit_envs.engine.bits import clear, count_bits, lowest_bit, spread_bits
from fruit_envs.engine.chance import chance
from fruit_envs.engine.jit import Record, helper, subroutine
from fruit_envs.games.fruity_fruit.board import cells_of, fit, fitting_tiles, touch, write_bits
from fruit_envs.games.fruity_fruit.components import (
    BASKET,
    BASKETS,
    CELLS,
    DEAL,
    DRAWN,
    HALF,
    INSECTS,
    MAX_PLAYERS,
    MAX_TURNS,
    OFFER,
    START,
    TILES,
)
from fruit_envs.games.fruity_fruit.knowledge import give, redraw_cards, redraw_hands
from fruit_envs.games.fruity_fruit.scoring import score_of
from fruit_envs.games.fruity_fruit.state import (
    COLOUR_TILES,
    DRAFT,
    KINDS,
    MOVES_OF_SEAT,
    MOVES_OF_TILE,
    PICK,
    PLACE,
    TILE,
    kernels,
)
from fruit_envs.games.fruity_fruit.table import CARDS, COLOURS, SIDE, VALUES

# ---- the draft -----------------------------------------------------------------------------------------------------


@helper
def _offer_cards(rules: Record, state: Record) -> None:
    """Y2: the next seat sees cards of the deck, which holds all but those kept so far."""
    turn = np.int64(state.drafted)
    seat = (np.int64(state.starter) + turn) % np.int64(rules.num_players)
    deck, seen = (1 << np.int64(rules.cards)) - 1, np.int64(0)
    for other in range(MAX_PLAYERS):
        if state.kept[other] >= 0:
            deck &= ~(1 << np.int64(state.kept[other]))
    for i in range(np.int64(rules.drawn)):
        rest = deck & ~seen
        for _ in range(chance(state, OFFER, DRAWN * turn + i, np.int64(rules.cards) - turn - i)):
            rest &= rest - 1
        seen |= rest & -rest
    state.seen[seat] = seen
    _ask(state, DRAFT, seat)


@subroutine
def _begin_play(rules: Record, state: Record) -> None:
    state.fits = fitting_tiles(rules, state)
    _ask_until_over(rules, state)


@helper
def _ask(state: Record, phase: Any, seat: Any) -> None:
    state.phase = phase
    state.pending = 1 << seat


# ---- a trick -------------------------------------------------------------------------------------------------------


@helper
def options_of(state: Record, seat: Any) -> Any:
    """The tiles that the seat may place: of the led colour if one of them fits (Y6, Y8), else any that fits."""
    fitting = np.int64(state.hands[seat]) & np.int64(state.fits)
    if state.led >= 0:
        following = fitting & (COLOUR_TILES << (VALUES * np.int64(state.led)))
        if following:
            return following
    return fitting


@helper
def _place(rules: Record, state: Record, seat: Any, tile: Any, turn: Any, cell: Any) -> None:
    """A tile comes to lie on the board (Y5); what it covers goes to the middle or to the seat (Y12)."""
    colour = tile // VALUES
    if state.led < 0:
        state.led = colour
    elif state.led != colour:  # Y6: had it held one of these it would have had to follow
        state.barred[seat] |= np.int64(state.fits) & (COLOUR_TILES << (VALUES * np.int64(state.led)))
    low, high = cells_of(rules, np.int64(rules.shape_of[tile]) * MAX_TURNS + turn, cell)
    for kind in range(KINDS):
        state.pot[kind] += covered(rules, kind, low, high)
    baskets = covered(rules, BASKETS, low, high)
    state.baskets[seat] += baskets
    state.spaces[seat] += BASKET * baskets
    state.insects[seat] += covered(rules, INSECTS, low, high)
    state.free_low &= ~low
    state.free_high &= ~high
    state.colour_low[colour] |= low
    state.colour_high[colour] |= high
    state.owner_low[seat] |= low
    state.owner_high[seat] |= high
    state.hands[seat] &= ~(np.int64(1) << tile)
    state.laid |= np.int64(1) << tile
    state.sizes[seat] -= 1
    state.trick[seat] = tile
    state.moves[np.int64(state.placed)] = 1 + seat * MOVES_OF_SEAT + tile * MOVES_OF_TILE + turn * CELLS + cell
    state.placed += 1
    state.turn += 1
    state.chosen = -1
    state.fits = fitting_tiles(rules, state)
    _ask_until_over(rules, state)


@helper
def covered(rules: Record, symbol: Any, low: Any, high: Any) -> Any:
    """How many of these cells show the symbol; they are free, so none has been taken before."""
    return count_bits(low & np.int64(rules.symbol_low[symbol])) + count_bits(high & np.int64(rules.symbol_high[symbol]))


@helper
def _ask_until_over(rules: Record, state: Record) -> None:
    """Ask the next seat that has something to decide."""
    while not _ask_next(rules, state):
        if _resolve(rules, state) or _ended(rules, state):
            return


@helper
def _ask_next(rules: Record, state: Record) -> Any:
    """Y7: the trick's next seat that can place is asked, those before it are skipped. False: the trick is over."""
    n = np.int64(rules.num_players)
    while state.turn < n:
        seat = (np.int64(state.leader) + np.int64(state.turn)) % n
        if np.int64(state.hands[seat]) & np.int64(state.fits):
            _ask(state, TILE, seat)
            return True
        state.barred[seat] |= state.fits
        state.skipped |= 1 << seat
        state.turn += 1
    return False


@subroutine
def _resolve(rules: Record, state: Record) -> Any:
    """Y9-Y11: who wins the trick and takes the fruit. True: the winner has to pick."""
    winner, best = np.int64(-1), np.int64(-1)
    for seat in range(np.int64(rules.num_players)):
        tile = np.int64(state.trick[seat])
        if tile >= 0 and state.spaces[seat] > 0:
            colour = tile // VALUES
            rank = tile % VALUES + VALUES * np.int64(colour == 0)
            if (colour == 0 or colour == state.led) and rank > best:
                winner, best = np.int64(seat), rank
    state.winner = winner
    state.tricks += 1
    if winner < 0:
        return False
    state.leader = winner
    total, kinds = np.int64(0), np.int64(0)
    for kind in range(KINDS):
        total += np.int64(state.pot[kind])
        kinds += np.int64(state.pot[kind] > 0)
    if total > state.spaces[winner] and kinds > 1:
        state.to_pick = state.spaces[winner]
        _ask(state, PICK, winner)
        return True
    for kind in range(KINDS):
        _take(state, winner, kind, min(np.int64(state.pot[kind]), np.int64(state.spaces[winner])))
    return False


@helper
def _take(state: Record, seat: Any, kind: Any, count: Any) -> None:
    state.pot[kind] -= count
    state.fruits[seat * KINDS + kind] += count
    state.spaces[seat] -= count


@helper
def _ended(rules: Record, state: Record) -> Any:
    """Y14: after a trick the game ends if a hand is empty, or nobody can place; else the next trick begins."""
    n, out, room = np.int64(rules.num_players), False, np.int64(0)
    for seat in range(n):
        out |= state.sizes[seat] == 0
        room |= np.int64(state.hands[seat]) & np.int64(state.fits)
    if out or not room:
        if not out:  # that nobody can place is seen by all
            for seat in range(n):
                state.barred[seat] |= state.fits
        state.over = TERMINATED
        state.pending = 0
        state.phase = TILE
        return True
    for seat in range(MAX_PLAYERS):
        state.trick[seat] = -1
    state.led = -1
    state.turn = state.skipped = 0
    return False


# ---- pairs of a tile and a place (Y21) -----------------------------------------------------------------------------


@helper
def _write_pairs(rules: Record, state: Record, options: Any, mask: Any) -> None:
    """Y21: the pairs of a tile among `options` and a place, into a mask of zeros."""
    free_low, free_high = np.int64(state.free_low), np.int64(state.free_high)
    near_low, near_high = touch(rules, state)
    for shape in range(np.int64(rules.shapes)):
        tiles = options & np.int64(rules.tiles_of[shape])
        for turn in range(np.int64(rules.turns[shape]) if tiles else 0):
            figure = shape * MAX_TURNS + turn
            low, high = fit(rules, figure, free_low, free_high, near_low, near_high)
            rows, width = SIDE + 1 - np.int64(rules.height[figure]), SIDE + 1 - np.int64(rules.width[figure])
            rest = tiles if low | high else np.int64(0)
            while rest:
                at = np.int64(rules.first_pair[lowest_bit(rest) * MAX_TURNS + turn])
                rest &= rest - 1
                for row in range(rows):
                    bits = (low >> (SIDE * row) if row < SIDE // 2 else high >> (SIDE * row - HALF)) & ((1 << SIDE) - 1)
                    if width * (rows - row) >= 16:  # what overshoots is one of this figure's later pairs
                        spread_bits(mask, at, bits)
                    else:
                        for column in range(width):
                            mask[at + column] = (bits >> column) & 1
                    at += width


@helper
def _place_pair(rules: Record, state: Record, seat: Any, pair: Any) -> None:
    """Y21: the placement of this number."""
    rest = np.int64(state.hands[seat])
    while rest:
        tile = lowest_bit(rest)
        rest &= rest - 1
        shape = np.int64(rules.shape_of[tile])
        for turn in range(np.int64(rules.turns[shape])):
            figure = shape * MAX_TURNS + turn
            width = SIDE + 1 - np.int64(rules.width[figure])
            place = pair - np.int64(rules.first_pair[tile * MAX_TURNS + turn])
            if 0 <= place < width * (SIDE + 1 - np.int64(rules.height[figure])):
                _place(rules, state, seat, tile, turn, SIDE * (place // width) + place % width)
                return


# ---- the contract --------------------------------------------------------------------------------------------------


@kernels
def deal(rules: Record, state: Record) -> None:
    n, hand = np.int64(rules.num_players), np.int64(rules.hand)
    state.free_low = rules.ground_low
    state.free_high = rules.ground_high
    for colour in range(len(COLOURS)):
        state.colour_low[colour] = state.colour_high[colour] = 0
    for seat in range(MAX_PLAYERS):
        state.owner_low[seat] = state.owner_high[seat] = 0
        state.hands[seat] = state.barred[seat] = 0
        state.seen[seat] = state.insects[seat] = 0
        state.kept[seat] = state.trick[seat] = -1
        state.sizes[seat] = hand * np.int64(seat < n)
        state.baskets[seat] = np.int64(seat < n)
        state.spaces[seat] = BASKET * np.int64(seat < n)
    state.laid = state.fits = 0
    for i in range(TILES):
        state.moves[i] = 0
    for i in range(MAX_PLAYERS * KINDS):
        state.fruits[i] = 0
    for kind in range(KINDS):
        state.pot[kind] = 0
    for i in range(CELLS):
        state.picks[i] = 0
    state.picked = state.to_pick = state.placed = state.tricks = 0
    state.drafted = state.turn = state.skipped = 0
    state.led = state.winner = state.chosen = -1
    state.starter = chance(state, START, 0, n)
    state.leader = state.starter
    left = n * hand
    for tile in range(TILES):  # Y3: each tile in turn to one of the places left in the hands
        if (np.int64(rules.tiles) >> tile) & 1:
            give(rules, state, tile, chance(state, DEAL, n * hand - left, left))
            left -= 1
    if rules.drawn:
        _offer_cards(rules, state)
    else:
        for seat in range(n):
            state.kept[seat] = 0
        state.drafted = n
        _begin_play(rules, state)


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    clear(mask, 0, np.int64(rules.num_actions))
    if not (np.int64(state.pending) >> seat) & 1:
        return
    cards_at = np.int64(rules.cards_at)
    if state.phase == TILE:
        options = options_of(state, seat)
        if rules.single:
            _write_pairs(rules, state, options, mask)
        else:
            for start in range(0, TILES, 16):
                spread_bits(mask, start, options >> start)
    elif state.phase == PLACE:
        free_low, free_high = np.int64(state.free_low), np.int64(state.free_high)
        near_low, near_high = touch(rules, state)
        shape = np.int64(rules.shape_of[np.int64(state.chosen)])
        for turn in range(np.int64(rules.turns[shape])):
            low, high = fit(rules, shape * MAX_TURNS + turn, free_low, free_high, near_low, near_high)
            write_bits(mask, TILES + CELLS * turn, low, high)
    elif state.phase == PICK:
        for kind in range(KINDS):
            mask[cards_at + CARDS + kind] = state.pot[kind] > 0
    else:
        for card in range(CARDS):
            mask[cards_at + card] = (np.int64(state.seen[seat]) >> card) & 1


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    if state.phase == TILE:
        if rules.single:
            _place_pair(rules, state, seat, action)
        else:
            state.chosen = action
            state.phase = PLACE
    elif state.phase == PLACE:
        place = np.int64(action - TILES)
        _place(rules, state, seat, np.int64(state.chosen), place // CELLS, place % CELLS)
    elif state.phase == PICK:
        kind = np.int64(action) - np.int64(rules.cards_at) - CARDS
        _take(state, seat, kind, 1)
        state.picks[np.int64(state.picked)] = kind + 1
        state.picked += 1
        state.to_pick -= 1
        if state.to_pick == 0 and not _ended(rules, state):
            _ask_until_over(rules, state)
    else:
        state.kept[seat] = np.int64(action) - np.int64(rules.cards_at)
        state.drafted += 1
        if state.drafted < rules.num_players:
            _offer_cards(rules, state)
        else:
            _begin_play(rules, state)


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    """What each seat's fruit is worth by its own card, insects counted."""
    for seat in range(np.int64(rules.num_players)):
        out[seat] = score_of(rules, state, seat)


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    """The highest score wins, a tie is shared (Y15)."""
    n, best, leaders = np.int64(rules.num_players), np.int64(-1), 0
    for seat in range(n):
        own = score_of(rules, state, seat)
        if own == best:
            leaders += 1
        elif own > best:
            best, leaders = own, 1
    for seat in range(n):
        out[seat] = 1.0 / leaders if score_of(rules, state, seat) == best else 0.0


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """Redraw hands and scoring cards (Y2, Y6, Y16), and withdraw a tile that another seat is about to place."""
    if state.phase == PLACE and not (np.int64(state.pending) >> seat) & 1:
        state.phase = TILE
        state.chosen = -1
        state.decisions -= 1
    used = redraw_hands(rules, state, seat, key)
    if rules.drawn:
        redraw_cards(rules, state, seat, key, used)

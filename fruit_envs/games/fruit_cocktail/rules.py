"""The rules of Fruit Cocktail over one record. Ruling ids (C1 …) are explained in docs/games/fruit_cocktail.md.

Positions number the line of tiles, and the column under each, from 0. A card never leaves its column's
position; `holder` says whether a seat has taken it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import HEADER, TERMINATED
from fruit_envs.engine.bits import clear, copy_bytes, lowest_bit, put8, set_byte
from fruit_envs.engine.chance import chance, draw_bit, mix, shuffle
from fruit_envs.engine.jit import Record, helper, subroutine, wrapping
from fruit_envs.engine.kernels import Kernels
from fruit_envs.games.fruit_cocktail.components import CARD, CARDS, COLUMNS, HIDDEN, HIDE, PEEK, RULES, START, TILE

MAX_PLAYERS, MAX_PICKS = 4, 16
MAX_GAMES = 10  # C13: a tied tenth game is shared
CHANCE_PER_GAME = 64  # indices of chance events set aside for each game of an episode

# Fields are unsigned where -1 means nothing to them: compiled indexing by them then needs no sign check.
STATE = np.dtype(
    [
        *HEADER,
        ("past", np.uint64),  # digest of the tied games before this one (C13)
        ("starter", np.uint8),
        ("picks", np.uint8),
        ("game", np.uint8),  # tied games before this one
        ("tiles", np.uint8, (COLUMNS,)),  # fruit of the tile at each position
        ("hidden_at", np.uint8, (HIDDEN,)),  # ascending positions of the hidden tiles
        ("peek", np.int8, (MAX_PLAYERS,)),  # which hidden tile (0..2) each seat has seen, or -1
        ("order", np.uint8, (CARDS,)),  # card ids by position: column p holds order[p * column_size:][:column_size]
        ("at", np.uint8, (CARDS,)),  # position of each card
        ("here", np.int8, (CARDS,)),  # 1: in the line, locked or not
        ("free", np.int8, (CARDS,)),  # 1: may be taken now
        ("holder", np.int8, (CARDS,)),  # seat that took the card, or -1
        ("history", np.uint8, (MAX_PICKS,)),  # cards in the order taken, 0 where none yet
        ("pieces", np.int8, (MAX_PLAYERS * COLUMNS,)),  # of each fruit, seat by seat
        ("left", np.uint8, (COLUMNS,)),  # cards left in each column
        ("locked", np.int8, (COLUMNS,)),  # the card locked under each tile, or -1
        # Parts of the observation that all seats share, kept as they are shown there:
        ("seen", np.int8, (COLUMNS * COLUMNS,)),  # position by fruit: the face-up tiles
        ("face_down", np.int8, (COLUMNS,)),  # 1: hidden, until the end
        ("veiled", np.int8, (HIDDEN * CARDS,)),  # hidden tile by card: the cards dealt under it
        ("closed", np.int8, (COLUMNS,)),  # 1: locked
        ("value", np.int8, (COLUMNS,)),  # the locked card's value, 0 where none is
        ("held", np.int8, (MAX_PLAYERS * CARDS,)),  # 1 where a seat holds a card, seat by seat
    ],
    align=True,
)

_ONE, _THREE = np.uint64(1), np.uint64(3)

# Eight bytes at once: 0 to 7; all 1; all -1.
_COUNTING, _ONES, _NONE = np.uint64(0x0706050403020100), np.uint64(0x0101010101010101), np.uint64(2**64 - 1)

kernels = Kernels(RULES, STATE, np.int8)


@helper
def fruit_bit(fruit: Any) -> Any:
    """A set of one fruit as eight bytes: rows over fruits are written a word at a time."""
    return _ONE << (np.uint64(fruit) << _THREE)


@helper
def _sort(a: Any, start: Any, count: Any) -> None:
    """Sort a few places of an array."""
    for last in range(count - 1, 0, -1):
        for i in range(start, start + last):
            a[i], a[i + 1] = min(a[i], a[i + 1]), max(a[i], a[i + 1])


@subroutine
def _deal_peeks(rules: Record, state: Record, first: Any) -> None:
    """Who peeks where: an injective map for two or three seats (C2), two pairs for four (C3)."""
    for seat in range(MAX_PLAYERS):
        state.peek[seat] = -1
    if not rules.peeks:
        return
    n, hidden = np.int64(rules.num_players), np.int64(rules.hidden)
    if n < MAX_PLAYERS:
        for i in range(hidden):
            state.peek[i] = i
        shuffle(state, PEEK, first, state.peek, hidden, n)
        for seat in range(n, MAX_PLAYERS):
            state.peek[seat] = -1
    else:
        mate = 1 + chance(state, PEEK, first, 3)
        ours = chance(state, PEEK, first + 1, hidden)
        theirs = chance(state, PEEK, first + 2, hidden - 1)
        theirs += theirs >= ours
        for seat in range(n):
            state.peek[seat] = ours if seat == 0 or seat == mate else theirs


@subroutine
def _deal_game(rules: Record, state: Record) -> None:
    """One game: tiles, columns, hidden positions (C1), peeks. The starter is set already."""
    columns, size, hidden = np.int64(rules.columns), np.int64(rules.column_size), np.int64(rules.hidden)
    cards = columns * size
    first = CHANCE_PER_GAME * np.int64(state.game)

    # The hidden positions, ascending; `left` serves as scratch before it is filled.
    put8(state.left, 0, _COUNTING)
    shuffle(state, HIDE, first, state.left, columns, hidden)
    clear(state.face_down, 0, COLUMNS)
    for h in range(HIDDEN):
        state.hidden_at[h] = state.left[h] if h < hidden else COLUMNS
    _sort(state.hidden_at, 0, HIDDEN)
    for h in range(hidden):
        state.face_down[np.int64(state.hidden_at[h])] = 1

    put8(state.left, 0, _ONES * np.uint64(size))
    put8(state.locked, 0, _NONE)
    put8(state.tiles, 0, _COUNTING)
    shuffle(state, TILE, first, state.tiles, columns, columns)

    for w in range(0, CARDS, 8):
        put8(state.order, w, _COUNTING + _ONES * np.uint64(w))
        put8(state.holder, w, _NONE)
        put8(state.here, w, _ONES)
        put8(state.free, w, _ONES)
    for c in range(CARDS - cards):  # of a shrunken game
        state.here[cards + c] = state.free[cards + c] = 0
    shuffle(state, CARD, first, state.order, cards, cards)
    i: Any = 0
    for p in range(columns):
        for _ in range(size):
            state.at[np.int64(state.order[i])] = p
            i += 1

    _deal_peeks(rules, state, first)
    for p in range(COLUMNS):
        shown = np.uint64(p < columns) * np.uint64(1 - state.face_down[p])
        put8(state.seen, p * COLUMNS, fruit_bit(state.tiles[p]) * shown)
    clear(state.veiled, 0, HIDDEN * CARDS)
    for h in range(hidden):
        for i in range(size):
            state.veiled[h * CARDS + np.int64(state.order[np.int64(state.hidden_at[h]) * size + i])] = 1
    clear(state.closed, 0, COLUMNS)
    clear(state.value, 0, COLUMNS)
    clear(state.held, 0, MAX_PLAYERS * CARDS)
    clear(state.pieces, 0, MAX_PLAYERS * COLUMNS)
    clear(state.history, 0, MAX_PICKS)
    state.picks = 0
    state.pending = 1 << np.int64(state.starter)


@kernels
def deal(rules: Record, state: Record) -> None:
    state.past = 0
    state.game = 0
    state.starter = chance(state, START, 0, np.int64(rules.num_players))  # C5
    _deal_game(rules, state)


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    """C6: any card of a column that holds at least two; no passing."""
    if (np.int64(state.pending) >> seat) & 1:
        copy_bytes(mask, 0, state.free, 0, np.int64(rules.num_actions))
    else:
        clear(mask, 0, np.int64(rules.num_actions))


@helper
def _score(rules: Record, state: Record, seat: Any) -> Any:
    """C9: pieces times the value locked under that fruit's tile; columns still open count nothing yet."""
    total = np.int64(0)
    for p in range(np.int64(rules.columns)):
        total += np.int64(state.pieces[seat * COLUMNS + np.int64(state.tiles[p])]) * state.value[p]
    return total


@subroutine
def _lead(rules: Record, state: Record) -> Any:
    """The highest score, and how many seats have it."""
    best, leaders = np.int64(-1000), 0
    for seat in range(np.int64(rules.num_players)):
        own = _score(rules, state, seat)
        if own == best:
            leaders += 1
        elif own > best:
            best, leaders = own, 1
    return best, leaders


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    for seat in range(np.int64(rules.num_players)):
        out[seat] = _score(rules, state, seat)


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    """Highest wins; tied leaders share the win (C13)."""
    n = np.int64(rules.num_players)
    best, leaders = _lead(rules, state)
    for seat in range(n):
        out[seat] = 1.0 / leaders if _score(rules, state, seat) == best else 0.0


@wrapping
def _digest(rules: Record, state: Record) -> Any:
    """A hash of a finished game, all of it public by then, chained onto the games before it."""
    digest = np.uint64(state.past)
    for p in range(np.int64(rules.columns)):
        digest = mix(digest * np.uint64(31) + np.uint64(state.tiles[p]))
    for c in range(np.int64(rules.num_actions)):
        digest = mix(digest * np.uint64(31) + np.uint64(state.at[c]))
    for i in range(np.int64(state.picks)):
        digest = mix(digest * np.uint64(31) + np.uint64(state.history[i]))
    for h in range(np.int64(rules.hidden)):
        digest = mix(digest * np.uint64(31) + np.uint64(state.hidden_at[h]))
    for seat in range(np.int64(rules.num_players)):
        digest = mix(digest * np.uint64(31) + np.uint64(np.int64(state.peek[seat]) + 1))
    return mix(digest * np.uint64(31) + np.uint64(state.starter))


@subroutine
def _finish(rules: Record, state: Record) -> None:
    """The line is empty: the end, or after a tie another game (C13)."""
    if rules.replay and state.game < MAX_GAMES - 1:
        _, leaders = _lead(rules, state)
        if leaders > 1:
            state.past = _digest(rules, state)
            state.game += 1
            state.starter = (np.int64(state.starter) + 1) % np.int64(rules.num_players)
            _deal_game(rules, state)
            return
    clear(state.face_down, 0, COLUMNS)
    state.pending = 0
    state.over = TERMINATED


@helper
def _lock(rules: Record, state: Record, position: Any) -> None:
    """C8: the column's last card goes under the tile, and can no longer be taken."""
    size = np.int64(rules.column_size)
    last = np.int64(0)
    for i in range(size):  # only one is still here; a sum finds it without a branch
        card = np.int64(state.order[position * size + i])
        last += card * np.int64(state.here[card])
    state.locked[position] = last
    set_byte(state.free, last, 0)
    set_byte(state.closed, position, 1)
    set_byte(state.value, position, rules.value[last])


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    position = np.int64(state.at[action])
    state.holder[action] = seat
    state.pieces[seat * COLUMNS + np.int64(rules.fruit[action])] += rules.pieces[action]
    set_byte(state.here, action, 0)
    set_byte(state.free, action, 0)
    set_byte(state.held, seat * CARDS + action, 1)
    state.left[position] -= 1
    if state.left[position] == 1:
        _lock(rules, state, position)
    picks = np.int64(state.picks)
    state.history[picks] = action
    state.picks = picks + 1
    if picks + 1 == np.int64(rules.columns) * (np.int64(rules.column_size) - 1):
        _finish(rules, state)
    else:
        seat += 1  # C7: strict turn order
        state.pending = 1 << (seat if seat < rules.num_players else 0)


@helper
def unseen(state: Record, seat: Any, h: Any) -> Any:
    """Whether the h-th hidden tile is unknown to this seat (all are turned up at the end)."""
    return (state.over == 0) & (state.peek[seat] != h)


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """C12: the fruits of the hidden tiles that the seat has not seen are dealt to them anew, uniformly.

    Of what is redrawn only the set of fruits is read. In which order cards came to a column means nothing, and is not
    kept either.
    """
    fruits = np.int64(0)
    for h in range(np.int64(rules.hidden)):
        fruits |= np.int64(unseen(state, seat, h)) << np.int64(state.tiles[np.int64(state.hidden_at[h])])
    for h in range(np.int64(rules.hidden)):
        if unseen(state, seat, h):
            fruit = draw_bit(fruits, key, h)
            state.tiles[np.int64(state.hidden_at[h])] = lowest_bit(fruit)
            fruits ^= fruit
    size = np.int64(rules.column_size)
    for p in range(np.int64(rules.columns)):
        _sort(state.order, p * size, size)

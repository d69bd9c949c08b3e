"""What a seat cannot know of the piles, drawn anew exactly uniformly.

Of every pile all know some cards, and how many others lie in it; those are any of the cards that nobody has seen. Every
order of a pile is equally likely, but for cards just given, which lie on top until the distribution ends, and for the
next card of a seat that may look at it (S31).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import count_bits, lowest_bit
from fruit_envs.engine.chance import draw
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruit_salad.state import GIVING, NONE, STRIDE, W0


@helper
def sees_next(rules: Record, state: Record, seat: Any) -> Any:
    """S31: whether a seat sees its own next card now."""
    return state.phase == W0 and state.turn == seat and (np.int64(rules.early) >> seat) & 1 and not state.over


@helper
def next_card(state: Record, seat: Any) -> Any:
    """The top card of a seat's pile."""
    return np.int64(state.piles[seat * STRIDE + np.int64(state.sizes[seat]) - 1])


@helper
def unseen_cards(rules: Record, state: Record) -> Any:
    """The cards that nobody has seen."""
    seen = np.int64(state.bowl)
    for seat in range(np.int64(rules.num_players)):
        seen |= np.int64(state.known[seat]) | np.int64(state.points[seat])
    return ((np.int64(1) << np.int64(rules.cards)) - 1) & ~seen


@helper
def _swap(state: Record, start: Any, count: Any, key: Any, used: Any) -> Any:
    """Shuffle so many places of the piles; returns how many numbers of the key are used up."""
    for i in range(count - 1):
        a, b = start + i, start + i + draw(key, used + i, count - i)
        state.piles[a], state.piles[b] = state.piles[b], state.piles[a]
    return used + count


@helper
def _stack(state: Record, start: Any, cards: Any) -> Any:
    """Put a set of cards into places of the piles from `start` on; returns the place after them."""
    while cards:
        state.piles[start] = lowest_bit(cards)
        start += 1
        cards &= cards - 1
    return start


@helper
def redraw(rules: Record, state: Record, seat: Any, key: Any) -> None:
    """Deal the unseen cards to the places that nobody knows, and arrange every pile."""
    n = np.int64(rules.num_players)
    unseen, lying = unseen_cards(rules, state), np.int64(0)
    own = np.int64(0)  # the seat's next card, if it sees it
    if sees_next(rules, state, seat):
        own = np.int64(1) << next_card(state, seat)
        unseen &= ~own
    end = _stack(state, np.int64(0), unseen)  # the first pile's array is where they are shuffled
    used = _swap(state, np.int64(0), end, key, np.int64(0))
    for k in range(n):
        other = n - 1 - k  # the first pile last: it takes the rest where it lies
        fixed = np.int64(state.given[other]) if state.phase == GIVING and not state.over else np.int64(0)
        if other == seat:
            fixed |= own
        known = np.int64(state.known[other]) & ~fixed
        lying = np.int64(state.sizes[other]) - count_bits(known | fixed)
        end -= lying
        start = other * STRIDE
        for i in range(lying):
            state.piles[start + i] = state.piles[end + i]
        after = _stack(state, start + lying, known)
        if known:
            used = _swap(state, start, after - start, key, used)
        after = _stack(state, after, fixed)
        for place in range(after, start + STRIDE):
            state.piles[place] = NONE

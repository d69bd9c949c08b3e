"""The toy's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import HEADER, TERMINATED, TRUNCATED
from fruit_envs.engine.bits import lowest_bit
from fruit_envs.engine.chance import draw_bit, shuffle
from fruit_envs.engine.jit import Record, helper
from fruit_envs.engine.kernels import Kernels
from toy_windows.components import BIDS, DECK, GIFTS, MAX_PLAYERS, MAX_TOKENS, RULES

MAX_EVENTS = 80

STATE = np.dtype(
    [
        *HEADER,
        ("order", np.int8, (MAX_TOKENS,)),  # the deck as dealt: seat s got order[s], then drawn in order
        ("token", np.int8, (MAX_PLAYERS,)),
        ("shown", np.int8, (MAX_TOKENS,)),  # 1: laid open
        ("points", np.int8, (MAX_PLAYERS,)),
        ("bid", np.int8, (MAX_PLAYERS,)),  # committed in this window, or -1
        ("last", np.int8, (MAX_PLAYERS,)),  # bid of the window before, or -1
        ("drawn", np.int8),
        ("winner", np.int8),  # of the window, while it gives; else -1
        ("gifts", np.int8),
        ("wins", np.int8),
        ("windows", np.int8),
        ("history", np.int8, (MAX_EVENTS,)),  # all that became public, in order: bids, gifts, tokens laid open
        ("events", np.int8),
    ],
    align=True,
)

kernels = Kernels(RULES, STATE, np.int8)


@helper
def _publish(state: Record, fact: Any) -> None:
    state.history[state.events] = fact
    state.events += 1


@helper
def _open_window(rules: Record, state: Record) -> None:
    n = np.int64(rules.num_players)
    state.winner = -1
    for seat in range(n):
        state.bid[seat] = -1
    if state.wins == rules.wins:
        state.pending, state.over = 0, TERMINATED
    elif state.windows == rules.windows:
        state.pending, state.over = 0, TRUNCATED
    else:
        state.windows += 1
        state.pending = (1 << n) - 1


@kernels
def deal(rules: Record, state: Record) -> None:
    n, tokens = np.int64(rules.num_players), np.int64(rules.tokens)
    for t in range(MAX_TOKENS):
        state.order[t] = t
        state.shown[t] = 0
    shuffle(state, DECK, 0, state.order, tokens, tokens)
    for seat in range(MAX_PLAYERS):
        state.token[seat] = state.order[seat] if seat < n else -1
        state.points[seat] = 0
        state.last[seat] = -1
    for i in range(MAX_EVENTS):
        state.history[i] = 0
    state.drawn = n
    state.gifts = state.wins = state.windows = state.events = 0
    _open_window(rules, state)


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    asked = (np.int64(state.pending) >> seat) & 1
    for a in range(np.int64(rules.num_actions)):
        if a < BIDS:
            mask[a] = asked * (state.winner < 0) * (state.last[seat] != a)
        else:
            mask[a] = asked * (state.winner == seat)


@helper
def _resolve(rules: Record, state: Record) -> None:
    n = np.int64(rules.num_players)
    winner = -1
    for bid in range(BIDS):
        holders, holder = 0, -1
        for seat in range(n):
            if state.bid[seat] == bid:
                holders += 1
                holder = seat
        if holders == 1:
            winner = holder
    for seat in range(n):
        state.last[seat] = state.bid[seat]
        _publish(state, state.bid[seat])
    if winner < 0:
        _open_window(rules, state)
    else:
        state.winner, state.gifts = winner, 0
        state.pending = 1 << winner


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    n = np.int64(rules.num_players)
    if state.winner < 0:
        state.bid[seat] = action
        state.pending = np.int64(state.pending) & ~(1 << seat)
        if state.pending == 0:
            _resolve(rules, state)
        return
    state.points[(seat + action - BIDS + 1) % n] += 1
    state.gifts += 1
    _publish(state, action)
    if state.gifts == GIFTS:
        state.shown[state.token[seat]] = 1
        _publish(state, state.token[seat])
        state.token[seat] = state.order[state.drawn]
        state.drawn += 1
        state.wins += 1
        _open_window(rules, state)


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    for seat in range(np.int64(rules.num_players)):
        out[seat] = state.points[seat] + (state.token[seat] if state.over == TERMINATED else 0)


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    n = np.int64(rules.num_players)
    best, leaders = -1, 0
    for seat in range(n):
        own = np.int64(state.points[seat]) + state.token[seat]
        if own == best:
            leaders += 1
        elif own > best:
            best, leaders = own, 1
    for seat in range(n):
        if state.over == TRUNCATED:
            out[seat] = 1.0 / n
        else:
            out[seat] = 1.0 / leaders if np.int64(state.points[seat]) + state.token[seat] == best else 0.0


@helper
def _is_unknown(state: Record, seat: Any, other: Any) -> Any:
    """Whether a seat cannot know another's token, which the scores tell unless the game was cut off."""
    return other != seat and state.over != TERMINATED


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """Others' tokens and the deck are dealt anew; what others have committed in an open window is withdrawn."""
    n, drawn, tokens = np.int64(rules.num_players), np.int64(state.drawn), np.int64(rules.tokens)
    unknown = np.int64(0)
    for i in range(tokens - drawn):
        unknown |= np.int64(1) << np.int64(state.order[drawn + i])
    for other in range(n):
        if _is_unknown(state, seat, other):
            unknown |= np.int64(1) << np.int64(state.token[other])
    for other in range(n):
        if _is_unknown(state, seat, other):
            token = draw_bit(unknown, key, other)
            state.token[other] = lowest_bit(token)
            unknown ^= token
    for i in range(tokens):
        state.order[i] = -1
        if i >= drawn:
            token = draw_bit(unknown, key, n + i)
            state.order[i] = lowest_bit(token)
            unknown ^= token
    if state.winner < 0 and not state.over:  # who has committed is as secret as what
        for other in range(n):
            if other != seat:
                state.bid[other] = -1
                state.pending = np.int64(state.pending) | (1 << other)

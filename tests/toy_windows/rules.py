"""The toy's rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import HEADER, TERMINATED, TRUNCATED
from fruit_envs.engine.chance import draw, shuffle
from fruit_envs.engine.jit import Record, helper
from fruit_envs.engine.kernels import Kernels
from toy_windows.components import BIDS, DECK, GIFTS, MAX_PLAYERS, MAX_TOKENS, RULES

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
        ("history", np.int8, (80,)),  # all that became public, in order: bids, gifts, tokens laid open
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
def _token_at(state: Record, n: Any, place: Any) -> Any:
    return state.token[place] if place < n else state.order[state.drawn + place - n]


@helper
def _put_token(state: Record, n: Any, place: Any, token: Any) -> None:
    if place < n:
        state.token[place] = token
    else:
        state.order[state.drawn + place - n] = token


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """Others' tokens and the deck are arranged anew; what others have committed in an open window is withdrawn."""
    n, tokens = np.int64(rules.num_players), np.int64(rules.tokens)
    if state.over:
        return
    # Places that hold unknown tokens: other seats (0 .. n-1), then the deck (n + k for order[drawn + k]).
    places = n + tokens - np.int64(state.drawn)
    for i in range(places):
        if i != seat:
            choices = 0
            for j in range(places):
                choices += j >= i and j != seat
            skip = draw(key, i, choices)
            for j in range(places):
                if j >= i and j != seat:
                    if skip == 0:
                        a, b = _token_at(state, n, i), _token_at(state, n, j)
                        _put_token(state, n, i, b)
                        _put_token(state, n, j, a)
                        break
                    skip -= 1
    if state.winner < 0:  # who has committed is as secret as what
        for other in range(n):
            if other != seat:
                state.bid[other] = -1
                state.pending = np.int64(state.pending) | (1 << other)

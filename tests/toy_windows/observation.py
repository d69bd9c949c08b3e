"""What a seat of the toy sees."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from fruit_envs.declare.header import TERMINATED
from fruit_envs.declare.layout import Block
from fruit_envs.engine.jit import Record
from fruit_envs.engine.memory import copy_records
from toy_windows.components import MAX_TOKENS
from toy_windows.rules import kernels


def blocks(rules: np.ndarray) -> tuple[Block, ...]:
    r = rules[0]
    n, perfect = int(r["num_players"]), 1 - int(r["tabletop"])
    return (
        Block("token", "own token", (MAX_TOKENS,), ("token",), kind="choice"),
        Block("shown", "tokens laid open", (MAX_TOKENS * perfect,), ("token",), kind="set"),
        Block("points", "stones of each seat", (n,), ("seat",), high=6),
        Block("last", "bid of the window before, -1 for none", (n,), ("seat",), low=-1, high=2),
        Block("bid", "own bid of this window, -1 for none", (1,), ("",), low=-1, high=2),
        Block("giver", "who gives stones now", (n,), ("seat",), kind="choice"),
        Block("counts", "gifts given, windows won, windows opened", (3,), ("count",), high=9),
    )


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    n = np.int64(rules.num_players)
    for t in range(MAX_TOKENS):
        out[at.token + t] = state.token[seat] == t
        if not rules.tabletop:
            out[at.shown + t] = state.shown[t]
    for r in range(n):
        other = (seat + r) % n
        out[at.points + r] = state.points[other]
        out[at.last + r] = state.last[other]
        out[at.giver + r] = state.winner == other
    out[at.bid] = state.bid[seat]
    out[at.counts], out[at.counts + 1], out[at.counts + 2] = state.gifts, state.wins, state.windows


@kernels
def hidden(rules: Record, at: Record, state: Record, out: Any) -> None:
    for t in range(MAX_TOKENS):
        out[at.deck + t] = state.order[t] if t >= state.drawn else -1
    for seat in range(np.int64(rules.num_players)):
        out[at.bids + seat] = state.bid[seat]


def hidden_blocks(rules: np.ndarray) -> tuple[Block, ...]:
    return (
        Block("deck", "tokens not drawn yet, by place, -1 for drawn", (MAX_TOKENS,), ("place",), low=-1, high=6),
        Block("bids", "committed bids", (int(rules[0]["num_players"]),), ("seat",), low=-1, high=2),
    )


def information_state(_rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    """Own token and bid, and all that became public, in order."""
    s = states[0]
    facts = [seat, int(s["token"][seat]), int(s["bid"][seat]), *s["history"][: s["events"]].tolist(), int(s["over"])]
    if s["over"] == TERMINATED:  # the scores tell all tokens
        facts += s["token"].tolist()
    return np.array(facts, np.int8).tobytes()


def worlds(rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    """Others' tokens and the deck's order, every arrangement equally likely."""
    s, drawn, tokens = states[0], int(states[0]["drawn"]), int(rules[0]["tokens"])
    seats = range(int(rules[0]["num_players"]) if s["over"] != TERMINATED else 0)
    others = [other for other in seats if other != seat]
    unknown = sorted(s["token"][others].tolist() + s["order"][drawn:tokens].tolist())
    arrangements = list(permutations(unknown))
    for arrangement in arrangements:
        world = copy_records(states)
        w: Any = world[0]
        w["token"][others] = arrangement[: len(others)]
        w["order"][drawn:tokens] = arrangement[len(others) :]
        yield 1 / len(arrangements), world

"""Kuhn poker, complete: a game in one module, and a citizen of every face once it is imported.

Two seats put a chip each into the pot and get one of three cards. Who is asked bets a chip or passes; a bet is called
by betting, or the card is folded by passing. After two equal choices in a row the higher card takes the pot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fruit_envs import register_game
from fruit_envs.declare.header import HEADER, RULES_HEADER, TERMINATED
from fruit_envs.declare.layout import Block
from fruit_envs.declare.options import common_options
from fruit_envs.declare.rules import rules_record
from fruit_envs.engine.chance import draw, shuffle
from fruit_envs.engine.jit import Record, helper
from fruit_envs.engine.kernels import Kernels
from fruit_envs.engine.memory import copy_records

CARDS, PASS, BET, NONE = 3, 0, 1, -1
DECK = 0  # the only kind of chance event

# ---- components: options, and the record that the rules read but never write -----------------------------------------

OPTIONS = common_options(players=(2, 2), num_players=2, margin_scale=2.0)  # so that margins are won chips
RULES = np.dtype(RULES_HEADER, align=True)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    return rules_record(RULES, options, num_actions=2)


def worst_margin(_rules: np.ndarray) -> float:
    return -4.0  # two chips lost are two chips won by the other


# ---- rules: functions over the record of one game, compiled when they are first needed -------------------------------

STATE = np.dtype(
    [
        *HEADER,
        ("deck", np.int8, (CARDS,)),  # the first two places are the hands
        ("choices", np.int8, (3,)),  # PASS, BET or NONE, in turn order
        ("count", np.int8),
        ("shown", np.int8),  # 1: both cards lie open
    ],
    align=True,
)
kernels = Kernels(RULES, STATE, np.int8)


@kernels
def deal(rules: Record, state: Record) -> None:
    for place in range(CARDS):
        state.deck[place] = place
        state.choices[place] = NONE
    shuffle(state, DECK, 0, state.deck, CARDS, CARDS)
    state.count = state.shown = 0
    state.pending = 1  # bit 0: the first seat decides


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    mask[PASS] = mask[BET] = (np.int64(state.pending) >> seat) & 1


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    count = np.int64(state.count)
    state.choices[count] = action
    state.count = count + 1
    state.pending = 1 << (1 - seat)
    if count > 0 and (action == state.choices[count - 1] or action == PASS):
        state.shown = action == state.choices[count - 1]
        state.pending, state.over = 0, TERMINATED


@helper
def _won(state: Record) -> Any:
    """The chips that the first seat has won: seats alternate, so the last choice tells who has folded."""
    last = np.int64(state.count) - 1
    if not state.shown:
        return -1 if last % 2 == 0 else 1
    return (1 + np.int64(state.choices[last])) * (1 if state.deck[0] > state.deck[1] else -1)


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    out[0] = _won(state) if state.over else 0
    out[1] = -out[0]


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    out[0] = 1.0 if _won(state) > 0 else 0.0
    out[1] = 1.0 - out[0]


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    own, other = np.int64(state.deck[seat]), np.int64(state.deck[1 - seat])
    if not state.shown:  # drawn from what the seat has seen and the key alone, never from the true card
        other = (own + 1 + draw(key, 0, 2)) % CARDS
    state.deck[1 - seat], state.deck[2] = other, CARDS - own - other


# ---- observation: what a seat sees, and what it knows ----------------------------------------------------------------


def blocks(_rules: np.ndarray) -> tuple[Block, ...]:
    return (
        Block("card", "own card", (CARDS,), ("card",), kind="choice", labels=("jack", "queen", "king")),
        Block("other", "the other's card, once it lies open", (CARDS,), ("card",), kind="choice"),
        Block("choices", "what was chosen: 0 pass, 1 bet, -1 nothing yet", (3,), ("turn",), low=-1),
    )


@kernels
def observe(rules: Record, at: Record, state: Record, seat: int, out: Any) -> None:
    for card in range(CARDS):
        out[at.card + card] = state.deck[seat] == card
        out[at.other + card] = state.deck[1 - seat] == card and state.shown
        out[at.choices + card] = state.choices[card]


def information_state(_rules: np.ndarray, states: np.ndarray, seat: int) -> bytes:
    s = states[0]
    other = int(s["deck"][1 - seat]) if s["shown"] else CARDS
    return bytes([seat, int(s["deck"][seat]), other, *(s["choices"] + 1).tolist()])


def worlds(_rules: np.ndarray, states: np.ndarray, seat: int) -> Iterator[tuple[float, np.ndarray]]:
    s, own = states[0], int(states["deck"][0, seat])
    others = [int(s["deck"][1 - seat])] if s["shown"] else [card for card in range(CARDS) if card != own]
    for card in others:
        world = copy_records(states)
        world["deck"][0, 1 - seat], world["deck"][0, 2] = card, CARDS - own - card
        yield 1 / len(others), world


def action_names(_rules: np.ndarray) -> list[str]:
    return ["pass", "bet"]


register_game("kuhn_poker", __name__, title="Kuhn Poker")

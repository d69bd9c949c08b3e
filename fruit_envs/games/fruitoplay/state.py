"""What a game of Fruitoplay remembers: where every card is, the open window, points, and the round's history.

Every card has one place: a hand, a seat's columns, the draw deck, the river, or out of the round. A card that a seat
has laid face down stays in its hand until the window closes.
"""

from __future__ import annotations

import numpy as np

from fruit_envs.declare.header import HEADER
from fruit_envs.engine.kernels import Kernels
from fruit_envs.games.fruitoplay.components import CARDS, FRUITS, KINDS, MAX_PLAYERS, ROUNDS, RULES, TURNS

#: Where a card is: in the hand of seat s (place s), in its columns (IN_COLUMNS + s), or one of these.
IN_COLUMNS, GONE, IN_DECK, IN_RIVER, ABSENT = 8, 16, 32, 64, 96
NONE = 255  # no card

#: What the seats of `asked` decide.
COLLECT, PLAY, OPTIONAL, ROT = range(4)

#: How a rotten card was resolved (F9): not yet; alone; with a card of value 1, of value 2; with the collective card.
ALONE, SINGLE, DOUBLE, SHARED = range(1, 5)

COLORS = len(FRUITS)
PARTS = COLORS * len(KINDS)  # of a seat's columns: singles, doubles, rotten of each fruit
ROTTEN = KINDS.index("rotten")

# What all seats see alike, kept as it is shown, in the order of the observation's blocks.
RIVER_NUMBER = TURNS * COLORS
COLLECTIVE_VALUE = RIVER_NUMBER + TURNS
ROUND = COLLECTIVE_VALUE + COLORS
PHASE = ROUND + ROUNDS
ROTTEN_FRUIT = PHASE + 4
TURN = ROTTEN_FRUIT + COLORS
DECK_SIZE = TURN + 1
SHOWN = DECK_SIZE + 1

STATE = np.dtype(
    [
        *HEADER,
        ("past", np.uint64),  # digest of the rounds before this one
        ("round_no", np.uint8),  # from 0
        ("turn", np.uint8),
        ("phase", np.uint8),
        ("asked", np.uint8),  # bit s: seat s decides in this window, whether or not it has committed
        ("next", np.uint8),  # how many places of `deck` are used up
        ("winner", np.int8),  # of the turn's trick, or -1
        ("collective", np.int8),  # fruit of the round's collective card, or -1 (F11)
        ("barred", np.int8),  # fruit of the last collective card, or -1
        ("fruit", np.int8),  # of the rotten card being resolved
        ("chosen", np.int8, (MAX_PLAYERS,)),  # what each seat has committed to in this window, or -1
        ("sizes", np.int8, (MAX_PLAYERS,)),  # of the hands
        ("denied", np.int8, (MAX_PLAYERS,)),  # 1: the seat's rotten card has cancelled the collective one (F9)
        ("totals", np.int16, (MAX_PLAYERS,)),  # points of the rounds scored
        ("points", np.int16, (MAX_PLAYERS,)),  # of the last round scored
        ("place", np.uint8, (CARDS,)),  # of each card
        ("deck", np.uint8, (CARDS,)),  # the cards to draw, NONE where used up
        ("river", np.uint8, (8,)),  # the targets in turn order, NONE beyond
        ("columns", np.int8, (MAX_PLAYERS * PARTS + 8,)),  # cards of each fruit and kind, seat by seat
        ("sums", np.uint8, (MAX_PLAYERS * COLORS,)),  # of the columns as scored (F10)
        ("resolved", np.uint8, (MAX_PLAYERS * COLORS,)),  # how each rotten card was (F9)
        ("played", np.uint8, (48,)),  # cards by turn and seat, NONE where none
        ("drawn", np.uint8, (48,)),  # cards by seat and turn, NONE where none
        ("shown", np.int8, (64,)),
    ],
    align=True,
)

kernels = Kernels(RULES, STATE, np.int16)

"""What a game of Fruit Salad remembers: piles, bowl, dice, point cards, the open window, and what all have seen.

Sets of cards are words with a bit for each card id. A pile is a stack: its top card is the last of its array. All that
is known of a pile is public: which cards certainly lie in it. Every order of a pile is equally likely, since a pile is
shuffled whole whenever cards come to it, and cards only leave it from the top.
"""

from __future__ import annotations

import numpy as np

from fruit_envs.declare.header import HEADER
from fruit_envs.engine.kernels import Kernels
from fruit_envs.games.fruit_salad.components import MAX_PLAYERS, RULES
from fruit_envs.games.fruit_salad.deck import FRUITS

#: What is being decided: the three windows (anticipation, premature, reaction); the card to keep, and who gets a card.
W0, W1, W2, KEEPING, GIVING = range(5)

#: What became of a slap: it won the bowl, there were too few, or it came before a re-roll (S14).
WIN, LOSS, AUTOMATIC = range(3)

STRIDE = 64  # places of each pile's array
NONE = 255  # no card

STATE = np.dtype(
    [
        *HEADER,
        ("past", np.uint64),  # digest of all that has become public
        ("bowl", np.int64),  # the cards in it
        ("known", np.int64, (MAX_PLAYERS,)),  # the cards that all know to lie in each pile
        ("points", np.int64, (MAX_PLAYERS,)),  # point cards of each seat
        ("given", np.int64, (MAX_PLAYERS,)),  # what each seat got out of the bowl won last, until the next slap
        ("reveals", np.int32),  # cards turned over so far
        ("slaps", np.int32),  # resolved so far
        ("fruit_rolls", np.int32),  # of each die
        ("number_rolls", np.int32),
        ("shuffles", np.int32, (MAX_PLAYERS,)),  # of each seat's pile
        ("totals", np.int16, (len(FRUITS),)),  # pieces in the bowl
        ("count", np.int16),  # pieces of the fruit of the last slap
        ("sizes", np.uint8, (MAX_PLAYERS,)),  # of the piles, cards just given included
        ("scores", np.uint8, (MAX_PLAYERS,)),  # how many point cards
        ("chosen", np.int8, (8,)),  # what each seat has committed to in this window, or -1
        ("phase", np.uint8),
        ("turn", np.uint8),  # whose card has landed; in W0, whose card is next
        ("fruit", np.uint8),  # the dice
        ("number", np.uint8),
        ("rolled_fruit", np.uint8),  # as they fell when the round began
        ("rolled_number", np.uint8),
        ("top", np.uint8),  # the card that landed last
        ("landed", np.uint8),  # cards that have landed since the round began, 0 once its slap is resolved
        ("slapper", np.int8),  # of the last slap, -1 before the first
        ("named", np.uint8),  # the fruit it named
        ("needed", np.uint8),  # the number die then
        ("result", np.uint8),
        ("on", np.uint8),  # the card it was made on
        ("winner", np.int8),  # of the game, or -1
        ("piles", np.uint8, (MAX_PLAYERS * STRIDE,)),
    ],
    align=True,
)

kernels = Kernels(RULES, STATE, np.int16)

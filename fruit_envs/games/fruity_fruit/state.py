"""What a game of Fruity Fruit remembers: the board, hands and what is known of them, baskets, the trick, its moves."""

from __future__ import annotations

import numpy as np

from fruit_envs.declare.header import HEADER
from fruit_envs.engine.kernels import Kernels
from fruit_envs.games.fruity_fruit.components import CELLS, MAX_PLAYERS, MAX_TURNS, RULES, TILES
from fruit_envs.games.fruity_fruit.table import COLOURS, FRUITS, VALUES

#: What the asked seat decides: the scoring card it keeps; a tile (with its place in single mode); its place; a fruit.
DRAFT, TILE, PLACE, PICK = range(4)

#: A placement as a number: ((seat * TILES + tile) * MAX_TURNS + orientation) * CELLS + cell.
MOVES_OF_TILE = MAX_TURNS * CELLS
MOVES_OF_SEAT = TILES * MOVES_OF_TILE

COLOUR_TILES = (1 << VALUES) - 1  # the tiles of colour 0, as bits of their ids
KINDS = len(FRUITS)

STATE = np.dtype(
    [
        *HEADER,
        ("free_low", np.int64),  # cells of the board that no tile covers, see `board`
        ("free_high", np.int64),
        ("colour_low", np.int64, (len(COLOURS),)),  # cells covered by each colour
        ("colour_high", np.int64, (len(COLOURS),)),
        ("owner_low", np.int64, (MAX_PLAYERS,)),  # cells covered by each seat
        ("owner_high", np.int64, (MAX_PLAYERS,)),
        ("hands", np.int64, (MAX_PLAYERS,)),  # tiles, as bits of their ids; so the next three
        ("barred", np.int64, (MAX_PLAYERS,)),  # that all know the seat not to hold (Y6)
        ("laid", np.int64),  # on the board
        ("fits", np.int64),  # that could be placed somewhere now, whoever holds them
        ("moves", np.uint16, (TILES,)),  # 1 + the number of each placement, in order, 0 beyond
        ("seen", np.uint16, (MAX_PLAYERS,)),  # scoring cards that each seat was offered, as bits (Y2)
        ("spaces", np.int16, (MAX_PLAYERS,)),  # free ones in each seat's baskets
        ("kept", np.int8, (MAX_PLAYERS,)),  # each seat's scoring card, or -1
        ("trick", np.int8, (MAX_PLAYERS,)),  # the tile each seat has placed in this trick, or -1
        ("baskets", np.uint8, (MAX_PLAYERS,)),
        ("insects", np.uint8, (MAX_PLAYERS,)),
        ("sizes", np.uint8, (MAX_PLAYERS,)),  # of the hands
        ("fruits", np.uint8, (MAX_PLAYERS * KINDS,)),  # of each kind in each seat's baskets
        ("pot", np.uint8, (KINDS,)),  # in the middle
        ("picks", np.uint8, (CELLS,)),  # 1 + each fruit picked under Y11, in order, 0 beyond
        ("picked", np.uint8),  # how many
        ("to_pick", np.uint8),  # how many more the winner picks
        ("placed", np.uint8),  # tiles on the board
        ("tricks", np.uint8),  # resolved
        ("phase", np.uint8),
        ("drafted", np.uint8),  # seats that have kept a card
        ("starter", np.uint8),
        ("leader", np.uint8),
        ("turn", np.uint8),  # seats that have placed or been skipped in this trick
        ("skipped", np.uint8),  # bit s: seat s could not place in this trick (Y7)
        ("led", np.int8),  # colour of the trick's first tile, or -1
        ("winner", np.int8),  # of the last trick resolved, or -1
        ("chosen", np.int8),  # the tile that the asked seat is about to place, or -1
    ],
    align=True,
)

kernels = Kernels(RULES, STATE, np.int16)

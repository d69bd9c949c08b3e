"""A second opinion on Fruit Cocktail: plain Python, written from the rule text and the rulings alone.

Nothing here imports the engine. Seats, positions, fruits and cards are whole numbers as in the game records. The parts
are the game, its records, and a search; the tests take all names from here.
"""

from .oracle_game import (
    ASSUMED_V1,
    ASSUMED_V1_ROWS,
    FRUITS,
    HIDDEN,
    MODES,
    PLAYERS,
    Chooser,
    Deal,
    Match,
    Table,
    choosers,
    deck_of,
    random_deal,
)
from .oracle_records import check_record, write_record
from .oracle_search import TablePosition, solve

__all__ = [
    "ASSUMED_V1",
    "ASSUMED_V1_ROWS",
    "FRUITS",
    "HIDDEN",
    "MODES",
    "PLAYERS",
    "Chooser",
    "Deal",
    "Match",
    "Table",
    "TablePosition",
    "check_record",
    "choosers",
    "deck_of",
    "random_deal",
    "solve",
    "write_record",
]

"""Fruity Fruit's drawings: a short game as its seats see it in every phase, against drawings checked by hand.

They are written by

    python tests/fruity_fruit/test_text.py
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fruity_fruit.helpers import APPLE, MELON, ORANGE, Both, hands, load, row
from fruity_fruit.oracle import tile_id

GOLDEN = Path(__file__).parents[1] / "golden" / "fruity_fruit_drawings.txt"


def drawings():
    """Seat 1 starts, with all long tiles; seat 2 has neither red nor green."""
    held = hands(3, "G4 G5 G6 G7 G8 G9 R4 R5 R6 R7 R8 R9", "G1 G2 G3 R1 R2 R3 Y1 Y2 Y3 B1 B2 B3")
    both = Both(load(num_players=3), held, starter=1, offers=[[0, 2, 4, 6], [1, 3, 4, 5], [0, 4, 7, 8]])
    yield "the starter is offered cards", both.state.to_text(1)
    yield "another seat waits for it", both.state.to_text(0)
    for card in (2, 1, 8):
        both.answer(card)
    both.place("G1", 1, 0)  # grape, blank, basket, blank
    yield "the second seat of a trick", both.state.to_text(2)
    step = both.state.copy()
    step.apply(2, tile_id("Y8"))
    yield "it has chosen a tile", step.to_text(2)
    yield "nobody else sees that", step.to_text(0)
    both.place("Y8", 2, 1)  # insect, melon
    yield "the third seat knows that the second holds no green", both.state.to_text(0)
    both.rig(pot=[APPLE, APPLE, ORANGE], spaces={0: 2})
    both.place("G9", 3, 1)  # cherry, blank
    both.answer(ORANGE)
    yield "the winner picks", both.state.to_text(0)
    yield "another seat sees it pick", both.state.to_text(1)
    both.answer(APPLE)
    both.rig(free=[*row(9, 0, 1), *row(9, 4, 6)], spaces={0: 1})
    both.place("R9", 9, 0)  # blank, grape
    yield "the seat after the leader could not place", both.state.to_text(2)
    both.place("Y9", 9, 4)  # orange, orange
    both.answer(MELON)
    assert both.state.over
    for seat in range(3):
        yield f"the end, seat {seat}", both.state.to_text(seat)


def written():
    return "\n\n".join(f"== {name}\n{text}" for name, text in drawings()) + "\n"


def test_drawings_of_a_game():
    for drawn, golden in zip(written().split("== "), GOLDEN.read_text("utf-8").split("== "), strict=True):
        assert drawn == golden


if __name__ == "__main__":
    GOLDEN.write_text(written(), "utf-8")

"""Draws the picture of the README: a position of Fruit Cocktail as one seat sees it, from its observation alone.

python docs/picture.py [FILE.png]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.patches import FancyBboxPatch

mpl.use("Agg")
import matplotlib.pyplot as plt

from fruit_envs import load
from fruit_envs.core.agents import ask, make_agent
from fruit_envs.fruit_cocktail.components import FRUITS
from fruit_envs.fruit_cocktail.text import columns_of

COLOURS = dict(
    zip(FRUITS, ("#f2c230", "#b3123f", "#6aa84f", "#e4423f", "#e59ab5", "#7d4fa0", "#4468b8", "#ef8f22"), strict=True)
)
INK, PAPER, HIDDEN = "#2b2b2b", "#fbf7ee", "#8d8d8d"


def box(axes: Any, x: float, y: float, width: float, height: float, colour: str, **style: Any) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.08", fc=colour, ec=INK, lw=0.8, **style
        )
    )


def card(axes: Any, x: float, y: float, rules: Any, number: int) -> None:
    """One fruit card: its pieces as dots, its value below."""
    fruit = FRUITS[int(rules["fruit"][number])]
    pieces, value = int(rules["pieces"][number]), int(rules["value"][number])
    box(axes, x, y, 0.84, 0.62, "white")
    for dot in np.arange(pieces):
        axes.add_patch(
            plt.Circle((x + 0.42 + (dot - (pieces - 1) / 2) * 0.23, y + 0.42), 0.095, fc=COLOURS[fruit], ec=INK, lw=0.6)
        )
    axes.text(x + 0.42, y + 0.05, f"{value:+d}", ha="center", va="bottom", fontsize=8.5, color=INK)


def tile(axes: Any, x: float, fruits: list[str], locked: int | None) -> None:
    """A fruit tile; grey with all that may lie there where the seat does not know."""
    known = len(fruits) == 1
    box(axes, x, 3.35, 0.84, 0.84, COLOURS[fruits[0]] if known else HIDDEN)
    label = fruits[0] if known else "?\n" + "\n".join(fruits)
    axes.text(
        x + 0.42,
        3.79,
        label,
        ha="center",
        va="center",
        fontsize=6.6 if len(label) < 10 else 6,
        color="white",
        weight="bold",
    )
    if locked is not None:
        box(axes, x + 0.17, 2.86, 0.5, 0.36, PAPER)
        axes.text(x + 0.42, 3.03, f"{locked:+d}", ha="center", va="center", fontsize=10, weight="bold", color=INK)


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images" / "fruit_cocktail.png"
    game = load("fruit_cocktail", num_players=2)
    state, agent = game.deal(4), make_agent("random", game)
    while state.decisions < 10:
        state.apply(state.seat, ask(agent, state, state.seat, 0))
    viewer, rules = state.seat, game.rules[0]
    facts = state.to_json(viewer)

    figure, axes = plt.subplots(figsize=(8.6, 4.6), dpi=150, facecolor=PAPER)
    columns = columns_of(facts)
    for p in range(8):
        x = 0.2 + p * 1.02
        tile(axes, x, facts["tiles"][p], facts["value"][p] if facts["locked"][p] else None)
        for row, number in enumerate([] if facts["locked"][p] else columns[p]):
            card(axes, x, 2.6 - row * 0.72, rules, number)
    for row, name in enumerate(("you", "rival")):
        y = 0.32 - row * 0.74
        axes.text(0.2, y + 0.3, name, fontsize=9, color=INK, va="center")
        for place, number in enumerate(facts["held"][row]):
            card(axes, 1.0 + place * 0.92, y, rules, number)
    axes.text(
        0.2,
        4.42,
        "Fruit Cocktail: the last card of a column fixes what the fruit above is worth. Grey tiles are unknown to you.",
        fontsize=7.8,
        color=INK,
    )
    axes.set_xlim(0, 8.45)
    axes.set_ylim(-0.6, 4.7)
    axes.set_aspect("equal")
    axes.axis("off")
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, bbox_inches="tight", pad_inches=0.08, facecolor=PAPER)


if __name__ == "__main__":
    main()

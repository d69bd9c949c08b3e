"""Draws the pictures of README and docs: a position of each game as one seat sees it, from its observation alone.

python docs/picture.py [FOLDER]
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

from fruit_agents.fruit_salad.heuristic import Counter
from fruit_agents.fruity_fruit.heuristic import Greedy
from fruit_envs import load
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
from fruit_envs.games.fruit_cocktail.components import FRUITS
from fruit_envs.games.fruit_cocktail.text import columns_of
from fruit_envs.games.fruit_salad import deck as fruit_salad
from fruit_envs.games.fruitoplay import components as fruitoplay
from fruit_envs.games.fruity_fruit.observation import SHOWN

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


def draw_fruit_cocktail(target: Path) -> None:
    game = load("fruit_cocktail", num_players=2)
    state, agent = game.deal(4), make_agent("random", game)
    while state.decisions < 10:
        state.apply(state.seat, ask(agent, state, state.seat, 0, new_memory(agent)))
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
    save(figure, axes, (0, 8.45), (-0.6, 4.7), target)


def save(figure: Any, axes: Any, across: tuple[float, float], up: tuple[float, float], target: Path) -> None:
    axes.set_xlim(*across)
    axes.set_ylim(*up)
    axes.set_aspect("equal")
    axes.axis("off")
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, bbox_inches="tight", pad_inches=0.08, facecolor=PAPER)


def number_card(axes: Any, x: float, y: float, fruit: str, number: int, kind: int, width: float = 0.62) -> None:
    """A card of Fruitoplay: its number on its fruit's colour, as many dots as it counts, a cross if it is rotten."""
    colour = COLOURS[{"fig": "grape"}.get(fruit, fruit)]
    box(axes, x, y, width, 0.8, colour)
    axes.text(x + width / 2, y + 0.5, str(number), ha="center", va="center", fontsize=12, color="white", weight="bold")
    label = ("●", "●●", "✖")[kind]
    axes.text(x + width / 2, y + 0.16, label, ha="center", va="center", fontsize=7, color="white")


def draw_fruitoplay(target: Path) -> None:
    game = load("fruitoplay", num_players=3)
    state, agent = game.deal(12), make_agent("random", game)
    while state.decisions < 9:
        state.apply(state.seat, ask(agent, state, state.seat, 0, new_memory(agent)))
    facts, kinds = state.to_json(state.seat), game.rules[0]["kind"]

    figure, axes = plt.subplots(figsize=(8.6, 4.6), dpi=150, facecolor=PAPER)
    title = "Fruitoplay: everybody lays a card face down; the closest to the target wins, equally close ones cancel."
    axes.text(0.2, 4.75, title, fontsize=7.8, color=INK)
    axes.text(0.2, 4.1, "river", fontsize=9, color=INK, va="center")
    river = zip(facts["river_fruit"], facts["river_number"], strict=True)
    for place, (fruit, number) in enumerate((f, k) for f, k in river if f):
        kind = int(kinds[20 * fruitoplay.FRUITS.index(fruit) + number - 1])
        number_card(axes, 1.3 + 0.8 * place, 3.7, fruit, number, kind)
        if place == 0:
            axes.text(1.61, 3.55, "target", fontsize=6.5, color=INK, ha="center", va="center")
    axes.text(7.3, 4.1, f"deck: {facts['deck']}", fontsize=9, color=INK, va="center")
    for seat, name in enumerate(("you", "+1", "+2")):
        y = 2.6 - 0.75 * seat
        axes.text(0.2, y, f"{name}, {facts['hand_sizes'][seat]} in hand", fontsize=8, color=INK, va="center")
        x = 1.9
        for fruit, parts in zip(fruitoplay.FRUITS, facts["columns"][seat], strict=True):
            for kind, count in enumerate(parts):
                for _ in range(count):
                    colour = COLOURS[{"fig": "grape"}.get(fruit, fruit)]
                    box(axes, x, y - 0.22, 0.3, 0.44, colour)
                    mark = ("●", "●●", "✖")[kind]
                    axes.text(x + 0.15, y, mark, ha="center", va="center", fontsize=5, color="white")
                    x += 0.34
            x += 0.14
    axes.text(0.2, 0.1, "your hand", fontsize=9, color=INK, va="center")
    for place, held in enumerate(facts["hand"]):
        number_card(axes, 1.3 + 0.8 * place, -0.3, fruitoplay.FRUITS[held // 20], held % 20 + 1, int(kinds[held]))
    save(figure, axes, (0, 8.45), (-0.5, 5.0), target)


TILES = {"red": "#c8393b", "green": "#5f9e4e", "yellow": "#e6b93c", "blue": "#4673b0"}
SHADES = ("#9fd49a", "#f6b99d", "#d77a86", "#c3d984", "#f0b765", "#b59ad0", "#c9a678", "#b7b7b7")


def draw_fruity_fruit(target: Path) -> None:
    game = load("fruity_fruit", num_players=3)
    state, agent = game.deal(5), Greedy(game)
    while state.decisions < 27:
        state.apply(state.seat, ask(agent, state, state.seat, 0, new_memory(agent)))
    facts, planes = state.to_json(state.seat), game.layout.planes(state.observation(state.seat))
    colours, symbols, owners = planes[:4], planes[4:12], planes[12:]

    figure, axes = plt.subplots(figsize=(8.6, 4.9), dpi=150, facecolor=PAPER)
    title = "Fruity Fruit: who wins the trick takes the fruit in the middle, but every tile must fit the board."
    axes.text(0.2, 10.75, title, fontsize=7.8, color=INK)
    for row, column in np.ndindex(10, 10):
        x, y = 0.2 + column, 9.3 - row
        tile, symbol = colours[:, row, column], symbols[:, row, column]
        if tile.any():
            box(axes, x, y, 0.94, 0.94, list(TILES.values())[int(tile.argmax())])
            owner = ("you", "+1", "+2")[int(owners[:, row, column].argmax())]
            axes.text(x + 0.47, y + 0.47, owner, ha="center", va="center", fontsize=5.5, color="white")
        else:
            box(axes, x, y, 0.94, 0.94, SHADES[int(symbol.argmax())] if symbol.any() else "white")
            mark = SHOWN[int(symbol.argmax())] if symbol.any() else ""
            axes.text(x + 0.47, y + 0.47, mark[:6], ha="center", va="center", fontsize=4.6, color=INK)
    lines = [f"in the middle: {_fruit(facts['pot'])}", ""]
    for seat, name in enumerate(("you", "+1", "+2")):
        placed = f", placed {facts['trick_colour'][seat]} {facts['trick_value'][seat]}"
        lines.append(f"{name}: {facts['spaces'][seat]} spaces, {facts['insects'][seat]} insects")
        lines[-1] += placed if facts["trick_colour"][seat] else ""
        lines.append(f"    {_fruit(facts['fruits'][seat])}")
    axes.text(10.9, 9.9, "\n".join(lines), fontsize=7.5, color=INK, va="top", linespacing=1.6)
    axes.text(10.9, 2.9, "your hand", fontsize=9, color=INK, va="center")
    for place, held in enumerate(facts["hand"]):
        x, y = 10.9 + 0.95 * (place % 8), 1.7 - 1.0 * (place // 8)
        box(axes, x, y, 0.84, 0.84, list(TILES.values())[held // 9])
        number = str(held % 9 + 1)
        axes.text(x + 0.42, y + 0.42, number, ha="center", va="center", fontsize=9, color="white", weight="bold")
    save(figure, axes, (0, 18.8), (0, 11.2), target)


def _fruit(counts: list[int]) -> str:
    return ", ".join(f"{count} {fruit}" for count, fruit in zip(counts, SHOWN, strict=False) if count) or "nothing"


SALAD = dict(zip(fruit_salad.FRUITS, ("#3f8f5b", "#d8344a", "#ef8f22", "#b9c741"), strict=True))


def salad_card(axes: Any, x: float, y: float, rules: Any, number: int) -> None:
    """A card of Fruit Salad: its pieces as dots, the die that a minion rolls again below."""
    box(axes, x, y, 0.62, 0.8, "white")
    counts = rules["pieces"][4 * number :][:4].tolist()
    pieces = [colour for colour, count in zip(SALAD.values(), counts, strict=True) for _ in range(count)]
    for place, colour in enumerate(pieces):
        centre = x + 0.31 + (place % 2 - 0.5) * 0.24 * (len(pieces) > 1), y + 0.6 - 0.22 * (place // 2)
        axes.add_patch(plt.Circle(centre, 0.095, fc=colour, ec=INK, lw=0.6))
    minion = fruit_salad.MINIONS[int(rules["minion"][number])]
    if minion != "none":
        axes.text(x + 0.31, y + 0.1, minion, ha="center", va="center", fontsize=5, color=INK)


def draw_fruit_salad(target: Path) -> None:
    game = load("fruit_salad", num_players=3)
    state, agent = game.deal(9), Counter(game)
    while True:
        facts = state.to_json(state.seat)
        known = sum(map(len, facts["known"]))
        if facts["phase"] == "anticipation" and sum(facts["scores"]) > 2 and len(facts["bowl"]) > 3 and known > 10:
            break
        state.apply(state.seat, ask(agent, state, state.seat, 0, new_memory(agent)))
    rules = game.rules[0]

    figure, axes = plt.subplots(figsize=(8.6, 4.6), dpi=150, facecolor=PAPER)
    title = "Fruit Salad: arm a slap for the next card, or wait? The bowl is covered; this seat has counted along."
    axes.text(0.2, 4.85, title, fontsize=7.8, color=INK)
    axes.text(0.2, 4.2, "dice", fontsize=9, color=INK, va="center")
    for x, text, colour in (
        (1.1, str(facts["die_number"]), INK),
        (1.85, facts["die_fruit"], SALAD.get(facts["die_fruit"], HIDDEN)),
    ):
        box(axes, x, 3.9, 0.62, 0.62, colour)
        axes.text(x + 0.31, 4.21, text, ha="center", va="center", fontsize=6.2, color="white", weight="bold")
    axes.text(3.0, 4.2, "top", fontsize=9, color=INK, va="center")
    salad_card(axes, 3.5, 3.8, rules, facts["top"])
    counted = zip(facts["totals"], fruit_salad.FRUITS, strict=True)
    totals = ", ".join(f"{count} {fruit}" for count, fruit in counted if count)
    axes.text(4.4, 4.2, f"bowl: {len(facts['bowl'])} cards,\n{totals}", fontsize=8, color=INK, va="center")
    for seat, name in enumerate(("you", "+1", "+2")):
        y = 2.65 - 1.2 * seat
        mark = ", next" if facts["turn"] == seat else ""
        told = f"{name}{mark}\n{facts['piles'][seat]} cards, {facts['unseen'][seat]} unseen"
        axes.text(0.2, y + 0.4, told, fontsize=8, color=INK, va="center")
        kept = [number for number, holder in enumerate(facts["points"]) if holder == seat + 1]
        for x, what, cards in ((2.4, "points", kept), (5.0, "known", facts["known"][seat])):
            axes.text(x, y + 0.92, what, fontsize=6, color=INK, va="center")
            for place, number in enumerate(cards[:12]):
                salad_card(axes, x + 0.68 * place, y, rules, number)
    save(figure, axes, (0, 11.2), (0, 5.1), target)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"
    draw_fruit_cocktail(folder / "fruit_cocktail.png")
    draw_fruitoplay(folder / "fruitoplay.png")
    draw_fruity_fruit(folder / "fruity_fruit.png")
    draw_fruit_salad(folder / "fruit_salad.png")


if __name__ == "__main__":
    main()

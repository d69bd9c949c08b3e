"""Draws the libraries side by side, from what `run.py` measured.

python benchmarks/peers/plot.py [--json FILE] [--png FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
OURS, CARDS, TOYS, INK = "#d1372c", "#5b6f8c", "#bcc6d4", "#2b2b2b"

#: Our faces as the plot calls them; other libraries' bars are called after their games.
FACES = {
    "aec_wrapped": "PettingZoo AEC",
    "aec_raw": "PettingZoo AEC, no wrappers",
    "parallel": "PettingZoo parallel",
    "gymnasium": "Gymnasium",
    "state": "State",
    "vector": "Gymnasium vector",
    "batch_sample": "Batch",
    "copy": "State.copy",
    "copies": "Batch",
}


def bars(rows: list[dict[str, Any]], unit: str) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Library -> bar -> its rows: one, or of our faces one for each game."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        if row["unit"] == unit and row["best"]:
            name = FACES[row["mode"]] if row["peer"] == "fruit_envs" else row["label"]
            if row["batch"] > 1:
                name += f", {row['batch']:,} at once"
            found.setdefault(row["peer"], {}).setdefault(name, []).append(row)
    return found


def number(value: float) -> str:
    """Two digits that count."""
    return f"{value:#.2g}".rstrip(".") if value < 99.5 else f"{value:,.0f}"


def draw(axes: Any, groups: dict[str, dict[str, list[dict[str, Any]]]], titles: dict[str, str]) -> None:
    """One panel: libraries under their names, the slowest of a bar's games as its length, the others as dots."""
    y, ticks, names = 0.0, [], []
    for peer, group in groups.items():
        axes.text(-0.01, y, titles[peer], transform=axes.get_yaxis_transform(), ha="right", va="center", weight="bold")
        for name, rows in sorted(group.items(), key=lambda item: min(r["per_1000_loops"] for r in item[1])):
            y += 1
            values = sorted(row["per_1000_loops"] for row in rows)
            colour = OURS if peer == "fruit_envs" else TOYS if rows[0]["toy"] else CARDS
            axes.barh(y, values[0], color=colour, height=0.78)
            axes.plot(values[1:], [y] * len(values[1:]), "o", ms=3, color=colour)
            text = number(values[0]) if len(values) == 1 else f"{number(values[0])} to {number(values[-1])}"
            axes.text(values[-1] * 1.15, y, text, va="center", fontsize=8)
            ticks.append(y)
            names.append(name)
        y += 1.4
    axes.set_yticks(ticks, names)
    axes.set_ylim(y - 0.6, -0.7)
    axes.set_xscale("log")
    axes.set_axisbelow(True)
    axes.grid(axis="x", color="#e4e4e4")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    values = [row["per_1000_loops"] for group in groups.values() for rows in group.values() for row in rows]
    axes.set_xlim(min(values) / 2, max(values) * 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "peers.json")
    parser.add_argument("--png", type=Path, default=ROOT / "docs" / "images" / "peers.png")
    args = parser.parse_args()
    measured = json.loads(args.json.read_text("utf-8"))
    titles = {name: facts["title"] for name, facts in measured["facts"]["libraries"].items()}

    panels = [bars(measured["rows"], unit) for unit in ("decisions", "copies")]
    sizes = [sum(len(group) + 1.4 for group in panel.values()) for panel in panels]
    plt.rcParams |= {"font.size": 9, "text.color": INK, "axes.labelcolor": INK, "ytick.color": INK}
    figure, axes = plt.subplots(
        2, 1, figsize=(8.5, 1.6 + 0.175 * sum(sizes)), height_ratios=sizes, layout="constrained"
    )
    draw(axes[0], panels[0], titles)
    axes[0].set_title("Random legal play, one core", loc="left", weight="bold", fontsize=11)
    axes[0].set_xlabel("decisions per 1,000 iterations of an empty Python loop (logarithmic)")
    ours = list(dict.fromkeys(row["label"] for row in measured["rows"] if row["peer"] == "fruit_envs"))
    slowest = "\n(bars: the slowest of them, dots: the others)" if len(ours) > 1 else ""
    kinds = {
        f"fruit_envs: {', '.join(ours)}{slowest}": OURS,
        "others: card and tile games that people play": CARDS,
        "others: research toys and board games": TOYS,
    }
    axes[0].legend(
        handles=[plt.Rectangle((0, 0), 1, 1, color=colour, label=name) for name, colour in kinds.items()],
        loc="upper right",
        frameon=False,
    )
    draw(axes[1], panels[1], titles)
    axes[1].set_title("Copies of a game's state, one core", loc="left", weight="bold", fontsize=11)
    axes[1].set_xlabel("copies per 1,000 iterations of an empty Python loop (logarithmic)")
    figure.savefig(args.png, dpi=120, metadata={"Software": None})


if __name__ == "__main__":
    main()

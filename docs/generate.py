"""Writes what docs can take from the code: tables of options, actions and observation blocks, and the pictures.

    python docs/generate.py [--check]

Text between `<!-- generated: NAME -->` and `<!-- end -->` is replaced. `--check` changes nothing and fails on a
difference; a test runs it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fruit_agents.describe import describe
from fruit_envs import load
from fruit_envs.declare.catalog import GAMES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MARK = re.compile(r"(<!-- generated: ([a-z_ ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def _table(head: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def options(game: str) -> str:
    """The options of a game."""
    rows: list[list[object]] = []
    for option in describe(load(game))["options"]:
        choices = " ".join(f"`{choice!r}`" for choice in option["choices"] or ()) or "see text"
        rows.append([f"`{option['name']}`", f"`{option['default']!r}`", choices, option["doc"]])
    return _table(["option", "default", "values", "meaning"], rows)


def blocks(game: str) -> str:
    """The observation blocks of a game's default variant and of its memory variant."""
    text = ""
    for memory in ("perfect", "tabletop"):
        facts = describe(load(game, memory=memory))["observation"]
        rows: list[list[object]] = []
        for block in facts["blocks"]:
            shape = " x ".join(
                f"{size} {axis}".strip() for size, axis in zip(block["shape"], block["axes"], strict=True)
            )
            place = f"{block['slice'][0]}:{block['slice'][1]}"
            rows.append([f"`{block['name']}`", place, shape, f"{block['low']} .. {block['high']}", block["meaning"]])
        players = load(game).num_players
        text += f"`memory={memory!r}`, {players} players: {facts['size']} values of {facts['dtype']}.\n\n"
        text += _table(["block", "place", "shape", "bounds", "meaning"], rows) + "\n"
    return text


def actions(game: str) -> str:
    """The action ids of a game, by name (the first ones of a long list)."""
    names = describe(load(game))["actions"]["names"]
    shown = _table(["id", "action"], [[i, f"`{name}`"] for i, name in enumerate(names[:100])])
    return f"Discrete({len(names)}).\n\n{shown}"


def _measured(name: str) -> Any:
    """The results file of a benchmark, or None before it was first run."""
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def throughput(game: str) -> str:
    """Decisions per second of every face."""
    measured = _measured(f"throughput_{game}")
    if measured is None:
        return ""
    rows: list[list[object]] = [
        [f"`{r['face']}`", r["num_envs"], f"{r['decisions_per_second']:,}", r["per_1000_loops"]]
        for r in measured["rows"]
    ]
    facts = measured["facts"]
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    head = ["face", "games", "decisions per CPU second", "per 1,000 empty loops"]
    return (
        "Speed: one thread, uniformly random legal play with observation, mask and automatic reset. A decision is one "
        "seat's choice; the last column divides out the machine (an empty Python loop timed beside each run).\n\n"
        f"{_table(head, rows)}\n`{facts['command']}` · Python {facts['python']}, {versions} · {facts['machine']}\n"
    )


def _kilo(value: float) -> str:
    """A count in a few characters: 4,321 is 4.3k, 12,858,373 is 13M."""
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if value >= size:
            return f"{value / size:.{1 if value < 9.95 * size else 0}f}{unit}"
    return f"{value:.0f}"


def peers(_all: str) -> str:
    """Libraries side by side: a row for each library and way to play it, with its games in one cell."""
    measured = _measured("peers")
    if measured is None:
        return ""
    libraries, text = measured["facts"]["libraries"], ""
    for unit in ("decisions", "copies"):
        groups: dict[tuple[str, str], list[Any]] = {}
        for row in measured["rows"]:
            if row["unit"] == unit and row["best"]:
                groups.setdefault((row["peer"], row["mode"]), []).append(row)
        rows: list[list[object]] = []
        for (peer, mode), found in groups.items():
            cells = (f"*{r['label']}*" if r["toy"] else r["label"] for r in found)
            games = ", ".join(f"{cell} {r['per_1000_loops']:.3g}" for cell, r in zip(cells, found, strict=True))
            rates = sorted(r["per_second"] for r in found)
            span = " to ".join(dict.fromkeys(map(_kilo, (rates[0], rates[-1]))))
            at_once = " or ".join(f"{n:,}" for n in sorted({r["batch"] for r in found}))
            rows.append([libraries[peer]["title"], f"`{mode}`", at_once, games, span])
        head = ["library", "way", "games at once", f"{unit} per 1,000 empty loops", f"{unit} per CPU second"]
        text += _table(head, rows) + "\n"
    versions = "; ".join(
        f"{library['title']}: " + ", ".join(f"{name} {number}" for name, number in library["versions"].items())
        for library in libraries.values()
    )
    return f"{text}`{measured['facts']['command']}` · {measured['facts']['machine']}\n\n{versions}\n"


def kernels(game: str) -> str:
    """Nanoseconds of each function of the contract."""
    measured = _measured(f"kernels_{game}")
    if measured is None:
        return ""
    rows: list[list[object]] = [[name, nanoseconds] for name, nanoseconds in measured["nanoseconds"].items()]
    return _table(["call", "ns"], rows)


def results(game: str) -> str:
    """What the main job printed."""
    folder = f"benchmarks/results/main_job_{game}"
    path = ROOT / folder / "results.md"
    if not path.exists():
        return ""
    _, text = path.read_text("utf-8").split("\n", 1)  # its heading
    return "What the first command above printed:\n" + text.replace("](curve.png)", f"]({folder}/curve.png)")


def _interval(margin: dict[str, float]) -> str:
    return f"{margin['mean']:+.2f} [{margin['low']:+.2f}, {margin['high']:+.2f}]"


def _trained(rows: list[dict[str, Any]], head: str, column: str) -> str:
    """A table of trainings: one column that tells them apart, cost, and the margin against each baseline."""
    names = list(rows[0]["margins"])
    cells: list[list[object]] = [
        [
            row[column],
            f"{row['steps']:,}",
            f"{row['cpu_minutes']['total']:.1f}",
            f"{row['policy_entropy']:.2f}",
            *(_interval(row["margins"][name]) for name in names),
        ]
        for row in rows
    ]
    return _table([head, "decisions", "CPU-minutes", "entropy at the end", *(f"against `{n}`" for n in names)], cells)


def _made_with(facts: dict[str, Any]) -> str:
    """Command, machine and versions of a measurement."""
    versions = ", ".join(f"{name} {number}" for name, number in facts.get("versions", {}).items())
    return f"\n`{facts['command']}` · {facts['machine']}{'; ' * bool(versions)}{versions}\n"


def baselines(game: str) -> str:
    """How strong the baselines are against each other."""
    measured = _measured(f"baselines_{game}")
    if measured is None:
        return ""
    rows: list[list[object]] = []
    for row in measured["rows"]:
        share, timing = row["win_share"], row["timing"]
        rows.append(
            [
                row["num_players"],
                f"`{row['agent']}`",
                f"`{row['opponent']}`",
                row["deals"],
                f"{share['mean']:.3f} [{share['low']:.3f}, {share['high']:.3f}]",
                _interval(row["margin"]),
                f"{row['variance_factor']:.2f}",
                f"{timing['p50_ms']:.3f}, {timing['p99_ms']:.3f}",
            ]
        )
    head = ["players", "agent", "against", "deals", "win share", "margin", "duplicates", "ms a decision (p50, p99)"]
    return _table(head, rows) + _made_with(measured["facts"])


def counters(game: str) -> str:
    """What memory is worth, and which threshold for arming wins."""
    measured = _measured(f"counters_{game}")
    if measured is None:
        return ""

    def cell(share: dict[str, float]) -> str:
        return f"{share['mean']:.3f} [{share['low']:.3f}, {share['high']:.3f}]"

    rows: list[list[object]] = [
        [
            "the whole bowl" if row["span"] == 60 else f"{row['span']} cards",
            "yes" if row["arms"] else "no",
            cell(row["counter_against_three"]),
            cell(row["one_against_counters"]),
        ]
        for row in measured["rows"]
    ]
    head = ["they remember", "and arm", "one counter against three of them", "one of them against three counters"]
    text = _table(head, rows)
    levels: list[list[object]] = [
        ["never" if row["threshold"] > 1 else f"from {row['threshold']}", cell(row["against_three"])]
        for row in measured["thresholds"]
    ]
    text += "\n" + _table(["a counter that arms", "against three with the default"], levels)
    first: list[list[object]] = [
        [n, *map(cell, found), *[""] * (6 - len(found))] for n, found in measured["places"].items()
    ]
    text += "\n" + _table(["counters", "the starter", "next", "third", "fourth", "fifth", "sixth"], first)
    return text + _made_with(measured["facts"])


def sweep(game: str) -> str:
    """Entropy coefficients and what became of them."""
    measured = _measured(f"sweep_{game}")
    if measured is None:
        return ""
    return _trained(measured["rows"], "entropy coefficient", "entropy") + _made_with(measured["facts"])


def strength(game: str) -> str:
    """The default training with several seeds, and with raw observations."""
    measured, raw = _measured(f"strength_{game}"), _measured(f"strength_raw_{game}")
    if measured is None:
        return ""
    rows = [{**row, "told": f"derived features, seed {row['seed']}"} for row in measured["rows"]]
    made = _made_with(measured["facts"])
    if raw is not None:
        rows += [{**row, "told": f"raw observations, seed {row['seed']}"} for row in raw["rows"]]
        made += _made_with(raw["facts"])
    return _trained(rows, "fed", "told") + made


def training(game: str) -> str:
    """Learner decisions per CPU second, and where the time goes."""
    measured = _measured(f"training_{game}")
    if measured is None:
        return ""
    rows: list[list[object]] = []
    for row in measured["rows"]:
        time = row["time"]
        games = f"{time['games and opponents']:.0%}"
        if "of these, opponents" in time:
            games += f" (opponents {time['of these, opponents']:.0%})"
        rate = f"{row['decisions_per_second']:,} ({row['lowest']:,} to {row['highest']:,})"
        rows.append([row["route"], rate, f"{row['ratio']:.1f}", f"{time['update']:.0%}", games])
    head = ["route", "learner decisions per CPU second", "against DummyVecEnv", "time in the update", "in games"]
    facts = measured["facts"]
    layers = " and ".join(map(str, facts["hidden"]))
    inputs = " or ".join(f"{size} {name} inputs" for name, size in facts["inputs"].items())
    what = (
        "Each row against the one of DummyVecEnv that is fed the same; opponents play at random unless said otherwise. "
        f"Layers of {layers} on {inputs}, {facts['epochs']} epoch{'s' * (facts['epochs'] > 1)} in batches of "
        f"{facts['batch_size']:,}, {facts['per_update']:,} decisions per update, one thread. "
        "The rest of the time is the policy choosing.\n\n"
    )
    return what + _table(head, rows) + _made_with(facts)


def threads(game: str) -> str:
    """Two threads against one."""
    measured = _measured(f"threads_{game}")
    if measured is None:
        return ""
    rows: list[list[object]] = [
        [f"{row['games']:,}", row["ratio"], f"{row['quartiles'][0]} to {row['quartiles'][2]}"]
        for row in measured["rows"]
    ]
    return _table(["games", "times as fast", "half of the repeats"], rows) + _made_with(measured["facts"])


def against(name: str) -> str:
    """This version against an earlier one: the median ratio of each row, game by game."""
    measured = _measured(f"against_{name}")
    if measured is None:
        return ""
    ratios: dict[str, dict[str, float]] = {}
    for row in measured["rows"]:
        game = " ".join([row["game"], *row["options"].values()])
        ratios.setdefault(row["row"], {})[game] = row["ratio"]
    games = list(dict.fromkeys(game for found in ratios.values() for game in found))
    rows: list[list[object]] = [[row, *(found.get(game, "") for game in games)] for row, found in ratios.items()]
    facts = measured["facts"]
    further = " / ".join(str(seconds) for seconds in facts["further_games_cpu_s"])
    first = facts["first_game_cpu_s"]
    said = f"From an empty cache the first game takes {first} CPU s in this version, each further one"
    return _table(["row", *games], rows) + f"\n{said} of the process {further}.\n" + _made_with(facts)


PARTS: dict[str, Callable[[str], str]] = {
    "kernels": kernels,
    "options": options,
    "baselines": baselines,
    "blocks": blocks,
    "counters": counters,
    "actions": actions,
    "against": against,
    "throughput": throughput,
    "peers": peers,
    "results": results,
    "strength": strength,
    "sweep": sweep,
    "threads": threads,
    "training": training,
}


def generated(text: str) -> str:
    """A page with its generated parts written anew."""

    def fill(match: re.Match[str]) -> str:
        part, game = match.group(2).split()
        return match.group(1) + PARTS[part](game) + match.group(3)

    return MARK.sub(fill, text)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the generated parts of the docs.")
    parser.add_argument("--check", action="store_true", help="fail on a difference instead of writing")
    args = parser.parse_args()
    stale = []
    for page in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]:
        text = page.read_text("utf-8")
        if generated(text) != text:
            stale.append(page.name)
            if not args.check:
                page.write_text(generated(text), "utf-8")
    missing = [game for game in GAMES if not (DOCS / "games" / f"{game}.md").exists()]
    if args.check and (stale or missing):
        sys.exit(f"stale pages {stale}, games without a page {missing}: run `python docs/generate.py`")


if __name__ == "__main__":
    main()

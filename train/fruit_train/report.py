"""What a run leaves behind for readers: results.json, results.md and curve.png."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fruit_agents.arena import MatchResult, to_markdown
from fruit_envs.base.files import replace_file, replacing
from fruit_envs.runtime.game import Game
from fruit_train.args import Args
from fruit_train.curve import as_json
from fruit_train.facts import machine, versions

__all__ = ["draw_curve", "write_results"]

Rows = Sequence[dict[str, float]]


def write_results(
    folder: Path,
    args: Args,
    game: Game,
    command: str,
    matches: Sequence[MatchResult],
    rows: Rows,
    *,
    illegal: int,
    training_cpu: float,
    total_cpu: float,
) -> None:
    """Write results.json and results.md.

    Parameters
    ----------
    folder
        The run folder.
    args, game, command
        What was asked for.
    matches
        Against each baseline.
    rows
        The learning curve.
    illegal
        Illegal actions in training.
    training_cpu, total_cpu
        CPU-minutes at the end of the training, its measurements included, and now.
    """
    steps = int(rows[-1]["steps"])
    facts: dict[str, Any] = {
        "command": command,
        "game": game.name,
        "env_id": game.env_id,
        "options": dict(game.options),
        "seed": args.seed,
        "steps": steps,
        "complete": steps >= args.total_steps,
        "cpu_minutes": {"training": round(training_cpu, 3), "total": round(total_cpu, 3)},
        "illegal": {"training": illegal, "evaluation": sum(match.illegal for match in matches)},
        "machine": machine(),
        "versions": versions(),
        "args": vars(args),
        "matches": [match.summary() for match in matches],
        "curve": as_json(rows),
    }
    replace_file(folder / "results.json", json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    libraries = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    text = [
        f"# {game.title}, {game.num_players} players",
        to_markdown(matches).rstrip(),
        "Margins are points: own score minus the mean of the others'; 95 % intervals in brackets.",
        f"`{command}`, seed {args.seed}",
        f"{steps:,} decisions, {total_cpu:.1f} CPU-minutes in all ({training_cpu:.1f} for the training), "
        f"{illegal} illegal actions in training.",
        f"{facts['machine']}; {libraries}",
        "![Learning curve](curve.png)",
    ]
    replace_file(folder / "results.md", "\n\n".join(text) + "\n")


def draw_curve(path: Path, args: Args, game: Game, rows: Rows) -> None:
    """Draw the learning curve: margin against the baselines, and in training, by decisions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.8), layout="constrained")
    axes = figure.subplots()
    steps = [row["steps"] for row in rows]
    for number, name in enumerate(args.baselines):
        color = f"C{number}"
        axes.plot(steps, [row[name] for row in rows], "o-", color=color, markersize=3, label=f"against {name}")
        low, high = ([row[f"{name}_{side}"] for row in rows] for side in ("low", "high"))
        axes.fill_between(steps, low, high, color=color, alpha=0.15, linewidth=0)
    if game.options["reward"] == "margin":
        label = "in training (against the league, actions sampled)"
        axes.plot(steps, [row["train_margin"] for row in rows], "--", color="0.4", label=label)
    axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xlabel("decisions of the learner")
    axes.set_ylabel("margin per game (points)")
    axes.set_title(
        f"{game.title}, {game.num_players} players: MaskablePPO in self-play, seed {args.seed}\n"
        f"{args.checkpoint_deals} duplicate deals a point, shaded 95 % intervals",
        fontsize=10,
    )
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M" if value else "0")
    axes.grid(alpha=0.25)
    axes.legend(fontsize=8)
    with replacing(path) as part:
        figure.savefig(part, dpi=120, format="png")

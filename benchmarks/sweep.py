"""Trains with several entropy coefficients and seeds, and tells how strong each policy became.

    python benchmarks/sweep.py --entropy 0 0.05 0.1 0.2 0.4 --total-steps 2000000 --json FILE
    python benchmarks/sweep.py --seeds 0 1 2 --json FILE    # the default settings, three times

Runs that are finished in the runs folder are taken as they are, so that a stopped sweep goes on with the next one.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from fruit_train.facts import machine, versions


def finished(folder: Path, command: str) -> dict[str, Any] | None:
    """The results of a run that is complete and was made by this command with the same versions, else None."""
    path = folder / "results.json"
    facts: dict[str, Any] | None = json.loads(path.read_text("utf-8")) if path.exists() else None
    same = facts and facts["complete"] and facts["versions"] == versions()
    return facts if same and facts and facts["command"] == command else None


def one_run(args: argparse.Namespace, entropy: float | None, seed: int) -> dict[str, Any]:
    """Train and evaluate one policy, in a process of its own; a row of the table."""
    name = f"{args.game}-{args.num_players}-{args.features}-{entropy}-{seed}-{args.total_steps}"
    words = ["fruit-train", args.game, "--seed", seed, "--features", args.features, "--checkpoints", 4]
    words += ["--runs", args.runs, "--name", name, "--overwrite"]
    words += [] if args.num_players is None else ["--num-players", args.num_players]
    words += [] if entropy is None else ["--entropy", entropy]
    words += [] if args.total_steps is None else ["--total-steps", args.total_steps]
    words = list(map(str, words))
    facts = finished(args.runs / name, shlex.join(words))
    if facts is None:
        subprocess.run([Path(sys.executable).with_name("fruit-train"), *words[1:]], check=True)
        facts = finished(args.runs / name, shlex.join(words))
    if facts is None:
        sys.exit(f"{name} was stopped; the same command begins it anew")
    return {
        "entropy": facts["args"]["entropy"],
        "seed": seed,
        "steps": facts["steps"],
        "cpu_minutes": facts["cpu_minutes"],
        "illegal": facts["illegal"],
        "policy_entropy": facts["curve"][-1]["entropy"],
        "margins": {match["opponent"]: match["margin"] for match in facts["matches"]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Train with several entropy coefficients and seeds.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--num-players", type=int, help="by default the game's own")
    parser.add_argument("--entropy", type=float, nargs="+", default=[None], help="by default the game's own")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--features", default="auto")
    parser.add_argument("--total-steps", type=int, help="by default those of fruit-train")
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = [one_run(args, entropy, seed) for entropy in args.entropy for seed in args.seeds]
    facts = {
        "command": shlex.join(["python", "benchmarks/sweep.py", *sys.argv[1:]]),
        "machine": machine(),
        "versions": versions(),
    }
    for row in rows:
        margins = ", ".join(
            f"{name} {m['mean']:+.2f} [{m['low']:+.2f}, {m['high']:+.2f}]" for name, m in row["margins"].items()
        )
        print(f"entropy {row['entropy']}, seed {row['seed']}, {row['cpu_minutes']['total']:.1f} CPU-minutes: {margins}")
    if args.json:
        args.json.write_text(json.dumps({"game": args.game, "facts": facts, "rows": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

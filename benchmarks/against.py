"""Two versions of the project side by side: the ratio of every throughput row, and of a first step from a cold cache.

Machines differ by a factor of two from hour to hour, so both versions run in turn, and the median of the ratios of
pairs is what counts. The other version is a checkout with an environment of its own, in which it is installed:

    git worktree add ../before COMMIT && python3 -m venv ../before/.venv
    ../before/.venv/bin/pip install -c ../before/constraints.txt -e ../before
    python benchmarks/against.py ../before ../before/.venv/bin/python [--game fruitoplay] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.progress import track

HERE = Path(__file__).parents[1]
GAMES = ("fruit_cocktail", "fruitoplay", "fruity_fruit", "fruit_salad")

#: Serves the rows of one checkout's own throughput.py: a line asks for a row, and is answered with decisions a second.
WORKER = """
import json, sys
sys.path.insert(0, "benchmarks")
import fruit_envs, throughput
game = fruit_envs.load(sys.argv[1], **json.loads(sys.argv[2]))
rows = {f"{face} {n}": run for face, n, _, run in throughput.workloads(game, 1)}
for run in rows.values():
    run(0.05)
print(json.dumps(list(rows)), flush=True)
for line in sys.stdin:
    name, seconds = json.loads(line)
    count, spent = rows[name](seconds)
    print(count / spent, flush=True)
"""

FIRST = """
import resource, sys
import pettingzoo, fruit_envs
spent = []
for game in sys.argv[1:]:
    env = pettingzoo.make("aec", f"fruit/{game}-v0")
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    spent.append(usage.ru_utime + usage.ru_stime)
print(*spent)
"""


class Version:
    """A checkout and the interpreter that runs it."""

    def __init__(self, root: Path, python: str) -> None:
        self.root, self.python = root.resolve(), python

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join(map(str, (self.root, self.root / "agents", self.root / "train")))
        return os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"} | more

    def serve(self, game: str, options: dict[str, Any]) -> subprocess.Popen[str]:
        """A process that answers for the rows of one game."""
        return subprocess.Popen(
            [self.python, "-c", WORKER, game, json.dumps(options)],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def first_step(self, *games: str) -> list[float]:
        """CPU seconds of a fresh process with an empty cache until each of these games has made its first step."""
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                [self.python, "-c", FIRST, *games],
                cwd=self.root,
                env=self.environment(NUMBA_CACHE_DIR=empty, XDG_CACHE_HOME=empty),
                capture_output=True,
                text=True,
                check=True,
            )
        return [float(word) for word in done.stdout.split()]


def ask(process: subprocess.Popen[str], *question: Any) -> Any:
    """One answer of a serving process."""
    if question:
        process.stdin.write(json.dumps(question) + "\n")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]
    return json.loads(process.stdout.readline())  # type: ignore[union-attr]


def throughput(before: Version, now: Version, game: str, options: dict[str, Any], pairs: int) -> list[dict[str, Any]]:
    """The ratios now / before of every row that both have."""
    old, new = before.serve(game, options), now.serve(game, options)
    try:
        known = set(ask(old))
        names = [name for name in ask(new) if name in known]
        ratios: dict[str, list[float]] = {name: [] for name in names}
        for number in track(range(pairs), description=game):
            for name in names:
                order = (old, new) if number % 2 else (new, old)
                rate = {id(process): ask(process, name, 0.15) for process in order}
                ratios[name].append(rate[id(new)] / rate[id(old)])
    finally:
        old.kill()
        new.kill()
    return [summary(game, options, name, found) for name, found in ratios.items()]


def summary(game: str, options: dict[str, Any], row: str, ratios: list[float]) -> dict[str, Any]:
    low, middle, high = (round(x, 3) for x in statistics.quantiles(ratios, n=4))
    return {"game": game, "options": options, "row": row, "ratio": middle, "half": [low, high], "pairs": len(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("python", help="the interpreter of its environment")
    parser.add_argument("--game", action="append", choices=GAMES, help="by default all")
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--cold-pairs", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()

    before, now = Version(args.before, args.python), Version(HERE, sys.executable)
    games = args.game or list(GAMES)
    cases = [(game, {}) for game in games] + [("fruity_fruit", {"action_mode": "single"})] * ("fruity_fruit" in games)
    rows = [row for game, options in cases for row in throughput(before, now, game, options, args.pairs)]
    for game in games:
        pairs = [(before.first_step(game)[0], now.first_step(game)[0]) for _ in range(args.cold_pairs)]
        rows.append(summary(game, {}, "first step, cold cache", [new / old for old, new in pairs]))
    together = now.first_step(*games)
    further = [round(b - a, 2) for a, b in pairwise(together)]
    for row in rows:
        name = row["game"] + (" " + " ".join(row["options"].values()) if row["options"] else "")
        print(f"{name:<22}{row['row']:<24}{row['ratio']:>7.3f}   {row['half'][0]:.3f} to {row['half'][1]:.3f}")
    print(f"first step of the first game {together[0]:.2f} CPU s, of each further one {further}")
    if args.json:
        facts = {
            "command": "python benchmarks/against.py BEFORE PYTHON",
            "before": subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=before.root, text=True).strip(),
            "python": platform.python_version(),
            "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
            "first_game_cpu_s": round(together[0], 2),
            "further_games_cpu_s": further,
        }
        args.json.write_text(json.dumps({"facts": facts, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

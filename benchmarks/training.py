"""How fast MaskablePPO learns on the batch engine and on DummyVecEnv(8), side by side, and where its time goes.

The same learner (a shared ReLU trunk, the same epochs, batches and decisions per update) on one thread: on
`BatchVecEnv`, and on eight environments of `gymnasium.make` in DummyVecEnv, fed raw observations or derived features.
Learner decisions per CPU second, updates included; opponents' decisions are made and not counted. Repeats are
interleaved, and the median is reported.

    python benchmarks/training.py --game fruit_cocktail [--hidden 256 256] --json FILE
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when NumPy and torch are imported

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from fruit_agents.features import Features
from fruit_agents.policy import PolicyAgent
from fruit_envs.agents.pool import Pool
from fruit_envs.runtime.game import Game
from fruit_train.args import Args
from fruit_train.facts import machine, versions
from fruit_train.ppo import features_of, layers_of, make_games, make_model

DUMMY_ENVS = 8


class Vector(gymnasium.ObservationWrapper):  # type: ignore[type-arg]
    """The features of one game as a flat vector, as `BatchVecEnv` gives them."""

    def __init__(self, env: gymnasium.Env[Any, Any], features: Features) -> None:
        super().__init__(env)
        self.features = features
        self.observation_space = spaces.Box(-np.inf, np.inf, (features.size,), np.float32)

    def observation(self, observation: Any) -> np.ndarray:
        return self.features(observation["observation"][None])[0].astype(np.float32)

    def action_masks(self) -> np.ndarray:
        return self.env.get_wrapper_attr("action_masks")()  # type: ignore[no-any-return]


class Spent:
    """CPU seconds within some calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def watch(self, owner: Any, method: str, name: str) -> None:
        """Add up the time of an object's method."""
        inner = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.process_time()
            try:
                return inner(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began

        setattr(owner, method, timed)


def _learner(args: Args, env: Any, features: Features) -> MaskablePPO:
    """The trainer's model with a constant learning rate: this benchmark has no end towards which it would fall."""
    model = make_model(args, env, features.scale)
    model.lr_schedule = lambda _: args.learning_rate
    return model


def on_batch(args: Args, game: Game, opponents: str) -> tuple[MaskablePPO, Spent]:
    """The learner on `BatchVecEnv`."""
    features = features_of(args, game)
    pool = Pool(game, ["random"])
    env = make_games(args, game, pool, features)
    model, spent = _learner(args, env, features), Spent()
    if opponents == "self":
        pool.replace(
            [PolicyAgent(game, layers_of(model), choose="sample", features=features.name, history=args.frames)]
        )
    env.reset()
    spent.watch(model, "train", "update")
    spent.watch(env, "step_wait", "games and opponents")
    spent.watch(env.env._opponents, "play", "of these, opponents")
    return model, spent


def on_dummy(args: Args, game: Game) -> tuple[MaskablePPO, Spent]:
    """The learner on eight single environments, with as many decisions per update."""
    features = features_of(args, game)

    name = f"fruit/{game.title.replace(' ', '')}-v{game.version}"

    def make() -> Vector:
        return Vector(gymnasium.make(name, **args.game_options), features)

    steps = args.num_steps * args.num_envs // DUMMY_ENVS
    env = DummyVecEnv([make] * DUMMY_ENVS)
    words = {**vars(args), "num_envs": DUMMY_ENVS, "num_steps": steps}
    model, spent = _learner(Args(**words), env, features), Spent()
    spent.watch(model, "train", "update")
    spent.watch(env, "step_wait", "games and opponents")
    return model, spent


def measure(model: MaskablePPO, spent: Spent, seconds: float) -> tuple[float, dict[str, float]]:
    """Learner decisions per CPU second, and the share of the time spent in each part."""
    spent.seconds.clear()
    began, first = time.process_time(), model.num_timesteps
    while (elapsed := time.process_time() - began) < seconds:
        model.learn(1, reset_num_timesteps=False)  # one rollout and its update
    return (model.num_timesteps - first) / elapsed, {k: v / elapsed for k, v in spent.seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Learner decisions per CPU second.")
    parser.add_argument("--game", default="fruit_cocktail")
    parser.add_argument("--hidden", type=int, nargs="+", default=[256, 256])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0, help="of every row in every repeat")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    raw, derived = (Args(given.game, hidden=tuple(given.hidden), features=features) for features in ("raw", "auto"))
    args, game = derived, Game(derived.game, **derived.game_options)
    ours, theirs = f"BatchVecEnv({args.num_envs})", f"DummyVecEnv({DUMMY_ENVS})"
    makers: dict[str, Callable[[], tuple[MaskablePPO, Spent]]] = {
        f"{theirs}, raw": lambda: on_dummy(raw, game),
        f"{ours}, raw": lambda: on_batch(raw, game, "random"),
        f"{theirs}, derived": lambda: on_dummy(derived, game),
        f"{ours}, derived": lambda: on_batch(derived, game, "random"),
        f"{ours}, derived, opponents play the network": lambda: on_batch(derived, game, "self"),
    }
    learners = {name: make() for name, make in makers.items()}
    for learner in learners.values():
        measure(*learner, 0.1)  # compile, and begin the games
    runs: dict[str, list[tuple[float, dict[str, float]]]] = {name: [] for name in learners}
    for _ in range(given.repeats):
        for name, learner in learners.items():
            runs[name].append(measure(*learner, given.seconds))
    rows: list[dict[str, Any]] = [
        {
            "route": name,
            "decisions_per_second": round(statistics.median(rate for rate, _ in found)),
            "lowest": round(min(rate for rate, _ in found)),
            "highest": round(max(rate for rate, _ in found)),
            "time": {part: round(statistics.median(s[part] for _, s in found), 3) for part in found[0][1]},
        }
        for name, found in runs.items()
    ]
    for model, _ in learners.values():
        logged = model.logger.name_to_value
        assert 0.1 < -logged["train/entropy_loss"] < 4, f"the learner has died: {dict(logged)}"
    rates: dict[str, int] = {row["route"]: row["decisions_per_second"] for row in rows}
    for row in rows:
        fed = row["route"].split(", ")[1]
        row["ratio"] = round(row["decisions_per_second"] / rates[f"{theirs}, {fed}"], 2)
        print(row)
    if given.json:
        facts = {
            "command": shlex.join(["python", "benchmarks/training.py", *sys.argv[1:]]),
            "hidden": given.hidden,
            "inputs": {"raw": game.layout.size, "derived": features_of(args, game).size},
            "epochs": args.epochs,
            "batch_size": args.batch_size,
            "per_update": args.num_envs * args.num_steps,
            "machine": machine(),
            "versions": versions(),
        }
        given.json.write_text(json.dumps({"game": args.game, "facts": facts, "rows": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

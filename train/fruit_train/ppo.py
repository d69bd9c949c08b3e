"""Training with sb3-contrib's MaskablePPO, top to bottom: games, network, callback, `train`."""

from __future__ import annotations

import csv
import io
import math
import signal
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack
from torch import nn

from fruit_agents.arena import duplicate_match
from fruit_agents.features import Features, default_features, make_features
from fruit_agents.network import Layer
from fruit_agents.policy import PolicyAgent, save_policy
from fruit_agents.progress import counted
from fruit_envs.base.errors import InvalidOption
from fruit_envs.base.files import replace_file
from fruit_envs.faces.vector import VectorEnv
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.keys import decision_key
from fruit_train.args import Args
from fruit_train.checkpoint import read_checkpoint, restore_model, write_checkpoint
from fruit_train.facts import cpu_minutes, versions
from fruit_train.league import League
from fruit_train.vec_env import BatchVecEnv

__all__ = ["Training", "Trunk", "layers_of", "make_games", "make_model", "train"]

#: Keeps the training deals of a seed apart from everything else that a seed decides.
_DEALS = 0x7EA1

#: The set of duplicate deals for the learning curve (the final evaluation plays set 0).
CURVE_DEALS = 1

#: Episodes over which the margin in training is averaged.
_RECENT = 2_000


def features_of(args: Args, game: Game) -> Features:
    """What the network is fed."""
    return make_features(default_features(game) if args.features == "auto" else args.features, game)


def make_games(args: Args, game: Game, opponents: Any, features: Features) -> VecEnv:
    """The games, side by side in this process."""
    env = VectorEnv(game, args.num_envs, opponents=opponents, opponent_seed=args.seed, autoreset_mode="SameStep")
    games = BatchVecEnv(env, features)
    return games if args.frames == 1 else VecFrameStack(games, args.frames)


# ---- network -------------------------------------------------------------------------------------------------------


class Trunk(BaseFeaturesExtractor):
    """The ReLU layers that policy and value share.

    Parameters
    ----------
    observation_space
        Of the features.
    scale
        float32, shape (size,): brings them to about unit size.
    hidden
        Width of each layer.
    """

    def __init__(self, observation_space: Any, scale: np.ndarray, hidden: tuple[int, ...]) -> None:
        super().__init__(observation_space, hidden[-1])
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.as_tensor(scale.copy()))
        widths = (len(scale), *hidden)
        layers = [(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(widths)]
        self.layers = nn.Sequential(*(module for pair in layers for module in pair))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """What the heads get, shape (batch, hidden[-1])."""
        latent: torch.Tensor = self.layers(observations * self.scale)
        return latent


def make_model(args: Args, env: VecEnv, scale: np.ndarray) -> MaskablePPO:
    """The learner, not yet trained, on any VecEnv of flat vectors with `action_masks`; `scale` is that of one frame."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda remaining: args.learning_rate * remaining,
        n_steps=args.num_steps,
        batch_size=min(args.batch_size, args.num_steps * args.num_envs),
        n_epochs=args.epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy or 0.0,
        vf_coef=args.value,
        policy_kwargs={
            "net_arch": [],  # nothing between the shared trunk and the two heads
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"scale": np.tile(scale, args.frames), "hidden": args.hidden},
        },
        seed=args.seed,
        device="cpu",
    )


def layers_of(model: MaskablePPO) -> list[Layer]:
    """Copies of the policy's layers, from the features (the scale goes into the first) to the logits."""
    policy: Any = model.policy
    trunk: Trunk = policy.features_extractor
    linear = [*(module for module in trunk.layers if isinstance(module, nn.Linear)), policy.action_net]
    layers = [(m.weight.detach().numpy().copy(), m.bias.detach().numpy().copy()) for m in linear]
    layers[0] = (layers[0][0] * trunk.scale.numpy(), layers[0][1])
    return layers


# ---- while training ------------------------------------------------------------------------------------------------


class Training(BaseCallback):
    """Keeps the league, shows progress; now and then saves everything and measures the policy for the learning curve.

    Attributes
    ----------
    rows : list of dict
        One per measurement: steps, cpu_minutes, entropy (of the policy, in nats), train_margin (mean over recent
        episodes, in points, or in rewards without reward="margin"), and for each baseline the margin in points with its
        95 % interval (NAME, NAME_low, NAME_high).
    illegal : int
        Illegal actions in training; masks leave none.
    cpu_before : float
        CPU-minutes spent before the run was resumed.
    stopping : bool
        Whether the training is to end at the next step.
    """

    def __init__(self, args: Args, game: Game, folder: Path, command: str) -> None:
        super().__init__()
        self.args, self.game, self.folder, self.command = args, game, folder, command
        self.features = features_of(args, game)
        self.league = League(args, game, self.features.name)
        self.games = make_games(args, game, self.league.pool, self.features)
        self._form: dict[str, Any] = {
            "choose": args.choose,
            "features": self.features.name,
            "history": args.frames,
        }
        self.stopping = False
        self.rows: list[dict[str, float]] = []
        self.illegal = 0
        self.cpu_before = 0.0
        self._returns = np.zeros(args.num_envs)
        self._finished: deque[float] = deque(maxlen=_RECENT)
        self._unit = float(game.rules[0]["margin_scale"]) if game.options["reward"] == "margin" else 1.0
        self._checkpoints = 0
        self._at_checkpoint = False
        rollout = args.num_steps * args.num_envs  # the last one is always played to its end
        total = math.ceil(args.total_steps / rollout) * rollout
        self._total = total

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Within it, the first Ctrl-C ends the training in good order; the second one interrupts as usual."""
        before = signal.getsignal(signal.SIGINT)

        def stop(_signal: int, _frame: FrameType | None) -> None:
            self.stopping = True
            signal.signal(signal.SIGINT, before)
            sys.stderr.write("\nStopping the training; Ctrl-C again to stop at once.\n")

        signal.signal(signal.SIGINT, stop)
        done = self.model.num_timesteps if self._at_checkpoint else 0
        try:
            with counted(self._total, f"training for {self.game.name}, decisions", done) as self._counter:
                yield
        finally:
            signal.signal(signal.SIGINT, before)

    @property
    def learner(self) -> MaskablePPO:
        """The model."""
        return self.model  # type: ignore[return-value]

    def _on_rollout_start(self) -> None:
        if self._at_checkpoint:  # just resumed
            self._at_checkpoint = False
            return
        self.league.begin_rollout(layers_of(self.learner))
        if self.num_timesteps >= self._checkpoints * self.args.total_steps / self.args.checkpoints:
            self._checkpoints += 1
            self.measure()
            self._write_checkpoint()
            self._deal_anew()

    def _on_step(self) -> bool:
        self._returns += self.locals["rewards"]
        for i in np.flatnonzero(self.locals["dones"]):
            self._finished.append(float(self._returns[i] * self._unit))
            self._returns[i] = 0.0
            self.illegal += "illegal" in self.locals["infos"][i]
        self._counter.advance(self.args.num_envs)
        return not self.stopping

    def _deal_anew(self) -> None:
        """Begin new games, as a resumed training does."""
        model = self.learner
        self.games.seed(decision_key(_DEALS, self.args.seed, 0, self._checkpoints) >> 12)
        model._last_obs = np.asarray(self.games.reset())
        model._last_episode_starts = np.ones(self.args.num_envs, bool)
        self._returns[:] = 0.0

    # ---- what is saved ---------------------------------------------------------------------------------------------

    def _write_checkpoint(self) -> None:
        facts = {
            "args": self.args.decisive,
            "rollouts": self.league.rollouts,
            "checkpoints": self._checkpoints,
            "rows": self.rows,
            "illegal": self.illegal,
            "finished": list(self._finished),
            "cpu_minutes": self.cpu_before + cpu_minutes(),
        }
        write_checkpoint(self.folder, self.learner, self.league.past, facts)

    def resume(self, model: MaskablePPO) -> None:
        """Go on where the run's checkpoint was written.

        Raises
        ------
        InvalidOption
            Where there is none, or other arguments made it.
        """
        tensors, learner, facts = read_checkpoint(self.folder)
        for name, value in self.args.decisive.items():
            if facts["args"].get(name) != value:
                raise InvalidOption(
                    f"--resume: expected the run's own {name} ({facts['args'].get(name)!r}), got {value!r}"
                )
        past = restore_model(model, tensors, learner)
        self.league.restore(past, facts["rollouts"], layers_of(model))
        self.rows, self.illegal, self.cpu_before = facts["rows"], facts["illegal"], facts["cpu_minutes"]
        self._finished.extend(facts["finished"])
        self._checkpoints, self._at_checkpoint = facts["checkpoints"], True
        self.model = model
        self._deal_anew()

    def measure(self) -> None:
        """Save the policy and add a row to the curve, here and in curve.csv."""
        layers = layers_of(self.learner)
        logged = self.model.logger.name_to_value
        row = {
            "steps": float(self.model.num_timesteps),
            "cpu_minutes": self.cpu_before + cpu_minutes(),
            "entropy": -float(logged.get("train/entropy_loss", np.nan)),
            "train_margin": float(np.mean(self._finished)) if self._finished else np.nan,
        }
        self._save_policy(layers)
        agent = PolicyAgent(self.game, layers, **self._form)
        for name in self.args.baselines:
            found = duplicate_match(
                self.game, agent, name, deals=self.args.checkpoint_deals, seed=CURVE_DEALS, progress=False
            ).margin
            row |= {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
            self.model.logger.record(f"margin/{name}", found.mean)
        self.rows.append(row)
        self.model.logger.dump(self.model.num_timesteps)
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, list(row))
        table.writeheader()
        table.writerows(self.rows)
        replace_file(self.folder / "curve.csv", text.getvalue().encode())
        margins = [f"{row[name]:+.1f} against {name}" for name in self.args.baselines]
        self._counter.note(", ".join(margins))

    def _save_policy(self, layers: list[Layer]) -> None:
        training = {
            "command": self.command,
            "args": vars(self.args),
            "seed": self.args.seed,
            "steps": self.model.num_timesteps,
            "cpu_minutes": round(self.cpu_before + cpu_minutes(), 3),
            "versions": versions(),
        }
        save_policy(
            self.folder,
            self.game,
            layers,
            training=training,
            **self._form,
        )


def train(args: Args, game: Game, folder: Path, command: str) -> Training:
    """Train, and leave the policy in the folder.

    Parameters
    ----------
    args, game
        What to do; the game has the options of `args.game_options`.
    folder
        The run folder, which exists.
    command
        The command line, for the record.

    Returns
    -------
    Training
        With the learning curve; its last row belongs to the saved policy.
    """
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other
    torch.distributions.Distribution.set_default_validate_args(False)  # masked logits are valid; checking them costs
    training = Training(args, game, folder, command)
    model = make_model(args, training.games, training.features.scale)
    model.set_logger(configure(str(folder / "tensorboard"), ["tensorboard"]))
    if args.resume:
        training.resume(model)
    with training.until_interrupted():
        left = args.total_steps - model.num_timesteps
        model.learn(left, callback=training, reset_num_timesteps=not args.resume)
        training.measure()
    model.logger.close()
    training.games.close()
    return training

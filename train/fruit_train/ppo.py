"""Training with sb3-contrib's MaskablePPO, top to bottom: environments, network, callback, `train`."""

from __future__ import annotations

import csv
import math
import signal
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv
from torch import nn
from tqdm import tqdm

from fruit_agents.arena import duplicate_match
from fruit_agents.network import Layer
from fruit_agents.policy import PolicyAgent, save_policy
from fruit_agents.resolve import resolve
from fruit_envs.core.game import Game
from fruit_envs.core.keys import decision_key
from fruit_envs.interfaces.single_agent import SingleAgent
from fruit_train.args import Args
from fruit_train.facts import cpu_minutes, versions

__all__ = ["Curve", "Trunk", "layers_of", "make_model", "make_vec_env", "train"]

#: Keeps the training deals of a seed apart from everything else that a seed decides.
_DEALS = 0x7EA1

#: The set of duplicate deals for the learning curve (the final evaluation plays set 0).
CURVE_DEALS = 1

#: Episodes over which the margin in training is averaged.
_RECENT = 2_000


# ---- environments --------------------------------------------------------------------------------------------------


def make_env(game: Game, opponent: str, opponent_seed: int, worker: bool) -> SingleAgent:
    """One environment; a function of the module, so that it reaches a spawned process."""
    if worker:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the trainer's to handle
    return SingleAgent(game, opponents=resolve(opponent, game), opponent_seed=opponent_seed)


def make_vec_env(args: Args, game: Game) -> VecEnv:
    """The environments; the opponents take turns over them."""
    subproc = args.vec == "subproc"
    makers: list[Any] = [
        partial(make_env, game, args.opponents[i % len(args.opponents)], args.seed, subproc)
        for i in range(args.num_envs)
    ]
    return SubprocVecEnv(makers, start_method=args.start_method) if subproc else DummyVecEnv(makers)


# ---- network -------------------------------------------------------------------------------------------------------


class Trunk(BaseFeaturesExtractor):
    """The ReLU layers that policy and value share. The mask decides what may be chosen, and is no input.

    Parameters
    ----------
    observation_space
        With the keys "observation" and "action_mask".
    scale
        float32, shape (size,): brings the observation to about unit size.
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

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Features, shape (batch, hidden[-1]), of a batch of observations."""
        features: torch.Tensor = self.layers(observations["observation"] * self.scale)
        return features


def make_model(args: Args, game: Game, env: VecEnv) -> MaskablePPO:
    """The learner, not yet trained."""
    model = MaskablePPO(
        "MultiInputPolicy",
        env,
        learning_rate=lambda remaining: args.learning_rate * remaining,
        n_steps=args.num_steps,
        batch_size=min(args.batch_size, args.num_steps * args.num_envs),
        n_epochs=args.epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy,
        vf_coef=args.value,
        policy_kwargs={
            "net_arch": [],  # nothing between the shared trunk and the two heads
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"scale": game.layout.scale, "hidden": args.hidden},
        },
        seed=args.seed,
        device="cpu",
    )
    env.seed(decision_key(_DEALS, args.seed, 0, 0) >> 12)  # SB3 has seeded the environments with the plain seed
    return model


def layers_of(model: MaskablePPO) -> list[Layer]:
    """Copies of the policy's layers, from the raw observation (the scale goes into the first) to the logits."""
    policy: Any = model.policy
    trunk: Trunk = policy.features_extractor
    linear = [*(module for module in trunk.layers if isinstance(module, nn.Linear)), policy.action_net]
    layers = [(m.weight.detach().numpy().copy(), m.bias.detach().numpy().copy()) for m in linear]
    layers[0] = (layers[0][0] * trunk.scale.numpy(), layers[0][1])
    return layers


# ---- while training ------------------------------------------------------------------------------------------------


class Curve(BaseCallback):
    """Shows progress; now and then saves the policy and measures it for the learning curve.

    Attributes
    ----------
    rows : list of dict
        One per measurement: steps, cpu_minutes, entropy (of the policy, in nats), train_margin (mean over recent
        episodes, in points, or in rewards without reward="margin"), and for each baseline the margin in points with its
        95 % interval (NAME, NAME_low, NAME_high).
    illegal : int
        Illegal actions in training; masks leave none.
    stopping : bool
        Whether the training is to end at the next step.
    """

    def __init__(self, args: Args, game: Game, folder: Path, command: str) -> None:
        super().__init__()
        self.args, self.game, self.folder, self.command = args, game, folder, command
        self.stopping = False
        self.rows: list[dict[str, float]] = []
        self.illegal = 0
        self._returns = np.zeros(args.num_envs)
        self._finished: deque[float] = deque(maxlen=_RECENT)
        self._unit = float(game.rules[0]["margin_scale"]) if game.options["reward"] == "margin" else 1.0
        self._next = 0.0
        rollout = args.num_steps * args.num_envs  # the last one is always played to its end
        total = math.ceil(args.total_steps / rollout) * rollout
        self._bar = tqdm(total=total, unit=" decisions", unit_scale=True, smoothing=0.05, dynamic_ncols=True)

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Within it, the first Ctrl-C ends the training in good order; the second one interrupts as usual."""
        before = signal.getsignal(signal.SIGINT)

        def stop(_signal: int, _frame: FrameType | None) -> None:
            self.stopping = True
            signal.signal(signal.SIGINT, before)
            sys.stderr.write("\nStopping the training; Ctrl-C again to stop at once.\n")

        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._bar.close()

    def _on_step(self) -> bool:
        self._returns += self.locals["rewards"]
        for i in np.flatnonzero(self.locals["dones"]):
            self._finished.append(self._returns[i] * self._unit)
            self._returns[i] = 0.0
            self.illegal += "illegal" in self.locals["infos"][i]
        self._bar.update(self.args.num_envs)
        return not self.stopping

    def _on_rollout_end(self) -> None:
        if self._next <= self.num_timesteps < self.args.total_steps:
            self._next += self.args.total_steps / self.args.checkpoints
            self.measure()

    def measure(self) -> None:
        """Save the policy and add a row to the curve, here and in curve.csv."""
        layers = layers_of(self.model)  # type: ignore[arg-type]
        logged = self.model.logger.name_to_value
        row = {
            "steps": float(self.num_timesteps),
            "cpu_minutes": cpu_minutes(),
            "entropy": -float(logged.get("train/entropy_loss", np.nan)),
            "train_margin": float(np.mean(self._finished)) if self._finished else np.nan,
        }
        self.save(layers)
        agent = PolicyAgent(self.game, layers, choose=self.args.choose)
        for name in self.args.baselines:
            found = duplicate_match(
                self.game, agent, name, deals=self.args.checkpoint_deals, seed=CURVE_DEALS, progress=False
            ).margin
            row |= {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}
        self.rows.append(row)
        with (self.folder / "curve.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, list(row))
            table.writeheader()
            table.writerows(self.rows)
        self._bar.set_postfix({name: f"{row[name]:+.1f}" for name in self.args.baselines})

    def save(self, layers: list[Layer]) -> None:
        """Save the policy with the facts of its making."""
        training = {
            "command": self.command,
            "args": vars(self.args),
            "seed": self.args.seed,
            "steps": self.num_timesteps,
            "cpu_minutes": round(cpu_minutes(), 3),
            "versions": versions(),
        }
        save_policy(self.folder, self.game, layers, choose=self.args.choose, training=training)


def train(args: Args, game: Game, folder: Path, command: str) -> Curve:
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
    Curve
        With the learning curve; its last row belongs to the saved policy.
    """
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other
    env = make_vec_env(args, game)
    model = make_model(args, game, env)
    curve = Curve(args, game, folder, command)
    with curve.until_interrupted():
        model.learn(args.total_steps, callback=curve, log_interval=sys.maxsize)  # SB3's own tables stay unprinted
        curve.measure()
    env.close()
    return curve

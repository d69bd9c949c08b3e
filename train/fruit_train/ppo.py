"""Training with sb3-contrib's MaskablePPO, top to bottom: games, network, learner, what goes on between rollouts.

Whom the learner meets is in `league`, how it is measured in `curve`, what is saved in `folder` and `checkpoint`.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack
from torch import nn

from fruit_agents.features import Features, default_features, make_features
from fruit_agents.network import Layer
from fruit_agents.policy import PolicyAgent
from fruit_agents.progress import Counter, counted
from fruit_envs.faces.vector import VectorEnv
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.keys import decision_key
from fruit_train.args import Args
from fruit_train.checkpoint import read_facts, read_learner, restore_learner, write_checkpoint
from fruit_train.curve import Curve, Episodes, as_json
from fruit_train.events import Events
from fruit_train.facts import cpu_minutes
from fruit_train.folder import Run
from fruit_train.interrupt import until_interrupted
from fruit_train.league import League
from fruit_train.vec_env import BatchVecEnv

__all__ = ["Training", "Trunk", "layers_of", "make_games", "make_model", "train"]

#: Keeps the training deals of a seed apart from everything else that a seed decides.
_DEALS = 0x7EA1


# ---- games ---------------------------------------------------------------------------------------------------------


def features_of(args: Args, game: Game) -> Features:
    """What the network is fed."""
    return make_features(default_features(game) if args.features == "auto" else args.features, game)


def make_games(args: Args, game: Game, opponents: Any, features: Features) -> VecEnv:
    """The games, side by side in this process."""
    env = VectorEnv(game, args.num_envs, opponents=opponents, opponent_seed=args.seed, autoreset_mode="SameStep")
    games = BatchVecEnv(env, features)
    return games if args.frames == 1 else VecFrameStack(games, args.frames)


# ---- network and learner -------------------------------------------------------------------------------------------


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


# ---- training ------------------------------------------------------------------------------------------------------


def train(training: Training) -> None:
    """Train, and leave the policy in the folder of the run, which is open; the curve's last row belongs to it.

    Raises
    ------
    InvalidFile, InvalidOption
        With --resume, for a checkpoint that is damaged, or that other arguments made; nothing has been touched then.
    OSError
        Where a file cannot be written; names it.
    """
    torch.set_num_threads(1)  # the network is small: more threads only wait for each other
    torch.distributions.Distribution.set_default_validate_args(False)  # masked logits are valid; checking them costs
    args, run = training.args, training.run
    model = make_model(args, training.games, training.features.scale)
    if args.resume:
        training.resume(model)
    run.begin()
    model.set_logger(Logger(str(run.path), [Events(run.events)]))
    done, rollout = model.num_timesteps, args.num_steps * args.num_envs
    total = math.ceil(args.total_steps / rollout) * rollout  # the last rollout is always played to its end
    what = f"training for {training.game.name}, decisions"
    with counted(total, what, done) as training.counter, until_interrupted(training.stop):
        model.learn(args.total_steps - done, callback=training, reset_num_timesteps=not args.resume)
        training.measure()
    training.games.close()


class Training(BaseCallback):
    """What goes on between rollouts: the league is seated; at a checkpoint all is measured and saved, and dealt anew.

    Attributes
    ----------
    league, games, curve, episodes
        Whom the learner meets and in which games, and how it fares.
    counter : fruit_agents.progress.Counter
        Told how far it has come.
    stopping : bool
        Whether the training is to end at the next step.
    """

    def __init__(self, args: Args, game: Game, run: Run) -> None:
        super().__init__()
        self.args, self.game, self.run = args, game, run
        self.features = features_of(args, game)
        self.league = League(args, game, self.features.name)
        self.games = make_games(args, game, self.league.pool, self.features)
        self.curve, self.episodes = Curve(args, game), Episodes(args, game)
        self.counter = Counter()
        self.stopping = False
        self._checkpoints = 0
        self._at_checkpoint = False  # resumed, and no rollout has begun since
        self._cpu_before = 0.0

    @property
    def learner(self) -> MaskablePPO:
        """The model."""
        return self.model  # type: ignore[return-value]

    @property
    def cpu_minutes(self) -> float:
        """What the run has cost, before it was resumed too."""
        return self._cpu_before + cpu_minutes()

    def stop(self) -> None:
        """End the training in good order, at the next step."""
        self.stopping = True

    def _on_rollout_start(self) -> None:
        if self._at_checkpoint:
            self._at_checkpoint = False
            return
        self.league.begin_rollout(layers_of(self.learner))
        if self.num_timesteps >= self._checkpoints * self.args.total_steps / self.args.checkpoints:
            self._checkpoints += 1
            self.measure()
            self.save()
            self._deal_anew()

    def _on_step(self) -> bool:
        self.episodes.add(self.locals["rewards"], self.locals["dones"], self.locals["infos"])
        self.counter.advance(self.args.num_envs)
        return not self.stopping

    def _deal_anew(self) -> None:
        """Begin new games, as a resumed training does."""
        model = self.learner
        self.games.seed(decision_key(_DEALS, self.args.seed, 0, self._checkpoints) >> 12)
        model._last_obs = np.asarray(self.games.reset())
        model._last_episode_starts = np.ones(self.args.num_envs, bool)
        self.episodes.begin()

    def measure(self) -> None:
        """Save the policy as it is, and add a row to the curve."""
        layers, steps = layers_of(self.learner), self.model.num_timesteps
        logger = self.model.logger
        facts = {
            "steps": float(steps),
            "cpu_minutes": self.cpu_minutes,
            "entropy": -float(logger.name_to_value.get("train/entropy_loss", math.nan)),
            "train_margin": self.episodes.margin,
        }
        self.run.save_policy(layers, self.features.name, steps=steps, cpu_minutes=self.cpu_minutes)
        agent = PolicyAgent(
            self.game, layers, choose=self.args.choose, features=self.features.name, history=self.args.frames
        )
        row = self.curve.measure(agent, **facts)
        for name in self.args.baselines:
            logger.record(f"margin/{name}", row[name])
        logger.dump(steps)
        self.run.save_curve(self.curve.table())
        self.counter.note(", ".join(f"{row[name]:+.1f} against {name}" for name in self.args.baselines))

    def save(self) -> None:
        """Write the checkpoint."""
        facts = {
            "args": self.args.decisive,
            "rollouts": self.league.rollouts,
            "checkpoints": self._checkpoints,
            "rows": as_json(self.curve.rows),
            "illegal": self.episodes.illegal,
            "finished": list(self.episodes.recent),
            "cpu_minutes": self.cpu_minutes,
        }
        write_checkpoint(self.run.checkpoint, self.learner, self.league.past, facts)

    def resume(self, model: MaskablePPO) -> None:
        """Go on where the run's checkpoint was written.

        Raises
        ------
        InvalidFile, InvalidOption
            Where it is damaged, or other arguments made it.
        """
        path = self.run.checkpoint
        facts = read_facts(path, self.args, self.curve.columns)
        tensors = read_learner(path, model, layers_of(model), facts)
        past = restore_learner(model, tensors, facts)
        self.league.restore(past, facts["rollouts"], layers_of(model))
        self.curve.rows = facts["rows"]
        self.episodes.illegal = facts["illegal"]
        self.episodes.recent.extend(facts["finished"])
        self._checkpoints, self._at_checkpoint = facts["checkpoints"], True
        self._cpu_before = facts["cpu_minutes"]
        self.model = model
        self._deal_anew()

"""What `fruit-train` can be told."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from time import strftime
from typing import Any, Literal

from tyro.conf import Positional, UseAppendAction

from fruit_agents import fitting
from fruit_agents.options import game_options
from fruit_envs.base.errors import InvalidOption
from fruit_envs.runtime.game import Game

__all__ = ["ENTROPY", "PAST", "SELF", "Args"]

#: Entropy coefficients found by `benchmarks/sweep.py`, in units of normalised advantage.
ENTROPY = {"fruit_cocktail": 0.1}
_ENTROPY = 0.1  # of other games

#: How far back the network sees in games played from memory.
_REMEMBERED = 24

#: In `--opponents`: the learner as it was when the latest rollout began, and earlier snapshots of it.
SELF, PAST = "self", "past"

#: Bounds of settings that are not counts.
_RANGES = (
    ("seed", 0, 2**32 - 1),  # PyTorch's and NumPy's generators take no more
    ("learning_rate", 0.0, 1.0),
    ("gamma", 0.0, 1.0),
    ("gae_lambda", 0.0, 1.0),
    ("clip", 0.0, 1.0),
    ("value", 0.0, 1e6),
)

#: What may differ where a run is resumed: what is done with the trained policy, and the words for it.
_FREE = ("resume", "overwrite", "runs", "deals")


@dataclass
class Args:
    """Train MaskablePPO on a game by self-play, then play the baselines on duplicate deals.

    The learner meets its own snapshots and named agents, drawn anew for every game; its seat is drawn too. The run
    folder gets policy.safetensors and policy.json (also while training), checkpoint.safetensors, curve.csv, curve.png,
    tensorboard/, results.json and results.md. Ctrl-C ends the training early and goes on with what was learnt; a second
    one ends the program. The same command with --resume goes on from the last checkpoint of a run that was stopped.
    """

    game: Positional[str]
    """Name of the game, such as fruit_cocktail."""
    num_players: int | None = None
    """Seats; by default as many as the game has by default."""
    option: UseAppendAction[tuple[str, ...]] = ()
    """A game option as name=value, such as mode=easy; may be repeated. Values are read as JSON, else as text."""
    seed: int = 0
    """Of the network, the deals and the opponents."""

    opponents: str = ""
    """Who may sit in the other seats, as name:weight, separated by commas: `self` (the learner), `past` (snapshots of
    it), agents or policy folders. By default self:4,past:2 and the game's baselines, 4 in all."""
    snapshots: int = 12
    """How many snapshots `past` is drawn from; when there are more, a random one leaves."""
    snapshot_every: int = 20
    """Rollouts between two snapshots."""
    features: str = "auto"
    """What the network is fed: `raw` observations, or facts derived from them; `auto` derives where the game can."""
    history: int | None = None
    """Of how many of its latest decisions in a game the network is fed what it saw; by default 1, and 24 in games
    played from memory (memory=tabletop)."""
    total_steps: int = 10_000_000
    """Decisions of the learner, over all games."""
    num_envs: int = 512
    """Games played side by side."""

    learning_rate: float = 1e-3
    """Of Adam; falls to 0 in a straight line."""
    num_steps: int = 16
    """Decisions per game between two updates."""
    batch_size: int = 1024
    """Decisions per gradient step."""
    epochs: int = 1
    """Passes over the decisions of one update."""
    gamma: float = 1.0
    """Discount; the games are short and pay at the end."""
    gae_lambda: float = 0.95
    """Of generalised advantage estimation: nearer 0 trusts the value network more."""
    clip: float = 0.2
    """Range of the probability ratio in PPO's objective."""
    entropy: float | None = None
    """Entropy coefficient; by default the game's own, found by a sweep."""
    value: float = 0.5
    """Weight of the value loss in the shared trunk."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the shared ReLU layers."""

    choose: Literal["greedy", "sample"] = "greedy"
    """How the saved policy chooses: its most probable action, or one drawn from its probabilities."""
    deals: int = 2_000
    """Duplicate deals against each baseline at the end; each is played once from every seat."""
    checkpoints: int = 20
    """How often during training everything is saved, and the policy measured for the learning curve."""
    checkpoint_deals: int = 100
    """Duplicate deals against each baseline at such a measurement; never those of the end."""
    baselines: tuple[str, ...] = ()
    """Whom the trained agent plays; by default the game's baselines."""
    runs: str = "runs"
    """Folder of the run folders."""
    name: str = ""
    """Of the run folder; by default game, players and time."""
    overwrite: bool = False
    """Replace the run of that name."""
    resume: bool = False
    """Go on with the run of that name, which was started by the same command."""

    def __post_init__(self) -> None:
        if self.num_players is None:
            self.num_players = Game(self.game).num_players
        positive = ("num_envs", "total_steps", "num_steps", "batch_size", "epochs", "deals", "checkpoints")
        for field in (*positive, "checkpoint_deals", "snapshots", "snapshot_every"):
            if getattr(self, field) < 1:
                raise InvalidOption(f"--{field.replace('_', '-')}: expected at least 1, got {getattr(self, field)}")
        if not 1 <= self.frames <= 1024:
            raise InvalidOption(f"--history: expected 1 to 1024, got {self.history}")
        for field, low, high in _RANGES:
            if not low <= getattr(self, field) <= high:
                raise InvalidOption(
                    f"--{field.replace('_', '-')}: expected {low:g} to {high:g}, got {getattr(self, field)}"
                )
        rollout = self.num_envs * self.num_steps
        batch = min(self.batch_size, rollout)
        if batch == 1 or rollout % batch == 1:
            raise InvalidOption(
                f"--batch-size: expected batches of two decisions or more (advantages are normalised in each), got "
                f"{self.batch_size} of {rollout} a rollout"
            )
        if not self.hidden or min(self.hidden) < 1:
            raise InvalidOption(f"--hidden: expected one or more positive widths, got {self.hidden}")
        if self.resume and not self.name:
            raise InvalidOption("--resume: expected --name with the name of the run")
        if self.resume and self.overwrite:
            raise InvalidOption("expected --resume or --overwrite, got both")
        if self.entropy is None:
            self.entropy = ENTROPY.get(self.game, _ENTROPY)
        if not (self.baselines and self.opponents):
            known = fitting(Game(self.game, **self.game_options))
            self.baselines = self.baselines or tuple(known)
        if not self.opponents:
            self.opponents = ",".join([f"{SELF}:4", f"{PAST}:2", *(f"{name}:{4 / len(known):g}" for name in known)])
        self.name = self.name or f"{self.game}-{self.num_players}p-{strftime('%Y%m%d-%H%M%S')}"

    @property
    def league(self) -> dict[str, float]:
        """Who may sit in the other seats, with their weights."""
        weights: dict[str, float] = {}
        for part in self.opponents.split(","):
            name, _, weight = part.strip().rpartition(":")
            try:
                name, value = (name, float(weight)) if name else (weight, 1.0)
            except ValueError:
                raise InvalidOption(f"--opponents: expected name:weight, got {part!r}") from None
            if name in weights:
                raise InvalidOption(f"--opponents: expected every name once, got {self.opponents!r}")
            weights[name] = value
        if not all(0 < weight < float("inf") for weight in weights.values()):
            raise InvalidOption(f"--opponents: expected positive weights, got {self.opponents!r}")
        return weights

    @property
    def frames(self) -> int:
        """Of how many decisions the network is fed what was seen."""
        if self.history is not None:
            return self.history
        return _REMEMBERED if self.game_options.get("memory") == "tabletop" else 1

    @property
    def decisive(self) -> dict[str, Any]:
        """What decides how the training goes, JSON-ready."""
        return {name: value for name, value in json.loads(json.dumps(asdict(self))).items() if name not in _FREE}

    @property
    def game_options(self) -> dict[str, Any]:
        """The game's options; training pays the margin unless told otherwise: it is denser than winning."""
        given = game_options(self.option)
        if "num_players" in given:
            raise InvalidOption(f"--option: expected --num-players for the number of players, got {self.option}")
        return {"num_players": self.num_players, "reward": "margin", **given}

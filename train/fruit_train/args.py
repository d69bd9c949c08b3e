"""What `fruit-train` can be told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from time import strftime
from typing import Any, Literal

from tyro.conf import Positional, UseAppendAction

from fruit_envs.core.errors import InvalidOption

__all__ = ["Args"]


@dataclass
class Args:
    """Train MaskablePPO on a game against fixed opponents, then play the baselines on duplicate deals.

    The run folder gets policy.safetensors and policy.json (also while training), curve.csv, curve.png, results.json and
    results.md. Ctrl-C ends the training early and goes on with what was learnt; a second one ends the program.
    """

    game: Positional[str]
    """Name of the game, such as fruit_cocktail."""
    num_players: int = 2
    """Seats."""
    option: UseAppendAction[tuple[str, ...]] = ()
    """A game option as name=value, such as mode=easy; may be repeated. Values are read as JSON, else as text."""
    seed: int = 0
    """Of the network, the deals and the opponents."""

    opponent: str = "greedy,greedy2,random"
    """Who sits in the other seats: names of agents or policy folders, separated by commas, dealt out over the
    environments."""
    total_steps: int = 2_000_000
    """Decisions of the learner, over all environments."""
    num_envs: int = 64
    """Environments stepped side by side."""
    vec: Literal["dummy", "subproc"] = "dummy"
    """Run the environments in this process, or each in a process of its own."""
    start_method: Literal["fork", "spawn", "forkserver"] = "spawn"
    """How `--vec subproc` starts its processes."""

    learning_rate: float = 7e-4
    """Of Adam; falls to 0 in a straight line."""
    num_steps: int = 64
    """Decisions per environment between two updates."""
    batch_size: int = 512
    """Decisions per gradient step."""
    epochs: int = 4
    """Passes over the decisions of one update."""
    gamma: float = 1.0
    """Discount; the games are short and pay at the end."""
    gae_lambda: float = 0.9
    """Of generalised advantage estimation: nearer 0 trusts the value network more."""
    clip: float = 0.2
    """Range of the probability ratio in PPO's objective."""
    entropy: float = 0.05
    """Entropy coefficient, in units of reward (margin divided by margin_scale, unless --option reward=win)."""
    value: float = 1.0
    """Weight of the value loss in the shared trunk."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the shared ReLU layers."""

    choose: Literal["greedy", "sample"] = "greedy"
    """How the saved policy chooses: its most probable action, or one drawn from its probabilities."""
    deals: int = 2_000
    """Duplicate deals against each baseline at the end; each is played once from every seat."""
    checkpoints: int = 12
    """How often during training the policy is saved and measured for the learning curve."""
    checkpoint_deals: int = 100
    """Duplicate deals against each baseline at such a measurement; never those of the end."""
    baselines: tuple[str, ...] = ("random", "greedy", "greedy2")
    """Whom the trained agent plays."""
    runs: str = "runs"
    """Folder of the run folders."""
    name: str = ""
    """Of the run folder; by default game, players and time."""
    overwrite: bool = False
    """Replace the run of that name."""

    def __post_init__(self) -> None:
        positive = ("num_envs", "total_steps", "num_steps", "batch_size", "epochs", "deals", "checkpoints")
        for field in (*positive, "checkpoint_deals"):
            if getattr(self, field) < 1:
                raise InvalidOption(f"--{field.replace('_', '-')}: expected at least 1, got {getattr(self, field)}")
        if not self.hidden or min(self.hidden) < 1:
            raise InvalidOption(f"--hidden: expected one or more positive widths, got {self.hidden}")
        self.name = self.name or f"{self.game}-{self.num_players}p-{strftime('%Y%m%d-%H%M%S')}"

    @property
    def opponents(self) -> list[str]:
        """The opponents' names."""
        return [name.strip() for name in self.opponent.split(",")]

    @property
    def game_options(self) -> dict[str, Any]:
        """The game's options; training pays the margin unless told otherwise: it is denser than winning."""
        options: dict[str, Any] = {"num_players": self.num_players, "reward": "margin"}
        for text in self.option:
            name, equals, value = text.partition("=")
            if not equals:
                raise InvalidOption(f"--option: expected name=value, got {text!r}")
            try:
                options[name] = json.loads(value)
            except json.JSONDecodeError:
                options[name] = value
        return options

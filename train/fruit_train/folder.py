"""`Run`: the folder of a training, which it has to itself while it lasts.

policy.safetensors, policy.json     the policy as it is now, also while training
checkpoint.safetensors              what --resume goes on from
curve.csv, curve.png, tensorboard/  the learning curve, and what stable-baselines3 logs
results.json, results.md            the end
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fruit_agents.files import locked
from fruit_agents.network import Layer
from fruit_agents.policy import save_policy
from fruit_envs.base.errors import InvalidOption
from fruit_envs.base.files import replace_file
from fruit_train.facts import versions

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game
    from fruit_train.args import Args

__all__ = ["CHECKPOINT", "Run"]

CHECKPOINT = "checkpoint.safetensors"
_END = ("results.json", "results.md")
_FILES = (CHECKPOINT, "curve.csv", "curve.png", *_END, "policy.safetensors", "policy.json")


class Run:
    """Where a training writes.

    Parameters
    ----------
    args, game
        What is trained.
    command
        The command line, for the record.
    """

    def __init__(self, args: Args, game: Game, command: str) -> None:
        self.args, self.game, self.command = args, game, command
        self.path = Path(args.runs) / args.name

    @property
    def checkpoint(self) -> Path:
        """What --resume goes on from."""
        return self.path / CHECKPOINT

    @property
    def events(self) -> Path:
        """TensorBoard's folder."""
        return self.path / "tensorboard"

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder if it is new, and hold it; nothing in it is touched yet.

        Raises
        ------
        InvalidOption
            If it holds a run and neither --resume nor --overwrite was given, or none to resume, or is in use.
        """
        self._check()
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path):
            self._check()  # another run may just have ended here
            yield

    def _check(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InvalidOption(f"--name: expected a folder or a new name, {self.path} is a file")
        if self.args.resume and not self.checkpoint.exists():
            raise InvalidOption(f"--resume: expected a checkpoint in {self.path}, there is none")
        asked = self.args.resume or self.args.overwrite
        if not asked and any((self.path / name).exists() for name in _FILES):
            raise InvalidOption(
                f"--name: expected a new run, {self.path} holds one; give another name, --resume or --overwrite"
            )

    def begin(self) -> None:
        """Remove what belongs to an earlier end, or with --overwrite to an earlier run: from here on it is this one's.

        Everything that can be refused has been by now.
        """
        for name in _FILES:
            (self.path / f"{name}.part").unlink(missing_ok=True)  # what a killed run was writing
            if self.args.overwrite or (self.args.resume and name in _END):
                (self.path / name).unlink(missing_ok=True)
        if self.args.overwrite:
            shutil.rmtree(self.events, ignore_errors=True)

    def save_policy(self, layers: Sequence[Layer], features: str, *, steps: int, cpu_minutes: float) -> None:
        """Write the policy as it is now."""
        training = {
            "command": self.command,
            "args": vars(self.args),
            "seed": self.args.seed,
            "steps": steps,
            "cpu_minutes": round(cpu_minutes, 3),
            "versions": versions(),
        }
        save_policy(
            self.path,
            self.game,
            layers,
            choose=self.args.choose,
            features=features,
            history=self.args.frames,
            training=training,
        )

    def save_curve(self, table: str) -> None:
        """Write the learning curve as it is now."""
        replace_file(self.path / "curve.csv", table)

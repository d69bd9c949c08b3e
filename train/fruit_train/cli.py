"""The command `fruit-train`: train, save, evaluate, report."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fruit_envs.base.errors import FruitEnvsError, InvalidOption, missing_extra

if TYPE_CHECKING:
    from fruit_train.args import Args

__all__ = ["main", "run"]

#: What the extra `train` brings, by import name.
_NEEDED = {
    "torch": "torch",
    "sb3_contrib": "sb3-contrib",
    "tensorboard": "tensorboard",
    "tyro": "tyro",
    "matplotlib": "matplotlib",
    "safetensors": "safetensors",
    "rich": "rich",
}


def main(argv: Sequence[str] | None = None) -> None:
    """The entry point: errors of this package end the program with their message.

    Parameters
    ----------
    argv
        Command line without the program's name; by default that of the process.
    """
    # Read when NumPy and torch are imported: a second thread gains nothing on so small a network, and on a busy
    # machine costs a multiple of its time.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    argv = sys.argv[1:] if argv is None else list(argv)
    try:
        check_extra()
        import tyro

        from fruit_train.args import Args

        run(tyro.cli(Args, prog="fruit-train", args=argv), shlex.join(["fruit-train", *argv]))
    except (FruitEnvsError, OSError) as error:
        sys.exit(f"fruit-train: {error}")
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell reports SIGINT


def check_extra() -> None:
    """See that the extra `train` is installed, before the first of its packages is imported.

    Raises
    ------
    MissingExtra
        Naming the first package that is not there.
    """
    for module, package in _NEEDED.items():
        if find_spec(module) is None:
            raise missing_extra(package, "train")


def run(args: Args, command: str) -> Path:
    """Train a policy, save it, play the baselines, write and print the results.

    Parameters
    ----------
    args
        What to do.
    command
        The command line, for the record.

    Returns
    -------
    pathlib.Path
        The run folder.

    Raises
    ------
    InvalidOption
        For a game, option or opponent that does not exist, or a run that is already there.
    """
    from fruit_agents.arena import duplicate_match, print_results
    from fruit_agents.policy import load_policy
    from fruit_envs.agents.names import make_agent
    from fruit_envs.runtime.game import Game
    from fruit_train.args import PAST, SELF
    from fruit_train.checkpoint import FILE as CHECKPOINT
    from fruit_train.checkpoint import read_checkpoint
    from fruit_train.facts import cpu_minutes
    from fruit_train.ppo import train
    from fruit_train.report import draw_curve, write_results

    game = Game(args.game, **args.game_options)
    folder = Path(args.runs) / args.name
    if (folder / "policy.json").exists() and not (args.overwrite or args.resume):
        raise InvalidOption(
            f"--name: expected a new run, {folder} holds one; give another name, --resume or --overwrite"
        )
    for name in (*(set(args.league) - {SELF, PAST}), *args.baselines):
        make_agent(name, game)  # a misspelt name should not wait for the end of the training
    if args.resume:
        read_checkpoint(folder)  # before anything is made in a folder that has none
    folder.mkdir(parents=True, exist_ok=True)
    for file in ("results.json", "results.md"):  # what is there belongs to an earlier end
        (folder / file).unlink(missing_ok=True)
    if not args.resume:
        (folder / CHECKPOINT).unlink(missing_ok=True)
        shutil.rmtree(folder / "tensorboard", ignore_errors=True)

    training = train(args, game, folder, command)
    draw_curve(folder / "curve.png", args, game, training.rows)
    training_cpu = training.cpu_before + cpu_minutes()

    agent = load_policy(folder, game)
    matches = [duplicate_match(game, agent, name, deals=args.deals) for name in args.baselines]
    write_results(
        folder,
        args,
        game,
        command,
        matches,
        training.rows,
        illegal=training.illegal,
        training_cpu=training_cpu,
        total_cpu=training.cpu_before + cpu_minutes(),
    )
    sys.stdout.write("\n")
    print_results(matches)
    cpu = training.cpu_before + cpu_minutes()
    sys.stdout.write(f"\n{cpu:.1f} CPU-minutes; policy, table and curve are in {folder}\n")
    return folder

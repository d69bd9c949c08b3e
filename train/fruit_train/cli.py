"""The command `fruit-train`: train, save, evaluate, report."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fruit_envs.base.errors import FruitEnvsError, missing_extra

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
    "filelock": "filelock",
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
        For a game, option or opponent that does not exist, a run that is already there or in use, or one that cannot be
        resumed. Nothing has been made or removed then.
    """
    from fruit_agents.arena import duplicate_match, print_results
    from fruit_agents.policy import load_policy
    from fruit_envs.agents.names import make_agent
    from fruit_envs.runtime.game import Game
    from fruit_train.folder import Run
    from fruit_train.ppo import Training, train
    from fruit_train.report import draw_curve, write_results

    game = Game(args.game, **args.game_options)
    for name in args.baselines:
        make_agent(name, game)  # a misspelt name should not wait for the end of the training
    folder = Run(args, game, command)
    training = Training(args, game, folder)
    with folder.opened():
        train(training)
        rows = training.curve.rows
        draw_curve(folder.path / "curve.png", args, game, rows)
        training_cpu = training.cpu_minutes

        agent = load_policy(folder.path, game)
        matches = [duplicate_match(game, agent, name, deals=args.deals) for name in args.baselines]
        write_results(
            folder.path,
            args,
            game,
            command,
            matches,
            rows,
            illegal=training.episodes.illegal,
            training_cpu=training_cpu,
            total_cpu=training.cpu_minutes,
        )
    sys.stdout.write("\n")
    print_results(matches)
    sys.stdout.write(f"\n{training.cpu_minutes:.1f} CPU-minutes; policy, table and curve are in {folder.path}\n")
    return folder.path

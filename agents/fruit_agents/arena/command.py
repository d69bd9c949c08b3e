"""The command `fruit-envs arena`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from fruit_agents.arena.report import print_results
from fruit_agents.arena.run import run
from fruit_agents.arguments import GameName, NumPlayers, Options, load_game

__all__ = ["arena"]


def arena(
    game: GameName,
    agents: Annotated[
        list[str], typer.Argument(metavar="AGENT", help="Two or more: names, or directories of policies.")
    ],
    num_players: NumPlayers = None,
    deals: Annotated[int, typer.Option(help="Deals a table; each is played once from every seat.")] = 2000,
    seed: Annotated[int, typer.Option(help="Which set of deals.")] = 0,
    agent_seed: Annotated[int, typer.Option(help="The agents' own randomness.")] = 0,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for a decision; too late loses the game.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder of the results; the same command resumes there.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Start anew in a folder of an arena.")] = False,
    option: Options = None,
) -> None:
    """Play every pair of agents on duplicate deals, each as one against the rest, and print who is how much better."""
    played = load_game(game, num_players, option)
    try:
        results = run(
            played,
            agents,
            deals=deals,
            seed=seed,
            agent_seed=agent_seed,
            time_limit=time_limit,
            jobs=jobs,
            out=out,
            overwrite=overwrite,
            command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        )
    except KeyboardInterrupt:
        how = "with --out FOLDER it could be resumed" if out is None else "the same command without --overwrite goes on"
        typer.echo(f"fruit-envs: interrupted; {how}", err=True)
        raise typer.Exit(130) from None  # as a shell reports SIGINT
    print_results(results)

"""The commands of `fruit-envs`: list, describe, warmup, record, replay; and arena, from its own file."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

import fruit_envs
from fruit_agents import baselines
from fruit_agents.arena.command import arena
from fruit_agents.arguments import GameName, NumPlayers, Options, load_game
from fruit_agents.describe import describe as facts_of
from fruit_agents.describe import folded
from fruit_agents.features import default_features, make_features
from fruit_agents.policy import CHOICES, PolicyAgent
from fruit_agents.progress import tracked
from fruit_envs.agents.asking import ask, ask_batch, memory_size, new_memory
from fruit_envs.agents.names import make_agent
from fruit_envs.base.checks import SEED_LIMIT, as_seed, entropy
from fruit_envs.base.errors import FruitEnvsError, InvalidRecord, printable
from fruit_envs.base.files import rewriting
from fruit_envs.declare.catalog import GAMES, presets
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.faces.vector import VectorEnv
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.records import read_records

__all__ = ["app"]


class _Group(TyperGroup):
    """Says on one line of stderr what was wrong with what the user gave, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # whoever read our output has seen enough
            raise
        except (FruitEnvsError, OSError) as error:
            typer.echo(f"fruit-envs: {error}", err=True)
            raise typer.Exit(2) from error


app = typer.Typer(
    cls=_Group,
    help="Hidden-information fruit games: look at them, record games of agents, check records, compare agents.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

app.command()(arena)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fruit-envs {fruit_envs.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Nothing of its own: the commands do it all."""


@app.command("list")
def list_games() -> None:
    """The games, the agents that play each, and their presets."""
    for name, entry in GAMES.items():
        agents = ", ".join(baselines(name))
        typer.echo(f"{name}  {entry.title}, version {entry.version}; agents: {agents}")
        for preset, options in presets(name).items():
            typer.echo(f"{preset}  {entry.title} with {_given(options)}")


def _given(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())


@app.command()
def describe(
    game: GameName,
    option: Options = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Options, actions and observation blocks of a game."""
    facts = facts_of(load_game(game, None, option))
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    console = Console()
    lines = [f"{facts['title']}: {facts['env_id']}; agents: {', '.join(facts['agents'])}"]
    lines += [f"Preset {name}: {_given(given)}" for name, given in facts["presets"].items()]
    minis = [choice for o in facts["options"] if o["name"] == "mini" for choice in o["choices"] if choice is not None]
    lines += [f"Shrunken games (option mini): {' '.join(minis)}"] if minis else []
    console.print("\n".join(lines) + "\n", markup=False, highlight=False)
    options = [(o["name"], json.dumps(o["value"]), json.dumps(o["default"]), o["doc"]) for o in facts["options"]]
    _print_table(console, "Options", ("name", "value", "default", "meaning"), options)
    actions = facts["actions"]
    _print_table(console, f"Actions: {actions['count']}", ("id", "name"), folded(actions["names"]))
    seen = facts["observation"]
    blocks = [
        (
            block["name"],
            " x ".join(map(str, block["shape"])),
            block["low"],
            block["high"],
            "{}:{}".format(*block["slice"]),
            block["meaning"],
        )
        for block in seen["blocks"]
    ]
    title = f"Observation: {seen['size']} values, {seen['dtype']}"
    _print_table(console, title, ("name", "shape", "low", "high", "slice", "meaning"), blocks)


def _print_table(console: Console, title: str, header: tuple[str, ...], rows: Any) -> None:
    table = Table(title=title, title_justify="left")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # as text: brackets in cells are no markup
    console.print(table)


@app.command()
def warmup(game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Default: all games.")] = None) -> None:
    """Compile what the faces and baselines need, so that later processes start warm."""
    for name in [game] if game else list(GAMES):
        began = perf_counter()
        _compile(load_game(name, None, None))
        typer.echo(f"{name}: {perf_counter() - began:.1f} s")


def _compile(game: Game) -> None:
    """Touch every compiled function once."""
    state = game.deal(0)
    for name in baselines(game.name):
        agent = make_agent(name, game)
        seat, memories = state.seat, np.zeros((1, memory_size(agent)), np.float32)
        shown = (state.observation(seat)[None], state.legal(seat)[None], [state.view(seat, 0)], np.zeros(1, np.uint64))
        ask_batch(agent, *shown, memories)
        state.apply(seat, ask(agent, state, seat, 0, new_memory(agent)))
    state.reveal()
    _ = state.scores, state.returns
    batch = fruit_envs.Batch(game, 2)
    batch.reset(0)
    batch.step(batch.sample())
    for env in (AEC(game), SingleAgent(game)):
        env.reset(seed=0)
        env.reset()
    features = make_features(default_features(game), game)
    widths = (features.size, 1, game.num_actions)
    layers = [(np.zeros((b, a), np.float32), np.zeros(b, np.float32)) for a, b in pairwise(widths)]
    for choose in CHOICES:
        policy = PolicyAgent(game, layers, choose=choose, features=features.name)
        learners = VectorEnv(game, 2, opponents=policy, autoreset_mode="SameStep")
        observations, _ = learners.reset(seed=0)
        done = np.zeros(2, np.bool_)
        while not done.any():
            observations, _, terminated, truncated, _ = learners.step(observations["action_mask"].argmax(axis=1))
            done = terminated | truncated


@app.command()
def record(
    game: GameName,
    num_players: NumPlayers = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Of the first game; game g has seed + g. Default: random.")] = None,
    agents: Annotated[
        str, typer.Option(help="Comma-separated: one agent per seat, or one for all; names or directories.")
    ] = "random",
    agent_seed: Annotated[int, typer.Option(help="The agents' own randomness.")] = 0,
    option: Options = None,
    out: Annotated[Path | None, typer.Option(help="File to write; stdout if not given.")] = None,
) -> None:
    """Play games and write their records, a JSON list with one record a line."""
    played = load_game(game, num_players, option)
    first = entropy() % (SEED_LIMIT - games) if seed is None else as_seed(seed)
    as_seed(first + games - 1)
    seated = [make_agent(name.strip(), played) for name in agents.split(",")]
    with nullcontext(sys.stdout) if out is None else rewriting(out) as file:
        for g in tracked(range(games), f"recording {game}"):
            (one,) = fruit_envs.record(played, seated, seed=first + g, agent_seed=agent_seed)
            file.write((",\n" if g else "[\n") + json.dumps(one))
        file.write("\n]\n")


@app.command()
def replay(file: Annotated[Path, typer.Argument(metavar="FILE")]) -> None:
    """Check a record or a list of records; stops with exit code 1 at the first that the rules do not reproduce."""
    for number, one in enumerate(read_records(file)):
        try:
            state = fruit_envs.replay(one)
        except InvalidRecord as error:
            typer.echo(f"fruit-envs: game {number}: {error}", err=True)
            raise typer.Exit(1) from error
        agents, scores = (", ".join(map(printable, map(str, one[key]))) for key in ("agents", "scores"))
        typer.echo(f"game {number}: {state.game.name}, seed {one['seed']}, {agents}: {scores}")

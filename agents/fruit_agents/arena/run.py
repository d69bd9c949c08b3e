"""A whole arena: every pair of agents, both ways round, in a folder that a killed run can be resumed in."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from hashlib import sha256
from importlib import metadata
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.arena.clock import as_limit
from fruit_agents.arena.deals import PHRASE
from fruit_agents.arena.entrants import Entrant, enter
from fruit_agents.arena.match import MatchResult, as_agent_seed, as_deals, judge
from fruit_agents.arena.play import ONE, REST
from fruit_agents.arena.report import arena_json, arena_markdown
from fruit_agents.arena.store import Store, as_played, as_table, require_pyarrow
from fruit_agents.arena.workers import Tables, check_portable, play_all
from fruit_agents.progress import counted
from fruit_envs.base.checks import as_seed
from fruit_envs.declare.options import whole

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["run"]


def run(
    game: Game,
    agents: Sequence[Any] | Mapping[str, Any],
    *,
    deals: int = 2000,
    seed: int = 0,
    agent_seed: int = 0,
    time_limit: float | None = None,
    jobs: int = 1,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: bool = True,
    command: str | None = None,
) -> list[MatchResult]:
    """Play every pair of agents on duplicate deals.

    At a table one agent has one seat, another all others, and every deal is played once from every seat. With two
    players a pair has one table, with more it has two: each agent is one against the rest, and the rest against one.
    Games depend on the arguments down to `time_limit` alone, so neither several processes nor interruptions change
    them; with a time limit they depend on the machine too. (An agent whose arithmetic depends on the number of threads
    needs that to be the same: workers have one.)

    Parameters
    ----------
    game
        The game with its options.
    agents
        Registered names, directories of saved policies, or agents, two or more; a mapping gives them names.
    deals
        How many deals a table. A finished arena can be extended by more.
    seed
        Which set of deals (see `deal_seeds`); also seeds the bootstrap.
    agent_seed
        The agents' own randomness; the two sides of a table have separate streams.
    time_limit
        Seconds for a decision; None for no limit. See `Clock` for what interrupts an agent.
    jobs
        Processes; with 1 this one plays. More are started afresh, so that agents must be picklable, and a script that
        calls this does so under `if __name__ == "__main__":`.
    out
        Folder for finished deals and results (see `fruit_agents.arena.store`); the same call goes on where an earlier
        one stopped. None keeps nothing.
    overwrite
        Start anew in a folder that holds an arena.
    progress
        Show a bar on stderr.
    command
        For the record: what the user typed.

    Returns
    -------
    list of MatchResult
        For every table the one's and the rest's.

    Raises
    ------
    InvalidOption
        For a value out of its domain, an agent that does not exist or fit, or a folder that is in use, holds something
        else or an arena made from other facts (names the first that differs).
    PolicyMismatch
        For a saved policy of another game or version.
    WorkerDied
        If a worker process ends before its work; finished deals are kept.
    MissingExtra
        Without pyarrow.
    """
    require_pyarrow()
    deals, jobs = as_deals(deals), whole("jobs", 1, 256)(jobs)
    seed, agent_seed, time_limit = as_seed(seed), as_agent_seed(agent_seed), as_limit(time_limit)
    entrants = enter(agents, game)
    pairs = list(_pairs(len(entrants), game.num_players))
    names = [(entrants[one].name, entrants[rest].name) for one, rest in pairs]
    facts = _facts(game, entrants, seed, agent_seed, time_limit)
    tables = Tables(game, [entrant.agent for entrant in entrants], pairs, seed, agent_seed, time_limit)
    if jobs > 1:
        check_portable(tables)  # before anything in the folder is touched
    with TemporaryDirectory() if out is None else nullcontext(out) as folder:
        store = Store(Path(folder))
        with store.opened(facts, {"deals": deals, "command": command}, overwrite):
            games, bad = store.parts(names, game.num_players, deals, seed)
            if bad:
                warnings.warn(f"{folder}: parts that are damaged, and are played again: {bad}", stacklevel=2)
            missing = _missing(games, len(pairs), deals)
            total = len(pairs) * deals
            left = sum(len(rest) for _, rest in missing)
            what = f"{len(pairs)} table{'s' * (len(pairs) > 1)}, {game.num_players} games a deal"
            if left:
                with (
                    counted(total, what, total - left, progress) as counter,
                    closing(play_all(tables, missing, min(jobs, left))) as finished,
                ):
                    for rows in finished:
                        store.add(as_table(rows, names))
                        counter.advance(len(rows) // game.num_players)
                games, bad = store.parts(names, game.num_players, deals, seed)
                if bad:
                    raise OSError(f"{folder}: {bad} parts that were just written cannot be read")
            store.merge(games)
            n = deals * game.num_players
            results = [
                judge(side, game, pair, seed, agent_seed, as_played(games.slice(table * n, n)))
                for table, pair in enumerate(names)
                for side in (ONE, REST)
            ]
            store.write("results.json", arena_json(facts, results, _times(games, names)))
            store.write("results.md", arena_markdown(game, facts, results))
    return results


def _pairs(agents: int, num_players: int) -> Iterator[tuple[int, int]]:
    """The one and the rest of every table."""
    for one, other in combinations(range(agents), 2):
        yield one, other
        if num_players > 2:
            yield other, one


def _facts(
    game: Game, entrants: Sequence[Entrant], seed: int, agent_seed: int, time_limit: float | None
) -> dict[str, Any]:
    """All that the games depend on, JSON-ready."""
    packages = ("fruit-envs", "numpy", "numba")
    return {
        "game": game.name,
        "env_id": game.env_id,
        "options": dict(game.options),
        "rules": sha256(game.rules.tobytes()).hexdigest(),
        "agents": [entrant.identity() for entrant in entrants],
        "phrase": PHRASE,
        "seed": seed,
        "agent_seed": agent_seed,
        "time_limit": time_limit,
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in packages},
    }


def _missing(games: Any, tables: int, deals: int) -> list[tuple[int, list[int]]]:
    """The deals of each table that are still to be played."""
    done = np.zeros((tables, deals), bool)
    done[games.column("table").to_numpy(), games.column("deal").to_numpy()] = True
    return [(table, np.flatnonzero(~row).tolist()) for table, row in enumerate(done)]


def _times(games: Any, names: Sequence[tuple[str, str]]) -> dict[str, dict[str, float]]:
    """CPU time of each agent's decisions, at all its tables."""
    spent: dict[str, list[np.ndarray]] = {}
    tables = games.column("table").to_numpy()
    for table, pair in enumerate(names):
        start, stop = np.searchsorted(tables, [table, table + 1])
        for name, column in zip(pair, ("one_ns", "rest_ns"), strict=True):
            lists = games.column(column).slice(start, stop - start).combine_chunks()
            spent.setdefault(name, []).append(lists.flatten().to_numpy())
    times = {}
    for name, arrays in spent.items():
        decisions = np.concatenate(arrays)
        p50, p99 = np.percentile(decisions, [50, 99]) / 1e6 if len(decisions) else (0.0, 0.0)
        times[name] = {"decisions": len(decisions), "p50_ms": float(p50), "p99_ms": float(p99)}
    return times

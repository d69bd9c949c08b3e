"""The arena: agents against each other on duplicate deals, with intervals that hold.

Chance is counter-based, so a deal is the same whatever the players do: played once from every seat, much of the luck
of its cards and of the seats cancels. `duplicate_match` plays one agent against another in memory; `run` plays all
pairs, in several processes if asked to, into a folder in which a killed run goes on. `fruit-envs arena` is `run` from
the shell.
"""

from fruit_agents.arena.deals import PHRASE, deal_seeds
from fruit_agents.arena.match import MatchResult, duplicate_match
from fruit_agents.arena.report import print_results, to_json, to_markdown
from fruit_agents.arena.run import run
from fruit_agents.arena.statistics import Interval, bootstrap, variance_factor
from fruit_agents.arena.workers import WorkerDied

__all__ = [
    "PHRASE",
    "Interval",
    "MatchResult",
    "WorkerDied",
    "bootstrap",
    "deal_seeds",
    "duplicate_match",
    "print_results",
    "run",
    "to_json",
    "to_markdown",
    "variance_factor",
]

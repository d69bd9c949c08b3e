"""Tables of results, for programs and for readers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fruit_agents.arena.match import MatchResult
from fruit_agents.arena.statistics import Interval

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["arena_json", "arena_markdown", "to_json", "to_markdown"]


def to_json(results: Sequence[MatchResult]) -> str:
    """A table of results as a JSON list of their summaries."""
    return json.dumps([result.summary() for result in results], indent=2) + "\n"


def to_markdown(results: Sequence[MatchResult]) -> str:
    """A table of results as Markdown, with 95 % intervals in brackets."""
    head = (
        "agent",
        "against",
        "seats",
        "deals",
        "win share",
        "by seat",
        "margin",
        "duplicates",
        "failures",
        "ms a decision (p50, p99)",
    )
    rows = [
        (
            _text(r.agent),
            _text(r.opponent),
            f"{r.seats} of {r.num_players}",
            r.deals,
            _interval(r.win_share, ".3f"),
            " / ".join(f"{share:.3f}" for share in r.rows["share"].mean(axis=0)),
            _interval(r.margin, "+.2f"),
            "–" if math.isnan(r.variance_factor) else f"{r.variance_factor:.2f}x",
            ", ".join(f"{count} {kind}" for kind, count in r.failures.items() if count) or 0,
            f"{_number(r.p50_ms, '.3f')}, {_number(r.p99_ms, '.3f')}",
        )
        for r in results
    ]
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)


def arena_json(
    facts: Mapping[str, Any], results: Sequence[MatchResult], times: Mapping[str, Mapping[str, float]]
) -> str:
    """What results.json holds: facts and results, equal whenever they are made again, and apart from them the timing.

    Parameters
    ----------
    facts
        What the games depend on.
    results
        Of all tables, each from both sides.
    times
        Per agent `decisions`, `p50_ms` and `p99_ms`.
    """
    summaries = [result.summary() for result in results]
    for summary in summaries:
        del summary["timing"]
    whole = {"facts": facts, "results": summaries, "timing": times}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def arena_markdown(game: Game, facts: Mapping[str, Any], results: Sequence[MatchResult]) -> str:
    """What results.md holds: the table, and what it takes to read it and to make it again."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    limit = "no time limit" if facts["time_limit"] is None else f"{facts['time_limit']:g} s a decision"
    parts = [
        f"# {game.title}, {game.num_players} players",
        to_markdown(results).rstrip(),
        f"Every deal is played from every seat. A fair win share is {1 / game.num_players:.3f}. Margins are points: "
        "the side's mean score minus the mean of the other's. 95 % intervals in brackets, by deal. Shares by seat are "
        "in the order of the seats, of the side that has one. Duplicates: how many times fewer games this took than "
        "independent deals would.",
        f"{game.env_id}, deals of set {facts['seed']}, agent seed {facts['agent_seed']}, {limit}; {versions}",
    ]
    return "\n\n".join(parts) + "\n"


def _interval(value: Interval, form: str) -> str:
    return f"{value.mean:{form}} [{_number(value.low, form)}, {_number(value.high, form)}]"


def _number(value: float, form: str) -> str:
    return "–" if math.isnan(value) else f"{value:{form}}"


def _text(name: str) -> str:
    """A name as the text of a cell."""
    return " ".join(name.split()).replace("|", "\\|")

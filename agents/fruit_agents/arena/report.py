"""Tables of results, for programs, files and terminals."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fruit_agents.arena.match import MatchResult
from fruit_agents.arena.statistics import Interval
from fruit_envs.base.errors import printable

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["arena_json", "arena_markdown", "print_results", "to_json", "to_markdown"]

_HEAD = (
    "agent",
    "against",
    "seats",
    "deals",
    "win share",
    "by seat",
    "margin",
    "duplicates",
    "failures",
    "CPU ms a decision (p50, p99)",
)
_MORE = ("deals", "by seat", "duplicates")


def to_json(results: Sequence[MatchResult]) -> str:
    """A table of results as a JSON list of their summaries."""
    return json.dumps([result.summary() for result in results], indent=2) + "\n"


def to_markdown(results: Sequence[MatchResult]) -> str:
    """A table of results as Markdown, with 95 % intervals in brackets."""
    lines = [_HEAD, ("---",) * len(_HEAD), *([cell.replace("|", "\\|") for cell in row] for row in map(_row, results))]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def print_results(results: Sequence[MatchResult]) -> None:
    """Print a table of results: drawn on a terminal, as Markdown where stdout is none.

    On a narrow terminal it lacks the columns of `_MORE`.
    """
    if not sys.stdout.isatty():
        sys.stdout.write(to_markdown(results))
        return
    from rich.console import Console

    console = Console()
    table = _drawn(results, _HEAD)
    room = console.options.update(max_width=1000)  # what the table needs, however narrow the terminal
    if console.measure(table, options=room).maximum > console.width:
        table = _drawn(results, [name for name in _HEAD if name not in _MORE])
    console.print(table)


def _drawn(results: Sequence[MatchResult], columns: Sequence[str]) -> Any:
    """A table for rich, with intervals below their means."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for number, name in enumerate(columns):
        head = name.replace(" a ", "\na ").replace(" (", "\n(")
        table.add_column(head, justify="left" if number < 2 else "right", overflow="fold")
    for result in results:
        cells = dict(zip(_HEAD, _row(result), strict=True))
        table.add_row(*(Text(cells[name].replace(" [", "\n[")) for name in columns))  # as text: brackets are no markup
    return table


def _row(result: MatchResult) -> tuple[str, ...]:
    return (
        _text(result.agent),
        _text(result.opponent),
        f"{result.seats} of {result.num_players}",
        str(result.deals),
        _interval(result.win_share, ".3f"),
        " / ".join(f"{share:.3f}" for share in result.rows["share"].mean(axis=0)),
        _interval(result.margin, "+.2f"),
        "–" if math.isnan(result.variance_factor) else f"{result.variance_factor:.2f}x",
        ", ".join(f"{count} {kind}" for kind, count in result.failures.items() if count) or "0",
        f"{_number(result.p50_ms, '.3f')}, {_number(result.p99_ms, '.3f')}",
    )


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
    return printable(" ".join(name.split()))

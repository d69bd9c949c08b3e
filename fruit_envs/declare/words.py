"""Words that the drawings of all games share: names of seats, lines that fit the screen, how a game ended."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

__all__ = ["WIDTH", "entry", "listed", "plural", "result", "seat_name", "seats_named"]

#: No line of a drawing is longer.
WIDTH = 100

#: Where the text of an entry begins.
_INDENT = 10

_FIXED = "\N{NO-BREAK SPACE}"  # where a line may not be broken


def seat_name(seat: int) -> str:
    """`you` for the observer, and for who sits so many places after it `+1`, `+2`, …"""
    return f"+{seat}" if seat else "you"


def seats_named(seats: Sequence[int]) -> str:
    """Such as `you, +1 and +3`."""
    *first, last = map(seat_name, seats)
    return f"{', '.join(first)} and {last}" if first else last


def plural(count: int, thing: str) -> str:
    """Such as `1 card` or `2 cards`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def listed(items: Sequence[str], separator: str = ", ") -> str:
    """The items on a line, or `-` where there are none; a line is broken between them only."""
    return separator.join(item.replace(" ", _FIXED) for item in items) or "-"


def entry(label: str, text: str, indent: int = _INDENT) -> list[str]:
    """A label with its text, on as many lines as it needs."""
    lines = textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"  {label}".ljust(indent - 1) + " ",
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )
    return [line.replace(_FIXED, " ").rstrip() for line in lines] or [f"  {label}"]


def result(winners: Sequence[int], scores: Sequence[int]) -> list[str]:
    """The entries that end a drawing of a finished game: who has won, and every seat's points."""
    if not winners:
        won = "nobody wins"
    elif len(winners) == 1:
        won = "you win" if winners[0] == 0 else f"{seat_name(winners[0])} wins"
    else:
        won = f"{seats_named(winners)} share the win"
    points = [f"{seat_name(seat)}: {score}" for seat, score in enumerate(scores)]
    return [*entry("result", won), *entry("points", listed(points))]

"""How far something that takes a while has come, told on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from fruit_envs.base.errors import missing_extra, printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Counter", "counted", "tracked"]

#: Seconds between two lines where there is no terminal, such as in a log file.
SECONDS = 30.0

T = TypeVar("T")


class Counter:
    """Counts steps, and tells nobody."""

    def advance(self, steps: int) -> None:
        """So many more are done."""

    def note(self, text: str) -> None:
        """What is worth telling beside the count, until the next one."""


class _Bar(Counter):
    def __init__(self, bar: Any, what: str, total: int, done: int) -> None:
        self._bar = bar
        self._task = bar.add_task(what, total=total, completed=done, note="")

    def advance(self, steps: int) -> None:
        self._bar.advance(self._task, steps)

    def note(self, text: str) -> None:
        self._bar.update(self._task, note=text)


class _Lines(Counter):
    def __init__(self, console: Console, what: str, total: int, done: int) -> None:
        self._console, self._what, self._total, self._done = console, what, total, done
        self._note, self._told = "", monotonic()

    def advance(self, steps: int) -> None:
        self._done += steps
        if monotonic() - self._told >= SECONDS:
            self._told = monotonic()
            line = f"{self._what}: {self._done:,} of {self._total:,}{self._note}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def note(self, text: str) -> None:
        self._note = f"; {text}"


@contextmanager
def counted(total: int, what: str, done: int = 0, show: bool = True) -> Iterator[Counter]:
    """A counter of so many steps: a bar that goes away at the end, or where stderr is no terminal at most a line every
    `SECONDS` seconds.

    Raises
    ------
    MissingExtra
        If it is to be shown and rich is not installed.
    """
    if not show:
        yield Counter()
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        raise missing_extra("rich", "agents") from None
    console, what = Console(stderr=True), printable(what)  # stdout is for results
    if not sys.stderr.isatty():
        yield _Lines(console, what, total, done)
        return
    what_for, note = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[note]"))
    columns = (what_for, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), note)
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar, what, total, done)


def tracked(items: Sequence[T], what: str, show: bool = True) -> Iterable[T]:
    """The items, counted.

    Raises
    ------
    MissingExtra
        If it is to be shown and rich is not installed.
    """
    with counted(len(items), what, show=show) as counter:
        for item in items:
            yield item
            counter.advance(1)

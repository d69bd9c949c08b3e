"""A progress bar on stderr for what takes a while."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from fruit_envs.base.errors import missing_extra

__all__ = ["counted", "tracked"]

T = TypeVar("T")


@contextmanager
def counted(total: int, what: str, done: int = 0, show: bool = True) -> Iterator[Callable[[int], None]]:
    """A bar that goes away at the end; yields what moves it on by so many steps.

    Raises
    ------
    MissingExtra
        If a bar is to be shown and rich is not installed.
    """
    if not show:
        yield lambda _steps: None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        raise missing_extra("rich", "agents") from None
    console = Console(stderr=True)  # stdout is for results
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda steps: bar.advance(task, steps)


def tracked(items: Sequence[T], what: str, show: bool = True) -> Iterable[T]:
    """The items, with a bar that counts them and goes away at the end.

    Raises
    ------
    MissingExtra
        If a bar is to be shown and rich is not installed.
    """
    with counted(len(items), what, show=show) as advance:
        for item in items:
            yield item
            advance(1)

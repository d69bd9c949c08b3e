"""A progress bar on stderr for loops that take a while."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from fruit_envs.core.agents import missing_extra

__all__ = ["tracked"]

T = TypeVar("T")


def tracked(items: Sequence[T], what: str, show: bool = True) -> Iterable[T]:
    """The items, with a bar that counts them and goes away at the end.

    Raises
    ------
    MissingExtra
        If a bar is to be shown and rich is not installed.
    """
    if not show:
        return items
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        raise missing_extra("rich", "agents") from None
    console = Console(stderr=True)  # stdout is for results
    return track(items, what, console=console, transient=True, disable=not console.is_terminal)

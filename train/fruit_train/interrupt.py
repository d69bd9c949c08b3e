"""Ctrl-C: the first one ends a training in good order, the second one at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["until_interrupted"]


@contextmanager
def until_interrupted(stop: Callable[[], None]) -> Iterator[None]:
    """Within it, the first Ctrl-C calls `stop`; the second one interrupts as usual."""
    before = signal.getsignal(signal.SIGINT)

    def hear(_signal: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(signal.SIGINT, before)
        sys.stderr.write("\nStopping the training; Ctrl-C again to stop at once.\n")

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

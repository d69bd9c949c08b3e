"""What a decision costs, and the end of one that takes too long."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter_ns, process_time_ns
from types import FrameType
from typing import Any

from fruit_envs.base.errors import InvalidOption, brief

__all__ = ["Clock", "TooLate", "as_limit"]

#: The longest time limit, in seconds: a day.
LONGEST = 86_400


class TooLate(BaseException):  # not an Exception: an agent's own `except Exception` must not swallow it
    """A decision took longer than the limit."""


def as_limit(limit: Any) -> float | None:
    """A time limit in seconds, or None.

    Raises
    ------
    InvalidOption
        If it is neither None nor a number above 0 (at most a day).
    """
    real = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if limit is not None and not (real and 0 < limit <= LONGEST):
        raise InvalidOption(f"time_limit: expected seconds above 0, at most {LONGEST}, or None, got {brief(limit)}")
    return None if limit is None else float(limit)


class Clock:
    """Times decisions, one at a time.

    What is told of a decision is the CPU time of this process, all its threads included: unlike wall time it does not
    grow with what else the machine has to do. The limit is wall time, since that is what others wait for.

    Within `running()`, on Unix and in the main thread, an alarm interrupts Python code at the limit. Elsewhere, and in
    compiled code that does not return to Python, lateness shows only after the answer.

    Parameters
    ----------
    limit
        Seconds for a decision, or None.
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.nanoseconds = 0  # CPU time of the last decision
        self._rings = False
        self._asking = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Have the alarm at hand; the signal SIGALRM is the clock's until the end."""
        main = threading.current_thread() is threading.main_thread()
        if self.limit is None or not main or not hasattr(signal, "setitimer"):
            yield
            return
        before = signal.signal(signal.SIGALRM, self._ring)
        self._rings = True
        try:
            yield
        finally:
            self._rings = False
            signal.signal(signal.SIGALRM, before)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._asking:  # else the answer came just before
            raise TooLate

    def time(self, decide: Callable[[], Any]) -> Any:
        """What `decide` answers.

        Raises
        ------
        TooLate
            If it took longer than the limit.
        """
        self._asking = True
        began, spent = perf_counter_ns(), process_time_ns()
        try:
            if self._rings:
                signal.setitimer(signal.ITIMER_REAL, self.limit or 0)
            answer = decide()
        finally:
            self._asking = False
            self.nanoseconds = process_time_ns() - spent
            took = perf_counter_ns() - began
            if self._rings:
                signal.setitimer(signal.ITIMER_REAL, 0)
        if self.limit is not None and took > self.limit * 1e9:
            raise TooLate
        return answer

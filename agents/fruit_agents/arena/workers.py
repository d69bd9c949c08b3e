"""Deals played in this process or in several, in whatever order they end."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import TYPE_CHECKING, Any

from fruit_agents.arena.deals import deal_seed
from fruit_agents.arena.play import Played, Table, warm_up
from fruit_envs.base.errors import FruitEnvsError, InvalidOption, brief

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["Row", "Tables", "WorkerDied", "check_portable", "play_all"]

#: Table, index of the deal, its seed, and a game of it.
Row = tuple[int, int, int, Played]

#: A table and deals to play there.
Work = tuple[int, Sequence[int]]

#: Deals that are handed out at once, and seconds after which what is finished of them comes back.
_DEALS, _SECONDS = 50, 5.0

#: What keeps the libraries that an agent may use to one thread; each worker is a process of its own.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class WorkerDied(FruitEnvsError, RuntimeError):
    """A worker process ended without an answer: killed, out of memory, or brought down by an agent's own code."""


class Tables:
    """The tables of an arena, as one process plays them.

    Parameters
    ----------
    game, agents
        Who plays what.
    pairs
        The one and the rest of every table, as places in `agents`.
    seed
        The set of deals.
    agent_seed, time_limit
        See `Table`.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Any],
        pairs: Sequence[tuple[int, int]],
        seed: int,
        agent_seed: int,
        time_limit: float | None,
    ) -> None:
        self.game = game
        self.agents = agents
        self.pairs = pairs
        self.seed = seed
        self.tables = [Table(game, agents[one], agents[rest], agent_seed, time_limit) for one, rest in pairs]
        self._time_limit = time_limit
        self._warm: set[int] = set()

    def play(self, table: int, deals: Sequence[int]) -> list[Row]:
        """All games of the first of these deals at a table: of as many as end in time, and of one at least."""
        for place in set(self.pairs[table]) - self._warm:
            warm_up(self.game, self.agents[place], self._time_limit)
            self._warm.add(place)
        rows: list[Row] = []
        began = perf_counter()
        for deal in deals:
            seed = deal_seed(deal, self.seed)
            rows += [(table, deal, seed, played) for played in self.tables[table].seatings(seed)]
            if perf_counter() - began > _SECONDS:
                break
        return rows


def play_all(tables: Tables, missing: Sequence[Work], jobs: int) -> Generator[list[Row], None, None]:
    """Finished deals, some at a time; which come together depends on the clock, what they hold does not.

    Parameters
    ----------
    tables
        The tables.
    missing
        The deals to play at each.
    jobs
        How many processes; with 1, this one.

    Raises
    ------
    WorkerDied
        If a process ends before its work.
    """
    size = _DEALS
    if jobs > 1:  # some pieces for each, so that none is without work while another has plenty
        size = max(1, min(size, sum(len(deals) for _, deals in missing) // (4 * jobs)))
    queue = deque(
        (table, deals[start : start + size]) for table, deals in missing for start in range(0, len(deals), size)
    )
    n = tables.game.num_players
    if jobs == 1:
        while queue:
            table, deals = queue.popleft()
            rows = tables.play(table, deals)
            if left := deals[len(rows) // n :]:
                queue.appendleft((table, left))
            yield rows
        return
    with _pool(jobs, tables) as pool:
        try:
            pending: dict[Future[list[Row]], Work] = {}
            while queue or pending:
                while queue and len(pending) < 2 * jobs:
                    work = queue.popleft()
                    with _deaf():  # this may start a process
                        pending[pool.submit(_play, *work)] = work
                ended, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in sorted(ended, key=lambda one: one.exception() is not None):  # first what is finished
                    table, deals = pending.pop(future)
                    rows = future.result()
                    if left := deals[len(rows) // n :]:
                        queue.appendleft((table, left))
                    yield rows
        except BrokenProcessPool as error:
            raise WorkerDied(
                "expected every worker process to answer, one died; its own messages are above this one, and what was "
                "finished is kept"
            ) from error


def check_portable(tables: Tables) -> None:
    """See that the agents can reach other processes.

    Raises
    ------
    InvalidOption
        If they cannot be pickled.
    """
    try:
        pickle.dumps(tables)
    except Exception as error:  # pickling runs an agent's own code
        raise InvalidOption(f"jobs: expected agents that can be pickled, or one job; got {brief(error)}") from error


@contextmanager
def _pool(jobs: int, tables: Tables) -> Iterator[ProcessPoolExecutor]:
    """Worker processes that end with the block, and with this process, however it ends."""
    context = get_context("spawn")
    # Workers hold the reading end. When the writing end is closed, by hand or because this process is gone, they leave.
    reader, writer = context.Pipe(duplex=False)
    with _one_thread():
        pool = ProcessPoolExecutor(jobs, context, _start, (tables, reader))
        try:
            yield pool
            pool.shutdown()
        finally:
            writer.close()
            pool.shutdown(cancel_futures=True)
            reader.close()


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that start meanwhile do not hear Ctrl-C, which is for this one: it hears it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes that start meanwhile compute on one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# ---- in a worker ---------------------------------------------------------------------------------------------------

_tables: Tables


def _start(tables: Tables, lifeline: Connection) -> None:
    global _tables
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where `_deaf` can do nothing
    threading.Thread(target=_leave_with, args=(lifeline,), daemon=True).start()
    _tables = tables


def _leave_with(lifeline: Connection) -> None:
    lifeline.poll(None)
    os._exit(1)


def _play(table: int, deals: Sequence[int]) -> list[Row]:
    return _tables.play(table, deals)

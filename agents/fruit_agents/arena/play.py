"""One table: one agent in one seat, another in all others, game after game; an agent that fails loses its game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fruit_agents.arena.clock import Clock, TooLate
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.base.checks import as_action
from fruit_envs.base.errors import IllegalAction, brief

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import State

__all__ = ["FAILURES", "ONE", "REST", "Played", "Table", "warm_up"]

#: The sides of a table: the agent that has one seat, and the agent that has all others.
ONE, REST = range(2)

#: How an agent can fail: an answer that is no legal action, an exception, an answer after the time limit.
FAILURES = ("illegal", "raised", "late")

#: For the first decision of an agent in a process, which is not judged: it may compile.
_WARM_UP_SECONDS = 60.0
_REASON_LENGTH = 300

#: Where objects lie in memory, which changes with every run; `brief` may have cut off the front.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+|x?[0-9a-fA-F]{6,}(?=>)")


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a table.

    Parameters
    ----------
    seat
        Of the side that has one.
    share, margin
        Win share of that seat, 0..1; its score minus the mean of the others', in points.
    decisions
        How many were made, of all seats.
    failure, failed_seat, reason
        One of `FAILURES`, whose it was, and a line that says what happened; None where nobody failed.
    nanoseconds
        CPU time of each decision, its view included, of each side.
    """

    seat: int
    share: float
    margin: float
    decisions: int
    failure: str | None
    failed_seat: int | None
    reason: str | None
    nanoseconds: tuple[list[int], list[int]]


class _Failed(Exception):
    """An agent lost the game by what it did; carries one of `FAILURES` and the reason."""


class Table:
    """Where one agent meets another that takes all other seats.

    The sides have streams of their own, so that an agent that meets itself does not mirror its own chance. A game
    depends on its deal, its seating and the agents alone, not on what was played before.

    Parameters
    ----------
    game
        The game with its options.
    one, rest
        The agents.
    agent_seed
        The agents' own randomness.
    time_limit
        Seconds for a decision, or None; see `Clock` for what interrupts it.
    """

    def __init__(self, game: Game, one: Any, rest: Any, agent_seed: int = 0, time_limit: float | None = None) -> None:
        self.game = game
        self.agents = (one, rest)
        self.seeds = (2 * agent_seed, 2 * agent_seed + 1)
        self.clock = Clock(time_limit)

    def seatings(self, deal: int) -> list[Played]:
        """The games of the deal with this seed, one for each seat of the one, in the order of the seats."""
        with self.clock.running():
            return [self.play(deal, seat) for seat in range(self.game.num_players)]

    def play(self, deal: int, own: int) -> Played:
        """One game of the deal with this seed, with the one in seat `own`.

        Where a seat fails, its side loses by the worst margin there can be and the other side wins: failing never pays.
        """
        state, n = self.game.deal(deal), self.game.num_players
        spent: tuple[list[int], list[int]] = ([], [])
        sides = [ONE if seat == own else REST for seat in range(n)]
        memories = [new_memory(self.agents[side]) for side in sides]
        while not state.over:
            seat = state.seat
            side = sides[seat]
            try:
                self._decide(state, seat, side, spent[side], memories[seat])
            except _Failed as failed:
                failure, reason = failed.args
                worst = float(self.game.components.worst_margin(self.game.rules))
                share, margin = (0.0, worst) if side == ONE else (1.0, -worst)
                return Played(own, share, margin, state.decisions, failure, seat, reason, spent)
        scores = state.scores.tolist()
        margin = (n * scores[own] - sum(scores)) / (n - 1)
        return Played(own, float(state.shares[own]), margin, state.decisions, None, None, None, spent)

    def _decide(self, state: State, seat: int, side: int, spent: list[int], memory: Any) -> None:
        """One decision of a side, its time added to `spent`; raises `_Failed`."""
        try:
            answer = self.clock.time(partial(ask, self.agents[side], state, seat, self.seeds[side], memory))
        except TooLate:
            raise _Failed("late", _line(state, f"expected an answer within {self.clock.limit:g} s")) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # an agent's sys.exit() included
            raise _Failed("raised", _line(state, _text(error))) from error
        finally:
            spent.append(self.clock.nanoseconds)
        try:
            state.apply(seat, _as_action(answer, self.game.num_actions))
        except IllegalAction as error:
            raise _Failed("illegal", _line(state, str(error))) from error


def warm_up(game: Game, agent: Any, time_limit: float | None) -> None:
    """Ask an agent once without judging it, so that what it compiles is not counted as time for a decision."""
    clock = Clock(None if time_limit is None else max(time_limit, _WARM_UP_SECONDS))
    state = game.deal(0)
    with clock.running():
        try:
            clock.time(partial(ask, agent, state, state.seat, 0, new_memory(agent)))
        except KeyboardInterrupt:
            raise
        except BaseException:  # the games will tell
            return


def _as_action(answer: Any, num_actions: int) -> int:
    """As `as_action`, where the answer may be an object whose methods raise anything."""
    try:
        return as_action(answer, num_actions)
    except IllegalAction:
        raise
    except Exception as error:
        raise IllegalAction(f"expected an action id, got {brief(answer)}, which raised {brief(error)}") from error


def _text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an exception of an agent may be anything
        text = brief(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _line(state: State, text: str) -> str:
    """What went wrong at which decision, on one line that is the same in every process."""
    text = _ADDRESS.sub("0x…", text)
    text = " ".join(f"decision {state.decisions}: {text}".encode("utf-8", "replace").decode().split())
    return text if len(text) <= _REASON_LENGTH else text[: _REASON_LENGTH - 1] + "…"

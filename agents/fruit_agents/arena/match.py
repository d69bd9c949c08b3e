"""What an agent achieved against another on duplicate deals, and the match of two agents in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.arena.clock import as_limit
from fruit_agents.arena.deals import PHRASE, deal_seeds
from fruit_agents.arena.play import FAILURES, ONE, REST, Played, Table, warm_up
from fruit_agents.arena.statistics import Interval, bootstrap, variance_factor
from fruit_agents.progress import tracked
from fruit_envs.agents.names import make_agent, name_of
from fruit_envs.base.checks import as_seed, whole_number
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.options import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fruit_envs.runtime.game import Game

__all__ = ["MatchResult", "as_agent_seed", "as_deals", "duplicate_match", "judge"]

#: Whose seat failed and lost a game by it.
NOBODY, AGENT, OPPONENT = range(3)

#: So many reasons are in a summary; the rows count all failures.
_REASONS = 10


@dataclass(frozen=True, eq=False)
class MatchResult:
    """What one side of a table achieved on duplicate deals.

    A side with one seat meets an opponent that takes all others, or a side takes all seats but one. Its share is the
    mean over its seats, so that a fair one is 1 / num_players; its margin is its mean score minus the mean of the other
    side's. Where a seat fails, its side loses the game, and a side with several seats has no share of it.

    Parameters
    ----------
    game, options
        Name and rule options of the game.
    agent, opponent
        Names.
    seats
        How many seats the agent has.
    seed, agent_seed
        The set of deals; the agents' own randomness.
    rows : numpy.ndarray
        One structured element per deal: `seed` (uint64, of the deal), and per seating, shape (num_players,), `share`
        (float64, 0..1), `margin` (float64, in points), `failure` (int8: 0 none, else 1 + the place in `FAILURES`) and
        `failed` (int8: 0 nobody, 1 the agent, 2 an opponent failed). Seatings are in the order of the seat of the side
        that has one seat; with two players, of the agent's.
    reasons
        One message per failure, of the agent or an opponent.
    win_share, margin
        Means over deals and seatings, with 95 % cluster bootstrap intervals by deal.
    variance_factor
        What duplicates are worth for the margin, see `variance_factor`.
    p50_ms, p99_ms
        Quantiles of the CPU time of the agent's decisions in milliseconds, its view of the game included; NaN without
        any.
    """

    game: str
    options: dict[str, Any]
    agent: str
    opponent: str
    seats: int
    seed: int
    agent_seed: int
    rows: np.ndarray
    reasons: tuple[str, ...]
    win_share: Interval
    margin: Interval
    variance_factor: float
    p50_ms: float
    p99_ms: float

    @property
    def deals(self) -> int:
        """How many deals were played, each from every seat."""
        return len(self.rows)

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return int(self.rows["share"].shape[1])

    @property
    def illegal(self) -> int:
        """How many games the agent lost by an illegal action."""
        return self.failures["illegal"]

    @property
    def failures(self) -> dict[str, int]:
        """How many games the agent lost by a failure, of each kind."""
        return self._count(AGENT)

    @property
    def opponent_failures(self) -> dict[str, int]:
        """How many games were lost by a failure of an opponent, of each kind."""
        return self._count(OPPONENT)

    def _count(self, failed: int) -> dict[str, int]:
        kinds = self.rows["failure"][self.rows["failed"] == failed]
        return {name: int((kinds == code).sum()) for code, name in enumerate(FAILURES, 1)}

    def summary(self) -> dict[str, Any]:
        """All but the single deals, JSON-ready; `timing` alone differs from run to run."""
        return {
            "game": self.game,
            "options": self.options,
            "agent": self.agent,
            "seats": self.seats,
            "opponent": self.opponent,
            "deals": self.deals,
            "seatings": self.num_players,
            "phrase": PHRASE,
            "seed": self.seed,
            "agent_seed": self.agent_seed,
            "win_share": self.win_share.to_json(),
            "margin": self.margin.to_json(),
            "win_share_by_seat": self.rows["share"].mean(axis=0).tolist(),
            "margin_by_seat": self.rows["margin"].mean(axis=0).tolist(),
            "variance_factor": self.variance_factor if math.isfinite(self.variance_factor) else None,
            "failures": self.failures,
            "opponent_failures": self.opponent_failures,
            "reasons": list(self.reasons[:_REASONS]),
            "timing": {"p50_ms": _finite(self.p50_ms), "p99_ms": _finite(self.p99_ms)},
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_deals(deals: Any) -> int:
    """A number of deals, at least 1."""
    return whole("deals", 1, 2**31 - 1)(deals)


def as_agent_seed(seed: Any) -> int:
    """An agent seed of a table, of which the sides' own seeds are made, as a plain int.

    Raises
    ------
    InvalidOption
        If it is not a whole number 0..2^63 - 1.
    """
    number = whole_number(seed, 0, 2**63 - 1)
    if number is None:
        raise InvalidOption(f"expected the agent seed as a number 0..2^63 - 1, got {brief(seed)}")
    return number


def judge(
    side: int, game: Game, names: tuple[str, str], seed: int, agent_seed: int, games: Sequence[Played]
) -> MatchResult:
    """The result of a table as one of its sides sees it.

    Parameters
    ----------
    side
        `ONE` or `REST`.
    game, names, seed, agent_seed
        What was played by whom; the names of both sides.
    games
        All seatings of the first deal in the order of seats, then of the next.
    """
    n = game.num_players
    rows = _rows(games, n, seed)
    reasons = [
        f"deal {rows['seed'][i // n]}, seat {one.failed_seat}, {one.failure}: {one.reason}"
        for i, one in enumerate(games)
        if one.failure is not None
    ]
    if side == REST:
        rows = _as_rest(rows, n)
    units = np.stack([rows["share"].mean(axis=1), rows["margin"].mean(axis=1)], axis=1)
    win_share, margin = bootstrap(units, seed=seed)
    spent = [time for one in games for time in one.nanoseconds[side]]
    p50, p99 = np.percentile(spent, [50, 99]) / 1e6 if spent else (math.nan, math.nan)
    return MatchResult(
        game=game.name,
        options=dict(game.options),
        agent=names[side],
        opponent=names[1 - side],
        seats=1 if side == ONE else n - 1,
        seed=seed,
        agent_seed=agent_seed,
        rows=rows,
        reasons=tuple(reasons),
        win_share=win_share,
        margin=margin,
        variance_factor=variance_factor(rows["margin"]),
        p50_ms=float(p50),
        p99_ms=float(p99),
    )


def _rows(games: Sequence[Played], n: int, seed: int) -> np.ndarray:
    """The rows of a result, as the side with one seat sees them."""
    fields = [("share", np.float64, n), ("margin", np.float64, n), ("failure", np.int8, n), ("failed", np.int8, n)]
    rows = np.zeros(len(games) // n, [("seed", np.uint64), *fields])
    rows["seed"] = deal_seeds(len(rows), seed)
    codes = {None: 0} | {kind: code for code, kind in enumerate(FAILURES, 1)}
    failed = [NOBODY if g.failure is None else AGENT if g.failed_seat == g.seat else OPPONENT for g in games]
    rows["share"] = np.reshape([one.share for one in games], (-1, n))
    rows["margin"] = np.reshape([one.margin for one in games], (-1, n))
    rows["failure"] = np.reshape([codes[one.failure] for one in games], (-1, n))
    rows["failed"] = np.reshape(failed, (-1, n))
    return rows


def _as_rest(rows: np.ndarray, n: int) -> np.ndarray:
    """The one's rows as its opponents see them: the rest share what it did not win, and all else is the opposite."""
    told = rows.copy()
    told["share"] = (1 - rows["share"]) / (n - 1)
    told["margin"] = 0 - rows["margin"]
    told["failed"] = np.array([NOBODY, OPPONENT, AGENT])[rows["failed"]]
    if n == 2:
        for field in ("share", "margin", "failure", "failed"):
            told[field] = told[field][:, ::-1].copy()
    return told


def duplicate_match(
    game: Game,
    agent: Any,
    opponent: Any,
    *,
    deals: int = 2000,
    seed: int = 0,
    agent_seed: int = 0,
    time_limit: float | None = None,
    progress: bool = True,
) -> MatchResult:
    """Play one agent against opponents of one kind, on each deal once from every seat.

    An agent that raises, answers illegally or too late loses that game (see `Table.play`).

    Parameters
    ----------
    game
        The game with its options.
    agent, opponent
        A registered name, the directory of a saved policy, or an agent. The opponent takes all other seats.
    deals
        How many deals.
    seed
        Which set of deals (see `deal_seeds`); also seeds the bootstrap.
    agent_seed
        The agents' own randomness; the agent and its opponents have separate streams.
    time_limit
        Seconds for a decision; None for no limit.
    progress
        Show a bar on stderr.

    Returns
    -------
    MatchResult

    Raises
    ------
    InvalidOption
        For an agent that does not exist or does not fit the game, a number of deals below 1, a wrong seed or limit.
    """
    deals, seed, agent_seed = as_deals(deals), as_seed(seed), as_agent_seed(agent_seed)
    agents = make_agent(agent, game), make_agent(opponent, game)
    table = Table(game, *agents, agent_seed, as_limit(time_limit))
    for one in agents:
        warm_up(game, one, table.clock.limit)
    names = name_of(agents[0]), name_of(agents[1])
    what = f"{names[0]} against {names[1]}"
    games = [one for deal in tracked(deal_seeds(deals, seed), what, progress) for one in table.seatings(deal)]
    return judge(ONE, game, names, seed, agent_seed, games)

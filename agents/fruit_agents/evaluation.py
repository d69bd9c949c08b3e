"""Head-to-head matches on duplicate deals: every deal is played once from every seat.

Chance is counter-based, so a deal is the same whatever the players do, and much of the luck of the cards and of the
seat cancels within a deal. Inference treats a deal with all its seatings as one unit: intervals come from the cluster
bootstrap (Field and Welsh 2007, "Bootstrapping clustered data"), percentile method.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.progress import tracked
from fruit_agents.resolve import resolve
from fruit_envs.core.agents import ask, make_agent
from fruit_envs.core.checks import as_seed
from fruit_envs.core.errors import IllegalAction
from fruit_envs.core.game import Game
from fruit_envs.core.options import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PHRASE", "Interval", "MatchResult", "bootstrap", "deal_seeds", "duplicate_match", "to_json", "to_markdown"]

#: Test deals follow from this phrase, the number of the set and an index: nobody can choose them after training.
PHRASE = "fruit-envs duplicate deals"

RESAMPLES = 10_000
LEVEL = 0.95

#: Who answered illegally and lost a game by it.
NOBODY, AGENT, OPPONENT = range(3)


@dataclass(frozen=True)
class Interval:
    """A mean with the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class MatchResult:
    """What an agent achieved against opponents of one kind on duplicate deals.

    Parameters
    ----------
    game, options
        Name and rule options of the game.
    agent, opponent
        Names.
    seed, agent_seed
        The set of deals; the agents' own randomness.
    rows : numpy.ndarray
        One structured element per deal: `seed` (uint64, of the deal), and per seat of the agent, shape
        (num_players,), `share` (float64, its win share 0..1), `margin` (float64, own score minus the mean of the
        others', in points) and `illegal` (int8: 0 nobody, 1 the agent, 2 an opponent answered illegally).
    reasons
        One message per illegal action, of the agent or an opponent.
    win_share, margin
        Means over deals and seatings, with 95 % cluster bootstrap intervals by deal.
    p50_ms, p99_ms
        Quantiles of the time of the agent's decisions in milliseconds, its view of the game included.
    """

    game: str
    options: dict[str, Any]
    agent: str
    opponent: str
    seed: int
    agent_seed: int
    rows: np.ndarray
    reasons: tuple[str, ...]
    win_share: Interval
    margin: Interval
    p50_ms: float
    p99_ms: float

    @property
    def deals(self) -> int:
        """How many deals were played, each from every seat."""
        return len(self.rows)

    @property
    def illegal(self) -> int:
        """How many illegal actions the agent chose."""
        return int((self.rows["illegal"] == AGENT).sum())

    @property
    def opponent_illegal(self) -> int:
        """How many illegal actions the opponents chose."""
        return int((self.rows["illegal"] == OPPONENT).sum())

    def summary(self) -> dict[str, Any]:
        """All but the single deals, JSON-ready."""
        return {
            "game": self.game,
            "options": self.options,
            "agent": self.agent,
            "opponent": self.opponent,
            "deals": self.deals,
            "seatings": self.rows["share"].shape[1],
            "phrase": PHRASE,
            "seed": self.seed,
            "agent_seed": self.agent_seed,
            "win_share": vars(self.win_share),
            "margin": vars(self.margin),
            "win_share_by_seat": self.rows["share"].mean(axis=0).tolist(),
            "margin_by_seat": self.rows["margin"].mean(axis=0).tolist(),
            "illegal": self.illegal,
            "opponent_illegal": self.opponent_illegal,
            "reasons": list(self.reasons),
            "p50_ms": self.p50_ms,
            "p99_ms": self.p99_ms,
        }


def deal_seeds(deals: int, seed: int = 0) -> list[int]:
    """The seeds of a set of test deals, below 2^53: the first 53 bits of SHA-256 of phrase, set and index."""
    hashes = (sha256(f"{PHRASE} {seed} {index}".encode()).digest() for index in range(deals))
    return [int.from_bytes(digest[:8], "big") >> 11 for digest in hashes]


def bootstrap(values: NDArray[np.float64], *, seed: int = 0, resamples: int = RESAMPLES) -> list[Interval]:
    """Means with percentile intervals, by resampling whole rows with replacement.

    Parameters
    ----------
    values
        Shape (units, metrics): one row per independent unit (a deal), already averaged within it.
    seed
        Of the resampling.
    resamples
        How many.

    Returns
    -------
    list of Interval
        One per metric.
    """
    rng = np.random.default_rng(seed)
    columns = np.ascontiguousarray(values.T)
    means = np.empty((resamples, len(columns)))
    for i in range(resamples):
        chosen = rng.integers(len(values), size=len(values))
        means[i] = columns.take(chosen, axis=1).mean(axis=1)
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    return [Interval(*map(float, bounds)) for bounds in zip(columns.mean(axis=1), low, high, strict=True)]


def duplicate_match(
    game: Game,
    agent: Any,
    opponent: Any,
    *,
    deals: int = 2000,
    seed: int = 0,
    agent_seed: int = 0,
    progress: bool = True,
) -> MatchResult:
    """Play one agent against opponents of one kind, on each deal once from every seat.

    An agent that answers illegally loses that game as its sole loser: the others share the win, and the margin is the
    reward of that share times the game's `margin_scale`.

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
    progress
        Show a bar on stderr.

    Returns
    -------
    MatchResult

    Raises
    ------
    InvalidOption
        For an agent that does not exist or does not fit the game, or a number of deals below 1.
    """
    whole("deals", 1, 2**31 - 1)(deals)
    n = game.num_players
    rows = np.zeros(
        deals, [("seed", np.uint64), ("share", np.float64, n), ("margin", np.float64, n), ("illegal", np.int8, n)]
    )
    rows["seed"] = deal_seeds(deals, as_seed(seed))
    table = _Table(game, agent, opponent, agent_seed)
    what = f"{table.agent_name} against {table.opponent_name}"
    for i, deal in enumerate(tracked(rows["seed"].tolist(), what, progress)):
        for seat in range(n):
            rows["share"][i, seat], rows["margin"][i, seat], rows["illegal"][i, seat] = table.play(deal, seat)
    units = np.stack([rows["share"].mean(axis=1), rows["margin"].mean(axis=1)], axis=1)
    win_share, margin = bootstrap(units, seed=seed)
    p50, p99 = np.percentile(table.nanoseconds or [0], [50, 99]) / 1e6
    return MatchResult(
        game.name,
        dict(game.options),
        table.agent_name,
        table.opponent_name,
        seed,
        agent_seed,
        rows,
        tuple(table.reasons),
        win_share,
        margin,
        float(p50),
        float(p99),
    )


class _Table:
    """Where one agent meets its opponents, game after game."""

    def __init__(self, game: Game, agent: Any, opponent: Any, agent_seed: int) -> None:
        self.game = game
        self.agent, self.opponent = (
            resolve(one, game) if isinstance(one, str) else make_agent(one, game) for one in (agent, opponent)
        )
        self.agent_name, self.opponent_name = (
            getattr(one, "name", type(one).__name__) for one in (self.agent, self.opponent)
        )
        self.agent_seed, self.opponent_seed = 2 * agent_seed, 2 * agent_seed + 1
        self.nanoseconds: list[int] = []
        self.reasons: list[str] = []

    def play(self, deal: int, own: int) -> tuple[float, float, int]:
        """One game with the agent in seat `own`: its win share, its margin, and who answered illegally."""
        state, n = self.game.deal(deal), self.game.num_players
        while not state.over:
            seat = state.seat
            if seat == own:
                began = perf_counter_ns()
                action = ask(self.agent, state, seat, self.agent_seed)
                self.nanoseconds.append(perf_counter_ns() - began)
            else:
                action = ask(self.opponent, state, seat, self.opponent_seed)
            try:
                state.apply(seat, action)
            except IllegalAction as error:
                self.reasons.append(f"deal {deal}, seat {seat}, decision {state.decisions}: {error}")
                share = 0.0 if seat == own else 1 / (n - 1)
                reward = (n * share - 1) / (n - 1)
                scale = float(self.game.rules[0]["margin_scale"])
                return share, reward * scale, AGENT if seat == own else OPPONENT
        scores = state.scores.tolist()
        return float(state.shares[own]), (n * scores[own] - sum(scores)) / (n - 1), NOBODY


def to_json(results: Sequence[MatchResult]) -> str:
    """A table of results as a JSON list of their summaries."""
    return json.dumps([result.summary() for result in results], indent=2) + "\n"


def to_markdown(results: Sequence[MatchResult]) -> str:
    """A table of results as Markdown, with 95 % intervals in brackets."""
    lines = [
        "| agent | against | players | deals | win share | margin | illegal | ms a decision (p50, p99) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for r in results:
        share, margin = r.win_share, r.margin
        cells = (
            r.agent,
            r.opponent,
            r.rows["share"].shape[1],
            r.deals,
            f"{share.mean:.3f} [{share.low:.3f}, {share.high:.3f}]",
            f"{margin.mean:+.2f} [{margin.low:+.2f}, {margin.high:+.2f}]",
            r.illegal,
            f"{r.p50_ms:.3f}, {r.p99_ms:.3f}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"

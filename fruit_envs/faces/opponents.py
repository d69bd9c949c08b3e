"""Who plays the other seats in the Gymnasium faces: the same rule for one game and for many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.agents.asking import ask_batch, label, memory_size
from fruit_envs.agents.names import make_agent, name_of
from fruit_envs.agents.pool import POOL_STREAM, Pool
from fruit_envs.base.checks import integer_array
from fruit_envs.base.errors import AgentError, IllegalAction, InvalidBuffer, InvalidOption, InvalidSeat, brief
from fruit_envs.engine import rows as loops
from fruit_envs.engine.masks import find_illegal
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.views import Views

__all__ = ["SEAT_STREAM", "Opponents", "as_illegal", "as_learner", "as_opponents"]

#: The "agent seed" from which the learner's seat of each episode is drawn.
SEAT_STREAM = 0x5EA7


def as_opponents(opponents: Any, game: Game) -> list[Any]:
    """The agent or `Pool` of each other seat, clockwise from the learner.

    Parameters
    ----------
    opponents
        A registered agent's name, an agent or a `Pool` for all of them, or a sequence with one of these for each.

    Raises
    ------
    InvalidOption
        For anything else, or a pool of another game.
    """
    others = game.num_players - 1
    given = opponents if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents] * others
    if len(given) != others:
        raise InvalidOption(f"option opponents: expected {others} agents or one for all, got {len(given)}")
    made: dict[int, Any] = {}  # one agent for all seats is one object
    for one in given:
        if isinstance(one, Pool) and one.game.rules.tobytes() != game.rules.tobytes():
            raise InvalidOption(f"option opponents: expected a pool of {game!r}, got one of {one.game!r}")
        if id(one) not in made:
            made[id(one)] = one if isinstance(one, Pool) else make_agent(one, game)
    return [made[id(one)] for one in given]


def as_learner(seat: Any, game: Game) -> int | None:
    """The learner's fixed seat, or None where it is drawn each episode."""
    try:
        return None if seat is None else game.seat(seat)
    except InvalidSeat as error:
        raise InvalidOption(f"option seat: {error}, or None to draw one each episode") from None


def as_illegal(illegal: Any) -> str:
    """What a merely illegal action does."""
    if not isinstance(illegal, str) or illegal not in ("terminate", "raise"):
        raise InvalidOption(f"option illegal: expected 'terminate' or 'raise', got {brief(illegal)}")
    return illegal


class Opponents:
    """The agents in the seats that are not learners', in many games.

    Attributes
    ----------
    who : numpy.ndarray
        int64, shape (games, num_players - 1): whose decisions the other seats' are, clockwise from the learner.
    memories : numpy.ndarray
        float32, shape (games, num_players - 1, most): what these agents remember; those that remember less than the
        most leave the rest zero.

    Parameters
    ----------
    rows
        The games.
    seated
        What `as_opponents` returned.
    seed
        The agents' own randomness.
    """

    def __init__(self, rows: Rows, seated: Sequence[Any], seed: int) -> None:
        self.game, self._rows, self._seated, self._seed = rows.game, rows, seated, seed
        games = len(rows.memory)
        self._waiting = np.zeros(games, np.int64)
        self._agents: list[Any] = []  # whoever plays in some game
        self.who = np.zeros((games, len(seated)), np.int64)  # their places in that list
        self.memories = np.zeros((games, len(seated), 0), np.float32)
        for k, one in enumerate(seated):
            if not isinstance(one, Pool):
                self.who[:, k] = self._number(one)

    def cast(self, rows: NDArray[np.int64]) -> None:
        """Draw from each pool the agents that play these games, which begin: nobody remembers anything yet."""
        self.memories[rows] = 0.0
        for k, one in enumerate(self._seated):
            if isinstance(one, Pool):
                drawn = one.draw(self._rows.keys(rows, POOL_STREAM, k))
                numbers = np.array([self._number(agent) for agent in one.agents])
                self.who[rows, k] = numbers[drawn]

    def _number(self, agent: Any) -> int:
        """The place of an agent among those that play; one that plays in no game any more leaves its place."""
        more = memory_size(agent) - self.memories.shape[2]
        if more > 0:
            self.memories = np.pad(self.memories, ((0, 0), (0, 0), (0, more)))
        for number, known in enumerate(self._agents):
            if known is agent:
                return number
        pools = [one for one in self._seated if isinstance(one, Pool)]
        kept = {id(member) for pool in pools for member in pool.agents}
        playing = set(np.unique(self.who).tolist())
        for number, known in enumerate(self._agents):
            if pools and number not in playing and id(known) not in kept:
                self._agents[number] = agent
                return number
        self._agents.append(agent)
        return len(self._agents) - 1

    def players(self) -> list[list[str]]:
        """The labels of the agents that play the other seats of each game."""
        labels = [label(agent) for agent in self._agents]
        return [[labels[number] for number in row] for row in self.who.tolist()]

    def recall(self, memories: NDArray[np.float32], players: list[list[str]]) -> None:
        """Let the agents remember what was kept of `players`; where others play now, these remember nothing.

        Raises
        ------
        InvalidBuffer
            For memories that are smaller than those of the agents.
        """
        same = np.array(players, object) == np.array(self.players(), object)
        needed = max((memory_size(self._agents[number]) for number in np.unique(self.who[same])), default=0)
        if memories.shape[2] < needed:
            raise InvalidBuffer(f"expected memories of {needed} numbers, got {memories.shape[2]}")
        size = min(memories.shape[2], self.memories.shape[2])
        self.memories[:] = 0.0
        self.memories[same, :size] = memories[same, :size]

    def kept(self) -> Any:
        """Who plays where, and what they remember, for `restore`."""
        return self.who.copy(), list(self._agents), self.memories.copy()

    def restore(self, kept: Any) -> None:
        """Seat everybody as when `kept` was called."""
        self.who[:], self._agents, self.memories = kept[0], list(kept[1]), kept[2]

    def play(self, learners: NDArray[np.int64]) -> None:
        """Let the other seats decide until in every game the learner's seat is asked or the game is over.

        In each round the seats that are asked now decide together.

        Raises
        ------
        AgentError
            Where an agent answers illegally; the games stay where they are.
        """
        n = self.game.num_players
        while count := loops.waiting_rows(self._rows.memory, learners, self._waiting):
            rows = self._waiting[:count]
            seats, observations, masks, keys = self._rows.ask(rows, self._seed)
            places = (seats - learners[rows]) % n - 1
            who = self.who[rows, places]
            first = int(who[0])
            if (who == first).all():
                actions = self._ask(first, rows, places, seats, observations, masks, keys)
            else:
                actions = np.empty(count, np.int64)
                for number in np.unique(who).tolist():
                    own = np.flatnonzero(who == number)
                    asked = (rows[own], places[own], seats[own], observations[own], masks[own], keys[own])
                    actions[own] = self._ask(number, *asked)
            self._rows.play(rows, seats, actions)

    def _ask(
        self,
        number: int,
        rows: NDArray[np.int64],
        places: NDArray[np.int64],
        seats: NDArray[np.int64],
        observations: np.ndarray,
        masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """The decisions of one agent in these games, all of them legal."""
        agent = self._agents[number]
        views: Views | list[None] = [None] * len(rows)
        if getattr(agent, "uses_view", True) and self.game.options["memory"] == "perfect":
            views = self._rows.views(rows, seats, keys)
        size = memory_size(agent)
        memories = self.memories[rows, places, :size]
        try:
            answers = ask_batch(agent, observations, masks.copy(), views, keys, memories)
        except IllegalAction as error:
            raise AgentError(f"opponent {name_of(agent)}: {error}") from error
        given = integer_array(answers, len(rows))
        if given is None:
            raise AgentError(f"opponent {name_of(agent)}: expected {len(rows)} action ids, got {brief(answers)}")
        actions = np.ascontiguousarray(given, np.int64)  # what is beyond int64 becomes negative
        wrong = find_illegal(masks, actions)
        if wrong >= 0:
            some = np.flatnonzero(masks[wrong])[:12].tolist()
            raise AgentError(
                f"opponent {name_of(agent)} in seat {seats[wrong]} of game {rows[wrong]}: "
                f"expected a legal action (such as {some}), got {given[wrong]}"
            )
        self.memories[rows, places, :size] = memories
        return actions

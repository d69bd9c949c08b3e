"""What an agent is, the built-in random agent, and the registry of agents by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.core.checks import as_action, as_key, as_masks, whole_number
from fruit_envs.core.errors import InvalidBuffer, InvalidOption, MissingExtra, brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game
    from fruit_envs.core.state import State, View

__all__ = [
    "AGENTS",
    "Agent",
    "RandomAgent",
    "act_rows",
    "as_memories",
    "ask",
    "ask_batch",
    "label",
    "make_agent",
    "memory_size",
    "missing_extra",
    "name_of",
    "new_memory",
    "register_agent",
]


class Agent:
    """Something that decides for a seat, from what that seat may know and nothing else.

    Subclasses define `act`; `act_batch` and `policy` may be overridden where that pays. Agents keep nothing about a
    game in themselves, so that one object can play any number of seats and games. One that has to remember what it has
    seen says how much in `memory_size`: then `act` and `act_batch` get one more argument, float32 of shape
    (memory_size,) or (rows, memory_size), which holds zeros at the seat's first decision in a game, and in which it
    leaves what it wants to find at its next one. Whoever runs the game keeps it, for each game and seat apart.

    Attributes
    ----------
    name : str
        For tables and records.
    uses_view : bool
        Whether `act` wants a `View`; making one costs a redraw, so agents that do not need it say so.
    memory_size : int
        How many numbers the agent remembers from one of its decisions to the next.

    Parameters
    ----------
    game
        The game with its options; an agent fits exactly one.
    """

    name = "agent"
    uses_view = True
    memory_size = 0

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int) -> int:
        """One decision.

        Parameters
        ----------
        observation
            Shape (game.layout.size,).
        mask
            int8, shape (game.num_actions,); at least one entry is 1.
        view
            The game as the seat may know it, all else redrawn from `key`; None where `uses_view` is False or
            the game is played from memory (`memory="tabletop"`).
        key
            The decision's own randomness (uint64).

        Returns
        -------
        int
            A legal action id.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define act()")

    def act_batch(
        self, observations: np.ndarray, masks: NDArray[np.int8], views: Sequence[View | None], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Decisions of many games; each row equals `act` of that row."""
        return act_rows(self, observations, masks, views, keys)

    def policy(
        self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int
    ) -> NDArray[np.float64]:
        """Probabilities of the actions; by default all on the action that `act` chooses."""
        probabilities = np.zeros(len(mask))
        probabilities[self.act(observation, mask, view, key)] = 1.0
        return probabilities


class RandomAgent(Agent):
    """Uniformly random legal actions."""

    name = "random"
    uses_view = False

    def act(self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int) -> int:
        """A legal action, uniformly at random."""
        from fruit_envs.core.jit import word
        from fruit_envs.core.masks import pick_one

        return int(pick_one(as_masks(mask, (self.game.num_actions,)), word(key)))

    def act_batch(
        self, observations: np.ndarray, masks: NDArray[np.int8], views: Sequence[View | None], keys: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """One legal action per row."""
        from fruit_envs.core.masks import pick_rows

        keys = np.asarray(keys, np.uint64)
        actions = np.empty(len(keys), np.int64)
        pick_rows(as_masks(masks, (len(keys), self.game.num_actions)), keys, actions)
        return actions

    def policy(
        self, observation: np.ndarray, mask: NDArray[np.int8], view: View | None, key: int
    ) -> NDArray[np.float64]:
        """Equal probabilities over the legal actions."""
        probabilities: NDArray[np.float64] = as_masks(mask, (self.game.num_actions,)) / mask.sum()
        return probabilities


#: Name -> what makes the agent for a game. Importing fruit_agents adds its own.
AGENTS: dict[str, Callable[[Game], Any]] = {"random": RandomAgent}


def register_agent(name: str, factory: Callable[[Game], Any]) -> None:
    """Make an agent known by name, for `opponents=…`, records and the command line.

    Raises
    ------
    InvalidOption
        If the name is no text or the factory cannot be called.
    """
    if not isinstance(name, str) or not callable(factory):
        raise InvalidOption(f"expected a name and a function of a game, got {brief(name)} and {brief(factory)}")
    AGENTS[name] = factory


def make_agent(agent: Any, game: Game) -> Any:
    """An agent for this game, from a registered name or an agent object, which is returned as it is.

    Raises
    ------
    InvalidOption
        For a name that is not registered, or an object without `act`.
    """
    if isinstance(agent, str):
        if agent not in AGENTS:
            near = get_close_matches(agent, AGENTS, 1)
            hint = f"did you mean {near[0]!r}?" if near else "`import fruit_agents` registers the baselines"
            raise InvalidOption(f"unknown agent: expected one of {sorted(AGENTS)}, got {agent!r}; {hint}")
        return AGENTS[agent](game)
    if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
        raise InvalidOption(f"expected the name of an agent or an object with act(), got {brief(agent)}")
    return agent


def act_rows(
    agent: Any,
    observations: np.ndarray,
    masks: NDArray[np.int8],
    views: Sequence[View | None],
    keys: NDArray[np.uint64],
    memories: NDArray[np.float32] | None = None,
) -> NDArray[np.int64]:
    """What `act` answers for each row.

    Raises
    ------
    IllegalAction
        Where an answer is no action id.
    """
    extra = [()] * len(keys) if memories is None else [(memory,) for memory in memories]
    rows = zip(observations, masks, views, keys.tolist(), extra, strict=True)
    # Copies: an agent may not look at its neighbour's row.
    answers = [agent.act(seen.copy(), mask.copy(), view, key, *more) for seen, mask, view, key, more in rows]
    return np.array([as_action(answer, masks.shape[1]) for answer in answers], np.int64)


def ask_batch(
    agent: Any,
    observations: np.ndarray,
    masks: NDArray[np.int8],
    views: Sequence[View | None],
    keys: NDArray[np.uint64],
    memories: NDArray[np.float32],
) -> Any:
    """The decisions of an agent in many games, as it answers: through its `act_batch`, or else one by one.

    `memories`, of shape (rows, memory_size), is written to.
    """
    act_batch = getattr(agent, "act_batch", partial(act_rows, agent))
    if memories.shape[1] == 0:
        return act_batch(observations, masks, views, keys)
    if getattr(act_batch, "__func__", None) is Agent.act_batch:  # inherited by an agent that defines `act` alone
        act_batch = partial(act_rows, agent)
    return act_batch(observations, masks, views, keys, memories)


def memory_size(agent: Any) -> int:
    """How many numbers an agent remembers.

    Raises
    ------
    InvalidOption
        Where it says something else than a whole number.
    """
    said = getattr(agent, "memory_size", 0)
    size = whole_number(said, 0, 2**24)
    if size is None:
        raise InvalidOption(f"agent {name_of(agent)}: expected memory_size 0..{2**24}, got {brief(said)}")
    return size


def new_memory(agent: Any) -> NDArray[np.float32] | None:
    """What an agent remembers when a game begins: zeros, or None where it remembers nothing."""
    size = memory_size(agent)
    return np.zeros(size, np.float32) if size else None


def label(agent: Any) -> str:
    """Tells agents apart that cannot read each other's memory."""
    return f"{name_of(agent)}/{memory_size(agent)}"


def as_memories(given: Any, labels: Any, agents: Sequence[Any]) -> list[NDArray[np.float32] | None]:
    """What these agents remember, as it was kept of agents with these labels; others remember nothing.

    Raises
    ------
    InvalidBuffer
        Where a memory is none of an agent with its label.
    """
    if len(given) != len(agents) or len(labels) != len(agents):
        raise InvalidBuffer(f"expected the memories of {len(agents)} agents, got {brief(given)} of {brief(labels)}")
    found: list[NDArray[np.float32] | None] = []
    for memory, name, agent in zip(given, labels, agents, strict=True):
        fresh = new_memory(agent)
        if name != label(agent) or fresh is None:
            found.append(fresh)
        elif isinstance(memory, np.ndarray) and memory.dtype == np.float32 and memory.shape == fresh.shape:
            found.append(memory)
        else:
            raise InvalidBuffer(f"expected the memory of {name} as float32 {fresh.shape}, got {brief(memory)}")
    return found


def name_of(agent: Any) -> str:
    """What an agent calls itself, or its class."""
    return str(getattr(agent, "name", type(agent).__name__))


def ask(agent: Any, state: State, seat: int, agent_seed: int, memory: NDArray[np.float32] | None = None) -> Any:
    """The decision of an agent for a seat, as it answers: `State.apply` judges it.

    The key depends on agent seed, game seed, seat and decision number alone. `memory` is what `new_memory` gave for
    this seat and game, and is written to.
    """
    from fruit_envs.core.keys import decision_key

    key = decision_key(as_key(agent_seed, "agent seed"), state.seed, seat, state.decisions)
    wants_view = getattr(agent, "uses_view", True) and state.game.options["memory"] == "perfect"
    view = state.view(seat, key) if wants_view else None
    extra = () if memory is None else (memory,)
    # Copies: rows of one state lie side by side, and an agent may not look at its neighbour's.
    return agent.act(state.observation(seat).copy(), state.legal(seat).copy(), view, key, *extra)


def missing_extra(package: str, extra: str) -> MissingExtra:
    """The error for an optional dependency that is not installed."""
    return MissingExtra(f'expected {package} to be installed: pip install "fruit-envs[{extra}]"')

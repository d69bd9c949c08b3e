"""Asking an agent for its decision: what it is shown, what it remembers, and the key of its randomness."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.agents.agent import Agent, as_memory
from fruit_envs.agents.names import name_of
from fruit_envs.base.checks import as_key, whole_number
from fruit_envs.base.errors import InvalidBuffer, InvalidOption, brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.state import State, View

__all__ = ["as_memories", "ask", "ask_batch", "label", "memory_size", "new_memory"]


def ask(agent: Any, state: State, seat: int, agent_seed: int, memory: NDArray[np.float32]) -> Any:
    """The decision of an agent for a seat, as it answers: `State.apply` judges it.

    The key depends on agent seed, game seed, seat and decision number alone. `memory` is what `new_memory` gave for
    this seat and game, and is written to.
    """
    from fruit_envs.runtime.keys import decision_key

    key = decision_key(as_key(agent_seed, "agent seed"), state.seed, seat, state.decisions)
    wants_view = getattr(agent, "uses_view", True) and state.game.options["memory"] == "perfect"
    view = state.view(seat, key) if wants_view else None
    return agent.act(state.observation(seat), state.legal(seat), view, key, memory)


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
    act_batch = getattr(agent, "act_batch", partial(Agent.act_batch, agent))
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


def new_memory(agent: Any) -> NDArray[np.float32]:
    """What an agent remembers when a game begins: `memory_size` zeros."""
    return np.zeros(memory_size(agent), np.float32)


def label(agent: Any) -> str:
    """Tells agents apart that cannot read each other's memory."""
    return f"{name_of(agent)}/{memory_size(agent)}"


def as_memories(given: Any, labels: Any, agents: Sequence[Any]) -> list[NDArray[np.float32]]:
    """What these agents remember, as it was kept of agents with these labels; others remember nothing.

    Raises
    ------
    InvalidBuffer
        Where a memory is none of an agent with its label.
    """
    if len(given) != len(agents) or len(labels) != len(agents):
        raise InvalidBuffer(f"expected the memories of {len(agents)} agents, got {brief(given)} of {brief(labels)}")
    found = [new_memory(agent) for agent in agents]
    for place, (memory, name, agent) in enumerate(zip(given, labels, agents, strict=True)):
        if name == label(agent):
            found[place] = as_memory(memory, found[place].shape).copy()
    return found

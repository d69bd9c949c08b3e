"""What an agent is, the built-in random agent, and the registry of agents by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.core.checks import as_action, as_key, as_masks
from fruit_envs.core.errors import InvalidOption, MissingExtra, brief

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game
    from fruit_envs.core.state import State, View

__all__ = [
    "AGENTS",
    "Agent",
    "RandomAgent",
    "act_rows",
    "ask",
    "make_agent",
    "missing_extra",
    "name_of",
    "register_agent",
]


class Agent:
    """Something that decides for a seat, from what that seat may know and nothing else.

    Subclasses define `act`; `act_batch` and `policy` may be overridden where that pays.

    Attributes
    ----------
    name : str
        For tables and records.
    uses_view : bool
        Whether `act` wants a `View`; making one costs a redraw, so agents that do not need it say so.

    Parameters
    ----------
    game
        The game with its options; an agent fits exactly one.
    """

    name = "agent"
    uses_view = True

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
) -> NDArray[np.int64]:
    """What `act` answers for each row.

    Raises
    ------
    IllegalAction
        Where an answer is no action id.
    """
    rows = zip(observations, masks, views, keys.tolist(), strict=True)
    # Copies: an agent may not look at its neighbour's row.
    answers = [agent.act(seen.copy(), mask.copy(), view, key) for seen, mask, view, key in rows]
    return np.array([as_action(answer, masks.shape[1]) for answer in answers], np.int64)


def name_of(agent: Any) -> str:
    """What an agent calls itself, or its class."""
    return str(getattr(agent, "name", type(agent).__name__))


def ask(agent: Any, state: State, seat: int, agent_seed: int) -> Any:
    """The decision of an agent for a seat, as it answers: `State.apply` judges it.

    The key depends on agent seed, game seed, seat and decision number alone.
    """
    from fruit_envs.core.keys import decision_key

    key = decision_key(as_key(agent_seed, "agent seed"), state.seed, seat, state.decisions)
    wants_view = getattr(agent, "uses_view", True) and state.game.options["memory"] == "perfect"
    view = state.view(seat, key) if wants_view else None
    # Copies: rows of one state lie side by side, and an agent may not look at its neighbour's.
    return agent.act(state.observation(seat).copy(), state.legal(seat).copy(), view, key)


def missing_extra(package: str, extra: str) -> MissingExtra:
    """The error for an optional dependency that is not installed."""
    return MissingExtra(f'expected {package} to be installed: pip install "fruit-envs[{extra}]"')

"""Who takes part: agents under names of their own, and what tells them from others of that name."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from fruit_agents.policy import policy_digest
from fruit_envs.agents.names import AGENTS, make_agent, name_of
from fruit_envs.base.errors import InvalidOption, brief

if TYPE_CHECKING:
    from fruit_envs.runtime.game import Game

__all__ = ["Entrant", "enter"]


@dataclass(frozen=True)
class Entrant:
    """An agent in an arena.

    Parameters
    ----------
    name
        Its own in this arena.
    agent
        The agent.
    digest
        Of the files of a saved policy, or of what an agent object holds; None for registered names.
    """

    name: str
    agent: Any
    digest: str | None

    def identity(self) -> dict[str, str | None]:
        """What tells it from others, JSON-ready."""
        kind = type(self.agent)
        return {"name": self.name, "class": f"{kind.__module__}.{kind.__qualname__}", "digest": self.digest}


def enter(agents: Sequence[Any] | Mapping[str, Any], game: Game) -> list[Entrant]:
    """The entrants of an arena.

    Parameters
    ----------
    agents
        Registered names, directories of saved policies, or agents; a mapping names them, else a text is its own name
        and an agent has one.

    Raises
    ------
    InvalidOption
        For fewer than two, an agent that does not exist or does not fit, or names that are not different lines of text.
    """
    if isinstance(agents, str) or not isinstance(agents, (Sequence, Mapping)) or len(agents) < 2:
        raise InvalidOption(f"expected two agents or more, got {brief(agents)}")
    named = agents.items() if isinstance(agents, Mapping) else ((None, agent) for agent in agents)
    entrants = list(_entrants(named, game))
    names = [entrant.name for entrant in entrants]
    for name in names:
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or names.count(name) > 1:
            raise InvalidOption(f"expected agents with different names of printable text, got {brief(names)}")
    return entrants


def object_digest(agent: Any) -> str:
    """What tells an agent object from others of its class: its pickle; one that has none equals no other."""
    try:
        return sha256(pickle.dumps(agent)).hexdigest()
    except Exception:  # pickling runs an agent's own code
        return f"not comparable: {token_hex(8)}"


def _entrants(named: Iterable[tuple[Any, Any]], game: Game) -> Iterator[Entrant]:
    for name, given in named:
        agent, own, digest = make_agent(given, game), given, None
        if not isinstance(given, str):
            own, digest = name_of(agent), object_digest(agent)
        elif given not in AGENTS:  # a folder, or there had been no such agent
            own = str(Path(given))
            digest = policy_digest(given)
        yield Entrant(own if name is None else name, agent, digest)

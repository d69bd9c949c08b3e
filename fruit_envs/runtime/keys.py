"""Keys: where the randomness of one decision of one agent comes from."""

from __future__ import annotations

from fruit_envs.engine.jit import word
from fruit_envs.engine.loops import key_one

__all__ = ["decision_key"]


def decision_key(agent_seed: int, game_seed: int, seat: int, decision: int) -> int:
    """The key (uint64) of one decision of one agent: equal in a batch, a single environment and a replay.

    A one-way hash: agents are handed their keys, and find the game's seed in them only by trying all seeds. So agents
    are judged on seeds that cannot be guessed, as an arena's are, not on 0, 1, 2.
    """
    return int(key_one(word(agent_seed), word(game_seed), seat, decision))

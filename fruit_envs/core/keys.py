"""Keys: where the randomness of one decision of one agent comes from."""

from __future__ import annotations

from hashlib import blake2b
from struct import pack

__all__ = ["decision_key"]


def decision_key(agent_seed: int, game_seed: int, seat: int, decision: int) -> int:
    """The key (uint64) of one decision of one agent: equal in a batch, a single environment and a replay.

    A one-way hash: agents are handed their keys, and may not find the game's seed in them.
    """
    return int.from_bytes(blake2b(pack("<4Q", agent_seed, game_seed, seat, decision), digest_size=8).digest(), "little")

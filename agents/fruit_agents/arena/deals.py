"""The test deals, which nobody can choose after training."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["PHRASE", "deal_seed", "deal_seeds"]

#: Test deals follow from this phrase, the number of the set and an index: nobody can choose them after training.
PHRASE = "fruit-envs duplicate deals"


def deal_seed(index: int, seed: int = 0) -> int:
    """The seed of one test deal, below 2^53: the first 53 bits of SHA-256 of phrase, set and index."""
    return int.from_bytes(sha256(f"{PHRASE} {seed} {index}".encode()).digest()[:8], "big") >> 11


def deal_seeds(deals: int, seed: int = 0) -> list[int]:
    """The seeds of the first deals of a set."""
    return [deal_seed(index, seed) for index in range(deals)]

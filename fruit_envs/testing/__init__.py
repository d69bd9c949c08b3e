"""Conformance for any game, anybody's: `check_game` finds what breaks the contract, and says it in words."""

from fruit_envs.testing.check import check_game
from fruit_envs.testing.fault import GameFault

__all__ = ["GameFault", "check_game"]

"""What a check finds."""

from __future__ import annotations

from typing import Any

from fruit_envs.base.errors import FruitEnvsError, brief

__all__ = ["GameFault", "expect"]


class GameFault(FruitEnvsError, AssertionError):
    """A game breaks the contract; says what was expected and what came."""


def expect(holds: bool, expected: str, came: Any) -> None:
    """Raise `GameFault` unless something holds."""
    if not holds:
        raise GameFault(f"expected {expected}, got {came if isinstance(came, str) else brief(came)}")

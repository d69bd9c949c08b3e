"""What can go wrong, one type each; every message says what was expected and what came."""

from __future__ import annotations

import reprlib
from typing import Any

__all__ = [
    "AgentError",
    "FruitEnvsError",
    "IllegalAction",
    "InvalidBuffer",
    "InvalidFile",
    "InvalidGame",
    "InvalidOption",
    "InvalidRecord",
    "InvalidSeat",
    "InvalidTable",
    "MissingExtra",
    "NoView",
    "NotDeclared",
    "NotReset",
    "UnknownKeyword",
    "brief",
    "brief_array",
    "missing_extra",
    "printable",
]


class FruitEnvsError(Exception):
    """Base of every error that this package raises on purpose."""


class IllegalAction(FruitEnvsError, ValueError):
    """An action that is malformed, out of range, or not legal now; the game is unchanged."""


class InvalidSeat(FruitEnvsError, ValueError):
    """A seat that does not exist, is not asked now, or whose game has ended."""


class InvalidOption(FruitEnvsError, ValueError):
    """An unknown option, a value outside its domain, or two options that exclude each other."""


class InvalidFile(InvalidOption):
    """A file that is missing, damaged, or not what it should be; names it."""


class UnknownKeyword(InvalidOption, TypeError):
    """A keyword that a game or a face does not know, or a render mode that it does not have.

    Also a TypeError: clients that hand in keywords of their own try again without them at nothing else.
    """


class InvalidTable(InvalidOption):
    """A component table (a deck, tiles, a board) that breaks a constraint; names the row."""


class InvalidBuffer(FruitEnvsError, ValueError):
    """An array of the wrong dtype, shape or memory order handed to the batch engine."""


class AgentError(FruitEnvsError, RuntimeError):
    """An opponent answered illegally; names it. The game is as it was before the call."""


class InvalidRecord(FruitEnvsError, ValueError):
    """A game record that is malformed or that the rules do not reproduce; names the event."""


class NotReset(FruitEnvsError, RuntimeError):
    """`step`, `last` or `observe` before the first `reset`."""


class NoView(FruitEnvsError, RuntimeError):
    """A view was asked for under `memory="tabletop"`, where remembering is the agent's job."""


class InvalidGame(FruitEnvsError, TypeError):
    """A game whose modules do not declare what a game has to, or declare it wrongly; names what."""


class NotDeclared(FruitEnvsError, NotImplementedError):
    """Something was asked of a game that it does not declare, such as its worlds; names what."""


class MissingExtra(FruitEnvsError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


def brief(value: Any) -> str:
    """What came, short enough for a message however large, deep or odd it is."""
    try:
        return reprlib.repr(value)
    except Exception:  # a repr may do anything: numbers of 5,000 digits refuse theirs
        return f"<{type(value).__name__}>"


def brief_array(value: Any) -> str:
    """Dtype and shape of an array that came; anything else as `brief` tells it."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    return brief(value) if dtype is None or shape is None else f"{dtype} {shape}"


def printable(text: str) -> str:
    """A text from elsewhere as it may be printed: on one line, without what steers a terminal or has no encoding."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def missing_extra(package: str, extra: str) -> MissingExtra:
    """The error for an optional dependency that is not installed."""
    return MissingExtra(f'expected {package} to be installed: pip install "fruit-envs[{extra}]"')

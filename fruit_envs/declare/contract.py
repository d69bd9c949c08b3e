"""The Python half of a game's contract: what its modules may declare, with types, and what holds where they do not.

The compiled half is in `engine.kernels`. A game is a package with the modules `components`, `rules`, `observation` and
`text`; a small one may put everything into one module. Only what has no default here has to be declared; a game that
declares less gets less: without `worlds` there are no exact methods, without `to_text` its drawing is a list of facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fruit_envs.base.errors import InvalidGame, InvalidOption, NotDeclared
from fruit_envs.declare.catalog import GAMES
from fruit_envs.declare.layout import Block
from fruit_envs.declare.options import Option

if TYPE_CHECKING:
    from fruit_envs.engine.kernels import Kernels
    from fruit_envs.runtime.state import State

__all__ = ["Components", "ObservationHalf", "RulesHalf", "Text", "part_of", "seed_alone"]

#: Forced outcomes of chance events: (kind, index) -> number below the bound of that draw.
Outcomes = Mapping[tuple[int, int], int]
Event = dict[str, Any]
#: `(probability, records)`: a world's record as an array of one.
World = tuple[float, np.ndarray]

P = TypeVar("P")


def _undeclared(name: str, what: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise NotDeclared(f"expected a game that declares {name}(), for {what}; this one does not")

    return refuse


_no_margins = _undeclared("worst_margin", 'reward="margin" and arenas')
_no_information_states, _no_worlds = (
    _undeclared("information_state", "exact methods"),
    _undeclared("worlds", "listing worlds"),
)


def _no_rules_of_hand(_rules: np.ndarray) -> None:
    raise InvalidOption("expected options: this game does not declare check_rules(), so it takes no rules record")


def _facts(_rules: np.ndarray, facts: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in facts.items())


def _numbers(rules: np.ndarray) -> Sequence[str]:
    return [str(action) for action in range(int(rules[0]["num_actions"]))]


def _decision(_before: State, seat: int, action: int, _after: State) -> list[Event]:
    return [{"event": "decision", "seat": seat, "action": action}]


def seed_alone(_rules: np.ndarray, _events: Sequence[Mapping[str, Any]]) -> Outcomes:
    """No outcomes: a game that does not declare `outcomes` is replayed from its seed."""
    return {}


@dataclass(frozen=True)
class Components:
    """What the module `components` declares: the numbers and options of a game.

    Parameters
    ----------
    OPTIONS
        The game's options, those of `common_options` first.
    RULES
        The dtype of the read-only rules record, `RULES_HEADER` first.
    make_rules
        The rules record, shape (1,), of checked options; see `options.rules_record`.
    check_rules
        Refuses a rules record made by hand whose sizes compiled code could not trust; by default any.
    worst_margin
        Points: no margin is below this (negative). The arena charges it to an agent that fails.
    reset_outcomes
        The chance outcomes that `reset(options=…)` forces, such as who starts.
    """

    OPTIONS: Sequence[Option]
    RULES: np.dtype
    make_rules: Callable[[Mapping[str, Any]], np.ndarray]
    check_rules: Callable[[np.ndarray], None] = _no_rules_of_hand
    worst_margin: Callable[[np.ndarray], float] = _no_margins
    reset_outcomes: Callable[[np.ndarray, Mapping[str, Any]], dict[tuple[int, int], int]] = lambda _rules, _options: {}


@dataclass(frozen=True)
class RulesHalf:
    """What the module `rules` declares: its compiled functions."""

    kernels: Kernels


@dataclass(frozen=True)
class ObservationHalf:
    """What the module `observation` declares: what a seat sees and knows.

    Parameters
    ----------
    blocks
        The observation's blocks, in order. Their names are the same under all options; one that does not apply has size
        0. The kernel `observe` finds them as fields of its argument `at`.
    hidden_blocks
        The hidden facts that the kernel `hidden` writes, for the privileged view.
    information_state
        The information state of a seat: own private facts plus the whole public history.
    worlds
        Every world consistent with what a seat has seen, in an order that does not depend on the true one.
    """

    blocks: Callable[[np.ndarray], Sequence[Block]]
    hidden_blocks: Callable[[np.ndarray], Sequence[Block]] = lambda _rules: ()
    information_state: Callable[[np.ndarray, np.ndarray, int], bytes] = _no_information_states
    worlds: Callable[[np.ndarray, np.ndarray, int], Iterable[World]] = _no_worlds


@dataclass(frozen=True)
class Text:
    """What the module `text` declares: the game in words, and the events of its records.

    Parameters
    ----------
    action_names
        The text of every action id; by default the ids.
    to_text
        The drawing of what a seat sees, from the decoded observation alone.
    deal_events, decision_events
        The events of a fresh deal, and of one decision (the state before, seat, action, the state after); by default
        who decided what.
    outcomes
        The chance outcomes that reproduce a record's events; by default they follow from its seed alone.
    normalised
        An event without what means nothing in it, such as the order of cards in a column.
    record_scores
        The scores that the record of a finished game holds.
    """

    action_names: Callable[[np.ndarray], Sequence[str]] = _numbers
    to_text: Callable[[np.ndarray, Mapping[str, Any]], str] = _facts
    deal_events: Callable[[State], list[Event]] = lambda _state: [{"event": "deal"}]
    decision_events: Callable[[State, int, int, State], list[Event]] = _decision
    outcomes: Callable[[np.ndarray, Sequence[Mapping[str, Any]]], Outcomes] = seed_alone
    normalised: Callable[[Event], Event] = lambda event: event
    record_scores: Callable[[State], Sequence[float]] = lambda state: state.scores.tolist()


def _module(package: str, part: str) -> ModuleType:
    """The module of this name in a game's package, or where it has none, the package itself."""
    whole = import_module(package)
    inside = hasattr(whole, "__path__") and find_spec(f"{package}.{part}") is not None
    return import_module(f"{package}.{part}") if inside else whole


_MODULES: dict[type, str] = {
    Components: "components",
    RulesHalf: "rules",
    ObservationHalf: "observation",
    Text: "text",
}


@cache
def _declared(package: str, kind: type[P]) -> P:
    module = _module(package, _MODULES[kind])
    found = {field.name: getattr(module, field.name) for field in fields(kind) if hasattr(module, field.name)}  # type: ignore[arg-type]
    missing = [f.name for f in fields(kind) if f.default is MISSING and f.name not in found]  # type: ignore[arg-type]
    if missing:
        raise InvalidGame(
            f"{module.__name__}: expected {', '.join(missing)}, which a game has to declare; see {kind.__name__}"
        )
    declared: P = kind(**found)
    return declared


def part_of(game: str, kind: type[P]) -> P:
    """What a registered game declares in one of its modules.

    Parameters
    ----------
    game
        Its name in the catalogue.
    kind
        `Components`, `RulesHalf`, `ObservationHalf` or `Text`.

    Raises
    ------
    InvalidGame
        Where it does not declare what it has to.
    """
    found: P = _declared(GAMES[game].package, kind)  # type: ignore[arg-type]
    return found

"""`Game`: one game with its options fixed, found by name; what all faces share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from fruit_envs.base.checks import as_seed, entropy, whole_number
from fruit_envs.base.errors import IllegalAction, InvalidGame, InvalidOption, InvalidSeat, UnknownKeyword, brief
from fruit_envs.declare.catalog import GAMES, Entry
from fruit_envs.declare.contract import Components, ObservationHalf, RulesHalf, Text, part_of
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.layout import Layout
from fruit_envs.declare.options import resolve
from fruit_envs.engine.jit import JIT
from fruit_envs.engine.kernels import APPLY, DEAL, HIDDEN, LEGAL, OBSERVE, REDEAL, SCORES, SHARES
from fruit_envs.engine.memory import as_records, new_memory
from fruit_envs.engine.tape import Outcomes, enumerate_chance
from fruit_envs.runtime.state import State

__all__ = ["Game", "as_game", "load"]

_HEADER = np.dtype(RULES_HEADER, align=True)


class Game:
    """One game with its options fixed.

    Attributes
    ----------
    name, title, version
        Identifier, printed name, version of the environments.
    options : Mapping[str, Any]
        Every rule option with its value, read-only.
    num_players, num_actions : int
        Number of seats; size of the action space Discrete(num_actions).
    layout : Layout
        The blocks of the observation vector.
    rules : numpy.ndarray
        The read-only rules record, shape (1,).

    Parameters
    ----------
    name
        A registered game.
    rules
        A rules record to use as it is, such as that of a shrunken game; `options` are then those that every record
        holds, and the game cannot be recorded.
    **options
        The game's options.

    Raises
    ------
    InvalidOption
        For an unknown game or option, or a value outside the option's domain.
    """

    def __init__(self, name: str, /, *, rules: np.ndarray | None = None, **options: Any) -> None:
        if not isinstance(name, str) or name not in GAMES:
            near = get_close_matches(str(name), GAMES, 1) if isinstance(name, str) else []
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InvalidOption(f"unknown game: expected one of {sorted(GAMES)}, got {brief(name)}{hint}")
        self.name = name
        self.title, self.version = GAMES[name].title, GAMES[name].version
        components = self.components
        #: Whether the rules record was made by hand rather than from options.
        self.custom = rules is not None
        if rules is None:
            resolved = resolve(name, components.OPTIONS, options)
            rules = components.make_rules(resolved)
        else:
            if options:
                raise InvalidOption(f"expected either a rules record or options, got both: {sorted(options)}")
            fields = components.RULES.fields
            if not isinstance(rules, np.ndarray) or rules.dtype.fields != fields or rules.shape != (1,):
                raise InvalidOption(f"expected a rules record of {name}, shape (1,), got {brief(rules)}")
            components.check_rules(rules)
            resolved = _common_options(rules[0])
        self.options: Mapping[str, Any] = MappingProxyType(resolved)
        # On a bytes object, so that nobody can make it writable: compiled code trusts it.
        self.rules: np.ndarray = as_records(np.frombuffer(rules.tobytes(), components.RULES))
        self.num_players = int(self.rules[0]["num_players"])
        self.num_actions = int(self.rules[0]["num_actions"])
        self._kernels = part_of(name, RulesHalf).kernels
        self.layout = Layout(self.seen.blocks(self.rules), self._kernels.observation)
        self.hidden_layout = Layout(self.seen.hidden_blocks(self.rules), self._kernels.observation)
        self._table, self._owned = self._kernels.table(self.rules, self.layout.places, self.hidden_layout.places)
        # What loops read of the rules themselves: seen as the header alone, they need no compiling for each game.
        self.header: np.ndarray = self.rules if not JIT else self.rules.view(np.uint8)[: _HEADER.itemsize].view(_HEADER)
        self.state_dtype: np.dtype = self._kernels.state
        self.as_scored = bool(self.rules[0]["as_scored"])
        self.blank: np.ndarray = new_memory(self.state_dtype, 1)[0]

    # The table that loops get, with those kernels in it that a use needs: what is not used is not compiled.

    @cached_property
    def playing(self) -> Any:
        """The kernels that deal, ask and play."""
        self._kernels.fill(self._table, DEAL, LEGAL, APPLY, OBSERVE)
        return self._table

    @cached_property
    def turn(self) -> tuple[Any, int, int, np.dtype]:
        """What a decision needs, in one look: `playing`, num_actions, and the observation's size and dtype."""
        return self.playing, self.num_actions, self.layout.size, self.layout.dtype

    @cached_property
    def scoring(self) -> Any:
        """The kernels that play to the end and score."""
        self._kernels.fill(self._table, SCORES, SHARES)
        return self.playing

    @cached_property
    def viewing(self) -> Any:
        """The kernels that play and redeal."""
        self._kernels.fill(self._table, REDEAL)
        return self.playing

    @cached_property
    def revealing(self) -> Any:
        """The kernels that play and reveal."""
        if self.hidden_layout.size:
            self._kernels.fill(self._table, HIDDEN)
        return self.playing

    # What the game declares, see `declare.contract`.

    @cached_property
    def components(self) -> Components:
        """Its numbers and options."""
        return part_of(self.name, Components)

    @cached_property
    def seen(self) -> ObservationHalf:
        """What a seat sees and knows."""
        return part_of(self.name, ObservationHalf)

    @cached_property
    def text(self) -> Text:
        """The game in words."""
        return part_of(self.name, Text)

    def __repr__(self) -> str:
        given = "".join(f", {k}={v!r}" for k, v in self.options.items())
        return f"Game({self.name!r}{given})"

    def __reduce__(self) -> tuple[Any, ...]:
        rules = self.rules.tobytes() if self.custom else None
        return _restore, (self.name, GAMES[self.name], rules, tuple(self.options.items()))

    def __deepcopy__(self, _memo: Any) -> Game:
        return self  # nothing in it changes

    @property
    def env_id(self) -> str:
        """The PettingZoo id."""
        return f"{GAMES[self.name].namespace}/{self.name}-v{self.version}"

    @cached_property
    def reveal_layout(self) -> Layout:
        """The blocks of the privileged view: each seat's observation, then the hidden facts."""
        seats = [
            replace(block, name=f"seat_{seat}_{block.name}")
            for seat in range(self.num_players)
            for block in self.layout.blocks
        ]
        return Layout((*seats, *self.hidden_layout.blocks), self._kernels.observation)

    @cached_property
    def action_names(self) -> tuple[str, ...]:
        """The text of every action id."""
        names = tuple(self.text.action_names(self.rules))
        if len(names) != self.num_actions:
            raise InvalidGame(f"{self.name}: expected {self.num_actions} action names, got {len(names)}")
        return names

    @cached_property
    def _action_ids(self) -> dict[str, int]:
        return {name: action for action, name in enumerate(self.action_names)}

    def action_id(self, text: str) -> int:
        """The action id of a text from `action_names`.

        Raises
        ------
        IllegalAction
            If no action has that name.
        """
        try:
            return self._action_ids[text]
        except (KeyError, TypeError):
            near = get_close_matches(str(text), self._action_ids, 3)
            raise IllegalAction(
                f"expected the name of an action of {self.name} (near: {near}), got {brief(text)}"
            ) from None

    def deal(self, seed: int | None = None, *, outcomes: Outcomes | None = None) -> State:
        """A new game, see `State`.

        Parameters
        ----------
        seed
            Below 2^53; None draws one from the system.
        outcomes
            Forced outcomes of chance events, (kind, index) -> number.

        Returns
        -------
        State
        """
        return State.dealt(self, entropy() if seed is None else as_seed(seed), outcomes)

    def deals(self, outcomes: Outcomes, seed: int = 0) -> Iterator[tuple[float, State]]:
        """Every deal that chance allows once `outcomes` are fixed, as (probability, State)."""

        def run(forced: Outcomes) -> tuple[State, list[tuple[int, int, int]]]:
            draws: list[tuple[int, int, int]] = []
            return State.dealt(self, seed, forced, draws), draws

        return enumerate_chance(run, outcomes)

    def seat(self, seat: Any) -> int:
        """The seat as a plain int.

        Raises
        ------
        InvalidSeat
            If it is no seat of this game.
        """
        if type(seat) is int and 0 <= seat < self.num_players:  # the common case, at the price of two comparisons
            return seat
        number = whole_number(seat, 0, self.num_players - 1)
        if number is None:
            raise InvalidSeat(f"expected a seat 0..{self.num_players - 1}, got {brief(seat)}")
        return number


def _common_options(record: Any) -> dict[str, Any]:
    """The options that every rules record holds."""
    if record["as_scored"] and not record["margin"]:
        raise InvalidOption("rules: expected as_scored with margin only, got as_scored=1 and margin=0")
    return {
        "num_players": int(record["num_players"]),
        "memory": "tabletop" if record["tabletop"] else "perfect",
        "reward": "margin" if record["margin"] else "win",
        "margin_scale": float(record["margin_scale"]),
        "reward_timing": "as_scored" if record["as_scored"] else "end",
    }


def _restore(name: str, entry: Entry, rules: bytes | None, options: tuple[tuple[str, Any], ...]) -> Game:
    """Unpickling: a process that has not registered a game takes it from who has."""
    GAMES.setdefault(name, entry)
    return _restored(name, rules, options)


@lru_cache(maxsize=64)
def _restored(name: str, rules: bytes | None, options: tuple[tuple[str, Any], ...]) -> Game:
    """States of one game share it."""
    if rules is None:
        return Game(name, **dict(options))
    return Game(name, rules=np.frombuffer(rules, part_of(name, Components).RULES))


def load(name: str, /, **options: Any) -> Game:
    """The game of this name with these options; see `Game`."""
    if "rules" in options:
        raise UnknownKeyword(
            "unknown option 'rules': expected options; Game(name, rules=...) takes a rules record; "
            "load() got an unexpected keyword argument 'rules'"
        )
    return Game(name, **options)


def as_game(game: str | Game, options: Mapping[str, Any]) -> Game:
    """The game of a face: from a name with options, or a `Game` as it is.

    Raises
    ------
    InvalidOption
        For a `Game` with options, or anything that is neither.
    """
    if isinstance(game, Game):
        if options:
            raise InvalidOption(f"expected either a Game or options, got both: {sorted(options)}")
        return game
    return load(game, **options)

"""`State`: one game in Python's hands, for search, research and the faces; `View`: what one seat may know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from fruit_envs.core import loops
from fruit_envs.core.chance import Outcomes, Tape, enumerate_chance
from fruit_envs.core.checks import as_action
from fruit_envs.core.contract import (
    MAX_SEATS,
    REVEAL,
    RUNNING,
    SCORES,
    SHARES,
    TRUNCATED,
    copy_memory,
    copy_records,
    memory_of,
    new_records,
    records_of,
)
from fruit_envs.core.errors import IllegalAction, InvalidBuffer, InvalidSeat, NoView
from fruit_envs.core.jit import word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.core.game import Game

__all__ = ["State", "View", "decision_key"]

#: The seats of each pattern of `pending` bits, and the lowest of them (-1 where nobody is asked).
_SEATS = tuple(tuple(s for s in range(MAX_SEATS) if bits >> s & 1) for bits in range(2**MAX_SEATS))
_LOWEST = tuple(seats[0] if seats else -1 for seats in _SEATS)

_advance = loops.advance

#: Rows of masks and observations that a state hands out before it takes new memory.
_ROWS = 32


def decision_key(agent_seed: int, game_seed: int, seat: int, decision: int) -> int:
    """The key (uint64) of one decision of one agent: equal in a batch, a single environment and a replay."""
    key = agent_seed
    for part in (game_seed, seat, decision):
        key = _mix((key + 0x9E3779B97F4A7C15) ^ part)
    return key


def _mix(z: int) -> int:
    """`chance.mix` on Python integers: keys are made outside compiled code."""
    z &= 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return z ^ (z >> 31)


class State:
    """One game in progress.

    Made by `Game.deal`. Arrays that it hands out are never written again.

    Attributes
    ----------
    game : Game
    seat : int
        The lowest seat that may decide now, -1 when the game is over.
    """

    __slots__ = ("_masks", "_memory", "_observations", "_pending", "_row", "_rowed", "_table", "game", "seat")

    def __init__(self, game: Game, records: np.ndarray) -> None:
        header = records[0]
        self._begin(game, memory_of(records)[0], int(header["pending"]) + 65536 * int(header["over"]))

    def _begin(self, game: Game, memory: np.ndarray, pending: int) -> None:
        self.game = game
        self._memory = memory
        self._set_pending(pending)
        self._rowed = -1  # the seat whose mask and observation lie in the current row
        self._row = _ROWS - 1

    def _set_pending(self, pending: int) -> None:
        """Take over the header's `pending`, and above its bits `over`, from the record."""
        self._pending = pending
        self.seat = _LOWEST[pending & 0xFFFF]

    @classmethod
    def dealt(
        cls, game: Game, seed: int, outcomes: Outcomes | None = None, draws: list[tuple[int, int, int]] | None = None
    ) -> Self:
        """A new game; `draws` collects the chance events that `outcomes` do not force."""
        state = cls.__new__(cls)
        memory = copy_memory(game.blank)
        state._begin(game, memory, 0)
        if outcomes is None and draws is None:
            state._set_pending(loops.deal_one(game.functions, game.rules_memory, memory, seed))
            return state
        tape = Tape(outcomes or {})
        with tape.attached(state.records):
            state._set_pending(loops.deal_one(game.functions, game.rules_memory, memory, seed))
        if draws is not None:
            draws.extend(tape.draws)
        return state

    @property
    def records(self) -> np.ndarray:
        """The game's record, shape (1,), in the state's own memory."""
        return records_of(self._memory, self.game.state_dtype)

    # ---- who, and whether it is over -------------------------------------------------------------------------------

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that may decide now, ascending; empty when the game is over."""
        return _SEATS[self._pending & 0xFFFF]

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or by a cap."""
        return self.seat < 0

    @property
    def truncated(self) -> bool:
        """Whether a documented cap ended the game."""
        return self._pending >> 16 == TRUNCATED

    @property
    def seed(self) -> int:
        """The seed of this deal; in a view, one that tells nothing of the true deal."""
        return int(self.records[0]["seed"])

    @property
    def decisions(self) -> int:
        """Decisions made so far."""
        return int(self.records[0]["decisions"])

    # ---- what a seat may do and see --------------------------------------------------------------------------------

    def legal(self, seat: int) -> NDArray[np.int8]:
        """The action mask of a seat: int8, shape (num_actions,), 0/1; all 0 where it is not asked."""
        if seat == self._rowed and type(seat) is int:
            return self._masks[self._row]  # type: ignore[no-any-return]
        seat = self.game.seat(seat)
        mask = np.empty(self.game.num_actions, np.int8)
        loops.one_legal(self.game.functions, self.game.rules_memory, self._memory, seat, mask)
        return mask

    def legal_actions(self, seat: int) -> list[int]:
        """The ids that `legal` marks, ascending."""
        return np.flatnonzero(self.legal(seat)).tolist()

    def observation(self, seat: int) -> np.ndarray:
        """The observation of a seat, shape (game.layout.size,), of the game's integer dtype."""
        if seat == self._rowed and type(seat) is int:
            return self._observations[self._row]  # type: ignore[no-any-return]
        seat = self.game.seat(seat)
        out = np.empty(self.game.layout.size, self.game.layout.dtype)
        loops.one_observation(self.game.functions, self.game.rules_memory, self._memory, seat, out)
        return out

    def reveal(self) -> np.ndarray:
        """The privileged view, shape (game.reveal_layout.size,): every observation, then the hidden facts."""
        out = np.empty(self.game.reveal_layout.size, self.game.layout.dtype)
        loops.one_row(self.game.functions, self.game.rules_memory, self._memory, REVEAL, out)
        return out

    # ---- play ------------------------------------------------------------------------------------------------------

    def apply(self, seat: int, action: int, *, outcomes: Outcomes | None = None) -> None:
        """One decision of a seat that may act.

        Parameters
        ----------
        seat, action
            Who decides what; the action is an id below `game.num_actions`.
        outcomes
            Forced outcomes of the chance events that follow.

        Raises
        ------
        InvalidSeat
            If the seat is not asked now, or the game is over.
        IllegalAction
            If the action is malformed or not legal; the state is unchanged.
        """
        if outcomes is not None:
            with Tape(outcomes).attached(self.records):
                return self.apply(seat, action)
        if type(seat) is not int or type(action) is not int:
            seat, action = self.game.seat(seat), as_action(action, self.game.num_actions)
        row = self._row + 1
        if row == _ROWS:
            row = 0
            self._take_rows()
        try:
            code = _advance(*self._table, row, seat, action)
        except OverflowError:
            code = loops.ILLEGAL  # a number beyond 64 bits
        if code < 0:
            self._refuse(seat, action, code)
        self._row = row
        self._pending = code
        self._rowed = self.seat = _LOWEST[code & 0xFFFF]
        return None

    def _take_rows(self) -> None:
        """New memory for masks and observations: rows already handed out stay as they are."""
        game = self.game
        self._masks = np.empty((_ROWS, game.num_actions), np.int8)
        self._observations = np.empty((_ROWS, game.layout.size), game.layout.dtype)
        self._table = (game.functions, game.rules_memory, self._memory, self._masks, self._observations)

    def _refuse(self, seat: int, action: int, code: int) -> NoReturn:
        seat, action = self.game.seat(seat), as_action(action, self.game.num_actions)
        if code == loops.ILLEGAL:
            legal = self.legal_actions(seat)
            listed = ", ".join(map(str, legal[:12])) + (", …" if len(legal) > 12 else "")
            name = self.game.action_names[action]
            raise IllegalAction(f"expected a legal action of seat {seat} (one of {listed}), got {action} ({name})")
        if self.over:
            raise InvalidSeat(f"expected no more decisions, the game is over; got one of seat {seat}")
        raise InvalidSeat(f"expected a decision of a seat that is asked now (one of {self.seats}), got seat {seat}")

    def transitions(self, seat: int, action: int) -> Iterator[tuple[float, State]]:
        """Every state that this decision can lead to, as (probability, State); this one is unchanged."""

        def run(forced: Outcomes) -> tuple[State, list[tuple[int, int, int]]]:
            child = self.copy()
            tape = Tape(forced)
            with tape.attached(child.records):
                child.apply(seat, action)
            return child, tape.draws

        return enumerate_chance(run, {})

    # ---- what it is worth ------------------------------------------------------------------------------------------

    def _row_of(self, which: int) -> NDArray[np.float64]:
        out = np.empty(self.game.num_players)
        loops.one_row(self.game.functions, self.game.rules_memory, self._memory, which, out)
        return out

    @property
    def scores(self) -> NDArray[np.float64]:
        """Running or final score of each seat, shape (num_players,)."""
        return self._row_of(SCORES)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Win share of each seat, adding up to 1; all 0 before the end."""
        return self._row_of(SHARES) if self.over else np.zeros(self.game.num_players)

    @property
    def returns(self) -> NDArray[np.float64]:
        """What each seat has earned so far, in units of reward."""
        out = np.empty(self.game.num_players)
        loops.one_payoff(self.game.functions, self.game.rules, self._memory, out)
        return out

    # ---- copies, views, knowledge ----------------------------------------------------------------------------------

    def copy(self) -> State:
        """An independent copy."""
        twin = State.__new__(State)
        twin._begin(self.game, copy_memory(self._memory), self._pending)
        return twin

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._unpickle, (self.game, self.tobytes())

    @classmethod
    def _unpickle(cls, game: Game, data: bytes) -> State:
        return cls.frombytes(game, data)

    def tobytes(self) -> bytes:
        """The whole game, the stream of later deals included."""
        return self.records.tobytes()

    @classmethod
    def frombytes(cls, game: Game, data: bytes) -> State:
        """The game that `tobytes` wrote, with the same options and version."""
        if len(data) != game.state_dtype.itemsize:
            raise InvalidBuffer(f"expected {game.state_dtype.itemsize} bytes of a {game.name} state, got {len(data)}")
        records = new_records(game.state_dtype, 1)
        records.view(np.uint8)[:] = np.frombuffer(data, np.uint8)
        return cls(game, records)

    def view(self, seat: int, key: int) -> View:
        """A state in which everything that the seat cannot know has been redrawn, the future's chance included.

        Parameters
        ----------
        seat
            Whose knowledge is kept.
        key
            All draws come from it (uint64).

        Raises
        ------
        NoView
            Under `memory="tabletop"`: a view would remember for the agent.
        """
        if self.game.options["memory"] == "tabletop":
            raise NoView(
                'expected memory="perfect" to make a view, got "tabletop", whose agents remember for themselves'
            )
        seat = self.game.seat(seat)
        view = View.__new__(View)
        view._begin(self.game, copy_memory(self._memory), 0)
        view.viewer = seat
        view._set_pending(loops.one_redeal(self.game.functions, self.game.rules_memory, view._memory, seat, word(key)))
        return view

    def key(self, seat: int) -> bytes:
        """The information state of a seat: own private facts plus the whole public history."""
        return self.game.module("observation").key(self.game.rules, self.records, self.game.seat(seat))  # type: ignore[no-any-return]

    def worlds(self, seat: int, key: int = 0) -> list[tuple[float, View]]:
        """Every world consistent with what the seat has seen, with its probability; for small games.

        The future's chance of each comes from `key`, never from the true stream.
        """
        seat = self.game.seat(seat)
        listed = self.game.module("observation").worlds(self.game.rules, self.records, seat)
        found = []
        for number, (probability, records) in enumerate(listed):
            records["seed"] = decision_key(key, number, seat, 0) >> 11
            records["stream"] = decision_key(key, number, seat, 1)
            found.append((probability, View(self.game, records, seat)))
        return found

    # ---- words -----------------------------------------------------------------------------------------------------

    def to_json(self, seat: int) -> dict[str, Any]:
        """The facts in the seat's observation, JSON-ready."""
        return self.game.layout.decode(self.observation(seat))

    def to_text(self, seat: int) -> str:
        """A drawing from the seat's point of view, made from its observation alone."""
        return self.game.module("text").draw(self.game.rules, self.to_json(seat))  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        status = "over" if self.over else f"seats={self.seats}"
        return f"{type(self).__name__}({self.game.name}, decisions={self.decisions}, {status})"


class View(State):
    """A state as one seat may know it: what it cannot know has been redrawn.

    Attributes
    ----------
    viewer : int
        The seat whose knowledge is true in it.
    """

    __slots__ = ("viewer",)

    def __init__(self, game: Game, records: np.ndarray, viewer: int) -> None:
        super().__init__(game, records)
        self.viewer = viewer

    def copy(self) -> View:
        """An independent copy."""
        return View(self.game, copy_records(self.records), self.viewer)

    __copy__ = copy

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_view, (self.game, self.tobytes(), self.viewer)

    def to_json(self, seat: int | None = None) -> dict[str, Any]:
        """The facts in the viewer's observation, JSON-ready."""
        return super().to_json(self.viewer if seat is None else seat)

    def to_text(self, seat: int | None = None) -> str:
        """A drawing from the viewer's point of view."""
        return super().to_text(self.viewer if seat is None else seat)


def _restore_view(game: Game, data: bytes, viewer: int) -> View:
    state = State.frombytes(game, data)
    return View(game, state.records, viewer)


assert RUNNING == 0  # `_pending` packs `over` above the bits of the seats

"""`State`: one game in Python's hands, for search, research and the faces; `View`: what one seat may know."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from fruit_envs.base.checks import as_action, as_key
from fruit_envs.base.errors import IllegalAction, InvalidBuffer, InvalidOption, InvalidSeat, NoView, brief
from fruit_envs.declare.header import MAX_SEATS, OVER_SHIFT, TRUNCATED
from fruit_envs.engine import loops
from fruit_envs.engine.jit import word
from fruit_envs.engine.kernels import SCORES, SHARES
from fruit_envs.engine.memory import copy_memory, memory_of, new_records, records_of
from fruit_envs.engine.tape import Outcomes, Tape, enumerate_chance
from fruit_envs.runtime.keys import decision_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game

__all__ = ["State", "View"]

#: The seats of each pattern of `pending` bits, and the lowest of them (-1 where nobody is asked).
_SEATS = tuple(tuple(s for s in range(MAX_SEATS) if bits >> s & 1) for bits in range(2**MAX_SEATS))
_LOWEST = tuple(seats[0] if seats else -1 for seats in _SEATS)

#: The bits of a status that are `pending`.
_PENDING = (1 << OVER_SHIFT) - 1

# Looked up once: these are called more often than anything else here.
_advance: Any = loops.advance
_new: Any = object.__new__
_empty, _INT8 = np.empty, np.dtype(np.int8)  # of a length, which NumPy takes in half the time of a shape

_CHECKSUM = 16  # bytes


class State:
    """One game in progress.

    Made by `Game.deal`. It holds the whole truth: hand agents a `View`. Every array that it returns is the caller's: it
    is returned once, and not written again.

    Attributes
    ----------
    game : Game
    seat : int
        The lowest seat that may decide now, -1 when the game is over.
    """

    __slots__ = (
        "_mask",
        "_memory",
        "_observation",
        "_status",
        "game",
        "seat",
    )

    def __init__(self, game: Game, records: np.ndarray) -> None:
        header = records[0]
        self._begin(game, memory_of(records)[0], int(header["pending"]) + (int(header["over"]) << OVER_SHIFT))

    def _begin(self, game: Game, memory: np.ndarray, status: int) -> None:
        self.game = game
        self._memory = memory
        self._status = status  # as in the header, see `declare.header.OVER_SHIFT`
        self.seat = _LOWEST[status & _PENDING]
        # What the last decision left ready for the lowest seat that is asked, None once it was handed out.
        self._mask: NDArray[np.int8] | None = None
        self._observation: np.ndarray | None = None

    @staticmethod
    def dealt(
        game: Game, seed: int, outcomes: Outcomes | None = None, draws: list[tuple[int, int, int]] | None = None
    ) -> State:
        """A new game; `draws` collects the chance events that `outcomes` do not force."""
        kernels, actions, size, dtype = game.turn
        state, memory = State.__new__(State), copy_memory(game.blank)
        mask, observation = _empty(actions, _INT8), _empty(size, dtype)
        if outcomes is None and draws is None:
            status = loops.deal_one(kernels, memory, mask, observation, seed)
        else:
            tape = Tape(outcomes or {})
            with tape.attached(records_of(memory, game.state_dtype)):
                status = loops.deal_one(kernels, memory, mask, observation, seed)
            if draws is not None:
                draws.extend(tape.draws)
        state._begin(game, memory, status)
        if not state.over:
            state._mask, state._observation = mask, observation
        return state

    @property
    def records(self) -> np.ndarray:
        """The game's record, shape (1,), in the state's own memory."""
        return records_of(self._memory, self.game.state_dtype)

    # ---- who, and whether it is over -------------------------------------------------------------------------------

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that may decide now, ascending; empty when the game is over."""
        return _SEATS[self._status & _PENDING]

    @property
    def over(self) -> bool:
        """Whether the game has ended, by its rules or by a cap."""
        return self._status > _PENDING

    @property
    def truncated(self) -> bool:
        """Whether a documented cap ended the game."""
        return self._status >> OVER_SHIFT == TRUNCATED

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
        if seat is self.seat:  # small ints are one object each; any other seat takes the longer way
            ready = self._mask
            if ready is not None:
                self._mask = None
                return ready
        seat = self.game.seat(seat)
        mask: NDArray[np.int8] = _empty(self.game.num_actions, _INT8)
        loops.one_legal(self.game.playing, self._memory, seat, mask)
        return mask

    def legal_actions(self, seat: int) -> list[int]:
        """The ids that `legal` marks, ascending."""
        return np.flatnonzero(self.legal(seat)).tolist()

    def observation(self, seat: int) -> np.ndarray:
        """The observation of a seat, shape (game.layout.size,), of the game's integer dtype."""
        if seat is self.seat:
            ready = self._observation
            if ready is not None:
                self._observation = None
                return ready
        seat = self.game.seat(seat)
        kernels, _, size, dtype = self.game.turn
        out: np.ndarray = _empty(size, dtype)
        loops.one_observation(kernels, self._memory, seat, out)
        return out

    def reveal(self) -> np.ndarray:
        """The privileged view, shape (game.reveal_layout.size,): every observation, then the hidden facts."""
        game = self.game
        seats = game.num_players * game.layout.size
        out = np.empty(seats + game.hidden_layout.size, game.layout.dtype)
        loops.one_reveal(game.revealing, self._memory, out[:seats].reshape(game.num_players, -1), out[seats:])
        return out

    # ---- play ------------------------------------------------------------------------------------------------------

    # CPython calls functions without keyword-only arguments faster, which is worth two percent of a decision.
    def apply(self, seat: int, action: int, outcomes: Outcomes | Tape | None = None) -> None:
        """One decision of a seat that may act.

        Parameters
        ----------
        seat, action
            Who decides what; the action is an id below `game.num_actions`.
        outcomes
            Forced outcomes of the chance events that follow; a `Tape` of them where they are used again and again.

        Raises
        ------
        InvalidSeat
            If the seat is not asked now, or the game is over.
        IllegalAction
            If the action is malformed or not legal; the state is unchanged.
        """
        if outcomes is not None:
            self._apply_forced(seat, action, outcomes)
            return
        game = self.game
        kernels, actions, size, dtype = game.turn
        if seat is not self.seat:
            seat = game.seat(seat)
        if type(action) is not int or not 0 <= action < actions:  # compiled code takes int64
            action = as_action(action, actions)
        mask, observation = _empty(actions, _INT8), _empty(size, dtype)
        status = _advance(kernels, self._memory, mask, observation, seat, action)
        if status < 0:
            self._refuse(seat, action, status)
        if status > _PENDING:
            self._begin(game, self._memory, status)
            return
        self._status, self._mask, self._observation = status, mask, observation
        self.seat = _LOWEST[status]

    def _apply_forced(self, seat: int, action: int, outcomes: Outcomes | Tape) -> None:
        before, status = copy_memory(self._memory), self._status
        tape = outcomes if isinstance(outcomes, Tape) else Tape(outcomes)
        try:
            with tape.attached(self.records):
                self.apply(seat, action)
        except InvalidOption:
            self._memory[:] = before
            self._begin(self.game, self._memory, status)
            raise

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
        loops.one_row(self.game.scoring, self._memory, which, out)
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
        game = self.game
        if not self.over and not game.as_scored:
            return np.zeros(game.num_players)
        out = np.empty(game.num_players)
        loops.one_payoff(game.scoring, game.header, self._memory, out)
        return out

    @property
    def cut_returns(self) -> NDArray[np.float64]:
        """What each seat has earned if the game is cut off now: its margin so far, or an equal share of the win."""
        if self.game.options["reward"] == "win":
            return np.zeros(self.game.num_players)
        scores, others = self.scores, self.game.num_players - 1
        margins: NDArray[np.float64] = ((others + 1) * scores - scores.sum()) / others
        return margins / float(self.game.options["margin_scale"])

    # ---- copies, views, knowledge ----------------------------------------------------------------------------------

    def copy(self) -> State:
        """An independent copy."""
        twin: State = _new(State)
        twin._begin(self.game, copy_memory(self._memory), self._status)
        return twin

    __copy__ = copy

    def __deepcopy__(self, _memo: Any) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return State.frombytes, (self.game, self.tobytes())

    def tobytes(self) -> bytes:
        """The whole game, the stream of later deals included, and a checksum."""
        data = self.records.tobytes()
        return data + _checksum(self.game, data)

    @staticmethod
    def frombytes(game: Game, data: bytes) -> State:
        """The game that `tobytes` wrote, under the same rules.

        Raises
        ------
        InvalidBuffer
            For anything else: another length, other rules, or bytes that were changed.
        """
        size = game.state_dtype.itemsize
        expected = f"expected the {size + _CHECKSUM} bytes of a state of {game!r}"
        if not isinstance(data, bytes) or len(data) != size + _CHECKSUM:
            raise InvalidBuffer(f"{expected}, got {brief(data)}")
        if data[size:] != _checksum(game, data[:size]):
            raise InvalidBuffer(f"{expected}, got bytes that were written under other rules or changed since")
        records = new_records(game.state_dtype, 1)
        records.view(np.uint8)[:] = np.frombuffer(data[:size], np.uint8)
        return State(game, records)

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
        seat, key = self.game.seat(seat), as_key(key)
        self._check_views()
        view, memory = View.__new__(View), copy_memory(self._memory)
        view._begin(self.game, memory, loops.one_redeal(self.game.viewing, memory, seat, word(key)))
        view.viewer = seat
        return view

    def _check_views(self) -> None:
        if self.game.options["memory"] == "tabletop":
            raise NoView(
                'expected memory="perfect" to make views, got "tabletop", whose agents remember for themselves'
            )

    def information_state(self, seat: int) -> bytes:
        """The information state of a seat: own private facts plus the whole public history."""
        return self.game.seen.information_state(self.game.rules, self.records, self.game.seat(seat))

    def worlds(self, seat: int, key: int = 0) -> list[tuple[float, View]]:
        """Every world consistent with what the seat has seen, with its probability; for small games.

        The list is the same in each of its worlds: it is made from a view. What others have committed to in an open
        window is withdrawn in them, and the future's chance of each comes from `key` and its number in the list.
        """
        base, key = self.view(seat, key), as_key(key)
        seat = base.viewer
        listed = self.game.seen.worlds(self.game.rules, base.records, seat)
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
        return self.game.text.to_text(self.game.rules, self.to_json(seat))

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
        twin: View = _new(View)
        twin._begin(self.game, copy_memory(self._memory), self._status)
        twin.viewer = self.viewer
        return twin

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
    return View(game, State.frombytes(game, data).records, viewer)


def _checksum(game: Game, data: bytes) -> bytes:
    """Tells bytes that were changed, or written under other rules, which compiled code may not be given."""
    return blake2b(data + game.rules.tobytes() + game.name.encode(), digest_size=_CHECKSUM).digest()

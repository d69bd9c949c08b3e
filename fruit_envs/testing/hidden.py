"""Whether a game keeps its secrets: nothing a seat is shown depends on what it cannot know."""

from __future__ import annotations

from typing import Any

from fruit_envs.base.errors import NotDeclared
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State
from fruit_envs.testing.fault import expect
from fruit_envs.testing.play import listed_worlds, states_of

__all__ = ["check_hidden"]


def _shown(state: State, seat: int) -> tuple[Any, ...]:
    return state.observation(seat).tobytes(), state.legal(seat).tobytes()


def check_hidden(game: Game, games: int = 12) -> None:
    """Views follow from information state and key; what a seat is shown is the same in each of its worlds."""
    if game.options["memory"] != "perfect":
        return
    shown: dict[bytes, tuple[Any, ...]] = {}
    differ = False
    for number, state in enumerate(states_of(game, games)):
        for seat in range(game.num_players):
            view, again = state.view(seat, number), state.view(seat, number + 1)
            at = f"seat {seat} after {state.decisions} decisions"
            expect(_shown(state, seat) == _shown(view, seat), f"the same shown to {at} in its view", "a difference")
            expect(
                view.view(seat, 7).tobytes() == state.view(seat, 7).tobytes(),
                f"a view of {at} that does not depend on the truth",
                "another one from another world",
            )
            expect(view.seed != state.seed, "a view with a seed of its own", "the true one")
            differ = differ or _world(view) != _world(state) or _world(again) != _world(view)
            _check_information_state(state, view, seat, at, shown)
            if number < 60:
                _check_worlds(state, view, seat, at)
    hides = any(len(listed_worlds(state, s)) > 1 for state in states_of(game, 1) for s in range(game.num_players))
    expect(differ or not hides, "redeal to redraw what a seat cannot know", "the true world in every view")


def _world(state: State) -> bytes:
    """The record without its chance."""
    records = state.copy().records
    for field in ("seed", "stream", "tape"):
        records[field] = 0
    return records.tobytes()


def _check_information_state(
    state: State, view: State, seat: int, at: str, shown: dict[bytes, tuple[Any, ...]]
) -> None:
    try:
        own = state.information_state(seat)
    except NotDeclared:
        return
    expect(
        view.information_state(seat) == own, f"the information state of {at} to hold what it knows alone", "a change"
    )
    known = shown.setdefault(own, _shown(state, seat))
    expect(known == _shown(state, seat), f"equal information states of {at} to be shown the same", "a difference")


def _check_worlds(state: State, view: State, seat: int, at: str) -> None:
    listed = listed_worlds(state, seat)
    if not listed:
        return
    worlds = [_world(world) for _, world in listed]
    expect(
        abs(sum(p for p, _ in listed) - 1) < 1e-9,
        f"probabilities of the worlds of {at} that add up to 1",
        [p for p, _ in listed],
    )
    expect(
        len(set(worlds)) == len(worlds), f"each world of {at} listed once", f"{len(worlds) - len(set(worlds))} twice"
    )
    expect(_world(view) in worlds, f"every view of {at} among its worlds", "one that is not listed")
    same = [w.tobytes() for _, w in view.worlds(seat)] == [w.tobytes() for _, w in listed]
    expect(same, f"the same worlds of {at} in each of them", "another list")

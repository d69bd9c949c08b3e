"""Whether a game plays by the contract: masks, rewards, seeds, copies, batches, records."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np

from fruit_envs.agents.recording import record
from fruit_envs.base.errors import IllegalAction, InvalidOption, NotDeclared, NoView
from fruit_envs.engine.loops import seed_after
from fruit_envs.faces.batch import Batch
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.records import replay
from fruit_envs.runtime.state import State, View
from fruit_envs.testing.fault import expect

__all__ = ["check_batch", "check_masks", "check_records", "check_rewards", "check_seeds", "listed_worlds", "states_of"]

#: No game is followed for longer.
_LONGEST = 20_000


def states_of(game: Game, games: int, first: int = 0) -> Iterator[State]:
    """Every state of random games, the last of each included; they are the play's own: copy to change."""
    rng = np.random.default_rng(first)
    for seed in range(first, first + games):
        state = game.deal(seed)
        yield state
        while not state.over:
            seat = int(rng.choice(state.seats))
            state.apply(seat, int(rng.choice(state.legal_actions(seat))))
            yield state


def listed_worlds(state: State, seat: int) -> list[tuple[float, View]]:
    """The worlds of a seat; none where the game does not list them, or they are too many."""
    try:
        return state.worlds(seat)
    except (NotDeclared, NoView, InvalidOption):
        return []


def check_masks(game: Game, games: int = 3) -> None:
    """A bit is set exactly where a copy of the game accepts the action, and whoever is asked may do something."""
    for number, state in enumerate(states_of(game, games)):
        for seat in range(game.num_players):
            mask, asked = state.legal(seat), seat in state.seats
            expect(
                bool(mask.any()) == asked, f"a mask of seat {seat} that is empty exactly where it is not asked", mask
            )
            if asked and number % 5 == 0:
                actions = np.flatnonzero(mask)[:64].tolist()
                for action in actions:
                    twin = state.copy()
                    twin.apply(seat, action)
                    expect(twin.decisions == state.decisions + 1, "a decision to be counted", twin.decisions)
        expect(
            state.decisions < _LONGEST, f"a game of at most {_LONGEST} decisions: declare a cap that truncates", "more"
        )


def check_rewards(game: Game, games: int = 10) -> None:
    """Shares add up to 1, win rewards and margins to 0; nothing is earned before the end unless paid as scored."""
    for state in states_of(game, games):
        returns, at = state.returns, f"after {state.decisions} decisions"
        expect(bool(np.isfinite(state.scores).all()), f"finite scores {at}", state.scores)
        expect(abs(float(returns.sum())) < 1e-6, f"returns that add up to 0 {at}", returns)
        if state.over:
            shares = state.shares
            expect(abs(float(shares.sum()) - 1) < 1e-9 and bool((shares >= 0).all()), "shares that add up to 1", shares)
        elif not game.as_scored:
            expect(not returns.any(), "no returns before the end", returns)


def check_seeds(game: Game, games: int = 40) -> None:
    """A seed names a game; copies and pickles play on alike, and leave the original alone."""
    deals = [game.deal(seed).reveal().tobytes() for seed in range(games)]
    expect(
        deals == [game.deal(seed).reveal().tobytes() for seed in range(games)],
        "the same deal from the same seed",
        "another",
    )
    several = next(game.deals({}))[0] < 1 or any(
        len(listed_worlds(game.deal(0), s)) > 1 for s in range(game.num_players)
    )
    expect(len(set(deals)) > 1 or not several, "different deals from different seeds", "one and the same")
    for state in states_of(game, 2):
        before, twin, pickled = state.tobytes(), state.copy(), pickle.loads(pickle.dumps(state))
        while not twin.over:
            seat, action = twin.seat, twin.legal_actions(twin.seat)[-1]
            twin.apply(seat, action)
            pickled.apply(seat, action)
        expect(twin.tobytes() == pickled.tobytes(), "copies and pickles that play on alike", "a difference")
        expect(state.tobytes() == before, "copies that leave the original alone", "a change")


def check_batch(game: Game, num_envs: int = 8, steps: int = 200) -> None:
    """A batch shows and pays what single games do."""
    batch = Batch(game, num_envs)
    batch.reset(5)
    states = [game.deal(5 + i) for i in range(num_envs)]
    for _ in range(steps):
        actions = batch.sample().copy()
        paid, over = [], []
        for i, state in enumerate(states):
            seat = state.seat
            expect(seat == batch.seats[i], "a batch to ask whom a single game asks", batch.seats[i])
            same = (batch.masks[i] == state.legal(seat)).all() and (
                batch.observations[i] == state.observation(seat)
            ).all()
            expect(bool(same), "a batch to show what a single game shows", f"a difference in game {i}")
            before = state.returns
            state.apply(seat, int(actions[i]))
            paid.append(state.returns - before)
            over.append(state.over)
            if state.over:
                states[i] = game.deal(int(seed_after(state.seed)))
        batch.step(actions)
        expect(bool(np.allclose(batch.rewards, paid)), "a batch to pay what single games pay", batch.rewards)
        expect((batch.over != 0).tolist() == over, "a batch to end where single games end", batch.over)


def check_records(game: Game) -> None:
    """Records replay to the same end, and a changed one is refused."""
    if game.custom:
        return
    for one in record(game, games=3, seed=11):
        state = replay(one)
        expect(state.over, "a record to be replayed to its end", state)
    expect(len(game.action_names) == game.num_actions, f"{game.num_actions} action names", game.action_names)
    try:
        game.deal(1).apply(game.deal(1).seat, game.num_actions)
    except IllegalAction:
        return
    expect(False, "an action beyond the last one to be refused", "none was")

"""Two-player endgames of total control: a search over the engine's states against one over the oracle's tables."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import islice

import pytest

from fruit_envs import State

from .helpers import beside, load, play_out
from .oracle import TablePosition, choosers, solve


@dataclass
class EnginePosition:
    """An engine state as a position to be searched."""

    state: State

    def moves(self) -> list[int]:
        return self.state.legal_actions(self.state.seat) if not self.state.over else []

    def mover(self) -> int:
        return self.state.seat

    def after(self, move: int) -> EnginePosition:
        child = self.state.copy()
        child.apply(child.seat, move)
        return EnginePosition(child)

    def value(self) -> int:
        return round(self.state.returns[0])  # margin_scale=1: seat 0's points minus seat 1's

    def key(self) -> bytes:
        return self.state.observation(0).tobytes()  # nothing is hidden


@pytest.mark.parametrize(("left", "games"), [(3, 40), (5, 40), (7, 16), (8, 8), (9, 1)])
def test_endgames_have_equal_values_and_best_moves(left: int, games: int) -> None:
    game = load(mode="total_control", reward="margin", margin_scale=1)
    for seed, choose in zip(range(games), islice(choosers(random.Random(left)), games), strict=True):
        state, table = beside(game, 1000 * left + seed)
        play_out(state, table, choose, until=16 - left)
        before = state.copy()
        value, moves = solve(TablePosition(table))
        assert (value, moves) == solve(EnginePosition(state))
        assert moves <= set(table.legal())
        assert state.observation(0).tobytes() == before.observation(0).tobytes()

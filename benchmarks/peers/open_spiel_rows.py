"""OpenSpiel's states from Python: tensor and mask of the player to move; chance is played too, but not counted."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyspiel
from open_spiel.python.observation import make_observation

from serve import serve
from timing import SEED, Workload, repeated, until

#: Tensors up to this size are read faster as lists, larger ones through an observer that writes a NumPy array.
SMALL = 64


def observer(game: Any) -> Callable[[Any, int], Any]:
    """The fastest way to see what a player may know; information states where a game has no observations."""
    if not game.get_type().provides_observation_tensor:
        private = pyspiel.PrivateInfoType.SINGLE_PLAYER
        return make_observation(
            game, pyspiel.IIGObservationType(perfect_recall=True, public_info=True, private_info=private)
        ).set_from
    if game.observation_tensor_size() > SMALL:
        return make_observation(game).set_from
    return lambda state, player: state.observation_tensor(player)


def start(game: Any, rng: random.Random) -> Any:
    state = game.new_initial_state()
    chance(state, rng)
    return state


def chance(state: Any, rng: random.Random) -> None:
    while state.is_chance_node():
        state.apply_action(drawn(state.chance_outcomes(), rng))


def drawn(outcomes: list[tuple[int, float]], rng: random.Random) -> int:
    """Faster than `random.choices`, which wants two lists."""
    left = rng.random()
    for action, probability in outcomes:
        left -= probability
        if left < 0:
            return action
    return outcomes[-1][0]


def play(game: Any) -> Workload:
    rng, observe = random.Random(SEED), observer(game)
    held = [start(game, rng)]

    def chunk() -> int:
        state = held[0]
        for _ in range(32):
            observe(state, state.current_player())
            state.legal_actions_mask()
            state.apply_action(rng.choice(state.legal_actions()))
            chance(state, rng)
            if state.is_terminal():
                state.returns()
                state = start(game, rng)
        held[0] = state
        return 32

    return lambda seconds: until(seconds, chunk)


def build(mode: str, game: str, batch: int) -> Workload:
    loaded = pyspiel.load_game(game)
    if mode == "state":
        return play(loaded)
    rng = random.Random(SEED)
    state = start(loaded, rng)
    state.apply_action(rng.choice(state.legal_actions()))
    return repeated(state.clone, 64)


serve(build, "open_spiel", "numpy")

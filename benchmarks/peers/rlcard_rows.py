"""RLCard: `env.step` returns the next player's observation and its legal actions, of which the mask is made."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import rlcard

from serve import serve
from timing import SEED, Workload, repeated, until


def play(env: Any) -> Workload:
    rng = random.Random(SEED)
    held = [env.reset()[0]]

    def chunk() -> int:
        for _ in range(16):
            actions = list(held[0]["legal_actions"])
            mask = np.zeros(env.num_actions, np.int8)
            mask[actions] = 1
            held[0], _ = env.step(rng.choice(actions))
            if env.is_over():
                env.get_payoffs()
                held[0], _ = env.reset()
        return 16

    return lambda seconds: until(seconds, chunk)


def build(mode: str, game: str, batch: int) -> Workload:
    env = rlcard.make(game, {"seed": SEED})
    if mode == "env":
        return play(env)
    state, _ = env.reset()
    env.step(next(iter(state["legal_actions"])))
    return repeated(lambda: copy.deepcopy(env.game))  # all that a search needs


serve(build, "rlcard", "numpy")

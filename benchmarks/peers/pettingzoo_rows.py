"""PettingZoo's classic games, in turn, with the wrappers that its `env()` puts around them."""

from __future__ import annotations

import copy
import random
from importlib import import_module

from serve import serve
from timing import SEED, Workload, aec, choose, repeated


def build(mode: str, game: str, batch: int) -> Workload:
    env = import_module(f"pettingzoo.classic.{game}").env()
    if mode == "aec":
        return aec(env)
    env.reset(seed=SEED)
    env.step(choose(env.last()[0]["action_mask"], random.Random(SEED)))
    return repeated(lambda: copy.deepcopy(env.unwrapped))


serve(build, "pettingzoo", "gymnasium", "numpy")

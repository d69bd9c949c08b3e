"""Our own faces: the workloads of `benchmarks/throughput.py`."""

from __future__ import annotations

import fruit_envs
from serve import serve
from throughput import MANY, ONE
from timing import Workload


def build(mode: str, game: str, batch: int) -> Workload:
    loaded = fruit_envs.load(game)
    return ONE[mode](loaded) if batch == 1 else MANY[mode](loaded, batch)


serve(build, "fruit-envs", "numpy", "numba", "gymnasium", "pettingzoo")

"""The other end of the runner: measures one row for each line on standard input, and answers with a line of JSON.

A library is imported, and its games built and compiled, once, while repeats of all libraries are interleaved.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version

from timing import SEED, Workload, sample


def serve(build: Callable[[str, str, int], Workload], *distributions: str) -> None:
    """Answer until standard input ends. `build` makes the workload of a mode, a game and a number of games at once."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print greetings
    versions = {"python": platform.python_version()} | {name: version(name) for name in distributions}
    print(json.dumps({"seed": SEED, "versions": versions}), file=answers, flush=True)
    built: dict[tuple[str, str, int], Workload] = {}
    for line in sys.stdin:
        mode, game, batch, seconds = line.split()
        key = (mode, game, int(batch))
        try:
            if key not in built:
                built[key] = build(*key)
                built[key](float(seconds) / 4)  # warm
            rate, ratio = sample(built[key], float(seconds))
            answer = {"per_second": rate, "per_1000_loops": ratio}
        except Exception as error:  # the other rows of the library are still wanted
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)

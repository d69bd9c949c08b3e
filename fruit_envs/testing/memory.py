"""Whether a game's kernels compile, and write nothing but what is theirs.

Compiled code checks no index: a kernel that writes beyond its row would overwrite whatever lies there. So each is
called here with rows in the middle of larger ones, before anything else runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fruit_envs.declare.header import OVER_SHIFT
from fruit_envs.engine import loops
from fruit_envs.engine.jit import JIT
from fruit_envs.engine.kernels import SCORES, SHARES
from fruit_envs.engine.memory import new_memory
from fruit_envs.runtime.game import Game
from fruit_envs.testing.fault import GameFault, expect

__all__ = ["check_compilation", "check_memory"]

#: Values on either side of a row that a kernel must leave alone, in items and in words of a state.
_GUARD, _MARK = 256, 99


def check_compilation(game: Game) -> None:
    """Every kernel compiles; a misspelt field is named."""
    for use in ("playing", "scoring", "viewing", "revealing"):
        try:
            getattr(game, use)
        except KeyError as error:
            raise GameFault(
                f"expected kernels that read fields of RULES, STATE and blocks, got one of {error}"
            ) from error
        except Exception as error:  # Numba's errors are many
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            said = next(
                (line for line in lines if "field" in line or "attribute" in line.lower()), lines[0] if lines else ""
            )
            where = next((line for line in reversed(lines) if line.startswith("File ")), "")
            raise GameFault(
                f"expected kernels that compile, got {type(error).__name__}: {said} {where}".rstrip()
            ) from error


@contextmanager
def _guarded(size: int, dtype: Any, what: str) -> Iterator[np.ndarray]:
    """A row with guards beside it that must stay as they are."""
    wide = np.full(size + 2 * _GUARD, _MARK, dtype)
    yield wide[_GUARD : _GUARD + size]
    beside = np.flatnonzero(np.concatenate([wide[:_GUARD], wide[_GUARD + size :]]) != _MARK)
    where = [int(i) - _GUARD if i < _GUARD else int(i) - _GUARD + size for i in beside[:4]]
    expect(not len(beside), f"{what} to write its {size} values and nothing beside them", f"writes at {where}")


def check_memory(game: Game, games: int = 8) -> None:
    """`deal`, `apply` and `redeal` stay inside their state; the others inside their rows, and leave the state alone."""
    words, rng = len(game.blank.reshape(-1).view(np.uint8)) // 8, np.random.default_rng(0)
    if not JIT:
        return
    mask, observation = np.zeros(game.num_actions, np.int8), np.zeros(game.layout.size, game.layout.dtype)
    for seed in range(games):
        with _guarded(words, np.int64, "deal, apply and redeal") as memory:
            memory[:] = new_memory(game.state_dtype, 1)[0]
            status = loops.deal_one(game.playing, memory, mask, observation, seed)
            while True:
                before = memory.copy()
                _check_rows(game, memory)
                expect(
                    bool((memory == before).all()),
                    "legal, observe, hidden and scores to leave the state alone",
                    "a change",
                )
                if status >> OVER_SHIFT or not status:
                    break
                seat = next(s for s in range(game.num_players) if status >> s & 1)
                with _guarded(words, np.int64, "redeal") as view:
                    view[:] = memory
                    if game.options["memory"] == "perfect":
                        loops.one_redeal(game.viewing, view, seat, 1)
                loops.one_legal(game.playing, memory, seat, mask)
                chosen = np.flatnonzero(mask)
                expect(len(chosen) > 0, f"something legal for seat {seat}, which is asked", "an empty mask")
                status = loops.advance(game.playing, memory, mask, observation, seat, int(rng.choice(chosen)))


def _check_rows(game: Game, memory: np.ndarray) -> None:
    playing = game.playing
    for seat in range(game.num_players):
        with _guarded(game.num_actions, np.int8, "legal") as row:
            loops.one_legal(playing, memory, seat, row)
            expect(bool(np.isin(row, (0, 1)).all()), f"legal to write 0 or 1 for all {game.num_actions} actions", row)
        with _guarded(game.layout.size, game.layout.dtype, "observe") as row:
            loops.one_observation(playing, memory, seat, row)
            wrong = np.flatnonzero((row < game.layout.low) | (row > game.layout.high))
            name = next((b.name for b in game.layout.blocks if len(wrong) and wrong[0] < game.layout[b.name].stop), "")
            expect(not len(wrong), f"observations within their bounds, block {name!r}", row[wrong[:4]])
    with _guarded(game.hidden_layout.size, game.layout.dtype, "hidden") as row:
        loops.one_reveal(game.revealing, memory, np.zeros((0, game.layout.size), game.layout.dtype), row)
    for which, name in ((SCORES, "scores"), (SHARES, "shares")):
        with _guarded(game.num_players, np.float64, name) as row:
            loops.one_row(game.scoring, memory, which, row)

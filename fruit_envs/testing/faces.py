"""Whether the environments of a game pass the tests that PettingZoo and Gymnasium ship."""

from __future__ import annotations

import contextlib
import io
import warnings

import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from fruit_envs.faces.functions import env, parallel_env
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.faces.vector import VectorEnv
from fruit_envs.runtime.game import Game
from fruit_envs.testing.fault import GameFault, expect

__all__ = ["check_faces"]


def check_faces(game: Game) -> None:
    """The libraries' own tests, and the native vector against single environments."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for name, run in (
            ("PettingZoo's api_test", lambda: api_test(env(game), num_cycles=50)),
            ("PettingZoo's parallel_api_test", lambda: parallel_api_test(parallel_env(game), num_cycles=50)),
            ("Gymnasium's check_env", lambda: check_env(SingleAgent(game), skip_render_check=True)),
        ):
            try:
                run()
            except Exception as error:
                raise GameFault(f"expected {name} to pass, got {type(error).__name__}: {error}") from error
    _check_vector(game)


def _check_vector(game: Game, num_envs: int = 3, steps: int = 60) -> None:
    vector, singles = VectorEnv(game, num_envs), [SingleAgent(game) for _ in range(num_envs)]
    shown, _ = vector.reset(seed=3)
    alone = [one.reset(seed=3 + i)[0] for i, one in enumerate(singles)]
    done = [False] * num_envs
    for _ in range(steps):
        for i in range(num_envs):
            same = all((shown[part][i] == alone[i][part]).all() for part in alone[i])
            expect(bool(same), "a vector to show what single environments show", f"a difference in game {i}")
        actions = np.array([int(seen["action_mask"].argmax()) for seen in alone])
        shown, rewards, terminated, truncated, _ = vector.step(actions)
        for i, one in enumerate(singles):
            if done[i]:
                alone[i], paid, done[i] = one.reset()[0], 0.0, False
            else:
                alone[i], paid, over, cut, _ = one.step(int(actions[i]))
                done[i] = over or cut
            expect(rewards[i] == paid, "a vector to pay what single environments pay", rewards[i])
            expect(
                bool(terminated[i] or truncated[i]) == done[i], "a vector to end with single environments", terminated
            )

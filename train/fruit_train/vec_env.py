"""`BatchVecEnv`: the games of a `fruit_envs.VectorEnv` as stable-baselines3 asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from fruit_agents.features import RAW, Features
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.faces.vector import VectorEnv

__all__ = ["BatchVecEnv"]


class BatchVecEnv(VecEnv):
    """Many games as one VecEnv, for MaskablePPO and whatever else takes masks through `action_masks`.

    Observations are the flat vectors, or the features made of them, shape (num_envs, size). Finished games are dealt
    anew in the same step; the infos of one hold `terminal_observation`, `episode` (return "r", length "l", seconds "t"
    since the construction) and `TimeLimit.truncated`, and `illegal` where an illegal action ended it.

    Parameters
    ----------
    env
        With `AutoresetMode.SAME_STEP`.
    features
        What the learner sees instead of the observations, see `fruit_agents.features`.

    Raises
    ------
    InvalidOption
        For another autoreset mode, scaled observations, or features of another game.
    """

    def __init__(self, env: VectorEnv, features: Features | None = None) -> None:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise InvalidOption(f"expected autoreset_mode 'SameStep', got {env.autoreset_mode.value!r}")
        self.env = env
        self.features = features or Features(env.game)
        if self.features.game.layout.digest != env.game.layout.digest:
            raise InvalidOption(f"expected features of {env.game!r}, got those of {self.features.game!r}")
        self.render_mode = env.render_mode
        self._actions: Any = None
        self._returns = np.zeros(env.num_envs)
        self._lengths = np.zeros(env.num_envs, np.int64)
        self._began = perf_counter()
        seen = env.single_observation_space.spaces["observation"]
        if seen.dtype != env.game.layout.dtype:
            raise InvalidOption(f"expected observation='integer', which features are made from, got {seen.dtype}")
        if features is not None and features.name != RAW:
            seen = spaces.Box(-np.inf, np.inf, (features.size,), np.float32)
        super().__init__(env.num_envs, seen, env.single_action_space)

    def reset(self) -> np.ndarray:
        """Deal all games; after `seed(s)`, game i from seed s + i.

        Raises
        ------
        InvalidOption
            Where `set_options` was given other options for some games than for others.
        """
        seeds = None if None in self._seeds else self._seeds
        if any(options != self._options[0] for options in self._options):
            raise InvalidOption(f"expected the same options for all games, got {brief(self._options)}")
        shown, told = self.env.reset(seed=seeds, options=self._options[0] or None)
        self.reset_infos = [{"seat": seat} for seat in told["seat"].tolist()]
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0, 0
        return self.features(shown["observation"])

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One decision in every game."""
        shown, rewards, terminated, truncated, told = self.env.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        done = terminated | truncated
        ended = np.flatnonzero(done).tolist()
        if ended:
            last = self.features(np.stack([told["final_obs"][i]["observation"] for i in ended]))
        for place, i in enumerate(ended):
            infos[i] = {
                "terminal_observation": last[place],
                "episode": {
                    "r": float(self._returns[i]),
                    "l": int(self._lengths[i]),
                    "t": perf_counter() - self._began,
                },
                "TimeLimit.truncated": bool(truncated[i]),
            }
            ends = told["final_info"]
            if "illegal" in ends and ends["_illegal"][i]:
                infos[i]["illegal"] = int(ends["illegal"][i])
        self._returns[done], self._lengths[done] = 0, 0
        return self.features(shown["observation"]), rewards.astype(np.float32), done, infos

    def close(self) -> None:
        """Nothing to do: the games are memory of this process."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the games; they share all of them."""
        return [getattr(self.env, attr_name)] * len(self._places(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all games."""
        if len(self._places(indices)) != self.num_envs:
            raise InvalidOption("expected all games: they share their attributes")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """What a method returns for each game, such as the rows of `action_masks()`.

        Raises
        ------
        InvalidOption
            For a method that returns something else.
        """
        result = getattr(self.env, method_name)(*args, **kwargs)
        if not isinstance(result, (np.ndarray, tuple, list)) or len(result) != self.num_envs:
            raise InvalidOption(f"expected a method that returns {self.num_envs} results, got {method_name!r}")
        return [result[i] for i in self._places(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False: single games do not exist here, and so no wrapper is around one."""
        return [False] * len(self._places(indices))

    def _places(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))

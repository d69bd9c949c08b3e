"""stable-baselines3 and sb3-contrib take the environments by their ids, without a line of glue."""

from __future__ import annotations

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

import fruit_envs  # noqa: F401  (registers the games)

if __name__ == "__main__":
    small = {"n_steps": 64, "batch_size": 64, "n_epochs": 1, "seed": 0}
    for name in ("FruitCocktail", "Fruitoplay", "FruityFruit", "FruitSalad"):
        model = MaskablePPO("MultiInputPolicy", f"fruit/{name}-v0", **small).learn(128)
        assert not any(told["illegal_end"] for told in model.env.buf_infos)
        games = make_vec_env(f"fruit/{name}-v0", n_envs=2, env_kwargs={"observation": "float32"})
        MaskablePPO("MultiInputPolicy", games, **small).learn(256)

    apart = make_vec_env("fruit_envs:fruit/FruitCocktail-v0", n_envs=2, vec_env_cls=SubprocVecEnv)
    model = MaskablePPO("MultiInputPolicy", apart, **small).learn(256)
    apart.close()
    rewards, lengths = evaluate_policy(model, gymnasium.make("fruit/FruitCocktail-v0"), 3, return_episode_rewards=True)
    assert min(lengths) > 4

    # Without masks every episode ends at once, which the statistics say.
    watched = make_vec_env("fruit/FruitCocktail-v0", n_envs=2, monitor_kwargs={"info_keywords": ("illegal_end",)})
    told = PPO("MultiInputPolicy", watched, **small).learn(256).ep_info_buffer
    assert np.mean([episode["illegal_end"] for episode in told]) > 0.9
    assert np.mean([episode["r"] for episode in told]) < 0

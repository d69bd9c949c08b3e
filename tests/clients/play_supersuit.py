"""SuperSuit's vector route over the parallel face: unmasked tutorials run, since an illegal action ends the game."""

from __future__ import annotations

import numpy as np
import pettingzoo
import supersuit

import fruit_envs  # noqa: F401  (registers the games)

if __name__ == "__main__":
    for name in ("fruit_cocktail", "fruitoplay", "fruity_fruit", "fruit_salad"):
        env = pettingzoo.make("parallel", f"fruit/{name}-v0")
        vector = supersuit.pettingzoo_env_to_vec_env_v1(env)
        games = supersuit.concat_vec_envs_v1(vector, 2, num_cpus=1, base_class="gymnasium")
        observations, _ = games.reset(seed=1)
        rng, ended, lost = np.random.default_rng(0), 0, 0.0
        for _ in range(60):
            actions = rng.integers(games.action_space.n, size=games.num_envs)  # as without masks
            observations, rewards, terminated, truncated, _ = games.step(actions)
            ended += int((terminated | truncated).sum())
            lost += float(rewards.min())
        assert ended > 4
        assert lost < 0
        assert observations["action_mask"].shape == (games.num_envs, games.action_space.n)
        games.close()

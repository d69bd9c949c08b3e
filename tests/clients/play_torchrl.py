"""TorchRL takes the Gymnasium face by its id, and both PettingZoo faces in its wrapper."""

from __future__ import annotations

import pettingzoo
from torchrl.envs import GymEnv, PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import fruit_envs  # noqa: F401  (registers the games)

if __name__ == "__main__":
    titles = {"fruit_cocktail": "FruitCocktail", "fruitoplay": "Fruitoplay", "fruity_fruit": "FruityFruit"}
    for name, title in {**titles, "fruit_salad": "FruitSalad"}.items():
        for options in ({}, {"observation": "float32"}):
            env = GymEnv(f"fruit/{title}-v0", **options)
            check_env_specs(env)
            assert len(env.rollout(5)) > 0
            for kind, use_mask in (("parallel", False), ("parallel", True), ("aec", True)):
                env = PettingZooWrapper(pettingzoo.make(kind, f"fruit/{name}-v0", **options), use_mask=use_mask)
                check_env_specs(env)
                assert len(env.rollout(5)) == 5, "it acts by the masks"

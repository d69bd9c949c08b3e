"""RLlib's wrappers of both PettingZoo faces pass its checks and train; its network only has to mind the mask."""

from __future__ import annotations

from typing import Any

import pettingzoo
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from ray.tune.registry import register_env

import fruit_envs  # noqa: F401  (registers the games)

WRAPPERS = {"aec": PettingZooEnv, "parallel": ParallelPettingZooEnv}


class Masked(DefaultPPOTorchRLModule):
    """PPO's own network over the vector alone, with the logits of illegal actions put out of reach."""

    def __init__(self, *, observation_space: Any, **kwargs: Any) -> None:
        super().__init__(observation_space=observation_space["observation"], **kwargs)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(super()._forward, batch, **kwargs)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(super()._forward_train, batch, **kwargs)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        return super().compute_values({**batch, Columns.OBS: batch[Columns.OBS]["observation"]}, embeddings)

    def _masked(self, forward: Any, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        out = forward({**batch, Columns.OBS: seen["observation"]}, **kwargs)
        logits = out[Columns.ACTION_DIST_INPUTS]
        out[Columns.ACTION_DIST_INPUTS] = logits.masked_fill(seen["action_mask"] == 0, -1e9)
        return out


def train(kind: str, name: str) -> float:
    """One short iteration; returns the least that an agent got in an episode."""
    env_id = f"{kind}_{name}"
    register_env(env_id, lambda _: WRAPPERS[kind](pettingzoo.make(kind, f"fruit/{name}-v0", observation="float32")))
    config = (
        PPOConfig()
        .environment(env_id)
        .env_runners(num_env_runners=0, episodes_to_numpy=False)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Masked))
        .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
    )
    assert not config.disable_env_checking
    algorithm = config.build_algo()
    told = algorithm.train()["env_runners"]
    algorithm.stop()
    assert told["num_episodes"] > 0
    return float(told["episode_return_mean"])


if __name__ == "__main__":
    for name in ("fruit_cocktail", "fruitoplay", "fruity_fruit", "fruit_salad"):
        for kind, wrapper in WRAPPERS.items():
            for _ in range(5):  # it acts without masks
                check_multiagent_environments(wrapper(pettingzoo.make(kind, f"fruit/{name}-v0")))
    ray.init(address="local", num_cpus=1, include_dashboard=False)
    for kind in WRAPPERS:
        # All seats together: what one wins the others lose, and nobody lost by an illegal action.
        assert abs(train(kind, "fruit_cocktail")) < 1e-6
    ray.shutdown()

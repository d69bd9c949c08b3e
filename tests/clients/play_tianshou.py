"""Tianshou's multi-agent route over the AEC face: every seat's payoff arrives."""

from __future__ import annotations

import numpy as np
import pettingzoo
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

import fruit_envs  # noqa: F401  (registers the games)

if __name__ == "__main__":
    for name in ("fruit_cocktail", "fruitoplay", "fruity_fruit"):

        def make(name: str = name) -> PettingZooEnv:
            return PettingZooEnv(pettingzoo.make("aec", f"fruit/{name}-v0", num_players=3))

        env = make()
        seats = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in env.agents]
        together = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=env)
        games = DummyVectorEnv([make, make])
        collector = Collector(together, games, VectorReplayBuffer(10_000, len(games)))
        collected = collector.collect(n_episode=6, reset_before_collect=True)
        payoffs = np.asarray(collected.returns)
        assert payoffs.shape == (6, 3)
        assert np.allclose(payoffs.sum(axis=1), 0, atol=1e-6)
        assert (np.abs(payoffs).sum(axis=1) > 0.5).mean() > 0.5, "payoffs arrive"

"""Minari's DataCollector records episodes of the Gymnasium face as they are."""

from __future__ import annotations

import gymnasium
import minari
import numpy as np

import fruit_envs  # noqa: F401  (registers the games)

if __name__ == "__main__":
    env = minari.DataCollector(gymnasium.make("fruit/FruitCocktail-v0"), record_infos=True)
    returns = []
    for seed in range(3):
        observation, _ = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            action = env.action_space.sample(observation["action_mask"])
            observation, reward, terminated, truncated, _ = env.step(action)
            total, done = total + reward, terminated or truncated
        returns.append(total)
    dataset = env.create_dataset("fruit/cocktail-v0")
    assert dataset.total_episodes == 3
    for episode, total in zip(dataset.iterate_episodes(), returns, strict=True):
        assert np.isclose(episode.rewards.sum(), total)
        assert episode.observations["action_mask"].shape[1:] == (24,)
        assert episode.infos["illegal_end"].shape[0] == len(episode.rewards) + 1
        steps = range(len(episode.actions))
        assert all(episode.observations["action_mask"][step, episode.actions[step]] for step in steps)
    again = dataset.recover_environment()
    assert again.spec.id == "fruit/FruitCocktail-v0"

"""PPO in one file, in the manner of CleanRL, over `gymnasium.make_vec` in both modes of automatic resets."""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

import fruit_envs  # noqa: F401  (registers the games)

STEPS, GAMES, EPOCHS, GAMMA, LAMBDA, CLIP = 32, 8, 2, 1.0, 0.95, 0.2


class Agent(nn.Module):
    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        super().__init__()
        size = envs.single_observation_space["observation"].shape[0]
        self.critic = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))
        self.actor = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, envs.single_action_space.n))

    def choices(self, seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
        return Categorical(logits=self.actor(seen).masked_fill(~masks, -1e9))


def train(mode: str, rollouts: int = 4) -> None:
    envs = gymnasium.make_vec(
        "fruit/FruitCocktail-v0", num_envs=GAMES, autoreset_mode=mode, observation="float32", reward="margin"
    )
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    torch.manual_seed(0)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
    size = envs.single_observation_space["observation"].shape[0]
    seen = torch.zeros(STEPS, GAMES, size)
    masks = torch.zeros(STEPS, GAMES, int(envs.single_action_space.n), dtype=torch.bool)
    actions, logprobs, rewards, dones, values = (torch.zeros(STEPS, GAMES) for _ in range(5))
    shown, _ = envs.reset(seed=1)
    done, episodes = torch.zeros(GAMES), 0
    for _ in range(rollouts):
        for step in range(STEPS):
            seen[step] = torch.as_tensor(shown["observation"])
            masks[step] = torch.as_tensor(shown["action_mask"], dtype=torch.bool)
            dones[step] = done
            with torch.no_grad():
                choices = agent.choices(seen[step], masks[step])
                action = choices.sample()
                values[step] = agent.critic(seen[step]).flatten()
            actions[step], logprobs[step] = action, choices.log_prob(action)
            shown, reward, terminated, truncated, infos = envs.step(action.numpy())
            rewards[step] = torch.as_tensor(reward, dtype=torch.float32)
            done = torch.as_tensor(np.logical_or(terminated, truncated), dtype=torch.float32)
            episodes += int(done.sum())
            ends = infos.get("final_info", infos)
            assert not ends["illegal_end"].any(), "masked play is legal"
        with torch.no_grad():
            following, advantage = agent.critic(torch.as_tensor(shown["observation"])).flatten(), torch.zeros(GAMES)
            advantages = torch.zeros(STEPS, GAMES)
            for step in reversed(range(STEPS)):
                after = done if step == STEPS - 1 else dones[step + 1]
                ahead = following if step == STEPS - 1 else values[step + 1]
                delta = rewards[step] + GAMMA * ahead * (1 - after) - values[step]
                advantage = delta + GAMMA * LAMBDA * (1 - after) * advantage
                advantages[step] = advantage
            returns = advantages + values
        for _ in range(EPOCHS):
            choices = agent.choices(seen.flatten(0, 1), masks.flatten(0, 1))
            ratio = (choices.log_prob(actions.flatten()) - logprobs.flatten()).exp()
            gain = advantages.flatten()
            policy_loss = torch.max(-gain * ratio, -gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = 0.5 * (agent.critic(seen.flatten(0, 1)).flatten() - returns.flatten()).square().mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - 0.01 * choices.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    assert episodes > GAMES
    assert all(parameter.isfinite().all() for parameter in agent.parameters())
    envs.close()


if __name__ == "__main__":
    for mode in ("NextStep", "SameStep"):
        train(mode)

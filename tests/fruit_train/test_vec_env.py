"""The games as stable-baselines3 asks for them, and MaskablePPO on them and on single environments."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from fruit_agents.features import make_features
from fruit_envs import InvalidOption, VectorEnv, load
from fruit_envs.faces.single_agent import SingleAgent
from fruit_train.vec_env import BatchVecEnv
from support import every_count


def batch(name: str, n: int, **options: Any) -> BatchVecEnv:
    return BatchVecEnv(VectorEnv(name, n, autoreset_mode="SameStep", **options))


@every_count
def test_it_is_dummy_vec_env_over_single_environments(name: str, options: dict[str, Any]) -> None:
    """Observations, masks, rewards, ends and infos, game by game."""
    n, rng = 4, np.random.default_rng(0)
    ours, theirs = batch(name, n, **options), DummyVecEnv([partial(SingleAgent, name, **options)] * n)
    for env in (ours, theirs):
        env.seed(11)
    shown = [ours.reset(), theirs.reset()["observation"]]  # type: ignore[call-overload, index]
    returns, lengths, ended = np.zeros(n), np.zeros(n, int), 0
    for _ in range(60):
        np.testing.assert_array_equal(*shown)
        masks = get_action_masks(ours)
        np.testing.assert_array_equal(masks, get_action_masks(theirs))
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        a, b = ours.step(actions), theirs.step(actions)
        shown = [a[0], b[0]["observation"]]  # type: ignore[call-overload, list-item]
        np.testing.assert_array_equal(a[1], b[1])
        np.testing.assert_array_equal(a[2], b[2])
        returns += a[1]
        lengths += 1
        for i in np.flatnonzero(a[2]):
            ended += 1
            told = a[3][i]
            np.testing.assert_array_equal(told["terminal_observation"], b[3][i]["terminal_observation"]["observation"])
            assert told["TimeLimit.truncated"] == b[3][i]["TimeLimit.truncated"]
            assert told["episode"]["r"] == pytest.approx(returns[i])
            assert told["episode"]["l"] == lengths[i]
            returns[i] = lengths[i] = 0
        assert all(not a[3][i] for i in np.flatnonzero(~a[2]))
    assert ended > 0
    assert a[1].dtype == b[1].dtype == np.float32


def test_what_sb3_asks_for() -> None:
    env = batch("fruit_cocktail", 3, illegal="terminate", num_players=3)
    assert is_masking_supported(env)
    assert not env.has_attr("action_mask")
    env.seed(5)
    first = env.reset()
    second = env.reset()
    assert (first != second).any()
    env.seed(5)
    np.testing.assert_array_equal(env.reset(), first)
    assert env.get_attr("num_envs") == [3, 3, 3]
    assert len(env.get_attr("game", [0, 2])) == 2
    assert np.shape(env.env_method("action_masks", indices=1)) == (1, 24)
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert env.observation_space.shape == first.shape[1:]
    with pytest.raises(InvalidOption, match="all games"):
        env.set_attr("num_envs", 2, [0])
    env.step(get_action_masks(env).argmax(axis=1))  # at first every card may be taken
    forbidden = np.array([mask.argmin() for mask in get_action_masks(env)])
    _, rewards, dones, infos = env.step(forbidden)
    assert dones.all()
    assert rewards.tolist() == [-0.5] * 3
    assert [info["illegal"] for info in infos] == forbidden.tolist()
    env.set_options({"starter": 2})
    env.reset()
    assert [info["seat"] for info in env.reset_infos] == env.env.seats.tolist()
    env.set_options([{"starter": 2}, {}, {}])
    with pytest.raises(InvalidOption, match="same options"):
        env.reset()
    with pytest.raises(InvalidOption, match="3 results"):
        env.env_method("state", 0)
    with pytest.raises(AttributeError):
        env.env_method("states")
    env.close()
    with pytest.raises(InvalidOption, match="observation='integer'"):
        batch("fruit_cocktail", 2, observation="float32")
    with pytest.raises(InvalidOption, match="SameStep"):
        BatchVecEnv(VectorEnv("fruit_cocktail", 2))
    with pytest.raises(InvalidOption, match="features of"):
        BatchVecEnv(env.env, make_features("raw", load("fruit_cocktail")))


def test_features_take_the_place_of_observations() -> None:
    game = load("fruit_cocktail")
    features = make_features("one_ply_v1", game)
    raw, derived = (BatchVecEnv(VectorEnv(game, 4, autoreset_mode="SameStep"), one) for one in (None, features))
    for env in (raw, derived):
        env.seed(3)
    a, b = raw.reset(), derived.reset()
    assert derived.observation_space.shape == (features.size,)
    for _ in range(20):
        np.testing.assert_array_equal(features(a), b)
        actions = get_action_masks(raw).argmax(axis=1)
        (a, _, dones, infos), (b, *_, derived_infos) = raw.step(actions), derived.step(actions)
        for i in np.flatnonzero(dones):
            last = features(infos[i]["terminal_observation"][None])[0]
            np.testing.assert_array_equal(last, derived_infos[i]["terminal_observation"])


# ---- MaskablePPO ---------------------------------------------------------------------------------------------------


class Count(BaseCallback):
    """Counts illegal actions and episodes."""

    illegal = episodes = 0

    def _on_step(self) -> bool:
        self.episodes += int(self.locals["dones"].sum())
        self.illegal += sum("illegal" in info for info in self.locals["infos"])
        return True


def learn(env: Any, policy: str) -> None:
    """A short training, and masked evaluation, without one illegal action."""
    torch.set_num_threads(1)
    model = MaskablePPO(policy, env, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu")
    count = Count()
    model.learn(256, callback=count)
    assert (count.illegal, count.episodes > 0) == (0, True)
    lengths: Any
    rewards, lengths = evaluate_policy(model, env, 6, return_episode_rewards=True, warn=False)
    assert lengths == [8] * len(lengths), "an illegal action would have ended the game earlier"
    assert all(reward in (-1, 0, 1) for reward in rewards)  # type: ignore[union-attr]


SINGLE = partial(gymnasium.make, "fruit_envs:fruit/FruitCocktail-v0")


def test_maskable_ppo_on_the_batch() -> None:
    learn(batch("fruit_cocktail", 4), "MlpPolicy")


def test_maskable_ppo_on_dummy_vec_env() -> None:
    learn(DummyVecEnv([SINGLE] * 2), "MultiInputPolicy")


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork\\(\\) may lead to deadlocks:DeprecationWarning")
def test_maskable_ppo_on_subproc_vec_env(start_method: str) -> None:
    env = SubprocVecEnv([SINGLE] * 2, start_method=start_method)
    try:
        learn(env, "MultiInputPolicy")
    finally:
        env.close()

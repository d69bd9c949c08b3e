"""`observation="float32"`: the same observations times `layout.scale`, on every face."""

from __future__ import annotations

import pickle
import random

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test

from fruit_envs import Batch, VectorEnv, load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.single_agent import SingleAgent
from support import every_case, every_count

FLOAT = {"observation": "float32"}


def check(floats, integers, layout, space):
    assert floats.dtype == np.float32 == space.dtype
    assert floats.flags.c_contiguous
    np.testing.assert_array_equal(floats, integers.astype(np.float32) * layout.scale)
    assert space.contains(floats)


def actions_of(observations, rng):
    return {agent: int(rng.choice(np.flatnonzero(seen["action_mask"]))) for agent, seen in observations.items()}


@every_case
def test_the_pettingzoo_faces(name, options):
    game, rng = load(name, **options), random.Random(0)
    floats, integers = Parallel(game, **FLOAT), Parallel(game)
    seen, expected = floats.reset(seed=3)[0], integers.reset(seed=3)[0]
    while True:
        for agent in floats.possible_agents:
            space = floats.observation_space(agent)["observation"]
            check(seen[agent]["observation"], expected[agent]["observation"], game.layout, space)
            np.testing.assert_array_equal(seen[agent]["action_mask"], expected[agent]["action_mask"])
        check(floats.state(), integers.state(), game.reveal_layout, floats.state_space)
        if not floats.agents:
            break
        actions = actions_of(expected, rng)
        seen, expected = floats.step(actions)[0], integers.step(actions)[0]
    floats, integers = AEC(game, **FLOAT), AEC(game)
    for env in (floats, integers):
        env.reset(seed=4)
    for _ in range(20):
        if any(integers.terminations.values()) or any(integers.truncations.values()):
            break
        agent = floats.agent_selection
        space = floats.observation_space(agent)["observation"]
        check(floats.last()[0]["observation"], integers.last()[0]["observation"], game.layout, space)
        check(floats.state(), integers.state(), game.reveal_layout, floats.state_space)
        action = int(rng.choice(np.flatnonzero(integers.last()[0]["action_mask"])))
        for env in (floats, integers):
            env.step(action)


@every_case
@pytest.mark.parametrize("mode", tuple(AutoresetMode), ids=lambda mode: mode.value)
def test_the_gymnasium_faces(name, options, mode):
    rng = np.random.default_rng(0)
    floats, integers = (VectorEnv(name, 3, autoreset_mode=mode, **options, **more) for more in (FLOAT, {}))
    single = SingleAgent(name, **options, **FLOAT)
    space = single.observation_space["observation"]
    assert floats.single_observation_space == single.observation_space
    seen, expected = floats.reset(seed=1), integers.reset(seed=1)
    np.testing.assert_array_equal(single.reset(seed=1)[0]["observation"], seen[0]["observation"][0])
    for _ in range(30):
        check(
            seen[0]["observation"],
            expected[0]["observation"],
            integers.game.layout,
            floats.observation_space["observation"],
        )
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in expected[0]["action_mask"]])
        seen, expected = floats.step(actions), integers.step(actions)
        for one, other in zip(seen[1:4], expected[1:4], strict=True):
            np.testing.assert_array_equal(one, other)
        done = expected[2] | expected[3]
        for i in np.flatnonzero(done) if mode is AutoresetMode.SAME_STEP else ():
            one, other = (told[4]["final_obs"][i]["observation"] for told in (seen, expected))
            check(one, other, integers.game.layout, space)
        if mode is AutoresetMode.DISABLED and done.any():
            seen, expected = (env.reset(options={"reset_mask": done.copy()}) for env in (floats, integers))


@every_count
def test_the_batch(name, options):
    floats, integers = Batch(name, 6, **options, **FLOAT), Batch(name, 6, **options)
    for batch in (floats, integers):
        batch.reset(seed=2)
    shown = floats.observations
    for _ in range(40):
        np.testing.assert_array_equal(floats.observations, integers.observations * integers.game.layout.scale)
        actions = integers.sample().copy()
        floats.step(actions)
        integers.step(actions)
    assert shown is floats.observations
    assert shown.dtype == np.float32
    twin = pickle.loads(pickle.dumps(floats))
    actions = integers.sample()
    for batch in (floats, twin):
        batch.step(actions)
    np.testing.assert_array_equal(twin.observations, floats.observations)


@every_count
def test_the_official_checkers_pass(name, options):
    title = GAMES[name].title.replace(" ", "")
    check_env(gymnasium.make(f"fruit/{title}-v0", **options, **FLOAT).unwrapped, skip_render_check=True)
    parallel_api_test(pettingzoo.make("parallel", f"fruit/{name}-v0", **options, **FLOAT), num_cycles=30)


@every_count
@pytest.mark.filterwarnings("ignore:Obs", "ignore:.*no legal actions")
def test_the_official_aec_checker_passes(name, options):
    api_test(pettingzoo.make("aec", f"fruit/{name}-v0", **options, **FLOAT), num_cycles=30)

"""The PettingZoo parallel face: it tells the same game as the AEC face, with a no-op for who is not asked."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test

from fruit_envs import IllegalAction, InvalidBuffer, InvalidSeat, NotReset, load
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.seats import illegal_reward
from support import every_case, every_count


def make(name, options, render_mode=None):
    return Parallel(load(name, **options), render_mode)


def choices(observations, rng):
    return {a: int(rng.choice(np.flatnonzero(o["action_mask"]))) for a, o in observations.items()}


@every_case
def test_it_tells_the_same_game_as_the_aec_face(name, options):
    rng = random.Random(0)
    parallel, aec = make(name, options), AEC(load(name, **options))
    for seed in range(8):
        observations, infos = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        while parallel.agents:
            for agent, observation in observations.items():
                np.testing.assert_array_equal(observation["observation"], aec.observe(agent)["observation"])
                mask, noop = observation["action_mask"], parallel.noop
                assert (aec._seats[agent] in aec._holder.current.seats) is not bool(mask[noop])
                assert set(infos[agent]) == {"action_mask"}
                np.testing.assert_array_equal(infos[agent]["action_mask"], mask)
                assert mask.any()
            actions = choices(observations, rng)
            observations, rewards, terminations, truncations, infos = parallel.step(actions)
            for agent in parallel.possible_agents:
                if actions[agent] != parallel.noop:
                    assert aec.agent_selection == agent
                    aec.step(actions[agent])
            assert rewards == aec.rewards
            assert terminations == aec.terminations
            assert truncations == aec.truncations
            assert set(observations) == set(rewards) == set(terminations) == set(truncations) == set(infos)
        for agent, observation in observations.items():
            assert not observation["action_mask"].any()
            assert not infos[agent]["action_mask"].any()
            np.testing.assert_array_equal(observation["observation"], aec.observe(agent)["observation"])


@every_case
def test_bad_hand_ins_change_nothing(name, options):
    env = make(name, options)
    with pytest.raises(NotReset, match="reset"):
        env.step({})
    observations, infos = env.reset(seed=3)
    before = env._holder.current.tobytes()
    good = choices(observations, random.Random(1))
    first = env.agents[0]
    missing = {a: x for a, x in good.items() if a != first}
    for bad in (missing, {**good, "player_9": 0}, {}, None, [0, 1]):
        with pytest.raises(InvalidSeat, match="expected an action of each"):
            env.step(bad)
    for agent, info in infos.items():
        wrong = 0 if info["action_mask"][env.noop] else env.noop
        for action in (wrong, 1.5, True, "1", None, -1, env.noop + 1, np.array([0])):
            with pytest.raises(IllegalAction, match="expected"):
                env.step({**good, agent: action})
    assert env._holder.current.tobytes() == before
    while env.agents:
        observations = env.step(choices(observations, random.Random(2)))[0]
    with pytest.raises(InvalidSeat, match="reset"):
        env.step(good)


@every_case
def test_the_canonical_one_ends_the_game_at_an_illegal_action_as_the_aec_one_does(name, options):
    parallel = pettingzoo.make("parallel", f"fruit/{name}-v0", **options)
    aec = pettingzoo.make("aec", f"fruit/{name}-v0", **options)
    rng, sinners = random.Random(5), set()
    for seed in range(12):
        observations, _ = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        for _ in range(seed % 5):
            actions = choices(observations, rng)
            if all(observations[a]["action_mask"].sum() == 1 for a in actions):
                break
            observations = parallel.step(actions)[0]
            for action in actions.values():
                if action != parallel.noop:
                    aec.step(action)
            if not parallel.agents:
                break
        if not parallel.agents:
            continue
        actions = choices(observations, rng)
        asked = [agent for agent, seen in observations.items() if not seen["action_mask"][parallel.noop]]
        agents = list(parallel.agents)
        sinner = asked[seed % len(asked)]
        forbidden = np.flatnonzero(observations[sinner]["action_mask"][:-1] == 0)
        if not len(forbidden):
            continue
        actions[sinner] = int(forbidden[0])
        sinners.add(sinner)
        before = parallel.unwrapped._holder.current.tobytes()
        shown, rewards, terminations, truncations, infos = parallel.step(actions)
        assert parallel.unwrapped._holder.current.tobytes() == before
        for agent in asked[: asked.index(sinner) + 1]:
            aec.step(actions[agent])
        assert rewards == aec.rewards
        assert terminations == aec.terminations == dict.fromkeys(agents, True)
        assert truncations == dict.fromkeys(agents, False)
        assert set(shown) == set(infos) == set(agents)
        assert parallel.agents == []
        for agent in agents:
            assert not shown[agent]["action_mask"].any()
            assert not infos[agent]["action_mask"].any()
            if agent not in asked[: asked.index(sinner)]:  # in the AEC face these have committed
                np.testing.assert_array_equal(shown[agent]["observation"], aec.observe(agent)["observation"])
    assert len(sinners) > 1
    observations, _ = parallel.reset(seed=1)
    asked = [agent for agent, seen in observations.items() if not seen["action_mask"][parallel.noop]]
    lost = parallel.step({**choices(observations, rng), asked[0]: parallel.noop})
    assert lost[1][asked[0]] == illegal_reward(parallel.game)
    assert all(lost[2].values())


@every_case
def test_the_canonical_one_ignores_what_a_seat_hands_in_that_is_not_asked(name, options):
    game, rng = load(name, **options), random.Random(2)
    canonical, raw = Parallel(game, illegal="terminate"), Parallel(game)
    observations, idle = raw.reset(seed=3)[0], 0
    canonical.reset(seed=3)
    junk = [0, raw.noop, 10**30, -1, None, "x", 1.5, True]
    while raw.agents:
        actions = choices(observations, rng)
        given = {
            a: rng.choice(junk) if seen["action_mask"][raw.noop] else actions[a] for a, seen in observations.items()
        }
        idle += given != actions
        expected, got = raw.step(actions), canonical.step(given)
        observations = expected[0]
        assert got[1:4] == expected[1:4]
        assert canonical.get_state()["game"] == raw.get_state()["game"]
    canonical.reset(seed=3)
    before = canonical.get_state()
    asked = next(a for a, seen in raw.reset(seed=3)[0].items() if not seen["action_mask"][raw.noop])
    for bad in (10**30, -1, None, "x", 1.5, True, np.array([0])):
        with pytest.raises(IllegalAction, match="expected an action id"):
            canonical.step({**dict.fromkeys(canonical.agents, 0), asked: bad})
    with pytest.raises(InvalidSeat, match="expected an action of each"):
        canonical.step({asked: 0, "player_9": 0})
    assert str(canonical.get_state()) == str(before)


@every_case
def test_copies_in_the_middle_play_on_identically_resets_included(name, options):
    env = make(name, options)
    observations, _ = env.reset(seed=8)
    observations = env.step(choices(observations, random.Random(0)))[0]

    def trace(env, observations, rng):
        seen = []
        for _ in range(3):
            while env.agents:
                observations, rewards, *_ = env.step(choices(observations, rng))
                seen.append(([o["observation"].tobytes() for o in observations.values()], rewards))
            observations, _ = env.reset()
        return seen

    fresh = make(name, options)
    fresh.set_state(pickle.loads(pickle.dumps(env.get_state())))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), fresh):
        assert trace(twin, observations, random.Random(4)) == trace(copy.deepcopy(env), observations, random.Random(4))


@every_count
def test_a_damaged_state_is_refused_before_anything_changes(name, options):
    env, other = make(name, options), make(name, options)
    env.reset(seed=6)
    other.reset(seed=9)
    kept, before = env.get_state(), pickle.dumps(other.get_state())
    seats = len(env.possible_agents)
    for entry, wrong in (
        ("agents", [["x"], env.agents[:1], env.agents[::-1], [*env.agents, "x"], [np.zeros(2)], ("player_0",), None]),
        ("earned", [np.zeros(9), np.zeros(seats, int), np.full(seats, np.inf), [0.0] * seats]),
        ("cycles", [-1, True, 1.0, None]),
    ):
        for bad in wrong:
            with pytest.raises(InvalidBuffer, match="expected"):
                other.set_state({**kept, entry: bad})
    assert pickle.dumps(other.get_state()) == before
    observations = env.reset(seed=6)[0]
    while env.agents:
        observations = env.step(choices(observations, random.Random(1)))[0]
    with pytest.raises(InvalidBuffer, match="expected agents"):
        other.set_state({**env.get_state(), "agents": env.possible_agents})
    other.set_state(env.get_state())
    assert other.agents == []


@every_count
def test_the_registry_makes_it_and_the_official_checker_passes(name, options):
    env = pettingzoo.make("parallel", f"fruit/{name}-v0", render_mode="ansi", **options)
    parallel_api_test(env, num_cycles=60)
    observations, _ = env.reset(seed=2)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent).n == env.noop + 1 == load(name, **options).num_actions + 1
        assert env.observation_space(agent).contains(observations[agent])
    assert env.state_space.contains(env.state())
    assert isinstance(env.render(), str)

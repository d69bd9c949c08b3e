"""The PettingZoo AEC face: order, rewards, ends, copies, refusals."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from itertools import pairwise

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

from fruit_envs import IllegalAction, InvalidBuffer, InvalidSeat, NotReset, load
from fruit_envs.faces.aec import AEC, wrapped
from fruit_envs.faces.seats import illegal_reward
from support import every_case, every_count


def make(name, options, render_mode=None):
    return AEC(load(name, **options), render_mode)


def choose(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, seed, rng, watch=lambda env: None):
    """Play one episode by `last` and `step`; returns the rewards that `last` handed out, per seat."""
    env.reset(seed=seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        watch(env)
        paid[agent] += reward
        assert info is env.infos[agent]
        np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
        env.step(None if terminated or truncated else choose(observation["action_mask"], rng))
    return paid


@every_case
def test_the_official_checkers_pass_with_only_the_known_warnings(name, options):
    env = wrapped(make(name, options))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env, num_cycles=60)
    known = (
        "Observation space for each agent probably should be gymnasium.spaces.box",
        "Observation is not a NumPy array",
        "has no legal actions",
    )
    assert [str(w.message) for w in caught if not any(k in str(w.message) for k in known)] == []
    seed_test(lambda: wrapped(make(name, options)), num_cycles=20)


@every_case
def test_rewards_of_last_and_of_steps_add_up_to_the_payoff_of_every_seat(name, options):
    rng = random.Random(0)
    env = make(name, options)
    stepped = {}

    def watch(env):
        for agent in env.agents:
            assert (
                (agent == env.agent_selection) == bool(env.observe(agent)["action_mask"].any())
                or any(env.terminations.values())
                or any(env.truncations.values())
            )

    for seed in range(8):
        env.reset(seed=seed)
        stepped = dict.fromkeys(env.possible_agents, 0.0)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            watch(env)
            paid[agent] += reward
            done = terminated or truncated
            env.step(None if done else choose(observation["action_mask"], rng))
            if not done:
                for other, value in env.rewards.items():
                    stepped[other] += value
        returns = env._holder.current.returns
        for seat, agent in enumerate(env.possible_agents):
            assert paid[agent] == pytest.approx(returns[seat])
            assert stepped[agent] == pytest.approx(returns[seat])
        assert sum(returns) == pytest.approx(0)


@every_case
def test_all_seats_end_on_one_step_the_same_way_and_leave_in_seat_order(name, options):
    rng = random.Random(1)
    env = make(name, options)
    for seed in range(6):
        env.reset(seed=seed)
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            assert env.agents == env.possible_agents
            env.step(choose(env.observe(env.agent_selection)["action_mask"], rng))
        assert len(set(env.terminations.values())) == len(set(env.truncations.values())) == 1
        assert all(env.terminations.values()) != all(env.truncations.values())
        assert all(type(flag) is bool for flag in (*env.terminations.values(), *env.truncations.values()))
        rewards = dict(env._cumulative_rewards)
        left = []
        while env.agents:
            agent = env.agent_selection
            observation, reward, *_ = env.last()
            assert reward == rewards[agent]
            assert not observation["action_mask"].any()
            before = env.get_state()
            with pytest.raises(IllegalAction, match="expected None"):
                env.step(0)
            assert str(env.get_state()) == str(before)
            left.append(agent)
            env.step(None)
        assert left == env.possible_agents
        for call in (env.last, lambda: env.step(None)):
            with pytest.raises(InvalidSeat, match="reset"):
                call()


@every_case
def test_nothing_works_before_reset(name, options):
    env = make(name, options)
    for call in (env.last, lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render, env.get_state):
        with pytest.raises(NotReset, match="reset"):
            call()


@every_case
def test_illegal_actions_raise_in_the_raw_face_and_lose_in_the_wrapped_one(name, options):
    env = make(name, options)
    env.reset(seed=4)
    before = env._holder.current.tobytes()
    illegal = (
        int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]) if not env.last()[0]["action_mask"].all() else 99
    )
    for action in (illegal, 1.0, True, "0", None, -1, 10**9, np.array([0])):
        with pytest.raises(IllegalAction):
            env.step(action)
        assert env._holder.current.tobytes() == before
    with pytest.raises(InvalidSeat, match="player_0"):
        env.observe("nobody")
    rng = random.Random(0)
    canonical = wrapped(env)
    canonical.reset(seed=4)
    for _ in range(200):
        observation, _, over, cut, _ = canonical.last()
        if over or cut:
            break
        forbidden = np.flatnonzero(observation["action_mask"] == 0)
        agent = canonical.agent_selection
        if len(forbidden):
            canonical.step(int(forbidden[0]))
            assert all(canonical.terminations.values())
            loser = min(canonical.rewards, key=canonical.rewards.get)
            assert loser == agent
            assert canonical.rewards[loser] == pytest.approx(illegal_reward(env.game))
            assert not any(info["action_mask"].any() for info in canonical.infos.values())
            assert not canonical.last()[0]["action_mask"].any()
            break
        canonical.step(choose(observation["action_mask"], rng))


@every_count
def test_the_canonical_wrappers_say_what_came(name, options):
    env = wrapped(make(name, options))
    env.reset(seed=4)
    before = str(env.unwrapped.get_state())
    for action, came in (
        (True, "True"),
        (np.True_, "True"),
        (1.5, "1.5"),
        ("0", "'0'"),
        (None, "None"),
        (-1, "-1"),
        (10**30, "10000"),
        (np.array([0]), "array"),
        (np.array(True), "array"),
        (Tensor(), "tensor"),
    ):
        with pytest.raises(IllegalAction, match=f"expected an action id .*, got .*{came}"):
            env.step(action)
        assert str(env.unwrapped.get_state()) == before
    legal = int(env.last()[0]["action_mask"].argmax())
    env.step(np.array(legal))
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(np.int16(env.last()[0]["action_mask"].argmax()))
    with pytest.raises(IllegalAction, match="expected None from player_0, whose game has ended, got 0"):
        env.step(0)


class Tensor:
    """As much of `torch.tensor(0)` as matters: an index, but no member of the action space."""

    shape = ()

    def __index__(self):
        return 0

    def __repr__(self):
        return "tensor(0)"


@every_count
@pytest.mark.parametrize("how", ["written to", "of another game"])
def test_whether_an_action_is_legal_is_asked_of_the_game_not_of_a_mask_handed_out(name, options, how):
    env = wrapped(AEC(load(name, **options)))
    env.reset(seed=2)
    while (mask := env.last()[0]["action_mask"]).all():
        env.step(0)
    loser = env.agent_selection
    if how == "written to":
        forbidden = int(np.flatnonzero(mask == 0)[0])
        mask[:] = 1
    else:
        later = AEC(load(name, **options))
        later.set_state(env.unwrapped.get_state())
        rng = random.Random(0)
        while not (gone := np.flatnonzero((later.last()[0]["action_mask"] == 0) & (mask == 1))).size:
            later.step(int(rng.choice(np.flatnonzero(later.last()[0]["action_mask"]))))
        forbidden, loser = int(gone[0]), later.agent_selection
        env.unwrapped.set_state(later.get_state())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PettingZoo's word on an illegal move
        env.step(forbidden)
    assert all(env.terminations.values())
    assert env.rewards[loser] < 0


@every_case
def test_rewards_are_those_of_the_step_alone(name, options):
    env = make(name, options)
    env.reset(seed=3)
    kept = env.rewards
    env.rewards["player_0"] = 5.0  # as a wrapper may
    before = env._holder.current.returns
    env.step(choose(env.last()[0]["action_mask"], random.Random(0)))
    np.testing.assert_array_equal(list(env.rewards.values()), env._holder.current.returns - before)
    assert kept["player_0"] == 5.0, "what was handed out is not written again"


def damaged(value, agents):
    """What an entry of the bookkeeping may not be instead."""
    if isinstance(value, dict):
        first = next(iter(value))
        yield from ({}, {**value, "x": value[first]}, {**value, first: None}, {**value, first: "1"})
        yield from ({**value, first: float("nan")}, {**value, first: np.zeros(2)}, {**value, first: []})
        yield {agent: value[agent] for agent in reversed(value)}
        if isinstance(value[first], bool):
            yield from ({**value, first: not value[first]}, {**value, first: int(value[first])})
            yield dict.fromkeys(value, not value[first])
    elif isinstance(value, list):
        yield from ([], value[:-1], [*value, "x"], value[::-1], [*value, *value], [1], [np.zeros(2)])
    elif isinstance(value, str):
        yield from ("", agents[-1] if value != agents[-1] else agents[0], b"player_0")
    yield from ("x", None if value is not None else 1, 7, object(), np.zeros(2), [{}])


@every_count
@pytest.mark.parametrize("when", ["in progress", "ended", "leaving", "illegal"])
def test_a_damaged_bookkeeping_is_refused_before_anything_changes(name, options, when):
    rng = random.Random(4)
    env = wrapped(make(name, options))
    env.reset(seed=6)
    observation = env.last()[0]
    while when != "in progress" and not any(env.terminations.values()) and not any(env.truncations.values()):
        forbidden = np.flatnonzero(observation["action_mask"] == 0)
        sin = when == "illegal" and len(forbidden)
        env.step(int(forbidden[0]) if sin else choose(observation["action_mask"], rng))
        observation = env.last()[0]
    if when == "leaving":
        env.step(None)
    kept = env.unwrapped.get_state()
    other = make(name, options)
    other.reset(seed=9)
    before = pickle.dumps(other.get_state())
    for entry, value in kept["bookkeeping"].items():
        for bad in damaged(value, env.possible_agents):
            if repr(bad) == repr(value):
                continue
            if entry == "_skip_agent_selection" and (bad is None or str(bad) in env.possible_agents):
                continue  # which seat decided last is nowhere else
            with pytest.raises(InvalidBuffer, match="expected"):
                other.set_state({**kept, "bookkeeping": {**kept["bookkeeping"], entry: bad}})
            assert pickle.dumps(other.get_state()) == before
    for entry, wrong in (
        ("earned", [np.zeros(9), np.zeros(env.num_agents, int), np.full(len(env.possible_agents), np.nan), [0.0]]),
        ("cycles", [-1, 2**40, True, 1.0, None]),
    ):
        for bad in wrong:
            with pytest.raises(InvalidBuffer, match="expected"):
                other.set_state({**kept, entry: bad})
    assert pickle.dumps(other.get_state()) == before
    other.set_state(kept)
    assert pickle.dumps(other.get_state()) == pickle.dumps(kept)
    kept["earned"][:] = 7.0
    kept["bookkeeping"]["rewards"]["player_9"] = 7.0
    assert "player_9" not in other.rewards


@every_case
def test_observations_masks_and_infos_of_two_steps_share_no_memory(name, options):
    rng = random.Random(2)
    env = make(name, options)
    kept = []

    def watch(env):
        observation = env.last()[0]
        kept.append(
            (observation["observation"], observation["action_mask"], *(i["action_mask"] for i in env.infos.values()))
        )

    play(env, 3, rng, watch)
    frozen = [[array.copy() for array in arrays] for arrays in kept]
    play(env, 4, rng)
    for arrays, copies in zip(kept, frozen, strict=True):
        for array, same in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, same)
    for first, second in pairwise(kept):
        assert not any(np.shares_memory(a, b) for a in first for b in second)


@every_case
@pytest.mark.parametrize("how", ["deepcopy", "pickle", "state"])
@pytest.mark.parametrize("wrap", [False, True], ids=["raw", "wrapped"])
def test_copies_in_the_middle_play_on_identically_resets_included(name, options, how, wrap):
    rng = random.Random(3)
    env = wrapped(make(name, options)) if wrap else make(name, options)
    env.reset(seed=12)
    for _ in range(5):
        env.step(choose(env.last()[0]["action_mask"], rng))
    if how == "state":
        twin = wrapped(make(name, options)) if wrap else make(name, options)
        twin.unwrapped.set_state(pickle.loads(pickle.dumps(env.unwrapped.get_state())))
        twin.last()
    else:
        twin = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))
    assert twin.unwrapped.game.options == env.unwrapped.game.options

    def trace(env, rng):
        seen = []
        for _ in range(3):
            while env.agents:
                observation, reward, over, cut, info = env.last()
                seen.append((env.agent_selection, observation["observation"].tobytes(), reward, over, cut))
                seen.append(info["action_mask"].tobytes())
                env.step(None if over or cut else choose(observation["action_mask"], rng))
            env.reset()
        return seen

    middle = env.unwrapped._holder.current.tobytes()
    played = trace(twin, random.Random(9))
    assert env.unwrapped._holder.current.tobytes() == middle, "the original is untouched"
    assert played == trace(env, random.Random(9))


@every_count
def test_the_registry_makes_it_and_the_spaces_are_one_object(name, options):
    env = pettingzoo.make("aec", f"fruit/{name}-v0", **options)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == env.unwrapped.game.num_actions
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["name"] == f"{name}_v0"
    env.reset(seed=1)
    assert env.observation_space("player_0").contains(env.observe("player_0"))
    assert env.unwrapped.state_space.contains(env.state())


@every_case
def test_every_observation_lies_in_its_space(name, options):
    rng = random.Random(5)
    env = make(name, options, "ansi")

    def watch(env):
        for agent in env.agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
        assert isinstance(env.render(), str)

    for seed in range(4):
        play(env, seed, rng, watch)

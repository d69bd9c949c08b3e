"""The Gymnasium vector face: SyncVectorEnv over single environments is its oracle, step by step."""

from __future__ import annotations

import copy
import pickle
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

from fruit_envs import Agent, AgentError, IllegalAction, InvalidBuffer, InvalidOption, InvalidSeat, NotReset, Pool, load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.faces.vector import VectorEnv
from support import every_case, every_count

MODES = tuple(AutoresetMode)
every_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)


class Loud(Agent):
    """Knows only how to decide for one game, from its view where there is one."""

    name = "loud"

    def act(self, observation, mask, view, key, memory):
        legal = np.flatnonzero(mask)
        seen = 0 if view is None else int(view.reveal().astype(int).sum())
        return int(legal[(seen + int(observation.astype(int).sum()) + key) % len(legal)])


def pair(name, options, n, mode, **kwargs):
    """The oracle and the face."""
    single = partial(SingleAgent, name, **options, **kwargs)
    return SyncVectorEnv([single] * n, autoreset_mode=mode), VectorEnv(
        name, n, autoreset_mode=mode, **options, **kwargs
    )


def assert_equal(ours, theirs, where):
    """Equal in values, types and shapes, however they are nested."""
    assert type(ours) is type(theirs), where
    if isinstance(theirs, dict):
        assert sorted(ours) == sorted(theirs), where
        for key in theirs:
            assert_equal(ours[key], theirs[key], f"{where}.{key}")
    elif isinstance(theirs, (tuple, list)) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        assert len(ours) == len(theirs), where
        for i, one in enumerate(theirs):
            assert_equal(ours[i], one, f"{where}[{i}]")
    elif isinstance(theirs, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
        np.testing.assert_array_equal(ours, theirs, where)
    else:
        assert ours == theirs, where


def compare(theirs, ours, mode, episodes, *, sins=0.0, seed=3):
    """Play both until so many episodes have ended, now and then illegally."""
    rng = np.random.default_rng(0)
    expected, got = theirs.reset(seed=seed), ours.reset(seed=seed)
    assert_equal(got, expected, "reset")
    ended = steps = 0
    seen = set()
    while ended < episodes:
        masks = expected[0]["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        if rng.random() < sins:
            actions[0] = rng.integers(masks.shape[1])
        expected, got = theirs.step(actions), ours.step(actions)
        steps += 1
        assert_equal(got, expected, f"step {steps}")
        done = expected[2] | expected[3]
        ended += int(done.sum())
        seen |= set(expected[4]["seat"].tolist())
        if mode is AutoresetMode.DISABLED and done.any():
            expected, got = (env.reset(options={"reset_mask": done.copy()}) for env in (theirs, ours))
            assert_equal(got, expected, f"reset after step {steps}")
    return seen


@every_case
@every_mode
def test_it_is_sync_vector_env_over_single_environments(name, options, mode):
    theirs, ours = pair(name, options, 4, mode, opponent_seed=9)
    seats = compare(theirs, ours, mode, 24, sins=0.1)
    assert seats == set(range(options["num_players"])), "the learner's seat is drawn each episode"


@every_count
@every_mode
@pytest.mark.parametrize("who", ["loud", "pool", "mixed"])
def test_it_is_sync_vector_env_with_any_opponents(name, options, mode, who):
    game = load(name, **options)
    loud = Loud(game)
    others = game.num_players - 1
    opponents = {
        "loud": loud,
        "pool": Pool(game, [loud, "random"], [3, 1]),
        "mixed": ([loud, Pool(game, ["random", loud]), "random", "random", "random"] * 2)[:others],
    }[who]
    single = partial(SingleAgent, game, opponents=opponents, seat=others)
    ours = VectorEnv(game, 5, opponents=opponents, seat=others, autoreset_mode=mode)
    assert compare(SyncVectorEnv([single] * 5, autoreset_mode=mode), ours, mode, 25) == {others}


@pytest.mark.heavy
@every_count
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=lambda mode: mode.value)
@pytest.mark.parametrize("opponents", ["random", "baseline"])
def test_a_thousand_episodes(name, options, mode, opponents):
    names = pytest.importorskip("fruit_agents").baselines(name)
    theirs, ours = pair(name, options, 16, mode, opponents=names[-1] if opponents == "baseline" else "random")
    compare(theirs, ours, mode, 1000)


@every_count
def test_game_i_of_seed_s_is_a_single_environment_of_seed_s_plus_i(name, options):
    n = 6
    ours = VectorEnv(name, n, autoreset_mode="SameStep", **options)
    observations, infos = ours.reset(seed=40)
    singles = [SingleAgent(name, **options) for _ in range(n)]
    shown = [env.reset(seed=40 + i)[0] for i, env in enumerate(singles)]
    for step in range(60):
        for i in range(n):
            for key, value in shown[i].items():
                np.testing.assert_array_equal(observations[key][i], value)
        assert infos["seat"].tolist() == [env.seat for env in singles] == ours.seats.tolist()
        np.testing.assert_array_equal(ours.action_masks(), np.stack([env.action_masks() for env in singles]))
        actions = [int(np.flatnonzero(one["action_mask"])[step % one["action_mask"].sum()]) for one in shown]
        observations, rewards, terminated, truncated, infos = ours.step(actions)
        for i, env in enumerate(singles):
            shown[i], reward, *ends, _ = env.step(actions[i])
            assert (reward, *ends) == (rewards[i], terminated[i], truncated[i])
            if any(ends):
                shown[i], _ = env.reset()


@every_count
def test_without_a_seed_games_differ_and_go_on_in_their_streams(name, options):
    ours = VectorEnv(name, 8, **options)
    ours.reset()
    seeds = {ours.state(i).seed for i in range(8)}
    assert len(seeds) == 8
    ours.reset()
    assert not seeds & {ours.state(i).seed for i in range(8)}
    ours.reset(seed=5)
    ours.reset()
    theirs = SingleAgent(name, **options)
    theirs.reset(seed=7)
    observation, _ = theirs.reset()
    ours.reset(seed=5)
    np.testing.assert_array_equal(ours.reset()[0]["observation"][2], observation["observation"])
    first = ours.reset(seed=[9, None, *range(6)])[0]["observation"][0]
    np.testing.assert_array_equal(first, theirs.reset(seed=9)[0]["observation"])


@every_count
def test_nothing_handed_out_shares_memory(name, options):
    ours = VectorEnv(name, 3, autoreset_mode="SameStep", **options)
    shown = ours.reset(seed=1)
    kept = []

    def collect(value):
        if isinstance(value, dict):
            for one in value.values():
                collect(one)
        elif isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.dtype == object):
            for one in value:
                collect(one)
        elif isinstance(value, np.ndarray):
            kept.append(value)

    collect(shown)
    for _ in range(12):
        shown = ours.step(shown[0]["action_mask"].argmax(axis=1))
        collect(shown)
    kept.append(ours.seats)
    owners = [array if array.base is None else array.base for array in kept]
    assert len({id(owner) for owner in owners}) == len(kept)
    owners[0][:] = 7  # and writing into it changes nothing
    ours.step(shown[0]["action_mask"].argmax(axis=1))


@every_count
def test_an_opponent_that_fails_changes_no_game(name, options):
    class Cheat(Agent):
        name = "cheat"
        answers = -1

        def act_batch(self, observations, masks, views, keys, memories):
            if isinstance(self.answers, BaseException):
                raise self.answers
            return np.full(len(keys), self.answers) if isinstance(self.answers, int) else self.answers

    game = load(name, **options)
    cheat = Cheat(game)
    ours = VectorEnv(game, 5, opponents=cheat, seat=0, autoreset_mode="SameStep")
    cheat.answers = 0
    with pytest.raises(NotReset):
        ours.step([0] * 5)
    ours._opponents._agents[:] = [load_random(game)]
    observations, _ = ours.reset(seed=1)
    while not (observations["action_mask"].sum(axis=1) > 1).all():
        observations, *_ = ours.step(observations["action_mask"].argmax(axis=1))
    ours._opponents._agents[:] = [cheat]
    before = ours.get_state()
    for answers, error, text in (
        (-1, AgentError, "opponent cheat in seat . of game .: expected a legal action"),
        (10**6, AgentError, "opponent cheat in seat"),
        ([0.5] * 5, AgentError, "opponent cheat: expected . action ids"),
        ([0], AgentError, "opponent cheat: expected . action ids"),
        (None, AgentError, "opponent cheat: expected . action ids"),
        (ZeroDivisionError("oh"), ZeroDivisionError, "oh"),
        (KeyboardInterrupt("now"), KeyboardInterrupt, "now"),
    ):
        cheat.answers = answers
        with pytest.raises(error, match=text):
            ours.step(observations["action_mask"].argmax(axis=1))
        assert_equal(ours.get_state(), before, "state")


def play_on(env):
    """Some games' first steps."""
    for seed in range(20):
        observations, _ = env.reset(seed=seed)
        env.step(observations["action_mask"].argmax(axis=-1))


@pytest.mark.parametrize("answers", [[0.5, 1.2], [True, 0], ["0", 1], [None, 0]])
def test_answers_of_act_are_judged_as_those_of_a_single_environment(answers):
    class Sloppy(Agent):
        uses_view = False

        def act(self, observation, mask, view, key, memory):
            return answers[int(mask[0])]

    class Bare:
        act = Sloppy.act

    game = load("fruit_cocktail")
    for agent in (Sloppy(game), Bare()):
        for env in (SingleAgent(game, opponents=agent, seat=0), VectorEnv(game, 3, opponents=agent, seat=0)):
            with pytest.raises(AgentError, match=r"opponent .*expected"):
                play_on(env)


def test_a_failed_reset_changes_nothing():
    class Fails(Agent):
        fails = False

        def act(self, observation, mask, view, key, memory):
            if self.fails:
                raise ZeroDivisionError
            return int(mask.argmax())

    game = load("fruit_cocktail")
    agent = Fails(game)
    single, vector = SingleAgent(game, opponents=agent), VectorEnv(game, 4, opponents=agent)
    for env in (single, vector):
        agent.fails = False
        env.reset(seed=1)
        before = env.get_state()
        agent.fails = True
        for seed in range(30):
            try:
                env.reset(seed=seed)
            except ZeroDivisionError:
                break
            before = env.get_state()
        assert seed < 29
        assert_equal(env.get_state(), before, "state")


def test_a_failed_step_keeps_who_plays_where():
    class Named(Agent):
        uses_view = fails = False

        def act(self, observation, mask, view, key, memory):
            if self.fails:
                raise ZeroDivisionError
            return int(mask.argmax())

    game = load("fruit_cocktail", num_players=3)
    first = [Named(game), Named(game)]
    pools = [Pool(game, [agent]) for agent in first]
    env = VectorEnv(game, 3, opponents=pools, seat=0, autoreset_mode="SameStep")
    observations, _ = env.reset(seed=2)
    second = [Named(game), Named(game)]
    second[0].fails = True
    for pool, agent in zip(pools, second, strict=True):
        pool.replace([agent])
    before = None
    while not first[0].fails:
        before = env.get_state()
        try:
            observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
        except ZeroDivisionError:
            break
    assert_equal(env.get_state(), before, "state")
    playing = [[env._opponents._agents[number] for number in row] for row in env._opponents.who]
    assert all(row == first for row in playing)


def load_random(game):
    from fruit_envs import make_agent

    return make_agent("random", game)


@every_case
def test_copies_in_the_middle_play_on_identically(name, options):
    ours = VectorEnv(name, 4, **options)
    observations, _ = ours.reset(seed=6)
    for _ in range(5):
        observations, *_ = ours.step(observations["action_mask"].argmax(axis=1))
    restored = VectorEnv(name, 4, **options)
    restored.set_state(pickle.loads(pickle.dumps(ours.get_state())))
    twins = [copy.deepcopy(ours), pickle.loads(pickle.dumps(ours)), restored, ours]

    def trace(env):
        seen, rng = [], np.random.default_rng(1)
        masks = env.action_masks()
        for _ in range(30):
            observed = env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
            masks = observed[0]["action_mask"]
            seen.append(observed)
        return (*seen, env.reset())

    expected, *others = map(trace, twins)
    for other in others:
        assert_equal(other, expected, "trace")


@every_count
def test_registered(name, options):
    title = GAMES[name].title.replace(" ", "")
    ours = gymnasium.make_vec(
        f"fruit/{title}-v0", num_envs=3, opponents="random", render_mode="ansi", autoreset_mode="SameStep", **options
    )
    assert isinstance(ours.unwrapped, VectorEnv)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert ours.spec.to_json()
    observations, _ = ours.reset(seed=3)
    assert ours.observation_space.contains(observations)
    assert ours.observation_space == batch_space(ours.single_observation_space, 3)
    actions = ours.action_space.sample(mask=tuple(observations["action_mask"]))
    observations, *_ = ours.step(actions)
    assert ours.observation_space.contains(observations)
    assert all(isinstance(text, str) for text in ours.render())
    single = gymnasium.make(f"fruit/{title}-v0", **options)
    assert ours.single_observation_space == single.observation_space
    assert ours.single_action_space == single.action_space
    ours.close()


def test_bad_input_changes_nothing():
    ours = VectorEnv("fruit_cocktail", 3, illegal="raise")
    for call in (ours.render, ours.action_masks, ours.get_state, lambda: ours.state(0), lambda: ours.seats):
        with pytest.raises(NotReset, match="reset"):
            call()
    with pytest.raises(NotReset, match="all games"):
        ours.reset(options={"reset_mask": np.array([True, False, False])})
    observations, _ = ours.reset(seed=1)
    actions = observations["action_mask"].argmax(axis=1)
    observations, *_ = ours.step(actions)
    before = ours.get_state()
    legal = observations["action_mask"].argmax(axis=1)
    forbidden = legal.copy()
    forbidden[1] = observations["action_mask"][1].argmin()
    for bad, text in (
        (legal.astype(float), "3 action ids"),
        (legal.astype(bool), "3 action ids"),
        (legal[:2], "3 action ids"),
        (legal[:, None], "3 action ids"),
        (5, "3 action ids"),
        (None, "3 action ids"),
        ("abc", "3 action ids"),
        ([[1], 2, 3], "3 action ids"),
        (np.array([0, 0, 24]), "game 2: expected an action id 0..23"),
        (np.array([-1, 0, 0]), "game 0: expected an action id"),
        (np.array([0, 2**63, 0], np.uint64), "game 1: expected an action id"),
        (forbidden, "game 1: expected a legal action"),
    ):
        with pytest.raises(IllegalAction, match=text):
            ours.step(bad)
        assert_equal(ours.get_state(), before, "state")
    for seed in ("1", -1, 2.0, [1, 2], [1, 2, -3], 2**53 - 1, [None, 1, "2"]):
        with pytest.raises(InvalidOption, match="seed"):
            ours.reset(seed=seed)
    for mask in ([True] * 3, np.ones(3), np.ones(2, bool), np.zeros(3, bool)):
        with pytest.raises(InvalidOption, match="reset_mask"):
            ours.reset(options={"reset_mask": mask})
    with pytest.raises(InvalidOption, match=r"game 0\.\.2"):
        ours.state(3)
    for bad in ({}, None, {**before, "games": before["games"][:2]}, {**before, "ended": before["ended"].astype(int)}):
        with pytest.raises(InvalidBuffer, match="expected"):
            ours.set_state(bad)
    with pytest.raises(InvalidBuffer, match="seats"):
        ours.set_state({**before, "learners": before["learners"] + 2})
    assert_equal(ours.get_state(), before, "state")
    ours.step(legal.astype(np.uint8))
    for kwargs, text in (
        ({"num_envs": 0}, "num_envs"),
        ({"autoreset_mode": "never"}, "autoreset_mode"),
        ({"autoreset_mode": np.array([1, 2])}, "autoreset_mode"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
        ({"observation": "float64"}, "option observation"),
        ({"illegal": np.array([1, 2])}, "option illegal"),
        ({"render_mode": "human"}, "render_mode"),
        ({"seat": 2}, "option seat"),
        ({"illegal": "ignore"}, "option illegal"),
        ({"opponents": "nobody"}, "unknown agent"),
        ({"opponents": ["random", "random"]}, "expected 1 agents"),
        ({"opponents": Pool(load("fruit_cocktail", num_players=3), ["random"])}, "expected a pool of"),
        ({"shape": 3}, "unknown option"),
    ):
        with pytest.raises(InvalidOption, match=text):
            VectorEnv("fruit_cocktail", **kwargs)


def test_a_finished_game_is_not_stepped_when_autoreset_is_disabled():
    ours = VectorEnv("fruit_cocktail", 2, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = ours.reset(seed=1)
    done = np.zeros(2, bool)
    while not done.any():
        observations, _, done, _, _ = ours.step(observations["action_mask"].argmax(axis=1))
    with pytest.raises(InvalidSeat, match="game 0 has ended"):
        ours.step([0, 0])
    np.testing.assert_array_equal(observations["action_mask"][0], [1] + [0] * 23)
    observations, infos = ours.reset(options={"reset_mask": done})
    assert infos["_seat"].tolist() == done.tolist()
    ours.step(observations["action_mask"].argmax(axis=1))


def test_reset_options_reach_every_game():
    singles, ours = SingleAgent("fruit_cocktail"), VectorEnv("fruit_cocktail", 2)
    ours.reset(seed=4, options={"unknown": 1})
    for starter in (0, 1):
        plan = {"starter": starter}
        expected = singles.reset(seed=5, options=plan)[0]["observation"]
        np.testing.assert_array_equal(ours.reset(seed=4, options=plan)[0]["observation"][1], expected)
    with pytest.raises(InvalidOption, match="starter"):
        ours.reset(seed=4, options={"starter": 2})

"""The Gymnasium face: one learner, opponents inside, its reward complete."""

from __future__ import annotations

import copy
import pickle
import random
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from fruit_envs import (
    Agent,
    AgentError,
    IllegalAction,
    InvalidBuffer,
    InvalidOption,
    InvalidSeat,
    NotReset,
    load,
    make_agent,
)
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.declare.catalog import GAMES
from fruit_envs.faces.seats import illegal_reward
from fruit_envs.faces.single_agent import SingleAgent
from support import every_case, every_count, random_states


def choose(mask, rng):
    return int(rng.choice(np.flatnonzero(mask)))


@every_case
def test_the_official_checker_passes(name, options):
    env = SingleAgent(name, **options, render_mode="ansi")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env, skip_render_check=True)
    # The checker compares with a registered spec; an environment made by hand has none.
    assert [
        str(w.message) for w in caught if "not the same as" not in str(w.message) and "spec" not in str(w.message)
    ] == []


@every_case
@pytest.mark.parametrize("seat", [None, 0, "last"], ids=str)
def test_it_is_the_game_with_opponents_played_by_the_engine(name, options, seat):
    """An independent re-play through `State`: same observations, and the opponents' last move is in the reward."""
    game = load(name, **options)
    fixed = game.num_players - 1 if seat == "last" else seat
    env = SingleAgent(game, seat=fixed, opponent_seed=5)
    random_agent = make_agent("random", game)
    rng, seats = random.Random(0), set()
    for seed in range(max(12, 8 * game.num_players if seat is None else 0)):
        observation, info = env.reset(seed=seed)
        learner = info["seat"]
        seats.add(learner)
        assert fixed in (None, learner)
        state, total, done = game.deal(seed), 0.0, False

        def opponents(state=state, learner=learner):
            while not state.over and learner not in state.seats:
                state.apply(state.seat, ask(random_agent, state, state.seat, 5, new_memory(random_agent)))

        opponents()
        while not done:
            np.testing.assert_array_equal(observation["observation"], state.observation(learner))
            np.testing.assert_array_equal(observation["action_mask"], state.legal(learner))
            np.testing.assert_array_equal(info["action_mask"], observation["action_mask"])
            np.testing.assert_array_equal(env.action_masks(), observation["action_mask"].astype(bool))
            action = choose(observation["action_mask"], rng)
            observation, reward, terminated, truncated, info = env.step(action)
            state.apply(learner, action)
            opponents()
            total += reward
            done = terminated or truncated
            assert (terminated, truncated) == (state.over and not state.truncated, state.truncated)
        assert total == pytest.approx(state.returns[learner])
        np.testing.assert_array_equal(observation["observation"], state.observation(learner))
        assert observation["action_mask"].tolist() == [1] + [0] * (game.num_actions - 1), (
            "bit 0 alone is set at the end"
        )
        with pytest.raises(InvalidSeat, match="reset"):
            env.step(0)
    if seat is None:
        assert seats == set(range(game.num_players)), "the learner's seat is drawn each episode"


class Flag:
    """As much of `torch.tensor(True)` as matters: an index."""

    dtype, shape = "torch.bool", ()

    def __index__(self):
        return 1


@every_case
def test_illegal_actions_end_the_episode_or_raise(name, options):
    loss = illegal_reward(load(name, **options))
    for seed in range(20):
        env = SingleAgent(name, **options)
        observation, _ = env.reset(seed=seed)
        forbidden = np.flatnonzero(observation["action_mask"] == 0)
        if not len(forbidden):
            observation, *_ = env.step(choose(observation["action_mask"], random.Random(0)))
            forbidden = np.flatnonzero(observation["action_mask"] == 0)
        before = env._holder.current.tobytes()
        observation, reward, terminated, truncated, info = env.step(np.int64(forbidden[0]))
        assert (terminated, truncated) == (True, False)
        assert info["illegal"] == forbidden[0]
        assert info["illegal_end"] is True
        assert env._earned + reward == pytest.approx(loss)
        assert observation["action_mask"].tolist() == [1] + [0] * (env.game.num_actions - 1)
        assert env._holder.current.tobytes() == before
    strict = SingleAgent(name, **options, illegal="raise")
    observation, _ = strict.reset(seed=1)
    while observation["action_mask"].all():
        observation, *_ = strict.step(0)
    before = strict._holder.current.tobytes()
    with pytest.raises(IllegalAction, match="legal action"):
        strict.step(int(np.flatnonzero(observation["action_mask"] == 0)[0]))
    for bad in (True, np.True_, Flag(), 0.0, "0", None, [0], np.array([0]), -1, 10**6, np.float32(0)):
        for env in (strict, SingleAgent(name, **options)):
            if env is not strict:
                env.reset(seed=1)
            with pytest.raises(IllegalAction, match="expected an action id"):
                env.step(bad)
    assert strict._holder.current.tobytes() == before
    observation, *_ = strict.step(np.array(choose(observation["action_mask"], random.Random(0))))


@every_case
def test_no_legal_game_pays_less_than_an_illegal_action(name, options):
    game = load(name, **options)
    loss = illegal_reward(game)
    assert loss <= -1 / (game.num_players - 1)
    if options.get("reward", "win") == "win":
        assert loss == -1 / (game.num_players - 1)
    assert min(s.returns.min() for s in random_states(game, 60) if s.over) >= loss


@every_count
def test_an_opponent_that_answers_illegally_is_named_and_nothing_changes(name, options):
    class Cheat(Agent):
        name = "cheat"
        uses_view = False

        def act(self, observation, mask, view, key, memory):
            return -1

    env = SingleAgent(name, **options, seat=0)
    env.reset(seed=1)
    env._playing = [Cheat(env.game)] * (env.game.num_players - 1)
    before = env._holder.current.tobytes()
    with pytest.raises(AgentError, match="opponent cheat in seat"):
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert env._holder.current.tobytes() == before
    assert env.action_masks().any()


@every_case
def test_copies_in_the_middle_play_on_identically_resets_included(name, options):
    env = SingleAgent(name, **options)
    observation, _ = env.reset(seed=6)
    if observation["action_mask"].sum() > 1:
        observation, *_ = env.step(choose(observation["action_mask"], random.Random(0)))

    def trace(env, observation, rng):
        seen = []
        for _ in range(3):
            done = env._finished
            while not done:
                observation, reward, terminated, truncated, info = env.step(choose(observation["action_mask"], rng))
                seen.append((observation["observation"].tobytes(), reward, terminated, truncated, info["seat"]))
                done = terminated or truncated
            observation, info = env.reset()
            seen.append((observation["observation"].tobytes(), info["seat"]))
        return seen

    restored = SingleAgent(name, **options)
    restored.set_state(pickle.loads(pickle.dumps(env.get_state())))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), restored]
    traces = [trace(twin, observation, random.Random(2)) for twin in twins]
    assert traces[0] == traces[1] == traces[2] == trace(env, observation, random.Random(2))


@every_count
def test_a_damaged_state_is_refused_before_anything_changes(name, options):
    env, other = SingleAgent(name, **options), SingleAgent(name, **options)
    env.reset(seed=6)
    other.reset(seed=9)
    kept, before = env.get_state(), pickle.dumps(other.get_state())
    idle = [seat for seat in range(env.game.num_players) if seat not in env._holder.current.seats]
    for entry, wrong in (
        ("seat", [-1, env.game.num_players, 10**30, True, 0.0, None, *idle]),
        ("earned", [float("nan"), float("inf"), 0, None]),
        ("finished", [0, None]),
        ("memories", [[], None, [np.zeros(3)] * 9]),
        ("players", [[], None, ["x"] * 9]),
    ):
        for bad in wrong:
            with pytest.raises(InvalidBuffer, match="expected"):
                other.set_state({**kept, entry: bad})
    assert pickle.dumps(other.get_state()) == before
    other.set_state(kept)
    assert pickle.dumps(other.get_state()) == pickle.dumps(kept)


@every_count
def test_registered_and_checked(name, options):
    title = GAMES[name].title.replace(" ", "")
    env = gymnasium.make(f"fruit/{title}-v0", opponents="random", render_mode="ansi", **options)
    check_env(env.unwrapped)
    observation, _ = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    assert isinstance(env.render(), str)
    assert gymnasium.spec(f"fruit/{title}-v0").to_json()
    assert env.get_wrapper_attr("action_masks")().dtype == bool
    twin = pickle.loads(pickle.dumps(env))
    twin.step(int(np.flatnonzero(observation["action_mask"])[0]))


@every_count
def test_observations_of_two_steps_share_no_memory(name, options):
    env = SingleAgent(name, **options)
    observation, info = env.reset(seed=0)
    kept = [(observation["observation"], observation["action_mask"], info["action_mask"])]
    done = False
    while not done:
        observation, _, terminated, truncated, info = env.step(choose(observation["action_mask"], random.Random(1)))
        kept.append((observation["observation"], observation["action_mask"], info["action_mask"]))
        done = terminated or truncated
    arrays = [array for row in kept for array in row]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


@every_count
def test_bad_constructor_arguments(name, options):
    others = options["num_players"] - 1
    for kwargs, text in (
        ({"opponents": "nobody"}, "unknown agent: expected one of"),
        ({"opponents": 3}, r"an object with act\(\)"),
        ({"opponents": ["random"] * (others + 1)}, f"expected {others} agents"),
        ({"seat": 9}, "option seat"),
        ({"illegal": "ignore"}, "option illegal"),
        ({"opponent_seed": -1}, "expected a seed"),
        ({"render_mode": "human"}, "render_mode"),
        ({"colour": 1}, "unknown option"),
    ):
        with pytest.raises(InvalidOption, match=text):
            SingleAgent(name, **{**options, **kwargs})
    with pytest.raises(InvalidOption, match="either a Game or options"):
        SingleAgent(load(name, **options), **options)
    env = SingleAgent(name, **options)
    for call in (lambda: env.step(0), env.action_masks, env.get_state, lambda: env.seat, env.render):
        with pytest.raises(NotReset, match="reset"):
            call()


@every_count
def test_any_object_that_acts_is_an_opponent_and_is_seated_clockwise(name, options):
    asked = []

    class Marked(Agent):
        uses_view = True

        def __init__(self, game, mark):
            super().__init__(game)
            self.mark = mark

        def act(self, observation, mask, view, key, memory):
            asked.append((self.mark, view.viewer))
            return int(np.flatnonzero(mask)[0])

    game = load(name, **options)
    env = SingleAgent(game, opponents=[Marked(game, k) for k in range(1, game.num_players)], seat=1)
    observation, _ = env.reset(seed=2)
    done = False
    while not done:
        observation, _, terminated, truncated, _ = env.step(int(np.flatnonzero(observation["action_mask"])[0]))
        done = terminated or truncated
    assert asked
    assert all(seat == (1 + mark) % game.num_players for mark, seat in asked)

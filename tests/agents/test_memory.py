"""Agents that remember: their memory is kept by whoever runs the game, for each game and seat apart."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from fruit_envs import Agent, AgentError, InvalidBuffer, InvalidOption, Pool, RandomAgent, load, record
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.faces.single_agent import SingleAgent
from fruit_envs.faces.vector import VectorEnv
from support import every_count


class Recaller(RandomAgent):
    """Counts its decisions, and decides by the count and by the sum of all that it has seen."""

    name = "recaller"
    memory_size = 3

    def act(self, observation, mask, view, key, memory):
        assert memory.shape == (3,)
        assert memory.dtype == np.float32
        assert memory[2] == self.memory_size * (memory[0] > 0), "zeros at first, then what was left"
        memory += 1, int(observation.sum()) % 1000, 0
        memory[2] = self.memory_size
        legal = np.flatnonzero(mask)
        return int(legal[int(memory[0] + memory[1]) % len(legal)])

    def act_batch(self, observations, masks, views, keys, memories):
        rows = zip(observations, masks, views, keys, memories, strict=True)
        return np.array([self.act(*row) for row in rows])


class OneByOne(Agent):
    """The same without a batch of its own."""

    memory_size = 3
    act = Recaller.act


def seated(game, who):
    agent, others = (OneByOne if who == "one by one" else Recaller)(game), game.num_players - 1
    return {
        "pool": Pool(game, [agent, "random"]),
        "mixed": (["random", agent] * 3)[:others],
    }.get(who, agent)


@every_count
@pytest.mark.parametrize("who", ["batch", "one by one", "pool", "mixed"])
def test_one_game_and_many_agree(name, options, who):
    game = load(name, **options)
    opponents = seated(game, who)
    singles = SyncVectorEnv([lambda: SingleAgent(game, opponents=opponents)] * 3)
    many = VectorEnv(game, 3, opponents=opponents)
    rng, shown = np.random.default_rng(0), singles.reset(seed=1)[0]
    assert all((many.reset(seed=1)[0][key] == shown[key]).all() for key in shown)
    for _ in range(60):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in shown["action_mask"]])
        shown, rewards, *_ = singles.step(actions)
        ours, ours_rewards, *_ = many.step(actions)
        assert all((ours[key] == shown[key]).all() for key in shown)
        assert (rewards == ours_rewards).all()


def going_on(env, single):
    """What an environment does from here on."""
    rng, seen = np.random.default_rng(0), []
    for _ in range(12):
        mask = env.action_masks()
        choices = [int(rng.choice(np.flatnonzero(row))) for row in np.atleast_2d(mask)]
        shown, reward, ended, *_ = env.step(choices[0] if single else np.array(choices))
        seen += [shown["observation"].tobytes(), np.asarray(reward).tobytes()]
        if single and ended:
            break
    return seen


@pytest.mark.parametrize("single", [True, False], ids=["single", "many"])
@pytest.mark.parametrize("who", ["batch", "pool"])
def test_memory_is_kept_in_copies_and_states(single, who):
    game = load("fruitoplay", num_players=3)

    def make():
        return (
            SingleAgent(game, opponents=seated(game, who))
            if single
            else VectorEnv(game, 4, opponents=seated(game, who))
        )

    env = make()
    env.reset(seed=5)
    going_on(env, single)
    fresh = make()
    fresh.set_state(pickle.loads(pickle.dumps(env.get_state())))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), fresh]
    expected = going_on(env, single)
    for twin in twins:
        assert going_on(twin, single) == expected


@pytest.mark.parametrize("change", ["missing", "shape", "dtype", "kind"])
def test_a_state_with_other_memories_is_refused(change):
    game = load("fruitoplay", num_players=3)
    for env in (SingleAgent(game, opponents=Recaller(game)), VectorEnv(game, 2, opponents=Recaller(game))):
        env.reset(seed=0)
        saved = env.get_state()
        memories = saved["memories"]
        wrong = {
            "missing": memories[:1],
            "shape": [memories[0][:1], memories[1]] if isinstance(memories, list) else memories[:, 0],
            "dtype": [m.astype(int) for m in memories] if isinstance(memories, list) else memories.astype(int),
            "kind": "much",
        }[change]
        before = pickle.dumps(env.get_state())
        with pytest.raises(InvalidBuffer, match="expected"):
            env.set_state({**saved, "memories": wrong})
        assert pickle.dumps(env.get_state()) == before


@pytest.mark.parametrize("single", [True, False], ids=["single", "many"])
def test_who_was_not_there_remembers_nothing(single):
    """A pool that would draw others now: their memory is empty, not what those before left."""
    game = load("fruitoplay", num_players=3)

    class Stranger(Recaller):
        name = "stranger"
        memory_size = 4

        def act(self, observation, mask, view, key, memory):
            assert memory[0] == memory[3], "nothing of another's, whose last place is not the first"
            memory[[0, 3]] += 1
            return int(np.flatnonzero(mask)[0])

    pool = Pool(game, [Recaller(game)])
    env = SingleAgent(game, opponents=pool) if single else VectorEnv(game, 3, opponents=pool)
    env.reset(seed=2)
    going_on(env, single)
    saved = env.get_state()
    pool.replace([Stranger(game)])
    env.set_state(saved)
    going_on(env, single)


def test_states_with_other_players_are_refused():
    game = load("fruitoplay", num_players=3)
    for env in (SingleAgent(game, opponents=Recaller(game)), VectorEnv(game, 2, opponents=Recaller(game))):
        env.reset(seed=0)
        saved, before = env.get_state(), pickle.dumps(env.get_state())
        for wrong in ([], [["a"], ["b", "c"]] * 3, "both", None):
            with pytest.raises(InvalidBuffer, match="expected"):
                env.set_state({**saved, "players": wrong})
        assert pickle.dumps(env.get_state()) == before
    env = VectorEnv(game, 2, opponents=Recaller(game))
    env.reset(seed=0)
    saved = env.get_state()
    with pytest.raises(InvalidBuffer, match="expected memories of 3 numbers, got 2"):
        env.set_state({**saved, "memories": saved["memories"][:, :, :2]})


class Forgetful(Recaller):
    """Fails at its fourth decision, after it has written to its memory."""

    fail = True

    def act(self, observation, mask, view, key, memory):
        action = super().act(observation, mask, view, key, memory)
        return -1 if self.fail and memory[0] == 4 else action


@pytest.mark.parametrize("make", [SingleAgent, lambda game, **more: VectorEnv(game, 2, **more)], ids=["one", "many"])
def test_what_a_failing_agent_wrote_is_undone(make):
    game = load("fruitoplay", num_players=3)
    agent = Forgetful(game)
    env = make(game, opponents=[Recaller(game), agent], seat=0)  # the first has decided when the second fails
    env.reset(seed=0)

    def step():
        choices = np.atleast_2d(env.action_masks()).argmax(axis=1)
        return env.step(int(choices[0]) if isinstance(env, SingleAgent) else choices)

    for _ in range(9):
        kept = pickle.dumps(env.get_state())
        try:
            step()
        except AgentError:
            break
    else:
        pytest.fail("expected the agent to fail")
    assert pickle.dumps(env.get_state()) == kept
    agent.fail = False
    step()


def test_games_of_a_record_begin_without_memory():
    """`Recaller` itself checks that its memory is its own, of this game and seat."""
    game = load("fruitoplay", num_players=3)
    agent = Recaller(game)
    first, again = record(game, [agent] * 3, games=2, seed=4), record(game, [agent] * 3, games=1, seed=5)
    assert first[1]["events"] == again[0]["events"]


def test_memory_is_of_the_size_that_an_agent_says():
    game = load("fruitoplay", num_players=3)
    state = game.deal(0)
    assert new_memory(RandomAgent(game)).shape == (0,)
    agent, memory = Recaller(game), new_memory(Recaller(game))
    ask(agent, state, 0, 0, memory)
    assert memory[0] == 1


@pytest.mark.parametrize("size", [-1, 2.5, True, "3", 2**30])
def test_a_memory_of_no_size_is_refused(size):
    game = load("fruitoplay", num_players=3)
    agent = Recaller(game)
    agent.memory_size = size
    with pytest.raises(InvalidOption, match="memory_size"):
        VectorEnv(game, 2, opponents=agent)
    with pytest.raises(InvalidOption, match="memory_size"):
        SingleAgent(game, opponents=agent).reset()

"""Agents: what compiled choices are handed is checked, and each use of a key is a stream of its own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fruit_envs import Agent, InvalidBuffer, InvalidOption, RandomAgent, load, make_agent, record, register_agent
from fruit_envs.agents.asking import ask, ask_batch, new_memory
from fruit_envs.agents.names import AGENTS
from fruit_envs.faces.single_agent import SingleAgent
from support import NOTHING, nothing

GAME = load("fruit_cocktail", num_players=2)


def test_random_agents_refuse_masks_that_compiled_code_may_not_read():
    agent = make_agent("random", GAME)
    good = GAME.deal(1).legal(GAME.deal(1).seat)
    for bad in (
        good.astype(np.int64),
        good.astype(bool),
        np.repeat(good, 2)[::2],
        good[::-1],
        good[:-1],
        np.zeros_like(good),
        good.tolist(),
        None,
    ):
        for call in (agent.act, agent.policy):
            with pytest.raises(InvalidBuffer, match="expected a C-contiguous int8 mask"):
                call(None, bad, None, 1, NOTHING)
    with pytest.raises(InvalidBuffer, match="expected a C-contiguous int8 mask"):
        agent.act_batch(None, np.ones((5000, 24), np.int8), None, np.zeros(1, np.uint64), nothing(1))
    keys = np.arange(50, dtype=np.uint64)
    rows = agent.act_batch(None, np.repeat(good[None], 50, 0), None, keys, nothing(len(keys)))
    assert rows.tolist() == [agent.act(None, good, None, int(key), NOTHING) for key in keys]


def test_a_world_drawn_from_a_key_says_nothing_of_a_choice_by_it():
    state, agent = GAME.deal(3), RandomAgent(GAME)
    seat = state.seat
    mask = np.zeros(24, np.int8)
    mask[:2] = 1
    table = np.zeros((2, 2))
    worlds = {w.records["tiles"].tobytes(): i for i, (_, w) in enumerate(state.worlds(seat))}
    for key in range(2000):
        table[worlds[state.view(seat, key).records["tiles"].tobytes()], agent.act(None, mask, None, key, NOTHING)] += 1
    assert stats.chi2_contingency(table).pvalue > 1e-6
    futures = {int(state.view(seat, key).records["stream"][0]) for key in range(500)}
    assert len(futures) == 500


class OnlyAct(Agent):
    """Answers with its key, adds one to what it remembers, and spoils what it is shown."""

    memory_size = 2

    def __init__(self, seen):
        self.seen = seen

    def act(self, observation, mask, view, key, memory):
        self.seen.append((observation.base, mask.base))
        observation[:] = 9
        mask[:] = 0
        memory += 1
        return key


class OnlyBatch(Agent):
    """The same, in many games at once."""

    memory_size = 2

    def __init__(self):
        pass

    def act_batch(self, observations, masks, views, keys, memories):
        memories += 1
        return keys.astype(np.int64)


def test_act_and_act_batch_are_made_from_each_other():
    shown = np.zeros((3, 5), np.int8), np.ones((3, 24), np.int8), [None] * 3, np.array([3, 1, 2], np.uint64)
    for agent in (OnlyAct([]), OnlyBatch()):
        memories, one = np.zeros((3, 2), np.float32), new_memory(agent)
        assert ask_batch(agent, *shown, memories).tolist() == [3, 1, 2]
        assert (memories == 1).all()
        assert agent.act(*(given[0].copy() for given in shown[:2]), None, 7, one) == 7
        assert one.tolist() == [1, 1]
        assert agent.policy(*(given[0].copy() for given in shown[:2]), None, 7, one).argmax() == 7
        assert one.tolist() == [1, 1], "what it would do is no decision"
    with pytest.raises(NotImplementedError, match="Agent defines neither act"):
        Agent(GAME).act(shown[0][0], shown[1][0], None, 0, NOTHING)


def test_agents_see_arrays_of_their_own():
    seen = []

    class Curious(RandomAgent):
        def act(self, observation, mask, view, key, memory):
            seen.append((observation.base, mask.base))
            observation[:] = 9
            mask[:] = 0
            return 0

    state = GAME.deal(5)
    for _ in range(3):
        seat = state.seat
        twin = state.copy()  # asking the state itself would take its rows away
        before = twin.observation(seat).tobytes(), twin.legal(seat).tobytes()
        ask(Curious(GAME), state, seat, 0, new_memory(Curious(GAME)))
        assert seen[-1] == (None, None)
        assert (state.observation(seat).tobytes(), state.legal(seat).tobytes()) == before
        state.apply(seat, state.legal_actions(seat)[0])
    agent, masks = make_agent(OnlyAct(seen), GAME), np.ones((3, 24), np.int8)
    agent.act_batch(np.zeros((3, 5), np.int8), masks, [None] * 3, np.zeros(3, np.uint64), nothing(3))
    assert seen[-3:] == [(None, None)] * 3
    assert (masks == 1).all()
    for bad in (-1, 2**64, "x", 1.0):
        with pytest.raises(InvalidOption, match="expected the agent seed"):
            ask(Curious(GAME), state, state.seat, bad, new_memory(Curious(GAME)))


def test_registering_and_making():
    for name, factory in ((3, RandomAgent), ("x", 3)):
        with pytest.raises(InvalidOption, match="expected a name and a function"):
            register_agent(name, factory)
    register_agent("again", RandomAgent)
    try:
        assert isinstance(make_agent("again", GAME), RandomAgent)
    finally:
        del AGENTS["again"]
    for bad in (RandomAgent, 3, None, object()):
        with pytest.raises(InvalidOption, match=r"an object with act\(\)"):
            make_agent(bad, GAME)


class Old:
    """Asked as agents were before all of them had a memory."""

    name = "old"

    def act(self, observation, mask, view, key):
        return int(mask.argmax())


class OldBatch(RandomAgent):
    def act_batch(self, observations, masks, views, keys):
        return masks.argmax(axis=1)


class OldPolicy(RandomAgent):
    def policy(self, observation, mask, view, key):
        return mask / mask.sum()


class NeedsMore(RandomAgent):
    def act(self, observation, mask, view, key, memory, mood):
        return int(mask.argmax())


class TakesAnything:
    """Takes what comes."""

    def act(self, *args):
        return int(args[1].argmax())


@pytest.mark.parametrize("kind", [Old, OldBatch, OldPolicy, NeedsMore])
def test_agents_with_other_arguments_are_refused_before_they_play(kind):
    agent = kind() if kind is Old else kind(GAME)
    register_agent("of somebody", lambda game: agent)
    try:
        for meant in (agent, "of somebody"):
            for use in (make_agent, lambda agent, game: SingleAgent(game, opponents=agent), lambda a, g: record(g, a)):
                with pytest.raises(InvalidOption, match=r"expected (act|act_batch|policy)\(.*memor.*\), got "):
                    use(meant, GAME)
    finally:
        del AGENTS["of somebody"]


def test_agents_that_take_more_play():
    class Optional(RandomAgent):
        def act(self, observation, mask, view, key, memory, mood="good"):
            return int(mask.argmax())

    class Builtin:
        act = max

    (one,), (other,) = (record(GAME, [agent] * 2, seed=3) for agent in (TakesAnything(), Optional(GAME)))
    assert one["events"] == other["events"]
    assert make_agent(Builtin(), GAME).act is max

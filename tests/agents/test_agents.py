"""Agents: what compiled choices are handed is checked, and each use of a key is a stream of its own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fruit_envs import InvalidBuffer, InvalidOption, RandomAgent, load, make_agent, register_agent
from fruit_envs.agents.asking import ask
from fruit_envs.agents.names import AGENTS

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
                call(None, bad, None, 1)
    with pytest.raises(InvalidBuffer, match="expected a C-contiguous int8 mask"):
        agent.act_batch(None, np.ones((5000, 24), np.int8), None, np.zeros(1, np.uint64))
    keys = np.arange(50, dtype=np.uint64)
    rows = agent.act_batch(None, np.repeat(good[None], 50, 0), None, keys)
    assert rows.tolist() == [agent.act(None, good, None, int(key)) for key in keys]


def test_a_world_drawn_from_a_key_says_nothing_of_a_choice_by_it():
    state, agent = GAME.deal(3), RandomAgent(GAME)
    seat = state.seat
    mask = np.zeros(24, np.int8)
    mask[:2] = 1
    table = np.zeros((2, 2))
    worlds = {w.records["tiles"].tobytes(): i for i, (_, w) in enumerate(state.worlds(seat))}
    for key in range(2000):
        table[worlds[state.view(seat, key).records["tiles"].tobytes()], agent.act(None, mask, None, key)] += 1
    assert stats.chi2_contingency(table).pvalue > 1e-6
    futures = {int(state.view(seat, key).records["stream"][0]) for key in range(500)}
    assert len(futures) == 500


def test_agents_see_arrays_of_their_own():
    seen = []

    class Curious(RandomAgent):
        def act(self, observation, mask, view, key):
            seen.append((observation.base, mask.base))
            observation[:] = 9
            mask[:] = 0
            return 0

    state = GAME.deal(5)
    for _ in range(3):
        seat = state.seat
        twin = state.copy()  # asking the state itself would take its rows away
        before = twin.observation(seat).tobytes(), twin.legal(seat).tobytes()
        ask(Curious(GAME), state, seat, 0)
        assert seen[-1] == (None, None)
        assert (state.observation(seat).tobytes(), state.legal(seat).tobytes()) == before
        state.apply(seat, state.legal_actions(seat)[0])
    for bad in (-1, 2**64, "x", 1.0):
        with pytest.raises(InvalidOption, match="expected the agent seed"):
            ask(Curious(GAME), state, state.seat, bad)


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

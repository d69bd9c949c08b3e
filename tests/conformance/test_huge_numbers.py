"""Numbers beyond 64 bits, where compiled code takes 64: refused by type, as the first call of a process too."""

from __future__ import annotations

import copy
import subprocess
import sys

import numpy as np
import pettingzoo
import pytest

import fruit_envs
from fruit_envs import Agent, AgentError, Batch, IllegalAction, InvalidRecord, InvalidSeat, VectorEnv, load
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.single_agent import SingleAgent
from support import every_count

HUGE = (2**31, 2**62, 2**63, 2**64 - 1, 2**64, 10**30, -(2**63) - 1, -(10**30), 10**5000)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("state.apply(0, 10**30)", "IllegalAction"),
        ("state.apply(10**30, 0)", "InvalidSeat"),
        ("state.apply(0, 2**63)", "IllegalAction"),
        ("state.legal(10**30)", "InvalidSeat"),
        ("state.view(10**30, 0)", "InvalidSeat"),
        ("list(state.transitions(0, -10**30))", "IllegalAction"),
    ],
)
def test_as_the_first_call_of_a_process(call, error):
    code = f"from fruit_envs import load; state = load('fruit_cocktail').deal(1); {call}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(f"fruit_envs.base.errors.{error}: expected")


@every_count
def test_states_and_faces(name, options):
    game = load(name, **options)
    state = game.deal(1)
    before = state.tobytes()
    raw, canonical = AEC(game), pettingzoo.make("aec", f"fruit/{name}-v0", **options)
    parallel, strict = Parallel(game, illegal="terminate"), Parallel(game)
    single, vector, batch = SingleAgent(game), VectorEnv(game, 2), Batch(game, 2)
    for env in (raw, canonical, parallel, strict, single, vector):
        env.reset(seed=1)
    batch.reset(1)
    for number in HUGE:
        for call in (
            lambda n: state.apply(state.seat, n),
            lambda n: state.apply(state.seat, n, outcomes={}),
            raw.step,
            canonical.step,
            lambda n: parallel.step(dict.fromkeys(parallel.agents, n)),
            lambda n: strict.step(dict.fromkeys(strict.agents, n)),
            single.step,
            lambda n: vector.step([n, n]),
            lambda n: vector.step(np.array([n, n], object)),
        ):
            with pytest.raises(IllegalAction, match="expected"):
                call(number)
        for call in (
            lambda n: state.apply(n, 0),
            state.legal,
            state.legal_actions,
            state.observation,
            state.information_state,
            state.to_text,
            lambda n: state.view(n, 0),
        ):
            with pytest.raises(InvalidSeat, match="expected a seat"):
                call(number)
    assert state.tobytes() == raw._holder.current.tobytes() == before
    assert not any(canonical.terminations.values())


class Huge(Agent):
    """Answers with one number, alone or in batches."""

    name, uses_view, number = "huge", False, 0

    def act(self, observation, mask, view, key, memory):
        return self.number


class Rows(Huge):
    def act_batch(self, observations, masks, views, keys, memories):
        return [self.number] * len(keys)


def play_on(env):
    for seed in range(20):
        shown = env.reset(seed=seed)[0]
        env.step(shown["action_mask"].argmax(axis=-1))


@every_count
@pytest.mark.parametrize("kind", [Huge, Rows])
def test_opponents_answers(name, options, kind):
    game = load(name, **options)
    agent = kind(game)
    for number in HUGE:
        agent.number = number
        for env in (SingleAgent(game, opponents=agent, seat=0), VectorEnv(game, 3, opponents=agent, seat=0)):
            with pytest.raises(AgentError, match="opponent huge"):
                play_on(env)


def places(value, path=()):
    """Where whole numbers stand in an event."""
    if type(value) is int:
        yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


@every_count
def test_records(name, options):
    (record,) = fruit_envs.record(name, seed=2, **options)
    seen = set()
    for number, event in enumerate(record["events"]):
        for *path, last in places(event):
            kind = (event["event"], *(step for step in (*path, last) if isinstance(step, str)))
            if kind in seen:
                continue
            seen.add(kind)
            for huge in (2**63, 10**30, -(10**30)):
                bad = copy.deepcopy(record)
                inner = bad["events"][number]
                for step in path:
                    inner = inner[step]
                inner[last] = huge
                with pytest.raises(InvalidRecord, match="expected"):
                    fruit_envs.replay(bad)
    for key in ("scores", "returns"):
        with pytest.raises(InvalidRecord, match=key):
            fruit_envs.replay({**record, key: [10**30] * len(record[key])})
    assert len(seen) > 3

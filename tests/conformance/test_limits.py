"""Limits on the length of episodes: a cut truncates, pays as a game that is cut off, and is recorded as such."""

from __future__ import annotations

import copy
import json
import pickle
import random

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics
from test_vector import compare

import fruit_envs
from fruit_envs import InvalidBuffer, InvalidRecord, load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.seats import illegal_reward
from support import every_case, every_count

LIMIT = 4  # windows


def choices(observations, rng):
    return {agent: int(rng.choice(np.flatnonzero(seen["action_mask"]))) for agent, seen in observations.items()}


def so_far(state):
    """What a game that is cut off pays: a draw, or each seat's margin."""
    if state.game.options["reward"] == "win":
        return [0.0] * state.game.num_players
    scores = state.scores.tolist()
    others = [(sum(scores) - own) / (len(scores) - 1) for own in scores]
    scale = state.game.options["margin_scale"]
    return [(own - mean) / scale for own, mean in zip(scores, others, strict=True)]


@every_case
def test_max_cycles_truncates_both_pettingzoo_faces_at_the_same_moment(name, options):
    game, rng, cut = load(name, **options), random.Random(1), 0
    parallel, aec = Parallel(game, max_cycles=LIMIT), AEC(game, max_cycles=LIMIT)
    for seed in range(6):
        observations, _ = parallel.reset(seed=seed)
        aec.reset(seed=seed)
        paid = dict.fromkeys(parallel.agents, 0.0)
        steps = 0
        while parallel.agents:
            agents, actions = list(parallel.agents), choices(observations, rng)
            observations, rewards, terminations, truncations, infos = parallel.step(actions)
            steps += 1
            for agent, action in actions.items():
                paid[agent] += rewards[agent]
                if action != parallel.noop:
                    aec.step(action)
            assert (aec.rewards, aec.terminations, aec.truncations) == (rewards, terminations, truncations)
        state = parallel._holder.current
        if state.over:
            continue
        cut += 1
        assert steps == LIMIT
        assert terminations == dict.fromkeys(agents, False)
        assert truncations == dict.fromkeys(agents, True)
        assert list(paid.values()) == pytest.approx(so_far(state))
        for agent in agents:
            assert not observations[agent]["action_mask"].any()
            assert not infos[agent]["action_mask"].any()
            np.testing.assert_array_equal(observations[agent]["observation"], state.observation(aec._seats[agent]))
        left = []
        while aec.agents:
            left.append(aec.agent_selection)
            shown, _, terminated, truncated, info = aec.last()
            assert (terminated, truncated) == (False, True)
            assert not shown["action_mask"].any()
            assert not info["action_mask"].any()
            aec.step(None)
        assert left == agents
    assert cut or name == "toy_windows"


@every_count
def test_a_cut_is_kept_and_restored_and_forgotten_at_the_next_reset(name, options):
    game, rng = load(name, **options), random.Random(2)
    for face in (Parallel, AEC):
        env = face(game, max_cycles=2)
        env.reset(seed=5)

        def step(env, face=face):
            if face is AEC:
                env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
            else:
                env.step(choices(env._show(env._holder.current)[0], rng))

        while env._holder.cycles < 1:
            step(env)
        kept = pickle.loads(pickle.dumps(env.get_state()))
        twins = [face(game, max_cycles=2), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        twins[0].set_state(kept)
        for twin in twins:
            while not twin._holder.over:
                step(twin)
            assert twin._holder.cut
            ended = twin.get_state()
            fresh = face(game, max_cycles=2)
            fresh.set_state(ended)
            assert str(fresh.get_state()) == str(ended)
            with pytest.raises(InvalidBuffer, match="expected"):
                face(game, max_cycles=1).set_state(ended)
            twin.reset()
            assert not twin._holder.over
            assert twin.agents == twin.possible_agents


@every_case
def test_games_that_are_cut_are_recorded_as_such_and_replayed(name, options):
    for limit in (1, 2, 5, 9):
        (record,) = fruit_envs.record(name, seed=3, max_cycles=limit, **options)
        record = json.loads(json.dumps(record))
        state = fruit_envs.replay(record)
        if state.over:
            continue
        assert record["events"][-1] == {"event": "cut"}
        assert record["returns"] == pytest.approx(so_far(state))
        wrong = copy.deepcopy(record)
        wrong["returns"][0] += 0.5
        with pytest.raises(InvalidRecord, match="returns"):
            fruit_envs.replay(wrong)
        for events in (record["events"][:-1], [*record["events"], {"event": "cut"}], [{"event": "cut"}]):
            with pytest.raises(InvalidRecord, match="expected"):
                fruit_envs.replay({**record, "events": events})
    (whole,) = fruit_envs.record(name, seed=3, **options)
    with pytest.raises(InvalidRecord, match="expected the end, got a cut"):
        fruit_envs.replay({**whole, "events": [*whole["events"], {"event": "cut"}]})
    assert fruit_envs.record(name, seed=3, max_cycles=10**6, **options) == [whole]


@every_count
@pytest.mark.parametrize("mode", tuple(AutoresetMode), ids=lambda mode: mode.value)
def test_max_episode_steps_is_gymnasium_s_time_limit(name, options, mode):
    title = GAMES[name].title.replace(" ", "")
    for limit in (1, 3):
        keywords = {"max_episode_steps": limit, **options, "reward": "margin", "opponent_seed": 4}
        ours = gymnasium.make_vec(f"fruit/{title}-v0", 3, autoreset_mode=mode.value, **keywords)
        theirs = SyncVectorEnv(
            [lambda keywords=keywords: gymnasium.make(f"fruit/{title}-v0", **keywords)] * 3, autoreset_mode=mode
        )
        compare(theirs, ours, mode, 12, sins=0.1)


@every_count
def test_an_illegal_end_shows_in_episode_statistics(name, options):
    title = GAMES[name].title.replace(" ", "")
    loss = illegal_reward(load(name, **options))
    single = RecordEpisodeStatistics(gymnasium.make(f"fruit/{title}-v0", **options))
    vector = RecordVectorStatistics(gymnasium.make_vec(f"fruit/{title}-v0", 2, autoreset_mode="SameStep", **options))
    observation, info = single.reset(seed=1)
    length = 0
    while not info["illegal_end"]:
        mask = observation["action_mask"]
        observation, reward, terminated, truncated, info = single.step(int(mask.argmin()))
        length += 1
        if (terminated or truncated) and not info["illegal_end"]:
            observation, info = single.reset()
            length = 0
    assert (reward, terminated, truncated) == (pytest.approx(loss), True, False)
    assert (info["episode"]["r"], info["episode"]["l"]) == (pytest.approx(loss), length)
    observations, infos = vector.reset(seed=1)
    assert not infos["illegal_end"].any()
    for _ in range(50):
        observations, _, terminated, _, infos = vector.step(observations["action_mask"].argmin(axis=1))
        if terminated.any() and infos["final_info"]["illegal_end"].any():
            break
    i = int(infos["final_info"]["illegal_end"].argmax())
    assert infos["episode"]["r"][i] == pytest.approx(loss)
    assert not infos["illegal_end"][i], "the next episode has begun"

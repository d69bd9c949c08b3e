"""The batch engine plays, game by game, what single games play; and checks what it is handed."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import random
import threading
import warnings

import numpy as np
import pytest

from fruit_envs import Batch, IllegalAction, InvalidBuffer, InvalidOption, NotReset, VectorEnv, load
from fruit_envs.faces import batch as batch_module
from fruit_envs.faces.aec import AEC
from support import every_case, every_count


def follow(batch, env, index, actions, rewards):
    """Step one AEC environment as game `index` of the batch was, and compare all that both show."""
    env.step(int(actions[index]))
    over = any(env.terminations.values()) or any(env.truncations.values())
    assert abs(np.array(list(env.rewards.values())) - rewards[index]).max() < 1e-12
    assert batch.over[index] == (2 if any(env.truncations.values()) else int(over))
    if over:
        env.reset()
    observation = env.last()[0]
    assert env.agent_selection == f"player_{batch.seats[index]}"
    assert observation["observation"].tobytes() == batch.observations[index].tobytes()
    assert observation["action_mask"].tobytes() == batch.masks[index].tobytes()


@every_case
@pytest.mark.parametrize("num_envs", [1, 7])
def test_a_batch_equals_single_games_through_autoresets(name, options, num_envs):
    game = load(name, **options)
    batch = Batch(game, num_envs)
    batch.reset(seed=40)
    envs = [AEC(game) for _ in range(num_envs)]
    for i, env in enumerate(envs):
        env.reset(seed=40 + i)
    ended, steps = np.zeros(num_envs, int), 0
    while steps < 60 or not ended.all():
        actions = batch.sample().copy()
        batch.step(actions)
        ended += batch.over > 0
        steps += 1
        for i, env in enumerate(envs):
            follow(batch, env, i, actions, batch.rewards)


@every_count
def test_a_batch_of_a_thousand_equals_single_games(name, options):
    game = load(name, **options)
    batch = Batch(game, 1000)
    batch.reset(seed=0)
    envs = [AEC(game) for _ in range(1000)]
    for i, env in enumerate(envs):
        env.reset(seed=i)
    for _ in range(40):
        actions = batch.sample().copy()
        assert batch.masks[np.arange(1000), actions].all()
        batch.step(actions)
        for i, env in enumerate(envs):
            follow(batch, env, i, actions, batch.rewards)


@every_count
def test_samples_are_uniform_over_the_legal_actions(name, options):
    from scipy import stats

    batch = Batch(name, 4000, **options)
    batch.reset(seed=[7] * 4000)
    legal = np.flatnonzero(batch.masks[0])
    counts = sum(np.bincount(batch.sample(), minlength=batch.game.num_actions) for _ in range(5))
    assert counts[batch.masks[0] == 0].sum() == 0
    assert stats.chisquare(counts[legal]).pvalue > 1e-6
    assert len({batch.sample().tobytes() for _ in range(5)}) == 5


@every_count
def test_wrong_buffers_are_refused_and_nothing_changes(name, options):
    batch = Batch(name, 5, **options)
    for call in (batch.sample, lambda: batch.step(np.zeros(5, np.int64)), lambda: batch.state(0)):
        with pytest.raises(NotReset, match="reset"):
            call()
    batch.reset(seed=1)
    before = batch._rows.records.tobytes()
    good = batch.sample()
    for bad in (
        good.astype(float),
        good[:4],
        good.tolist(),
        good[:, None],
        None,
        good.astype(bool),
    ):
        with pytest.raises(InvalidBuffer, match="expected actions as an integer array"):
            batch.step(bad)
    for action in (-1, batch.game.num_actions, 2**40, -(2**62)):
        wrong = good.copy()
        wrong[3] = action
        with pytest.raises(IllegalAction, match="game 3: expected a legal action"):
            batch.step(wrong)
    assert batch._rows.records.tobytes() == before
    with pytest.raises(InvalidOption, match="expected a game"):
        batch.state(5)
    for kwargs in ({"num_envs": 0}, {"num_envs": 2.0}, {"num_envs": True}, {"num_envs": 2, "threads": 0}):
        with pytest.raises(InvalidOption, match="expected a whole number"):
            Batch(name, **kwargs, **options)


@every_count
def test_actions_of_any_integer_dtype_and_order_are_taken(name, options):
    plain, other = Batch(name, 5, **options), Batch(name, 5, **options)
    plain.reset(seed=1)
    other.reset(seed=1)
    kinds = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.uint64, ">i8", np.int64]
    kinds = [kind for kind in kinds if np.iinfo(kind).max >= plain.game.num_actions]
    for step in range(24):
        actions = plain.sample().copy()
        given = actions.astype(kinds[step % len(kinds)])
        if step % 3 == 0:
            given = np.repeat(given, 2)[::2]
        plain.step(actions)
        other.step(given)
        np.testing.assert_array_equal(other.observations, plain.observations)
        assert other._rows.records.tobytes() == plain._rows.records.tobytes()
    before = plain._rows.records.tobytes()
    for huge in (2**63, 2**64 - 1):
        wrong = plain.sample().astype(np.uint64)
        wrong[2] = huge
        with pytest.raises(IllegalAction, match=f"game 2: expected a legal action.*{huge}"):
            plain.step(wrong)
    assert plain._rows.records.tobytes() == before


def test_int64_in_c_order_is_not_copied(monkeypatch):
    batch = Batch("fruit_cocktail", 4)
    batch.reset(seed=1)
    actions, given = batch.sample(), []
    monkeypatch.setattr(batch_module.loops, "step_batch", lambda *arguments: given.append(arguments[3]))
    batch.step(actions)
    assert given[0] is actions


@every_count
def test_threads_change_nothing(name, options, monkeypatch):
    monkeypatch.setattr(batch_module, "_MIN_PARALLEL", 2)
    serial, parallel = (Batch(name, 300, threads=t, **options) for t in (1, 2))
    for batch in (serial, parallel):
        batch.reset(seed=3)
    for _ in range(40):
        actions = serial.sample().copy()
        serial.step(actions)
        parallel.step(actions)
        assert parallel._rows.records.tobytes() == serial._rows.records.tobytes()
        np.testing.assert_array_equal(parallel.observations, serial.observations)
        np.testing.assert_array_equal(parallel.rewards, serial.rewards)


def many_threads():
    """The bytes that a batch on two threads comes to; a function of the module, for spawned processes."""
    batch_module._MIN_PARALLEL = 2
    batch = Batch("fruit_cocktail", 64, threads=2)
    batch.reset(seed=1)
    for _ in range(60):
        batch.step(batch.sample())
    return batch._rows.records.tobytes()


def many_learners():
    """The bytes that a vector environment comes to."""
    env = VectorEnv("fruit_cocktail", 64, autoreset_mode="SameStep")
    observations, _ = env.reset(seed=1)
    for _ in range(60):
        observations, *_ = env.step(observations["action_mask"].argmax(axis=1))
    return env._rows.records.tobytes()


@pytest.mark.parametrize("play", [many_threads, many_learners])
def test_two_python_threads_a_forked_and_a_spawned_child_can_step(play, monkeypatch):
    monkeypatch.setattr(batch_module, "_MIN_PARALLEL", 2)
    results: dict[int, bytes] = {}
    workers = [threading.Thread(target=lambda key=key: results.update({key: play()})) for key in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results[0] == results[1]
    for method in ("fork", "spawn"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # forking a process with threads
            with multiprocessing.get_context(method).Pool(1) as pool:
                assert pool.apply_async(play).get(timeout=120) == results[0], method


@every_count
def test_the_state_of_a_game_can_be_taken_out(name, options):
    batch = Batch(name, 4, **options)
    batch.reset(seed=9)
    rng = random.Random(0)
    for _ in range(3):
        batch.step(batch.sample())
    state = batch.state(2)
    assert state.seat == batch.seats[2]
    np.testing.assert_array_equal(state.observation(state.seat), batch.observations[2])
    kept = batch._rows.records.tobytes()
    state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
    assert batch._rows.records.tobytes() == kept


@every_count
def test_copies_play_on_identically_and_apart(name, options):
    batch = Batch(name, 6, **options)
    batch.reset(seed=2)
    for _ in range(7):
        batch.step(batch.sample())
    twins = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    script = []
    for _ in range(60):
        script.append(batch.sample().copy())
        batch.step(script[-1])
    for twin in twins:
        for actions in script:
            np.testing.assert_array_equal(twin.sample(), actions)
            twin.step(actions)
        assert twin._memory.tobytes() == batch._memory.tobytes()
        assert twin.state(0).tobytes() == batch.state(0).tobytes()
        twin.reset(seed=9)
        fresh = Batch(name, 6, **options)
        fresh.reset(seed=9)
        np.testing.assert_array_equal(twin.observations, fresh.observations)


@every_count
def test_writing_into_what_a_batch_shows_changes_nothing(name, options):
    one, other = Batch(name, 5, **options), Batch(name, 5, **options)
    for batch in (one, other):
        batch.reset(seed=4)
    for _ in range(40):
        one.masks[:], one.seats[:], one.rewards[:], one.over[:], one.observations[:] = 1, 10**6, 7, 3, 5
        illegal = np.flatnonzero(other.masks[0] == 0)
        if len(illegal):
            wrong = other.sample().copy()
            wrong[0] = illegal[0]
            with pytest.raises(IllegalAction, match="game 0"):
                one.step(wrong)
            one.sample()  # both have drawn once
        else:
            one.sample()
            other.sample()
        actions = other.sample().copy()
        np.testing.assert_array_equal(one.sample(), actions)
        for batch in (one, other):
            batch.step(actions)
        assert one._memory.tobytes() == other._memory.tobytes()
        for shown in ("observations", "masks", "seats", "rewards", "over"):
            np.testing.assert_array_equal(getattr(one, shown), getattr(other, shown))
            with pytest.raises(AttributeError):
                setattr(one, shown, None)

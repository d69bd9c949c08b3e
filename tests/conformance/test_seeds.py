"""Seeds, streams and options: what a seed fixes, what goes on by itself, what never changes."""

from __future__ import annotations

import copy
import pickle
from itertools import islice

import numpy as np
import pytest

from fruit_envs import Batch, Game, InvalidBuffer, InvalidOption, State, load, record
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.faces.single_agent import SingleAgent
from support import every_case, every_count, random_states

FACES = [AEC, Parallel, SingleAgent]


@every_case
def test_different_seeds_give_different_deals_and_equal_seeds_equal_ones(name, options):
    game = load(name, **options)
    deals = [game.deal(seed).reveal().tobytes() for seed in range(60)]
    assert len(set(deals)) > 50
    assert deals == [game.deal(seed).reveal().tobytes() for seed in range(60)]


@every_count
@pytest.mark.parametrize("face", FACES)
def test_reset_without_a_seed_goes_on_in_the_stream_whatever_was_played(name, options, face):
    a, b = face(load(name, **options)), face(load(name, **options))
    a.reset(seed=5)
    b.reset(seed=5)
    step = b.step
    if face is AEC:
        step(int(np.flatnonzero(b.last()[0]["action_mask"])[-1]))
    seeds = []
    for _ in range(4):
        a.reset()
        b.reset()
        assert a._holder.current.seed == b._holder.current.seed
        seeds.append(a._holder.current.seed)
    assert len(set(seeds)) == 4
    assert all(0 <= seed < 2**53 for seed in seeds)
    a.reset(seed=5)
    assert a._holder.current.seed == 5


@every_count
@pytest.mark.parametrize("face", FACES)
def test_the_first_reset_without_a_seed_draws_from_the_system(name, options, face):
    seeds = set()
    for _ in range(5):
        env = face(load(name, **options))
        env.reset()
        seeds.add(env._holder.current.seed)
    assert len(seeds) == 5


@every_count
@pytest.mark.parametrize("seed", [-1, 2**53, 1.5, "7", True, [1]], ids=str)
def test_bad_seeds_are_refused(name, options, seed):
    game = load(name, **options)
    with pytest.raises(InvalidOption, match="expected a seed"):
        game.deal(seed)
    for face in FACES:
        env = face(game)
        env.reset(seed=1)
        with pytest.raises(InvalidOption, match="expected a seed"):
            env.reset(seed=seed)
        assert env._holder.current.seed == 1
    assert game.deal(np.int64(7)).seed == 7
    assert game.deal(2**53 - 1).seed == 2**53 - 1


@every_case
def test_options_survive_reset_copy_and_pickle(name, options):
    game = load(name, **options)
    for twin in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert dict(twin.options) == dict(game.options)
        assert twin.rules.tobytes() == game.rules.tobytes()
    env = AEC(game)
    for seed in (1, None, 2):
        env.reset(seed=seed, options={"unknown": 1})
        assert dict(env.game.options) == dict(game.options)
    state = game.deal(4)
    for twin in (state.copy(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert twin.tobytes() == state.tobytes()
        twin.apply(twin.seat, twin.legal_actions(twin.seat)[0])
        assert twin.tobytes() != state.tobytes()
        assert state.decisions == 0
    assert State.frombytes(game, state.tobytes()).tobytes() == state.tobytes()
    with pytest.raises(ValueError, match="bytes of a"):
        State.frombytes(game, b"short")
    if options.get("memory") != "tabletop":
        view = state.view(1, 9)
        for twin in (view.copy(), copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
            assert twin.viewer == 1
            assert twin.to_text() == view.to_text()


@every_case
def test_unknown_and_impossible_options_are_refused(name, options):
    with pytest.raises(InvalidOption, match=r"unknown option 'colour' for .*: expected one of"):
        load(name, **options, colour="red")
    for bad in (1, 99, 2.0, True, "2", None):
        with pytest.raises(InvalidOption, match="option num_players: expected"):
            load(name, **{**options, "num_players": bad})
    for bad in (0, -1, float("inf"), float("nan"), "1", True):
        with pytest.raises(InvalidOption, match="option margin_scale: expected"):
            load(name, **{**options, "margin_scale": bad})
    for option, bad in (("memory", "none"), ("reward", "WIN"), ("reward_timing", 1), ("reward", True)):
        with pytest.raises(InvalidOption, match=f"option {option}: expected one of"):
            load(name, **{**options, option: bad})
    with pytest.raises(InvalidOption, match="unknown game: expected one of"):
        load(name + "x")
    with pytest.raises(InvalidOption, match="rules record"):
        Game(name, rules=np.zeros(3))
    for render_mode in ("human", "rgb_array", 1):
        with pytest.raises(InvalidOption, match="render_mode"):
            AEC(load(name, **options), render_mode)


@every_case
def test_a_search_on_copies_never_moves_the_stream(name, options):
    game = load(name, **options)
    plain = [state.tobytes() for state in random_states(game, 3, seed=2)]
    searched = []
    for state in random_states(game, 3, seed=2):
        searched.append(state.tobytes())
        if not state.over:
            # Where a round is dealt anew there is no end of them.
            for _, child in islice(state.transitions(state.seat, state.legal_actions(state.seat)[0]), 20):
                child.copy().reveal()
            if options.get("memory") != "tabletop":
                state.view(state.seat, 3)
    assert plain == searched


@every_count
def test_batch_seeds(name, options):
    batch = Batch(name, 3, **options)
    batch.reset(seed=[5, 5, 9])
    assert batch.state(0).tobytes() == batch.state(1).tobytes() != batch.state(2).tobytes()
    batch.reset()
    again = [batch.state(i).seed for i in range(3)]
    batch.reset(seed=[5, 5, 9])
    batch.reset()
    assert again == [batch.state(i).seed for i in range(3)]
    for bad in ([1, 2], [1, 2, -3], 2**53 - 1, "1", 1.0):
        with pytest.raises(InvalidOption, match="expected"):
            batch.reset(seed=bad)
    fresh = Batch(name, 3, **options)
    fresh.reset()
    assert len({fresh.state(i).reveal().tobytes() for i in range(3)}) == 3, "games differ without any seed"


@every_case
def test_bytes_that_are_no_state_of_these_rules_are_refused(name, options):
    game = load(name, **options)
    good = game.deal(1).tobytes()
    other = load(name, **{**options, "num_players": 3 if options["num_players"] == 2 else 2})
    bad = [
        b"",
        good[:-1],
        good + b"x",
        bytes(len(good)),
        good[:20] + b"A" + good[21:],
        other.deal(1).tobytes(),
        None,
        7,
    ]
    for data in bad:
        with pytest.raises(InvalidBuffer, match="expected the"):
            State.frombytes(game, data)
    for face in FACES:
        env = face(game)
        env.reset(seed=3)
        kept = env.get_state()
        for broken in (
            None,
            {},
            [],
            {k: v for k, v in kept.items() if k != "game"},
            {**kept, "more": 1},
            *({**kept, "game": data} for data in bad),
            *({**kept, k: object()} for k in kept if k != "game"),
        ):
            with pytest.raises(InvalidBuffer, match="expected"):
                env.set_state(broken)
            assert env.get_state()["game"] == kept["game"]
        env.set_state(kept)


@every_case
def test_keys_and_reset_options_of_the_wrong_kind_are_refused(name, options):
    game = load(name, **options)
    state = game.deal(1)
    if options.get("memory") != "tabletop":
        assert state.view(0, np.int64(5)).tobytes() == state.view(0, 5).tobytes()
        for key in (-1, 2**64, 1.5, None, True, "1", 10**5000):
            for call in (state.view, state.worlds):
                with pytest.raises(InvalidOption, match="expected the key"):
                    call(0, key)
    for face in FACES:
        env = face(game)
        for bad in ("abc", [1], 5):
            with pytest.raises(InvalidOption, match="reset options: expected a mapping"):
                env.reset(seed=1, options=bad)
    for huge in (10**5000, -(10**5000)):
        for call in (game.deal, lambda h: load(name, **{**options, "num_players": h}), lambda h: Batch(game, h)):
            with pytest.raises(InvalidOption, match="expected"):
                call(huge)


@every_count
def test_impossible_outcomes_are_refused(name, options):
    game = load(name, **options)
    kind, index, bound = next(iter(draws_of(game)))
    for bad in ({(kind, index): bound}, {(kind, index): -1}, {(kind, index): "x"}, {1: 2}, {(kind, index): 2**70}, 5):
        with pytest.raises(InvalidOption, match="outcomes: expected"):
            game.deal(1, outcomes=bad)
    assert game.deal(1, outcomes={(kind, index): bound - 1}).seed == 1


def draws_of(game):
    draws = []
    State.dealt(game, 1, {}, draws)
    return [draw for draw in draws if draw[2] > 1]


@every_count
def test_rules_made_by_hand_are_checked(name, options):
    game = load(name, **options)
    with pytest.raises(ValueError, match=r"WRITEABLE|read-only"):
        game.rules.flags.writeable = True
    bad = game.rules.copy()
    bad["num_players"] = 200
    with pytest.raises(InvalidOption, match="expected"):
        Game(name, rules=bad)
    custom = Game(name, rules=game.rules.copy())
    assert custom.deal(3).reveal().tobytes() == game.deal(3).reveal().tobytes()
    assert {k: custom.options[k] for k in custom.options} == {k: game.options[k] for k in custom.options}
    assert pickle.loads(pickle.dumps(custom)).rules.tobytes() == custom.rules.tobytes()
    with pytest.raises(InvalidOption, match="made from options"):
        record(custom)
    with pytest.raises(InvalidOption, match="unknown option 'rules'"):
        load(name, rules=None)

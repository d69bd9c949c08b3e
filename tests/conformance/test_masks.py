"""Masks: what is marked is exactly what the rules accept, in every state of random play."""

from __future__ import annotations

import numpy as np
import pytest

from fruit_envs import IllegalAction, InvalidSeat, load
from fruit_envs.engine import loops
from fruit_envs.engine.kernels import SCORES, SHARES
from support import every_case, random_states, some_states


@every_case
def test_a_bit_is_set_exactly_where_a_copy_accepts_the_action(name, options):
    game = load(name, **options)
    for state in some_states(game, max(30, 50_000 // game.num_actions)):
        for seat in range(game.num_players):
            mask = state.legal(seat)
            assert mask.dtype == np.int8
            assert mask.shape == (game.num_actions,)
            assert mask.flags.c_contiguous
            assert set(np.unique(mask)) <= {0, 1}
            assert mask.any() == (seat in state.seats), "a seat that must act has an action, others have none"
            before, untouched = state.tobytes(), state.copy()
            for action in range(game.num_actions):
                if mask[action]:
                    copy = state.copy()
                    copy.apply(seat, action)
                    assert copy.decisions == state.decisions + 1
                else:
                    with pytest.raises(IllegalAction if seat in state.seats else InvalidSeat):
                        untouched.apply(seat, action)
            assert untouched.tobytes() == before, "a refused action changes nothing"


@every_case
def test_the_mask_at_the_deal_comes_from_the_same_rules_as_later_ones(name, options):
    game = load(name, **options)
    for seed in range(50):
        state = game.deal(seed)
        again = state.copy()
        for seat in range(game.num_players):
            np.testing.assert_array_equal(state.legal(seat), again.legal(seat))


@every_case
def test_every_action_has_a_name_and_every_name_an_action(name, options):
    game = load(name, **options)
    assert len(set(game.action_names)) == game.num_actions
    for action, text in enumerate(game.action_names):
        assert game.action_id(text) == action
    with pytest.raises(IllegalAction, match="name of an action"):
        game.action_id("peel a melon")


MALFORMED = [True, False, 1.0, "1", None, [1], np.array([1]), np.float64(1), np.bool_(True), -1, 10**6, {}, 2**70]


@every_case
def test_malformed_actions_are_refused_and_change_nothing(name, options):
    state = load(name, **options).deal(3)
    before = state.tobytes()
    for action in MALFORMED:
        with pytest.raises(IllegalAction, match="expected"):
            state.apply(state.seat, action)
        assert state.tobytes() == before


@every_case
def test_numpy_integers_and_0d_arrays_are_actions(name, options):
    game = load(name, **options)
    smallest = np.min_scalar_type(-1 - game.num_actions).type
    for cast in (smallest, np.int64, np.uint16, lambda a: np.array(a), lambda a: np.array(a, np.int32)):
        state = game.deal(3)
        state.apply(np.int64(state.seat), cast(state.legal_actions(state.seat)[0]))
        assert state.decisions == 1


@every_case
def test_seats_that_do_not_exist_are_refused(name, options):
    state = load(name, **options).deal(3)
    for seat in (-1, 9, "0", None, 0.0, True, np.array([0])):
        calls = [state.legal, state.observation, state.information_state, state.worlds]
        for call in (*calls, lambda s: state.apply(s, 0), lambda s: state.view(s, 0)):
            with pytest.raises(InvalidSeat, match="expected a seat"):
                call(seat)


@every_case
def test_nothing_can_be_done_after_the_end(name, options):
    game = load(name, **options)
    state = list(random_states(game, 1))[-1]
    assert state.over
    assert state.seats == ()
    assert state.seat == -1
    with pytest.raises(InvalidSeat, match="game is over"):
        state.apply(0, 0)
    for show in (state.legal, state.observation):
        with pytest.raises(InvalidSeat, match="expected a seat"):
            show(state.seat)


@every_case
def test_a_refused_action_leaves_mask_and_observation_as_they_are(name, options):
    game = load(name, **options)
    for number, state in enumerate(random_states(game, 6)):
        if state.over:
            continue
        seat, twin = state.seat, state.copy()
        expected = twin.legal(seat).tobytes(), twin.observation(seat).tobytes()
        refused = (-1, game.num_actions, 2**70, *np.flatnonzero(twin.legal(seat) == 0)[:1].tolist())
        with pytest.raises(IllegalAction):
            state.apply(seat, refused[number % len(refused)])
        shown = state.legal(seat), state.observation(seat)
        assert (shown[0].tobytes(), shown[1].tobytes()) == expected
        for array in shown:
            array[:] = 77  # what was handed out is the caller's
        assert (state.legal(seat).tobytes(), state.observation(seat).tobytes()) == expected


@every_case
def test_kernels_write_exactly_their_rows(name, options):
    """Rows are pointers without a length: nothing but these guards would notice a write beside one."""
    game = load(name, **options)
    n, guard = game.num_players, 64
    table = game.scoring
    assert game.revealing is table
    for state in random_states(game, 3):
        for which, size, dtype in (
            ("legal", game.num_actions, np.int8),
            ("observation", game.layout.size, game.layout.dtype),
            ("hidden", game.hidden_layout.size, game.layout.dtype),
            (SCORES, n, np.float64),
            (SHARES, n, np.float64),
        ):
            wide = np.full(size + 2 * guard, 99, dtype)
            row = wide[guard : guard + size]
            arguments = (table, state._memory)
            if which == "legal":
                loops.one_legal(*arguments, 0, row)
            elif which == "observation":
                loops.one_observation(*arguments, 0, row)
            elif which == "hidden":
                loops.one_reveal(*arguments, np.zeros((0, game.layout.size), dtype), row)
            else:
                loops.one_row(*arguments, which, row)
            assert (wide[:guard] == 99).all()
            assert (wide[guard + size :] == 99).all()
            assert (row != 99).all()

"""Masks: what is marked is exactly what the rules accept, in every state of random play."""

from __future__ import annotations

import numpy as np
import pytest

from fruit_envs import IllegalAction, InvalidSeat, load
from support import every_case, random_states


@every_case
def test_a_bit_is_set_exactly_where_a_copy_accepts_the_action(name, options):
    game = load(name, **options)
    for state in random_states(game, 12):
        for seat in range(game.num_players):
            mask = state.legal(seat)
            assert mask.dtype == np.int8
            assert mask.shape == (game.num_actions,)
            assert mask.flags.c_contiguous
            assert set(np.unique(mask)) <= {0, 1}
            assert mask.any() == (seat in state.seats), "a seat that must act has an action, others have none"
            for action in range(game.num_actions):
                copy = state.copy()
                before = copy.tobytes()
                if mask[action]:
                    copy.apply(seat, action)
                    assert copy.decisions == state.decisions + 1
                else:
                    with pytest.raises(IllegalAction if seat in state.seats else InvalidSeat):
                        copy.apply(seat, action)
                    assert copy.tobytes() == before, "a refused action changes nothing"


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
    for cast in (np.int8, np.int64, np.uint16, lambda a: np.array(a), lambda a: np.array(a, np.int32)):
        state = game.deal(3)
        state.apply(np.int64(state.seat), cast(state.legal_actions(state.seat)[0]))
        assert state.decisions == 1


@every_case
def test_seats_that_do_not_exist_are_refused(name, options):
    state = load(name, **options).deal(3)
    for seat in (-1, 9, "0", None, 0.0, True, np.array([0])):
        for call in (state.legal, state.observation, state.key, state.worlds, lambda s: state.apply(s, 0)):
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

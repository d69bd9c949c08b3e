"""Compiled loops over games of any kind. They see the header and the contract's addresses, never a rule.

A state comes as its memory (see `contract.memory_of`); the callers in `state` and `batch` own all arrays and check
everything that a user hands in before a loop sees it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from fruit_envs.declare.header import MAX_SEATS, RUNNING
from fruit_envs.engine.bits import lowest_bit
from fruit_envs.engine.chance import CHOICE, FUTURE, REDRAW, draw, mix, one_way, stream_of, stream_of_key
from fruit_envs.engine.header import count_decision, seed_of, set_chance, set_running, status_of, uncount_decision
from fruit_envs.engine.jit import call, helper, loop, parallel_loop, wrapping
from fruit_envs.engine.kernels import APPLY, DEAL, LEGAL, OBSERVE, REDEAL, RULES, SCORES, SHARES
from fruit_envs.engine.masks import pack, pick_bit

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_S11 = np.uint64(11)

#: Answers of `advance` when nothing was done.
NOT_ASKED, ILLEGAL = -1, -2


@wrapping
def next_seed(seed: Any) -> Any:
    """The seed of the episode after the one with this seed; below 2^53, as every episode seed."""
    return mix(stream_of(seed)) >> _S11


@wrapping
def _next_key(key: Any) -> Any:
    """The step of splitmix64's counter."""
    return key + _GAMMA


@helper
def start(functions: Any, rules: Any, state: Any, seed: Any) -> None:
    """Begin the episode of this seed."""
    set_chance(state, seed, stream_of(np.uint64(seed)))
    set_running(state)
    call(functions[DEAL], (rules, state))


@helper
def decide(functions: Any, rules: Any, state: Any, seat: Any, action: Any) -> Any:
    """One legal decision, counted; returns pending + 65536 * over."""
    count_decision(state)
    call(functions[APPLY], (rules, state, np.int64(seat), np.int64(action)))
    return status_of(state)


@helper
def payoff(functions: Any, rules: Any, state: Any, out: Any) -> None:
    """What each seat has earned so far in units of reward (0 until the end unless paid as scored)."""
    n = np.int64(rules.num_players)
    if status_of(state) >> 16 == RUNNING and not rules.as_scored:
        for seat in range(n):
            out[seat] = 0.0
    elif rules.margin:
        call(functions[SCORES], (rules, state, out))
        total = 0.0
        for seat in range(n):
            total += out[seat]
        for seat in range(n):  # own score minus the mean of the others'
            out[seat] = (out[seat] * n - total) / ((n - 1) * rules.margin_scale)
    else:
        call(functions[SHARES], (rules, state, out))
        for seat in range(n):
            out[seat] = (n * out[seat] - 1.0) / (n - 1.0)


@helper
def redeal(functions: Any, rules: Any, state: Any, seat: Any, key: Any) -> None:
    """Redraw what a seat cannot know, the future's chance too."""
    future = stream_of_key(key, FUTURE)
    set_chance(state, mix(future) >> _S11, future)
    asked = status_of(state)
    call(functions[REDEAL], (rules, state, np.int64(seat), stream_of_key(key, REDRAW)))
    withdrawn = status_of(state) & ~asked  # who has committed in an open window is as secret as what
    for other in range(MAX_SEATS):
        if (withdrawn >> other) & 1:
            uncount_decision(state)


@loop
def deal_one(table: Any, state: Any, seed: Any) -> Any:
    """Begin an episode; returns pending + 65536 * over."""
    start(table, table[RULES], state, np.uint64(seed))
    return status_of(state)


@loop
def advance(table: Any, state: Any, masks: Any, observations: Any, row: Any, seat: Any, action: Any) -> Any:
    """One decision, if legal; then the mask and observation of the seat asked next, into `row`.

    Returns pending + 65536 * over, or NOT_ASKED or ILLEGAL with the state unchanged.
    """
    status = status_of(state)
    if status >> 16 != RUNNING or seat < 0 or seat >= MAX_SEATS or not (status >> seat) & 1:
        return NOT_ASKED
    mask = masks[row]
    call(table[LEGAL], (table[RULES], state, np.int64(seat), mask))
    if action < 0 or action >= mask.shape[0] or mask[action] == 0:
        return ILLEGAL
    status = decide(table, table[RULES], state, seat, action)
    if status >> 16 == RUNNING:
        seat = lowest_bit(np.int64(status))
        call(table[LEGAL], (table[RULES], state, np.int64(seat), mask))
        call(table[OBSERVE], (table[RULES], state, np.int64(seat), observations[row]))
    return status


@loop
def one_legal(table: Any, state: Any, seat: Any, mask: Any) -> None:
    call(table[LEGAL], (table[RULES], state, np.int64(seat), mask))


@loop
def one_observation(table: Any, state: Any, seat: Any, out: Any) -> None:
    call(table[OBSERVE], (table[RULES], state, np.int64(seat), out))


@loop
def one_row(table: Any, state: Any, which: Any, out: Any) -> None:
    """Call a function of the shape f(table[RULES], state, out): reveal, scores or shares."""
    call(table[which], (table[RULES], state, out))


@loop
def one_redeal(table: Any, state: Any, seat: Any, key: Any) -> Any:
    """`redeal`; returns pending + 65536 * over."""
    redeal(table, table[RULES], state, seat, key)
    return status_of(state)


@loop
def one_payoff(functions: Any, rules: Any, state: Any, out: Any) -> None:
    """`payoff`; takes the rules as a record, because it reads their fields."""
    payoff(functions, rules[0], state, out)


@loop
def seed_after(seed: Any) -> Any:
    """`next_seed`, for callers in Python: only loops are kept in the cache."""
    return next_seed(np.uint64(seed))


@loop
def key_one(agent_seed: Any, game_seed: Any, seat: Any, decision: Any) -> Any:
    """The key of one decision, see `keys.decision_key`."""
    return one_way(agent_seed, game_seed, seat, decision)


@loop
def draw_one(key: Any, bound: Any) -> Any:
    """A number below `bound`, drawn from a key."""
    return draw(stream_of_key(key, CHOICE), 0, bound)


@loop
def sample_batch(legal: Any, keys: Any, actions: Any) -> None:
    """A uniformly random one of the actions in every game's set; each game draws from a key of its own."""
    for i in range(legal.shape[0]):
        keys[i] = _next_key(keys[i])
        actions[i] = pick_bit(legal[i], keys[i])


@helper
def _ask_game(
    functions: Any, rules: Any, i: Any, state: Any, seats: Any, masks: Any, legal: Any, observations: Any
) -> None:
    """Show game i to the seat that it asks."""
    seat = lowest_bit(np.int64(status_of(state)))
    seats[i] = seat
    call(functions[LEGAL], (rules, state, np.int64(seat), masks[i]))
    pack(masks[i], legal[i])
    call(functions[OBSERVE], (rules, state, np.int64(seat), observations[i]))


@loop
def deal_batch(functions: Any, rules: Any, states: Any, seats: Any, masks: Any, legal: Any, observations: Any) -> None:
    """Begin in every row the episode of the seed it holds."""
    for i in range(states.shape[0]):
        state = states[i]
        start(functions, rules[0], state, seed_of(state))
        _ask_game(functions, rules[0], i, state, seats, masks, legal, observations)


@helper
def _step_game(
    functions: Any,
    rules: Any,
    i: Any,
    states: Any,
    actions: Any,
    seats: Any,
    masks: Any,
    legal: Any,
    observations: Any,
    rewards: Any,
    earned: Any,
    over: Any,
) -> None:
    """One legal decision in game i; when it has finished, it is dealt anew with its next seed.

    `earned` holds what each seat had earned before, so that a step's reward is that step's.
    """
    n = np.int64(rules.num_players)
    state = states[i]
    seat = lowest_bit(np.int64(status_of(state)))  # not from `seats`, which callers may write to
    status = decide(functions, rules, state, seat, actions[i])
    ended = status >> 16
    over[i] = ended
    if ended != RUNNING or rules.as_scored:
        payoff(functions, rules, state, rewards[i])
        for seat in range(n):
            now = rewards[i, seat]
            rewards[i, seat] = now - earned[i, seat]
            earned[i, seat] = now if ended == RUNNING else 0.0
    else:
        for seat in range(n):
            rewards[i, seat] = 0.0
    if ended != RUNNING:
        start(functions, rules, state, next_seed(seed_of(state)))
    _ask_game(functions, rules, i, state, seats, masks, legal, observations)


@loop
def step_batch(
    functions: Any,
    rules: Any,
    states: Any,
    actions: Any,
    seats: Any,
    masks: Any,
    legal: Any,
    observations: Any,
    rewards: Any,
    earned: Any,
    over: Any,
) -> None:
    """One legal decision in every game."""
    for i in range(states.shape[0]):
        _step_game(functions, rules[0], i, states, actions, seats, masks, legal, observations, rewards, earned, over)


# Not the same function compiled twice: Numba's cache does not tell a parallel version from a serial one.
@parallel_loop
def step_batch_parallel(
    functions: Any,
    rules: Any,
    states: Any,
    actions: Any,
    seats: Any,
    masks: Any,
    legal: Any,
    observations: Any,
    rewards: Any,
    earned: Any,
    over: Any,
) -> None:
    """`step_batch`, spread over threads."""
    for i in prange(states.shape[0]):
        _step_game(functions, rules[0], i, states, actions, seats, masks, legal, observations, rewards, earned, over)

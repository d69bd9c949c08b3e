"""Compiled loops over games of any kind. They see the header and the contract's addresses, never a rule.

A state comes as its memory (see `contract.memory_of`); the callers in `state` and `batch` own all arrays and check
everything that a user hands in before a loop sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import prange

from fruit_envs.declare.header import MAX_SEATS, OVER_SHIFT, RUNNING
from fruit_envs.engine.bits import lowest_bit
from fruit_envs.engine.chance import CHOICE, FUTURE, REDRAW, draw, mix, one_way, stream_of, stream_of_key
from fruit_envs.engine.header import count_decision, seed_of, set_chance, set_running, status_of, uncount_decision
from fruit_envs.engine.jit import call, helper, loop, parallel_loop, wrapping
from fruit_envs.engine.kernels import (
    APPLY,
    BLOCKS,
    DEAL,
    HIDDEN,
    HIDDEN_BLOCKS,
    LEGAL,
    OBSERVE,
    REDEAL,
    RULES,
    SCORES,
    SHARES,
)
from fruit_envs.engine.masks import pack, pick_bit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_S11 = np.uint64(11)
_VIEW = 0x51E7  # in the place of a seat: a view's hash is no decision's key

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
def start(kernels: Any, state: Any, seed: Any) -> None:
    """Begin the episode of this seed."""
    set_chance(state, seed, stream_of(np.uint64(seed)))
    set_running(state)
    call(kernels[DEAL], (kernels[RULES], state))


@helper
def decide(kernels: Any, state: Any, seat: Any, action: Any) -> Any:
    """One legal decision, counted; returns the game's status."""
    count_decision(state)
    call(kernels[APPLY], (kernels[RULES], state, np.int64(seat), np.int64(action)))
    return status_of(state)


@helper
def payoff(kernels: Any, header: Any, state: Any, out: Any) -> None:
    """What each seat has earned so far in units of reward (0 until the end unless paid as scored)."""
    n = np.int64(header.num_players)
    if status_of(state) >> OVER_SHIFT == RUNNING and not header.as_scored:
        for seat in range(n):
            out[seat] = 0.0
    elif header.margin:
        call(kernels[SCORES], (kernels[RULES], state, out))
        total = 0.0
        for seat in range(n):
            total += out[seat]
        for seat in range(n):  # own score minus the mean of the others'
            out[seat] = (out[seat] * n - total) / ((n - 1) * header.margin_scale)
    else:
        call(kernels[SHARES], (kernels[RULES], state, out))
        for seat in range(n):
            out[seat] = (n * out[seat] - 1.0) / (n - 1.0)


@helper
def redeal(kernels: Any, state: Any, seat: Any, key: Any) -> None:
    """Redraw what a seat cannot know, the future's chance too. The key does not follow from what is drawn or stored."""
    hashed = one_way(key, 0, _VIEW, 0)
    future = stream_of_key(hashed, FUTURE)
    set_chance(state, mix(future) >> _S11, future)
    asked = status_of(state)
    call(kernels[REDEAL], (kernels[RULES], state, np.int64(seat), stream_of_key(hashed, REDRAW)))
    withdrawn = status_of(state) & ~asked  # who has committed in an open window is as secret as what
    for other in range(MAX_SEATS):
        if (withdrawn >> other) & 1:
            uncount_decision(state)


@helper
def show_next(kernels: Any, state: Any, mask: Any, observation: Any) -> Any:
    """Write the mask and the observation of the seat that is asked next; returns the game's status."""
    status = status_of(state)
    if status >> OVER_SHIFT == RUNNING:
        seat = lowest_bit(np.int64(status))
        call(kernels[LEGAL], (kernels[RULES], state, np.int64(seat), mask))
        call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seat), observation))
    return status


@loop
def deal_one(kernels: Any, state: Any, mask: Any, observation: Any, seed: Any) -> Any:
    """Begin an episode and show it to the seat that is asked first; returns its status."""
    start(kernels, state, np.uint64(seed))
    return show_next(kernels, state, mask, observation)


@loop
def advance(kernels: Any, state: Any, mask: Any, observation: Any, seat: Any, action: Any) -> Any:
    """One decision, if legal; then the mask and observation of the seat asked next.

    Returns the game's status, or NOT_ASKED or ILLEGAL with the state unchanged.
    """
    status = status_of(state)
    if status >> OVER_SHIFT != RUNNING or seat < 0 or seat >= MAX_SEATS or not (status >> seat) & 1:
        return NOT_ASKED
    call(kernels[LEGAL], (kernels[RULES], state, np.int64(seat), mask))
    if action < 0 or action >= mask.shape[0] or mask[action] == 0:
        return ILLEGAL
    decide(kernels, state, seat, action)
    return show_next(kernels, state, mask, observation)


@loop
def one_legal(kernels: Any, state: Any, seat: Any, mask: Any) -> None:
    call(kernels[LEGAL], (kernels[RULES], state, np.int64(seat), mask))


@loop
def one_observation(kernels: Any, state: Any, seat: Any, out: Any) -> None:
    call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seat), out))


@loop
def one_row(kernels: Any, state: Any, which: Any, out: Any) -> None:
    """Call a kernel of the shape f(rules, state, out): scores or shares."""
    call(kernels[which], (kernels[RULES], state, out))


@loop
def one_reveal(kernels: Any, state: Any, seats: Any, hidden: Any) -> None:
    """The privileged view: every seat's observation, a row for each, and the hidden facts, if there are any."""
    for seat in range(seats.shape[0]):
        call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seat), seats[seat]))
    if hidden.shape[0]:
        call(kernels[HIDDEN], (kernels[RULES], kernels[HIDDEN_BLOCKS], state, hidden))


@loop
def one_redeal(kernels: Any, state: Any, seat: Any, key: Any) -> Any:
    """`redeal`; returns its status."""
    redeal(kernels, state, seat, key)
    return status_of(state)


@loop
def one_payoff(kernels: Any, header: Any, state: Any, out: Any) -> None:
    """`payoff`; the header comes as an array of one."""
    payoff(kernels, header[0], state, out)


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


class Shown(NamedTuple):
    """The arrays of a batch: what it shows of each game, and what it keeps to itself; see `Batch`.

    `legal` holds the masks packed, `earned` what each seat had earned before the step, so that a step's reward is that
    step's. Loops take the arrays one by one, which Numba's dispatcher does faster than a tuple of them.
    """

    seats: NDArray[np.int64]
    masks: NDArray[np.int8]
    legal: NDArray[np.int64]
    observations: np.ndarray
    rewards: NDArray[np.float64]
    earned: NDArray[np.float64]
    over: NDArray[np.int8]


@helper
def _ask_game(kernels: Any, i: Any, state: Any, shown: Any) -> None:
    """Show game i to the seat that it asks."""
    seat = lowest_bit(np.int64(status_of(state)))
    shown.seats[i] = seat
    call(kernels[LEGAL], (kernels[RULES], state, np.int64(seat), shown.masks[i]))
    pack(shown.masks[i], shown.legal[i])
    call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seat), shown.observations[i]))


@loop
def deal_batch(
    kernels: Any,
    states: Any,
    seats: Any,
    masks: Any,
    legal: Any,
    observations: Any,
    rewards: Any,
    earned: Any,
    over: Any,
) -> None:
    """Begin in every row the episode of the seed it holds; the arrays are those of `Shown`, in order."""
    shown = Shown(seats, masks, legal, observations, rewards, earned, over)
    for i in range(states.shape[0]):
        state = states[i]
        start(kernels, state, seed_of(state))
        _ask_game(kernels, i, state, shown)


@helper
def _step_game(kernels: Any, header: Any, i: Any, states: Any, actions: Any, shown: Any) -> None:
    """One legal decision in game i; when it has finished, it is dealt anew with its next seed."""
    n = np.int64(header.num_players)
    state, rewards, earned = states[i], shown.rewards, shown.earned
    seat = lowest_bit(np.int64(status_of(state)))  # not from `seats`, which callers may write to
    status = decide(kernels, state, seat, actions[i])
    ended = status >> OVER_SHIFT
    shown.over[i] = ended
    if ended != RUNNING or header.as_scored:
        payoff(kernels, header, state, rewards[i])
        for seat in range(n):
            now = rewards[i, seat]
            rewards[i, seat] = now - earned[i, seat]
            earned[i, seat] = now if ended == RUNNING else 0.0
    else:
        for seat in range(n):
            rewards[i, seat] = 0.0
    if ended != RUNNING:
        start(kernels, state, next_seed(seed_of(state)))
    _ask_game(kernels, i, state, shown)


@loop
def step_batch(
    kernels: Any,
    header: Any,
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
    """One legal decision in every game; the arrays are those of `Shown`, in order."""
    shown = Shown(seats, masks, legal, observations, rewards, earned, over)
    for i in range(states.shape[0]):
        _step_game(kernels, header[0], i, states, actions, shown)


# Not the same function compiled twice: Numba's cache does not tell a parallel version from a serial one.
@parallel_loop
def step_batch_parallel(
    kernels: Any,
    header: Any,
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
    shown = Shown(seats, masks, legal, observations, rewards, earned, over)
    for i in prange(states.shape[0]):
        _step_game(kernels, header[0], i, states, actions, shown)

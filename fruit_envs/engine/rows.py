"""Many games side by side, any of which may be asked, played or dealt anew while the others wait.

The loops take the numbers of the rows that they work on. As in `loops`, they see the header and the contract's
addresses, never a rule, and whoever calls them has checked what users handed in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import OVER_SHIFT, RUNNING
from fruit_envs.engine.bits import lowest_bit
from fruit_envs.engine.chance import CHOICE, draw, one_way, stream_of_key
from fruit_envs.engine.header import decisions_of, seed_of, set_seed, status_of
from fruit_envs.engine.jit import call, helper, loop
from fruit_envs.engine.kernels import BLOCKS, LEGAL, OBSERVE, RULES
from fruit_envs.engine.loops import decide, next_seed, payoff, redeal, start


@loop
def deal_rows(kernels: Any, states: Any, rows: Any, onwards: Any) -> None:
    """Begin the episode of the seed that each row holds, or with `onwards` of the seed after it."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        if onwards:
            set_seed(state, next_seed(seed_of(state)))
        start(kernels, state, seed_of(state))


@loop
def key_rows(states: Any, rows: Any, stream: Any, use: Any, keys: Any) -> None:
    """For each row the key of an agent's seed `stream`, the game's seed and the numbers `use` and 0."""
    for k in range(rows.shape[0]):
        keys[k] = one_way(stream, seed_of(states[rows[k]]), use, 0)


@loop
def draw_rows(keys: Any, bound: Any, numbers: Any) -> None:
    """A number below `bound` from each key."""
    for k in range(keys.shape[0]):
        numbers[k] = draw(stream_of_key(keys[k], CHOICE), 0, bound)


@loop
def waiting_rows(states: Any, seats: Any, rows: Any) -> Any:
    """The games in progress that do not ask the seat given for them: their numbers, into `rows`; returns how many."""
    count = 0
    for i in range(states.shape[0]):
        status = status_of(states[i])
        if status >> OVER_SHIFT == RUNNING and not (status >> seats[i]) & 1:
            rows[count] = i
            count += 1
    return count


@loop
def ask_rows(
    kernels: Any,
    states: Any,
    rows: Any,
    agent_seed: Any,
    seats: Any,
    masks: Any,
    observations: Any,
    keys: Any,
) -> None:
    """Mask, observation and key of the lowest seat that each row asks; the arrays have one row for each."""
    for k in range(rows.shape[0]):
        state = states[rows[k]]
        seat = lowest_bit(np.int64(status_of(state)))
        seats[k] = seat
        call(kernels[LEGAL], (kernels[RULES], state, np.int64(seat), masks[k]))
        call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seat), observations[k]))
        keys[k] = one_way(agent_seed, seed_of(state), seat, decisions_of(state))


@helper
def _copy_row(target: Any, source: Any) -> None:
    for w in range(source.shape[0]):
        target[w] = source[w]


@loop
def view_rows(kernels: Any, states: Any, rows: Any, seats: Any, keys: Any, views: Any) -> None:
    """A copy of each row in which all that the seat cannot know has been redrawn."""
    for k in range(rows.shape[0]):
        _copy_row(views[k], states[rows[k]])
        redeal(kernels, views[k], seats[k], keys[k])


@loop
def play_rows(kernels: Any, states: Any, rows: Any, seats: Any, actions: Any) -> None:
    """One legal decision of the seat given for each row."""
    for k in range(rows.shape[0]):
        decide(kernels, states[rows[k]], seats[k], actions[k])


@loop
def show_rows(kernels: Any, states: Any, rows: Any, seats: Any, closed: Any, masks: Any, observations: Any) -> None:
    """Mask and observation of the seat given for each game, into the games' rows.

    Where the game is over, or closed to the seat, bit 0 of the mask alone is set.
    """
    for k in range(rows.shape[0]):
        i = rows[k]
        state = states[i]
        if closed[i] or status_of(state) >> OVER_SHIFT != RUNNING:
            for action in range(masks.shape[1]):
                masks[i, action] = 0
            masks[i, 0] = 1
        else:
            call(kernels[LEGAL], (kernels[RULES], state, np.int64(seats[i]), masks[i]))
        call(kernels[OBSERVE], (kernels[RULES], kernels[BLOCKS], state, np.int64(seats[i]), observations[i]))


@loop
def earn_rows(
    kernels: Any, header: Any, states: Any, rows: Any, seats: Any, scratch: Any, earned: Any, rewards: Any, over: Any
) -> None:
    """What the seat given for each game has earned since the last call, and whether the game is over."""
    for k in range(rows.shape[0]):
        i = rows[k]
        over[i] = status_of(states[i]) >> OVER_SHIFT
        rewards[i] = 0.0
        if over[i] != RUNNING or header[0].as_scored:
            payoff(kernels, header[0], states[i], scratch)
            rewards[i] = scratch[seats[i]] - earned[i]
            earned[i] = scratch[seats[i]]

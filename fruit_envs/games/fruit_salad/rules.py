"""The rules of Fruit Salad over one record. Ruling ids (S1 …) are explained in docs/games/fruit_salad.md.

Between two decisions the game runs through steps: a card lands, a slap is resolved, dice are rolled again, a turn ends.
Each step says which one comes next, until somebody is asked or the game is over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import TERMINATED, TRUNCATED
from fruit_envs.engine.bits import clear, lowest_bit, put8
from fruit_envs.engine.chance import chance, mix, shuffle
from fruit_envs.engine.jit import Record, helper, subroutine, wrapping
from fruit_envs.games.fruit_salad.components import (
    ANY,
    DEAL,
    FACES,
    FIRST,
    FRUIT_DIE,
    GIVE,
    KEEP,
    MAX_PLAYERS,
    NUMBER_DIE,
    SHUFFLE,
    START,
    WINDOWS,
)
from fruit_envs.games.fruit_salad.deck import CARDS, FRUITS
from fruit_envs.games.fruit_salad.knowledge import redraw
from fruit_envs.games.fruit_salad.state import (
    AUTOMATIC,
    GIVING,
    KEEPING,
    LOSS,
    NONE,
    STRIDE,
    W0,
    W1,
    W2,
    WIN,
    kernels,
)

COLORS = len(FRUITS)
_FULL, _REACTION = WINDOWS.index("full"), WINDOWS.index("reaction")

#: The steps.
_STOP, _ROUND, _LAND, _REROLL, _SLAP, _END = range(6)

# What is told apart in the digest of public events, beside choices, which are below 2^18.
_LANDED, _ROLLED, _FIRST, _KEPT, _GAVE = (kind << 20 for kind in range(1, 6))

_NONES = np.uint64(2**64 - 1)
_ANYTHING = np.uint64(0x0101010101)  # a mask of waiting and the four slaps
_ONE, _EIGHT = np.uint64(1), np.uint64(8)


@wrapping
def _publish(state: Record, fact: Any) -> None:
    state.past = mix(np.uint64(state.past) + np.uint64(fact))


@helper
def _ask(state: Record, phase: Any, seats: Any) -> None:
    state.phase = phase
    state.pending = seats
    put8(state.chosen, 0, _NONES)


@helper
def _open_window(rules: Record, state: Record, phase: Any) -> None:
    """Every seat is asked, those too that seem to have nothing to gain (S5, S6)."""
    _ask(state, phase, (1 << np.int64(rules.num_players)) - 1)


@helper
def _end(state: Record, how: Any, winner: Any) -> Any:
    _ask(state, np.int64(state.phase), 0)
    state.over = how
    state.winner = winner
    return _STOP


# ---- dice, cards, piles --------------------------------------------------------------------------------------------


@helper
def _roll(rules: Record, state: Record, fruit: Any, number: Any) -> None:
    """Roll the dice that are not 0 here."""
    if fruit:
        state.fruit = rules.fruit_faces[chance(state, FRUIT_DIE, np.int64(state.fruit_rolls), FACES)]
        state.fruit_rolls += 1
    if number:
        state.number = rules.number_faces[chance(state, NUMBER_DIE, np.int64(state.number_rolls), FACES)]
        state.number_rolls += 1
    _publish(state, _ROLLED + 256 * np.int64(state.fruit) + np.int64(state.number))


@helper
def _count_card(rules: Record, state: Record, card: Any, sign: Any) -> None:
    """A card joins the bowl (1) or leaves it (-1)."""
    state.bowl ^= np.int64(1) << card
    for fruit in range(COLORS):
        state.totals[fruit] += sign * np.int64(rules.pieces[card * COLORS + fruit])


@helper
def _push(state: Record, seat: Any, card: Any) -> None:
    """A card that all see comes to a seat's pile (S18)."""
    state.piles[seat * STRIDE + np.int64(state.sizes[seat])] = card
    state.sizes[seat] += 1
    state.known[seat] |= np.int64(1) << card


@subroutine
def _shuffle_pile(state: Record, seat: Any) -> None:
    """S32."""
    size = np.int64(state.sizes[seat])
    shuffle(state, SHUFFLE + seat, STRIDE * np.int64(state.shuffles[seat]), state.piles, size, size, seat * STRIDE)
    state.shuffles[seat] += 1


# ---- the steps -----------------------------------------------------------------------------------------------------


@helper
def _begin_round(rules: Record, state: Record) -> Any:
    """The dice fall, unless they lie for the whole game (S29); with an empty bowl there is nothing to slap (S4)."""
    if rules.reroll or state.fruit_rolls == 0:
        _roll(rules, state, 1, 1)
        state.rolled_fruit, state.rolled_number = state.fruit, state.number
    return _LAND


@helper
def _land(rules: Record, state: Record) -> Any:
    """The top card of a pile lands in the bowl; slaps armed for it come down (W0)."""
    seat = np.int64(state.turn)
    size = np.int64(state.sizes[seat]) - 1
    card = np.int64(state.piles[seat * STRIDE + size])
    state.piles[seat * STRIDE + size] = NONE
    state.sizes[seat] = size
    state.known[seat] &= ~(np.int64(1) << card)
    _count_card(rules, state, card, 1)
    state.top = card
    state.landed += 1
    state.reveals += 1
    _publish(state, _LANDED + card)
    if size == 0 and not rules.last_window:  # S21: at once
        return _end(state, TERMINATED, seat)
    if state.phase == W0:
        for other in range(np.int64(rules.num_players)):
            if state.chosen[other] > 0:
                return _SLAP
    if rules.minion[card] == 0:
        _open_window(rules, state, W2)
        return _STOP
    if rules.windows >= _REACTION:
        _open_window(rules, state, W1)
        return _STOP
    return _REROLL


@helper
def _reroll(rules: Record, state: Record) -> Any:
    """Minions roll their dice again (S10-S12); then whoever wants slaps."""
    minion = np.int64(rules.minion[np.int64(state.top)])
    _roll(rules, state, minion & 2, minion & 1)
    _open_window(rules, state, W2)
    return _STOP


@subroutine
def _slap(rules: Record, state: Record) -> Any:
    """The first slapper is drawn among all who slap; it wins the bowl or takes it into its pile (S9, S13-S15)."""
    slappers, rank = np.int64(0), np.int64(0)
    for seat in range(np.int64(rules.num_players)):
        slappers += state.chosen[seat] > 0
    if slappers > 1:
        rank = chance(state, FIRST, np.int64(state.slaps), slappers)
    slapper = np.int64(-1)
    while rank >= 0:
        slapper += 1
        rank -= state.chosen[slapper] > 0
    fruit = np.int64(state.chosen[slapper]) - 1
    early = state.phase == W1 or (state.phase == W0 and rules.minion[np.int64(state.top)] > 0)
    state.slapper, state.named, state.on = slapper, fruit, state.top
    state.count, state.needed = state.totals[fruit], state.number
    state.slaps += 1
    state.landed = 0
    for seat in range(MAX_PLAYERS):
        state.given[seat] = 0
    _publish(state, _FIRST + slapper)
    if not early and state.count >= state.needed:
        state.result = WIN
        _ask(state, KEEPING, 1 << slapper)
        return _STOP
    state.result = AUTOMATIC if early else LOSS
    rest = np.int64(state.bowl)
    while rest:
        _push(state, slapper, lowest_bit(rest))
        rest &= rest - 1
    state.bowl = 0
    for color in range(COLORS):
        state.totals[color] = 0
    _shuffle_pile(state, slapper)
    put8(state.chosen, 0, _NONES)
    return _END


@helper
def _end_turn(rules: Record, state: Record) -> Any:
    """All that a card has brought about is done: the game may be over (S21, S28), or the next card is due."""
    turn = np.int64(state.turn)
    if rules.last_window and state.sizes[turn] == 0:
        return _end(state, TERMINATED, turn)
    if state.reveals >= rules.max_reveals:
        return _end(state, TRUNCATED, -1)
    if state.bowl == 0:
        state.turn = state.slapper  # S25
        return _ROUND
    state.turn = turn + 1 if turn + 1 < rules.num_players else 0
    if rules.windows == _FULL:
        _open_window(rules, state, W0)
        return _STOP
    return _LAND


@subroutine
def _proceed(rules: Record, state: Record, step: Any) -> None:
    """Take steps until somebody is asked or the game is over."""
    while step != _STOP:
        if step == _LAND:
            step = _land(rules, state)
        elif step == _END:
            step = _end_turn(rules, state)
        elif step == _SLAP:
            step = _slap(rules, state)
        elif step == _ROUND:
            step = _begin_round(rules, state)
        else:
            step = _reroll(rules, state)


# ---- decisions -----------------------------------------------------------------------------------------------------


@helper
def _close_window(rules: Record, state: Record) -> Any:
    """All have chosen, and see now what."""
    choices = np.int64(0)
    for seat in range(np.int64(rules.num_players)):
        choices |= np.int64(state.chosen[seat]) << (3 * seat)
    _publish(state, choices)
    if state.phase == W0:
        return _LAND
    if choices:
        return _SLAP
    return _REROLL if state.phase == W1 else _END


@helper
def _keep(rules: Record, state: Record, seat: Any, card: Any) -> Any:
    """S16; the last point wins at once (S22)."""
    _count_card(rules, state, card, -1)
    state.points[seat] |= np.int64(1) << card
    state.scores[seat] += 1
    _publish(state, _KEPT + card)
    if state.scores[seat] >= rules.goal:
        return _end(state, TERMINATED, seat)
    if state.bowl == 0:
        return _END
    state.phase = GIVING
    return _give(rules, state, seat, 1, 1) if rules.num_players == 2 else _STOP


@helper
def _give(rules: Record, state: Record, seat: Any, places: Any, everything: Any) -> Any:
    """The lowest card of the bowl, or all of them, go so many places clockwise; receivers shuffle at the end (S17)."""
    to = (seat + places) % np.int64(rules.num_players)
    _publish(state, _GAVE + to)
    while state.bowl:
        card = lowest_bit(np.int64(state.bowl))
        _count_card(rules, state, card, -1)
        _push(state, to, card)
        state.given[to] |= np.int64(1) << card
        if not everything:
            break
    if state.bowl:
        return _STOP
    for other in range(np.int64(rules.num_players)):
        if state.given[other]:
            _shuffle_pile(state, other)
    return _END


# ---- the contract --------------------------------------------------------------------------------------------------


@kernels
def deal(rules: Record, state: Record) -> None:
    n, cards = np.int64(rules.num_players), np.int64(rules.cards)
    state.past = 0
    state.bowl = 0
    state.reveals = state.slaps = state.fruit_rolls = state.number_rolls = 0
    state.count = state.named = state.needed = state.result = state.on = state.phase = state.landed = 0
    state.fruit = state.number = state.rolled_fruit = state.rolled_number = 0
    state.slapper = state.winner = -1
    for color in range(COLORS):
        state.totals[color] = 0
    for seat in range(MAX_PLAYERS):
        state.known[seat] = state.points[seat] = state.given[seat] = 0
        state.shuffles[seat] = state.scores[seat] = 0
        state.sizes[seat] = rules.dealt[seat]
    for w in range(0, MAX_PLAYERS * STRIDE, 8):
        put8(state.piles, w, _NONES)
    put8(state.chosen, 0, _NONES)
    for card in range(cards):
        state.piles[card] = card
    shuffle(state, DEAL, 0, state.piles, cards, cards)
    for seat in range(n - 1, 0, -1):  # the deck lies where the first pile will; that takes its own cards where they are
        size = np.int64(rules.dealt[seat])
        cards -= size
        for i in range(size):
            state.piles[seat * STRIDE + i] = state.piles[cards + i]
            state.piles[cards + i] = NONE
    state.turn = chance(state, START, 0, n) if rules.first < 0 else np.int64(rules.first)
    _publish(state, np.int64(state.turn))
    _proceed(rules, state, _ROUND)


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    """Wait, or slap what the die shows (S7, S8); any card of a bowl won (S16); any other seat (S17)."""
    clear(mask, 0, GIVE)
    for place in range(np.int64(rules.num_players)):
        mask[GIVE + place] = 0
    if not (np.int64(state.pending) >> seat) & 1:
        return
    if state.phase <= W2:
        if state.fruit == ANY:
            put8(mask, 0, _ANYTHING)
        else:
            put8(mask, 0, _ONE | _ONE << _EIGHT * (np.uint64(state.fruit) + _ONE))
    elif state.phase == KEEPING:
        for card in range(CARDS):
            mask[KEEP + card] = (np.int64(state.bowl) >> card) & 1
    else:
        for place in range(1, np.int64(rules.num_players)):
            mask[GIVE + place] = 1


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    step = _STOP
    if state.phase <= W2:
        state.chosen[seat] = action
        state.pending = np.int64(state.pending) & ~(1 << seat)
        if state.pending == 0:
            step = _close_window(rules, state)
    elif state.phase == KEEPING:
        step = _keep(rules, state, seat, action - KEEP)
    else:
        step = _give(rules, state, seat, action - GIVE, np.int64(rules.bulk))
    _proceed(rules, state, step)


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    """Victory points."""
    for seat in range(np.int64(rules.num_players)):
        out[seat] = state.scores[seat]


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    """The winner's is 1; a game cut off is shared by all (S28)."""
    n = np.int64(rules.num_players)
    for seat in range(n):
        out[seat] = 1.0 / n if state.over == TRUNCATED else 1.0 * (state.winner == seat)


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """Draw the piles anew, and withdraw what others have committed in an open window: who has is as secret as what."""
    redraw(rules, state, seat, key)
    if state.phase <= W2 and not state.over:
        for other in range(np.int64(rules.num_players)):
            if other != seat:
                state.chosen[other] = -1
        mine = np.int64(1) << seat
        state.pending = (np.int64(state.pending) & mine) | (((1 << np.int64(rules.num_players)) - 1) & ~mine)

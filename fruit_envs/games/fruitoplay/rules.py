"""The rules of Fruitoplay over one record. Ruling ids (F1 …) are explained in docs/games/fruitoplay.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.declare.header import TERMINATED
from fruit_envs.engine.bits import clear, get8, put8
from fruit_envs.engine.chance import chance, draw, mix, shuffle
from fruit_envs.engine.jit import Record, helper, subroutine, wrapping
from fruit_envs.games.fruitoplay.components import (
    CANCEL,
    CARDS,
    CHOOSE,
    COLLECTIVE,
    DECK,
    DRAW,
    MAX_PLAYERS,
    TURNS,
)
from fruit_envs.games.fruitoplay.scoring import offers, resolve_rotten, score_round, trick_winner
from fruit_envs.games.fruitoplay.state import (
    ABSENT,
    COLLECT,
    COLLECTIVE_VALUE,
    COLORS,
    DECK_SIZE,
    GONE,
    IN_COLUMNS,
    IN_DECK,
    IN_RIVER,
    NONE,
    OPTIONAL,
    PARTS,
    PHASE,
    PLAY,
    RIVER_NUMBER,
    ROT,
    ROTTEN,
    ROTTEN_FRUIT,
    ROUND,
    TURN,
    kernels,
)

CHANCE_PER_ROUND = 128  # indices of chance events set aside for each round

_EIGHT = np.uint64(0x0101010101010101)
_NONES = np.uint64(2**64 - 1)
_COUNTING = np.uint64(0x0706050403020100)


# ---- the round's beginning -----------------------------------------------------------------------------------------


@subroutine
def _deal_round(rules: Record, state: Record) -> None:
    """Shuffle all cards; hands, river, draw deck; then the collective card (F11)."""
    n, hand, turns = np.int64(rules.num_players), np.int64(rules.hand), np.int64(rules.turns)
    cards = np.int64(rules.fruits) * np.int64(rules.numbers)
    for w in range(0, CARDS, 8):
        put8(state.deck, w, _COUNTING + _EIGHT * np.uint64(w))
        put8(state.place, w, _EIGHT * np.uint64(IN_DECK))
    for card in range(cards, CARDS):  # of a shrunken game
        state.place[card] = ABSENT
        state.deck[card] = NONE
    shuffle(state, DECK, CHANCE_PER_ROUND * np.int64(state.round_no), state.deck, cards, cards)

    put8(state.river, 0, _NONES)
    i = np.int64(0)
    for seat in range(n):
        for _ in range(hand):
            state.place[np.int64(state.deck[i])] = seat
            i += 1
        state.sizes[seat] = hand
        state.denied[seat] = 0
    for turn in range(turns):
        state.place[np.int64(state.deck[i])] = IN_RIVER
        state.river[turn] = state.deck[i]
        i += 1
    for used in range(i):
        state.deck[used] = NONE
    state.next = i

    clear(state.columns, 0, MAX_PLAYERS * PARTS + 8)
    for w in range(0, MAX_PLAYERS * COLORS, 8):
        put8(state.resolved, w, np.uint64(0))
        put8(state.sums, w, np.uint64(0))
    for w in range(0, 48, 8):
        put8(state.played, w, _NONES)
        put8(state.drawn, w, _NONES)
    clear(state.shown, 0, 64)
    state.shown[ROUND + np.int64(state.round_no)] = 1
    state.shown[DECK_SIZE] = cards - i
    state.turn = 0
    state.winner = -1
    state.collective = -1
    _show_river(rules, state)
    _begin_round(rules, state)


@subroutine
def _begin_round(rules: Record, state: Record) -> None:
    """F11: from round 2 on the seat with the fewest points chooses the collective fruit; after a tie chance does."""
    if state.round_no == 0:
        _open_turn(rules, state)
        return
    fewest, chooser = np.int64(2**15), np.int64(-1)
    for seat in range(np.int64(rules.num_players)):
        total = np.int64(state.totals[seat])
        if total < fewest:
            fewest, chooser = total, np.int64(seat)
        elif total == fewest:
            chooser = np.int64(-1)
    if chooser >= 0:
        _ask(state, COLLECT, 1 << chooser)
        return
    fruits, barred = np.int64(rules.fruits), _barred(rules, state)
    skip = chance(state, COLLECTIVE, np.int64(state.round_no), fruits - (barred >= 0))
    _set_collective(state, skip + (barred >= 0 and skip >= barred))
    _open_turn(rules, state)


@helper
def _barred(rules: Record, state: Record) -> Any:
    """F11: the fruit that may not become the collective one again, or -1."""
    return np.int64(-1) if rules.reuse or rules.fruits == 1 else np.int64(state.barred)


@helper
def _set_collective(state: Record, fruit: Any) -> None:
    """F11: +1 in round 2, +2 in round 3."""
    state.collective = fruit
    state.barred = fruit
    state.shown[COLLECTIVE_VALUE + fruit] = state.round_no


@helper
def _ask(state: Record, phase: Any, asked: Any) -> None:
    """Open a window."""
    state.shown[PHASE + np.int64(state.phase)] = 0
    state.shown[PHASE + phase] = 1
    state.phase = phase
    state.asked = asked
    state.pending = asked
    for seat in range(MAX_PLAYERS):
        state.chosen[seat] = -1


@helper
def _open_turn(rules: Record, state: Record) -> None:
    """All who hold a card choose one, in secret; who holds none is not asked (F5)."""
    asked = np.int64(0)
    for seat in range(np.int64(rules.num_players)):
        asked |= np.int64(state.sizes[seat] > 0) << seat
    _ask(state, PLAY, asked)


@helper
def _show_river(rules: Record, state: Record) -> None:
    """F1: the targets to come, the current one first; all of them, or only that one."""
    clear(state.shown, 0, COLLECTIVE_VALUE)
    turn = np.int64(state.turn)
    for i in range(np.int64(rules.turns) - turn if rules.river_public else 1):
        card = np.int64(state.river[turn + i])
        state.shown[COLORS * i + np.int64(rules.fruit[card])] = 1
        state.shown[RIVER_NUMBER + i] = rules.number[card]


# ---- a turn --------------------------------------------------------------------------------------------------------


@helper
def _collect(rules: Record, state: Record, seat: Any, card: Any) -> None:
    """Put a card into a seat's columns; with no seat (-1) it leaves the round (F4)."""
    if seat < 0:
        state.place[card] = GONE
    else:
        state.place[card] = IN_COLUMNS + seat
        state.columns[seat * PARTS + np.int64(rules.fruit[card]) * 3 + np.int64(rules.kind[card])] += 1


@helper
def _draw_card(rules: Record, state: Record, seat: Any) -> None:
    """F6: the top card of the deck goes to a hand; from an empty deck nothing does."""
    top = np.int64(state.next)
    if top < np.int64(rules.fruits) * np.int64(rules.numbers):
        card = np.int64(state.deck[top])
        state.deck[top] = NONE
        state.next = top + 1
        state.place[card] = seat
        state.sizes[seat] += 1
        state.drawn[seat * TURNS + np.int64(state.turn)] = card
        state.shown[DECK_SIZE] -= 1


@subroutine
def _end_turn(rules: Record, state: Record) -> None:
    """All have played: the trick is won or lost (F2-F4), then the others draw, or in the last turn may (F6, F8)."""
    n, turn = np.int64(rules.num_players), np.int64(state.turn)
    target = np.int64(state.river[turn])
    winner = trick_winner(rules, state, target)
    state.winner = winner
    _collect(rules, state, winner, target)
    for seat in range(n):
        card = np.int64(state.chosen[seat])
        if card >= 0:
            state.played[turn * MAX_PLAYERS + seat] = card
            state.sizes[seat] -= 1
            _collect(rules, state, winner, card)
    if turn + 1 < rules.turns:
        for seat in range(n):
            if seat != winner:
                _draw_card(rules, state, seat)
        state.turn = turn + 1
        state.shown[TURN] = turn + 1
        _show_river(rules, state)
        _open_turn(rules, state)
        return
    clear(state.shown, 0, COLLECTIVE_VALUE)
    if state.shown[DECK_SIZE] > 0:
        losers = (1 << n) - 1
        if winner >= 0:
            losers &= ~(1 << winner)
        _ask(state, OPTIONAL, losers)
    else:
        _end_play(rules, state)


@subroutine
def _end_play(rules: Record, state: Record) -> None:
    """After the optional draws (F8) the hands join the columns; then the rotten cards (F9)."""
    for seat in range(np.int64(rules.num_players)):
        if state.chosen[seat] == DRAW:
            _draw_card(rules, state, seat)
        state.sizes[seat] = 0
    for card in range(CARDS):
        if state.place[card] < IN_COLUMNS:
            _collect(rules, state, np.int64(state.place[card]), card)
    _rot(rules, state, 0)


# ---- the round's end -----------------------------------------------------------------------------------------------


@subroutine
def _rot(rules: Record, state: Record, start: Any) -> None:
    """F9: the rotten cards from `start` on (seat by seat, then by fruit); stops where a seat has a choice."""
    for at in range(start, np.int64(rules.num_players) * COLORS):
        seat, fruit = at // COLORS, at % COLORS
        if state.columns[seat * PARTS + fruit * 3 + ROTTEN] > 0:
            one, two = offers(state, seat, fruit, 1), offers(state, seat, fruit, 2)
            if one and two:
                state.fruit = fruit
                state.shown[ROTTEN_FRUIT + fruit] = 1
                _ask(state, ROT, 1 << seat)
                return
            resolve_rotten(rules, state, seat, fruit, 2 * np.int64(two) + np.int64(one))
    _end_round(rules, state)


@subroutine
def _end_round(rules: Record, state: Record) -> None:
    """Everybody scores (F10); then the next round, or the end."""
    score_round(rules, state)
    state.past = _digest(state)
    if state.round_no + 1 < rules.rounds:
        state.round_no += 1
        _deal_round(rules, state)
    else:
        _ask(state, ROT, 0)
        state.shown[PHASE + ROT] = 0
        state.over = TERMINATED


@wrapping
def _digest(state: Record) -> Any:
    """A hash of what became public in the round, chained onto the rounds before it."""
    digest = mix(np.uint64(state.past) + np.uint64(np.int64(state.collective) + 2))
    digest = mix(digest + get8(state.river, 0))
    for w in range(0, 48, 8):
        digest = mix(digest + get8(state.played, w))
    for w in range(0, CARDS, 8):
        digest = mix(digest + get8(state.place, w))
    for w in range(0, MAX_PLAYERS * COLORS, 8):
        digest = mix(digest + get8(state.resolved, w))
    return digest


# ---- the contract --------------------------------------------------------------------------------------------------


@kernels
def deal(rules: Record, state: Record) -> None:
    for seat in range(MAX_PLAYERS):
        state.totals[seat] = state.points[seat] = 0
        state.sizes[seat] = state.denied[seat] = 0
    state.past = 0
    state.round_no = state.phase = 0
    state.barred = -1
    state.fruit = -1
    _deal_round(rules, state)


@kernels
def legal(rules: Record, state: Record, seat: int, mask: Any) -> None:
    """Any card of one's hand, there is no duty to follow (F2); draw or decline (F8); a fruit (F11); a value (F9)."""
    asked = np.int64((np.int64(state.pending) >> seat) & 1)
    own = np.uint8(seat) if asked and state.phase == PLAY else np.uint8(NONE)
    for card in range(CARDS):
        mask[card] = state.place[card] == own
    clear(mask, CARDS, 8)
    if asked and state.phase != PLAY:
        if state.phase == OPTIONAL:
            mask[DRAW] = mask[DRAW + 1] = 1
        elif state.phase == ROT:
            mask[CANCEL] = mask[CANCEL + 1] = 1
        else:
            for fruit in range(np.int64(rules.fruits)):
                mask[CHOOSE + fruit] = _barred(rules, state) != fruit


@kernels
def apply(rules: Record, state: Record, seat: int, action: int) -> None:
    if state.phase == PLAY or state.phase == OPTIONAL:
        state.chosen[seat] = action
        state.pending = np.int64(state.pending) & ~(1 << seat)
        if state.pending == 0:
            if state.phase == PLAY:
                _end_turn(rules, state)
            else:
                _end_play(rules, state)
    elif state.phase == ROT:
        fruit = np.int64(state.fruit)
        state.shown[ROTTEN_FRUIT + fruit] = 0
        resolve_rotten(rules, state, seat, fruit, action - CANCEL + 1)
        _rot(rules, state, seat * COLORS + fruit + 1)
    else:
        _set_collective(state, np.int64(action - CHOOSE))
        _open_turn(rules, state)


@kernels
def scores(rules: Record, state: Record, out: Any) -> None:
    """Points of the rounds scored (F18)."""
    for seat in range(np.int64(rules.num_players)):
        out[seat] = state.totals[seat]


@helper
def _rank(state: Record, seat: Any) -> Any:
    """F14: the total, then the points of the last round."""
    return np.int64(state.totals[seat]) * 2**15 + np.int64(state.points[seat])


@kernels
def shares(rules: Record, state: Record, out: Any) -> None:
    """The highest total wins; tied leaders are told apart by round 3, then share (F14)."""
    n, best, leaders = np.int64(rules.num_players), np.int64(-1), 0
    for seat in range(n):
        own = _rank(state, seat)
        if own == best:
            leaders += 1
        elif own > best:
            best, leaders = own, 1
    for seat in range(n):
        out[seat] = 1.0 / leaders if _rank(state, seat) == best else 0.0


@helper
def is_hidden(rules: Record, state: Record, seat: Any, card: Any) -> Any:
    """F13: whether the seat cannot know where the card is: in another hand, in the deck, in a river not yet seen."""
    place = np.int64(state.place[card])
    if place == IN_RIVER:
        return not rules.river_public and (state.river[np.int64(state.turn)] != card)
    return place == IN_DECK or (place < IN_COLUMNS and place != seat)


@kernels
def redeal(rules: Record, state: Record, seat: int, key: int) -> None:
    """Arrange the cards that the seat cannot place anew (F13), and withdraw what others have committed.

    What a seat has seen of a round bears on all its hidden cards alike: any arrangement that keeps the sizes of hands
    and deck is as likely as any other.
    """
    n, cards = np.int64(rules.num_players), np.int64(rules.fruits) * np.int64(rules.numbers)
    hidden = np.int64(0)
    for card in range(cards):
        hidden += is_hidden(rules, state, seat, card)
    first = cards - hidden  # the hidden cards, in the order of their ids, then shuffled, fill the end of `deck`
    i: Any = first
    for card in range(cards):
        if is_hidden(rules, state, seat, card):
            state.deck[i] = card
            i += 1
    for i in range(hidden - 1):
        j = first + i + draw(key, i, hidden - i)
        state.deck[first + i], state.deck[j] = state.deck[j], state.deck[first + i]

    i = first
    for other in range(n):
        if other != seat:
            for _ in range(np.int64(state.sizes[other])):
                state.place[np.int64(state.deck[i])] = other
                i += 1
            for turn in range(TURNS):
                state.drawn[other * TURNS + turn] = NONE
    if not rules.river_public:
        for turn in range(np.int64(state.turn) + 1, np.int64(rules.turns)):
            state.river[turn] = state.deck[i]
            state.place[np.int64(state.deck[i])] = IN_RIVER
            i += 1
    for used in range(first, i):
        state.deck[used] = NONE
    while i < cards:
        state.place[np.int64(state.deck[i])] = IN_DECK
        i += 1

    if state.phase == PLAY or state.phase == OPTIONAL:  # who has committed is as secret as what
        for other in range(n):
            if other != seat:
                state.chosen[other] = -1
        mine = np.int64(state.asked) & (1 << seat)
        state.pending = (np.int64(state.pending) & mine) | (np.int64(state.asked) & ~mine)

"""What a seat cannot know of hands and scoring cards, drawn anew exactly uniformly.

Up to three others hold the tiles that a seat cannot place. Three sets of tiles say what each of them may hold; tiles
that the same others may hold are exchangeable. So a world is drawn in two steps: how many tiles of each such group go
to whom, by the number of worlds that agree with it, then which ones. Nothing is tried and rejected.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import count_bits, lowest_bit
from fruit_envs.engine.chance import draw, draw_bit, draw_wide
from fruit_envs.engine.jit import Record, helper
from fruit_envs.games.fruity_fruit.components import MAX_UNSEEN, TILES
from fruit_envs.games.fruity_fruit.scoring import score_by, score_of
from fruit_envs.games.fruity_fruit.state import DRAFT, PICK
from fruit_envs.games.fruity_fruit.table import CARDS

_ALL = 2**62  # more worlds than there are
_OCTET = 255
_FIRST = 4  # numbers of a key before this one tell groups apart, those from it on tiles and cards


@helper
def give(rules: Record, state: Record, tile: Any, place: Any) -> None:
    """A tile goes to one of the places left in the hands, counted seat by seat."""
    seat = np.int64(0)
    room = np.int64(rules.hand) - count_bits(np.int64(state.hands[0]))
    while place >= room:
        place -= room
        seat += 1
        room = np.int64(rules.hand) - count_bits(np.int64(state.hands[seat]))
    state.hands[seat] |= np.int64(1) << tile


@helper
def _ways(rules: Record, m: Any, k: Any) -> Any:
    """How many ways there are to choose k out of m."""
    return np.int64(rules.binomials[m * (MAX_UNSEEN + 1) + k])


@helper
def _split(rules: Record, tiles: Any, a: Any, b: Any, c: Any, size_a: Any, size_b: Any, size_c: Any, rank: Any) -> Any:
    """Runs through the ways to split groups of tiles among three hands, until `rank` worlds lie behind.

    Parameters
    ----------
    tiles, a, b, c
        The tiles to deal, and those of them that each hand may take.
    size_a, size_b, size_c
        Of the hands.
    rank
        Number of a world; `_ALL` to count them.

    Returns
    -------
    worlds, ab, ac, bc, abc
        How many worlds were passed, and for the split that holds world `rank` how many tiles of the group that a and b
        may take go to a, of a and c to a, of b and c to b, of all three to a.
    """
    only_a, only_b = count_bits(a & ~b & ~c), count_bits(b & ~a & ~c)
    n_ab, n_ac, n_bc, n_abc = (
        count_bits(a & b & ~c),
        count_bits(a & c & ~b),
        count_bits(b & c & ~a),
        count_bits(a & b & c),
    )
    worlds = np.int64(0)
    if tiles & ~(a | b | c):
        return worlds, worlds, worlds, worlds, worlds
    for ab in range(n_ab + 1):
        for ac in range(n_ac + 1):
            abc = size_a - only_a - ab - ac  # the rest of a's hand comes from the group of all three
            if 0 <= abc <= n_abc:
                ways = _ways(rules, n_ab, ab) * _ways(rules, n_ac, ac) * _ways(rules, n_abc, abc)
                for bc in range(n_bc + 1):
                    to_b = size_b - only_b - (n_ab - ab) - bc
                    if 0 <= to_b <= n_abc - abc:
                        worlds += ways * _ways(rules, n_bc, bc) * _ways(rules, n_abc - abc, to_b)
                        if worlds > rank:
                            return worlds, np.int64(ab), np.int64(ac), np.int64(bc), abc
    return worlds, np.int64(-1), np.int64(-1), np.int64(-1), np.int64(-1)


@helper
def _count(
    rules: Record,
    tiles: Any,
    a: Any,
    b: Any,
    c: Any,
    size_a: Any,
    size_b: Any,
    size_c: Any,
    asked: Any,
    mine: Any,
) -> Any:
    """How many worlds there are if the asked hand (1 for a, 2 for b, 3 for c) may take these tiles only."""
    a, b, c = mine if asked == 1 else a, mine if asked == 2 else b, mine if asked == 3 else c
    worlds, _, _, _, _ = _split(rules, tiles, a, b, c, size_a, size_b, size_c, _ALL)
    return worlds


@helper
def _draw_hands(
    rules: Record,
    state: Record,
    seat: Any,
    key: Any,
    tiles: Any,
    a: Any,
    b: Any,
    c: Any,
    size_a: Any,
    size_b: Any,
    size_c: Any,
) -> Any:
    """Deal the tiles to the three seats after `seat`; returns how many numbers of the key are used up."""
    total, _, _, _, _ = _split(rules, tiles, a, b, c, size_a, size_b, size_c, _ALL)
    _, ab, ac, bc, abc = _split(rules, tiles, a, b, c, size_a, size_b, size_c, draw_wide(key, 2, total))
    n_ab, n_ac, n_bc, n_abc = (
        count_bits(a & b & ~c),
        count_bits(a & c & ~b),
        count_bits(b & c & ~a),
        count_bits(a & b & c),
    )
    b_abc = size_b - count_bits(b & ~a & ~c) - (n_ab - ab) - bc
    # Places of each hand for each group, a byte for a group; its number is 1 for a, + 2 for b, + 4 for c.
    alone_a, alone_b, alone_c = count_bits(a & ~b & ~c), count_bits(b & ~a & ~c), count_bits(c & ~a & ~b)
    for_a = (alone_a << 8) | (ab << 24) | (ac << 40) | (abc << 56)
    for_b = (alone_b << 16) | ((n_ab - ab) << 24) | (bc << 48) | (b_abc << 56)
    for_c = (alone_c << 32) | ((n_ac - ac) << 40) | ((n_bc - bc) << 48) | ((n_abc - abc - b_abc) << 56)
    n, used = np.int64(rules.num_players), np.int64(_FIRST)
    first, second, third = (seat + 1) % n, (seat + 2) % n, (seat + 3) % n
    for other in range(n):
        if other != seat:
            state.hands[other] = 0
    for tile in range(TILES):
        if (tiles >> tile) & 1:
            group = 8 * (((a >> tile) & 1) + 2 * ((b >> tile) & 1) + 4 * ((c >> tile) & 1))
            room_a, room_b = (for_a >> group) & _OCTET, (for_b >> group) & _OCTET
            place = draw(key, used, room_a + room_b + ((for_c >> group) & _OCTET))
            used += 1
            one = np.int64(1) << group
            if place < room_a:
                for_a -= one
                state.hands[first] |= np.int64(1) << tile
            elif place < room_a + room_b:
                for_b -= one
                state.hands[second] |= np.int64(1) << tile
            else:
                for_c -= one
                state.hands[third] |= np.int64(1) << tile
    return used


@helper
def redraw_hands(rules: Record, state: Record, seat: Any, key: Any) -> Any:
    """The other hands (Y6), before the end of the draft all hands (Y2); returns how many numbers of the key are used.

    What bars a tile from a hand is in `barred`. That a seat is asked tells in addition that it can place something:
    then the worlds are told apart by the first fitting tile that it holds.
    """
    n = np.int64(rules.num_players)
    if state.phase == DRAFT:
        return _shuffle_hands(rules, state, key)
    tiles = np.int64(rules.tiles) & ~np.int64(state.laid) & ~np.int64(state.hands[seat])
    first, second, third = (seat + 1) % n, (seat + 2) % n, (seat + 3) % n
    a = tiles & ~np.int64(state.barred[first])
    b = tiles & ~np.int64(state.barred[second]) if n > 2 else np.int64(0)
    c = tiles & ~np.int64(state.barred[third]) if n > 3 else np.int64(0)
    size_a = np.int64(state.sizes[first])
    size_b = np.int64(state.sizes[second]) if n > 2 else np.int64(0)
    size_c = np.int64(state.sizes[third]) if n > 3 else np.int64(0)

    asked = np.int64(0)  # whose hand holds something that fits: a, b or c
    if not state.over and state.phase != PICK:
        for place in range(1, n):
            asked += place * ((np.int64(state.pending) >> ((seat + place) % n)) & 1)
    if asked:
        mine = a if asked == 1 else b if asked == 2 else c
        waiting = mine & np.int64(state.fits)
        total = _count(rules, tiles, a, b, c, size_a, size_b, size_c, asked, mine)
        none = _count(rules, tiles, a, b, c, size_a, size_b, size_c, asked, mine & ~waiting)
        rank = draw_wide(key, 0, total - none)
        behind = np.int64(0)
        while behind <= rank:  # tile by tile: the worlds in which this is the first fitting one that the seat holds
            tile = waiting & -waiting
            waiting &= waiting - 1
            mine &= ~tile
            behind = total - _count(rules, tiles, a, b, c, size_a, size_b, size_c, asked, mine)
        mine |= tile
        a = mine if asked == 1 else a & ~tile
        b = mine if asked == 2 else b & ~tile
        c = mine if asked == 3 else c & ~tile
    return _draw_hands(rules, state, seat, key, tiles, a, b, c, size_a, size_b, size_c)


@helper
def _shuffle_hands(rules: Record, state: Record, key: Any) -> Any:
    """Every tile in turn to one of the places left in the hands."""
    n = np.int64(rules.num_players)
    used, left = np.int64(_FIRST), n * np.int64(rules.hand)
    for seat in range(n):
        state.hands[seat] = 0
    for tile in range(TILES):
        if (np.int64(rules.tiles) >> tile) & 1:
            give(rules, state, tile, draw(key, used, left))
            used += 1
            left -= 1
    return used


@helper
def redraw_cards(rules: Record, state: Record, seat: Any, key: Any, used: Any) -> None:
    """The scoring cards of the others, and those they saw (Y2).

    Seats that drafted before this one kept none of the cards it saw, those after it not the one it kept. Given who kept
    what, a seat saw its own card and any others of the deck of its time: as many ways for every arrangement, so that
    the kept cards may be drawn one after the other. Final scores, which all see (Y16), bind them together: then one of
    all arrangements is drawn.
    """
    n, every = np.int64(rules.num_players), (1 << np.int64(rules.cards)) - 1
    own = (seat + n - np.int64(state.starter)) % n  # the seat's place in the draft
    taken, arrangement = np.int64(0), np.int64(0)  # cards kept by the seats before; the cards still to be kept
    if state.over:
        fits = _fitting_cards(rules, state, seat)
        ways, _ = _arrange(fits, n - 1, _ALL)
        _, arrangement = _arrange(fits, n - 1, draw(key, used, ways))
        used += 1
    for turn in range(min(np.int64(state.drafted) + np.int64(state.phase == DRAFT), n)):
        other = (np.int64(state.starter) + turn) % n
        deck = every & ~taken
        if other != seat:
            kept = np.int64(0)
            if state.over:
                kept = 1 << (arrangement % CARDS)
                arrangement //= CARDS
            elif turn < state.drafted:
                barred = np.int64(0)
                if turn < own:
                    barred = np.int64(state.seen[seat])
                kept = draw_bit(deck & ~barred, key, used)
                used += 1
            if kept:
                state.kept[other] = lowest_bit(kept)
            seen = kept
            for _ in range(np.int64(rules.drawn) - np.int64(kept > 0)):
                seen |= draw_bit(deck & ~seen, key, used)
                used += 1
            state.seen[other] = seen
        if turn < state.drafted:
            taken |= 1 << np.int64(state.kept[other])


@helper
def _fitting_cards(rules: Record, state: Record, seat: Any) -> Any:
    """The cards that give each other seat its final score, nine bits a seat in the order of the draft, which `seat` did
    not see before it kept one, nor keep."""
    n, fits, place, barred = np.int64(rules.num_players), np.int64(0), np.int64(0), np.int64(state.seen[seat])
    for turn in range(n):
        other = (np.int64(state.starter) + turn) % n
        if other == seat:
            barred = np.int64(1) << np.int64(state.kept[seat])
        else:
            score = score_of(rules, state, other)
            for card in range(np.int64(rules.cards)):
                fit = not (barred >> card) & 1 and score_by(rules, state, other, card) == score
                fits |= np.int64(fit) << (CARDS * place + card)
            place += 1
    return fits


@helper
def _arrange(fits: Any, seats: Any, rank: Any) -> Any:
    """Runs through the ways to keep different ones of the fitting cards, until `rank` ways lie behind.

    Returns
    -------
    ways, arrangement
        How many were passed, and the last one: the cards by seat, as the digits of a number, the first one lowest.
    """
    ways = np.int64(0)
    for arrangement in range(CARDS**seats):
        kept, rest = np.int64(0), arrangement
        for place in range(seats):
            kept |= (1 << (rest % CARDS)) & (fits >> (CARDS * place))
            rest //= CARDS
        ways += np.int64(count_bits(kept) == seats)
        if ways > rank:
            return ways, np.int64(arrangement)
    return ways, np.int64(-1)

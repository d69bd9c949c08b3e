"""All chance of all games: a counter-based draw that can be forced, listed and replayed.

`chance(state, kind, index, bound)` is a hash of the deal's stream, the kind of event and its index. The
k-th card of the deck is therefore the same whatever the players do in between, which is what makes
duplicate deals comparable. The hash is the finaliser of splitmix64 (Steele, Lea, Flood 2014, variant 13
of Stafford's mixers); bounded numbers come from Lemire's multiply-shift with rejection, so they are exactly uniform
given uniform words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.engine.bits import count_bits
from fruit_envs.engine.jit import helper, load, store, subroutine, wrapping

__all__ = [
    "CHOICE",
    "FUTURE",
    "REDRAW",
    "chance",
    "draw",
    "draw_best",
    "draw_bit",
    "draw_wide",
    "mix",
    "one_way",
    "shuffle",
    "stream_of",
    "stream_of_key",
]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_S13, _S16, _S17, _S21, _S43, _S47, _S48, _S51 = map(np.uint64, (13, 16, 17, 21, 43, 47, 48, 51))
_SIP0, _SIP1, _SIP2, _SIP3 = (
    np.uint64(int.from_bytes(text, "big")) for text in (b"somepseu", b"dorandom", b"lygenera", b"tedbytes")
)
_LENGTH = np.uint64(32 << 56)  # SipHash's last word holds the number of bytes
TAPE_HEAD = 4  # numbers before the triples in the buffer of a `tape.Tape`
_LOW, _ZERO, _ONE = np.uint64(0xFFFFFFFF), np.uint64(0), np.uint64(1)


@wrapping
def mix(z: Any) -> Any:
    """The finaliser of splitmix64: a bijection of uint64 that scatters close inputs."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@wrapping
def stream_of(seed: Any) -> Any:
    """The stream (uint64) of a seed or key; neighbouring seeds give unrelated streams."""
    return mix(np.uint64(seed) + _GAMMA)


#: What a key may be used for. Each use has a stream of its own, so that a redrawn world says nothing of a coin.
REDRAW, FUTURE, CHOICE = 1, 2, 3


@wrapping
def stream_of_key(key: Any, use: Any) -> Any:
    """The stream (uint64) of one use of a key."""
    return stream_of(mix(np.uint64(key) + np.uint64(use) * _M1))


@wrapping
def _round(v0: Any, v1: Any, v2: Any, v3: Any) -> Any:
    """One round of SipHash."""
    v0 += v1
    v1 = ((v1 << _S13) | (v1 >> _S51)) ^ v0
    v0 = (v0 << _S32) | (v0 >> _S32)
    v2 += v3
    v3 = ((v3 << _S16) | (v3 >> _S48)) ^ v2
    v0 += v3
    v3 = ((v3 << _S21) | (v3 >> _S43)) ^ v0
    v2 += v1
    v1 = ((v1 << _S17) | (v1 >> _S47)) ^ v2
    v2 = (v2 << _S32) | (v2 >> _S32)
    return v0, v1, v2, v3


@wrapping
def _absorb(v0: Any, v1: Any, v2: Any, v3: Any, word: Any) -> Any:
    v0, v1, v2, v3 = _round(v0, v1, v2, v3 ^ word)
    return v0 ^ word, v1, v2, v3


@wrapping
def one_way(a: Any, b: Any, c: Any, d: Any) -> Any:
    """SipHash-1-3 (Aumasson and Bernstein 2012) with key 0 of four words (uint64): none of them follows from it."""
    v0, v1, v2, v3 = _absorb(_SIP0, _SIP1, _SIP2, _SIP3, np.uint64(a))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, np.uint64(b))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, np.uint64(c))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, np.uint64(d))
    v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, _LENGTH)
    v0, v1, v2, v3 = _round(v0, v1, v2 ^ np.uint64(255), v3)
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@wrapping
def _word(stream: Any, counter: Any) -> Any:
    """Number `counter` of a stream's words of 64 random bits."""
    return mix(np.uint64(stream) + np.uint64(counter) * _GAMMA)


@wrapping
def _bounded(word: Any, half: Any, bound: Any) -> Any:
    """A number below `bound` (at most 2^31) from the low (0) or high (1) half of a word."""
    wide = np.uint64(bound)
    product = ((word >> (half * _S32)) & _LOW) * wide
    if product & _LOW < wide:  # rarely: the product may lie in the biased remainder
        threshold = (_LOW - wide + _ONE) % wide
        while product & _LOW < threshold:
            word = mix(word + _GAMMA + half)
            product = (word >> _S32) * wide
    return np.int64(product >> _S32)


@helper
def draw(stream: Any, counter: Any, bound: Any) -> Any:
    """The `counter`-th number below `bound` of a stream, exactly uniform; two draws share a word."""
    return _bounded(_word(stream, np.int64(counter) >> 1), np.uint64(counter) & _ONE, bound)


@wrapping
def draw_wide(stream: Any, counter: Any, bound: Any) -> Any:
    """Like `draw` for bounds up to 2^62; `counter` is even, and takes up the next number of the stream too."""
    wide = np.uint64(bound)
    word = _word(stream, np.int64(counter) >> 1)
    threshold = (_ZERO - wide) % wide  # 2^64 modulo the bound: so many words are too many
    while word < threshold:
        word = mix(word + _GAMMA)
    return np.int64(word % wide)


@helper
def draw_best(values: Any, count: Any, stream: Any, counter: Any) -> Any:
    """The place of the highest of the first `count` values; between equal ones the stream decides."""
    best, equal = values[0], 0
    for place in range(count):
        if values[place] > best:
            best, equal = values[place], 1
        elif values[place] == best:
            equal += 1
    rank = draw(stream, counter, equal)
    place = 0
    while values[place] != best or rank > 0:
        rank -= values[place] == best
        place += 1
    return place


@helper
def draw_bit(bits: Any, stream: Any, counter: Any) -> Any:
    """One of the bits of an int64 that are 1, as a number with this bit alone."""
    for _ in range(draw(stream, counter, count_bits(bits))):
        bits &= bits - 1
    return bits & -bits


@subroutine
def _from_tape(tape: Any, kind: Any, index: Any, bound: Any) -> Any:
    """The forced outcome of this draw, or -1 after noting that it was made (see `Tape` for the buffer)."""
    for i in range(load(tape, 0)):
        if load(tape, TAPE_HEAD + 3 * i) == kind and load(tape, TAPE_HEAD + 1 + 3 * i) == index:
            outcome = load(tape, TAPE_HEAD + 2 + 3 * i)
            if 0 <= outcome < bound:
                return outcome
            store(tape, 3, 1)  # impossible: `Tape` raises once this call is over
            return 0
    noted = load(tape, 1)
    if noted < load(tape, 2):
        at = TAPE_HEAD + 3 * (load(tape, 0) + noted)
        store(tape, at, kind)
        store(tape, at + 1, index)
        store(tape, at + 2, bound)
    store(tape, 1, noted + 1)
    return -1


@helper
def chance(state: Any, kind: Any, index: Any, bound: Any) -> Any:
    """The outcome of chance event number `index` of this kind, a number below `bound`."""
    if state.tape != _ZERO:
        forced = _from_tape(state.tape, np.int64(kind), np.int64(index), np.int64(bound))
        if forced >= 0:
            return forced
    return draw(state.stream, (np.int64(kind) << 32) + index, bound)


@subroutine
def _shuffle_on_tape(
    tape: Any, stream: Any, kind: Any, first: Any, order: Any, size: Any, stop: Any, start: Any
) -> None:
    """`shuffle` where outcomes may be forced."""
    for i in range(stop):
        step = _from_tape(tape, np.int64(kind), np.int64(first + i), np.int64(size - i))
        if step < 0:
            step = draw(stream, (np.int64(kind) << 32) + first + i, size - i)
        a, b = start + i, start + i + step
        order[a], order[b] = order[b], order[a]


@helper
def shuffle(state: Any, kind: Any, first: Any, order: Any, size: Any, count: Any, start: Any = 0) -> None:
    """Shuffle order[start:][:size] in place so that its first `count` places are a uniform arrangement.

    Place i is swapped with place i + chance(kind, first + i, size - i); the last place needs no draw. `first` is even.
    """
    stop = min(count, size - 1)
    if state.tape != _ZERO:
        _shuffle_on_tape(state.tape, state.stream, kind, first, order, size, stop, start)
        return
    counter = ((np.int64(kind) << 32) + first) >> 1
    i = 0
    while i < stop:  # as above, but a word is computed once for the two draws that share it
        word = _word(state.stream, counter)
        counter += 1
        a, b = start + i, start + i + _bounded(word, _ZERO, size - i)
        order[a], order[b] = order[b], order[a]
        i += 1
        if i < stop:
            a, b = start + i, start + i + _bounded(word, _ONE, size - i)
            order[a], order[b] = order[b], order[a]
            i += 1

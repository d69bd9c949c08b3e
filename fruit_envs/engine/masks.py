"""Masks in compiled code: as the bytes that users see, and packed, eight times smaller, as the engine keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidBuffer, brief
from fruit_envs.engine.bits import count_bits, gather_bits, get8
from fruit_envs.engine.chance import CHOICE, draw, stream_of_key
from fruit_envs.engine.jit import helper, loop, wrapping

_GATHER, _S56 = np.uint64(0x0102040810204080), np.uint64(56)
_WORD = 64


def words_for(num_actions: int) -> int:
    """How many words of 64 bits a packed mask takes."""
    return -(-num_actions // _WORD)


@wrapping
def _eight(octets: Any) -> Any:
    """Eight bytes of 0 and 1 as eight bits."""
    return np.int64((octets * _GATHER) >> _S56)


@helper
def _packed(mask: Any, start: Any) -> Any:
    """The entries of a mask from `start` on, at most 64, as the bits of a word."""
    if start + _WORD <= mask.shape[0]:
        return gather_bits(mask, start)
    stop = mask.shape[0]
    word, j = np.int64(0), start
    while j + 8 <= stop:
        word |= _eight(get8(mask, j)) << (j - start)
        j += 8
    while j < stop:
        word |= np.int64(mask[j]) << (j - start)
        j += 1
    return word


@helper
def pack(mask: Any, bits: Any) -> None:
    """The entries of a mask as bits."""
    for w in range(bits.shape[0]):
        bits[w] = _packed(mask, _WORD * w)


@helper
def _place(word: Any, rank: Any) -> Any:
    """Which bit of a word is the 1 with this rank, by halves."""
    place, half = np.int64(0), np.int64(_WORD // 2)
    while half:
        below = count_bits(word & ((np.int64(1) << half) - 1))
        if rank >= below:
            rank -= below
            word >>= half
            place += half
        half >>= 1
    return place


@helper
def pick_bit(bits: Any, stream: Any) -> Any:
    """A uniformly random action among those whose bit is 1, or 0 where none is."""
    count = np.int64(0)
    for w in range(bits.shape[0]):
        count += count_bits(bits[w])
    if count == 0:
        return 0
    rank, w = draw(stream, 0, count), 0
    inside = count_bits(bits[0])
    while rank >= inside:
        rank -= inside
        w += 1
        inside = count_bits(bits[w])
    return _WORD * w + _place(bits[w], rank)


@helper
def _pick(mask: Any, stream: Any) -> Any:
    """`pick_bit` of a mask that is not packed."""
    count = np.int64(0)
    for start in range(0, mask.shape[0], _WORD):
        count += count_bits(_packed(mask, start))
    if count == 0:
        return 0
    rank, start = draw(stream, 0, count), 0
    word = _packed(mask, 0)
    while rank >= count_bits(word):
        rank -= count_bits(word)
        start += _WORD
        word = _packed(mask, start)
    return start + _place(word, rank)


@loop
def pick_one(mask: Any, key: Any) -> Any:
    """A uniformly random legal action, drawn from a key; 0 where nothing is legal."""
    return _pick(mask, stream_of_key(key, CHOICE))


@loop
def pick_rows(masks: Any, keys: Any, actions: Any) -> None:
    """`pick_one` of every row."""
    for i in range(masks.shape[0]):
        actions[i] = _pick(masks[i], stream_of_key(keys[i], CHOICE))


@loop
def find_illegal(masks: Any, actions: Any) -> Any:
    """The first game whose action its mask forbids, or -1."""
    for i in range(actions.shape[0]):
        action = actions[i]
        if action < 0 or action >= masks.shape[1] or masks[i, action] == 0:
            return i
    return -1


@loop
def find_missing(legal: Any, num_actions: Any, actions: Any) -> Any:
    """`find_illegal` for packed masks of so many actions."""
    for i in range(actions.shape[0]):
        action = actions[i]
        if action < 0 or action >= num_actions or not (legal[i, action >> 6] >> (action & 63)) & 1:
            return i
    return -1


@loop
def empty_row(masks: Any) -> Any:
    """The first row in which nothing is legal, or -1."""
    for i in range(masks.shape[0]):
        action = 0
        while action < masks.shape[1] and masks[i, action] == 0:
            action += 1
        if action == masks.shape[1]:
            return i
    return -1


def as_masks(masks: Any, shape: tuple[int, ...]) -> Any:
    """Masks that compiled code may read: int8, C-contiguous, of this shape, each with a legal action.

    Raises
    ------
    InvalidBuffer
        For anything else.
    """
    fits = isinstance(masks, np.ndarray) and masks.dtype == np.int8 and masks.shape == shape
    if not fits or not masks.flags.c_contiguous or empty_row(masks.reshape(-1, shape[-1])) >= 0:
        came = f"{masks.dtype} {masks.shape}" if isinstance(masks, np.ndarray) else brief(masks)
        raise InvalidBuffer(f"expected a C-contiguous int8 mask {shape} with something legal in each row, got {came}")
    return masks

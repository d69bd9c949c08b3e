"""Packed masks say what the bytes say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from fruit_envs.engine import masks
from fruit_envs.engine.jit import loop, word
from fruit_envs.engine.masks import find_illegal, find_missing, pick_one, words_for

# What kernels call, called from loops of these tests.


@loop
def pack(mask, bits):
    masks.pack(mask, bits)


@loop
def pick_bit(bits, stream):
    return masks.pick_bit(bits, np.uint64(stream))


@loop
def pick_byte(mask, stream):
    return masks._pick(mask, np.uint64(stream))


def as_mask(size, ones):
    mask = np.zeros(size, np.int8)
    mask[[one % size for one in ones]] = 1
    return mask


def packed(mask):
    bits = np.zeros(words_for(len(mask)), np.int64)
    pack(mask, bits)
    return bits


@settings(deadline=None)  # the first call compiles
@given(size=st.integers(1, 300), ones=st.lists(st.integers(0, 10_000), max_size=300))
def test_bits_and_bytes_agree(size, ones):
    mask = as_mask(size, ones)
    bits = packed(mask)
    padded = np.zeros(64 * len(bits), np.uint8)
    padded[:size] = mask
    assert bits.tobytes() == np.packbits(padded, bitorder="little").tobytes()


@settings(deadline=None)  # the first call compiles
@given(
    size=st.integers(1, 300),
    ones=st.lists(st.integers(0, 10_000), min_size=1, max_size=300),
    key=st.integers(0, 2**64 - 1),
)
def test_a_pick_is_legal_and_the_same_from_bits_and_bytes(size, ones, key):
    mask, stream = as_mask(size, ones), np.uint64(key)
    assert mask[pick_one(mask, word(key))]
    assert mask[pick_bit(packed(mask), stream)]
    assert pick_bit(packed(mask), stream) == pick_byte(mask, stream)


@pytest.mark.parametrize("size", [7, 64, 65, 251])
def test_every_legal_action_is_as_likely(size):
    mask = as_mask(size, range(0, size, 3))
    drawn = np.bincount([pick_one(mask, key) for key in range(20_000)], minlength=size)
    assert not drawn[mask == 0].any()
    assert chisquare(drawn[mask == 1]).pvalue > 1e-4


@given(size=st.integers(1, 200), ones=st.lists(st.integers(0, 10_000), max_size=100), action=st.integers(-3, 203))
def test_what_is_illegal_is_found_in_both(size, ones, action):
    mask, actions = as_mask(size, ones), np.array([action])
    wrong = -1 if 0 <= action < size and mask[action] else 0
    assert find_illegal(mask[None], actions) == wrong
    assert find_missing(packed(mask)[None], size, actions) == wrong

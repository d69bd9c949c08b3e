"""Keys of decisions: SipHash-1-3, as CPython has it; alone and for many rows."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from fruit_envs import load
from fruit_envs.runtime.keys import decision_key
from fruit_envs.runtime.rows import Rows


@pytest.mark.skipif(sys.hash_info.algorithm != "siphash13", reason="this Python hashes otherwise")
def test_keys_are_what_python_s_own_siphash_says():
    rng = random.Random(0)
    rows = [(0, 0, 0, 0), (2**64 - 1, 2**53 - 1, 5, 2**31 - 1)]
    rows += [(rng.getrandbits(64), rng.getrandbits(53), rng.randrange(6), rng.randrange(999)) for _ in range(200)]
    code = f"import struct\nfor row in {rows}: print(hash(struct.pack('<4Q', *row)) % 2**64)"
    # With PYTHONHASHSEED=0 the key of Python's hash is 0.
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, check=True
    )
    assert [decision_key(*row) for row in rows] == list(map(int, done.stdout.split()))


def test_keys_of_rows_are_those_of_single_games():
    rows = Rows(load("fruit_cocktail"), 5)
    rows.records["seed"] = [3, 2**53 - 1, 0, 9, 8]
    chosen = np.array([4, 1, 2])
    expected = [decision_key(77, seed, 2, 0) for seed in (8, 2**53 - 1, 0)]
    assert rows.keys(chosen, 77, 2).tolist() == expected

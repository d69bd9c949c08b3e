"""The compiled forward pass: NumPy is its oracle, and a row of a batch is the row alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fruit_agents.network import Network, best_rows, sample_rows
from fruit_envs.runtime.keys import decision_key


def layers(rng: np.random.Generator, *widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (rng.normal(0, 0.3, (b, a)).astype(np.float32), rng.normal(0, 0.3, b).astype(np.float32))
        for a, b in pairwise(widths)
    ]


def in_numpy(given: list[tuple[np.ndarray, np.ndarray]], x: np.ndarray) -> np.ndarray:
    x = x.astype(np.float64)
    for weight, bias in given[:-1]:
        x = np.maximum(x @ weight.T.astype(np.float64) + bias, 0)
    return x @ given[-1][0].T.astype(np.float64) + given[-1][1]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32])
@pytest.mark.parametrize("widths", [(9, 4), (40, 16, 5), (50, 33, 17, 7)])
def test_it_is_what_numpy_says_and_rows_do_not_matter_to_each_other(widths: tuple[int, ...], dtype: type) -> None:
    rng = np.random.default_rng(1)
    given = layers(rng, *widths)
    network = Network(given)
    rows = (rng.integers(-3, 4, (37, widths[0])) * rng.integers(0, 2, (37, widths[0]))).astype(dtype)
    logits = network.logits(rows)
    assert (logits.dtype, logits.shape) == (np.float32, (37, widths[-1]))
    np.testing.assert_allclose(logits, in_numpy(given, rows), atol=1e-4)
    for i in range(37):
        assert network.logits(rows[i : i + 1]).tobytes() == logits[i].tobytes()
    assert network.logits(rows[::-2]).tobytes() == logits[::-2].tobytes()


def test_choices() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 1, (200, 11)).astype(np.float32)
    logits[:20] = 3.0  # ties go to the lowest id
    masks = (rng.random((200, 11)) < 0.4).astype(np.int8)
    masks[np.arange(200), rng.integers(11, size=200)] = 1
    actions = np.empty(200, np.int64)
    best_rows(logits, masks, actions)
    assert actions.tolist() == np.where(masks, logits, -np.inf).argmax(axis=1).tolist()
    keys = np.array([decision_key(1, i, 0, 0) for i in range(200)], np.uint64)
    sample_rows(logits, masks, keys, actions)
    assert masks[np.arange(200), actions].all()
    again = np.empty(1, np.int64)
    for i in range(200):
        sample_rows(logits[i : i + 1], masks[i : i + 1], keys[i : i + 1], again)
        assert again[0] == actions[i]


def test_huge_logits_do_not_overflow() -> None:
    logits = np.array([[1e30, -1e30, 1e30], [-1e30, -1e30, -1e30]], np.float32)
    masks, actions = np.ones((2, 3), np.int8), np.empty(2, np.int64)
    for key in range(20):
        sample_rows(logits, masks, np.array([key, key], np.uint64), actions)
        assert actions[0] in (0, 2)
        assert actions[1] in (0, 1, 2)

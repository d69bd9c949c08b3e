"""The forward pass of a small network, compiled: a row of a batch comes out the same, bit by bit, as it does alone.

A matrix product adds up in an order that depends on how many rows there are. Here every row is added up by itself, and
inputs that are 0 are left out: of an observation most are, so that this is as fast as the matrix product of a batch and
several times as fast for one observation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.engine.chance import one_way
from fruit_envs.engine.jit import loop

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Layer", "Network", "best_rows", "sample_rows"]

#: The weight (outputs, inputs) and bias (outputs,) of one layer, float32.
Layer = tuple["NDArray[np.float32]", "NDArray[np.float32]"]

#: Keeps the draw of an action apart from everything else that is derived from a decision's key.
_DRAW = 0x9017C4
_S11 = np.uint64(11)


@loop
def dense_rows(inputs: Any, weight: Any, bias: Any, relu: Any, outputs: Any) -> None:
    """One layer, `weight` of shape (inputs, outputs)."""
    for i in range(inputs.shape[0]):
        row = outputs[i]
        for j in range(row.shape[0]):
            row[j] = bias[j]
        for k in range(inputs.shape[1]):
            value = np.float32(inputs[i, k])
            if value != 0:
                column = weight[k]
                for j in range(row.shape[0]):
                    row[j] += value * column[j]
        if relu:
            for j in range(row.shape[0]):
                row[j] = max(row[j], np.float32(0))


@loop
def best_rows(logits: Any, masks: Any, actions: Any) -> None:
    """The legal action with the highest logit in each row, the lowest id among equals."""
    for i in range(actions.shape[0]):
        best = -1
        for action in range(masks.shape[1]):
            if masks[i, action] and (best < 0 or logits[i, action] > logits[i, best]):
                best = action
        actions[i] = best


@loop
def sample_rows(logits: Any, masks: Any, keys: Any, actions: Any) -> None:
    """A legal action of each row, drawn with its key from the softmax over the legal ones."""
    for i in range(actions.shape[0]):
        top = -math.inf
        for action in range(masks.shape[1]):
            if masks[i, action]:
                top = max(top, float(logits[i, action]))
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                total += math.exp(float(logits[i, action]) - top)
        point = float(one_way(_DRAW, keys[i], 0, 0) >> _S11) * 2.0**-53 * total
        for action in range(masks.shape[1]):
            if masks[i, action]:
                actions[i] = action  # the last legal one, should rounding leave something of `point`
                point -= math.exp(float(logits[i, action]) - top)
                if point < 0:
                    break


class Network:
    """Layers with ReLU between them.

    Parameters
    ----------
    layers
        Weight (outputs, inputs) and bias (outputs,) of each layer, float32.
    """

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = [(np.ascontiguousarray(weight.T), np.ascontiguousarray(bias)) for weight, bias in layers]

    def logits(self, observations: np.ndarray) -> NDArray[np.float32]:
        """The outputs for a batch of observations (rows of integers): float32, shape (rows, outputs)."""
        rows = np.ascontiguousarray(observations)
        for number, (weight, bias) in enumerate(self._layers, 1):
            outputs = np.empty((len(rows), len(bias)), np.float32)
            dense_rows(rows, weight, bias, number < len(self._layers), outputs)
            rows = outputs
        return rows

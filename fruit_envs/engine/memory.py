"""The memory of games: records in Python, rows of words in compiled loops."""

from __future__ import annotations

import numpy as np

from fruit_envs.engine import jit

__all__ = [
    "as_records",
    "copy_memory",
    "copy_records",
    "memory_of",
    "new_memory",
    "new_records",
    "records_of",
]


def as_records(records: np.ndarray) -> np.ndarray:
    """The same memory; with JIT off as a recarray, whose elements have their fields as attributes."""
    return records if jit.JIT else records.view(np.recarray)


def new_records(dtype: np.dtype, count: int) -> np.ndarray:
    """Zeroed records."""
    return as_records(np.zeros(count, dtype))


def copy_records(records: np.ndarray) -> np.ndarray:
    """An independent copy, padding included (NumPy's own leaves it undefined), so that equal games have equal bytes."""
    return records.view(np.uint8, np.ndarray).copy().view(records.dtype, type(records))


# What loops are handed are not records but their memory as rows of 64-bit words. Numba recognises a plain array twice
# as fast as a structured one, which counts where a loop is called for one game, and it compiles each loop once for all
# games. With JIT off a row is the record itself, in an array of one.


def new_memory(dtype: np.dtype, count: int) -> np.ndarray:
    """Zeroed rows of the memory of so many records."""
    if jit.JIT:
        return np.zeros((count, dtype.itemsize // 8), np.int64)
    return new_records(dtype, count).reshape(count, 1)


def memory_of(records: np.ndarray) -> np.ndarray:
    """The memory of records, one row each."""
    return records.view(np.int64, np.ndarray).reshape(len(records), -1) if jit.JIT else records.reshape(-1, 1)


def records_of(memory: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The records whose memory this is (a row, or rows), shape (count,)."""
    return memory.view(dtype).reshape(-1) if jit.JIT else memory.reshape(-1)


def copy_memory(memory: np.ndarray) -> np.ndarray:
    """An independent copy of a row, or of rows."""
    return memory.copy() if jit.JIT else copy_records(memory.reshape(-1)).reshape(memory.shape)

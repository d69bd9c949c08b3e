"""The only module that knows Numba: compiled kernels, calls through addresses, the cache folder.

A game's functions are compiled to native code with a fixed signature (`Kernels` in `contract`), and
the loops reach them through their *addresses*. The loops therefore know no game, are cached on disk, and
see an edited rule at once. With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python: kernels
are then the Python functions themselves and `call` is a direct call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from fruit_envs.engine.cache import cache_folder

__all__ = [
    "JIT",
    "Record",
    "call",
    "data_of",
    "helper",
    "load",
    "loop",
    "native",
    "parallel_loop",
    "row",
    "store",
    "word",
    "wrapping",
]

#: False when Numba is told not to compile (`NUMBA_DISABLE_JIT=1`).
JIT: bool = not config.DISABLE_JIT

#: One element of a structured array, as kernels see it. Numba knows its fields; type checkers do not.
Record = Any

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def _caching() -> Iterator[bool]:
    """Point Numba at our cache folder while one function is declared; yields whether to cache."""
    folder = cache_folder()
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")
    try:
        yield folder is not None
    finally:
        config.CACHE_DIR = before


def row(dtype: Any) -> Any:
    """The type of an array argument of a kernel: a pointer, without shape.

    An array by value is seven words through the stack; the wrapper that Numba puts around every kernel copies them, and
    the processor stalls on it (10 ns a call, measured). A kernel knows the length of each row from its rules.
    """
    return types.CPointer(numba.from_dtype(np.dtype(dtype)))


def native(signature: Any) -> Callable[[F], F]:
    """Compile a function to native code of a fixed signature, to be reached by its address."""

    def declare(function: F) -> F:
        if not JIT:
            return function
        with _caching() as cached:
            return numba.cfunc(signature, cache=cached, _nrt=False)(function)

    return declare


def helper(function: F) -> F:
    """Compile a small function that kernels call directly (it is inlined into them)."""
    return numba.njit(_nrt=False, forceinline=True)(function)


def wrapping(function: F) -> F:
    """A helper whose uint64 arithmetic wraps around, silently in both worlds."""
    return helper(function) if JIT else np.errstate(over="ignore")(function)


def loop(function: F) -> F:
    """Compile a loop over games, once for all of them; it releases the GIL and starts no threads."""
    with _caching() as cached:
        return numba.njit(cache=cached, nogil=True, _nrt=False)(function)


def parallel_loop(function: F) -> F:
    """Compile a loop whose `prange` is spread over threads. Only called when threads are asked for."""
    with _caching() as cached:
        return numba.njit(function, cache=cached, nogil=True, parallel=True)


def data_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The pointer to an array's first element; other values as they are."""
    return context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value


if TYPE_CHECKING:

    def call(address: Any, args: Any) -> None: ...
    def load(address: Any, index: Any) -> Any: ...
    def store(address: Any, index: Any, value: Any) -> None: ...
elif JIT:

    @intrinsic
    def call(_context: Any, address: Any, args: Any) -> Any:
        """Call the kernel at `address` with the tuple `args`.

        Arrays are passed as pointers (see `row`), the memory of a record as the record.
        """

        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            unpacked = cgutils.unpack_tuple(builder, values[1])
            passed = [data_of(context, builder, *pair) for pair in zip(args.types, unpacked, strict=True)]
            function = ir.FunctionType(ir.VoidType(), [value.type for value in passed]).as_pointer()
            builder.call(builder.inttoptr(values[0], function), passed)
            return context.get_dummy_value()

        return types.void(address, args), generate

    @intrinsic
    def load(_context: Any, address: Any, index: Any) -> Any:
        """The `index`-th int64 of the buffer at `address`."""

        def generate(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return builder.load(builder.gep(builder.inttoptr(values[0], ir.IntType(64).as_pointer()), [values[1]]))

        return types.int64(types.uint64, types.int64), generate

    @intrinsic
    def store(_context: Any, address: Any, index: Any, value: Any) -> Any:
        """Set the `index`-th int64 of the buffer at `address`."""

        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            pointer = builder.inttoptr(values[0], ir.IntType(64).as_pointer())
            builder.store(values[2], builder.gep(pointer, [values[1]]))
            return context.get_dummy_value()

        return types.void(types.uint64, types.int64, types.int64), generate

else:

    def call(address: Any, args: Any) -> None:
        address(*(arg[0] if isinstance(arg, np.recarray) else arg for arg in args))

    def load(address: Any, index: int) -> int:
        return int(BUFFERS[int(address)][index])

    def store(address: Any, index: int, value: int) -> None:
        BUFFERS[int(address)][index] = value


def word(key: int) -> Any:
    """A key of 64 bits as an argument of a loop, which takes it back with `np.uint64`.

    Numba reads a Python int as int64, so the upper half wraps to negative numbers; NumPy scalars would take longer.
    """
    key &= 0xFFFFFFFFFFFFFFFF
    if JIT:
        return key - (1 << 64) if key >> 63 else key
    return np.uint64(key)


#: With JIT off, the buffers that `load` and `store` may touch, by address.
BUFFERS: dict[int, Any] = {}

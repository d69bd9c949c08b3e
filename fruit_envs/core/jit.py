"""The only module that knows Numba: compiled kernels, calls through addresses, the cache folder.

A game's functions are compiled to native code with a fixed signature (`Kernels` in `contract`), and
the loops reach them through their *addresses*. The loops therefore know no game, are cached on disk, and
see an edited rule at once. With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python: kernels
are then the Python functions themselves and `call` is a direct call.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

__all__ = [
    "JIT",
    "Record",
    "call",
    "clear",
    "copy_bytes",
    "count_bits",
    "get8",
    "helper",
    "load",
    "loop",
    "lowest_bit",
    "native",
    "parallel_loop",
    "put8",
    "row",
    "set_byte",
    "spread16",
    "spread_bits",
    "store",
    "word",
    "wrapping",
]

#: False when Numba is told not to compile (`NUMBA_DISABLE_JIT=1`).
JIT: bool = not config.DISABLE_JIT

#: One element of a structured array, as kernels see it. Numba knows its fields; type checkers do not.
Record = Any

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[1]


def _sources() -> str:
    """Hash of all that decides compiled code but that Numba's own cache key does not see."""
    digest = hashlib.sha256(f"bounds={config.BOUNDSCHECK}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    """Whether this folder exists (or can be made), is ours, private, and takes files.

    Numba's cache holds pickles: a folder that others can write to would let them run code here.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
        if hasattr(os, "getuid") and info.st_uid != os.getuid():
            return False
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def cache_folder() -> Path | None:
    """Where compiled code is kept, or None when no private folder can be written.

    `NUMBA_CACHE_DIR` if set, else `$XDG_CACHE_HOME` or `~/.cache`, else a private folder in the system's
    temporary directory. The last part of the path is a hash of the package's sources, because Numba does not
    notice an edit in another file that a cached function calls.
    """
    user = f"fruit_envs-{os.getuid()}" if hasattr(os, "getuid") else "fruit_envs"
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no home directory is known
        home = Path(tempfile.gettempdir())
    places = [home / "fruit_envs", Path(tempfile.gettempdir()) / user]
    if config.CACHE_DIR:
        places.insert(0, Path(config.CACHE_DIR) / "fruit_envs")
    for place in places:
        if _usable(place) and _usable(place / _sources()):
            return place / _sources()
    return None


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


if TYPE_CHECKING:

    def call(address: Any, args: Any) -> None: ...
    def load(address: Any, index: Any) -> Any: ...
    def store(address: Any, index: Any, value: Any) -> None: ...
    def lowest_bit(word: Any) -> Any: ...
    def count_bits(word: Any) -> Any: ...
    def get8(array: Any, start: Any) -> Any: ...
    def put8(array: Any, start: Any, word: Any) -> None: ...
    def spread16(array: Any, start: Any, first: Any, second: Any) -> None: ...
    def spread_bits(array: Any, start: Any, bits: Any) -> None: ...
    def gather_bits(array: Any, start: Any) -> Any: ...

elif JIT:

    def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        """The pointer to an array's first element; other values as they are."""
        return context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value

    @intrinsic
    def call(_context: Any, address: Any, args: Any) -> Any:
        """Call the kernel at `address` with the tuple `args`.

        Arrays are passed as pointers (see `row`), the memory of a record as the record.
        """

        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            unpacked = cgutils.unpack_tuple(builder, values[1])
            passed = [_data(context, builder, *pair) for pair in zip(args.types, unpacked, strict=True)]
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

    def _octet(context: Any, builder: Any, kind: Any, value: Any, start: Any) -> Any:
        first = builder.bitcast(_data(context, builder, kind, value), ir.IntType(8).as_pointer())
        return builder.bitcast(builder.gep(first, [start]), ir.IntType(64).as_pointer())

    @intrinsic
    def lowest_bit(_context: Any, word: Any) -> Any:
        """The number of the lowest bit that is 1 in an int64, 64 where none is."""

        def generate(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return builder.cttz(values[0], ir.IntType(1)(0))

        return types.int64(types.int64), generate

    @intrinsic
    def count_bits(_context: Any, word: Any) -> Any:
        """How many bits of an int64 are 1."""

        def generate(_: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return builder.ctpop(values[0])

        return types.int64(types.int64), generate

    @intrinsic
    def get8(_context: Any, array: Any, start: Any) -> Any:
        """Eight bytes of an 8-bit array or row, from `start` on, as one uint64 (byte 0 lowest); nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.load(_octet(context, builder, signature.args[0], *values), align=1)

        return types.uint64(array, types.int64), generate

    @intrinsic
    def put8(_context: Any, array: Any, start: Any, word: Any) -> Any:
        """Write one uint64 over eight bytes of an 8-bit array or row, from `start` on; nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            builder.store(values[2], _octet(context, builder, signature.args[0], *values[:2]), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.uint64), generate

    @intrinsic
    def spread16(_context: Any, array: Any, start: Any, first: Any, second: Any) -> Any:
        """Write the bytes (0..127) of two uint64 over sixteen elements of a 16-bit array or row; nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            target = builder.gep(_data(context, builder, signature.args[0], values[0]), [values[1]])
            words = ir.Constant(ir.VectorType(ir.IntType(64), 2), ir.Undefined)
            for place, value in enumerate(values[2:]):
                words = builder.insert_element(words, value, ir.IntType(32)(place))
            narrow = builder.bitcast(words, ir.VectorType(ir.IntType(8), 16))
            wide = builder.zext(narrow, ir.VectorType(ir.IntType(16), 16))
            builder.store(wide, builder.bitcast(target, wide.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.uint64, types.uint64), generate

    @intrinsic
    def spread_bits(_context: Any, array: Any, start: Any, bits: Any) -> Any:
        """Write the lowest sixteen bits of an int64 as 0 and 1 over sixteen elements of a row; nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            target = builder.gep(_data(context, builder, signature.args[0], values[0]), [values[1]])
            flags = builder.bitcast(builder.trunc(values[2], ir.IntType(16)), ir.VectorType(ir.IntType(1), 16))
            wide = builder.zext(flags, ir.VectorType(target.type.pointee, 16))
            builder.store(wide, builder.bitcast(target, wide.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), generate

    @intrinsic
    def gather_bits(_context: Any, array: Any, start: Any) -> Any:
        """Sixty-four elements 0 or 1 of an 8-bit array or row, from `start` on, as an int64; nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            source = builder.gep(_data(context, builder, signature.args[0], values[0]), [values[1]])
            octets = builder.load(builder.bitcast(source, ir.VectorType(ir.IntType(8), 64).as_pointer()), align=1)
            zeros = ir.Constant(octets.type, None)
            return builder.bitcast(builder.icmp_signed("!=", octets, zeros), ir.IntType(64))

        return types.int64(array, types.int64), generate

else:

    def call(address: Any, args: Any) -> None:
        address(*(arg[0] if isinstance(arg, np.recarray) else arg for arg in args))

    def load(address: Any, index: int) -> int:
        return int(BUFFERS[int(address)][index])

    def store(address: Any, index: int, value: int) -> None:
        BUFFERS[int(address)][index] = value

    def lowest_bit(word: int) -> int:
        return (int(word) & -int(word)).bit_length() - 1 if word else 64

    def count_bits(word: int) -> int:
        return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()

    def get8(array: Any, start: int) -> Any:
        return np.frombuffer(array[start : start + 8].tobytes(), "<u8")[0]

    def put8(array: Any, start: int, word: Any) -> None:
        array[start : start + 8] = np.frombuffer(int(word).to_bytes(8, "little"), array.dtype)

    def spread16(array: Any, start: int, first: Any, second: Any) -> None:
        octets = int(first).to_bytes(8, "little") + int(second).to_bytes(8, "little")
        array[start : start + 16] = np.frombuffer(octets, np.int8)

    def spread_bits(array: Any, start: int, bits: Any) -> None:
        array[start : start + 16] = [int(bits) >> i & 1 for i in range(16)]

    def gather_bits(array: Any, start: int) -> Any:
        return np.packbits(array[start : start + 64] != 0, bitorder="little").view("<i8")[0]


@helper
def copy_bytes(target: Any, start: Any, source: Any, first: Any, count: Any) -> None:
    """Copy `count` elements between two 8-bit arrays or rows that do not overlap; nothing is checked.

    Eight at a time: for the short rows of these games that beats a call of memcpy.
    """
    i = 0
    while i + 8 <= count:
        put8(target, start + i, get8(source, first + i))
        i += 8
    while i < count:
        target[start + i] = source[first + i]
        i += 1


@helper
def clear(target: Any, start: Any, count: Any) -> None:
    """Zero `count` elements of an 8-bit array or row; nothing is checked."""
    i = 0
    while i + 8 <= count:
        put8(target, start + i, np.uint64(0))
        i += 8
    while i < count:
        target[start + i] = 0
        i += 1


@helper
def set_byte(array: Any, index: Any, value: Any) -> None:
    """Set one element (0..127) of an 8-bit array whose size is a multiple of 8, by writing its whole word.

    Where the array is read word by word soon after, a write of one byte would stall that read.
    """
    start = index & ~7
    shift = np.uint64(8 * (index & 7))
    kept = get8(array, start) & ~(np.uint64(255) << shift)
    put8(array, start, kept | (np.uint64(np.int64(value) & 255) << shift))


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

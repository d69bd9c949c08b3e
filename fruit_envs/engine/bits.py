"""Words of 64 bits in compiled code: rows that are read and written eight bytes, or sixty-four flags, at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from fruit_envs.engine.jit import JIT, data_of, helper

__all__ = [
    "clear",
    "copy_bytes",
    "count_bits",
    "gather_bits",
    "get8",
    "lowest_bit",
    "put8",
    "set_byte",
    "spread16",
    "spread_bits",
]

if TYPE_CHECKING:

    def lowest_bit(word: Any) -> Any: ...
    def count_bits(word: Any) -> Any: ...
    def get8(array: Any, start: Any) -> Any: ...
    def put8(array: Any, start: Any, word: Any) -> None: ...
    def spread16(array: Any, start: Any, first: Any, second: Any) -> None: ...
    def spread_bits(array: Any, start: Any, bits: Any) -> None: ...
    def gather_bits(array: Any, start: Any) -> Any: ...

elif JIT:

    def _octet(context: Any, builder: Any, kind: Any, value: Any, start: Any) -> Any:
        first = builder.bitcast(data_of(context, builder, kind, value), ir.IntType(8).as_pointer())
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
            target = builder.gep(data_of(context, builder, signature.args[0], values[0]), [values[1]])
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
            target = builder.gep(data_of(context, builder, signature.args[0], values[0]), [values[1]])
            flags = builder.bitcast(builder.trunc(values[2], ir.IntType(16)), ir.VectorType(ir.IntType(1), 16))
            wide = builder.zext(flags, ir.VectorType(target.type.pointee, 16))
            builder.store(wide, builder.bitcast(target, wide.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), generate

    @intrinsic
    def gather_bits(_context: Any, array: Any, start: Any) -> Any:
        """Sixty-four elements 0 or 1 of an 8-bit array or row, from `start` on, as an int64; nothing is checked."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            source = builder.gep(data_of(context, builder, signature.args[0], values[0]), [values[1]])
            octets = builder.load(builder.bitcast(source, ir.VectorType(ir.IntType(8), 64).as_pointer()), align=1)
            zeros = ir.Constant(octets.type, None)
            return builder.bitcast(builder.icmp_signed("!=", octets, zeros), ir.IntType(64))

        return types.int64(array, types.int64), generate

else:

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

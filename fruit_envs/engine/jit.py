"""How Numba is used: compiled kernels, and calls through their addresses.

A game's functions are compiled to native code with a fixed signature (`kernels.Kernels`) when they are first needed,
and loops reach them through their *addresses*. So loops know no game, are kept on disk, and see an edited rule at once.
With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python: kernels are then the Python functions themselves, and
`call` is a direct call.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config, sigutils
from numba.core.ccallback import CFunc
from numba.core.imputils import lower_cast
from numba.core.registry import CPUDispatcher
from numba.core.typing import make_concrete_template
from numba.extending import intrinsic

from fruit_envs.engine.cache import SafeCache, cache_folder

__all__ = [
    "JIT",
    "Native",
    "Record",
    "call",
    "data_of",
    "helper",
    "load",
    "loop",
    "parallel_loop",
    "row",
    "store",
    "subroutine",
    "word",
    "wrapping",
]

#: False when Numba is told not to compile (`NUMBA_DISABLE_JIT=1`).
JIT: bool = not config.DISABLE_JIT

#: One element of a structured array, as kernels see it. Numba knows its fields; type checkers do not.
Record = Any

F = TypeVar("F", bound=Callable[..., Any])


def _cached(made: Any, function: Any) -> Any:
    """Let something that Numba made keep its compiled code in our folder, if there is one."""
    if JIT and cache_folder() is not None:
        made._cache = SafeCache(function)
    return made


@contextmanager
def _without_collection() -> Iterator[None]:
    """Compiling makes many objects and few cycles: looking for them meanwhile takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def row(dtype: Any) -> Any:
    """The type of an array argument of a kernel: a pointer, without shape.

    An array by value is seven words through the stack; the wrapper that Numba puts around every kernel copies them, and
    the processor stalls on it (10 ns a call, measured). A kernel knows the length of each row from its rules.
    """
    return types.CPointer(numba.from_dtype(np.dtype(dtype)))


class Native:
    """A function that is compiled to native code of a fixed signature when its address is asked for.

    Parameters
    ----------
    function
        In the subset of Python that Numba compiles.
    signature
        Makes the signature; called before compiling.
    """

    _announced: ClassVar[set[str]] = set()

    def __init__(self, function: Any, signature: Callable[[], Any]) -> None:
        self.function, self._signature = function, signature

    @cached_property
    def address(self) -> int:
        """Where the compiled code lies. The first time it is compiled, or taken from the cache."""
        signature = sigutils.normalize_signature(self._signature())
        compiled = _cached(CFunc(self.function, signature, locals={}, options={"_nrt": False}), self.function)
        if not (isinstance(compiled._cache, SafeCache) and compiled._cache.knows()):
            self._announce()
        with _without_collection():
            compiled.compile()
        self._compiled = compiled  # it owns the code
        return int(compiled.address)

    def _announce(self) -> None:
        """Say once for each game why nothing happens for some seconds."""
        package = self.function.__module__.rpartition(".")[0] or self.function.__module__
        if package not in self._announced:
            self._announced.add(package)
            game = package.rpartition(".")[2]
            sys.stderr.write(f"fruit_envs: compiling {game}, which takes some seconds once\n")
            sys.stderr.flush()


class _Helper(CPUDispatcher):  # type: ignore[misc]
    """What kernels call: compiled into them, and once for each set of types rather than for each number in a call."""

    def __call__(self, *args: Any) -> Any:
        """From Python, where there is nothing compiled to call, the function runs as Python."""
        with np.errstate(over="ignore"):
            return self.py_func(*args)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        template, pysig, args, kws = super().get_call_template(tuple(_as_general(arg) for arg in args), kws)
        # Only what was compiled for these very types is offered: where one game's record is another's plus a last
        # field, Numba would consider the other's function too, and warn of it.
        exact = [signature for signature in self.nopython_signatures if signature.args == args]
        if exact:
            template = make_concrete_template(template.__name__, key=template.key, signatures=exact)
        return template, pysig, args, kws


def _as_general(kind: Any) -> Any:
    """The type as which a helper takes an argument: a number's for a constant, a row's for an array in a record."""
    kind = types.unliteral(kind)
    return types.CPointer(kind.dtype) if isinstance(kind, types.NestedArray) and kind.ndim == 1 else kind


if JIT:

    @lower_cast(types.NestedArray, types.CPointer)
    def _as_row(context: Any, builder: Any, from_type: Any, _to_type: Any, value: Any) -> Any:
        return context.make_array(from_type)(context, builder, value).data


def _called_by_kernels(function: Any, **options: Any) -> Any:
    made = numba.njit(_nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    if JIT:
        made.__class__ = _Helper
    return made


def helper(function: F) -> F:
    """Compile a small function that kernels call directly (it is inlined into them).

    An array in a record comes as a row: a pointer, without shape.
    """
    return _called_by_kernels(function, forceinline=True)


def subroutine(function: F) -> F:
    """Compile a function that kernels call and that is rarely reached: not worth a copy wherever it is called."""
    return _called_by_kernels(function)


def wrapping(function: F) -> F:
    """A helper whose uint64 arithmetic wraps around, silently in both worlds."""
    return helper(function) if JIT else np.errstate(over="ignore")(function)


def loop(function: F) -> F:
    """Compile a loop over games, once for all of them; it releases the GIL and starts no threads."""
    return _cached(numba.njit(nogil=True, _nrt=False)(function), function)


def parallel_loop(function: F) -> F:
    """Compile a loop whose `prange` is spread over threads. Only called when threads are asked for."""
    return _cached(numba.njit(function, nogil=True, parallel=True), function)


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

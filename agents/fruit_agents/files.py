"""Folders that one run has to itself, and tensors that anybody may have written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_envs.base.errors import InvalidFile, InvalidOption, missing_extra

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LOCK", "Form", "locked", "read_metadata", "read_tensors", "require_safetensors"]

#: The file by which a folder is locked; it stays where it is.
LOCK = "lock"

#: What a tensor must be: dtype and shape.
Form = tuple[type[np.generic], tuple[int, ...]]

#: As safetensors writes them.
_DTYPES: dict[type[np.generic], str] = {np.float32: "F32", np.int64: "I64", np.uint8: "U8"}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, which exists, against other runs; the system lets go of it however this process ends.

    Raises
    ------
    InvalidOption
        If another run holds it.
    MissingExtra
        Without filelock.
    """
    try:
        from filelock import FileLock, Timeout
    except ImportError as error:
        raise missing_extra("filelock", "agents") from error
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InvalidOption(f"{folder}: expected a folder that no other run uses, got one in use") from None
    try:
        yield
    finally:
        lock.release()


def require_safetensors() -> Any:
    """The modules safetensors and safetensors.numpy; raises `MissingExtra` where they are missing."""
    try:
        import safetensors.numpy
    except ImportError as error:
        raise missing_extra("safetensors", "agents") from error
    return safetensors


def read_metadata(path: Path, what: str) -> dict[str, str]:
    """The texts that lie beside the tensors in a safetensors file.

    Raises
    ------
    InvalidFile
        Where it cannot be read. `what` says for the message what it should hold.
    """
    with _opened(path, what) as file:
        return file.metadata() or {}


def read_tensors(path: Path, what: str, forms: Mapping[str, Form]) -> dict[str, NDArray[Any]]:
    """The tensors of a safetensors file.

    Parameters
    ----------
    path
        The file.
    what
        What it should hold, for the message.
    forms
        Name of each tensor -> what it must be: float32, int64 or uint8, and of which shape.

    Raises
    ------
    InvalidFile
        Where it cannot be read, holds other tensors, or numbers that are not finite.
    """
    with _opened(path, what) as file:
        names = set(file.keys())
        if names != set(forms):
            raise ValueError(f"{_few(set(forms) - names)} missing, {_few(names - set(forms))} unknown")
        tensors = {}
        for name, (dtype, shape) in forms.items():
            part = file.get_slice(name)
            came = part.get_dtype(), tuple(part.get_shape())
            if came != (_DTYPES[dtype], shape):
                raise ValueError(f"{name} as {came[0]} {came[1]}, not as {dtype.__name__} {shape}")
            tensors[name] = file.get_tensor(name)
            if not np.isfinite(tensors[name]).all():
                raise ValueError(f"NaN or infinity in {name}, not finite numbers")
    return tensors


@contextmanager
def _opened(path: Path, what: str) -> Iterator[Any]:
    safetensors = require_safetensors()
    try:
        with safetensors.safe_open(path, "np") as file:
            yield file
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise InvalidFile(f"expected {what} in {path}, got {error}") from error


def _few(names: set[str]) -> str:
    """Some names, for a message."""
    listed = sorted(names)
    return ", ".join(listed[:3]) + (f" and {len(listed) - 3} more" if len(listed) > 3 else "") or "none"

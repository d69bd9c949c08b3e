"""Files: JSON that anybody may have written is read strictly, and nothing is ever left half written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

from fruit_envs.base.errors import InvalidFile, brief

__all__ = [
    "DEPTH",
    "MAX_BYTES",
    "check_form",
    "naming",
    "parse_json",
    "read_json",
    "replace_file",
    "replacing",
    "rewriting",
]

#: JSON may be nested so deep, and a file of it so long, unless the caller says otherwise.
DEPTH, MAX_BYTES = 100, 2**26


# ---- reading -------------------------------------------------------------------------------------------------------


def parse_json(text: str | bytes) -> Any:
    """JSON, strictly: UTF-8, every name of an object once, finite numbers, at most `DEPTH` levels.

    Raises
    ------
    ValueError
        For anything else.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    too_deep = f"expected at most {DEPTH} levels, got more"
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError(too_deep) from None
    level = [value]
    for _ in range(DEPTH):
        level = [inner for outer in level for inner in _inside(outer) if isinstance(inner, (dict, list))]
        if not level:
            return value
    raise ValueError(too_deep)


def read_json(path: Path, what: str, form: Any = None, max_bytes: int = MAX_BYTES) -> Any:
    """The content of a JSON file, as `parse_json` reads it.

    Parameters
    ----------
    path
        The file.
    what
        What it should hold, for the message: "the description of a policy".
    form
        See `check_form`; None for any.
    max_bytes
        How long it may be.

    Raises
    ------
    InvalidFile
        Where it cannot be read, or has another form.
    """
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise ValueError(f"more than {max_bytes} bytes")
        value = parse_json(data)
        if form is not None:
            check_form(value, form)
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise InvalidFile(f"expected {what} in {path}, got {reason}") from error
    return value


def check_form(value: Any, form: Any, at: str = "it") -> None:
    """See that JSON has the form that is read from it.

    Parameters
    ----------
    value
        From `parse_json`.
    form
        A type, where `float` takes whole numbers too; `[form]`, a list of such; or `{name: form, ...}`, an object with
        at least these names.
    at
        Where in the file, for the message.

    Raises
    ------
    ValueError
        Naming what has another form.
    """
    kind = form if isinstance(form, type) else type(form)
    if type(value) not in ((int, float) if kind is float else (kind,)):
        raise ValueError(f"{brief(value)} for {at}, which is no {kind.__name__}")
    if kind is float and abs(value) > 1e300:  # a whole number that no float holds
        raise ValueError(f"{brief(value)} for {at}, which is too large")
    if isinstance(form, list):
        for number, inner in enumerate(value):
            check_form(inner, form[0], f"{at}[{number}]")
    elif isinstance(form, dict):
        for name, inner in form.items():
            if name not in value:
                raise ValueError(f"nothing for {name!r} in {at}")
            check_form(value[name], inner, name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"expected every name of an object once, got {brief(twice)} twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"expected a number, got {constant}")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"expected a finite number, got {brief(text)}")
    return value


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


# ---- writing -------------------------------------------------------------------------------------------------------


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Within it, an OSError names this file: one that comes from a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.filename == str(path):
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write what shall lie at `path`: whoever is stopped meanwhile leaves the old file, and no part of a new.

    Raises
    ------
    OSError
        Where it cannot be written (a full disk, say); names `path`.
    """
    part = path.with_name(f"{path.name}.part")
    with naming(path):
        try:
            yield part
            with part.open("rb+") as file:  # to write: Windows flushes no other
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def replace_file(path: Path, content: bytes | str) -> None:
    """Write a file in one go, text as UTF-8; see `replacing`."""
    with replacing(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def rewriting(path: Path) -> Iterator[TextIO]:
    """A text file to write in pieces, that lies at `path` when all is written; see `replacing`."""
    if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
        with naming(path), path.open("w", encoding="utf-8") as file:
            yield file
        return
    with replacing(path) as part, part.open("w", encoding="utf-8") as file:
        yield file

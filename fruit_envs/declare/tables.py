"""Component tables from files and from users: what every game that has one does to read it."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fruit_envs.base.errors import InvalidTable, brief
from fruit_envs.declare.options import same_rows

__all__ = ["check_published", "csv_rows", "deck_of"]

R = TypeVar("R")


def csv_rows(text: str, name: str, columns: Sequence[str], read: Callable[[dict[str, str]], R]) -> list[R]:
    """The rows of a deck's CSV text, in the order of their ids.

    Parameters
    ----------
    text, name
        What was read, and what to call it in errors.
    columns
        Its columns, `id` first; `family` may be missing.
    read
        Makes a row from its cells by column; a ValueError says what is wrong with them.

    Raises
    ------
    InvalidTable
        Naming the row.
    """
    try:
        lines = [cells for cells in csv.reader(io.StringIO(text)) if cells]
    except csv.Error as error:
        raise InvalidTable(f"deck {name}: expected a CSV file, got one that cannot be read ({error})") from error
    found = lines[0] if lines else []
    if found not in (list(columns), [column for column in columns if column != "family"]):
        raise InvalidTable(f"deck {name}: expected the columns {list(columns)}, got {lines[:1]}")
    rows = []
    for number, cells in enumerate(lines[1:]):
        try:
            row = dict(zip(found, cells, strict=True))
            if int(row["id"]) != number:
                raise ValueError(f"id {row['id']!r} is not {number}")
            rows.append(read(row))
        except (TypeError, ValueError) as error:
            raise InvalidTable(f"deck {name}, row {number}: expected {', '.join(columns)}; {error}") from error
    return rows


def deck_of(value: Any, read: Callable[[str, str], R], check: Callable[[Any], R]) -> R | str:
    """The value of an option `deck`: its name, or its rows; a path becomes its rows, so that a record needs no file.

    Parameters
    ----------
    value
        What was given.
    read, check
        The rows of a CSV file's text (and its name), and the checked rows of what is neither name nor path.

    Raises
    ------
    InvalidTable
        For a file that cannot be read, and as `read` and `check` do.
    """
    if isinstance(value, str) and value == "assumed-v1":
        return value
    if not isinstance(value, (str, os.PathLike)):
        return check(value)
    try:
        text = Path(value).read_text("utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a path with a null byte
        raise InvalidTable(
            f'deck: expected "assumed-v1", the path of a CSV file, or rows, got {brief(value)} ({error})'
        ) from error
    return read(text, str(value))


def check_published(what: str, table: Any, rows: Sequence[str], published: Mapping[str, Any]) -> None:
    """Refuse a table that is no object, or whose rows other than `rows` are not those of the published game."""
    if not isinstance(table, Mapping):
        raise InvalidTable(f"{what}: expected an object with the rows {list(rows)}, got {brief(table)}")
    for key, value in table.items():
        if key not in rows and (key not in published or not same_rows(value, published[key])):
            expected = published.get(key, f"no such row, but {list(rows)}")
            raise InvalidTable(f"{what} row {brief(key)}: expected {expected}, got {brief(value)}")

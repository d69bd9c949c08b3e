"""The folder of an arena: what was asked for, the parts that are finished, and the tables made of them.

arena.json       what the games depend on, and how the folder was made
parts/           finished deals, each file written in one go: a killed run loses only what it was playing
deals.parquet    all games, sorted (`DEALS`): the same bytes whatever the processes or interruptions, with one
                 version of pyarrow
timing.parquet   how long every decision took (`TIMING`)
results.json, results.md
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fruit_agents.arena.deals import deal_seed
from fruit_agents.arena.play import Played
from fruit_agents.files import LOCK, locked
from fruit_envs.base.errors import InvalidFile, InvalidOption, missing_extra
from fruit_envs.base.files import read_json, replace_file, replacing

__all__ = ["DEALS", "TIMING", "Store", "as_played", "as_table", "require_pyarrow"]

#: Columns of deals.parquet, one row a game, sorted by the first three: name -> (type, may be null, meaning).
DEALS: dict[str, tuple[str, bool, str]] = {
    "table": ("int32", False, "the table: a pair of agents, in the order of results.json"),
    "deal": ("int32", False, "index of the deal in its set"),
    "seat": ("int8", False, "seat of the one"),
    "one": ("string", False, "the agent with one seat"),
    "rest": ("string", False, "the agent in all other seats"),
    "seed": ("int64", False, "seed of the deal, below 2^53"),
    "share": ("float64", False, "win share of the one, 0..1"),
    "margin": ("float64", False, "score of the one minus the mean of the others', in points"),
    "decisions": ("int32", False, "decisions of all seats"),
    "failure": ("string", True, "illegal, raised or late; null where nobody failed"),
    "failed_seat": ("int8", True, "the seat that failed and lost"),
    "reason": ("string", True, "what it did, on one line"),
}

#: Columns of timing.parquet, in the same rows.
TIMING: dict[str, tuple[str, bool, str]] = {
    "table": DEALS["table"],
    "deal": DEALS["deal"],
    "seat": DEALS["seat"],
    "one_ns": ("list<int64>", False, "CPU nanoseconds of each decision of the one, its view included"),
    "rest_ns": ("list<int64>", False, "the same of the others"),
}

MANIFEST, PARTS = "arena.json", "parts"
FORMAT: dict[str, Any] = {"format": "fruit-arena", "format_version": 1}
_FORM = {"format": str, "format_version": int, "facts": {}}
_MADE = (MANIFEST, PARTS, LOCK, "deals.parquet", "timing.parquet", "results.json", "results.md")


def require_pyarrow() -> Any:
    """The modules pyarrow and pyarrow.parquet; raises `MissingExtra` where they are missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise missing_extra("pyarrow", "agents") from error
    return pyarrow


def _schema(columns: Mapping[str, tuple[str, bool, str]]) -> Any:
    pyarrow = require_pyarrow()
    fields = []
    for name, (kind, nullable, meaning) in columns.items():
        dtype = pyarrow.list_(pyarrow.int64()) if kind == "list<int64>" else pyarrow.type_for_alias(kind)
        fields.append(pyarrow.field(name, dtype, nullable, {"meaning": meaning}))
    return pyarrow.schema(fields)


def as_table(rows: Sequence[tuple[int, int, int, Played]], names: Sequence[tuple[str, str]]) -> Any:
    """Games as a pyarrow table with the columns of `DEALS` and `TIMING`.

    Parameters
    ----------
    rows
        Table, index of the deal, its seed, and the game.
    names
        The one and the rest of every table.
    """
    found = [
        {
            "table": table,
            "deal": deal,
            "seat": played.seat,
            "one": names[table][0],
            "rest": names[table][1],
            "seed": seed,
            "share": played.share,
            "margin": played.margin,
            "decisions": played.decisions,
            "failure": played.failure,
            "failed_seat": played.failed_seat,
            "reason": played.reason,
            "one_ns": played.nanoseconds[0],
            "rest_ns": played.nanoseconds[1],
        }
        for table, deal, seed, played in rows
    ]
    return require_pyarrow().Table.from_pylist(found, _schema(DEALS | TIMING))


def as_played(table: Any) -> list[Played]:
    """The games of a pyarrow table that `as_table` made, in its order."""
    return [
        Played(
            row["seat"],
            row["share"],
            row["margin"],
            row["decisions"],
            row["failure"],
            row["failed_seat"],
            row["reason"],
            (row["one_ns"], row["rest_ns"]),
        )
        for row in table.to_pylist()
    ]


class Store:
    """A folder that is this run's alone while it is open.

    Parameters
    ----------
    folder
        New, empty, or of an earlier run of the same facts.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def opened(self, facts: Mapping[str, Any], about: Mapping[str, Any], overwrite: bool) -> Iterator[None]:
        """Hold the folder, and see that what lies in it was made from the same facts.

        Parameters
        ----------
        facts
            All that the games depend on, JSON-ready.
        about
            What else the manifest tells; it may differ from run to run.
        overwrite
            Start anew where the facts differ, and where they do not.

        Raises
        ------
        InvalidOption
            If the folder is in use, holds something else, or was made from other facts; names the first that differs.
        """
        folder = self.folder
        manifest = folder / MANIFEST
        if folder.exists() and not folder.is_dir():
            raise InvalidOption(f"{folder}: expected a folder, got a file")
        if folder.exists() and not manifest.exists():
            begun = {PARTS, LOCK, MANIFEST, f"{MANIFEST}.part"}  # by a run killed before it had a manifest
            if any(path.name not in begun for path in folder.iterdir()) or any(folder.glob(f"{PARTS}/*")):
                raise InvalidOption(f"{folder}: expected a new folder or one of an arena, got one with other files")
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        with locked(folder):
            if overwrite:
                self._clear()
            elif manifest.exists():
                _compare(manifest, facts)
            written = FORMAT | {"facts": facts, **about}
            self.write(MANIFEST, json.dumps(written, indent=2, ensure_ascii=False) + "\n")
            yield

    def _clear(self) -> None:
        """Remove what an earlier run made, the manifest last, and nothing else."""
        shutil.rmtree(self.folder / PARTS)
        (self.folder / PARTS).mkdir()
        for name in reversed(_MADE):
            if name not in (PARTS, LOCK):
                (self.folder / name).unlink(missing_ok=True)

    def add(self, table: Any) -> None:
        """Keep a part: finished deals of one table, from `as_table`."""
        first, last = table.slice(0, 1).to_pylist()[0], table.slice(len(table) - 1).to_pylist()[0]
        name = f"{first['table']:06}-{first['deal']:010}-{last['deal']:010}.parquet"
        self._write_parquet(Path(PARTS) / name, table)

    def parts(self, names: Sequence[tuple[str, str]], num_players: int, deals: int, seed: int) -> tuple[Any, int]:
        """All finished games of the first deals, sorted, and the number of parts that were no good.

        A part that cannot be read, or whose games are not those of this arena, is removed: its deals are played again.

        Parameters
        ----------
        names
            The one and the rest of every table.
        num_players
            Games a deal.
        deals, seed
            How many deals of which set.
        """
        pyarrow = require_pyarrow()
        schema = _schema(DEALS | TIMING)
        found, done, bad = [schema.empty_table()], set[tuple[int, int]](), 0
        for path in (self.folder / PARTS).glob("*.part"):  # what a killed run was writing
            path.unlink()
        for path in sorted((self.folder / PARTS).glob("*.parquet")):
            part = _read_part(path, schema)
            held = set() if part is None else _deals_of(part, names, num_players, seed)
            if not held or not done.isdisjoint(held):
                bad += 1
                path.unlink()
                continue
            done |= held
            found.append(part)
        games = pyarrow.concat_tables(found)
        table, deal, seat = (games.column(name).to_numpy() for name in ("table", "deal", "seat"))
        order = np.lexsort((seat, deal, table))
        return games.take(order[deal[order] < deals]).combine_chunks(), bad

    def merge(self, games: Any) -> None:
        """Write deals.parquet and timing.parquet from all games, as `parts` gives them."""
        self._write_parquet(Path("deals.parquet"), games.select(list(DEALS)))
        self._write_parquet(Path("timing.parquet"), games.select(list(TIMING)))

    def _write_parquet(self, path: Path, table: Any) -> None:
        parquet = require_pyarrow().parquet
        with replacing(self.folder / path) as part:
            parquet.write_table(table, part, compression="zstd", write_page_checksum=True)

    def write(self, name: str, text: str) -> None:
        """Write a text file in one go."""
        replace_file(self.folder / name, text)


def _compare(manifest: Path, facts: Mapping[str, Any]) -> None:
    """The facts must be those of the manifest."""
    try:
        read = read_json(manifest, "the facts of an arena", _FORM)
    except InvalidFile as error:
        raise InvalidFile(f"{error}; --overwrite starts anew") from error
    old = {name: read[name] for name in FORMAT} | read["facts"]
    new = FORMAT | json.loads(json.dumps(facts))
    for name in {**new, **old}:
        if old.get(name) != new.get(name):
            raise InvalidOption(
                f"{manifest.parent}: expected {name} {_short(old.get(name))} as in the run that it holds, "
                f"got {_short(new.get(name))}; --overwrite starts anew"
            )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _read_part(path: Path, schema: Any) -> Any:
    """The games of a part, or None where it cannot be read."""
    pyarrow = require_pyarrow()
    try:
        part = pyarrow.parquet.read_table(path, page_checksum_verification=True)
    except (pyarrow.ArrowException, OSError):
        return None
    return part if part.schema.equals(schema) else None


def _deals_of(part: Any, names: Sequence[tuple[str, str]], num_players: int, seed: int) -> set[tuple[int, int]]:
    """The deals (table, index) of a part; empty where its rows are not all games of some deals of this arena."""
    columns = (part.column(name).to_pylist() for name in ("table", "deal", "seat", "one", "rest", "seed"))
    rows = list(zip(*columns, strict=True))
    held = dict.fromkeys(row[:2] for row in rows)
    expected = [
        (table, deal, seat, *names[table], deal_seed(deal, seed))
        for table, deal in held
        if 0 <= table < len(names)
        for seat in range(num_players)
    ]
    return set(held) if rows == expected else set()

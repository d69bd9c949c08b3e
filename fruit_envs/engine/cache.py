"""Where compiled code is kept between processes, and when it is out of date.

Numba's own cache looks at one file for each function, and trusts what it reads. Here a function is compiled anew when
any source file that it depends on has changed, and a damaged or unwritable cache costs a compile, never the game.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import platformdirs
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

__all__ = ["SafeCache", "cache_folder", "source_stamp"]

_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n#]*)|import\s+([\w.]+))", re.MULTILINE)


def _usable(folder: Path) -> bool:
    """Whether this folder exists (or can be made), is ours, private, and takes files.

    The cache holds pickles: a folder that others can write to would let them run code here. Windows tells nothing of
    that in a folder's mode; there the user's own folders are private by themselves.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.stat()
        if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def cache_folder() -> Path | None:
    """Where compiled code is kept, or None when no private folder can be written.

    `NUMBA_CACHE_DIR` if set, else the user's cache folder (on Linux `$XDG_CACHE_HOME` or `~/.cache`), else a private
    folder in the system's temporary directory.
    """
    user = f"fruit_envs-{os.getuid()}" if hasattr(os, "getuid") else "fruit_envs"
    places = [Path(tempfile.gettempdir()) / user]
    with suppress(RuntimeError):  # no home directory is known
        places.insert(0, Path(platformdirs.user_cache_dir("fruit_envs", appauthor=False)))
    if config.CACHE_DIR:
        places.insert(0, Path(config.CACHE_DIR) / "fruit_envs")
    return next((place for place in places if _usable(place)), None)


def _imported(text: str, top: str) -> set[str]:
    """The modules of our packages that a source file may import."""
    names = set()
    for module, members, plain in _IMPORT.findall(text):
        name = module or plain
        if name.split(".")[0] in (top, "fruit_envs"):
            names.add(name)
            names |= {f"{name}.{member.split()[0]}" for member in members.strip("()").split(",") if member.split()}
    return names


@cache
def _file_of(module: str) -> Path | None:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@cache
def _source(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def source_stamp(module: str) -> str:
    """A hash of the source files that a module is made of: its own, and those of our packages that it imports.

    What is imported from other libraries does not count, nor do edits while the process runs.
    """
    waiting, files = [module], set()
    seen = {module}
    while waiting:
        path = _file_of(waiting.pop())
        if path is None or path in files:
            continue
        files.add(path)
        new = _imported(_source(path), module.split(".")[0]) - seen
        seen |= new
        waiting += new
    digest = hashlib.sha256(f"bounds={config.BOUNDSCHECK} python={sys.version}".encode())
    for path in sorted(files):
        digest.update(_source(path).encode())
    return digest.hexdigest()[:16]


class _Locator(_CacheLocator):  # type: ignore[misc]
    """A folder for each state of the sources, so that two of them never overwrite each other's files."""

    def __init__(self, function: Any, folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._folder = folder / source_stamp(function.__module__)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Any, _file: str) -> _Locator | None:
        folder = cache_folder()
        return None if folder is None else cls(function, folder)


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class SafeCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, where whatever goes wrong means that the function is compiled."""

    _impl_class = _Impl

    def knows(self) -> bool:
        """Whether something was kept of this function; it may still be out of date."""
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was kept for a signature, or None."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # an emptied, truncated or foreign file can fail in any way
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room for it."""
        try:
            super().save_overload(sig, data)
        except Exception:  # a full disk, a folder that vanished, an index that cannot be read
            self._forget()

    def _forget(self) -> None:
        with suppress(OSError):
            Path(self._cache_file._index_path).unlink()

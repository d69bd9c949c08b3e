"""Where compiled code is kept between processes."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from functools import cache
from pathlib import Path

from numba.core import config

__all__ = ["cache_folder"]

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

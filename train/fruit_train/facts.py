"""Where and with what a run was made."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

__all__ = ["cpu_minutes", "machine", "versions"]

_PACKAGES = ("fruit-envs", "gymnasium", "numba", "numpy", "sb3-contrib", "stable-baselines3", "torch")


def cpu_minutes() -> float:
    """Processor time of this process and of its children that have ended, in minutes."""
    return sum(os.times()[:4]) / 60


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that decide what is learnt."""
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES}


def machine() -> str:
    """The processor, as far as the system tells, and how many of them."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = named[0] if named else model
    return f"{os.cpu_count()} x {model}, {platform.system()}"

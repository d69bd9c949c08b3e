"""Registers the toy game beside the published ones, so that every parametrised test runs on it too."""

from __future__ import annotations

from fruit_envs.core.catalog import GAMES, Entry
from fruit_envs.registry import register_all

GAMES["toy_windows"] = Entry("Toy Windows", 0, "toy_windows")
register_all()

"""Registers the toy game beside the published ones, so that every parametrised test runs on it too."""

from __future__ import annotations

import signal

import pytest

from fruit_envs.declare.catalog import GAMES, Entry
from fruit_envs.faces.registration import register_all

GAMES["toy_windows"] = Entry("Toy Windows", 0, "toy_windows")
register_all()


@pytest.fixture(autouse=True, scope="session")
def _interrupts_are_heard() -> None:
    """Background jobs of a shell begin with Ctrl-C ignored, and so do their children; these tests need it heard."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

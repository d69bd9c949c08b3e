"""Registers the toy game beside the published ones, so that every parametrised test runs on it too."""

from __future__ import annotations

import signal

import pytest

from fruit_envs import register_game

register_game("toy_windows", "toy_windows")


@pytest.fixture(autouse=True, scope="session")
def _interrupts_are_heard() -> None:
    """Background jobs of a shell begin with Ctrl-C ignored, and so do their children; these tests need it heard."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

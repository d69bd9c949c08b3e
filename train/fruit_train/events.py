"""`Events`: what stable-baselines3 logs, for TensorBoard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from time import time, time_ns
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

from fruit_envs.base.files import naming

__all__ = ["Events"]


class Events(KVWriter):
    """Appends the logged numbers to a file of events when they are logged.

    stable-baselines3's own writer leaves that to a thread. Where the disk is full, the thread dies with a traceback and
    nobody hears which file it was.

    Parameters
    ----------
    folder
        Made if it does not exist; each writer has a file of its own there.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.path = folder / f"events.out.tfevents.{time_ns()}.{os.getpid()}"
        self._append(Event(wall_time=time(), file_version="brain.Event:2"))

    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, Any], step: int = 0) -> None:
        """Append the numbers of one step."""
        numbers = [
            Summary.Value(tag=name, simple_value=value)
            for name, value in sorted(key_values.items())
            if isinstance(value, (int, float, np.number)) and "tensorboard" not in (key_excluded[name] or ())
        ]
        self._append(Event(wall_time=time(), step=step, summary=Summary(value=numbers)))

    def close(self) -> None:
        """Nothing is held open."""

    def _append(self, event: Event) -> None:
        with naming(self.path), self.path.open("ab") as file:
            RecordWriter(file).write(event.SerializeToString())

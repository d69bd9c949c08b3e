"""Agents for the tests of the arena, in a module of their own so that other processes find them."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from fruit_envs.agents.agent import Agent


class First(Agent):
    """The lowest legal action."""

    name, uses_view = "first", False

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int, memory: np.ndarray) -> Any:
        return int(np.flatnonzero(mask)[0])


class Last(First):
    """The highest legal action."""

    name = "last"

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int, memory: np.ndarray) -> Any:
        return int(np.flatnonzero(mask)[-1])


class Later(First):
    """Plays as `First` does, and does something else at its third decision."""

    name = "later"

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int, memory: np.ndarray) -> Any:
        picks = int(self.game.layout.block(observation, "picks")[0])
        return super().act(observation, mask, view, key, memory) if picks < 2 else self.third()

    def third(self) -> Any:
        raise NotImplementedError


class Cheat(Later):
    """Takes card 0, whether it is there or not."""

    name = "cheat"

    def third(self) -> Any:
        return 0


class Answers(Later):
    """Gives an answer of your choice."""

    name = "answers"

    def __init__(self, game: Any, answer: Any) -> None:
        super().__init__(game)
        self.answer = answer

    def third(self) -> Any:
        return self.answer


class Raises(Later):
    """Raises what you like."""

    name = "raises"

    def __init__(self, game: Any, error: BaseException) -> None:
        super().__init__(game)
        self.error = error

    def third(self) -> Any:
        raise self.error


class Sleeps(Later):
    """Sleeps for 50 ms, and answers nothing legal."""

    name = "sleeps"

    def third(self) -> Any:
        time.sleep(0.05)
        return -1


class Hangs(Later):
    """Never answers, and does not listen to exceptions."""

    name = "hangs"

    def third(self) -> Any:
        while True:
            try:
                sum(range(100))
            except Exception:
                continue


class Dies(Later):
    """Takes its process with it, unless that is the one that it was told of."""

    name = "dies"

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.home = os.getpid()

    def third(self) -> Any:
        if os.getpid() != self.home:
            os._exit(3)
        return 0

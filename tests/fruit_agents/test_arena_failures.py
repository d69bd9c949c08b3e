"""An agent that raises, answers illegally or too late loses that game, and the reason is told."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from arena_agents import Answers, Cheat, First, Hangs, Raises, Sleeps

import fruit_envs
from fruit_agents.arena import duplicate_match
from fruit_agents.arena.play import Table, warm_up

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])


class Wicked(Exception):
    """Its text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


class Index:
    """Looks like a number, and is none."""

    def __index__(self) -> int:
        raise ZeroDivisionError


class Nameless:
    """As little as an agent can be."""

    def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int, memory: np.ndarray) -> int:
        return int(np.flatnonzero(mask)[0])


#: Points: at most 24 pieces a seat, at least -4 each, at most 5 for those of the others.
WORST = -24.0 * 4 - 24.0 * 5


def load(num_players: int = 2, **options: Any) -> Any:
    return fruit_envs.load("fruit_cocktail", num_players=num_players, **options)


def fails(game: Any, agent: Any, **limits: Any) -> tuple[str | None, str]:
    """How an agent fails that meets `First`, in seat 0 of one deal, and why."""
    played = Table(game, agent, First(game), **limits).seatings(1)[0]
    assert (played.failed_seat, played.share) == (0, 0)
    assert played.reason is not None
    assert "\n" not in played.reason
    return played.failure, played.reason


@COUNTS
def test_who_fails_loses(num_players: int) -> None:
    game = load(num_players, margin_scale=12.0)
    result = duplicate_match(game, Cheat(game), First(game), deals=20, progress=False)
    guilty = result.rows["failed"] == 1
    assert result.illegal == result.failures["illegal"] == guilty.sum() == len(result.reasons) > 0
    assert (result.rows["failure"] == guilty).all()
    assert set(result.opponent_failures.values()) == {0}
    assert (result.rows["share"][guilty] == 0).all()
    assert np.allclose(result.rows["margin"][guilty], WORST)
    assert all("expected a" in reason and "decision" in reason for reason in result.reasons)


@COUNTS
def test_a_side_loses_where_one_of_its_seats_fails(num_players: int) -> None:
    game = load(num_players, margin_scale=12.0)
    result = duplicate_match(game, First(game), Answers(game, -1), deals=20, progress=False)
    assert result.opponent_failures == {"illegal": 20 * num_players, "raised": 0, "late": 0}
    assert set(result.failures.values()) == {0}
    assert result.win_share.mean == 1
    assert np.allclose(result.rows["margin"], -WORST)


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), BaseException("any")])
def test_an_agent_cannot_end_the_program(error: BaseException) -> None:
    game = load()
    kind, reason = fails(game, Raises(game, error))
    assert (kind, type(error).__name__ in reason) == ("raised", True)
    assert duplicate_match(game, First(game), Raises(game, error), deals=2, progress=False).win_share.mean == 1


@pytest.mark.parametrize(
    "answer", [24, -1, 10**30, True, 0.0, "0", None, [0], np.array([0]), object(), Index(), np.float32(0)]
)
def test_answers_that_are_no_actions(answer: Any) -> None:
    game = load()
    kind, reason = fails(game, Answers(game, answer))
    assert kind == "illegal"
    assert reason.startswith("decision 3: expected an action id")
    assert fails(game, Answers(game, answer))[1] == reason


def test_reasons_are_the_same_in_every_process() -> None:
    game = load()
    reason = fails(game, Answers(game, object()))[1]
    assert reason.endswith(" got <object objec...0x…>")
    assert fails(game, Raises(game, ValueError("at 0xbeef\n\tor \ud800")))[1].endswith("ValueError: at 0x… or ?")


@pytest.mark.parametrize("error", [ValueError("x" * 9999), Wicked(), RecursionError(), MemoryError(), StopIteration()])
def test_exceptions_of_an_agent(error: Exception) -> None:
    game = load()
    kind, reason = fails(game, Raises(game, error))
    assert kind == "raised"
    assert reason.startswith(f"decision 3: {type(error).__name__}")
    assert len(reason) <= 300


def test_an_illegal_action_in_an_agent_s_own_search_is_an_exception() -> None:
    game = load()
    assert fails(game, Raises(game, fruit_envs.IllegalAction("in a view")))[0] == "raised"


@pytest.mark.parametrize("stop", [KeyboardInterrupt()])
def test_a_user_who_stops_the_program_is_no_failure(stop: BaseException) -> None:
    game = load()
    with pytest.raises(type(stop)):
        duplicate_match(game, Raises(game, stop), "random", deals=1, progress=False)


def test_a_late_answer_loses_whatever_it_is() -> None:
    game = load()
    kind, reason = fails(game, Sleeps(game), time_limit=0.02)
    assert (kind, reason) == ("late", "decision 3: expected an answer within 0.02 s")
    assert fails(game, Sleeps(game), time_limit=10)[0] == "illegal"


def test_the_limit_is_wall_time_and_what_is_told_is_cpu_time() -> None:
    game = load()
    result = duplicate_match(game, Sleeps(game), "greedy", deals=2, time_limit=0.02, progress=False)
    assert result.failures["late"] == 4
    assert 0 < result.p50_ms <= result.p99_ms < 15  # the sleep was cut off after 20 ms
    result = duplicate_match(game, Sleeps(game), "greedy", deals=2, progress=False)
    assert 0 < result.p50_ms <= result.p99_ms < 25  # it slept for 50 ms


def test_an_endless_loop_is_interrupted() -> None:
    game = load()
    before = signal.getsignal(signal.SIGALRM)
    began = time.perf_counter()
    result = duplicate_match(game, Hangs(game), "greedy", deals=2, time_limit=0.05, progress=False)
    assert result.failures == {"illegal": 0, "raised": 0, "late": 4}
    assert time.perf_counter() - began < 5
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert result.p99_ms > 5  # an unanswered decision counts too


def test_outside_the_main_thread_lateness_shows_after_the_answer() -> None:
    game, found = load(), []
    thread = threading.Thread(target=lambda: found.append(fails(game, Sleeps(game), time_limit=0.02)))
    thread.start()
    thread.join()
    assert found[0][0] == "late"


def test_the_limit_spares_what_is_compiled_first() -> None:
    class Compiles(First):
        asked = 0

        def act(self, observation: np.ndarray, mask: np.ndarray, view: Any, key: int, memory: np.ndarray) -> int:
            self.asked += 1
            time.sleep(0.2 * (self.asked == 1))
            return super().act(observation, mask, view, key, memory)

    game = load()
    result = duplicate_match(game, Compiles(game), First(game), deals=1, time_limit=0.1, progress=False)
    assert result.failures["late"] == 0
    warm_up(game, Raises(game, ValueError()), None)


def test_an_agent_without_a_name() -> None:
    result = duplicate_match(load(), Nameless(), "random", deals=2, progress=False)
    assert (result.agent, set(result.failures.values())) == ("Nameless", {0})

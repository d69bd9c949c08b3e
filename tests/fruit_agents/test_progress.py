"""What is told of progress on stderr, with and without a terminal; tables of results on stdout."""

from __future__ import annotations

import io
import sys

import pytest

import fruit_envs
from fruit_agents import progress
from fruit_agents.arena import duplicate_match, print_results, to_markdown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, as the module sees it."""
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_without_a_terminal_a_line_every_thirty_seconds(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in progress.tracked(range(100), "waiting [for] \x1b[2J"):
        clock[0] += 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [rf"waiting [for] \x1b[2J: {done} of 100" for done in (30, 60, 90)]
    assert "\r" not in err


def test_a_run_of_less_than_thirty_seconds_is_silent(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in progress.tracked(range(29), "waiting"):
        clock[0] += 1
    assert capsys.readouterr() == ("", "")


def test_what_was_done_before_counts_and_notes_are_told(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with progress.counted(20_000, "training", done=5_000) as counter:
        counter.note("+1.0 against random")
        counter.advance(1_000)
        clock[0] = 40
        counter.advance(1_000)
    assert capsys.readouterr().err == "training: 7,000 of 20,000; +1.0 against random\n"


def test_on_a_terminal_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress.counted(10, "waiting [for]") as counter:
        counter.advance(4)
        counter.note("a note")
    assert "waiting [for]" in terminal.getvalue()
    assert "4/10" in terminal.getvalue()
    assert capsys.readouterr().out == ""


def test_tables_are_drawn_on_a_terminal_and_markdown_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = fruit_envs.load("fruit_cocktail")
    agent = fruit_envs.RandomAgent(game)
    agent.name = "a|b\n\x1b[2J[bold]"
    results = [duplicate_match(game, agent, "random", deals=2, progress=False)]
    print_results(results)
    printed = capsys.readouterr().out
    assert printed == to_markdown(results)
    assert r"| a\|b \x1b[2J[bold] | random |" in printed
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    print_results(results)
    assert r"a|b \x1b[2J[bold]" in terminal.getvalue()
    assert "duplicates" in terminal.getvalue()
    assert "---" not in terminal.getvalue()
    terminal.truncate(0)
    monkeypatch.setenv("COLUMNS", "80")
    print_results(results)
    assert "duplicates" not in terminal.getvalue()
    assert f"{results[0].margin.mean:+.2f}" in terminal.getvalue()

"""`fruit-envs arena`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import fruit_envs
from fruit_agents.arena import duplicate_match, run
from fruit_agents.commands import app

pytest.importorskip("pyarrow")


def invoke(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["arena", *map(str, arguments)])


def test_the_table_is_printed_and_kept(tmp_path: Path) -> None:
    options = ("--num-players", 3, "--option", "mode=easy", "--deals", 3, "--seed", 2, "--agent-seed", 5)
    done = invoke("fruit_cocktail", "greedy", "random", *options, "--time-limit", 20, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert len(lines) == 2 + 4
    assert lines[2].startswith("| greedy | random | 1 of 3 | 3 | ")
    assert lines[3].startswith("| random | greedy | 2 of 3 | 3 | ")
    assert done.stdout in (tmp_path / "out" / "results.md").read_text("utf-8")
    game = fruit_envs.load("fruit_cocktail", num_players=3, mode="easy")
    found = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    match = duplicate_match(game, "greedy", "random", deals=3, seed=2, agent_seed=5, progress=False)
    assert found["results"][0]["margin"] == match.margin.to_json()
    assert found["facts"]["time_limit"] == 20


def test_without_a_folder_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("fruit_cocktail", "greedy", "random", "--deals", 1).exit_code == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fruit_cocktail", "greedy"), "two agents or more"),
        (("fruit_cocktail", "greedy", "greedy"), "different names"),
        (("fruit_cocktail", "greedy", "nobody"), "unknown agent"),
        (("fruit_cocktail", "greedy", "random", "--deals", 0), "deals"),
        (("fruit_cocktail", "greedy", "random", "--jobs", 0), "jobs"),
        (("fruit_cocktail", "greedy", "random", "--time-limit", 0), "time_limit"),
        (("fruit_cocktail", "greedy", "random", "--agent-seed", -1), "agent seed"),
        (("fruit_cocktail", "greedy", "random", "--num-players", 3, "--option", "num_players=2"), "one number"),
        (("fruit_coctail", "greedy", "random"), "did you mean"),
    ],
)
def test_mistakes_are_told_on_one_line(arguments: tuple[object, ...], message: str) -> None:
    done = invoke(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("fruit-envs: ")
    assert message in line


def test_other_facts_are_refused(tmp_path: Path) -> None:
    out = ("--out", tmp_path, "--deals", 2)
    assert invoke("fruit_cocktail", "greedy", "random", *out).exit_code == 0
    refused = invoke("fruit_cocktail", "greedy", "random", *out, "--seed", 1)
    assert refused.exit_code == 2
    assert "expected seed 0" in refused.stderr
    assert invoke("fruit_cocktail", "greedy", "random", *out, "--seed", 1, "--overwrite").exit_code == 0


def test_ctrl_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{run.__module__.rpartition('.')[0]}.command.run", stopped)
    done = invoke("fruit_cocktail", "greedy", "random")
    assert done.exit_code == 130
    assert "--out FOLDER" in done.stderr

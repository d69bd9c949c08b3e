"""The command line, command by command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import fruit_envs
from fruit_agents import cli
from fruit_agents.commands import app
from fruit_agents.describe import describe, folded
from fruit_envs.declare.catalog import GAMES
from fruit_envs.games.fruit_cocktail.components import default_deck


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def fails(*arguments: object, code: int = 2) -> str:
    """The one line that a failing call prints on stderr."""
    result = run(*arguments, code=code)
    (line,) = result.stderr.splitlines()
    assert line.startswith("fruit-envs: ")
    return line


def test_list() -> None:
    lines = run("list").stdout.splitlines()
    assert "fruit_cocktail  Fruit Cocktail, version 0; agents: random, greedy, greedy2" in lines
    assert "fruit_salad_memory  Fruit Salad with memory=tabletop" in lines


def test_the_version_and_help() -> None:
    assert run("--version").stdout == f"fruit-envs {fruit_envs.__version__}\n"
    head = run("--help").stdout.split("Commands")[0]
    assert "play" not in head  # nobody can yet
    assert "--version" in head


def test_presets_are_known_by_name() -> None:
    facts = json.loads(run("describe", "fruit_salad_memory", "--json").stdout)
    assert facts == json.loads(json.dumps(describe(fruit_envs.load("fruit_salad", memory="tabletop"))))
    assert facts["env_id"] == "fruit/fruit_salad_memory-v0"
    assert "memory_all" in facts["agents"]
    assert "counter" not in facts["agents"], "it needs what a tabletop does not show"
    short = {"max_reveals": 120, "points_to_win": 1}
    assert facts["presets"] == {"fruit_salad_memory": {"memory": "tabletop"}, "fruit_salad_short": short}
    text = run("describe", "fruit_salad").stdout
    assert text.startswith("Fruit Salad: fruit/fruit_salad-v0; ")
    assert "Preset fruit_salad_memory: memory=tabletop" in text
    other = json.loads(run("describe", "fruit_salad_memory", "--option", "max_reveals=9", "--json").stdout)
    assert {o["name"]: o["value"] for o in other["options"]}["memory"] == "tabletop"
    assert other["env_id"] == "fruit/fruit_salad-v0"
    (record,) = json.loads(run("record", "fruit_salad_memory", "--option", "max_reveals=9").stdout)
    assert (record["game"], record["options"]["memory"]) == ("fruit_salad", "tabletop")


def test_shrunken_games_are_listed_and_recorded(tmp_path: Path) -> None:
    text = run("describe", "fruit_cocktail").stdout
    assert "Shrunken games (option mini): 3x2 4x2 5x2 3x3 6x2 4x3\n" in text
    facts = json.loads(run("describe", "fruitoplay", "--option", "mini=2x3,2,2", "--json").stdout)
    values = {o["name"]: o["value"] for o in facts["options"]}
    assert (values["mini"], values["num_players"]) == ("2x3,2,2", 2)
    file = tmp_path / "mini.json"
    run("record", "fruit_cocktail", "--option", "mini=4x3", "--seed", 1, "--out", file)
    (record,) = json.loads(file.read_text())
    assert record["options"] == {"num_players": 2, "mini": "4x3"}
    assert "fruit_cocktail" in run("replay", file).stdout


def test_describe_json() -> None:
    facts = json.loads(run("describe", "fruit_cocktail", "--option", "num_players=3", "--json").stdout)
    game = fruit_envs.load("fruit_cocktail", num_players=3)
    assert facts == json.loads(json.dumps(describe(game)))
    assert facts["actions"]["count"] == len(facts["actions"]["names"]) == 24
    assert {o["name"]: o["value"] for o in facts["options"]}["num_players"] == 3
    assert {o["name"]: o["default"] for o in facts["options"]}["num_players"] == 2
    places = [block["slice"] for block in facts["observation"]["blocks"]]
    assert [stop for _, stop in places] == [*(start for start, _ in places[1:]), facts["observation"]["size"]]


def test_describe_tables() -> None:
    text = run("describe", "fruit_cocktail").stdout
    game = fruit_envs.load("fruit_cocktail")
    for name in [*game.action_names, *game.options, *(block.name for block in game.layout.blocks)]:
        assert name in text
    assert "24 x 8" in text
    assert "64:256" in text
    assert "[fruit id," in text  # brackets are text


def test_describe_folds_runs_of_like_actions() -> None:
    text = run("describe", "fruity_fruit").stdout
    assert len(text.splitlines()) < 130
    assert "36 to 235" in text
    names = fruit_envs.load("fruity_fruit", action_mode="single").action_names
    rows = folded(names)
    assert rows[0] == ("0 to 1419", f"{names[0]}, {names[1]}, …, {names[1419]}")
    assert rows[-1] == (str(len(names) - 1), "take grape")
    reached = 0
    for ids, _ in rows:
        first, _, last = ids.partition(" to ")
        assert int(first) == reached
        reached = int(last or first) + 1
    assert reached == len(names)


def test_warmup() -> None:
    assert run("warmup", "fruit_cocktail").stdout.startswith("fruit_cocktail: ")
    assert run("warmup").stdout.count(" s\n") == len(GAMES)


def test_record_and_replay(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    arguments = ("--num-players", 3, "--games", 4, "--seed", 9, "--agents", "random,greedy,greedy2")
    run("record", "fruit_cocktail", *arguments, "--option", "mode=easy", "--option", "margin_scale=5", "--out", file)
    records = json.loads(file.read_text("utf-8"))
    assert [record["seed"] for record in records] == [9, 10, 11, 12]
    assert records[0]["agents"] == ["random", "greedy", "greedy2"]
    assert records[0]["options"] == {"num_players": 3, "mode": "easy", "margin_scale": 5.0}
    agents = ["random", "greedy", "greedy2"]
    game = fruit_envs.load("fruit_cocktail", num_players=3, mode="easy", margin_scale=5)
    assert records == json.loads(json.dumps(fruit_envs.record(game, agents, games=4, seed=9)))
    lines = run("replay", file).stdout.splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("game 1: fruit_cocktail, seed 10, random, greedy, greedy2: ")


def test_record_to_stdout_with_one_agent_for_all_seats(tmp_path: Path) -> None:
    records = json.loads(run("record", "fruit_cocktail", "--agents", "greedy", "--num-players", 4).stdout)
    assert records[0]["agents"] == ["greedy"] * 4
    again = run("record", "fruit_cocktail", "--agents", "greedy", "--num-players", 4, "--seed", records[0]["seed"])
    assert json.loads(again.stdout) == records
    file = tmp_path / "one.json"
    file.write_text(json.dumps(records[0]))
    assert len(run("replay", file).stdout.splitlines()) == 1


def test_option_values_are_json_or_text(tmp_path: Path) -> None:
    deck = [list(row) for row in default_deck()]
    deck[0][2] = 5
    (record,) = json.loads(run("record", "fruit_cocktail", "--option", f"deck={json.dumps(deck)}").stdout)
    assert record["options"]["deck"] == deck
    assert "tie" not in json.loads(run("record", "fruit_cocktail", "--option", "tie=share").stdout)[0]["options"]


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda record: record["events"].pop(), "event 26|event 27|event"),
        (lambda record: record["events"][1].update(card=99), "event 1"),
        (lambda record: record["scores"].reverse(), "scores"),
        (lambda record: record.pop("seed"), "keys"),
    ],
)
def test_replay_stops_at_the_first_failure(tmp_path: Path, edit: Any, named: str) -> None:
    records = fruit_envs.record("fruit_cocktail", "greedy", games=3, seed=1)
    edit(records[1])
    file = tmp_path / "games.json"
    file.write_text(json.dumps(records))
    result = run("replay", file, code=1)
    assert len(result.stdout.splitlines()) == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("fruit-envs: game 1: ")
    assert any(name in line for name in named.split("|"))


def test_what_is_no_record(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    file.write_text("{")
    assert "expected a record or a list of records as JSON in" in fails("replay", file)
    file.write_bytes(b"\xff\xfe\xfa")
    assert "expected a record or a list of records as JSON in" in fails("replay", file)
    file.write_text("5")
    assert "game 0: expected an object" in fails("replay", file, code=1)
    assert "No such file" in fails("replay", tmp_path / "none.json")


def test_records_that_fail_leave_the_file_that_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "records.json"
    run("record", "fruit_cocktail", "--seed", 1, "--out", file)
    before = file.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fruit_envs, "record", full)
    assert f"No space left on device: '{file}'" in fails("record", "fruit_cocktail", "--seed", 2, "--out", file)
    assert [path.name for path in tmp_path.iterdir()] == ["records.json"]
    assert file.read_bytes() == before


def test_a_list_without_records_and_keys_that_are_there_twice(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    file.write_text("[]")
    assert fails("replay", file).endswith("got an empty list")
    (record,) = fruit_envs.record("fruit_cocktail", seed=1)
    for text in (json.dumps(record), json.dumps([record])):
        file.write_text(text.replace('"seed": 1,', '"seed": 2, "seed": 1,'))
        assert "got 'seed' twice" in fails("replay", file)
    file.write_text(text.replace('"event": "take"', '"event": "take", "event": "take"', 1))
    assert "got 'event' twice" in fails("replay", file)


def test_names_in_a_record_are_printed_on_one_line_whatever_they_hold(tmp_path: Path) -> None:
    (record,) = fruit_envs.record("fruit_cocktail", seed=1)
    record["agents"] = ["\ud800 é", "a\ngame 1: forged\x1b[2J\u2028\u202e"]
    file = tmp_path / "games.json"
    file.write_text(json.dumps(record))
    (line,) = run("replay", file).stdout.splitlines()
    assert line.startswith(
        r"game 0: fruit_cocktail, seed 1, \ud800 é, a\ngame 1: forged\x1b[2J\u2028\u202e: ".replace("\\\\", "\\")
    )


def test_options_of_a_record_are_refused_in_their_own_words(tmp_path: Path) -> None:
    (record,) = fruit_envs.record("fruit_cocktail", seed=1)
    file = tmp_path / "games.json"
    for option, value, message in (
        ("num_players", "2", "option num_players: expected a whole number 2..4, got '2'"),
        ("margin_scale", "2", "option margin_scale: expected a number"),
        ("deck", "/etc/passwd", "option deck: expected 'assumed-v1' or a whole table, got '/etc/passwd'"),
    ):
        file.write_text(json.dumps({**record, "options": {"num_players": 2, option: value}}))
        assert message in fails("replay", file, code=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("describe", "fruit_coctail"), "did you mean 'fruit_cocktail'"),
        (("describe", "fruit_cocktail", "--option", "num_player=3"), "unknown option 'num_player'"),
        (("describe", "fruit_cocktail", "--option", "num_players"), "expected name=value"),
        (("describe", "fruit_cocktail", "--option", "tie=share", "--option", "tie=replay"), "each name once"),
        (("describe", "fruit_cocktail", "--option", "num_players=9"), "whole number 2..4"),
        (("warmup", "nothing"), "unknown game"),
        (("record", "fruit_cocktail", "--agents", "nobody"), "unknown agent"),
        (("record", "fruit_cocktail", "--agents", "random,random,random"), "expected one agent or 2"),
        (("record", "fruit_cocktail", "--agents", "greedy", "--option", "memory=tabletop"), 'memory="perfect"'),
        (("record", "fruit_cocktail", "--seed", "-1"), "expected a seed"),
        (("record", "fruit_cocktail", "--seed", 2**53 - 1, "--games", 2), "expected a seed"),
        (("record", "fruit_cocktail", "--num-players", 2, "--option", "num_players=3"), "one number of players"),
        (("record", "fruit_cocktail", "--out", "/nowhere/at/all.json"), "No such file"),
    ],
)
def test_mistakes_are_told_on_one_line(arguments: tuple[object, ...], message: str) -> None:
    assert message in fails(*arguments)


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "fruit_agents.commands")
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert 'pip install "fruit-envs[agents]"' in capsys.readouterr().err


def test_as_a_process() -> None:
    command = [sys.executable, "-m", "fruit_agents.cli"]
    done = subprocess.run(
        [*command, "record", "fruit_cocktail", "--seed", "1"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)[0]["seed"] == 1
    assert done.stderr == ""
    failed = subprocess.run([*command, "record", "banana"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
    assert failed.stdout == ""
    assert len(failed.stderr.splitlines()) == 1

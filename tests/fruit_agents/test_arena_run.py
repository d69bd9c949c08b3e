"""The arena's folder: bit-equal whatever the processes and interruptions, resumable, and never of two runs at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arena_agents import Answers, Cheat, Dies, First, Last, Raises

import fruit_envs
from fruit_agents.arena import WorkerDied, deal_seeds, duplicate_match, run, workers
from fruit_agents.policy import save_policy
from fruit_envs.base.errors import InvalidFile, InvalidOption, MissingExtra

parquet = pytest.importorskip("pyarrow.parquet")


def load(num_players: int = 2, **options: Any) -> Any:
    return fruit_envs.load("fruit_cocktail", num_players=num_players, **options)


def play(game: Any, agents: Any, folder: Path | None = None, deals: int = 6, **options: Any) -> Any:
    return run(game, agents, deals=deals, out=folder, progress=False, **options)


def kept(folder: Path) -> tuple[bytes, dict[str, Any]]:
    """What must be equal whenever the same games are played."""
    results = json.loads((folder / "results.json").read_text("utf-8"))
    del results["timing"]
    return (folder / "deals.parquet").read_bytes(), results


def parts(folder: Path) -> list[Path]:
    return sorted((folder / "parts").glob("*.parquet"))


def save(folder: Path, game: Any, seed: int) -> Path:
    """A policy with random weights, big enough for a library to think of threads."""
    rng = np.random.default_rng(seed)
    sizes = [game.layout.size, 256, game.num_actions]
    layers = [(rng.normal(size=(o, i)).astype(np.float32), np.zeros(o, np.float32)) for i, o in pairwise(sizes)]
    save_policy(folder, game, layers, choose="sample")
    return folder


def test_every_pair_is_seen_from_both_sides(tmp_path: Path) -> None:
    game = load()
    agents = [First(game), Last(game), "greedy"]
    results = play(game, agents, tmp_path)
    assert [(r.agent, r.opponent) for r in results] == [
        ("first", "last"),
        ("last", "first"),
        ("first", "greedy"),
        ("greedy", "first"),
        ("last", "greedy"),
        ("greedy", "last"),
    ]
    match = duplicate_match(game, agents[0], agents[1], deals=6, progress=False)
    assert results[0].rows.tobytes() == match.rows.tobytes()
    assert (results[0].win_share, results[0].margin) == (match.win_share, match.margin)


@pytest.mark.parametrize("num_players", [3, 4])
def test_more_players_meet_as_one_and_as_the_rest(num_players: int) -> None:
    game = load(num_players)
    results = play(game, [First(game), Last(game)])
    found = [(r.agent, r.seats, r.opponent) for r in results]
    rest = num_players - 1
    assert found == [("first", 1, "last"), ("last", rest, "first"), ("last", 1, "first"), ("first", rest, "last")]
    assert results[0].margin.mean == pytest.approx(-results[1].margin.mean)
    assert results[0].win_share.mean + rest * results[1].win_share.mean == pytest.approx(1)
    assert results[0].margin != results[3].margin


def test_names_of_entrants(tmp_path: Path) -> None:
    game = load()
    policy = save(tmp_path / "a policy", game, 1)
    results = play(game, {"mine": First(game), "strong": "greedy", "old": str(policy)})
    assert [r.agent for r in results][:2] == ["mine", "strong"]
    assert play(game, [f"{policy}/", "greedy"])[0].agent == str(policy)


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (["random"], "two agents or more"),
        ("random", "two agents or more"),
        (["random", "random"], "different names"),
        (["random", "nobody"], "unknown agent"),
        ({"a\nb": "random", "c": "greedy"}, "printable"),
        ({1: "random", 2: "greedy"}, "printable"),
        (["random", object()], r"act\(\)"),
    ],
)
def test_who_may_not_take_part(agents: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        play(load(), agents)


def test_rows_are_the_games(tmp_path: Path) -> None:
    game = load(3)
    play(game, {"cheat": Cheat(game), "odd": Raises(game, ValueError("no"))}, tmp_path, deals=4)
    table = parquet.read_table(tmp_path / "deals.parquet")
    assert [(field.name, str(field.type), field.nullable) for field in table.schema] == [
        ("table", "int32", False),
        ("deal", "int32", False),
        ("seat", "int8", False),
        ("one", "string", False),
        ("rest", "string", False),
        ("seed", "int64", False),
        ("share", "double", False),
        ("margin", "double", False),
        ("decisions", "int32", False),
        ("failure", "string", True),
        ("failed_seat", "int8", True),
        ("reason", "string", True),
    ]
    assert all(field.metadata[b"meaning"] for field in table.schema)
    rows = table.to_pylist()
    place = [(row["table"], row["deal"], row["seat"]) for row in rows]
    assert place == [(t, d, s) for t in range(2) for d in range(4) for s in range(3)]
    assert [row["seed"] for row in rows[:12:3]] == deal_seeds(4)
    assert {(row["one"], row["rest"]) for row in rows[:12]} == {("cheat", "odd")}
    kinds = {row["failure"]: row["reason"] for row in rows}
    assert set(kinds) >= {"raised"}
    assert kinds["raised"].endswith(": ValueError: no")
    for row in rows:
        assert (row["failure"] is None) == (row["failed_seat"] is None) == (row["reason"] is None)
        if row["failure"] is not None:
            assert row["share"] == (0 if row["failed_seat"] == row["seat"] else 1)
    times = parquet.read_table(tmp_path / "timing.parquet").to_pylist()
    for row, spent in zip(rows, times, strict=True):
        assert [row[name] for name in ("table", "deal", "seat")] == [spent[name] for name in ("table", "deal", "seat")]
        asked = len(spent["one_ns"]) + len(spent["rest_ns"])
        assert asked == row["decisions"] + (row["failure"] is not None)
        assert min(spent["one_ns"] + spent["rest_ns"]) > 0


def test_tables_for_programs_and_for_readers(tmp_path: Path) -> None:
    game = load()
    results = play(game, ["greedy", "random"], tmp_path, command="as typed")
    found = json.loads((tmp_path / "results.json").read_text("utf-8"), parse_constant=pytest.fail)
    manifest = json.loads((tmp_path / "arena.json").read_text("utf-8"))
    assert found["facts"] == manifest["facts"]
    assert (manifest["command"], manifest["deals"]) == ("as typed", 6)
    assert [one["agent"] for one in found["results"]] == ["greedy", "random"]
    assert found["results"][0]["margin"] == results[0].margin.to_json()
    assert "timing" not in found["results"][0]
    assert set(found["timing"]) == {"greedy", "random"}
    assert 0 < found["timing"]["greedy"]["p50_ms"] <= found["timing"]["greedy"]["p99_ms"]
    assert found["timing"]["greedy"]["decisions"] > 6 * 2 * 5
    text = (tmp_path / "results.md").read_text("utf-8")
    assert text.startswith("# Fruit Cocktail, 2 players\n\n| agent | against | seats |")
    assert "A fair win share is 0.500" in text


def test_two_processes_play_the_same_games(tmp_path: Path) -> None:
    game = load()
    policy = str(save(tmp_path / "policy", game, 2))
    agents = {"random": "random", "policy": policy, "odd": Answers(game, object())}
    alone, both = tmp_path / "alone", tmp_path / "both"
    play(game, agents, alone, deals=60)
    before = dict(os.environ)
    play(game, agents, both, deals=60, jobs=2)
    assert dict(os.environ) == before
    assert kept(alone) == kept(both)
    facts = json.loads((alone / "arena.json").read_text("utf-8"))["facts"]
    assert [one["digest"] is None for one in facts["agents"]] == [True, False, False]


def test_agents_of_one_class_that_hold_something_else_are_not_mixed(tmp_path: Path) -> None:
    game = load()
    first = {"odd": Answers(game, 1), "random": "random"}
    play(game, first, tmp_path, deals=2)
    play(game, first, tmp_path, deals=3)
    with pytest.raises(InvalidOption, match="expected agents"):
        play(game, first | {"odd": Answers(game, 2)}, tmp_path, deals=3)


def test_a_finished_arena_is_extended(tmp_path: Path) -> None:
    game, whole, grown = load(3), tmp_path / "whole", tmp_path / "grown"
    play(game, ["random", "greedy"], whole, deals=70)
    for deals in (3, 70):
        play(game, ["random", "greedy"], grown, deals=deals)
    assert kept(grown) == kept(whole)
    few = tmp_path / "few"
    play(game, ["random", "greedy"], few, deals=3)
    made = [path.stat().st_mtime_ns for path in parts(grown)]
    play(game, ["random", "greedy"], grown, deals=3)
    assert kept(grown) == kept(few)
    assert [path.stat().st_mtime_ns for path in parts(grown)] == made  # nothing is lost, or played again


def test_slow_agents_are_kept_deal_by_deal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_SECONDS", 0)
    play(load(), ["random", "greedy"], tmp_path / "slow")
    assert len(parts(tmp_path / "slow")) == 6
    monkeypatch.undo()
    play(load(), ["random", "greedy"], tmp_path / "fast")
    assert len(parts(tmp_path / "fast")) == 1
    assert kept(tmp_path / "slow") == kept(tmp_path / "fast")


def damage(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "flipped":
        data[len(data) // 3] ^= 4
    path.write_bytes(b"" if how == "empty" else data[: len(data) // 2] if how == "cut" else data)


@pytest.mark.parametrize("how", ["empty", "cut", "flipped"])
def test_a_damaged_part_is_played_again(tmp_path: Path, how: str) -> None:
    play(load(), ["random", "greedy"], tmp_path, deals=110)
    before = kept(tmp_path)
    assert len(parts(tmp_path)) == 3
    damage(parts(tmp_path)[1], how)
    (tmp_path / "parts" / "x.parquet.part").write_bytes(b"half")
    with pytest.warns(UserWarning, match="damaged, and are played again: 1"):
        play(load(), ["random", "greedy"], tmp_path, deals=110)
    assert kept(tmp_path) == before
    assert len(list((tmp_path / "parts").iterdir())) == 3


def test_a_part_of_other_games_is_played_again(tmp_path: Path) -> None:
    play(load(), ["random", "greedy"], tmp_path / "other", seed=1)
    play(load(), ["random", "greedy"], tmp_path / "own")
    before = kept(tmp_path / "own")
    for copy in ("000000-0000000000-0000000005.parquet", "000009-0000000000-0000000005.parquet"):
        (tmp_path / "own" / "parts" / copy).write_bytes(parts(tmp_path / "other")[0].read_bytes())
    with pytest.warns(UserWarning, match="damaged, and are played again: 2"):
        play(load(), ["random", "greedy"], tmp_path / "own")
    assert kept(tmp_path / "own") == before


@pytest.mark.parametrize(
    ("fact", "options"),
    [
        ("options", {"game": {"mode": "easy"}}),
        ("agents", {"agents": ["greedy", "random"]}),
        ("seed", {"seed": 1}),
        ("agent_seed", {"agent_seed": 1}),
        ("time_limit", {"time_limit": 9.5}),
    ],
)
def test_a_folder_of_other_facts_is_refused(tmp_path: Path, fact: str, options: dict[str, Any]) -> None:
    play(load(), ["random", "greedy"], tmp_path)
    before = kept(tmp_path)
    options = dict(options)
    arguments = (load(**options.pop("game", {})), options.pop("agents", ["random", "greedy"]), tmp_path)
    with pytest.raises(InvalidOption, match=rf"expected {fact} .*, got .*; --overwrite starts anew"):
        play(*arguments, **options)
    assert kept(tmp_path) == before
    play(*arguments, overwrite=True, **options)
    assert kept(tmp_path)[1]["facts"] != before[1]["facts"]


def test_a_policy_trained_further_is_another_agent(tmp_path: Path) -> None:
    game = load()
    policy = str(save(tmp_path / "policy", game, 1))
    play(game, [policy, "greedy"], tmp_path / "out")
    save(tmp_path / "policy", game, 2)
    with pytest.raises(InvalidOption, match="expected agents"):
        play(game, [policy, "greedy"], tmp_path / "out")


def test_versions_are_facts(tmp_path: Path) -> None:
    play(load(), ["random", "greedy"], tmp_path)
    manifest = json.loads((tmp_path / "arena.json").read_text("utf-8"))
    manifest["facts"]["versions"]["numpy"] = "1.0"
    (tmp_path / "arena.json").write_text(json.dumps(manifest))
    with pytest.raises(InvalidOption, match=r'expected versions .*"numpy": "1.0"'):
        play(load(), ["random", "greedy"], tmp_path)


@pytest.mark.parametrize(
    "text",
    ["{", "{}", "[]", '{"format": "fruit-arena", "format_version": 1, "facts": []}', "[" * 100_000, '{"a": 1, "a": 1}'],
    ids=lambda text: text[:20],
)
def test_a_damaged_manifest_is_refused_and_nothing_is_lost(tmp_path: Path, text: str) -> None:
    play(load(), ["random", "greedy"], tmp_path, deals=2)
    before = kept(tmp_path)
    (tmp_path / "arena.json").write_text(text)
    with pytest.raises(InvalidFile, match=r"facts of an arena in .*arena\.json, .*--overwrite starts anew"):
        play(load(), ["random", "greedy"], tmp_path, deals=2)
    assert kept(tmp_path) == before
    assert (tmp_path / "arena.json").read_text() == text
    play(load(), ["random", "greedy"], tmp_path, deals=2, overwrite=True)
    assert kept(tmp_path) == before


@pytest.mark.parametrize("overwrite", [False, True])
def test_other_people_s_files_are_left_alone(tmp_path: Path, overwrite: bool) -> None:
    (tmp_path / "results.json").write_text("mine")
    with pytest.raises(InvalidOption, match="other files"):
        play(load(), ["random", "greedy"], tmp_path, overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    (tmp_path / "new" / "parts").mkdir(parents=True)
    (tmp_path / "new" / "parts" / "x.parquet").write_text("mine")
    with pytest.raises(InvalidOption, match="other files"):
        play(load(), ["random", "greedy"], tmp_path / "new", overwrite=overwrite)
    assert (tmp_path / "new" / "parts" / "x.parquet").read_text() == "mine"
    with pytest.raises(InvalidOption, match="expected a folder, got a file"):
        play(load(), ["random", "greedy"], tmp_path / "results.json", overwrite=overwrite)


def test_a_run_killed_before_its_manifest(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("lock", "arena.json.part"):
        (tmp_path / name).write_text("")
    play(load(), ["random", "greedy"], tmp_path)
    assert not (tmp_path / "arena.json.part").exists()


def test_starting_anew_keeps_what_else_is_there(tmp_path: Path) -> None:
    play(load(), ["random", "greedy"], tmp_path, deals=60)
    (tmp_path / "notes.txt").write_text("mine")
    play(load(), ["random", "greedy"], tmp_path, deals=2, overwrite=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert len(parts(tmp_path)) == 1


@pytest.mark.parametrize("jobs", [0, -1, 1.0, True])
def test_a_wrong_number_of_jobs(jobs: Any) -> None:
    with pytest.raises(InvalidOption, match="jobs"):
        play(load(), ["random", "greedy"], jobs=jobs)


def test_agents_that_cannot_travel(tmp_path: Path) -> None:
    game = load()
    agent = Answers(game, lambda: 0)
    with pytest.raises(InvalidOption, match="pickled"):
        play(game, [agent, "greedy"], jobs=2)
    assert play(game, [agent, "greedy"])[0].failures["illegal"] > 0
    play(game, ["random", "greedy"], tmp_path, deals=2)
    before = kept(tmp_path)
    with pytest.raises(InvalidOption, match="pickled"):
        play(game, [agent, "greedy"], tmp_path, deals=2, jobs=2, overwrite=True)
    assert kept(tmp_path) == before


def test_a_worker_that_dies_loses_nothing_finished(tmp_path: Path) -> None:
    game = load()
    agents = {"random": "random", "greedy": "greedy", "dies": Dies(game)}
    play(game, agents, tmp_path / "whole", deals=60)
    with pytest.raises(WorkerDied, match="one died"):
        play(game, agents, tmp_path / "out", deals=60, jobs=2)
    done = len(parts(tmp_path / "out"))
    assert done >= 1  # the first table was finished before any death
    play(game, agents, tmp_path / "out", deals=60)
    assert kept(tmp_path / "out") == kept(tmp_path / "whole")


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"fruit-envs\[agents\]"):
        play(load(), ["random", "greedy"])
    assert duplicate_match(load(), "random", "greedy", deals=2, progress=False).deals == 2


# ---- a process that is stopped -------------------------------------------------------------------------------------

AGENTS, DEALS = ["random", "greedy", "greedy2"], 400


def start(folder: Path, jobs: int) -> subprocess.Popen[str]:
    command = ["arena", "fruit_cocktail", *AGENTS, "--deals", str(DEALS), "--out", str(folder), "--jobs", str(jobs)]
    return subprocess.Popen(
        [sys.executable, "-m", "fruit_agents.cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_parts(folder: Path, process: subprocess.Popen[str], count: int) -> None:
    for _ in range(6000):
        if len(parts(folder)) >= count:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    pytest.fail("no parts")


def session_is_empty(process: subprocess.Popen[str]) -> bool:
    """Whether all processes that it started are gone, within some seconds."""
    for _ in range(500):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("undisturbed run")
    play(load(), AGENTS, folder, deals=DEALS)
    return kept(folder)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_goes_on(tmp_path: Path, undisturbed: Any, jobs: int) -> None:
    folder = tmp_path / "with a space"
    process = start(folder, jobs)
    wait_for_parts(folder, process, 3)
    with pytest.raises(InvalidOption, match="no other run uses"):
        play(load(), AGENTS, folder, deals=DEALS)
    process.kill()
    process.communicate()
    assert session_is_empty(process)  # workers leave with the process that started them
    finished = {path: path.stat().st_mtime_ns for path in parts(folder)}
    assert len(finished) >= 3
    assert not (folder / "deals.parquet").exists()
    play(load(), AGENTS, folder, deals=DEALS, jobs=3 - jobs)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert kept(folder) == undisturbed


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c(tmp_path: Path, jobs: int) -> None:
    process = start(tmp_path / "out", jobs)
    wait_for_parts(tmp_path / "out", process, 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to workers too
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert err == "fruit-envs: interrupted; the same command without --overwrite goes on\n"
    assert session_is_empty(process)
    assert len(parts(tmp_path / "out")) >= 2

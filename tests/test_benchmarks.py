"""The comparison with other libraries: its rows are declared once, and none goes missing unnoticed."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fruit_train")

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "benchmarks" / "peers"

#: A library whose rows go wrong in every way there is.
FAKE = f"""
import os, sys
sys.path.insert(0, {str(PEERS)!r})
from serve import serve

def build(mode, game, batch):
    print("a greeting, as libraries print them")
    return {{
        "good": lambda seconds: (1000, 0.1),
        "nan": lambda seconds: (float("nan"), 0.1),
        "error": lambda seconds: 1 // 0,
        "crash": lambda seconds: os._exit(3),
    }}[mode]

serve(build)
"""


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(PEERS)
    return importlib.import_module


def test_every_row_is_declared_once_and_can_be_measured(load):
    table = load("table")
    rows = table.expected()
    assert len(set(rows)) == len(rows)
    assert {row.peer for row in rows} == set(table.TITLES)
    for name in table.TITLES:
        assert (PEERS / f"{name}_rows.py").exists()
        pins = (PEERS / "requirements" / f"{name}.txt").read_text().split("\n")[:-1]
        assert all("==" in pin or name == "fruit_envs" for pin in pins)


def test_the_committed_results_have_every_declared_row(load):
    measured = json.loads((ROOT / "benchmarks" / "results" / "peers.json").read_text("utf-8"))
    rows = [load("table").Row(*(row[key] for key in ("peer", "mode", "game", "batch"))) for row in measured["rows"]]
    assert sorted(map(str, rows)) == sorted(map(str, load("table").expected()))
    assert all(row["per_second"] > 0 and row["per_1000_loops"] > 0 for row in measured["rows"])


def test_a_missing_row_fails_the_run_and_is_named(load, monkeypatch, tmp_path, capsys):
    run, row = load("run"), load("table").Row
    wanted = [row("fake", mode, "game") for mode in ("good", "nan", "error")]
    wanted += [row("dying", "crash", "game"), row("dying", "good", "game"), row("gone", "good", "game")]

    def environment(name, folder):
        if name == "gone":
            raise subprocess.CalledProcessError(1, "pip")
        return sys.executable

    for name in ("fake", "dying"):
        (tmp_path / f"{name}_rows.py").write_text(FAKE)
        monkeypatch.setitem(run.TITLES, name, name)
    monkeypatch.setattr(run, "script", lambda name: tmp_path / f"{name}_rows.py")
    monkeypatch.setattr(run, "environment", environment)
    monkeypatch.setattr(run, "expected", lambda: wanted)
    monkeypatch.setattr(run, "one_core", lambda: None)
    out = tmp_path / "peers.json"
    monkeypatch.setattr(sys, "argv", ["run.py", "--repeats", "2", "--seconds", "0.01", "--json", str(out)])
    with pytest.raises(SystemExit) as stopped:
        run.main()

    missing = str(stopped.value).splitlines()
    assert [line.split()[1:3] for line in missing] == [
        ["gone", "good"],
        ["fake", "nan"],
        ["fake", "error"],
        ["dying", "crash"],
        ["dying", "good"],
    ]
    for line, why in zip(missing, ("not started", "nan", "ZeroDivisionError", "ended with 3", ""), strict=True):
        assert why in line
    (written,) = json.loads(out.read_text())["rows"]
    assert (written["peer"], written["mode"], written["per_second"]) == ("fake", "good", 10000)
    assert "greeting" not in capsys.readouterr().out


def test_an_environment_is_made_once_for_the_same_requirements(load, monkeypatch, tmp_path):
    run = load("run")
    commands = []

    def made(command, **_):
        commands.append(command)
        (tmp_path / "rlcard").mkdir(exist_ok=True)

    monkeypatch.setattr(run.subprocess, "run", made)
    python = run.environment("rlcard", tmp_path)
    assert run.environment("rlcard", tmp_path) == python
    assert len(commands) == 2  # venv and pip
    (tmp_path / "rlcard" / "requirements.sha256").write_text("other")
    run.environment("rlcard", tmp_path)
    assert len(commands) == 4


def test_the_plot_draws_the_committed_results(load, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["plot.py", "--png", str(tmp_path / "peers.png")])
    load("plot").main()
    assert (tmp_path / "peers.png").stat().st_size > 10_000

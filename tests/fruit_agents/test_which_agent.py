"""Agents from what a user names."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fruit_agents  # noqa: F401 (registers)
import fruit_envs
from fruit_envs import make_agent
from fruit_envs.agents.agent import RandomAgent


def test_registered_names_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "policy.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert isinstance(make_agent("random", fruit_envs.load("fruit_cocktail")), RandomAgent)


def test_a_directory_with_a_policy_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "policy.json").write_text("{}")
    game = fruit_envs.load("fruit_cocktail")
    loaded: list[Any] = []
    module: Any = ModuleType("fruit_agents.policy")
    module.load_policy = lambda path, game: loaded.append((path, game)) or RandomAgent(game)
    monkeypatch.setitem(sys.modules, "fruit_agents.policy", module)
    assert isinstance(make_agent(str(tmp_path), game), RandomAgent)
    assert loaded == [(str(tmp_path), game)]


def test_anything_else_is_refused(tmp_path: Path) -> None:
    game = fruit_envs.load("fruit_cocktail")
    with pytest.raises(fruit_envs.InvalidOption, match=r"unknown agent.*greedy2.*did you mean 'greedy"):
        make_agent("greedy3", game)
    with pytest.raises(fruit_envs.InvalidOption, match="unknown agent"):
        make_agent(str(tmp_path), game)
    for text in ("\0", "x" * 5000, "", "\ud800"):
        with pytest.raises(fruit_envs.InvalidOption, match="unknown agent"):
            make_agent(text, game)

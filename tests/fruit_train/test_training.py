"""Training runs, small: everything that a user gets is there, and says what was done."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fruit_agents.policy import PolicyAgent, load_policy
from fruit_envs import Game, InvalidOption, MissingExtra
from fruit_train.args import Args
from fruit_train.cli import check_extra, main, run
from fruit_train.ppo import Curve, layers_of, make_model, make_vec_env

TINY: dict[str, Any] = {
    "total_steps": 192,
    "num_envs": 4,
    "num_steps": 16,
    "batch_size": 32,
    "hidden": (16, 8),
    "deals": 4,
    "checkpoint_deals": 2,
    "checkpoints": 3,
    "name": "tiny",
}
FILES = {"policy.safetensors", "policy.json", "curve.csv", "curve.png", "results.json", "results.md"}


def tiny(tmp_path: Path, **changes: Any) -> Args:
    return Args(**({"game": "fruit_cocktail", "runs": str(tmp_path)} | TINY | changes))


def flags(tmp_path: Path) -> list[str]:
    """The same as a command line."""
    given = TINY | {"runs": tmp_path}
    words = [
        (f"--{name.replace('_', '-')}", *(value if isinstance(value, tuple) else (value,)))
        for name, value in given.items()
    ]
    return ["fruit_cocktail", *(str(word) for group in words for word in group)]


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_text())


def test_the_command_leaves_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([*flags(tmp_path), "--seed", "3", "--option", "mode=easy"])
    folder = tmp_path / "tiny"
    assert {path.name for path in folder.iterdir()} == FILES
    printed = capsys.readouterr().out
    for name in ("random", "greedy", "greedy2"):
        assert f"| policy | {name} |" in printed

    facts = results(folder)
    assert facts["command"].startswith("fruit-train fruit_cocktail ")
    assert facts["command"].endswith("--option mode=easy")
    assert facts["options"]["mode"] == "easy"
    assert (facts["seed"], facts["steps"], facts["complete"]) == (3, 192, True)
    assert facts["illegal"] == {"training": 0, "evaluation": 0}
    assert [match["deals"] for match in facts["matches"]] == [4, 4, 4]
    assert 0 < facts["cpu_minutes"]["training"] < facts["cpu_minutes"]["total"]
    assert facts["versions"]["sb3-contrib"]

    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["steps"]) for row in rows] == [64, 128, 192]
    assert all(float(row["greedy_low"]) <= float(row["greedy"]) <= float(row["greedy_high"]) for row in rows)
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")

    description = json.loads((folder / "policy.json").read_text())
    assert description["training"]["steps"] == 192
    assert description["training"]["args"]["option"] == ["mode=easy"]
    assert description["layers"] == [[16, Game("fruit_cocktail", mode="easy").layout.size], [8, 16], [24, 8]]
    load_policy(folder, Game("fruit_cocktail", mode="easy"))


def test_the_network_in_numpy_is_the_network_in_torch(tmp_path: Path) -> None:
    args = tiny(tmp_path, hidden=(64, 32))
    game = Game(args.game, **args.game_options)
    model = make_model(args, game, make_vec_env(args, game))
    model.learn(256)
    agent = PolicyAgent(game, layers_of(model), choose="sample")
    policy: Any = model.policy
    compared = 0
    for seed in range(5):
        state = game.deal(seed)
        while not state.over:
            observation, mask = state.observation(state.seat), state.legal(state.seat)
            tensors, _ = policy.obs_to_tensor({"observation": observation, "action_mask": mask})
            torch_says = policy.get_distribution(tensors, mask.astype(bool)).distribution.probs.detach().numpy()[0]
            numpy_says = agent.policy(observation, mask, None, 0)
            np.testing.assert_allclose(numpy_says, torch_says, atol=1e-5)
            state.apply(state.seat, int(numpy_says.argmax()))
            compared += 1
    assert compared == 80


def test_the_mask_is_no_input(tmp_path: Path) -> None:
    args = tiny(tmp_path)
    game = Game(args.game, **args.game_options)
    model = make_model(args, game, make_vec_env(args, game))
    policy: Any = model.policy
    state = game.deal(0)
    inputs = [{"observation": state.observation(0), "action_mask": np.full(24, bit, np.int8)} for bit in (0, 1)]
    values = [policy.predict_values(policy.obs_to_tensor(given)[0]).item() for given in inputs]
    assert values[0] == values[1]
    assert policy.mlp_extractor.latent_dim_pi == 8  # both heads sit on the trunk
    assert policy.pi_features_extractor is policy.vf_features_extractor


def test_a_seed_gives_one_policy(tmp_path: Path) -> None:
    folders = [run(tiny(tmp_path, name=name, seed=seed), "") for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    a, b, c = ((folder / "policy.safetensors").read_bytes() for folder in folders)
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    "changes",
    [
        {"num_players": 3, "baselines": ("random",)},
        {"option": ("reward=win", "memory=tabletop"), "baselines": ("random",), "opponent": "random"},
        {"game": "toy_windows", "baselines": ("random",), "opponent": "random"},
    ],
    ids=["three seats", "win, tabletop", "toy"],
)
def test_other_games_and_options(tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = run(tiny(tmp_path, **changes), "")
    assert results(folder)["illegal"] == {"training": 0, "evaluation": 0}


def test_a_trained_policy_can_be_the_opponent(tmp_path: Path) -> None:
    first = run(tiny(tmp_path), "")
    second = run(tiny(tmp_path, name="second", opponent=f"random,{first}", baselines=(str(first),)), "")
    assert results(second)["matches"][0]["opponent"] == "policy"


def test_an_interrupt_saves_and_evaluates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Curve.measure

    def interrupted(self: Curve) -> None:
        measure(self)
        if len(self.rows) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Curve, "measure", interrupted)
    folder = run(tiny(tmp_path), "")
    facts = results(folder)
    assert not facts["complete"]
    assert facts["steps"] < 192
    assert {path.name for path in folder.iterdir()} == FILES
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Curve.measure

    def interrupted(self: Curve) -> None:
        measure(self)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Curve, "measure", interrupted)
    with pytest.raises(SystemExit) as caught:
        main(flags(tmp_path))
    assert caught.value.code == 130
    load_policy(tmp_path / "tiny", Game("fruit_cocktail"))  # what the checkpoint saved


# ---- refusals ------------------------------------------------------------------------------------------------------


def test_a_run_is_not_replaced_unasked(tmp_path: Path) -> None:
    run(tiny(tmp_path), "")
    with pytest.raises(InvalidOption, match="--overwrite"):
        run(tiny(tmp_path), "")
    run(tiny(tmp_path, overwrite=True), "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "fruit_cocktale"}, "did you mean 'fruit_cocktail'"),
        ({"option": ("mode",)}, "name=value"),
        ({"option": ("mode=hard",)}, "option mode"),
        ({"num_players": 7}, "num_players"),
        ({"opponent": "greedy,randon"}, "did you mean 'random'"),
        ({"baselines": ("gredy",)}, "did you mean 'greedy'"),
    ],
    ids=str,
)
def test_refuses(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        run(tiny(tmp_path, **changes), "")
    assert not list(tmp_path.glob("*/policy.json"))


@pytest.mark.parametrize("changes", [{"num_envs": 0}, {"deals": 0}, {"hidden": ()}, {"hidden": (8, 0)}], ids=str)
def test_refuses_numbers(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=f"--{next(iter(changes)).replace('_', '-')}"):
        tiny(tmp_path, **changes)


@pytest.mark.parametrize("missing", ["torch", "sb3_contrib", "tyro"])
def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("fruit_train.cli.find_spec", lambda name: None if name == missing else find(name))
    with pytest.raises(MissingExtra, match=r"fruit-envs\[train\]"):
        check_extra()
    with pytest.raises(SystemExit, match=r"fruit-envs\[train\]"):
        main(["fruit_cocktail"])


def test_importing_needs_no_torch() -> None:
    code = "import sys, fruit_train, fruit_train.cli; assert not {'torch', 'tyro', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# ---- processes -----------------------------------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:.*use of fork\\(\\) may lead to deadlocks:DeprecationWarning")
@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_worker_processes_play_as_one_process(tmp_path: Path, start_method: str) -> None:
    """Where the environments run makes no difference to what is learnt."""
    size: dict[str, Any] = {"total_steps": 4096, "num_steps": 64, "checkpoint_deals": 20, "deals": 50}
    one = run(tiny(tmp_path, **size), "")
    many = run(tiny(tmp_path, name="many", vec="subproc", start_method=start_method, **size), "")
    assert results(many)["illegal"] == {"training": 0, "evaluation": 0}
    assert (one / "policy.safetensors").read_bytes() == (many / "policy.safetensors").read_bytes()


@pytest.mark.heavy
@pytest.mark.skipif(os.name != "posix", reason="needs process groups")
def test_ctrl_c_with_worker_processes(tmp_path: Path) -> None:
    """A terminal sends the signal to the workers too; they leave it to the trainer."""
    words = [*flags(tmp_path), "--vec", "subproc", "--total-steps", "10000000"]
    code = "import sys; from fruit_train.cli import main; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], start_new_session=True, stderr=subprocess.PIPE
    ) as process:
        policy = tmp_path / "tiny" / "policy.json"
        deadline = time.monotonic() + 120
        while not policy.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    assert b"Traceback" not in errors
    assert not results(tmp_path / "tiny")["complete"]

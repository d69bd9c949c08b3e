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
from safetensors.numpy import load
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from fruit_agents.features import default_features, make_features
from fruit_agents.policy import PolicyAgent, load_policy
from fruit_envs import Game, InvalidOption, MissingExtra
from fruit_train.args import Args
from fruit_train.cli import check_extra, main, run
from fruit_train.ppo import Training, features_of, layers_of, make_games, make_model
from support import NOTHING

TINY: dict[str, Any] = {
    "total_steps": 192,
    "num_envs": 4,
    "num_steps": 16,
    "batch_size": 32,
    "snapshot_every": 1,
    "snapshots": 2,
    "hidden": (16, 8),
    "deals": 4,
    "checkpoint_deals": 2,
    "checkpoints": 3,
    "name": "tiny",
}
FILES = {
    "checkpoint.safetensors",
    "curve.csv",
    "curve.png",
    "policy.json",
    "policy.safetensors",
    "results.json",
    "results.md",
    "tensorboard",
    "lock",
}


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
    printed, told = capsys.readouterr()
    assert "\r" not in told  # no bar where there is no terminal
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
    assert [float(row["steps"]) for row in rows] == [0, 64, 128, 192]
    assert all(float(row["greedy_low"]) <= float(row["greedy"]) <= float(row["greedy_high"]) for row in rows)
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")

    description = json.loads((folder / "policy.json").read_text())
    assert description["training"]["steps"] == 192
    assert description["training"]["args"]["option"] == ["mode=easy"]
    game = Game("fruit_cocktail", mode="easy")
    assert description["features"] == default_features(game)
    assert description["layers"] == [[16, make_features(default_features(game), game).size], [8, 16], [24, 8]]
    load_policy(folder, game)
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    assert {"train/entropy_loss", "rollout/ep_rew_mean"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("margin/greedy")] == [0, 64, 128, 192]


@pytest.mark.parametrize("fed", ["raw", "auto"])
def test_the_network_in_numpy_is_the_network_in_torch(tmp_path: Path, fed: str) -> None:
    args = tiny(tmp_path, hidden=(64, 32), features=fed)
    game = Game(args.game, **args.game_options)
    features = features_of(args, game)
    model = make_model(args, make_games(args, game, "random", features), features.scale)
    model.learn(256)
    agent = PolicyAgent(game, layers_of(model), choose="sample", features=features.name)
    policy: Any = model.policy
    compared = 0
    for seed in range(5):
        state = game.deal(seed)
        while not state.over:
            observation, mask = state.observation(state.seat), state.legal(state.seat)
            tensors, _ = policy.obs_to_tensor(features(observation[None]))
            torch_says = policy.get_distribution(tensors, mask.astype(bool)).distribution.probs.detach().numpy()[0]
            numpy_says = agent.policy(observation, mask, None, 0, NOTHING)
            np.testing.assert_allclose(numpy_says, torch_says, atol=1e-5)
            state.apply(state.seat, int(numpy_says.argmax()))
            compared += 1
    assert compared == 80


def test_the_learner_sees_the_history_that_its_policy_will_see(tmp_path: Path) -> None:
    args = tiny(tmp_path, option=("memory=tabletop",), history=3, num_envs=4)
    game = Game(args.game, **args.game_options)
    features = features_of(args, game)
    games = make_games(args, game, "random", features)
    model = make_model(args, games, features.scale)
    agent = PolicyAgent(game, layers_of(model), choose="sample", features=features.name, history=3)
    memories, rng = np.zeros((4, agent.memory_size), np.float32), np.random.default_rng(0)
    games.seed(1)
    shown: Any = games.reset()
    ended = 0
    for _ in range(60):
        masks = np.stack(games.env_method("action_masks"))
        agent.act_batch(shown[:, -features.size :], masks.astype(np.int8), [None] * 4, np.zeros(4, np.uint64), memories)
        assert (memories == shown).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        shown, _, dones, infos = games.step(actions)
        for i in np.flatnonzero(dones):
            assert (infos[i]["terminal_observation"][: 2 * features.size] == memories[i, features.size :]).all()
        memories[dones] = 0
        ended += int(dones.sum())
    assert ended > 8


def test_games_played_from_memory_are_trained_with_a_history(tmp_path: Path) -> None:
    folder = run(tiny(tmp_path, option=("memory=tabletop",), history=None, opponents="self:1,past:1"), "")
    description = json.loads((folder / "policy.json").read_text())
    assert description["history"] == 24
    game = Game("fruit_cocktail", memory="tabletop", reward="margin")
    assert description["layers"][0] == [16, 24 * game.layout.size]
    assert load_policy(folder, game).history == 24


def test_both_heads_sit_on_the_trunk(tmp_path: Path) -> None:
    args = tiny(tmp_path)
    game = Game(args.game, **args.game_options)
    features = features_of(args, game)
    policy: Any = make_model(args, make_games(args, game, "random", features), features.scale).policy
    assert policy.mlp_extractor.latent_dim_pi == 8
    assert policy.pi_features_extractor is policy.vf_features_extractor


def test_a_seed_gives_one_policy(tmp_path: Path) -> None:
    folders = [run(tiny(tmp_path, name=name, seed=seed), "") for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    a, b, c = ((folder / "policy.safetensors").read_bytes() for folder in folders)
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    "changes",
    [
        {"num_players": 3, "baselines": ("random",), "opponents": "past"},
        {"option": ("reward=win", "memory=tabletop")},
        {"game": "toy_windows", "opponents": "self,random"},
    ],
    ids=["three seats", "win, tabletop", "toy"],
)
def test_other_games_and_options(tmp_path: Path, changes: dict[str, Any]) -> None:
    folder = run(tiny(tmp_path, **changes), "")
    assert results(folder)["illegal"] == {"training": 0, "evaluation": 0}


def test_a_trained_policy_can_be_the_opponent(tmp_path: Path) -> None:
    first = run(tiny(tmp_path), "")
    second = run(tiny(tmp_path, name="second", opponents=f"random:1,{first}:2", baselines=(str(first),)), "")
    assert results(second)["matches"][0]["opponent"] == "policy"


def test_an_interrupt_saves_and_evaluates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Training.measure

    def interrupted(self: Training) -> None:
        measure(self)
        if len(self.curve.rows) == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Training, "measure", interrupted)
    folder = run(tiny(tmp_path), "")
    facts = results(folder)
    assert not facts["complete"]
    assert facts["steps"] < 192
    assert {path.name for path in folder.iterdir()} == FILES
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Training.measure

    def interrupted(self: Training) -> None:
        measure(self)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Training, "measure", interrupted)
    with pytest.raises(SystemExit) as caught:
        main(flags(tmp_path))
    assert caught.value.code == 130
    load_policy(tmp_path / "tiny", Game("fruit_cocktail"))  # what the checkpoint saved


def test_the_published_results_are_those_of_the_default_settings() -> None:
    folders = list((Path(__file__).parents[2] / "benchmarks" / "results").glob("main_job_*"))
    assert folders
    for folder in folders:
        facts = results(folder)
        expected = json.loads(json.dumps(vars(Args(facts["game"], name=facts["args"]["name"]))))
        assert expected | facts["args"] == expected, f"{folder.name}: the defaults have changed since"
        assert facts["complete"]


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
        ({"option": ("num_players=3",)}, "--num-players"),
        ({"opponents": "random:1,random:3"}, "every name once"),
        ({"option": ("mode=hard",)}, "option mode"),
        ({"num_players": 7}, "num_players"),
        ({"opponents": "greedy,randon"}, "did you mean 'random'"),
        ({"opponents": "self:0"}, "positive weights"),
        ({"opponents": "self:many"}, "name:weight"),
        ({"features": "two_ply"}, "one of"),
        (
            {"features": "one_ply_v1", "option": ("memory=tabletop",), "opponents": "self", "baselines": ("random",)},
            "memory",
        ),
        ({"resume": True}, "checkpoint"),
        ({"baselines": ("gredy",)}, "did you mean 'greedy'"),
    ],
    ids=str,
)
def test_refuses(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        run(tiny(tmp_path, **changes), "")
    assert not list(tmp_path.glob("*/policy.json"))


@pytest.mark.parametrize(
    "changes",
    [
        {"num_envs": 0},
        {"deals": 0},
        {"hidden": ()},
        {"hidden": (8, 0)},
        {"snapshots": 0},
        {"seed": 2**32},
        {"learning_rate": -1.0},
        {"gamma": 5.0},
        {"batch_size": 63},
        {"batch_size": 1},
    ],
    ids=str,
)
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


def test_what_an_overwritten_run_left_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(tiny(tmp_path), "")
    events = set((folder / "tensorboard").iterdir())

    def killed(self: Training) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "measure", killed)
    with pytest.raises(KeyboardInterrupt):
        run(tiny(tmp_path, seed=1, overwrite=True), "")
    assert not (folder / "results.json").exists()
    assert not (folder / "checkpoint.safetensors").exists()
    assert not events & set((folder / "tensorboard").iterdir())


# ---- resuming ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [1, 3])
def test_a_resumed_run_ends_as_one_that_was_not_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    whole = run(tiny(tmp_path, name="whole"), "")

    class Killed(BaseException):
        pass

    write = Training.save

    def killed(self: Training) -> None:
        write(self)
        if len(self.curve.rows) == stop:
            raise Killed

    monkeypatch.setattr(Training, "save", killed)
    with pytest.raises(Killed):
        run(tiny(tmp_path, name="parts"), "")
    monkeypatch.setattr(Training, "save", write)
    np.random.seed(5)  # noqa: NPY002 (whatever the process did before)
    parts = run(tiny(tmp_path, name="parts", resume=True), "")
    ours, theirs = ((folder / "policy.safetensors").read_bytes() for folder in (parts, whole))
    assert ours == theirs
    tensors = [load((folder / "checkpoint.safetensors").read_bytes()) for folder in (parts, whole)]
    assert tensors[0].keys() == tensors[1].keys()
    assert all((tensors[0][name] == tensors[1][name]).all() for name in tensors[0])
    assert without_time(parts) == without_time(whole)
    rows = results(parts)["curve"]
    assert [row["cpu_minutes"] for row in rows] == sorted(row["cpu_minutes"] for row in rows)


def without_time(folder: Path) -> list[dict[str, float]]:
    return [{key: value for key, value in row.items() if key != "cpu_minutes"} for row in results(folder)["curve"]]


def test_only_the_same_training_is_resumed(tmp_path: Path) -> None:
    run(tiny(tmp_path), "")
    for changes, text in (({"seed": 4}, "seed"), ({"hidden": (8, 8)}, "hidden"), ({"entropy": 0.5}, "entropy")):
        with pytest.raises(InvalidOption, match=f"expected the run's own {text}"):
            run(tiny(tmp_path, resume=True, **changes), "")
    with pytest.raises(InvalidOption, match="--name"):
        tiny(tmp_path, resume=True, name="")
    with pytest.raises(InvalidOption, match="checkpoint"):
        run(tiny(tmp_path, resume=True, name="typo"), "")
    assert not (tmp_path / "typo").exists()
    with pytest.raises(InvalidOption, match="got both"):
        tiny(tmp_path, resume=True, overwrite=True)
    checkpoint = tmp_path / "tiny" / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    with pytest.raises(InvalidOption, match="expected a checkpoint"):
        run(tiny(tmp_path, resume=True), "")


# ---- processes -----------------------------------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_process_leaves_a_run_that_can_be_resumed(tmp_path: Path, number: signal.Signals) -> None:
    words = [*flags(tmp_path), "--total-steps", "200000", "--checkpoints", "50"]
    code = "import sys; from fruit_train.cli import main; main(sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], start_new_session=True, stderr=subprocess.PIPE
    ) as process:
        checkpoint = tmp_path / "tiny" / "checkpoint.safetensors"
        deadline = time.monotonic() + 120
        while not checkpoint.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=120)
    assert b"Traceback" not in errors
    load_policy(tmp_path / "tiny", Game("fruit_cocktail"))
    if number == signal.SIGINT:
        assert process.returncode == 0, errors.decode()
        assert not results(tmp_path / "tiny")["complete"]
    main([*words, "--resume"])
    assert results(tmp_path / "tiny")["complete"]

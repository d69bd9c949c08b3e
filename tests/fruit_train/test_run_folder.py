"""The folder of a training: of one run at a time, untouched by what is refused, and whole on a full disk."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load, save

from fruit_agents.files import locked
from fruit_envs import InvalidOption
from fruit_envs.base.errors import InvalidFile
from fruit_train.args import Args
from fruit_train.cli import main, run
from fruit_train.ppo import Training

TINY: dict[str, Any] = {
    "total_steps": 192,
    "num_envs": 4,
    "num_steps": 16,
    "batch_size": 32,
    "snapshot_every": 1,
    "snapshots": 2,
    "hidden": (16, 8),
    "deals": 2,
    "checkpoint_deals": 1,
    "checkpoints": 3,
    "baselines": ("random",),
    "opponents": "self,past",
    "name": "run",
}


def tiny(runs: Path, **changes: Any) -> Args:
    return Args("fruit_cocktail", runs=str(runs), **(TINY | changes))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one finished run."""
    runs = tmp_path_factory.mktemp("runs")
    run(tiny(runs), "")
    return runs


@pytest.fixture
def runs(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(finished, tmp_path / "runs")
    return tmp_path / "runs"


def held(runs: Path) -> dict[str, bytes]:
    """All files and what they hold, but for the lock."""
    files = (path for path in runs.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(runs)): path.read_bytes() for path in files}


# ---- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"resume": True, "gamma": 0.9},
        {"resume": True, "hidden": (8, 8)},
        {"resume": True, "baselines": ("nobody",)},
        {"resume": True, "opponents": "self,nobody"},
        {"resume": True, "features": "two_ply"},
        {"resume": True, "name": "typo"},
        {"overwrite": True, "opponents": "self,nobody"},
        {"overwrite": True, "features": "two_ply"},
        {},
    ],
    ids=str,
)
def test_what_is_refused_touches_nothing(runs: Path, changes: dict[str, Any]) -> None:
    before = held(runs)
    with pytest.raises(InvalidOption):
        run(tiny(runs, **changes), "")
    assert held(runs) == before
    assert [path.name for path in runs.iterdir()] == ["run"]


@pytest.mark.parametrize("name", ["results.json", "curve.png", "checkpoint.safetensors"])
def test_other_people_s_files_are_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_text("mine")
    with pytest.raises(InvalidOption, match=r"expected a new run, .* holds one"):
        run(tiny(tmp_path), "")
    assert {path.name: path.read_text() for path in (tmp_path / "run").iterdir()} == {name: "mine"}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    for changes in ({}, {"overwrite": True}):
        with pytest.raises(InvalidOption, match="is a file"):
            run(tiny(tmp_path, **changes), "")
    assert (tmp_path / "run").read_text() == "mine"


@pytest.mark.parametrize("changes", [{"resume": True}, {"overwrite": True}], ids=str)
def test_a_folder_in_use_is_refused(runs: Path, changes: dict[str, Any]) -> None:
    before = held(runs)
    with locked(runs / "run"), pytest.raises(InvalidOption, match=r"run: expected a folder that no other run uses"):
        run(tiny(runs, **changes), "")
    assert held(runs) == before
    run(tiny(runs, **changes), "")


def test_a_training_holds_its_folder_from_first_to_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure, refused = Training.measure, []

    def measured(self: Training) -> None:
        measure(self)
        with pytest.raises(InvalidOption, match="no other run uses"), locked(tmp_path / "run"):
            pass
        refused.append(len(self.curve.rows))

    monkeypatch.setattr(Training, "measure", measured)
    run(tiny(tmp_path), "")
    assert refused == [1, 2, 3, 4]
    with locked(tmp_path / "run"):
        pass


# ---- damaged checkpoints -------------------------------------------------------------------------------------------

Parts = tuple[dict[str, np.ndarray], dict[str, Any]]


def edited(change: Callable[[dict[str, np.ndarray], dict[str, Any]], Any]) -> Callable[[Path], None]:
    """A change of the tensors and facts of a checkpoint; what it returns other than None are the facts."""

    def apply(path: Path) -> None:
        tensors = load(path.read_bytes())
        with safe_open(path, "np") as file:
            facts = json.loads(file.metadata()["facts"])
        returned = change(tensors, facts)
        text = returned if isinstance(returned, str) else json.dumps(facts if returned is None else returned)
        path.write_bytes(save(tensors, {"facts": text}))

    return apply


def fact(name: str, value: Any) -> Callable[[Path], None]:
    return edited(lambda _, facts: facts.update({name: value}))


def without(start: str) -> Callable[[Path], None]:
    """No tensors of names that start so."""

    def change(tensors: dict[str, np.ndarray], _: Any) -> None:
        for name in [name for name in tensors if name.startswith(start)]:
            del tensors[name]

    return edited(change)


def tensor(start: str, value: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    """Another tensor for the first of a name that starts so."""

    def change(tensors: dict[str, np.ndarray], _: Any) -> None:
        name = next(name for name in sorted(tensors) if name.startswith(start))
        tensors[name] = value(tensors[name])

    return edited(change)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut short": cut,
    "a header without an end": lambda path: path.write_bytes((100_000).to_bytes(8, "little") + b"[" * 100_000),
    "no facts": lambda path: path.write_bytes(save(load(path.read_bytes()))),
    "facts {}": edited(lambda *_: {}),
    "facts []": edited(lambda *_: []),
    "facts that are no JSON": edited(lambda *_: "{"),
    "facts nested 100,000 deep": edited(lambda *_: "[" * 100_000),
    "a fact twice": edited(lambda _, facts: json.dumps(facts)[:-1] + ', "steps": 5}'),
    "no number": fact("cpu_minutes", float("nan")),
    "a number of 400 digits": fact("finished", [10**400]),
    "args of another type": fact("args", []),
    "a count of another type": fact("rollouts", "3"),
    "a count that is true": fact("checkpoints", True),
    "a negative count": fact("steps", -64),
    "more snapshots than there may be": fact("snapshots", 2**40),
    "another number of snapshots": fact("snapshots", 1),
    "a place beyond the generator": fact("numpy_at", 625),
    "rows of other columns": fact("rows", [{"steps": 0}]),
    "rows of words": edited(lambda _, facts: facts["rows"][0].update({"steps": "none"})),
    "rows that are lists": fact("rows", [[1.0]]),
    "no generator": without("random."),
    "torch's generator of zeros": tensor("random.torch", np.zeros_like),
    "a generator of too many bits": tensor("random.numpy", lambda words: words + 2**32),
    "no moments": without("adam."),
    "a tensor missing": without("policy.action_net.bias"),
    "a tensor too many": edited(lambda tensors, _: tensors.update({"policy.more": np.zeros(3, np.float32)})),
    "a tensor of another shape": tensor("policy.action_net.weight", lambda weight: weight.T.copy()),
    "a tensor of another type": tensor("adam.0.", lambda moment: moment.astype(np.float64)),
    "a weight that is no number": tensor("past.0.", lambda weight: weight * np.float32("nan")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused_and_nothing_is_lost(
    runs: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    path = runs / "run" / "checkpoint.safetensors"
    DAMAGES[damage](path)
    before = held(runs)
    with pytest.raises(InvalidFile, match=r"expected a checkpoint in .*checkpoint\.safetensors, got ."):
        run(tiny(runs, resume=True), "")
    assert held(runs) == before
    assert "Traceback" not in capsys.readouterr().err


def test_what_was_damaged_can_be_trained_anew(runs: Path) -> None:
    whole = (runs / "run" / "policy.safetensors").read_bytes()
    cut(runs / "run" / "checkpoint.safetensors")
    run(tiny(runs, overwrite=True), "")
    assert (runs / "run" / "policy.safetensors").read_bytes() == whole


# ---- a full disk ---------------------------------------------------------------------------------------------------


@pytest.fixture
def disk() -> Iterator[Callable[[int], None]]:
    """Says how long a file may become at most: the system then refuses to write as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("finished")  # what is compiled is kept by now
@pytest.mark.parametrize(
    ("size", "hidden", "named"),
    [
        (20, (16, 8), "tensorboard/events.out"),
        (4_000, (16, 8), "policy.safetensors"),
        (16_000, (16, 8), "checkpoint.safetensors"),
        (35_000, (2, 2), "curve.png"),
    ],
)
def test_a_full_disk_names_the_file_and_leaves_no_part(
    tmp_path: Path,
    disk: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    size: int,
    hidden: tuple[int, ...],
    named: str,
) -> None:
    args = tiny(tmp_path, hidden=hidden)
    disk(size)
    with pytest.raises(OSError, match=named.replace(".", r"\.")) as caught:
        run(args, "")
    disk(-1)
    assert caught.value.filename.startswith(str(tmp_path / "run" / named))
    left = held(tmp_path / "run")
    assert not [name for name in left if name.endswith((".part", ".tmp"))]
    assert "Traceback" not in capsys.readouterr().err
    if "policy.json" in left:
        assert json.loads(left["policy.json"])["format"] == "fruit-policy"


def test_a_full_disk_keeps_the_checkpoint_that_was_there(
    runs: Path, disk: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = Training.save

    def full(self: Training) -> None:
        if len(self.curve.rows) == 2:
            disk(1_000)
        saved(self)

    monkeypatch.setattr(Training, "save", full)
    with pytest.raises(OSError, match="checkpoint"):
        run(tiny(runs, overwrite=True), "")
    disk(-1)
    monkeypatch.undo()
    whole = run(tiny(runs, name="whole"), "")
    again = run(tiny(runs, resume=True), "")
    assert (again / "policy.safetensors").read_bytes() == (whole / "policy.safetensors").read_bytes()


def test_the_command_says_it_on_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Training) -> None:
        raise OSError(28, os.strerror(28), "somewhere/policy.json")

    monkeypatch.setattr(Training, "measure", full)
    words = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items() if not isinstance(value, tuple)]
    with pytest.raises(SystemExit, match=r"^fruit-train: \[Errno 28\] .*: 'somewhere/policy\.json'$"):
        main(["fruit_cocktail", *words, f"--runs={tmp_path}"])

"""Checkpoints: all that a training needs to go on exactly as if it had not been stopped, in one safetensors file.

The games being played are not in it. Instead a checkpoint is where all games are dealt anew, whether the training is
stopped there or not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors.torch import save
from sb3_contrib import MaskablePPO

from fruit_agents.files import Form, read_metadata, read_tensors
from fruit_agents.network import Layer
from fruit_envs.base.errors import InvalidFile, InvalidOption, brief
from fruit_envs.base.files import check_form, parse_json, replace_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_train.args import Args

__all__ = ["read_facts", "read_learner", "restore_learner", "write_checkpoint"]

_WHAT = "a checkpoint"
_POLICY, _ADAM, _PAST, _TORCH, _NUMPY = "policy.", "adam.", "past.", "random.torch", "random.numpy"

#: What Adam keeps of each weight, beside its number of steps.
_MOMENTS = ("exp_avg", "exp_avg_sq")

#: The state of NumPy's Mersenne Twister: so many words, and a place among them.
_WORDS = 624

#: What a checkpoint says beside its tensors.
_COUNTS = ("steps", "updates", "numpy_at", "snapshots", "rollouts", "checkpoints", "illegal")
_FORM = dict.fromkeys(_COUNTS, int) | {"args": {}, "rows": [{}], "finished": [float], "cpu_minutes": float}


def write_checkpoint(path: Path, model: MaskablePPO, past: Sequence[Sequence[Layer]], facts: Mapping[str, Any]) -> None:
    """Replace a checkpoint in one go.

    Parameters
    ----------
    path
        The file.
    model
        The learner, between two rollouts.
    past
        The snapshots of the league.
    facts
        Whatever else the training needs, JSON-ready: args, rollouts, checkpoints, rows, illegal, finished, cpu_minutes.
    """
    policy = model.policy
    tensors = {_POLICY + name: tensor for name, tensor in policy.state_dict().items()}
    for number, entry in policy.optimizer.state_dict()["state"].items():
        tensors |= {f"{_ADAM}{number}.{name}": torch.as_tensor(value) for name, value in entry.items()}
    for number, layers in enumerate(past):
        for k, pair in enumerate(layers):
            for name, array in zip(("weight", "bias"), pair, strict=True):
                tensors[f"{_PAST}{number}.{k}.{name}"] = torch.as_tensor(array)
    generator = np.random.get_state(legacy=False)  # noqa: NPY002 (SB3 shuffles with NumPy's global generator)
    tensors[_TORCH] = torch.get_rng_state()
    tensors[_NUMPY] = torch.as_tensor(generator["state"]["key"].astype(np.int64))
    learner = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "numpy_at": int(generator["state"]["pos"]),
        "snapshots": len(past),
    }
    text = json.dumps({**learner, **facts}, allow_nan=False)
    # Copies: safetensors takes no tensors that share memory.
    replace_file(path, save({name: tensor.clone().contiguous() for name, tensor in tensors.items()}, {"facts": text}))


def read_facts(path: Path, args: Args, columns: Sequence[str]) -> dict[str, Any]:
    """What a checkpoint says beside its tensors; `columns` are those of the rows of the curve.

    Raises
    ------
    InvalidFile
        Where it cannot be read, or says something else.
    InvalidOption
        Where other arguments made it.
    """
    metadata = read_metadata(path, _WHAT)
    try:
        facts: dict[str, Any] = parse_json(metadata.get("facts", ""))
        check_form(facts, _FORM)
        rows = [{name: nan if value is None else value for name, value in row.items()} for row in facts["rows"]]
        check_form(rows, [dict.fromkeys(columns, float)], "rows")
        if any(len(row) > len(columns) for row in rows):
            raise ValueError(f"rows of other columns than {', '.join(columns)}")
        most = {"numpy_at": _WORDS, "snapshots": args.snapshots}
        for name in _COUNTS:
            if not 0 <= facts[name] <= most.get(name, 2**53):
                raise ValueError(f"{brief(facts[name])} for {name}, which is 0..{most.get(name, 2**53)}")
    except ValueError as error:
        raise InvalidFile(f"expected {_WHAT} in {path}, got {error}") from error
    for name, value in args.decisive.items():
        if (came := facts["args"].get(name)) != value:
            raise InvalidOption(f"--resume: expected the run's own {name} ({brief(came)}), got {value!r}")
    return facts | {"rows": rows}


def read_learner(
    path: Path, model: MaskablePPO, layers: Sequence[Layer], facts: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """The tensors of a checkpoint.

    Parameters
    ----------
    path
        The file.
    model
        A new one, of the same shape.
    layers
        Those of its policy, which are those of every snapshot.
    facts
        From `read_facts`.

    Raises
    ------
    InvalidFile
        Where a tensor is missing, of another shape, or no state of a generator.
    """
    policy = model.policy
    forms: dict[str, Form] = {
        _POLICY + name: (np.float32, tuple(tensor.shape)) for name, tensor in policy.state_dict().items()
    }
    if facts["updates"] > 0:
        for number, weight in enumerate(policy.optimizer.param_groups[0]["params"]):
            forms[f"{_ADAM}{number}.step"] = (np.float32, ())
            forms |= {f"{_ADAM}{number}.{name}": (np.float32, tuple(weight.shape)) for name in _MOMENTS}
    for number in range(facts["snapshots"]):
        for k, pair in enumerate(layers):
            for name, array in zip(("weight", "bias"), pair, strict=True):
                forms[f"{_PAST}{number}.{k}.{name}"] = (np.float32, array.shape)
    forms[_TORCH] = (np.uint8, tuple(torch.get_rng_state().shape))
    forms[_NUMPY] = (np.int64, (_WORDS,))
    tensors = read_tensors(path, _WHAT, forms)
    words = tensors[_NUMPY]
    try:
        torch.Generator().set_state(torch.as_tensor(tensors[_TORCH]))
        if words.min() < 0 or words.max() >= 2**32:
            raise ValueError(f"{_NUMPY} of more than 32 bits")
    except (RuntimeError, ValueError) as error:
        raise InvalidFile(f"expected {_WHAT} in {path}, got no state of a generator: {error}") from error
    return tensors


def restore_learner(
    model: MaskablePPO, tensors: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> list[list[Layer]]:
    """Give a new model of the same shape what a checkpoint holds; returns the snapshots of the league."""
    policy = model.policy
    policy.load_state_dict({name: torch.as_tensor(array) for name, array in _under(tensors, _POLICY).items()})
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in _under(tensors, _ADAM).items():
        number, entry = name.split(".")
        state.setdefault(int(number), {})[entry] = torch.as_tensor(array)
    policy.optimizer.load_state_dict({**policy.optimizer.state_dict(), "state": state})
    torch.set_rng_state(torch.as_tensor(tensors[_TORCH]))
    np.random.set_state(("MT19937", tensors[_NUMPY].astype(np.uint32), facts["numpy_at"], 0, 0.0))  # noqa: NPY002
    model.num_timesteps, model._n_updates = facts["steps"], facts["updates"]
    past: dict[int, dict[int, dict[str, np.ndarray]]] = {}
    for name, array in _under(tensors, _PAST).items():
        number, k, part = name.split(".")
        past.setdefault(int(number), {}).setdefault(int(k), {})[part] = array
    return [[(layers[k]["weight"], layers[k]["bias"]) for k in sorted(layers)] for _, layers in sorted(past.items())]


def _under(tensors: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}

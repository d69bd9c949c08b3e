"""Checkpoints: all that a training needs to go on exactly as if it had not been stopped, in one safetensors file.

The games being played are not in it. Instead a checkpoint is where all games are dealt anew, whether the training is
stopped there or not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from sb3_contrib import MaskablePPO

from fruit_agents.network import Layer
from fruit_envs.base.errors import InvalidOption
from fruit_envs.base.files import replace_file

__all__ = ["FILE", "read_checkpoint", "restore_model", "write_checkpoint"]

FILE = "checkpoint.safetensors"

_POLICY, _ADAM, _PAST, _TORCH, _NUMPY = "policy.", "adam.", "past.", "random.torch", "random.numpy"


def write_checkpoint(folder: Path, model: MaskablePPO, past: list[list[Layer]], facts: Mapping[str, Any]) -> None:
    """Replace the checkpoint of a run in one go.

    Parameters
    ----------
    folder
        The run folder.
    model
        The learner, between two rollouts.
    past
        The snapshots of the league.
    facts
        Whatever else the training needs, JSON-ready.
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
    learner = {"steps": model.num_timesteps, "updates": model._n_updates, "numpy_at": int(generator["state"]["pos"])}
    # Copies: safetensors takes no tensors that share memory.
    data = save({name: tensor.clone().contiguous() for name, tensor in tensors.items()}, _metadata(learner, facts))
    replace_file(folder / FILE, data)


def _metadata(learner: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, str]:
    return {"learner": json.dumps(learner), "facts": json.dumps(facts)}


def read_checkpoint(folder: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any], dict[str, Any]]:
    """What `write_checkpoint` wrote: tensors, facts about the learner, and the other facts.

    Raises
    ------
    InvalidOption
        Where there is none.
    """
    path = folder / FILE
    if not path.exists():
        raise InvalidOption(f"--resume: expected a checkpoint in {folder}, there is none")
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        return tensors, json.loads(metadata["learner"]), json.loads(metadata["facts"])
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise InvalidOption(f"--resume: expected a checkpoint in {path}, got {error!r}") from error


def restore_model(
    model: MaskablePPO, tensors: Mapping[str, torch.Tensor], learner: Mapping[str, Any]
) -> list[list[Layer]]:
    """Give a new model of the same shape what a checkpoint holds; returns the snapshots of the league."""
    policy = model.policy
    policy.load_state_dict(_under(tensors, _POLICY))
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in _under(tensors, _ADAM).items():
        number, entry = name.split(".")
        state.setdefault(int(number), {})[entry] = tensor
    policy.optimizer.load_state_dict({**policy.optimizer.state_dict(), "state": state})
    torch.set_rng_state(tensors[_TORCH])
    key = tensors[_NUMPY].numpy().astype(np.uint32)
    np.random.set_state(("MT19937", key, learner["numpy_at"], 0, 0.0))  # noqa: NPY002
    model.num_timesteps, model._n_updates = learner["steps"], learner["updates"]
    past: dict[int, dict[int, dict[str, np.ndarray]]] = {}
    for name, tensor in _under(tensors, _PAST).items():
        number, k, part = name.split(".")
        past.setdefault(int(number), {}).setdefault(int(k), {})[part] = tensor.numpy()
    return [[(layers[k]["weight"], layers[k]["bias"]) for k in sorted(layers)] for _, layers in sorted(past.items())]


def _under(tensors: Mapping[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}

"""Trained policies: a network as two plain files, and the agent that plays it with NumPy alone.

A policy is a folder with `policy.safetensors` (the weights) and `policy.json` (what they fit and how they were
made). Nothing in it is code, and reading it runs none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fruit_agents.features import RAW, make_features
from fruit_agents.files import Form, read_tensors, require_safetensors
from fruit_agents.network import Layer, Network, best_rows, sample_rows
from fruit_envs.agents.agent import Agent, as_memory
from fruit_envs.base.checks import whole_number
from fruit_envs.base.errors import InvalidBuffer, InvalidFile, InvalidOption, brief
from fruit_envs.base.files import check_form, read_json, replace_file
from fruit_envs.declare.options import whole
from fruit_envs.engine.masks import as_masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["CHOICES", "PolicyAgent", "PolicyMismatch", "load_policy", "policy_digest", "save_policy"]

FORMAT, FORMAT_VERSION = "fruit-policy", 2
WEIGHTS, DESCRIPTION = "policy.safetensors", "policy.json"

#: How an action is chosen: the most probable one, or one drawn from the probabilities.
CHOICES = ("greedy", "sample")

#: What is read from a description, beside the facts that must be those of the game.
_FORM = {"choose": str, "features": str, "history": int}


class PolicyMismatch(InvalidFile):
    """A policy that is missing or malformed, or that was trained for another game, version or observation."""


class PolicyAgent(Agent):
    """Plays a feed-forward network with ReLU between its layers.

    The network maps an observation, or features made of it, to one logit per action; the probabilities are the softmax
    over the legal ones.

    Parameters
    ----------
    game
        The game to play.
    layers
        Weight (outputs, inputs) and bias (outputs,) of each layer, float32, from the observation to the logits.
    choose
        "greedy": the most probable legal action (the lowest id among equals); "sample": drawn from the probabilities
        with the decision's key.
    features
        The name of what the network is fed, see `fruit_agents.features`.
    history
        From how many of the seat's latest decisions in the game the network is fed the features, the oldest first;
        zeros stand for those before the first one. With more than one the agent remembers, see `Agent.memory_size`.

    Raises
    ------
    InvalidOption
        If `choose` is neither, the game has no such features, or `history` is no number 1..1024.
    PolicyMismatch
        If the layers do not lead from these features to the game's actions.
    """

    name = "policy"
    uses_view = False

    def __init__(
        self,
        game: Game,
        layers: Sequence[Layer],
        *,
        choose: str = "greedy",
        features: str = RAW,
        history: int = 1,
    ) -> None:
        super().__init__(game)
        if choose not in CHOICES:
            raise InvalidOption(f"expected choose to be one of {CHOICES}, got {choose!r}")
        self.choose = choose
        self.layers = [(np.asarray(w), np.asarray(b)) for w, b in layers]
        self.features = make_features(features, game)
        self.history = whole("history", 1, 1024)(history)
        self.memory_size = self.history * self.features.size if self.history > 1 else 0
        _check_layers(self.layers, self.history * self.features.size, game)
        self._network = Network(self.layers)

    def logits(self, observation: np.ndarray, memory: NDArray[np.float32]) -> NDArray[np.float32]:
        """The network's outputs for one observation: float32, shape (num_actions,), legal or not; forgets it again."""
        return self._network.logits(self._inputs(observation[None], memory[None].copy()))[0]  # type: ignore[no-any-return]

    def distribution(
        self, observation: np.ndarray, mask: NDArray[np.int8], memory: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """The network's probabilities: float64, shape (num_actions,), exactly 0 where the mask is 0."""
        logits = np.where(mask, self.logits(observation, memory).astype(np.float64), -np.inf)
        weights = np.exp(logits - logits.max())
        return weights / weights.sum()  # type: ignore[no-any-return]

    def act_batch(
        self,
        observations: np.ndarray,
        masks: NDArray[np.int8],
        views: Sequence[View | None],
        keys: NDArray[np.uint64],
        memories: NDArray[np.float32],
    ) -> NDArray[np.int64]:
        """The most probable legal action of each row, or one drawn from the probabilities, as `choose` says."""
        keys, observations = np.asarray(keys, np.uint64), np.asarray(observations)
        actions = np.empty(len(keys), np.int64)
        masks = as_masks(np.ascontiguousarray(masks), (len(keys), self.game.num_actions))
        if observations.shape != (len(keys), self.game.layout.size):
            shape = (len(keys), self.game.layout.size)
            raise InvalidBuffer(f"expected observations of shape {shape}, got {observations.shape}")
        logits = self._network.logits(self._inputs(observations, memories))
        if self.choose == "greedy":
            best_rows(logits, masks, actions)
        else:
            sample_rows(logits, masks, keys, actions)
        return actions

    def policy(
        self,
        observation: np.ndarray,
        mask: NDArray[np.int8],
        view: View | None,
        key: int,
        memory: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """The probabilities that `act` plays by: float64, shape (num_actions,); with "greedy" all on one action."""
        if self.choose == "sample":
            return self.distribution(observation, mask, memory)
        return super().policy(observation, mask, view, key, memory)

    def _inputs(self, observations: np.ndarray, memories: NDArray[np.float32]) -> np.ndarray:
        """What the network is fed in each row; with a history, this is also what is remembered."""
        features, size = self.features(observations), self.features.size
        memories = as_memory(memories, (len(observations), self.memory_size))
        if self.history == 1:
            return features
        memories[:, :-size] = memories[:, size:]
        memories[:, -size:] = features
        return memories


def save_policy(
    folder: str | os.PathLike[str],
    game: Game,
    layers: Sequence[Layer],
    *,
    choose: str = "greedy",
    features: str = RAW,
    history: int = 1,
    training: Mapping[str, Any] | None = None,
) -> None:
    """Write a policy into a folder; an older one there is replaced, file by file.

    Parameters
    ----------
    folder
        Made if it does not exist.
    game
        The game that the policy was trained for, with its options.
    layers, choose, features, history
        See `PolicyAgent`.
    training
        How it was made, for readers: any JSON-ready facts.

    Raises
    ------
    InvalidOption, PolicyMismatch
        As `PolicyAgent` does.
    MissingExtra
        Without safetensors.
    """
    agent = PolicyAgent(game, layers, choose=choose, features=features, history=history)
    tensors = {}
    for number, (weight, bias) in enumerate(agent.layers):
        tensors[f"layers.{number}.weight"] = np.ascontiguousarray(weight)
        tensors[f"layers.{number}.bias"] = np.ascontiguousarray(bias)
    description = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": game.name,
        "env_id": game.env_id,
        "env_version": game.version,
        "options": dict(game.options),
        "layout_digest": game.layout.digest,
        "features": features,
        "history": history,
        "num_actions": game.num_actions,
        "layers": [list(weight.shape) for weight, _ in agent.layers],
        "activation": "relu",
        "choose": choose,
        "training": dict(training or {}),
    }
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / WEIGHTS, require_safetensors().numpy.save(tensors))
    replace_file(folder / DESCRIPTION, json.dumps(description, indent=2, allow_nan=False) + "\n")


def load_policy(path: str | os.PathLike[str], game: Game) -> PolicyAgent:
    """The agent that plays a saved policy.

    Parameters
    ----------
    path
        The policy's folder, or its `policy.json`.
    game
        The game to play. Game, version, observation layout and actions must be those of the training.

    Raises
    ------
    PolicyMismatch
        If the policy was trained for something else, or its files are missing or malformed.
    MissingExtra
        Without safetensors.
    """
    path = Path(path)
    folder = path.parent if path.name == DESCRIPTION else path
    try:
        description = _read_description(folder / DESCRIPTION)
        layers = _read_layers(folder, description.get("layers"))
    except InvalidFile as error:
        raise PolicyMismatch(str(error)) from error
    expected = {
        "game": game.name,
        "env_version": game.version,
        "layout_digest": game.layout.digest,
        "num_actions": game.num_actions,
        "activation": "relu",
    }
    for fact, value in expected.items():
        if description.get(fact) != value:
            raise PolicyMismatch(
                f"{folder}: expected a policy for {game!r} with {fact} {value!r}, got {brief(description.get(fact))} "
                f"(trained with {brief(description.get('options'))})"
            )
    try:
        return PolicyAgent(game, layers, **{name: description[name] for name in ("choose", "features", "history")})
    except InvalidOption as error:
        raise PolicyMismatch(f"{folder}: {error}") from error


def policy_digest(folder: str | os.PathLike[str]) -> str:
    """SHA-256 of a policy's files, in hexadecimal: policies of equal digests play alike."""
    whole = sha256()
    for name in (DESCRIPTION, WEIGHTS):
        whole.update(sha256((Path(folder) / name).read_bytes()).digest())
    return whole.hexdigest()


def _read_description(path: Path) -> dict[str, Any]:
    what = "the description of a policy"
    read = read_json(path, what)
    form = (read.get("format"), read.get("format_version")) if isinstance(read, dict) else None
    if form != (FORMAT, FORMAT_VERSION):
        raise InvalidFile(f"{path}: expected format {FORMAT!r} version {FORMAT_VERSION}, got {brief(form)}")
    description: dict[str, Any] = {"history": 1} | read  # the oldest ones do not say it
    try:
        check_form(description, _FORM)
    except ValueError as error:
        raise InvalidFile(f"expected {what} in {path}, got {error}") from error
    return description


def _read_layers(folder: Path, shapes: Any) -> list[Layer]:
    if not isinstance(shapes, list) or not shapes or not all(_is_shape(shape) for shape in shapes):
        raise InvalidFile(f"{folder / DESCRIPTION}: expected layer shapes, two numbers each, got {brief(shapes)}")
    forms: dict[str, Form] = {}
    for number, (outputs, inputs) in enumerate(shapes):
        forms[f"layers.{number}.weight"] = (np.float32, (outputs, inputs))
        forms[f"layers.{number}.bias"] = (np.float32, (outputs,))
    tensors = read_tensors(folder / WEIGHTS, f"{len(shapes)} layers of the shapes {brief(shapes)}", forms)
    return [(tensors[f"layers.{number}.weight"], tensors[f"layers.{number}.bias"]) for number in range(len(shapes))]


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(whole_number(n, 1, 2**31) for n in value)


def _check_layers(layers: Sequence[Layer], inputs: int, game: Game) -> None:
    """The layers must lead from the features to the actions, in finite float32 numbers."""
    width = inputs
    for number, (weight, bias) in enumerate(layers):
        if weight.ndim != 2 or weight.shape[1] != width or bias.shape != weight.shape[:1]:
            raise PolicyMismatch(
                f"expected layer {number} to have {width} inputs, got weight {weight.shape}, bias {bias.shape}"
            )
        for array in (weight, bias):
            if array.dtype != np.float32 or not np.isfinite(array).all():
                came = "NaN or infinity" if array.dtype == np.float32 else array.dtype
                raise PolicyMismatch(f"expected finite float32 numbers in layer {number}, got {came}")
        width = len(bias)
    if not layers or width != game.num_actions:
        raise PolicyMismatch(f"expected {game.num_actions} outputs of {game.name}, got {width if layers else 0}")

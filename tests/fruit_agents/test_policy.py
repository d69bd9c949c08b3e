"""Saved policies: what is written is what plays, and nothing else is accepted."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fruit_agents.policy import CHOICES, Layer, PolicyAgent, PolicyMismatch, load_policy, save_policy
from fruit_envs import (
    FruitEnvsError,
    Game,
    InvalidBuffer,
    InvalidOption,
    MissingExtra,
    VectorEnv,
    make_agent,
    record,
    replay,
)
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.runtime.keys import decision_key
from support import NOTHING, nothing

HIDDEN = (16, 8)


@pytest.fixture(scope="module")
def game() -> Game:
    return Game("fruit_cocktail", num_players=2)


def random_layers(game: Game, seed: int = 0) -> list[Layer]:
    rng = np.random.default_rng(seed)
    widths = (game.layout.size, *HIDDEN, game.num_actions)
    return [
        (rng.normal(0, 0.5, (b, a)).astype(np.float32), rng.normal(0, 0.5, b).astype(np.float32))
        for a, b in pairwise(widths)
    ]


def decisions(game: Game, agent: PolicyAgent, games: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]:
    """Every decision of the agent against itself: observations, masks, keys and what it chose."""
    rows = []
    for seed in range(games):
        state = game.deal(seed)
        while not state.over:
            seat = state.seat
            action = ask(agent, state, seat, 5, new_memory(agent))
            key = decision_key(5, state.seed, seat, state.decisions)
            rows.append((state.observation(seat), state.legal(seat), key, action))
            state.apply(seat, action)  # raises if it is illegal
    observations, masks, keys, actions = zip(*rows, strict=True)
    return np.stack(observations), np.stack(masks), np.array(keys, np.uint64), list(actions)


@pytest.mark.parametrize("choose", CHOICES)
@pytest.mark.parametrize("options", [{}, {"num_players": 4}, {"mode": "easy"}, {"memory": "tabletop"}])
def test_plays_legally_in_a_batch_as_alone(choose: str, options: dict[str, Any]) -> None:
    game = Game("fruit_cocktail", **options)
    agent = PolicyAgent(game, random_layers(game), choose=choose)
    observations, masks, keys, actions = decisions(game, agent, 20)
    batch = agent.act_batch(observations, masks, [None] * len(masks), keys, nothing(len(keys)))
    assert batch.dtype == np.int64
    assert batch.tolist() == actions


@pytest.mark.parametrize("choose", CHOICES)
def test_history_is_what_the_seat_saw_at_its_latest_decisions(choose: str) -> None:
    """Against the same network fed by hand, for all seats at once and one by one."""
    game = Game("fruit_cocktail", num_players=3, memory="tabletop")
    size, frames = game.layout.size, 3
    rng = np.random.default_rng(1)
    weight = rng.normal(0, 0.5, (game.num_actions, frames * size)).astype(np.float32)
    layers = [(weight, np.zeros(game.num_actions, "f"))]
    agent = PolicyAgent(game, layers, choose=choose, history=frames)
    assert agent.memory_size == frames * size
    for seed in range(4):
        state = game.deal(seed)
        seen: list[list[np.ndarray]] = [[np.zeros(size)] * frames for _ in range(3)]
        alone = [new_memory(agent) for _ in range(3)]
        many = np.zeros((3, agent.memory_size), np.float32)
        while not state.over:
            seat = state.seat
            observation, mask = state.observation(seat).copy(), state.legal(seat).copy()
            seen[seat].append(observation)
            logits = weight.astype(np.float64) @ np.concatenate(seen[seat][-frames:])
            memory = alone[seat].copy()
            np.testing.assert_allclose(agent.logits(observation, memory), logits, rtol=1e-3, atol=1e-3)
            likely = agent.policy(observation, mask, None, 0, memory)
            assert (memory == alone[seat]).all(), "asking for probabilities is no decision"
            action = ask(agent, state, seat, 5, alone[seat])
            key = np.array([decision_key(5, state.seed, seat, state.decisions)], np.uint64)
            rows = many[seat : seat + 1]
            assert agent.act_batch(observation[None], mask[None], [None], key, rows).tolist() == [action]
            assert (rows[0] == alone[seat]).all()
            assert (alone[seat] == np.concatenate(seen[seat][-frames:])).all()
            assert likely[action] > 0
            state.apply(seat, action)


def test_history_is_saved(tmp_path: Path, game: Game) -> None:
    layers = [(np.zeros((game.num_actions, 2 * game.layout.size), "f"), np.zeros(game.num_actions, "f"))]
    save_policy(tmp_path, game, layers, history=2)
    assert load_policy(tmp_path, game).history == 2
    for wrong in (0, 3, "2", 2000):
        description = json.loads((tmp_path / "policy.json").read_text()) | {"history": wrong}
        (tmp_path / "policy.json").write_text(json.dumps(description))
        with pytest.raises(PolicyMismatch):
            load_policy(tmp_path, game)


@pytest.mark.parametrize("memories", [None, np.zeros((1, 3), "f"), np.zeros((1, 818), np.float64)], ids=str)
def test_a_history_needs_its_memory(game: Game, memories: Any) -> None:
    layers = [(np.zeros((game.num_actions, 2 * game.layout.size), "f"), np.zeros(game.num_actions, "f"))]
    agent, state = PolicyAgent(game, layers, history=2), game.deal(0)
    seen, mask = state.observation(state.seat)[None], state.legal(state.seat)[None]
    with pytest.raises(InvalidBuffer, match="expected memories as float32"):
        agent.act_batch(seen, mask, [None], np.zeros(1, np.uint64), memories)


@pytest.mark.parametrize(
    ("name", "trained", "played"),
    [
        ("fruit_salad", {"max_reveals": 1000}, {"max_reveals": 120}),
        ("fruit_salad", {"num_players": 2}, {"mini": "3,3", "max_reveals": 40}),
        ("fruit_salad", {"max_reveals": 120, "points_to_win": 1}, {"max_reveals": 40}),
        ("fruitoplay", {"num_players": 2}, {"mini": "2x4,3,2"}),
        ("fruity_fruit", {"num_players": 2}, {"mini": "2x2,4x4,2"}),
    ],
    ids=str,
)
def test_what_is_trained_on_one_size_plays_in_another(
    tmp_path: Path, name: str, trained: dict[str, Any], played: dict[str, Any]
) -> None:
    game = Game(name, **trained)
    save_policy(tmp_path, game, random_layers(game))
    other = Game(name, **played)
    (written,) = record(other, load_policy(tmp_path, other), seed=1)
    assert replay(written).over


def test_another_number_of_actions_is_refused_in_words(tmp_path: Path, game: Game) -> None:
    mini = Game("fruit_cocktail", mini="3x2")
    assert mini.layout.digest == game.layout.digest
    save_policy(tmp_path, mini, random_layers(mini))
    with pytest.raises(PolicyMismatch, match=r"with num_actions 24, got 6 \(trained with"):
        load_policy(tmp_path, game)


def test_the_mask_overrules_the_network(game: Game) -> None:
    layers = random_layers(game)
    layers[-1][1][:12] = 1e4  # it wants nothing but the first twelve cards
    mask = np.zeros(game.num_actions, np.int8)
    mask[[13, 20]] = 1
    observation = np.zeros(game.layout.size, game.layout.dtype)
    for choose in CHOICES:
        agent = PolicyAgent(game, layers, choose=choose)
        assert {agent.act(observation, mask, None, key, NOTHING) for key in range(50)} <= {13, 20}
        probabilities = agent.policy(observation, mask, None, 0, NOTHING)
        assert probabilities.sum() == pytest.approx(1)
        assert not probabilities[mask == 0].any()


def test_samples_its_distribution(game: Game) -> None:
    agent = PolicyAgent(game, random_layers(game), choose="sample")
    state = game.deal(3)
    observation, mask = state.observation(state.seat), state.legal(state.seat)
    expected = agent.policy(observation, mask, None, 0, NOTHING)
    draws = 20_000
    actions = [agent.act(observation, mask, None, decision_key(1, key, 0, 0), NOTHING) for key in range(draws)]
    counts = np.bincount(actions, minlength=game.num_actions)
    assert (expected == agent.distribution(observation, mask, NOTHING)).all()
    assert np.abs(counts / draws - expected).max() < 5 * np.sqrt(0.25 / draws)


def test_greedy_takes_the_most_probable(game: Game) -> None:
    agent = PolicyAgent(game, random_layers(game), choose="greedy")
    state = game.deal(3)
    observation, mask = state.observation(state.seat), state.legal(state.seat)
    action = agent.act(observation, mask, None, 9, NOTHING)
    assert action == agent.distribution(observation, mask, NOTHING).argmax()
    assert agent.policy(observation, mask, None, 9, NOTHING)[action] == 1


@pytest.mark.parametrize("choose", CHOICES)
def test_round_trip(game: Game, tmp_path: Path, choose: str) -> None:
    layers = random_layers(game)
    save_policy(tmp_path / "new" / "run", game, layers, choose=choose, training={"steps": 7})
    for path in (tmp_path / "new" / "run", tmp_path / "new" / "run" / "policy.json"):
        agent = load_policy(path, game)
        assert agent.choose == choose
        for (weight, bias), (saved_weight, saved_bias) in zip(layers, agent.layers, strict=True):
            assert (weight == saved_weight).all()
            assert (bias == saved_bias).all()
    assert not list((tmp_path / "new" / "run").glob("*.part"))
    description = json.loads((tmp_path / "new" / "run" / "policy.json").read_text())
    assert description["training"] == {"steps": 7}
    assert description["env_id"] == "fruit/fruit_cocktail-v0"
    assert description["options"]["num_players"] == 2


def test_pickle_and_copy(game: Game) -> None:
    agent = PolicyAgent(game, random_layers(game))
    *_, actions = decisions(game, agent, 2)
    for twin in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert decisions(game, twin, 2)[-1] == actions


def test_a_folder_names_an_agent_wherever_agents_have_names(game: Game, tmp_path: Path) -> None:
    save_policy(tmp_path, game, random_layers(game))
    folder = str(tmp_path)
    agent = make_agent(folder, game)
    assert isinstance(agent, PolicyAgent)
    assert record(game, folder, seed=1) == record(game, agent, seed=1)
    by_name, by_hand = (VectorEnv(game, 2, opponents=opponent) for opponent in (folder, agent))
    actions = by_hand.reset(seed=3)[0]["action_mask"].argmax(axis=1)
    by_name.reset(seed=3)
    assert (by_name.step(actions)[0]["observation"] == by_hand.step(actions)[0]["observation"]).all()
    with pytest.raises(PolicyMismatch):
        make_agent(folder, Game("fruit_cocktail", num_players=3))


# ---- refusals ------------------------------------------------------------------------------------------------------


def edit(**changes: Any) -> Callable[[Path], None]:
    """A change of facts in policy.json; None removes one."""

    def apply(folder: Path) -> None:
        path = folder / "policy.json"
        facts = json.loads(path.read_text()) | changes
        path.write_text(json.dumps({name: value for name, value in facts.items() if value is not None}))

    return apply


def edit_shapes(change: Callable[[list[Any]], list[Any]]) -> Callable[[Path], None]:
    """A change of the layer shapes in policy.json."""

    def apply(folder: Path) -> None:
        edit(layers=change(json.loads((folder / "policy.json").read_text())["layers"]))(folder)

    return apply


def cut_weights(folder: Path) -> None:
    path = folder / "policy.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def double_weights(folder: Path) -> None:
    """The same layers in another type."""
    from safetensors.numpy import load, save

    path = folder / "policy.safetensors"
    path.write_bytes(save({name: tensor.astype(np.float64) for name, tensor in load(path.read_bytes()).items()}))


def drop_bias(folder: Path) -> None:
    from safetensors.numpy import load, save

    path = folder / "policy.safetensors"
    tensors = load(path.read_bytes())
    del tensors["layers.1.bias"]
    path.write_bytes(save(tensors))


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda folder: [file.unlink() for file in folder.iterdir()], "expected the description"),
    "no weights": (lambda folder: (folder / "policy.safetensors").unlink(), "policy.safetensors"),
    "not JSON": (lambda folder: (folder / "policy.json").write_text("{"), "expected the description"),
    "not UTF-8": (lambda folder: (folder / "policy.json").write_bytes(b"\xff\xfe{"), "expected the description"),
    "100,000 deep": (lambda folder: (folder / "policy.json").write_text("[" * 100_000), "expected the description"),
    "a name twice": (
        lambda folder: (folder / "policy.json").write_text('{"format": "fruit-policy", "format": 1}'),
        "expected the description",
    ),
    "no number": (edit(training={"steps": float("nan")}), "expected the description"),
    "features of another type": (edit(features=["raw"]), "features"),
    "a choice of another type": (edit(choose=["greedy"]), "choose"),
    "shapes that are no numbers": (edit(layers=[[16, None]]), "layer shapes"),
    "a history of another type": (edit(history=[2]), "history"),
    "not an object": (lambda folder: (folder / "policy.json").write_text("[]"), "expected format"),
    "another format": (edit(format="onnx"), "expected format"),
    "a later format": (edit(format_version=3), "expected format"),
    "another game": (edit(game="fruit_salad"), "game 'fruit_cocktail'"),
    "another version": (edit(env_version=1), "env_version 0"),
    "another layout": (edit(layout_digest="0" * 16), "layout_digest"),
    "other actions": (edit(num_actions=25), "num_actions 24"),
    "another activation": (edit(activation="tanh"), "activation 'relu'"),
    "no game": (edit(game=None), "game 'fruit_cocktail'"),
    "unknown choice": (edit(choose="best"), "choose"),
    "no shapes": (edit(layers=[]), "layer shapes"),
    "shapes of another type": (edit(layers="256"), "layer shapes"),
    "other shapes": (edit_shapes(lambda shapes: [*shapes[:-1], [25, HIDDEN[-1]]]), "layers of the shapes"),
    "too many shapes": (edit_shapes(lambda shapes: [*shapes, [24, 24]]), "4 layers"),
    "too few shapes": (edit_shapes(lambda shapes: shapes[:-1]), "layers of the shapes"),
    "truncated weights": (cut_weights, "3 layers"),
    "no tensors": (lambda folder: (folder / "policy.safetensors").write_bytes(b""), "3 layers"),
    "weights in double": (double_weights, "float32"),
    "a bias missing": (drop_bias, "3 layers"),
}


@pytest.mark.parametrize("spoil", SPOILED)
def test_refuses(game: Game, tmp_path: Path, spoil: str) -> None:
    save_policy(tmp_path, game, random_layers(game))
    apply, message = SPOILED[spoil]
    apply(tmp_path)
    with pytest.raises(PolicyMismatch, match=message) as caught:
        load_policy(tmp_path, game)
    assert isinstance(caught.value, FruitEnvsError)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    "options", [{"num_players": 3}, {"mode": "easy"}, {"memory": "tabletop"}, {"tie": "replay"}], ids=str
)
def test_refuses_another_layout(game: Game, tmp_path: Path, options: dict[str, Any]) -> None:
    save_policy(tmp_path, game, random_layers(game))
    with pytest.raises(PolicyMismatch, match="layout_digest"):
        load_policy(tmp_path, Game("fruit_cocktail", **options))


def test_refuses_another_game(game: Game, tmp_path: Path) -> None:
    save_policy(tmp_path, game, random_layers(game))
    with pytest.raises(PolicyMismatch, match="game 'toy_windows'"):
        load_policy(tmp_path, Game("toy_windows"))


def test_refuses_layers_that_do_not_fit(game: Game, tmp_path: Path) -> None:
    layers = random_layers(game)
    with pytest.raises(PolicyMismatch, match="24 outputs"):
        PolicyAgent(game, layers[:-1])
    with pytest.raises(PolicyMismatch, match="layer 0"):
        PolicyAgent(game, layers[1:])
    with pytest.raises(PolicyMismatch, match="24 outputs"):
        PolicyAgent(game, [])
    layers[1][0][0, 0] = np.nan
    with pytest.raises(PolicyMismatch, match="finite"):
        save_policy(tmp_path, game, layers)
    with pytest.raises(InvalidOption, match="choose"):
        PolicyAgent(game, random_layers(game), choose="best")
    assert not list(tmp_path.iterdir())


# ---- dependencies --------------------------------------------------------------------------------------------------


def test_without_safetensors(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_policy(tmp_path, game, random_layers(game))
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.setitem(sys.modules, "safetensors.numpy", None)
    for use in (lambda: load_policy(tmp_path, game), lambda: save_policy(tmp_path, game, random_layers(game))):
        with pytest.raises(MissingExtra, match=r"fruit-envs\[agents\]"):
            use()


def test_needs_no_torch(game: Game, tmp_path: Path) -> None:
    save_policy(tmp_path, game, random_layers(game))
    code = (
        "import sys, fruit_envs, fruit_agents.policy as p\n"
        "game = fruit_envs.load('fruit_cocktail')\n"
        "agent, state = p.load_policy(sys.argv[1], game), game.deal(0)\n"
        "agent.act(state.observation(state.seat), state.legal(state.seat), None, 1, p.np.zeros(0, p.np.float32))\n"
        "assert not {'torch', 'stable_baselines3', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=120)

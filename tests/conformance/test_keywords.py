"""Keywords and render modes: what a face does not know is refused in words that clients understand."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.wrappers import RenderCollection

import fruit_envs
from fruit_envs import Batch, FruitEnvsError, InvalidOption, UnknownKeyword, VectorEnv, load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.faces.single_agent import SingleAgent
from support import every_count

ANSI_ONLY = "ignore:.*render_mode"  # Gymnasium's own word, before it makes the environment


def makers(name):
    """Every way to make something of a game, as functions of keywords."""
    title, package = GAMES[name].title.replace(" ", ""), importlib.import_module(GAMES[name].package)
    functions = [package.raw_env, package.env, package.raw_parallel_env, package.parallel_env]
    faces = [
        lambda **keywords: pettingzoo.make("aec", f"fruit/{name}-v0", **keywords),
        lambda **keywords: pettingzoo.make("parallel", f"fruit/{name}-v0", **keywords),
        lambda **keywords: gymnasium.make(f"fruit/{title}-v0", **keywords),
        lambda **keywords: gymnasium.make_vec(f"fruit/{title}-v0", **keywords),
        lambda **keywords: SingleAgent(name, **keywords),
        lambda **keywords: VectorEnv(name, **keywords),
    ]
    games = [
        lambda **keywords: load(name, **keywords),
        lambda **keywords: Batch(name, 2, **keywords),
        lambda **keywords: fruit_envs.record(name, **keywords),
    ]
    return [*functions, *faces], games


@every_count
def test_an_unknown_keyword_is_a_type_error_with_python_s_own_words(name, options):
    faces, games = makers(name)
    for make in (*faces, *games):
        with pytest.raises(UnknownKeyword, match="unknown option 'frameskip'") as caught:
            make(**options, frameskip=1)
        assert isinstance(caught.value, TypeError)
        assert isinstance(caught.value, InvalidOption)
        assert isinstance(caught.value, FruitEnvsError)
        assert "got an unexpected keyword argument 'frameskip'" in str(caught.value)
        assert "num_players" in str(caught.value), "our own hint"
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'rules'"):
        load(name, rules=None)


@every_count
@pytest.mark.filterwarnings(ANSI_ONLY)
def test_an_unsupported_render_mode_is_a_type_error(name, options):
    faces, _ = makers(name)
    for make in faces:
        for mode in ("rgb_array", "human", np.array(["ansi", "ansi"])):
            if isinstance(mode, np.ndarray) and make in faces[6:8]:
                continue  # Gymnasium itself expects text
            with pytest.raises(UnknownKeyword, match="render_mode"):
                make(**options, render_mode=mode)


@every_count
def test_values_outside_a_face_s_own_keywords_are_refused(name, options):
    faces, _ = makers(name)
    for make in faces:
        for bad in ("float64", None, 1, np.array(["integer"] * 2)):
            with pytest.raises(InvalidOption, match="option observation"):
                make(**options, observation=bad)
    for make in faces[:4]:
        for bad in (0, -1, 1.5, "3", True):
            with pytest.raises(InvalidOption, match="option max_cycles"):
                make(**options, max_cycles=bad)
    for make in faces[6:]:
        for bad in ("ignore", None, 1, np.array([1, 2])):
            with pytest.raises(InvalidOption, match="option illegal"):
                make(**options, illegal=bad)


@every_count
def test_gymnasium_sees_the_render_modes_before_it_makes_an_environment(name, options):
    title = GAMES[name].title.replace(" ", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"fruit/{title}-v0", render_mode="ansi_list", **options)
    assert isinstance(env, RenderCollection)
    observation, _ = env.reset(seed=1)
    env.step(int(observation["action_mask"].argmax()))
    frames = env.render()
    assert len(frames) == 2
    assert all(isinstance(frame, str) for frame in frames)


@every_count
def test_the_spec_of_a_pettingzoo_face_makes_its_like(name, options):
    for kind in ("aec", "parallel"):
        given = {**options, "reward": "margin", "observation": "float32", "render_mode": "ansi", "max_cycles": 7}
        env = pettingzoo.make(kind, f"fruit/{name}-v0", **given)
        assert env.spec.id == f"fruit/{name}-v0"
        assert env.spec.max_cycles == 7
        twin = pettingzoo.make(kind, env.spec)
        assert type(twin) is type(env)
        assert twin.spec == env.spec
        assert twin.unwrapped.game.options == env.unwrapped.game.options
        assert twin.unwrapped.render_mode == "ansi"
        assert twin.unwrapped.max_cycles == 7
        assert twin.observation_space("player_0") == env.observation_space("player_0")
        assert pettingzoo.make(kind, env.spec, max_cycles=9).max_cycles == 9
        plain = pettingzoo.make(kind, f"fruit/{name}-v0")
        assert plain.spec == pettingzoo.spec(kind, f"fruit/{name}-v0")
        custom = fruit_envs.Game(name, rules=load(name, **options).rules.copy())
        assert pettingzoo.make(kind, f"fruit/{name}-v0", game=custom).spec.make().unwrapped.game is custom


def test_the_spec_of_a_preset_is_the_preset_s():
    env = pettingzoo.make("aec", "fruit/fruit_salad_memory-v0", num_players=3)
    assert env.spec.id == "fruit/fruit_salad_memory-v0"
    assert env.spec.kwargs == {"game": "fruit_salad", "memory": "tabletop", "num_players": 3}


@pytest.mark.parametrize("name", sorted(GAMES))
def test_the_functions_of_a_game_s_package_are_found_by_name_and_light(name):
    package = GAMES[name].package
    for function in ("raw_env", "env", "raw_parallel_env", "parallel_env"):
        made = getattr(importlib.import_module(package), function)
        assert pickle.loads(pickle.dumps(made)) is made
        assert made.__doc__
    if package.startswith("fruit_envs."):
        code = f"import sys, {package}; print([m for m in sys.modules if m == 'numba' or m.endswith('.rules')])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

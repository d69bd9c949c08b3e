"""Compiled and plain Python play the same games; the cache is private, sees every edit, and starts warm."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fruit_envs import load
from fruit_envs.engine import cache, jit
from support import cases, trace_hash

TESTS = Path(__file__).parent
TRACES = TESTS / "golden" / "traces.json"

#: Prints the trace hash of every case, as JSON.
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
from support import cases, trace_hash
from fruit_envs import load
print(json.dumps({p.id: trace_hash(load(p.values[0], **p.values[1]), games=2) for p in cases()}))
"""


def run(code, *args, **environment):
    """A fresh interpreter with warnings as errors; returns what it printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")} | environment
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said = [line for line in done.stderr.splitlines() if not line.startswith("fruit_envs: compiling ")]
    assert said == [], "an exception in a kernel cannot leave it: it is printed and ignored"
    return done.stdout


@pytest.fixture(scope="module")
def here():
    return {case.id: trace_hash(load(case.values[0], **case.values[1]), games=2) for case in cases()}


def test_without_compilation_the_same_source_plays_the_same_games(here):
    assert json.loads(run(SCRIPT, TESTS, NUMBA_DISABLE_JIT="1")) == here


def test_with_bounds_checks_and_a_fresh_cache_the_same_games(here, tmp_path):
    assert json.loads(run(SCRIPT, TESTS, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))) == here


def test_games_are_what_they_were_in_this_version_of_the_environments(here):
    """Rules, observations, masks or rewards that change need a new version suffix and new hashes in traces.json.

    Write them with `python tests/test_compiled.py` once the version has risen.
    """
    frozen = json.loads(TRACES.read_text())
    published = {key: value for key, value in here.items() if not key.startswith("toy")}
    assert {f"{key}/v{load(key.split('-')[0]).version}": value for key, value in published.items()} == frozen


STAMP = "from fruit_envs.engine.cache import source_stamp; print(source_stamp('house.rules'))"


def test_an_edit_in_any_file_that_a_function_depends_on_changes_the_cache_folder(tmp_path):
    house, other = tmp_path / "house", tmp_path / "other"
    for folder in (house, other):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (house / "rules.py").write_text("from house.board import (\n    SIDE,\n)\nimport other.facts\n")
    (house / "board.py").write_text("from house import sizes\n")
    stamps, path = [], os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for file in ("house/sizes.py", "house/board.py", "house/rules.py", "house/unused.py", "other/facts.py"):
        for text in ("X = 1\n", "X = 2\n"):
            with (tmp_path / file).open("a") as source:
                source.write(text)
            stamps.append(run(STAMP, PYTHONPATH=path))
    assert len(set(stamps[:6])) == 6
    assert len(set(stamps[5:])) == 1, "a file that is not imported, or another library's, changes nothing"
    checked = run(
        STAMP, NUMBA_BOUNDSCHECK="1", PYTHONPATH=str(tmp_path) + os.pathsep + os.environ.get("PYTHONPATH", "")
    )
    assert checked != stamps[-1]


CACHE = "from fruit_envs.engine.cache import cache_folder; print(cache_folder())"
PLAY = "import fruit_envs as f; s = f.load('fruit_cocktail').deal(1); print(s.seat >= 0)"


def test_the_cache_goes_where_it_may_and_is_private(tmp_path):
    named = run(CACHE, NUMBA_CACHE_DIR=str(tmp_path / "named")).strip()
    assert named.startswith(str(tmp_path / "named"))
    xdg = Path(run(CACHE, XDG_CACHE_HOME=str(tmp_path / "xdg")).strip())
    assert xdg == tmp_path / "xdg" / "fruit_envs"
    assert stat.S_IMODE(xdg.stat().st_mode) == 0o700
    # A folder that others may write to could hold their pickles: it is passed over.
    open_to_all = tmp_path / "open" / "fruit_envs"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)
    fallback = run(CACHE, XDG_CACHE_HOME=str(open_to_all.parent), TMPDIR=str(tmp_path)).strip()
    assert fallback.startswith(str(tmp_path / "fruit_envs-"))


def test_it_works_with_no_folder_to_write_to(tmp_path):
    """Installed as root and run as a user without writable home, temporary folder or site-packages."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    environment = {"XDG_CACHE_HOME": str(blocked), "TMPDIR": str(blocked), "HOME": str(blocked)}
    code = f"import tempfile; tempfile.tempdir = {str(blocked)!r}\n"
    assert run(code + CACHE, **environment).strip() == "None"
    assert run(code + PLAY, **environment).strip() == "True"


def test_where_folders_have_no_owner_their_mode_says_nothing(monkeypatch, tmp_path):
    """Windows reports every folder as open to all."""
    tmp_path.chmod(0o777)
    assert not cache._usable(tmp_path)
    monkeypatch.delattr(os, "getuid")
    assert cache._usable(tmp_path)


STEP = """
from fruit_envs import load, register_game
register_game('toy_windows', 'toy_windows')
state = load('toy_windows').deal(1)
state.apply(state.seat, state.legal_actions(state.seat)[0])
print(state)
"""


def cold(tmp_path, **more):
    """A step of the toy game with this cache; returns what came on stderr."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    env |= {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join([str(TESTS), env.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", STEP], capture_output=True, text=True, env=env, check=False, **more
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("State(toy_windows, decisions=1")
    return done.stderr


def test_a_damaged_cache_costs_a_compile_and_is_mended(tmp_path):
    assert cold(tmp_path).count("compiling toy_windows") == 1
    assert cold(tmp_path) == "", "what was kept is used"
    kept = sorted(tmp_path.rglob("*.nb?"))
    for path, size in [(path, 0) for path in kept[::2]] + [(path, path.stat().st_size // 2) for path in kept[1::2]]:
        path.write_bytes(path.read_bytes()[:size])
    cold(tmp_path)
    assert cold(tmp_path) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_full_disk_costs_the_cache_and_not_the_game(tmp_path):
    import resource

    limit = 8 * 1024
    assert "compiling" in cold(tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert not [path for path in tmp_path.rglob("*") if ".tmp." in path.name], "nothing half written is left"


def test_importing_is_light_and_compiles_nothing():
    code = (
        "import sys, fruit_envs, fruit_envs.games.fruit_cocktail, gymnasium, pettingzoo\n"
        "assert 'fruit/FruitCocktail-v0' in gymnasium.registry\n"
        "assert 'fruit/fruit_cocktail-v0' in pettingzoo.aec_registry\n"
        "heavy = [m for m in sys.modules if m == 'numba' or m == 'torch' or m.endswith('.rules')]\n"
        "print(heavy)"
    )
    assert run(code).strip() == "[]"


def test_importing_the_agents_is_light_too():
    pytest.importorskip("fruit_agents")
    with_agents = "import sys, fruit_agents; print([m for m in sys.modules if m in ('numba', 'torch', 'typer')])"
    assert run(with_agents).strip() == "[]"


def test_a_second_process_compiles_nothing(tmp_path):
    """Loops and kernels come from the cache; nothing is timed, the files in the cache are counted."""
    code = (
        "import fruit_envs as f, numpy as np\n"
        "b = f.Batch('fruit_cocktail', 4); b.reset(1); b.step(b.sample())\n"
        "s = f.load('fruit_cocktail').deal(1); s.view(0, 1); s.apply(s.seat, s.legal_actions(s.seat)[0])\n"
        "import gymnasium; e = gymnasium.make('fruit/FruitCocktail-v0'); e.reset(seed=1); e.reset()\n"
        "from fruit_envs.engine import loops\n"
        "ds = [v for v in vars(loops).values() if hasattr(v, 'stats')]\n"
        "print(sum(sum(d.stats.cache_misses.values()) for d in ds), sum(sum(d.stats.cache_hits.values()) for d in ds))"
    )
    misses, hits = map(int, run(code, NUMBA_CACHE_DIR=str(tmp_path)).split())
    assert misses > 0
    files = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.nb*")}
    misses, hits = map(int, run(code, NUMBA_CACHE_DIR=str(tmp_path)).split())
    assert (misses, hits > 5) == (0, True)
    assert files == {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.nb*")}


def test_keys_are_one_way_and_differ():
    from fruit_envs.runtime.keys import decision_key

    keys = {decision_key(a, g, s, d) for a in range(3) for g in range(5) for s in range(3) for d in range(5)}
    assert len(keys) == 225
    assert all(0 <= key < 2**64 for key in keys)


def test_no_kernel_can_allocate():
    """Kernels and helpers are compiled without Numba's runtime: an allocation in one does not compile."""
    import numba
    import numpy as np

    @jit.loop
    def allocates(n):
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError):
        allocates(3)


if __name__ == "__main__":
    hashes = {case.id: trace_hash(load(case.values[0], **case.values[1]), games=2) for case in cases()}
    published = {
        f"{key}/v{load(key.split('-')[0]).version}": value for key, value in hashes.items() if not key.startswith("toy")
    }
    TRACES.write_text(json.dumps(published, indent=1) + "\n")

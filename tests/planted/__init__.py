"""Faults to plant, by where they lie, and the tests that must catch them; see `mutants.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One planted fault.

    Parameters
    ----------
    name
        What goes wrong.
    file
        The source file.
    old, new
        The text to replace, which occurs exactly once, and its replacement.
    tests
        What must fail: arguments of pytest, separated by spaces.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str


DECLARE, ENGINE, RUNTIME, AGENTS, FACES = (
    f"fruit_envs/{room}" for room in ("declare", "engine", "runtime", "agents", "faces")
)
COCKTAIL = "fruit_envs/games/fruit_cocktail"
FRUITOPLAY = "fruit_envs/games/fruitoplay"
HIDDEN, SEEDS, AEC = (f"tests/conformance/test_{part}.py" for part in ("hidden", "seeds", "aec"))
SINGLE, PARALLEL, BATCH = (f"tests/conformance/test_{part}.py" for part in ("single_agent", "parallel", "batch"))
#: Tests of what is hidden: the same views, worlds and sights wherever a seat knows the same.
VIEWS_ALIKE, STATES_ALIKE, WORLDS_ALIKE, TRUTH_HIDDEN, DEALT_OVER = (
    f"{HIDDEN} -k {test}"
    for test in ("function_of", "information_states_look_alike", "same_list", "does_not_find", "dealt_over")
)
RULINGS = " ".join(f"tests/fruit_cocktail/test_rulings_{part}.py" for part in ("setup", "play", "knowledge", "scoring"))
ARENA = "agents/fruit_agents/arena"
ORACLE = "tests/fruit_cocktail/test_oracle.py"
F_PLAY, F_SCORING, F_ORACLE, F_RECORDS, F_KNOWLEDGE, F_FIXTURES = (
    f"tests/fruitoplay/test_{part}.py"
    for part in ("rulings_play", "rulings_scoring", "oracle", "records", "knowledge", "fixtures")
)
VECTOR, POOL = "tests/conformance/test_vector.py", "tests/agents/test_pool.py"
MEMORY = "tests/agents/test_memory.py"
TRAINING = "tests/fruit_train/test_training.py"
RUN_FOLDER = "tests/fruit_train/test_run_folder.py"
FILES = "tests/base/test_files.py"

FRUITY = "fruit_envs/games/fruity_fruit"
Y_PLAY, Y_END, Y_SETUP, Y_ORACLE, Y_RECORDS, Y_KNOWLEDGE, Y_EXACT, Y_TEXT = (
    f"tests/fruity_fruit/test_{part}.py"
    for part in ("rulings_play", "rulings_end", "rulings_setup", "oracle", "records", "knowledge", "exact", "text")
)
Y_HIDDEN = f"{HIDDEN} -k fruity_fruit"
Y_WORLDS = f"{Y_KNOWLEDGE} -k uniform_over_the_deals"

SALAD = "fruit_envs/games/fruit_salad"
S_PLAY, S_ENDS, S_ORACLE, S_RECORDS, S_KNOWLEDGE = (
    f"tests/fruit_salad/test_{part}.py"
    for part in ("rulings_play", "rulings_ends", "oracle", "records", "rulings_knowledge")
)
S_GAMES = f"{S_ORACLE} -k play_the_same_games"
S_BELIEF = f"{S_KNOWLEDGE} -k belief"

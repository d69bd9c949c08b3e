"""`check_game` passes what keeps the contract, and says in words what does not."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fruit_envs import InvalidGame, InvalidOption, register_game
from fruit_envs.declare.catalog import GAMES
from fruit_envs.engine import jit
from fruit_envs.testing import GameFault, check_game

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "kuhn.py"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("toy_windows", {}),
        ("fruit_cocktail", {"num_players": 4, "reward": "margin"}),
        ("fruitoplay", {"num_players": 2}),
        ("fruity_fruit", {"num_players": 2}),
        ("fruit_salad", {"num_players": 2, "max_reveals": 24}),
        ("fruit_cocktail", {"memory": "tabletop"}),
    ],
)
def test_games_that_keep_the_contract_pass(name, options):
    check_game(name, **options)


@pytest.fixture
def kuhn_with(tmp_path, monkeypatch):
    """Kuhn poker with some of its text replaced, registered under a name of its own."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(*changes):
        text = TUTORIAL.read_text("utf-8")
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        name = f"kuhn_{tmp_path.name}".replace("-", "_").lower()
        name = "".join(letter for letter in name if letter.isalnum() or letter == "_").strip("_")
        (tmp_path / f"{name}.py").write_text(text.replace('"kuhn_poker"', f'"{name}"'))
        importlib.import_module(name)
        made.append(name)
        return name

    yield make
    for name in made:
        GAMES.pop(name, None)
        sys.modules.pop(name, None)


FAULTS = {
    "a kernel is missing": ("@kernels\ndef scores", "def scores", InvalidGame, "scores"),
    "a field of the state is misspelt": (
        "state.choices[count] = action",
        "state.choice[count] = action",
        None,
        "choice",
    ),
    "a block is misspelt": ("out[at.choices + card]", "out[at.chosen + card]", None, "chosen"),
    "the state is not whole words": ("    align=True,\n)\nkernels", ")\nkernels", InvalidGame, "8 bytes"),
    "a kernel writes beyond its row": (
        "        out[at.choices + card] = state.choices[card]",
        "        out[at.choices + card] = state.choices[card]\n    out[at.end] = 0",
        GameFault,
        "nothing beside them",
    ),
    "a block is out of its bounds": ("out[at.choices + card] =", "out[at.choices + card] = 5 +", GameFault, "choices"),
    "seats that are not asked have a mask": ("(np.int64(state.pending) >> seat) & 1", "1", GameFault, "not asked"),
    "an observation shows the other's card": (" == card and state.shown", " == card", GameFault, "shown"),
    "views keep the truth": ("other = (own + 1 + draw(key, 0, 2)) % CARDS", "other = other", GameFault, "redraw"),
    "views are drawn from the truth": ("(own + 1 + draw(", "(own + 1 + other * draw(", GameFault, None),
    "shares do not add up": ("out[1] = 1.0 - out[0]", "out[1] = 0.0", GameFault, "add up"),
    "the seed is ignored": ("    shuffle(state, DECK, 0, state.deck, CARDS, CARDS)\n", "", GameFault, "seeds"),
    "an information state forgets the card": (
        'int(s["deck"][seat]), other, *',
        "0, other, *",
        GameFault,
        "information",
    ),
}


@pytest.mark.skipif(not jit.JIT, reason="what compiled code would overwrite does not show without compilation")
@pytest.mark.parametrize("fault", FAULTS)
def test_what_breaks_the_contract_is_said_in_words(fault, kuhn_with):
    old, new, error, words = FAULTS[fault]
    with pytest.raises(error, match=words):
        check_game(kuhn_with((old, new)))


@pytest.mark.skipif(not jit.JIT, reason="nothing is typed without compilation")
@pytest.mark.parametrize("order", [("short", "long"), ("long", "short")])
def test_a_record_that_is_another_s_plus_a_last_field_is_no_surprise(order, tmp_path):
    """Numba would take the shorter record's functions for the longer one's, with a warning that it is an experiment."""
    text = TUTORIAL.read_text("utf-8")
    longer = text.replace("    ],\n    align=True,", '        ("more", np.int64),\n    ],\n    align=True,', 1)
    assert longer != text
    for name, code in (("short", text), ("long", longer)):
        (tmp_path / f"{name}.py").write_text(code.replace('"kuhn_poker"', f'"kuhn_{name}"'))
    play = "".join(
        f"import {name}; s = load('kuhn_{name}').deal(1); s.view(0, 1); s.apply(s.seat, 1)\n" for name in order
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"from fruit_envs import load\n{play}"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_names_are_checked_and_not_taken_twice():
    for name in ("Kuhn", "kuhn poker", "", 3, "_kuhn"):
        with pytest.raises(InvalidOption, match="small letters"):
            register_game(name, "kuhn")
    with pytest.raises(InvalidOption, match="not taken"):
        register_game("fruit_cocktail", "somewhere.else")
    with pytest.raises(InvalidOption, match="package"):
        register_game("kuhn_poker", "no package")

"""Fruit Salad's card tables and shrunken games: what is read, and what is refused with the broken constraint named."""

from __future__ import annotations

import json
from importlib import resources

import numpy as np
import pytest

import fruit_envs
from fruit_envs import Game, InvalidOption, InvalidTable
from fruit_envs.games.fruit_salad.components import mini_rules
from fruit_envs.games.fruit_salad.deck import default_deck

from .helpers import Table, load
from .oracle import check_record

TEXT = (resources.files("fruit_envs.games.fruit_salad") / "cards.csv").read_text("utf-8")


def rows():
    return [list(row) for row in default_deck()]


def changed(number, place, value):
    deck = rows()
    deck[number][place] = value
    return deck


def test_a_deck_by_name_path_rows_and_array_is_the_same_game(tmp_path):
    path = tmp_path / "deck.csv"
    path.write_text(TEXT)
    bare = tmp_path / "bare.csv"
    bare.write_text(
        "\n".join(",".join(c for i, c in enumerate(line.split(",")) if i != 1) for line in TEXT.splitlines())
    )
    games = [load(), *(fruit_envs.load("fruit_salad", deck=deck) for deck in (str(path), path, bare, rows()))]
    games.append(fruit_envs.load("fruit_salad", deck=np.array(rows(), dtype=object)))
    assert len({game.rules.tobytes() for game in games}) == 1


def test_a_custom_deck_is_kept_in_records_in_full():
    deck = changed(3, 3, 9)
    deck[3][4] = "both"
    (record,) = fruit_envs.record("fruit_salad", deck=deck, seed=4, max_reveals=50)
    record = json.loads(json.dumps(record))
    assert record["options"]["deck"] == deck
    fruit_envs.replay(record)
    check_record(record)


def test_any_table_within_its_bounds_plays_as_the_oracle_says():
    rng = np.random.default_rng(3)
    for seed in range(4):
        counts = rng.integers(0, 10, (60, 4))
        counts[:, 0] = np.maximum(counts[:, 0], 1)
        minions = rng.choice(["none", "number", "fruit", "both"], 60)
        deck = tuple((*map(int, row), str(minion)) for row, minion in zip(counts, minions, strict=True))
        game = load(num_players=3, deck=deck, points_to_win=20, max_reveals=300)
        for _ in Table(game, seed=seed).play(seed, slapping=0.5, step=13):
            pass


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        (rows()[:59], "expected 60 rows .* got 59 rows"),
        ([*rows(), rows()[0]], "got 61 rows"),
        (changed(7, 0, 10), r"row 7: expected watermelon to be a whole number 0\.\.9, got 10"),
        (changed(7, 2, -1), "row 7: expected orange"),
        (changed(7, 3, 1.0), "row 7: expected pear"),
        (changed(7, 1, True), "row 7: expected strawberry"),
        (changed(0, 0, 0), "row 0: expected at least one piece"),
        (changed(5, 4, "bee"), "row 5: expected minion to be one of"),
        (changed(5, 4, 0), "row 5: expected minion"),
        ([*rows()[:59], [1, 0, 0, 0]], "row 59: expected"),
        ([*rows()[:59], None], "row 59: expected"),
        (5, "expected 60 rows"),
        (None, "expected 60 rows"),
        (np.array(5), "expected 60 rows"),
        ("no/such/file.csv", "the path of a CSV file"),
        ("\0", "the path of a CSV file"),
    ],
)
def test_malformed_decks_are_refused(deck, message):
    with pytest.raises(InvalidTable, match=message):
        fruit_envs.load("fruit_salad", deck=deck)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("orange", "lemon", 1), "expected the columns"),
        (lambda text: "", "expected the columns"),
        (lambda text: text.replace("\n5,", "\n6,"), "id '6' is not 5"),
        (lambda text: text.replace("0,1,1,0,0,0,none", "0,1,one,0,0,0,none"), "row 0: expected"),
        (lambda text: text.replace("0,1,1,0,0,0,none", "0,1,1,0,0,0"), "row 0: expected"),
        (lambda text: text.replace("0,1,1,0,0,0,none", "0,1,12,0,0,0,none"), "row 0: expected watermelon"),
    ],
)
def test_malformed_files_are_refused(change, message, tmp_path):
    path = tmp_path / "deck.csv"
    path.write_text(change(TEXT))
    with pytest.raises(InvalidTable, match=message):
        fruit_envs.load("fruit_salad", deck=path)


@pytest.mark.parametrize(
    ("dealt", "parts", "message"),
    [
        ((3,), {}, "num_players"),
        ((3, 0), {}, "dealt"),
        ((40, 30), {}, "cards"),
        ((1, 3), {}, "expected 2 cards of a seat that starts"),
        ((3, 3), {"first": 2}, "first"),
        ((3, 3), {"numbers": (1, 2, 2, 3, 3, 0)}, "number"),
        ((3, 3), {"num_players": 3}, "a pile for each of 3 players"),
        ((3, 3), {"windows": "fulll"}, "windows"),
        ((3, 3), {"table": [[0, 0, 0, 0, "none"]] * 6}, "at least one piece"),
    ],
    ids=str,
)
def test_shrunken_games_check_what_they_are_given(dealt, parts, message):
    with pytest.raises(InvalidOption, match=message):
        mini_rules(dealt, **parts)


@pytest.mark.parametrize(
    ("field", "value"),
    [("cards", 61), ("goal", 0), ("max_reveals", 0), ("windows", 3), ("early", 64), ("first", -2), ("num_actions", 60)],
)
def test_rules_records_that_the_state_cannot_hold_are_refused(field, value):
    rules = mini_rules((3, 3)).copy()
    rules[field] = value
    with pytest.raises(InvalidOption, match=f"rules: expected {field}"):
        Game("fruit_salad", rules=rules)
    for name, wrong in (("dealt", [3, 2, 0, 0, 0, 0]), ("number_faces", 0), ("fruit_faces", 5), ("minion", 4)):
        rules = mini_rules((3, 3)).copy()
        rules[name] = wrong
        with pytest.raises(InvalidOption, match="rules: expected"):
            Game("fruit_salad", rules=rules)
    rules = mini_rules((3, 3)).copy()
    rules["pieces"] = 0
    with pytest.raises(InvalidOption, match="pieces of a card"):
        Game("fruit_salad", rules=rules)

"""The option `deck`: the named one, tables, files; and every malformed one."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fruit_envs
from fruit_envs import InvalidOption, InvalidTable
from fruit_envs.engine import loops
from fruit_envs.engine.kernels import RULES

from .helpers import EXAMPLE_HANDS, EXAMPLE_LOCKED, ONES, beside, build, dealt, play_out, staged
from .oracle import ASSUMED_V1_ROWS, FRUITS, PLAYERS, Table, deck_of, random_deal

Rows = list[list[Any]]


def rows() -> Rows:
    return [list(row) for row in ASSUMED_V1_ROWS]


def make(deck: Any, **options: Any) -> fruit_envs.Game:
    return fruit_envs.load("fruit_cocktail", deck=deck, **options)


def csv_text(table: Rows) -> str:
    lines = [f"{number},{FRUITS[fruit]},{pieces},{value}" for number, (fruit, pieces, value) in enumerate(table)]
    return "\n".join(["id,fruit,pieces,value", *lines]) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "deck.csv"
        path.write_text(text, "utf-8")
        return path

    return write


def shuffled(seed: int = 0) -> Rows:
    """A deck whose ids follow no formula."""
    rng = random.Random(seed)
    table = [[fruit, rng.randint(1, 3), rng.randint(-4, 5)] for fruit in range(8) for _ in range(3)]
    rng.shuffle(table)
    return table


# ---- good ones -----------------------------------------------------------------------------------------------------


def test_the_default_is_assumed_v1() -> None:
    game = fruit_envs.load("fruit_cocktail")
    assert game.options["deck"] == "assumed-v1"
    assert game.rules.tobytes() == make(rows()).rules.tobytes() == make("assumed-v1").rules.tobytes()
    for card, (fruit, pieces, value) in enumerate(ASSUMED_V1_ROWS):
        assert game.action_names[card] == f"take {card}: {pieces} {FRUITS[fruit]} {value:+d}"


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["lists", "tuples", "array"])
def test_rows_are_lists_tuples_or_an_array(kind: Callable[[Any], Any]) -> None:
    assert make(kind(rows())).rules.tobytes() == make(rows()).rules.tobytes()


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_read_once_and_kept_as_rows(kind: Callable[[Any], Any], file: Callable[[str], Path]) -> None:
    table = shuffled()
    path = file(csv_text(table))
    game = make(kind(path))
    path.unlink()
    assert [list(row) for row in game.options["deck"]] == table
    (record,) = fruit_envs.record(game, seed=1)
    assert record["options"]["deck"] == table
    assert fruit_envs.replay(record).over


def test_the_csv_of_the_default_deck_is_the_default_deck(file: Callable[[str], Path]) -> None:
    assert make(file(csv_text(rows()))).rules.tobytes() == make("assumed-v1").rules.tobytes()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_do_not_matter(end: str, tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_bytes(csv_text(shuffled()).replace("\n", end).encode())
    assert [list(row) for row in make(path).options["deck"]] == shuffled()


@pytest.mark.parametrize("players", PLAYERS)
def test_a_custom_deck_scores_accordingly(players: int) -> None:
    for seed in range(30):
        game = make(shuffled(seed), num_players=players)
        state, table = beside(game, seed)
        play_out(state, table)
        assert state.scores.tolist() == table.scores()


def test_a_custom_deck_by_hand() -> None:
    """The worked example with grape2 worth 5 instead of -4: nine more for each banana piece."""
    table = rows()
    table[16][2] = 5
    state = staged(make(table, mode="total_control"), EXAMPLE_HANDS, EXAMPLE_LOCKED)
    assert state.scores.tolist() == [8 + 2 * 9, 7 + 1 * 9]


def test_a_card_is_its_row_not_a_formula() -> None:
    """Rows in another order: card ids, fruits, pieces and values all follow the row."""
    table = rows()[::-1]
    game = make(table)
    deal = random_deal(random.Random(1), 2, "base")
    state, model = build(game, deal), Table(deal, deck_of(table))
    play_out(state, model)
    assert state.scores.tolist() == model.scores()
    assert game.action_names[0] == "take 0: 3 orange -2"


@pytest.mark.parametrize("pieces", [(1, 1, 1), (2, 2, 2), (3, 3, 3), (1, 3, 3), (2, 1, 2)])
def test_equal_piece_counts_within_a_fruit_are_allowed(pieces: tuple[int, ...]) -> None:
    table = [[fruit, count, 1] for fruit in range(8) for count in pieces]
    state, model = beside(make(table), 4)
    play_out(state, model)
    assert state.scores.tolist() == model.scores()
    assert sum(state.scores) == sum(table[card][1] for hand in model.hands for card in hand)


def test_the_extreme_values_fit() -> None:
    for value in (-4, 5):
        state, model = beside(make([[fruit, 3, value] for fruit in range(8) for _ in range(3)]), 4)
        play_out(state, model)
        assert state.scores.tolist() == [24 * value] * 2
        for seat in range(2):
            assert state.to_json(seat)["value"] == [value] * 8


def test_a_custom_deck_needs_no_recompilation() -> None:
    plain = fruit_envs.load("fruit_cocktail")
    _use(plain)
    compiled = _compiled()
    for seed in range(3):
        game = make(shuffled(seed))
        _use(game)
        assert np.array_equal(game.playing[:RULES], plain.playing[:RULES])
        assert game.state_dtype == plain.state_dtype
    assert _compiled() == compiled


def _use(game: fruit_envs.Game) -> None:
    """Everything that a state does in compiled code, once."""
    state, model = beside(game, 1)
    state.view(0, 1)
    play_out(state, model)
    assert state.scores.tolist() == model.scores()
    assert state.reveal().size
    assert sum(state.shares) == pytest.approx(1)
    assert sum(state.returns) == pytest.approx(0)
    fruit_envs.record(game, seed=1)


def _compiled() -> dict[str, int]:
    """How often each loop has been compiled."""
    return {name: len(f.signatures) for name, f in vars(loops).items() if hasattr(f, "signatures")}


def test_decks_do_not_change_the_deal() -> None:
    assert dealt(make(ONES).deal(3)) == dealt(make("assumed-v1").deal(3))


def test_the_table_given_is_copied() -> None:
    table = rows()
    game = make(table)
    table[0][2] = 5
    assert game.options["deck"][0][2] == -4


# ---- malformed ones ------------------------------------------------------------------------------------------------


def refused(deck: Any, *words: str) -> None:
    """Refused with the one error type, whose message holds these words."""
    with pytest.raises(InvalidTable) as caught:
        make(deck)
    for word in words:
        assert word in str(caught.value)
    assert isinstance(caught.value, InvalidOption)


@pytest.mark.parametrize("count", [0, 1, 23, 25])
def test_a_wrong_number_of_cards_is_refused(count: int, file: Callable[[str], Path]) -> None:
    table = (rows() * 2)[:count]
    refused(table, "24", str(count))
    refused(file(csv_text(table)), "24", str(count))


BAD_CELLS = [
    *[(0, fruit) for fruit in (-1, 8, 24, True, 0.0, "0", "banana", None, [0])],
    *[(1, pieces) for pieces in (0, 4, -1, True, False, 1.0, 1.5, "1", None, [1])],
    *[(2, value) for value in (-5, 6, 100, True, False, 1.0, 0.5, "1", None, float("nan"), 10**30)],
]


@pytest.mark.parametrize(("column", "cell"), BAD_CELLS, ids=repr)
@pytest.mark.parametrize("row", [0, 7, 23])
def test_a_bad_cell_is_refused_naming_its_row(row: int, column: int, cell: Any) -> None:
    table = rows()
    table[row][column] = cell
    refused(table, f"row {row}", ("fruit", "pieces", "value")[column], repr(cell))


BAD_TEXT = [
    *[(0, text) for text in ("x", "", "1.0", "-1", "True")],
    *[(1, text) for text in ("pear", "Banana", "", "0", " banana", "banane")],
    *[(2, text) for text in ("0", "4", "-1", "1.0", "", "True", "one", "1e0", "nan")],
    *[(3, text) for text in ("-5", "6", "1.0", "0.5", "", "True", "x", "--1")],
]


@pytest.mark.parametrize(("column", "text"), BAD_TEXT, ids=repr)
@pytest.mark.parametrize("row", [0, 7, 23])
def test_a_bad_cell_of_a_file_is_refused_naming_its_row(
    row: int, column: int, text: str, file: Callable[[str], Path]
) -> None:
    lines = csv_text(rows()).splitlines()
    cells = lines[row + 1].split(",")
    cells[column] = text
    lines[row + 1] = ",".join(cells)
    refused(file("\n".join(lines) + "\n"), f"row {row}")


@pytest.mark.parametrize("row", [0, 11, 23])
@pytest.mark.parametrize(
    "change", [lambda row: row[:2], lambda row: [*row, 0], lambda _: [], lambda _: 5, lambda _: "123", lambda _: None]
)
def test_a_row_of_the_wrong_shape_is_refused_naming_it(row: int, change: Callable[[Any], Any]) -> None:
    table: list[Any] = rows()
    table[row] = change(table[row])
    refused(table, f"row {row}")


@pytest.mark.parametrize("row", [0, 11, 23])
@pytest.mark.parametrize(
    "change",
    [lambda line: line + ",0", lambda line: line + ",", lambda line: line.rsplit(",", 1)[0]],
    ids=["a cell too many", "a comma too many", "a cell too few"],
)
def test_a_line_of_the_wrong_length_is_refused_naming_it(
    row: int, change: Callable[[str], str], file: Callable[[str], Path]
) -> None:
    lines = csv_text(rows()).splitlines()
    lines[row + 1] = change(lines[row + 1])
    refused(file("\n".join(lines) + "\n"), f"row {row}")


@pytest.mark.parametrize("fruit", range(8))
def test_four_cards_of_a_fruit_are_refused_naming_the_rows(fruit: int, file: Callable[[str], Path]) -> None:
    table = rows()
    other = 3 * ((fruit + 1) % 8)
    table[other][0] = fruit
    for deck in (table, file(csv_text(table))):
        with pytest.raises(InvalidTable) as caught:
            make(deck)
        held = [number for number, row in enumerate(table) if row[0] == fruit]
        lacking = [number for number, row in enumerate(table) if row[0] == (fruit + 1) % 8]
        assert str(held) in str(caught.value) or str(lacking) in str(caught.value)


@pytest.mark.parametrize(
    "header",
    [
        "fruit,pieces,value",
        "id,fruit,pieces",
        "id,fruit,value,pieces",
        "id,fruit,pieces,value,extra",
        "ID,Fruit,Pieces,Value",
        "id;fruit;pieces;value",
        "",
    ],
)
def test_wrong_columns_are_refused(header: str, file: Callable[[str], Path]) -> None:
    lines = csv_text(rows()).splitlines()
    refused(file("\n".join([header, *lines[1:]]) + "\n"), "columns")


def test_ids_must_be_the_row_numbers(file: Callable[[str], Path]) -> None:
    lines = csv_text(rows()).splitlines()
    lines[4], lines[5] = lines[5], lines[4]
    refused(file("\n".join(lines) + "\n"), "row 3")


def test_an_empty_file_is_refused(file: Callable[[str], Path]) -> None:
    refused(file(""))


@pytest.mark.parametrize("kind", [str, Path])
def test_a_missing_file_is_refused_naming_it(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    refused(kind(tmp_path / "nothing.csv"), "nothing.csv")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    refused(tmp_path)


def test_an_unknown_name_is_refused() -> None:
    refused("assumed-v2", "assumed-v1", "assumed-v2")


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_text_that_can_be_no_path_is_refused(name: str) -> None:
    refused(name)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_not_utf_8_is_refused(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_bytes(csv_text(rows()).replace("banana", "bañana").encode(encoding))
    refused(path, "deck.csv")


def test_a_file_that_is_no_csv_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deck.csv"
    path.write_text("id,fruit,pieces,value\n0,banana,1," + "9" * 200_000 + "\n", "utf-8")
    refused(path, "deck.csv")


@pytest.mark.parametrize("deck", [None, 5, 2.5, True, {}, set(), {"rows": []}, b"assumed-v1", Ellipsis], ids=repr)
def test_what_is_no_deck_is_refused(deck: Any) -> None:
    refused(deck)


def test_a_float_array_is_refused() -> None:
    refused(np.array(rows(), float), "row 0")


def test_a_boolean_array_is_refused() -> None:
    refused(np.ones((24, 3), bool), "row 0")

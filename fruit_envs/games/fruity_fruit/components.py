"""Fruity Fruit's components: the options, and the read-only record the rules read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import comb
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.header import RULES_HEADER
from fruit_envs.declare.minis import mini_option, own_size, shrunken
from fruit_envs.declare.options import Option, common_options, starter_outcomes, whole
from fruit_envs.declare.rules import check_fields, rules_record
from fruit_envs.games.fruity_fruit.table import (
    CARDS,
    COLOURS,
    FRUITS,
    MAX_VALUE,
    SIDE,
    SYMBOLS,
    VALUES,
    Figure,
    check_board,
    default_table,
    figures,
    read_table,
    shape_of_tile,
)

MAX_PLAYERS = 4
TILES = len(COLOURS) * VALUES
CELLS, HALF = SIDE * SIDE, SIDE * SIDE // 2  # of the board, and of each of its two words
MAX_SHAPES, MAX_TURNS, FIGURE_CELLS = TILES, 4, 4
DRAWN = 4  # scoring cards seen in the draft (Y2)
BASKET = 4  # spaces of a basket
MAX_UNSEEN = 27  # tiles that a seat cannot place, in a game of four

#: No table gives a seat more: the best fruit on all cells but those of the baskets that hold it.
MOST_POINTS = MAX_VALUE * max(min(CELLS - baskets, BASKET * (1 + baskets)) for baskets in range(CELLS))

#: Shrunken games by name: colours x values, rows x columns, tiles of each seat. The values 7 and 8 are strips of three
#: and of two.
MINIS = {
    f"2x2,{side}x{side},2": {"colours": 2, "values": (7, 8), "rows": side, "columns": side, "hand": 2}
    for side in (3, 4)
}

#: Symbols beyond the fruits, by their places in SYMBOLS.
BASKETS, INSECTS = len(FRUITS), len(FRUITS) + 1

#: Kinds of chance event (see `engine.chance`).
START, DEAL, OFFER = range(3)

RULES = np.dtype(
    [
        *RULES_HEADER,
        ("tiles", np.int64),  # bit t: tile t is in the game
        ("ground_low", np.int64),  # the cells of the board
        ("ground_high", np.int64),
        ("opening_low", np.int64),  # of which the first tile covers one (Y4)
        ("opening_high", np.int64),
        ("symbol_low", np.int64, (len(SYMBOLS),)),  # the cells that show each symbol
        ("symbol_high", np.int64, (len(SYMBOLS),)),
        ("tiles_of", np.int64, (MAX_SHAPES,)),  # the tiles of each shape
        ("anchors_low", np.int64, (MAX_SHAPES * MAX_TURNS,)),  # where a figure's corner may lie on an empty board
        ("anchors_high", np.int64, (MAX_SHAPES * MAX_TURNS,)),
        ("binomials", np.int64, ((MAX_UNSEEN + 1) ** 2,)),  # binomial coefficients: k out of m at 28 m + k
        ("first_pair", np.int32, (TILES * MAX_TURNS,)),  # id of the first pair of a tile and an orientation (Y21)
        ("cards_at", np.int32),  # id of the first scoring card; fruits follow the cards
        ("values", np.int16, (CARDS * len(FRUITS),)),  # of each fruit by each scoring card
        ("hand", np.uint8),  # tiles of each seat
        ("cards", np.uint8),  # scoring cards in the deck
        ("drawn", np.uint8),  # of which a seat sees so many; 0: no draft, everybody scores by card 0
        ("rows", np.uint8),
        ("columns", np.uint8),
        ("single", np.uint8),  # 1: action_mode="single" (Y21)
        ("shapes", np.uint8),  # how many there are
        ("shape_of", np.uint8, (TILES,)),  # of each tile
        ("turns", np.uint8, (MAX_SHAPES,)),  # orientations of each shape
        ("offsets", np.uint8, (MAX_SHAPES * MAX_TURNS * FIGURE_CELLS,)),  # a figure's cells, the last one repeated
        ("height", np.uint8, (MAX_SHAPES * MAX_TURNS,)),  # of a figure's bounding box
        ("width", np.uint8, (MAX_SHAPES * MAX_TURNS,)),
    ],
    align=True,
)

#: The fields that follow from the board and the tiles.
_LAYOUT = (
    *("tiles", "tiles_of", "shapes", "shape_of", "turns", "offsets", "height", "width", "anchors_low", "anchors_high"),
    *("rows", "columns", "ground_low", "ground_high", "opening_low", "opening_high", "symbol_low", "symbol_high"),
    *("first_pair", "cards_at", "num_actions"),
)

OPTIONS: tuple[Option, ...] = (
    *common_options(players=(2, MAX_PLAYERS), num_players=3, margin_scale=15.0),
    Option("first_tile", "anywhere", "Y4: the first tile lies anywhere, or on a middle cell", ("anywhere", "centre")),
    Option("shapes", "bars", "Y20: tiles are strips, or polyominoes", ("bars", "mixed")),
    Option(
        "action_mode",
        "two_step",
        "Y21: first a tile, then where it lies, or both at once",
        ("two_step", "single"),
    ),
    Option("components", None, "Y17: None (assumed-v1), a JSON path, or a whole table", check=read_table),
    mini_option(MINIS, "colours x values, rows x columns, hand; without a draft"),
)


def make_rules(options: Mapping[str, Any]) -> np.ndarray:
    """The read-only rules record (shape (1,)) of checked options.

    Raises
    ------
    InvalidOption
        For `reward_timing="as_scored"`: scores follow from secret cards until the end.
    """
    if options["reward_timing"] == "as_scored":
        raise InvalidOption('reward_timing: expected "end", because scoring cards are secret, got "as_scored"')
    rules = rules_record(RULES, options)
    record, n = rules[0], options["num_players"]
    record["single"] = options["action_mode"] == "single"
    record["hand"], record["cards"], record["drawn"] = TILES // n, CARDS, DRAWN
    table = default_table() if options["components"] is None else options["components"]
    record["values"] = np.array(table["scoring_cards"]).ravel()
    record["binomials"] = [comb(m, k) for m in range(MAX_UNSEEN + 1) for k in range(MAX_UNSEEN + 1)]
    _lay_out_board(record, table["board"], centre=options["first_tile"] == "centre")
    _lay_out_tiles(record, range(TILES), [figures(shape) for shape in shape_of_tile(table, options["shapes"])])
    _number_actions(record)
    return shrunken(rules, options, MINIS, _shrink, check_rules)


def _shrink(
    record: Any,
    options: Mapping[str, Any],
    colours: int,
    values: int | Sequence[int],
    rows: int,
    columns: int,
    hand: int | None = None,
    cards: int = 0,
    drawn: int = 0,
) -> None:
    """Keep some values of the first colours, and the board's middle."""
    board, shapes = board_of(record), shapes_of(record)
    rows, columns = whole("rows", 1, SIDE)(rows), whole("columns", 1, SIDE)(columns)
    top, left = (SIDE - rows) // 2, (SIDE - columns) // 2
    value = whole("values", 1, VALUES)
    kept = map(value, values) if isinstance(values, Sequence) else range(VALUES + 1 - value(values), VALUES + 1)
    colours = whole("colours", 1, len(COLOURS))(colours)
    tiles = [VALUES * colour + value - 1 for colour, value in product(range(colours), sorted(set(kept)))]
    for field in _LAYOUT:
        record[field] = 0
    centre = options["first_tile"] == "centre"
    _lay_out_board(record, [row[left : left + columns] for row in board[top : top + rows]], centre=centre)
    _lay_out_tiles(record, tiles, shapes)
    _number_actions(record)
    record["hand"] = len(tiles) // options["num_players"] if hand is None else whole("hand", 1, TILES // 2)(hand)
    record["cards"], record["drawn"] = whole("cards", 0, CARDS)(cards) or 1, whole("drawn", 0, DRAWN)(drawn)


def bits(word: Any) -> list[int]:
    """The numbers of the bits that are 1, ascending."""
    return [place for place in range(int(word).bit_length()) if int(word) >> place & 1]


def words(cells: Any) -> tuple[int, int]:
    """Cells, as numbers 10 * row + column, as the two words of a board."""
    both = sum(1 << cell for cell in set(cells))
    return both & ((1 << HALF) - 1), both >> HALF


def _set_words(record: Any, field: str, cells: Any, at: int | None = None) -> None:
    for part, word in zip(("low", "high"), words(cells), strict=True):
        if at is None:
            record[f"{field}_{part}"] = word
        else:
            record[f"{field}_{part}"][at] = word


def _lay_out_board(record: Any, board: Any, *, centre: bool) -> None:
    """Rows of symbols; the middle is the four middle cells, of an odd number of rows or columns the middle one."""
    rows, columns = len(board), len(board[0])
    record["rows"], record["columns"] = rows, columns
    ground = [SIDE * r + c for r in range(rows) for c in range(columns)]
    middle = [SIDE * r + c for r in {(rows - 1) // 2, rows // 2} for c in {(columns - 1) // 2, columns // 2}]
    _set_words(record, "ground", ground)
    _set_words(record, "opening", middle if centre else ground)
    for place, symbol in enumerate(SYMBOLS):
        _set_words(record, "symbol", [cell for cell in ground if board[cell // SIDE][cell % SIDE] == symbol], place)


def _lay_out_tiles(record: Any, tiles: Any, shapes: list[tuple[Figure, ...]]) -> None:
    """The figures of each tile's shape, and where they fit an empty board."""
    found: dict[tuple[Figure, ...], int] = {}
    for tile in tiles:
        shape = found.setdefault(shapes[tile], len(found))
        record["tiles"] |= 1 << tile
        record["shape_of"][tile] = shape
        record["tiles_of"][shape] |= 1 << tile
    record["shapes"] = len(found)
    for turns, shape in found.items():
        record["turns"][shape] = len(turns)
        for turn, figure in enumerate(turns):
            at = MAX_TURNS * shape + turn
            cells = [SIDE * r + c for r, c in figure]
            record["offsets"][FIGURE_CELLS * at :][:FIGURE_CELLS] = cells + cells[-1:] * (FIGURE_CELLS - len(cells))
            height, width = (1 + max(extent) for extent in zip(*figure, strict=True))
            record["height"][at], record["width"][at] = height, width
            rows, columns = int(record["rows"]) - height + 1, int(record["columns"]) - width + 1
            _set_words(record, "anchors", [SIDE * r + c for r in range(rows) for c in range(columns)], at)


def placements(rules: np.ndarray) -> int:
    """P: how many placement ids there are, 100 for each orientation that a tile may have."""
    r = rules[0]
    return CELLS * int(r["turns"][: int(r["shapes"])].max())


def _number_actions(record: Any) -> None:
    """Ids of pairs, in the order tile, orientation, row, column, of positions on the published board; then the rest."""
    first = 0
    for tile in range(TILES):
        shape = int(record["shape_of"][tile])
        for turn in range(int(record["turns"][shape]) if int(record["tiles"]) >> tile & 1 else 0):
            at = MAX_TURNS * shape + turn
            record["first_pair"][MAX_TURNS * tile + turn] = first
            first += (SIDE + 1 - int(record["height"][at])) * (SIDE + 1 - int(record["width"][at]))
    record["cards_at"] = first if record["single"] else TILES + CELLS * int(record["turns"].max())
    record["num_actions"] = record["cards_at"] + CARDS + len(FRUITS)


def check_rules(rules: np.ndarray) -> None:
    """Refuse a rules record whose sizes the state's fields could not hold; compiled code trusts them.

    Raises
    ------
    InvalidOption
        Naming the field and its bounds.
    """
    r = rules[0]
    n, tiles = int(r["num_players"]), int(r["tiles"])
    held = tiles.bit_count() if 0 < tiles < 1 << TILES else 0
    limits = {
        "num_players": (2, MAX_PLAYERS),
        "rows": (1, SIDE),
        "columns": (1, SIDE),
        "hand": (1, TILES // 2),
        "shapes": (1, MAX_SHAPES),
        "drawn": (0, DRAWN),
        "cards": (min(CARDS, n - 1 + int(r["drawn"])) if r["drawn"] else 1, CARDS),
        "as_scored": (0, 0),
        "single": (0, 1),
    }
    check_fields(rules, limits)
    if held != n * int(r["hand"]):
        raise InvalidOption(f"rules: expected tiles for {n} hands of {r['hand']}, got {held}")
    if r["values"].min() < 0 or r["values"].max() > MAX_VALUE:
        raise InvalidOption(f"rules: expected values 0..{MAX_VALUE}, got {r['values'].tolist()}")
    _check_layout(r)


def _check_layout(record: Any) -> None:
    """What compiled code indexes with must be what this module would have written."""
    board, shapes = board_of(record), shapes_of(record)
    made = np.zeros(1, RULES)[0]
    for field in ("num_players", "single"):
        made[field] = record[field]
    centre = (int(record["opening_low"]), int(record["opening_high"])) != (
        int(record["ground_low"]),
        int(record["ground_high"]),
    )
    try:
        check_board(board, record["rows"], record["columns"])
        _lay_out_board(made, board, centre=centre)
        _lay_out_tiles(made, bits(record["tiles"]), shapes)
        _number_actions(made)
    except (IndexError, KeyError, ValueError) as error:
        raise InvalidOption(f"rules: expected tiles of up to {FIGURE_CELLS} cells on a board ({error})") from error
    made["binomials"] = [comb(m, k) for m in range(MAX_UNSEEN + 1) for k in range(MAX_UNSEEN + 1)]
    for field in ("binomials", *_LAYOUT):
        if not np.array_equal(record[field], made[field]):
            raise InvalidOption(f"rules: expected {field} of a board and its tiles, got {brief(record[field])}")
    for shape in range(int(record["shapes"])):
        if not _opens(record, shape):
            raise InvalidOption(f"rules: expected every tile to fit the empty board, got shape {shape} that does not")


def _opens(record: Any, shape: int) -> bool:
    """Whether a tile of this shape can be the first one."""
    opening = int(record["opening_low"]) | int(record["opening_high"]) << HALF
    for at in range(MAX_TURNS * shape, MAX_TURNS * shape + int(record["turns"][shape])):
        anchors = int(record["anchors_low"][at]) | int(record["anchors_high"][at]) << HALF
        cells = record["offsets"][FIGURE_CELLS * at :][:FIGURE_CELLS].tolist()
        if any(anchors >> cell & 1 and any(opening >> cell + o & 1 for o in cells) for cell in range(CELLS)):
            return True
    return False


def board_of(record: Any) -> tuple[str, ...]:
    """The board of a rules record, as rows of symbols."""
    shown = [["."] * int(record["columns"]) for _ in range(int(record["rows"]))]
    for place, symbol in enumerate(SYMBOLS):
        for cell in bits(int(record["symbol_low"][place]) | int(record["symbol_high"][place]) << HALF):
            if cell // SIDE < len(shown) and cell % SIDE < len(shown[0]):
                shown[cell // SIDE][cell % SIDE] = symbol
    return tuple(map("".join, shown))


def shapes_of(record: Any) -> list[tuple[Figure, ...]]:
    """The figures of every tile's shape in a rules record."""
    found = []
    for tile in range(TILES):
        shape = min(int(record["shape_of"][tile]), MAX_SHAPES - 1)
        first = record["offsets"][FIGURE_CELLS * MAX_TURNS * shape :][:FIGURE_CELLS].tolist()
        found.append(figures(tuple(sorted({divmod(offset, SIDE) for offset in first}))))
    return found


def count_symbol(record: Any, symbol: int) -> int:
    """How many cells of the empty board show a symbol."""
    return int(record["symbol_low"][symbol]).bit_count() + int(record["symbol_high"][symbol]).bit_count()


def worst_margin(rules: np.ndarray) -> float:
    """Points: no margin is below this. A rival's best score fills the spaces of all baskets with the best fruit."""
    record, best = rules[0], 0
    for values in record["values"].reshape(CARDS, -1).tolist():
        worth = [value for fruit, value in enumerate(values) for _ in range(count_symbol(record, fruit))]
        best = max(best, sum(sorted(worth, reverse=True)[: BASKET * (1 + count_symbol(record, BASKETS))]))
    return -float(max(best, 1))


def mini_rules(
    colours: int = 2,
    values: int | Sequence[int] = 2,
    rows: int = 3,
    columns: int = 3,
    *,
    num_players: int = 2,
    hand: int | None = None,
    cards: int = 0,
    drawn: int = 0,
    **options: Any,
) -> np.ndarray:
    """Rules of a shrunken game for exact methods: some values of the first colours, on the board's middle.

    For research and tests; not a published variant. `values` are these (1..9), or so many, the highest ones. `options`
    are those of the game, such as `shapes`. By default all tiles are dealt, and there is no draft: everybody scores by
    card 0. `MINIS` has sizes with names.
    """
    sizes: dict[str, Any] = {"colours": colours, "values": values, "rows": rows, "columns": columns}
    sizes |= {"hand": hand, "cards": cards, "drawn": drawn}
    return make_rules(own_size("fruity_fruit", OPTIONS, options | {"num_players": num_players}, **sizes))


def reset_outcomes(rules: np.ndarray, options: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Chance outcomes that `reset(options=…)` forces: "starter" (Y1). Unknown names are ignored."""
    return starter_outcomes(START, rules, options)

"""The rulings on setup, knowledge, options and components (Y1-Y3, Y15-Y21)."""

from __future__ import annotations

import copy
import json
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import fruit_envs
from fruit_envs import InvalidOption, InvalidTable
from fruit_envs.games.fruity_fruit.components import mini_rules
from support import random_states

from .helpers import Both, every_count, every_mode, every_shape, hands, load
from .oracle import TABLE, colour_of


@every_count
def test_y1_the_start_seat_is_chance_s_unless_it_is_named(players):
    game = load(num_players=players)
    starts = Counter(game.deal(seed).seat for seed in range(900))
    assert stats.chisquare([starts[seat] for seat in range(players)]).pvalue > 1e-6
    for seat in range(players):
        (record,) = fruit_envs.record(game, seed=1, starter=seat)
        assert record["events"][0]["starter"] == seat
    with pytest.raises(InvalidOption, match="starter: expected a seat"):
        fruit_envs.record(game, seed=1, starter=players)


@every_count
def test_y2_the_draft(players):
    both = Both(load(num_players=players), seed=players)
    order = []
    while both.oracle.question.kind == "card":
        seat = both.oracle.question.seat
        order.append(seat)
        both.check_legal()
        both.compare()
        assert len(both.state.to_json(seat)["seen"]) == 4
        for other in range(players):
            assert both.state.to_json(other)["hand"] == [], "nobody observes its tiles before the end"
        both.answer(both.oracle.question.options[-1])
    assert order == [(order[0] + turn) % players for turn in range(players)]
    for seat in range(players):
        assert both.state.to_json(seat)["hand"] == sorted(both.oracle.hands[seat])


@every_count
def test_y2_what_a_seat_saw_tells_of_the_others_cards(players):
    both = Both(load(num_players=players), starter=0)
    both.play(until="tile")
    for seat in range(players):
        seen, own = set(both.oracle.seen[seat]), both.oracle.cards[seat]
        for key in range(200):
            kept = both.state.view(seat, key).records[0]["kept"][:players].tolist()
            assert kept[seat] == own
            assert len(set(kept)) == players
            assert not set(kept[:seat]) & seen, "seats before kept none of what it saw"


def test_y2_every_four_cards_are_equally_likely():
    game = load(num_players=3)
    first = Counter(int(state.records[0]["seen"][state.seat]) for state in map(game.deal, range(5000)))
    assert len(first) == 126
    assert stats.chisquare(list(first.values())).pvalue > 1e-6


@every_count
def test_y3_a_random_partition(players):
    game, size = load(num_players=players), 36 // players
    counts = np.zeros((players, 36))
    for seed in range(1500):
        held = game.deal(seed).records[0]["hands"][:players].tolist()
        assert sum(held) == 2**36 - 1
        assert [hand.bit_count() for hand in held] == [size] * players
        for seat, hand in enumerate(held):
            counts[seat] += [hand >> tile & 1 for tile in range(36)]
    for row in counts:
        assert abs(row - 1500 / players).max() < 6 * np.sqrt(1500 / players)


def test_y3_five_players_are_refused():
    for players in (1, 5, 6):
        with pytest.raises(InvalidOption, match=r"num_players: expected a whole number 2\.\.4"):
            load(num_players=players)


def finished(players, scores_of):
    """A finished game whose fruits are these lists by seat; card 0 for everybody's values."""
    both = Both(load(num_players=players), seed=3)
    both.play()
    s = both.state.records[0]
    s["insects"] = 0
    s["kept"][:players] = 0
    for seat, fruits in enumerate(scores_of):
        s["fruits"][6 * seat : 6 * seat + 6] = [fruits.count(fruit) for fruit in range(6)]
    return type(both.state)(both.game, both.state.records)


def test_y15_the_highest_score_wins_and_ties_share():
    assert finished(3, [[0], [1], [2]]).shares.tolist() == [1, 0, 0]
    assert finished(3, [[0], [0], [2]]).shares.tolist() == [0.5, 0.5, 0]
    assert finished(3, [[], [], []]).shares.tolist() == pytest.approx([1 / 3] * 3)
    assert finished(4, [[0], [3, 2], [0, 5], [0]]).shares.tolist() == [0.25] * 4
    assert finished(3, [[0], [0], [2]]).returns.tolist() == pytest.approx([0.25, 0.25, -0.5])


@every_count
def test_y16_what_is_public_is_the_same_for_all_and_what_is_hidden_is_nobody_s(players):
    """The facts of every seat, at every question, are those of the rule text (`helpers.facts`)."""
    both = Both(load(num_players=players), seed=16)
    while both.oracle.question is not None:
        both.compare()
        both.answer(both.anything(both.oracle))
    both.compare()


def test_y16_a_tile_about_to_be_placed_shows_to_its_owner_only():
    state = load().deal(1)
    while state.to_json(0)["phase"] == "card":
        state.apply(state.seat, state.legal_actions(state.seat)[0])
    seat = state.seat
    others = [other for other in range(3) if other != seat]
    before = [state.observation(other).tobytes() for other in others]
    tile = state.legal_actions(seat)[0]
    state.apply(seat, tile)
    assert [state.observation(other).tobytes() for other in others] == before
    assert state.to_json(seat)["chosen"] == tile
    for other in others:
        view = state.view(other, 5)
        assert view.to_json(seat)["phase"] == "tile"
        assert view.seats == (seat,)


# ---- components ----------------------------------------------------------------------------------------------------


def test_y17_the_default_table_given_in_full_or_as_a_path_is_the_default_game(tmp_path):
    path = tmp_path / "table.json"
    path.write_text(json.dumps(TABLE))
    for shapes in ("bars", "mixed"):
        expected = load(shapes=shapes).rules.tobytes()
        for table in (TABLE, str(path), path):
            assert fruit_envs.load("fruity_fruit", shapes=shapes, components=table).rules.tobytes() == expected


def changed(**rows):
    return {**copy.deepcopy(TABLE), **rows}


def with_shape(cells):
    return changed(shapes={**TABLE["shapes"], "I4": cells})


BOARD = TABLE["board"]
MALFORMED = [
    (7, "expected an object with the rows"),
    ([], "expected an object with the rows"),
    ({}, "row 'board': expected it"),
    (changed(colour=1), "row 'colour': expected no such row"),
    (changed(trump="blue"), "row 'trump': expected red"),
    (changed(tiles_per_player={}), "row 'tiles_per_player'"),
    (changed(tiles_per_player={"2": 18.0, "3": 12, "4": 9}), "row 'tiles_per_player'"),
    (changed(rotation=1), "row 'rotation': expected True, got 1"),
    (changed(basket_spaces=4.0), r"row 'basket_spaces': expected 4, got 4\.0"),
    (changed(players=[3, True]), r"row 'players': expected \[3, 4\]"),
    (changed(symbols=np.zeros(3)), "row 'symbols'"),
    (changed(fruits=np.zeros(3)), "row 'fruits'"),
    (changed(board="x"), "row 'board': expected a list"),
    (changed(board=BOARD[:9]), "row 'board': expected 10 entries, got 9"),
    (changed(board=[*BOARD[:9], "..."]), "row 'board', line 9: expected 10 symbols"),
    (changed(board=[*BOARD[:9], ".........Z"]), "row 'board', line 9: expected 10 symbols"),
    (changed(scoring_cards=TABLE["scoring_cards"][:8]), "row 'scoring_cards': expected 9 entries, got 8"),
    (changed(scoring_cards=[[1, 2, 3]] * 9), "card 0: expected 6 entries, got 3"),
    (changed(scoring_cards=[[0, 1, 2, 3, 4, -1]] * 9), r"card 0: expected whole values 0\.\.300, got -1"),
    (changed(scoring_cards=[[0, 1, 2, 3, 4, 1.5]] * 9), r"card 0: expected whole values 0\.\.300, got 1\.5"),
    (changed(scoring_cards=[[0, 1, 2, 3, 4, 301]] * 9), r"card 0: expected whole values 0\.\.300, got 301"),
    (changed(shapes=[]), "row 'shapes': expected an object"),
    (with_shape([[0, 0]]), "'I4': expected 2 to 4 connected cells"),
    (with_shape([[0, 0], [0, 1], [0, 2], [0, 3], [0, 4]]), "'I4': expected 2 to 4 connected cells"),
    (with_shape([[0, 0], [1, 1]]), "'I4': expected 2 to 4 connected cells"),
    (with_shape([[0, 0], [0, 0], [0, 1]]), "'I4': expected 2 to 4 connected cells"),
    (with_shape([[0, 0], [0, -1]]), r"'I4': expected cells \[row, column\]"),
    (with_shape([[0, 0, 0], [0, 1]]), "'I4': expected 2 entries, got 3"),
    (changed(tile_shapes_bars=["I4"] * 8), "row 'tile_shapes_bars': expected 9 entries, got 8"),
    (changed(tile_shapes_bars=["I4"] * 8 + ["Q"]), "row 'tile_shapes_bars', value 9: expected one of"),
    (changed(tile_shapes_mixed={"red": ["I4"] * 9}), "row 'tile_shapes_mixed': expected the colours"),
    ({k: v for k, v in TABLE.items() if k != "shapes"}, "row 'shapes': expected it"),
]


@pytest.mark.parametrize(("table", "match"), MALFORMED, ids=[match for _, match in MALFORMED])
def test_y17_a_malformed_table_is_refused_with_the_constraint_that_it_breaks(table, match):
    with pytest.raises(InvalidTable, match=match):
        fruit_envs.load("fruity_fruit", components=table)


def test_y17_a_path_that_leads_to_no_table_is_refused(tmp_path):
    (tmp_path / "bad.json").write_text("{")
    for path in (tmp_path / "none.json", tmp_path / "bad.json", "\0"):
        with pytest.raises(InvalidTable, match="expected None, the path of a JSON file, or a table"):
            fruit_envs.load("fruity_fruit", components=path)


OTHER = changed(
    board=[row[::-1] for row in BOARD],
    scoring_cards=[[7, 0, 0, 1, 1, 1]] * 9,
    shapes={"S": [[3, 4], [3, 5], [4, 3], [4, 4]], "D": [[0, 0], [1, 0]]},
    tile_shapes_bars=["S"] * 5 + ["D"] * 4,
    tile_shapes_mixed=dict.fromkeys(TABLE["colours"], ["D"] * 9),
)


#: Shapes that are not met in the order of the tiles, among them the one with the shortest rows of places.
UPRIGHT = changed(
    shapes={**TABLE["shapes"], "V": [[0, 0], [1, 0], [2, 0], [3, 0]]},
    tile_shapes_bars=["I2", "V", "I2"] * 3,
    tile_shapes_mixed=["V", "I2", "V"] * 3,
)
OWN = [
    (OTHER, "bars", 4 * (5 * 144 + 4 * 180)),
    (OTHER, "mixed", 36 * 180),
    (UPRIGHT, "bars", 4 * (3 * 140 + 6 * 180)),
    (UPRIGHT, "mixed", 4 * (6 * 140 + 3 * 180)),
]


@every_mode
@pytest.mark.parametrize(("table", "shapes", "pairs"), OWN, ids=["other-bars", "other-mixed", "upright", "upright-2"])
def test_y17_y20_a_table_of_one_s_own_is_played_with_its_own_numbers_of_actions(table, shapes, pairs, mode):
    game = fruit_envs.load("fruity_fruit", components=table, shapes=shapes, action_mode=mode)
    assert game.num_actions == 15 + (pairs if mode == "single" else 36 + 200)
    for seed in range(3):
        both = Both(game, seed=seed)
        while both.oracle.question is not None:
            both.check_legal()
            both.answer(both.anything(both.oracle))
        both.compare()


@every_count
@pytest.mark.parametrize("missing", ["X", "B", "MPCaog", "MPCaogBX"])
def test_y17_a_board_may_lack_symbols(missing, players):
    board = ["".join("." if mark in missing else mark for mark in row) for row in BOARD]
    game = fruit_envs.load("fruity_fruit", components=changed(board=board), num_players=players, reward="margin")
    assert np.isfinite(game.layout.scale).all()
    for state in random_states(game, 3):
        for seat in range(players):
            observation = state.observation(seat)
            assert (observation >= game.layout.low).all()
            assert (observation <= game.layout.high).all()


def test_y17_tables_survive_records_and_copies():
    game = fruit_envs.load("fruity_fruit", components=OTHER)
    (record,) = fruit_envs.record(game, seed=3)
    again = json.loads(json.dumps(record))
    drawn = {"S": [[0, 1], [0, 2], [1, 0], [1, 1]], "D": [[0, 0], [1, 0]]}  # shapes begin in the corner
    assert again["options"]["components"] == json.loads(json.dumps({**OTHER, "shapes": drawn})), "tables in full"
    assert fruit_envs.replay(again).scores.tolist() == record["scores"]
    with pytest.raises(TypeError, match="expected no change"):
        game.options["components"]["shapes"]["S"] = ()


def test_the_scoring_cards_are_balanced():
    """Every fruit has each of its values on three cards."""
    for fruit, values in enumerate(zip(*TABLE["scoring_cards"], strict=True)):
        assert Counter(values) == dict.fromkeys((1, 3, 5) if fruit < 3 else (0, 2, 4), 3)


# ---- options -------------------------------------------------------------------------------------------------------


def test_y18_the_margin_is_the_score_minus_the_mean_of_the_others():
    for players, scale in ((2, 15.0), (3, 15.0), (4, 5.0)):
        both = Both(load(num_players=players, reward="margin", margin_scale=scale), seed=8)
        both.play()
        expected = [float(x) for x in both.oracle.rewards("margin", int(scale))]
        assert both.state.returns.tolist() == pytest.approx(expected)


def test_scores_are_not_paid_as_they_happen():
    with pytest.raises(InvalidOption, match="scoring cards are secret"):
        fruit_envs.load("fruity_fruit", reward="margin", reward_timing="as_scored")


def test_y19_tabletop_memory_forgets_what_does_not_lie_on_the_table():
    perfect, tabletop = load(), load(memory="tabletop")
    names = {block.name for block in perfect.layout.blocks} - {block.name for block in tabletop.layout.blocks}
    assert names == {"barred", "starter"}
    state = tabletop.deal(5)
    first = state.seat
    assert len(state.to_json(first)["seen"]) == 4
    state.apply(first, state.legal_actions(first)[0])
    assert state.to_json(first)["seen"] == []


@every_shape
def test_y20_shapes_of_the_two_sets(shapes):
    game = load(shapes=shapes)
    r = game.rules[0]
    sizes = [int(r["shape_of"][tile]) for tile in range(36)]
    assert (len(set(sizes)) == 3) == (shapes == "bars")
    if shapes == "bars":
        assert all(sizes[tile] == sizes[tile % 9] for tile in range(36))


def test_y21_only_tiles_with_a_place_are_offered_and_the_second_step_is_theirs():
    both = Both(load(num_players=2), hands(2, "G8 R1", "G1"), 0)
    both.play(until="tile")
    both.rig(free=[(0, 0), (0, 1), (2, 0), (2, 1)])
    short = {tile for tile in range(36) if tile % 9 >= 7}
    assert set(both.state.legal_actions(0)) == short & both.oracle.hands[0]
    assert {colour_of(tile) for tile in both.state.legal_actions(0)} >= {1}
    both.check_legal()


@pytest.mark.parametrize(
    "options",
    [{"shapes": "round"}, {"first_tile": "corner"}, {"memory": "tabeltop"}, {"shapse": "bars"}, {"num_players": 7}],
    ids=str,
)
def test_shrunken_games_check_their_options(options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        mini_rules(**options)


def test_a_table_nested_too_deep_is_no_table(tmp_path):
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    with pytest.raises(InvalidTable, match="components: expected None"):
        fruit_envs.load("fruity_fruit", components=str(deep))

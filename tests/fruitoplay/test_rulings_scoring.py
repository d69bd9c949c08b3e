"""The rulings on a round's end and the game's (F9-F11, F14-F16, F18)."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter

import pytest
from scipy.stats import chisquare

import fruit_envs
from fruit_envs import InvalidOption, InvalidTable

from .helpers import Both, at_the_end, choosers, every_count, load
from .oracle import ROTTEN, TABLE, card_id

# ---- rotten cards --------------------------------------------------------------------------------------------------


def end(held, collective=None, others=("B1",)):
    """Sums and points of seat 0 where nothing is asked."""
    state = at_the_end(held, collective, others)
    assert state.over
    return state.records[0]["sums"][:4].tolist(), int(state.records[0]["points"][0])


def test_f9_a_rotten_card_alone_removes_only_itself():
    assert end("A13") == ([0, 0, 0, 0], 0)
    assert end("A13 F1") == ([0, 0, 0, 1], 1)


def test_f9_the_only_candidate_goes_without_a_question():
    assert end("A13 A1 F1 F3") == ([0, 0, 0, 2], 4)
    assert end("A13 A2 A5 F1") == ([0, 0, 2, 1], 2)
    assert end("A13 A1 A3 A4 F1") == ([0, 0, 2, 1], 2)


def test_f9_a_rotten_card_whose_only_candidate_is_the_collective_cancels_it():
    assert end("A13 F1 F3", (2, 1)) == ([0, 0, 0, 2], 4)
    assert end("A13 F1 F3", (2, 2)) == ([0, 0, 0, 2], 4)
    assert end("A13 F1 F3", (1, 2)) == ([0, 2, 0, 2], 4)


def test_f9_a_card_goes_before_a_collective_of_equal_value():
    assert end("A13 A1 A3 F1", (2, 1)) == ([0, 0, 2, 1], 2)
    assert end("A13 A2 A5 F1", (2, 2)) == ([0, 0, 4, 1], 4)
    for held, value, left in (("A13 A1 A3 F1", 1, [1, 0, 0]), ("A13 A2 A5 F1", 2, [0, 1, 0])):
        seen = at_the_end(held, (2, value), ["B1"]).to_json(0)
        assert seen["columns"][0][2] == left
        assert seen["denied"] == [0, 0]


def test_f9_the_owner_chooses_only_where_both_values_exist():
    for held, collective, asked in (
        ("A13 A1 A2", None, True),
        ("A13 A1", (2, 2), True),
        ("A13 A2", (2, 1), True),
        ("A13 A1", (2, 1), False),
        ("A13 A2", (2, 2), False),
        ("A13 A1 A2", (1, 2), True),
        ("A13 A1", (1, 2), False),
    ):
        state = at_the_end(held, collective, ["B1"])
        assert state.over is not asked
        if asked:
            assert state.seats == (0,)
            assert state.legal_actions(0) == [86, 87]
            assert state.to_json(0)["rotten"] == "apple"
            one, two = state.copy(), state.copy()
            one.apply(0, 86)
            two.apply(0, 87)
            assert one.over
            assert two.over
            assert one.records[0]["sums"][2] == two.records[0]["sums"][2] + 1


def test_f9_won_rotten_cards_count_and_are_resolved_by_seat_then_by_fruit():
    state = at_the_end("F13 F1 F2 B13 B1 B2", None, ["S13 S1 S2", "A13 A1"])
    asked = []
    while not state.over:
        asked.append((state.seat, state.to_json(state.seat)["rotten"]))
        assert state.to_json(2)["rotten"] == asked[-1][1], "public"
        state.apply(state.seat, 87)
    assert asked == [(0, "banana"), (0, "fig"), (1, "strawberry")]
    assert state.records[0]["sums"][:12].tolist() == [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]


def test_f9_the_cancelled_card_and_the_rotten_one_leave_the_columns():
    state = at_the_end("A13 A1 A2 A3", None, ["B1"])
    state.apply(0, 86)
    seen = state.to_json(0)
    assert seen["laid"] == sorted([card_id("A2"), card_id("A3"), card_id("B1")])
    assert {card_id("A13"), card_id("A1")} <= set(seen["gone"])
    assert seen["columns"][0][2] == [1, 1, 0]


# ---- columns -------------------------------------------------------------------------------------------------------


def test_f10_all_columns_zero_is_0_points():
    assert end("") == ([0, 0, 0, 0], 0)
    assert end("B13 S13 A13 F13 F1") == ([0, 0, 0, 0], 0)


def test_f10_one_column_is_squared_and_zero_columns_are_ignored():
    assert end("S1 S2 S3") == ([0, 4, 0, 0], 16)
    assert end("S1 S2 S3 B13 B3") == ([0, 4, 0, 0], 16)
    assert end("B3 S1 S2 A1 A2 A5") == ([1, 3, 5, 0], 5)
    assert end("B2 S4 S5 A1 A2 A5", (3, 2)) == ([2, 3, 5, 2], 10)


def test_f10_the_largest_round_there_can_be():
    singles = " ".join(f"S{number}" for number in TABLE if number != ROTTEN)
    assert end(singles, (1, 2)) == ([0, 28, 0, 0], 784)


# ---- the collective card -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(("totals", "chooser"), [([5, 3, 9], 1), ([3, 5, 9], 0), ([9, 5, 3], 2)])
def test_f11_the_unique_seat_with_the_fewest_points_chooses_after_deal_and_river(number, totals, chooser):
    """Cumulative points; the round itself brings seat 1 one point."""
    collective = (3, 1) if number else None
    state = at_the_end("A13", collective, ["A1", "B13"], number=number, totals=[t * 10 for t in totals])
    assert state.seats == (chooser,)
    assert state.legal_actions(chooser) == [82, 83, 84, 85]
    seen = state.to_json(chooser)
    assert seen["phase"] == "collective"
    assert len(seen["hand"]) == 7
    assert all(seen["river_number"])
    for fruit in range(4):
        after = state.copy()
        after.apply(chooser, 82 + fruit)
        value = number + 1
        assert after.to_json(0)["collective"] == [value * (f == fruit) for f in range(4)]
        assert after.seats == (0, 1, 2)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("totals", [[3, 3, 9], [9, 3, 3], [4, 4, 4]], ids=str)
def test_f11_any_tie_for_fewest_is_left_to_chance_uniformly(number, totals):
    """All seats have the same points from the round itself."""
    states = [at_the_end("", None, ["", ""], number=number, totals=totals, seed=seed) for seed in range(1500)]
    assert {state.seats for state in states} == {(0, 1, 2)}
    assert_uniform(states, {0, 1, 2, 3})


def assert_uniform(states, fruits):
    found = Counter(int(state.records[0]["collective"]) for state in states)
    assert set(found) == fruits
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_f11_the_chooser_is_found_anew_in_round_3():
    """Cumulative points decide, not who chose before."""
    both = Both(load(num_players=2), seed=9)
    choose = choosers(random.Random(4))[0]
    choosers_found = []
    while not both.oracle.over:
        if both.oracle.question.phase == "collective":
            (seat,) = both.oracle.question.asked
            assert both.oracle.totals[seat] == min(both.oracle.totals)
            choosers_found.append(seat)
        both.play(choose)
        both.compare()
    assert len(choosers_found) == 2


def test_f11_collective_reuse():
    for reuse in (True, False):
        state = at_the_end("A13", (3, 1), ["F1"], number=1, totals=[1, 50], collective_reuse=reuse)
        assert state.legal_actions(0) == ([82, 83, 84, 85] if reuse else [82, 83, 84])
        assert state.to_json(0).get("barred") == (None if reuse else "fig")


@pytest.mark.parametrize("barred", range(4))
def test_f11_without_reuse_chance_is_over_the_three_other_fruits(barred):
    made = {"number": 1, "collective_reuse": False}
    states = [at_the_end("", (barred, 1), seed=seed, **made) for seed in range(800)]
    assert_uniform(states, {0, 1, 2, 3} - {barred})


def test_f11_there_is_none_in_round_1_and_it_lasts_one_round():
    both = Both(load(num_players=3), seed=1)
    choose = choosers(random.Random(5))[0]
    while not both.oracle.over:
        seen = both.state.to_json(0)
        added = both.oracle.collective[1] if both.oracle.collective else 0
        assert sum(seen["collective"]) == added
        assert seen["round"] > 0 or added == 0
        both.play(choose)


# ---- the end -------------------------------------------------------------------------------------------------------

#: Totals before round 3, what each holds at its end, and the win shares.
ENDS = [
    ([10, 0], ["B1", "B1 B3"], [1, 0]),
    ([3, 0], ["S1", "B1 B3"], [0, 1]),  # 4 and 4: the better third round wins
    ([0, 0], ["S1", "B1"], [0.5, 0.5]),
    ([3, 0, 3], ["S1", "B1 B3", "A1"], [0, 1, 0]),
    ([0, 0, 3], ["S1 S3", "B1 B3", "A1"], [0.5, 0.5, 0]),
    ([1, 1, 1, 1], ["S1", "B1", "A1", "F1"], [0.25] * 4),
    ([0, 8, 8], ["S1", "B1", "A1"], [0, 0.5, 0.5]),
]


@pytest.mark.parametrize(("totals", "held", "shares"), ENDS, ids=str)
def test_f14_total_then_round_3_then_shared(totals, held, shares):
    state = at_the_end(held[0], None, held[1:], number=2, totals=totals)
    assert state.over
    assert state.shares.tolist() == pytest.approx(shares)
    n = len(held)
    assert state.returns.tolist() == pytest.approx([(n * share - 1) / (n - 1) for share in shares])
    points = [int(p) for p in state.records[0]["points"][:n]]
    assert state.scores.tolist() == [t + p for t, p in zip(totals, points, strict=True)]
    assert state.to_json(1)["points"] == points[1:] + points[:1]


@every_count
def test_f16_margin_is_the_total_minus_the_mean_of_the_others_over_the_scale(players):
    for scale in (40.0, 7.0):
        game = load(num_players=players, reward="margin", margin_scale=scale)
        state = game.deal(players)
        while not state.over:
            assert state.returns.tolist() == [0] * players
            state.apply(state.seat, state.legal_actions(state.seat)[-1])
        totals = state.scores.tolist()
        for seat, reward in enumerate(state.returns):
            mean = (sum(totals) - totals[seat]) / (players - 1)
            assert reward == pytest.approx((totals[seat] - mean) / scale)
    assert load().options["margin_scale"] == 40.0


@every_count
def test_f18_as_scored_pays_each_round_when_it_is_scored(players):
    game = load(num_players=players, reward="margin", reward_timing="as_scored")
    both = Both(game, seed=players)
    choose = choosers(random.Random(6))[0]
    paid, before = [], both.state.returns
    rounds = 0
    while not both.oracle.over:
        both.play(choose)
        now = both.state.returns
        scored = sum(event["event"] == "round" for event in both.oracle.events)
        assert (now != before).any() <= (scored > rounds)
        if scored > rounds:
            points = both.oracle.points
            expected = [(p - (sum(points) - p) / (players - 1)) / 40 for p in points]
            assert (now - before).tolist() == pytest.approx(expected)
            paid.append(now - before)
        rounds, before = scored, now
    assert len(paid) == 3
    at_the_end_only = load(num_players=players, reward="margin")
    other = at_the_end_only.deal(0)
    assert other.returns.tolist() == [0] * players
    with pytest.raises(InvalidOption, match="as_scored"):
        fruit_envs.load("fruitoplay", reward_timing="as_scored")


# ---- the table -----------------------------------------------------------------------------------------------------


def other_table():
    return {"rotten": [7], "double": [1, 20], "single": [n for n in range(2, 20) if n != 7]}


@pytest.mark.parametrize("form", ["table", "path", "full file"])
def test_f15_a_table_of_ones_own(form, tmp_path):
    given = other_table()
    fruits = ["banana", "strawberry", "apple", "fig"]
    full = given | {
        "fruits": fruits,
        "numbers": [1, 20],
        "hand": {"2": 7, "3": 7, "4": 6, "5": 6, "6": 6},
        "river": 7,
        "turns": 7,
        "rounds": 3,
        "collective": [{"fruit": fruit, "single_side": 1, "double_side": 2} for fruit in fruits],
    }
    if form == "full file":
        given = full
    if form != "table":
        path = tmp_path / "table.json"
        path.write_text(json.dumps(given), "utf-8")
        given = str(path)
    game = fruit_envs.load("fruitoplay", table=given, num_players=3)
    rng = random.Random(1)
    both = Both(game, seed=3)
    for choose in choosers(rng):
        while not both.oracle.over:
            both.play(choose)
            both.compare()
        both = Both(game, seed=rng.randrange(1000))
    (record,) = fruit_envs.record(game, seed=2)
    assert json.loads(json.dumps(record))["options"]["table"] == full, "records hold tables in full"
    assert fruit_envs.replay(json.loads(json.dumps(record))).over
    state = game.deal(1)
    assert pickle.loads(pickle.dumps(state)).tobytes() == state.tobytes()
    assert pickle.loads(pickle.dumps(game)).options == game.options
    with pytest.raises(TypeError, match="expected no change"):
        game.options["table"]["rotten"] = (1,)
    assert copy.deepcopy(game.options["table"]) == game.options["table"]


def test_f15_the_default_is_assumed_v1():
    rules = load().rules[0]
    kinds = [("single", "double", "rotten")[kind] for kind in rules["kind"]]
    assert kinds == [TABLE[card % 20 + 1] for card in range(80)]
    assert rules["fruit"].tolist() == [card // 20 for card in range(80)]
    assert rules["number"].tolist() == [card % 20 + 1 for card in range(80)]
    symbols = sum({"single": 1, "double": 2, "rotten": 0}[TABLE[number]] for number in range(1, 21))
    assert symbols == 26
    explicit = {kind: [n for n in TABLE if TABLE[n] == kind] for kind in ("single", "double", "rotten")}
    assert fruit_envs.load("fruitoplay", table=explicit).rules.tobytes() == load().rules.tobytes()


BAD_TABLES = [
    ({}, "row 'single': expected a list"),
    ("no/such/file.json", "the path of a JSON file"),
    (7, "expected an object"),
    ([[1, 2]], "expected an object"),
    (other_table() | {"rotten": [7, 8]}, "'rotten': expected exactly one"),
    (other_table() | {"rotten": []}, "'rotten': expected exactly one"),
    (other_table() | {"double": [1, 2, 20]}, "expected number 2 once"),
    (other_table() | {"double": [20]}, "expected number 1 once"),
    (other_table() | {"double": [1, 1, 20]}, "expected number 1 once"),
    (other_table() | {"double": [0, 1, 20]}, "'double': expected whole numbers 1..20, got 0"),
    (other_table() | {"double": [1, 20, 21]}, "got 21"),
    (other_table() | {"double": [1.0, 20]}, "got 1.0"),
    (other_table() | {"double": "1"}, "'double': expected a list"),
    (other_table() | {"turns": 8}, "row 'turns': expected 7, got 8"),
    (other_table() | {"stones": []}, "row 'stones': expected no such row"),
]


@pytest.mark.parametrize(("table", "message"), BAD_TABLES, ids=[message for _, message in BAD_TABLES])
def test_f15_malformed_tables_are_refused_naming_the_row(table, message):
    with pytest.raises(InvalidTable, match=message.replace(".", r"\.")):
        fruit_envs.load("fruitoplay", table=table)

"""Fruit Salad's rulings on setup, on how games end, and on what they pay."""

from __future__ import annotations

import random

import pytest

import fruit_envs
from fruit_envs import InvalidOption
from fruit_envs.faces.aec import AEC

from .helpers import O3_, P1_, P2_, P3_, W1_, Table, every_count, every_window, load, mini, piles
from .test_rulings_play import kinds, slap_of, table


@every_count
def test_s1_sixty_cards_are_dealt_equally(players):
    t = Table(load(num_players=players), seed=3)
    sizes = [60 // players] * players
    sizes[t.oracle.turn] -= 1
    assert [len(t.pile(seat)) for seat in range(players)] == sizes
    for refused in (1, 7):
        with pytest.raises(InvalidOption, match="num_players"):
            load(num_players=refused)


@every_count
def test_s2_chance_or_an_option_says_who_starts(players):
    game = load(num_players=players)
    starters = {int(game.deal(seed).records[0]["turn"]) for seed in range(80)}
    assert starters == set(range(players))
    env = AEC(game)
    for seat in range(players):
        env.reset(seed=5, options={"starter": seat})
        state = fruit_envs.State.frombytes(game, env.get_state()["game"])
        assert int(state.records[0]["turn"]) == seat
        (record,) = fruit_envs.record(game, seed=5, starter=seat)
        assert record["events"][0]["starter"] == seat
    with pytest.raises(InvalidOption, match="starter"):
        env.reset(seed=5, options={"starter": players})


@every_window
@every_count
def test_s27_if_nobody_slaps_the_starter_wins_at_reveal_61_minus_n(players, windows):
    for starter in range(players):
        t = Table(load(num_players=players, windows=windows), starter=starter, seed=starter)
        while not t.state.over:
            t.window()
        assert int(t.s["reveals"]) == 61 - players
        assert t.oracle.over == "empty"
        assert t.state.shares.tolist() == [float(seat == starter) for seat in range(players)]
        assert t.state.returns.tolist() == pytest.approx(
            [1.0 if seat == starter else -1 / (players - 1) for seat in range(players)]
        )


def short(*tops, dealt=(2, 2), dice=(("pear", 3),), **options):
    """A game of two-card piles of default cards: the ids are 0 … 3, so their pieces are given by a table."""
    rows = [[0, 0, 0, 3, "none"], [1, 0, 0, 0, "none"], [0, 0, 0, 2, "none"], [1, 1, 0, 0, "number"]]
    game = mini(dealt, table=rows, **options)
    return Table(game, tops, 0, dice, told=options)


def test_s21_the_last_card_ends_the_game_at_once_even_if_the_target_is_met():
    t = short([0, 2], [1, 3])
    t.window()
    t.window()
    t.window(name="W2")
    events = t.window("wait", "pear", name="W0")
    assert kinds(events) == ["window", "land", "end", "score"], "slaps armed for that card are dropped"
    assert t.oracle.totals()[3] == 5
    assert t.state.shares.tolist() == [1, 0]


def test_s21_with_last_card_window_the_turn_runs_as_usual():
    t = short([0, 2], [1, 3], last_card_window=True)
    t.window()
    t.window()
    t.window(name="W2")
    t.window(name="W0")
    assert t.phase == "reaction"
    assert t.pile(0) == []
    events = t.window(name="W2")
    assert events[-2:] == [
        {"event": "end", "reason": "empty"},
        {"event": "score", "points": [0, 0], "scores": [1, 0]},
    ]


def test_s21_with_last_card_window_cards_that_come_back_keep_the_game_going():
    t = short([0, 2], [1, 3], last_card_window=True)
    for _ in range(3):
        t.window()
    t.window("wait", "pear", name="W0")
    assert t.phase == "keep"
    t.keep(0)
    assert not t.state.over, "seat 0 was given the rest"
    assert len(t.oracle.piles[0]) == 2


def test_s21_points_reached_at_a_keep_come_first():
    t = short([0, 2], [1, 3], last_card_window=True, points_to_win=1)
    for _ in range(3):
        t.window()
    t.window("wait", "pear", name="W0")
    events = t.keep(0)
    assert events[-2]["reason"] == "points"
    assert t.state.shares.tolist() == [0, 1]


def test_s21_a_winning_slap_of_the_revealing_seat_leaves_its_pile_empty():
    t = short([0, 2], [1, 3], last_card_window=True)
    for _ in range(3):
        t.window()
    t.window("pear", name="W0")
    events = t.keep(0)
    assert kinds(events) == ["keep", "give", "give", "end", "score"]
    assert t.state.shares.tolist() == [1, 0]


def test_a_false_slap_by_a_player_holding_one_card():
    t = short([0, 2], [1, 3], dice=[("pear", 4), ("pear", 4)])
    assert len(t.pile(0)) == 1
    events = t.window("pear", name="W2")
    assert slap_of(events)["result"] == "loss"
    assert not t.state.over
    assert len(t.oracle.piles[0]) == 1, "two cards, one of which has landed again"


def test_s22_the_last_point_ends_the_game_and_nothing_is_given():
    t = table([P3_], [O3_], [P2_], players=3, dice=[("pear", 5)], points_to_win=1)
    for _ in range(4):
        t.window()
    t.window("wait", "pear", name="W2")
    events = t.keep(O3_)
    assert kinds(events) == ["keep", "end", "score"]
    assert events[1]["reason"] == "points"
    assert sorted(t.oracle.bowl) == [P2_, P3_]
    assert t.state.shares.tolist() == [0, 1, 0]


@pytest.mark.parametrize("cap", [1, 7, 40])
@every_window
@every_count
def test_s28_endless_false_slaps_are_cut_off_exactly_at_the_cap(players, windows, cap):
    game, rng = load(num_players=players, windows=windows, max_reveals=cap), random.Random(cap)
    t = Table(game, seed=players)
    while not t.state.over:
        assert int(t.s["reveals"]) <= cap
        if t.phase in ("keep", "give"):
            t.act(rng.choice(t.state.legal_actions(t.state.seat)))
            continue
        for seat in range(players):
            t.act(t.state.legal_actions(seat)[1], seat)
    if t.oracle.over == "truncated":
        assert int(t.s["reveals"]) == cap
        assert t.state.shares.tolist() == pytest.approx([1 / players] * players)
        assert t.state.returns.tolist() == pytest.approx([0] * players)
        assert t.events[-2] == {"event": "end", "reason": "truncated"}
    assert cap > 7 or t.oracle.over == "truncated"


def test_s28_the_turn_of_the_last_reveal_is_completely_resolved():
    t = table([P3_], [P2_], dice=[("pear", 5)], max_reveals=2)
    t.window()
    t.window("pear", name="W0")
    events = t.keep(P3_)
    assert kinds(events) == ["keep", "give", "end", "score"]
    t = table([P1_], [P2_], dice=[("pear", 5)], max_reveals=1)
    events = t.window()
    assert kinds(events) == ["window", "end", "score"], "before any new W0"
    t = table([P1_], [P2_], dice=[("pear", 5)], max_reveals=1)
    events = t.window("pear")
    assert kinds(events) == ["window", "slap", "end", "score"], "before any new roll"


def test_s28_an_empty_pile_wins_at_the_last_reveal():
    t = Table(load(num_players=2, max_reveals=59), starter=1, seed=1)
    while not t.state.over:
        t.window()
    assert t.oracle.over == "empty"


@pytest.mark.parametrize("goal", [1, 2, 4])
def test_s30_points_to_win(goal):
    game = load(num_players=2, points_to_win=goal)
    ends = set()
    for seed in range(12):
        t = Table(game, seed=seed)
        for _ in t.play(seed, slapping=0.9, step=1000):
            pass
        ends.add(t.oracle.over)
        assert max(len(cards) for cards in t.oracle.points) <= goal
        assert (t.oracle.over == "points") == (max(len(cards) for cards in t.oracle.points) == goal)
    assert "points" in ends
    for refused in (0, 21, 4.0, True, "4"):
        with pytest.raises(InvalidOption, match="points_to_win"):
            fruit_envs.load("fruit_salad", points_to_win=refused)


def test_s33_margin_is_own_points_minus_the_mean_of_the_others():
    """The winner by an empty pile gets less than who has points."""
    t = short([0, 2], [1, 3], last_card_window=True, reward="margin")
    for _ in range(3):
        t.window()
    t.window("pear", name="W0")
    t.keep(0)
    assert t.state.returns.tolist() == [1 / 4, -1 / 4]
    t = table([P3_], [O3_], [P2_], players=3, dice=[("pear", 5)], reward="margin", reward_timing="as_scored")
    for _ in range(4):
        t.window()
    t.window("wait", "pear", name="W2")
    t.keep(O3_)
    assert t.state.returns.tolist() == pytest.approx([-1 / 8, 1 / 4, -1 / 8])


def test_s33_a_winner_by_an_empty_pile_may_get_less_than_others():
    game = load(num_players=2, reward="margin")
    t = Table(game, piles(2, [P3_, W1_], [P2_]), 0, [("pear", 5)])
    t.window()
    t.window("wait", "pear", name="W0")
    t.keep(P2_)
    while not t.state.over:
        t.window()
    winner = t.state.shares.tolist().index(1)
    assert t.state.scores.tolist() == [0, 1]
    assert t.state.returns.tolist() == [-0.25, 0.25]
    assert winner in (0, 1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"windows": "none"}, "windows"),
        ({"distribution": "all"}, "distribution"),
        ({"last_card_window": 1}, "last_card_window"),
        ({"max_reveals": 0}, "max_reveals"),
        ({"max_reveals": 30_001}, "max_reveals"),
        ({"reroll_each_round": None}, "reroll_each_round"),
        ({"early_seats": [0, 0]}, "early_seats"),
        ({"early_seats": [6]}, "early_seats"),
        ({"early_seats": "01"}, "early_seats"),
        ({"early_seats": 1}, "early_seats"),
        ({"early_seats": [3], "num_players": 3}, r"seats 0\.\.2"),
    ],
    ids=str,
)
def test_options_outside_their_domain_are_refused(options, match):
    with pytest.raises(InvalidOption, match=match):
        fruit_envs.load("fruit_salad", **options)

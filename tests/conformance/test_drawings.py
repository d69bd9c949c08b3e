"""Drawings of all games: lines that fit the screen, and at the end who has won and every score that shows."""

from __future__ import annotations

import random
import re

import pytest

from fruit_envs import load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.declare.header import TRUNCATED
from fruit_envs.declare.words import WIDTH
from support import cases, player_counts

OURS = [name for name, entry in GAMES.items() if entry.package.startswith("fruit_envs.games.")]
our_cases = pytest.mark.parametrize(("name", "options"), cases(*OURS))


def check_lines(text):
    for line in text.splitlines():
        assert len(line) <= WIDTH == 100, line
        assert line == line.rstrip()


def check_end(state, seat):
    """The result and the points in a drawing, against the state."""
    n = state.game.num_players
    text = state.to_text(seat)
    check_lines(text)
    assert "game over" in text.splitlines()[0]
    names = ["you", *(f"+{place}" for place in range(1, n))]
    _, ended = text.split("\n  result  ")
    result, points = ended.split("\n  points  ")
    shown = {name: int(score) for name, score in re.findall(r"(you|\+\d): (-?\d+)", points)}
    expected = {name: int(state.scores[(seat + place) % n]) for place, name in enumerate(names)}
    winners = [names[(other - seat) % n] for other in range(n) if state.shares[other] > 0]
    winners.sort(key=names.index)
    if state.records[0]["over"] == TRUNCATED:
        winners = []
    if result.startswith("does not show"):
        assert state.game.options["memory"] == "tabletop"
        assert state.game.name in ("fruit_cocktail", "fruit_salad")
        if state.game.name == "fruit_cocktail":  # the others' cards do not show
            expected = {"you": expected["you"]}
        else:
            assert all(score < state.game.rules["goal"][0] for score in state.scores)
    elif len(winners) == 1:
        assert result == ("you win" if winners == ["you"] else f"{winners[0]} wins")
    elif winners:
        assert result == f"{', '.join(winners[:-1])} and {winners[-1]} share the win"
    else:
        assert result == "nobody wins"
    assert shown == expected
    return result


@our_cases
def test_lines_fit_and_the_end_names_winners_and_scores(name, options):
    game = load(name, **options)
    for seed in range(3):
        rng = random.Random(seed)
        state = game.deal(seed)
        while not state.over:
            if rng.random() < 0.5:
                check_lines(state.to_text(rng.randrange(game.num_players)))
            mover = rng.choice(state.seats)
            state.apply(mover, rng.choice(state.legal_actions(mover)))
        for seat in range(game.num_players):
            check_end(state, seat)


@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
@pytest.mark.parametrize("n", player_counts("fruit_salad"))
def test_who_empties_its_pile_has_won(n, memory):
    state = load("fruit_salad", num_players=n, memory=memory).deal(1)
    while not state.over:
        state.apply(state.seat, 0)
        check_lines(state.to_text(0))
    results = {check_end(state, seat) for seat in range(n)}
    if memory == "perfect":
        assert results == {"you win", *(f"+{place} wins" for place in range(1, n))}
    else:
        assert results == {"you win", "does not show: nobody has points enough, and the others' piles are not seen"}


def test_a_shared_win_names_all_who_share_it():
    rng = random.Random(0)
    for seed in range(400):
        state = load("fruit_cocktail", num_players=4).deal(seed)
        while not state.over:
            state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
        if (state.shares > 0).sum() == 2:
            results = [check_end(state, seat) for seat in range(4)]
            assert sum(result.startswith("you and +") for result in results) == 2
            return
    raise AssertionError("no tie in so many games")


def test_the_last_round_tells_leaders_apart():
    facts = load("fruitoplay", num_players=3).deal(1).to_json(0)
    facts |= {"phase": None, "scores": [40, 50, 50], "points": [9, 10, 20]}
    drawn = load("fruitoplay").text.to_text(load("fruitoplay", num_players=3).rules, facts)
    assert "  result  +2 wins\n  points  you: 40, +1: 50, +2: 50" in drawn

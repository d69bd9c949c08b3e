"""Fruitoplay's baselines against hand-made deals, the oracle's tricks and scoring, and exact expectations."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from itertools import product

import numpy as np
import pytest

import fruit_agents
import fruit_envs
from fruit_agents.arena import duplicate_match
from fruit_agents.fruitoplay.compiled import ILLEGAL
from fruit_agents.fruitoplay.heuristic import Closest, OnePly
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
from fruit_envs.games.fruitoplay.components import mini_rules
from fruit_envs.runtime.game import Game
from fruitoplay.helpers import at_the_end, build, cards, deal, load
from fruitoplay.oracle import Columns, card_id, fruit_of, number_of
from support import NOTHING, nothing

BOTH = pytest.mark.parametrize("name", ["closest", "one_ply"])
COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4, 5, 6])


def states(game, games, seed=0):
    """States of random play in which somebody is asked, and nobody has committed to anything."""
    rng = random.Random(seed)
    for g in range(games):
        state = game.deal(seed + g)
        while not state.over:
            if state.view(state.seat, 0).seats == state.seats:
                yield state.copy()
            state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))


def decide(agent, state, seat, key=0):
    return agent.act(state.observation(seat), state.legal(seat), state.view(seat, key), key, NOTHING)


def own_points(laid, held, collective):
    """Points of a seat by the oracle if the round ended now, a rotten card taking a value 1 where it may choose."""
    columns = Columns([*laid, *held], collective)
    for rotten in columns.rotten():
        values = columns.candidates(fruit_of(rotten))
        columns.cancel(rotten, min(values) if values else None)
    return columns.points()


# ---- by hand -------------------------------------------------------------------------------------------------------


def test_closest_plays_on_colour_before_near_and_breaks_ties_by_chance():
    game = load(num_players=2)
    for hand, best in (("B1 S10 A11 F9 S9 A9 F11", ["B1"]), ("S9 A11 F1 F2 F3 F4 F20", ["S9", "A11"])):
        state = build(game, deal(2, [hand], river="B10"))
        found = Counter(decide(Closest(game), state, 0, key) for key in range(400))
        assert set(found) == set(cards(" ".join(best)))
        assert min(found.values()) > 400 / len(best) / 2


def test_a_rotten_card_takes_a_value_1():
    for name in ("closest", "one_ply"):
        state = at_the_end("A13 A1 A2 F1", None, ["B1"])
        assert decide(make_agent(name, state.game), state, 0) == 86


def test_a_rotten_card_never_scores_less_by_taking_a_value_1():
    """All numbers of singles and doubles in its column, beside other columns: what the agents rely on."""
    for singles, doubles, other, bonus in product(range(1, 4), range(1, 4), (0, 1, 3, 9), (0, 1, 2)):
        column = [*range(20, 20 + 40)]
        ones = [c for c in column if fruit_of(c) == 1 and number_of(c) in (1, 3, 4)][:singles]
        twos = [c for c in column if fruit_of(c) == 1 and number_of(c) in (2, 5, 8)][:doubles]
        points = []
        for value in (1, 2):
            held = [card_id("S13"), *ones, *twos, *cards("B1 B3 B4 B6 B7 B9 B10 B12 B15")[:other]]
            columns = Columns(held, (1, bonus) if bonus else None)
            columns.cancel(card_id("S13"), value)
            points.append(columns.points())
        assert points[0] >= points[1]


# ---- against the definition ----------------------------------------------------------------------------------------


@COUNTS
def test_closest_values(num_players):
    game = load(num_players=num_players)
    for state in states(game, 3, seed=3):
        if state.to_json(state.seat)["phase"] != "card":
            continue
        for seat in state.seats:
            seen = state.to_json(seat)
            fruit, number = seen["river_fruit"][0], seen["river_number"][0]
            values = Closest(game).values(state.view(seat, 0))
            for card in range(88):
                if card not in seen["hand"]:
                    assert values[card] == ILLEGAL
                else:
                    off = ("banana", "strawberry", "apple", "fig")[fruit_of(card)] != fruit
                    assert values[card] == -(abs(number_of(card) - number) + 20 * off)


@BOTH
@COUNTS
def test_the_optional_draw_and_the_collective_fruit_follow_the_own_points(name, num_players):
    game = load(num_players=num_players)
    asked = Counter()
    for state in states(game, 12, seed=4):
        phase = state.to_json(state.seat)["phase"]
        if phase not in ("draw", "collective"):
            continue
        for seat in state.seats:
            seen, place = state.to_json(seat), state.records[0]["place"]
            laid = np.flatnonzero(place == 8 + seat).tolist()
            values = make_agent(name, game).values(state.view(seat, 5), 5)
            collective = next(((f, v) for f, v in enumerate(seen["collective"]) if v), None)
            asked[phase] += 1
            if phase == "draw":
                out = {*seen["hand"], *seen["laid"], *seen["gone"]}
                hidden = [card for card in range(80) if card not in out]
                after = sum(own_points(laid, [*seen["hand"], card], collective) for card in hidden)
                assert values[80] == after
                assert values[81] == len(hidden) * own_points(laid, seen["hand"], collective)
                assert (values != ILLEGAL).sum() == 2
            else:
                expected = [own_points(laid, seen["hand"], (fruit, seen["round"])) for fruit in range(4)]
                assert values[82:86].tolist() == expected
    assert min(asked["draw"], asked["collective"]) > 5


@pytest.mark.parametrize("tie_scope", ["key", "all"])
@pytest.mark.parametrize("num_players", [2, 3])
def test_one_ply_approaches_the_exact_expectation(num_players, tie_scope):
    """On shrunken games: every world, and every card of every rival, by the engine's own tricks and round's end."""
    options = {"num_players": num_players, "tie_scope": tie_scope}
    game = Game("fruitoplay", rules=mini_rules(2, 4, 2, 2, rotten=3, **options))

    class Many(OnePly):
        samples = 6000

    compared = 0
    for state in list(states(game, 10, seed=2)):
        seat = state.seat
        if state.to_json(seat)["phase"] != "card":
            continue
        values = Many(game).values(state.view(seat, 0), 7) / Many.samples
        for action in state.legal_actions(seat):
            exact = expectation(state, seat, action)
            assert values[action] == pytest.approx(exact, abs=0.15 * (num_players - 1) + 0.05 * abs(exact))
            compared += 1
    assert compared > 20


def expectation(state, seat, action):
    """Own points times n - 1 minus the rivals', if the round ended with this trick, over worlds and rivals' cards."""
    n, total, weight = state.game.num_players, 0.0, 0.0
    rivals = [other for other in range(n) if other != seat]
    for _, world in state.worlds(seat):
        hands = {s: np.flatnonzero(world.records[0]["place"] == s).tolist() for s in range(n)}
        for choice in product(*(hands[other] or [None] for other in rivals)):
            played = {seat: action, **{o: c for o, c in zip(rivals, choice, strict=True) if c is not None}}
            after = world.copy()
            for other, card in played.items():
                after.apply(other, card)
            winner = int(after.records[0]["winner"])
            target = int(world.records[0]["river"][world.records[0]["turn"]])
            points = {}
            for s in range(n):
                held = [card for card in hands[s] if card != played.get(s)]
                held += np.flatnonzero(world.records[0]["place"] == 8 + s).tolist()
                held += [target, *played.values()] if s == winner else []
                points[s] = mini_points(held)
            total += points[seat] * (n - 1) - sum(points[other] for other in rivals)
            weight += 1
    return total / weight


def mini_points(held):
    """Two fruits, numbers 1 to 4: 2 is double, 3 rotten."""
    sums = []
    for fruit in (0, 1):
        numbers = [card % 4 + 1 for card in held if card // 4 == fruit]
        singles, doubles = sum(k in (1, 4) for k in numbers), numbers.count(2)
        rotten = 3 in numbers
        total = singles + 2 * doubles
        sums.append(total - (0 if not rotten or not total else 1 if singles else 2))
    sums = [total for total in sums if total]
    return max(sums) * min(sums) if sums else 0


# ---- hidden information, keys, batches -----------------------------------------------------------------------------


@BOTH
@COUNTS
@pytest.mark.parametrize("river", ["public", "current"])
def test_a_move_is_the_same_in_every_consistent_world(name, num_players, river):
    game = load(num_players=num_players, river=river)
    agent = make_agent(name, game)
    for number, state in enumerate(states(game, 1, seed=7)):
        for seat in state.seats:
            own = decide(agent, state, seat, 1)
            for redraw in (2, 99 + number):
                world = state.view(seat, redraw)
                assert agent.act(world.observation(seat), world.legal(seat), world.view(seat, 1), 1, NOTHING) == own
                assert agent.act(world.observation(seat), world.legal(seat), world, 1, NOTHING) == own


@BOTH
@COUNTS
def test_act_batch_is_act_row_by_row(name, num_players):
    game = load(num_players=num_players)
    agent = make_agent(name, game)
    rows = list(states(game, 2, seed=9))
    seats = [state.seat for state in rows]
    keys = np.random.default_rng(0).integers(2**64, size=len(rows), dtype=np.uint64)
    observations = np.stack([state.observation(seat) for state, seat in zip(rows, seats, strict=True)])
    masks = np.stack([state.legal(seat) for state, seat in zip(rows, seats, strict=True)])
    views = [state.view(seat, int(key)) for state, seat, key in zip(rows, seats, keys, strict=True)]
    before = [view.tobytes() for view in views]
    together = agent.act_batch(observations, masks, views, keys, nothing(len(keys)))
    assert together.dtype == np.int64
    assert together.tolist() == [
        agent.act(*row, NOTHING) for row in zip(observations, masks, views, keys.tolist(), strict=True)
    ]
    assert [view.tobytes() for view in views] == before
    assert all(mask[action] for mask, action in zip(masks, together, strict=True))
    for observation, mask, view, action, key in zip(observations, masks, views, together, keys.tolist(), strict=True):
        policy = agent.policy(observation, mask, view, key, NOTHING)
        assert policy.sum() == pytest.approx(1)
        assert policy[action] > 0


_MOVES = """
import fruit_envs, fruit_agents
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
moves = []
for options in ({"num_players": 2}, {"num_players": 3, "tie_scope": "all"}):
    game = fruit_envs.load("fruitoplay", **options)
    agents = [make_agent(name, game) for name in ("one_ply", "closest", "closest")]
    state = game.deal(11)
    while not state.over:
        moves.append(ask(agents[state.seat], state, state.seat, 5, new_memory(agents[state.seat])))
        state.apply(state.seat, moves[-1])
print(moves)
"""


def test_moves_are_the_same_without_compilation():
    moves = [
        subprocess.run(
            [sys.executable, "-c", _MOVES],
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    ]
    assert moves[0] == moves[1]


# ---- strength ------------------------------------------------------------------------------------------------------


def match(agent, opponent, deals, num_players=2):
    return duplicate_match(load(num_players=num_players), agent, opponent, deals=deals, progress=False)


def test_strength_goes_random_closest_one_ply():
    """The floors of the long version hold here with room to spare."""
    assert match("closest", "random", 40).margin.low > 35
    assert match("one_ply", "random", 40).margin.low > 35
    assert match("one_ply", "closest", 150).margin.low > 10
    for num_players in (3, 4, 5, 6):
        assert match("closest", "random", 20, num_players).margin.low > 5
        assert match("one_ply", "closest", 60, num_players).margin.low > 0


@pytest.mark.heavy
def test_strength_over_a_thousand_duplicate_deals():
    assert match("closest", "random", 1000).margin.mean >= 35
    found = match("one_ply", "closest", 1000)
    assert found.margin.mean >= 10
    assert not any(found.failures.values())
    assert not any(found.opponent_failures.values())


@BOTH
@COUNTS
def test_a_decision_takes_less_than_a_millisecond(name, num_players):
    assert match(name, "random", 4, num_players).p50_ms < 1


# ---- names and errors ----------------------------------------------------------------------------------------------


@BOTH
def test_tabletop_is_refused_at_construction(name):
    with pytest.raises(fruit_envs.InvalidOption, match=f"'{name}'.*memory=\"perfect\".*tabletop"):
        make_agent(name, load(memory="tabletop"))


@BOTH
def test_other_games_are_refused_naming_those_that_have_the_agent(name):
    with pytest.raises(fruit_envs.InvalidOption, match=r"fruitoplay.*fruit_cocktail"):
        make_agent(name, fruit_envs.load("fruit_cocktail"))


@BOTH
def test_a_missing_view_and_missing_keys_are_refused(name):
    game = load()
    agent, state = make_agent(name, game), game.deal(1)
    with pytest.raises(fruit_envs.NoView, match=f"'{name}'.*view"):
        agent.act(state.observation(0), state.legal(0), None, 0, NOTHING)
    with pytest.raises(fruit_envs.InvalidBuffer, match="expected 1 keys"):
        agent.act_batch(
            state.observation(0)[None],
            state.legal(0)[None],
            [state.view(0, 1)],
            np.zeros(2, np.uint64),
            nothing(2),
        )


def test_names():
    game = load()
    assert fruit_agents.baselines("fruitoplay") == ["random", "closest", "one_ply"]
    for name in fruit_agents.baselines("fruitoplay"):
        agent = make_agent(name, game)
        assert agent.name == name
        state = game.deal(3)
        assert ask(agent, state, state.seat, 0, new_memory(agent)) in state.legal_actions(state.seat)

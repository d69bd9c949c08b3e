"""The greedy agents against hand-made states and a slow oracle written from their definition."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fruit_agents
import fruit_envs
from fruit_agents.arena import duplicate_match
from fruit_agents.fruit_cocktail.heuristic import Greedy, Greedy2
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
from fruit_envs.games.fruit_cocktail.components import MODES, mini_rules
from fruit_envs.games.fruit_cocktail.text import outcomes
from fruit_envs.runtime.game import Game
from fruit_envs.runtime.state import State
from support import NOTHING, nothing

BOTH = pytest.mark.parametrize("name", ["greedy", "greedy2"])
COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])
EVERY_MODE = pytest.mark.parametrize("mode", list(MODES))


def dealt(game: Game, tiles: list[int], columns: list[list[int]], **deal: Any) -> State:
    """A game of a chosen deal."""
    event = {"event": "deal", "tiles": tiles, "hidden": [], "columns": columns, "peeks": [None] * 2, "starter": 0}
    return game.deal(0, outcomes=outcomes(game.rules, [event | deal]))


def states(game: Game, games: int, seed: int = 0) -> Iterator[State]:
    """Every state of random play in which somebody is asked."""
    rng = random.Random(seed)
    for g in range(games):
        state = game.deal(seed + g)
        while not state.over:
            yield state.copy()
            state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))


# ---- by hand -------------------------------------------------------------------------------------------------------

#: Column p lies under the tile of fruit p. Banana's column: 3 banana, and two cards worth 5.
THREE_BANANAS = [
    [2, 4, 21],
    [0, 1, 3],
    [5, 6, 7],
    [8, 9, 10],
    [11, 12, 13],
    [14, 15, 16],
    [17, 18, 19],
    [20, 22, 23],
]


def test_takes_three_bananas_where_banana_will_be_worth_five() -> None:
    # Whichever card is left under the banana tile, a banana is worth 5. No other pick can bring 15: it would need
    # three pieces of a fruit expected to be worth 5, and both fives lie in this column.
    game = fruit_envs.load("fruit_cocktail", mode="total_control")
    state = dealt(game, list(range(8)), THREE_BANANAS)
    view = state.view(0, 1)
    values = Greedy(game).values(view)
    assert values[2] == 15
    # 1 banana -4 lies under cherry: banana's column is worth (4 + 5 + 5) / 3, and one piece of it is taken.
    assert values[0] == pytest.approx(14 / 3)
    # 1 cherry -3 from cherry's own column leaves -4 and 1 there.
    assert values[3] == pytest.approx(-3 / 2)
    for key in range(20):
        assert Greedy(game).act(state.observation(0), state.legal(0), view, key, NOTHING) == 2


def test_a_doubtful_fruit_is_worth_the_mean_of_the_unseen_columns() -> None:
    # Easy: the tiles of banana and cherry are hidden from both seats, so each lies under either column.
    game = fruit_envs.load("fruit_cocktail", mode="easy")
    state = dealt(game, list(range(8)), THREE_BANANAS, hidden=[0, 1])
    values = Greedy(game).values(state.view(0, 1))
    # 3 banana from column 0 leaves 5 and 5 there; column 1 holds -4, 1, -3.
    assert values[2] == pytest.approx(3 * (5 + -2) / 2)
    # 1 cherry from column 1 leaves -4 and 1; column 0 holds 4, 5, 5.
    assert values[3] == pytest.approx((-3 / 2 + 14 / 3) / 2)
    # A peek at column 0 settles both fruits.
    game = fruit_envs.load("fruit_cocktail")
    state = dealt(game, list(range(8)), THREE_BANANAS, hidden=[0, 1, 2], peeks=[0, 1])
    assert Greedy(game).values(state.view(0, 1))[2] == 15
    state = dealt(game, list(range(8)), THREE_BANANAS, hidden=[0, 1, 2], peeks=[2, 1])
    assert Greedy(game).values(state.view(0, 1))[2] == pytest.approx(3 * (5 + -2) / 2)


def test_greedy2_sees_the_reply_that_greedy_overlooks() -> None:
    # Two columns of two cards, one pick each. Taking 1 banana locks cherry's 5 under banana: 5 points at once; but
    # then the other seat takes 2 banana and has 10. Taking 2 cherry (card 3) locks -4 under banana: after 2 banana
    # cherry is worth -3, which is -6 against -8; after 1 cherry it is worth 1, which is 2 against 1.
    game = Game("fruit_cocktail", rules=mini_rules(2, 2, hidden=0))
    state = dealt(game, [0, 1], [[0, 3], [1, 2]])
    view = state.view(0, 1)
    assert Greedy(game).values(view).tolist() == [5, 1, 1, -2]
    assert Greedy2(game).values(view).tolist() == [-5, -2, -4, 1]
    assert Greedy(game).act(state.observation(0), state.legal(0), view, 0, NOTHING) == 0
    assert Greedy2(game).act(state.observation(0), state.legal(0), view, 0, NOTHING) == 3
    # The last pick has no reply: both agents agree on it.
    state.apply(0, 3)
    last = state.view(1, 1)
    assert Greedy(game).values(last).tolist() == [-np.inf, -2, -1, -np.inf]
    assert Greedy2(game).values(last).tolist() == [-np.inf, -2, -1, -np.inf]


# ---- against the definition ----------------------------------------------------------------------------------------


def expected_margin(worlds: list[State], seat: int) -> Fraction:
    """Mean over worlds of own score minus the mean of the others', columns locking the mean of their cards."""
    total = Fraction(0)
    for world in worlds:
        rules, record = world.game.rules[0], world.records[0]
        n, cards = world.game.num_players, range(world.game.num_actions)
        for p, fruit in enumerate(record["tiles"][: rules["columns"]]):
            left = [int(rules["value"][c]) for c in cards if record["at"][c] == p and record["here"][c]]
            for c in cards:
                if rules["fruit"][c] == fruit and record["holder"][c] >= 0:
                    share = 1 if record["holder"][c] == seat else Fraction(-1, n - 1)
                    total += Fraction(sum(left), len(left)) * int(rules["pieces"][c]) * share
    return total / len(worlds)


def after(worlds: list[State], action: int) -> list[State]:
    children = [world.copy() for world in worlds]
    for child in children:
        child.apply(child.seat, action)
    return children


def oracle(state: State, seat: int, replies: bool) -> list[float]:
    """The value of every action, from the engine's own rules in every consistent world."""
    values = [-np.inf] * state.game.num_actions
    worlds: list[State] = [world for _, world in state.worlds(seat)]
    for action in state.legal_actions(seat):
        children = after(worlds, action)
        answers = children[0].legal_actions(children[0].seat) if replies and not children[0].over else []
        ends = [after(children, answer) for answer in answers] or [children]
        values[action] = float(min(expected_margin(end, seat) for end in ends))
    return values


@COUNTS
@EVERY_MODE
def test_greedy_values_are_means_over_all_worlds(num_players: int, mode: str) -> None:
    game = fruit_envs.load("fruit_cocktail", num_players=num_players, mode=mode)
    for number, state in enumerate(states(game, 2, seed=5)):
        if number % 3 == 0 or state.decisions > 13:
            values = Greedy(game).values(state.view(state.seat, number))
            assert values.tolist() == pytest.approx(oracle(state, state.seat, replies=False))


@COUNTS
@EVERY_MODE
def test_greedy2_values_are_worst_replies(num_players: int, mode: str) -> None:
    game = fruit_envs.load("fruit_cocktail", num_players=num_players, mode=mode)
    for state in states(game, 1, seed=6):
        if state.decisions in (9, 12, 14, 15):
            values = Greedy2(game).values(state.view(state.seat, 3))
            assert values.tolist() == pytest.approx(oracle(state, state.seat, replies=True))


# ---- hidden information, keys, batches -----------------------------------------------------------------------------


@BOTH
@COUNTS
@EVERY_MODE
def test_a_move_is_the_same_in_every_consistent_world(name: str, num_players: int, mode: str) -> None:
    game = fruit_envs.load("fruit_cocktail", num_players=num_players, mode=mode)
    agent = make_agent(name, game)
    for state in states(game, 3, seed=7):
        seat = state.seat
        for key in (1, 2):
            own = agent.act(state.observation(seat), state.legal(seat), state.view(seat, key), key, NOTHING)
            for _, world in state.worlds(seat):
                for redraw in (key, 99):
                    view = world.view(seat, redraw)
                    assert agent.act(world.observation(seat), world.legal(seat), view, key, NOTHING) == own


@BOTH
def test_the_key_only_breaks_ties_and_does_so_evenly(name: str) -> None:
    game = fruit_envs.load("fruit_cocktail")
    agent = make_agent(name, game)
    keys = np.arange(6000, dtype=np.uint64)
    seen = set()
    for state in states(game, 40, seed=8):
        view = state.view(state.seat, 4)
        observation, mask = state.observation(state.seat), state.legal(state.seat)
        policy = agent.policy(observation, mask, view, 0, NOTHING)
        best = np.flatnonzero(policy).tolist()
        if len(best) in seen:
            continue
        seen.add(len(best))
        assert policy.sum() == pytest.approx(1)
        assert set(best) <= set(np.flatnonzero(mask).tolist())
        rows = len(keys)
        counts = Counter(
            agent.act_batch(
                np.stack([observation] * rows), np.stack([mask] * rows), [view] * rows, keys, nothing(rows)
            ).tolist()
        )
        assert sorted(counts) == best
        mean = rows / len(best)
        assert all(abs(count - mean) <= 5 * np.sqrt(mean) for count in counts.values())
    assert {1, 2} <= seen


@BOTH
@COUNTS
def test_act_batch_is_act_row_by_row(name: str, num_players: int) -> None:
    game = fruit_envs.load("fruit_cocktail", num_players=num_players)
    agent = make_agent(name, game)
    rows = list(states(game, 6, seed=9))
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
    assert agent.act_batch(observations[:0], masks[:0], [], keys[:0], nothing(0)).shape == (0,)


_MOVES = """
import fruit_envs, fruit_agents
from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
moves = []
for options in ({}, {"num_players": 3, "mode": "easy"}):
    game = fruit_envs.load("fruit_cocktail", **options)
    agents = [make_agent(name, game) for name in ("greedy2", "greedy", "greedy")]
    state = game.deal(11)
    while not state.over:
        moves.append(ask(agents[state.seat], state, state.seat, 5, new_memory(agents[state.seat])))
        state.apply(state.seat, moves[-1])
print(moves)
"""


def test_moves_are_the_same_without_compilation() -> None:
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


@COUNTS
def test_strength_goes_random_greedy_greedy2(num_players: int) -> None:
    game = fruit_envs.load("fruit_cocktail", num_players=num_players)
    assert duplicate_match(game, "greedy", "random", deals=40, progress=False).margin.low > 15
    assert duplicate_match(game, "greedy2", "random", deals=40, progress=False).margin.low > 15
    assert duplicate_match(game, "greedy2", "greedy", deals=600, progress=False).margin.low > 0


# ---- names and errors ----------------------------------------------------------------------------------------------


@BOTH
def test_tabletop_is_refused_at_construction(name: str) -> None:
    game = fruit_envs.load("fruit_cocktail", memory="tabletop")
    with pytest.raises(fruit_envs.InvalidOption, match=f"'{name}'.*memory=\"perfect\".*tabletop"):
        make_agent(name, game)


@BOTH
def test_other_games_are_refused_naming_those_that_have_the_agent(name: str) -> None:
    with pytest.raises(fruit_envs.InvalidOption, match=r"fruit_cocktail.*toy_windows"):
        make_agent(name, fruit_envs.load("toy_windows"))


def test_a_missing_view_is_refused() -> None:
    game = fruit_envs.load("fruit_cocktail")
    state = game.deal(1)
    with pytest.raises(fruit_envs.NoView, match=r"'greedy'.*view"):
        Greedy(game).act(state.observation(0), state.legal(0), None, 0, NOTHING)


def test_names() -> None:
    game = fruit_envs.load("fruit_cocktail")
    for name in fruit_agents.baselines("fruit_cocktail"):
        agent = make_agent(name, game)
        assert agent.name == name
        state = game.deal(3)
        assert ask(agent, state, state.seat, 0, new_memory(agent)) in state.legal_actions(state.seat)
    assert fruit_agents.baselines("toy_windows") == ["random"]


def test_importing_the_package_imports_no_heavy_library() -> None:
    code = "import sys, fruit_agents; print([m for m in ('numba', 'torch', 'typer', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

"""Fruit Salad's counter against hand-made tables, its probabilities against enumeration, and play among its like.

The long version, 100,000 games of counters among themselves:

    python -m pytest -m heavy tests/fruit_agents/test_heuristic_fruit_salad.py
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("fruit_agents")

import fruit_agents
import fruit_envs
from fruit_agents.arena import duplicate_match, run
from fruit_agents.fruit_salad.heuristic import THRESHOLD, Counter
from fruit_envs import NoView
from fruit_envs.runtime.rows import Rows
from fruit_salad.helpers import O3_, P1_, P2_, P3_, W1_, W2_, W3_, Table, every_count, load, mini, piles
from support import NOTHING, nothing


def chosen(table, seat, **parts):
    """What the counter makes of its view, and what it chooses under some keys."""
    agent = Counter(table.game, **parts)
    view = table.state.view(seat, 5)
    values = agent.values(view)
    observation, mask = table.state.observation(seat), table.state.legal(seat)
    assert (values[mask == 0] < -1e29).all()
    return values, {agent.act(observation, mask, view, key, NOTHING) for key in range(20)}


@every_count
def test_it_reacts_exactly_where_the_target_is_met(players):
    game = load(num_players=players)
    for seed in range(3):
        table = Table(game, seed=seed)
        for phase in table.play(seed, slapping=0.6, step=10**9):
            turn = table.oracle.turn
            if phase != "reaction" or len(table.oracle.piles[(turn + 1) % players]) == 1:
                continue  # it may have to deny
            totals, number = table.oracle.totals(), table.oracle.dice[1]
            legal = [a for a in table.state.legal_actions(0) if a]
            met = {a: totals[a - 1] for a in legal if totals[a - 1] >= number}
            best = {a for a in met if met[a] == max(met.values())} or {0}
            assert chosen(table, 0)[1] <= best


def test_under_an_any_fruit_die_it_names_the_fruit_there_is_most_of():
    table = Table(load(num_players=2), piles(2, [P3_, W2_], [W3_, P2_]), 0, [("any", 5)])
    for _ in range(4):
        table.window()
    assert chosen(table, 1)[1] == {1}
    table.window()
    table.window()
    assert table.oracle.totals() == [5, 0, 0, 5]
    assert chosen(table, 0)[1] == {1, 4}


def test_it_never_slaps_before_a_re_roll():
    table = Table(load(num_players=2), piles(2, [W3_, 12], [W3_ + 28]), 0, [("watermelon", 4)])
    for _ in range(4):
        table.window()
    assert table.phase == "premature"
    assert chosen(table, 0)[1] == {0}


def test_it_gives_to_the_shortest_pile_and_sticks_to_it():
    game = mini((6, 6, 3), numbers=(2, 2, 2, 2, 2, 2), first=0)
    table = Table(game, seed=1, dice=[("any", 2)])
    while table.phase != "keep":
        totals = table.oracle.totals()
        met = [k for k in range(4) if totals[k] >= table.oracle.dice[1] and table.state.legal(0)[1 + k]]
        slaps = table.phase == "reaction" and len(table.oracle.bowl) >= 2 and met
        table.window(["watermelon", "strawberry", "orange", "pear"][met[0]] if slaps else "wait")
        assert not table.state.over
    values, actions = chosen(table, 0)
    kept = {action - 5 for action in actions}
    pieces = {card: sum(table.oracle.deck[card][:4]) for card in table.oracle.bowl}
    assert all(pieces[card] == min(pieces.values()) for card in kept)
    table.keep(kept.pop())
    sizes = [len(pile) for pile in table.oracle.piles]
    shortest = {64 + k for k in (1, 2) if sizes[k] == min(sizes[1:])}
    while table.phase == "give":
        assert chosen(table, 0)[1] == shortest
        assert chosen(table, 0, aims=False)[1] == {65, 66}
        table.act(min(shortest))
    assert len(values) == game.num_actions


def test_its_probability_is_that_of_the_worlds():
    """Over every world of a shrunken game, with known cards in piles and without."""
    game, seen = mini((3, 3), numbers=(1, 2, 2, 3, 3, 3)), 0
    for seed in range(40):
        table = Table(game, seed=seed)
        for phase in table.play(seed, step=10**9):
            if phase != "anticipation" or len(table.oracle.piles[table.oracle.turn]) == 1:
                continue
            turn, number = table.oracle.turn, table.oracle.dice[1]
            values, _ = chosen(table, 0, threshold=0.0, short=0)
            for action in [a for a in table.state.legal_actions(0) if a]:
                expected = 0.0
                for p, world in table.state.worlds(0):
                    s = world.records[0]
                    card = table.oracle.deck[int(s["piles"][64 * turn + int(s["sizes"][turn]) - 1])]
                    total = table.oracle.totals()[action - 1] + card[action - 1]
                    expected += p * (card[4] == "none" and total >= number)
                assert values[action] == pytest.approx(expected)
                seen += 1
    assert seen > 60


def test_it_arms_from_its_threshold_on():
    table = Table(load(num_players=2), piles(2, [P3_, W1_], [P1_, O3_]), 0, [("pear", 4)])
    table.window()
    values, _ = chosen(table, 0, threshold=0.0)
    p = values[4]
    assert 0 < p < 1
    assert chosen(table, 0, threshold=p - 0.01)[1] == {4}
    assert chosen(table, 0, threshold=p + 0.01)[1] == {0}
    assert chosen(table, 0)[1] == ({4} if p > THRESHOLD else {0})


def test_it_arms_nothing_while_another_pile_is_short():
    for size, arms in ((7, True), (6, False)):
        table = Table(mini((size + 1, size), numbers=(8, 8, 8, 8, 8, 8), first=0), seed=3, dice=[("any", 8)])
        while table.phase != "anticipation":
            table.window()
        assert [len(pile) for pile in table.oracle.piles] == [size, size]
        values, _ = chosen(table, 0, threshold=-1.0)
        assert [value > 0 for value in values[1:5] if value > -1e29] == [arms] * sum(table.state.legal(0)[1:5])


def test_it_takes_the_turn_from_a_seat_that_would_win_next():
    """Seat 1 has one card left and is next: whatever the bowl holds, the others slap, and it waits."""
    game = mini((4, 1, 4), numbers=(8, 8, 8, 8, 8, 8), first=0)
    table = Table(game, seed=1, dice=[("pear", 8)])
    while table.phase != "reaction":
        table.window()
    assert [chosen(table, seat)[1] for seat in range(3)] == [{4}, {0}, {4}]
    kept = mini((4, 1, 4), numbers=(8, 8, 8, 8, 8, 8), first=0, last_card_window=True)
    table = Table(kept, seed=1, dice=[("pear", 8)])
    while table.phase != "reaction":
        table.window()
    assert chosen(table, 0)[1] == {0}, "its last card opens windows as any does"


def test_a_card_seen_early_is_certain():
    game = load(num_players=2, early_seats=(1,))
    for card, armed in ((P1_, {4}), (W1_, {0})):
        table = Table(game, piles(2, [P3_], [card]), 0, [("pear", 4)])
        table.window()
        assert chosen(table, 1)[1] == armed


def test_it_plays_single_batched_and_in_the_arena():
    game = load(num_players=3, max_reveals=80)
    agent = Counter(game)
    state = game.deal(4)
    with pytest.raises(NoView):
        agent.act(state.observation(0), state.legal(0), None, 1, NOTHING)
    (result, *_) = run(game, ["counter", "random"], deals=6)
    assert result.summary()["agent"] in ("counter", "random")
    assert fruit_agents.baselines("fruit_salad")[-1] == "counter"
    with pytest.raises(fruit_envs.InvalidOption, match="memory"):
        Counter(fruit_envs.load("fruit_salad", memory="tabletop"))


def test_batches_choose_as_single_games_do():
    game = load(num_players=4)
    agent, table = Counter(game), Table(game, seed=2)
    views, rows, masks = [], [], []
    for _ in table.play(2, slapping=0.5, step=10**9):
        seat = table.state.seat
        if seat < 0 or len(views) > 60:
            continue
        views.append(table.state.view(seat, len(views)))
        rows.append(table.state.observation(seat))
        masks.append(table.state.legal(seat))
    keys = np.arange(len(views), dtype=np.uint64)
    together = agent.act_batch(np.array(rows), np.array(masks), views, keys, nothing(len(keys)))
    alone = [agent.act(*row, int(key), NOTHING) for *row, key in zip(rows, masks, views, keys, strict=True)]
    assert together.tolist() == alone
    for row, mask, view in zip(rows, masks, views, strict=True):
        probabilities = agent.policy(row, mask, view, 3, NOTHING)
        assert probabilities.sum() == pytest.approx(1)
        assert (probabilities[mask == 0] == 0).all()


def counter_games(players, games, at_once=4096):
    """Win shares of counters among themselves, by seat: shape (games, players)."""
    game = load(num_players=players)
    agent, rows, found = Counter(game), Rows(game, at_once), []
    for first in range(0, games, at_once):
        count = min(at_once, games - first)
        going = np.arange(count)
        rows.records["seed"][:count] = np.arange(first, first + count)
        rows.deal(going, onwards=False)
        while len(going):
            seats, seen, masks, keys = rows.ask(going, 9)
            rows.play(
                going, seats, agent.act_batch(seen, masks, rows.views(going, seats, keys), keys, nothing(len(keys)))
            )
            going = going[rows.records["over"][going] == 0]
        found += [rows.state(row).shares for row in range(count)]
    return np.array(found)


def check_fair(players, games):
    shares = counter_games(players, games)
    assert shares.shape == (games, players)
    interval = stats.norm.ppf(0.9995) * shares.std(axis=0) / np.sqrt(games)
    assert (abs(shares.mean(axis=0) - 1 / players) < interval).all(), (shares.mean(axis=0), interval)


@every_count
def test_counters_are_even(players):
    check_fair(players, 1000)


@pytest.mark.heavy
@every_count
def test_counters_are_even_over_a_hundred_thousand_games(players):
    check_fair(players, 100_000)


def test_the_counter_beats_three_that_remember_five_cards():
    """By how much is measured by `benchmarks/counters.py`; this many deals tell it from less than 0.85."""
    assert duplicate_match(load(num_players=4), "counter", "memory5", deals=60, progress=False).win_share.low > 0.85

"""What seats of Fruit Salad know: exact beliefs, early seats, memory, equal treatment of fruits and seats."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

import fruit_envs
from fruit_envs import Batch, InvalidOption
from fruit_envs.engine.tape import Tape
from fruit_envs.games.fruit_salad.components import FIRST, FRUIT_DIE, NUMBER_DIE, START

from .helpers import FRUIT_CARD, P1_, P2_, P3_, W1_, W2_, Table, every_count, load, mini, piles, record_of
from .oracle import FRUITS, check_record, default_deck

ALPHA = 1e-6


def orders(state):
    """Every pile, its top card first."""
    s, n = state.records[0], state.game.num_players
    return tuple(tuple(s["piles"][64 * k :][: int(s["sizes"][k])][::-1].tolist()) for k in range(n))


# ---- beliefs -------------------------------------------------------------------------------------------------------


#: Dice, starter and first slappers are the same in all games that are compared: they are public.
FORCED = {(START, 0): 0} | {(kind, k): k % 3 for kind in (FRUIT_DIE, NUMBER_DIE) for k in range(20)}
FORCED |= {(FIRST, k): 0 for k in range(20)}


def played(game, seed, script):
    """A game of this seed played by a script that looks at nothing hidden, and what all have seen of it."""
    state, tape, seen = game.deal(seed, outcomes=FORCED), Tape(FORCED), []
    text = game.text
    seen += text.deal_events(state)[1:]
    for number in script:
        if state.over:
            break
        legal = state.legal_actions(state.seat)
        before, seat, action = state.copy(), state.seat, legal[number % len(legal)]
        state.apply(seat, action, outcomes=tape)
        seen += text.decision_events(before, seat, action, state)
    return state, seen


@pytest.mark.parametrize(
    ("number", "script", "known"),
    [
        (1, (0, 0, 0, 0), False),
        (1, (0, 1, 0), False),
        (20, (1, 0), True),
        (20, (0, 1, 1, 0), True),
        (20, (0, 0, 0, 1, 0, 0), True),
    ],
)
def test_s20_the_stated_belief_is_what_simulation_finds(number, script, known):
    """Games that look alike differ in the piles as often as `view` says: over all piles and their orders."""
    game = mini((3, 2), numbers=[number] * 6)
    groups = {}
    for seed in range(6_000):
        state, seen = played(game, seed, script)
        groups.setdefault(repr(seen), []).append(state)
    fitting = [group for group in groups.values() if group[0].records[0]["known"].any() == known]
    largest = sorted(fitting, key=len, reverse=True)[:3]
    assert len(largest[0]) > 50
    for group in largest:
        worlds = {orders(world): p for p, world in group[0].worlds(0)}
        true = Counter(orders(state) for state in group)
        assert set(true) <= set(worlds)
        expected = np.array([p * len(group) for p in worlds.values()])
        if len(worlds) > 1 and expected.min() >= 1:
            assert stats.chisquare([true[order] for order in worlds], expected).pvalue > ALPHA
        assert {state.information_state(0) for state in group} == {group[0].information_state(0)}
        drawn = Counter(orders(group[0].view(0, key)) for key in range(20 * len(worlds)))
        assert set(drawn) <= set(worlds)
        if len(worlds) > 1:
            assert stats.chisquare([drawn[order] for order in worlds]).pvalue > ALPHA


def test_s18_s20_known_cards_and_unseen_ones():
    t = Table(load(num_players=3), piles(3, [P3_], [W2_], [P2_]), 0, [("pear", 5)])
    for _ in range(4):
        t.window()
    t.window("wait", "pear", name="W2")
    t.keep(W2_)
    t.give(0)
    view = t.state.view(2, 7)
    pile = orders(view)[0]
    assert pile[0] == P2_, "a card just given lies on top until the distribution ends"
    t.give(0)
    facts = t.state.to_json(2)
    assert facts["known"] == [[], [P2_, P3_], []]
    assert facts["unseen"] == [19, 19, 18]
    places = Counter(orders(t.state.view(2, key))[0].index(P3_) for key in range(2100))
    assert stats.chisquare([places[place] for place in range(21)]).pvalue > ALPHA


@pytest.mark.parametrize("early", [(0,), (1,), (0, 1)])
def test_s31_early_seats_see_their_next_card_in_w0_of_their_own_turn_only(early):
    game = load(num_players=3, early_seats=early)
    t = Table(game, piles(3, [W1_], [P1_], [P2_]), 0, [("pear", 8)])
    for number in range(24):
        top = t.pile(t.oracle.turn)[0]
        for seat in range(3):
            sees = t.phase == "anticipation" and seat == t.oracle.turn and seat in early
            assert t.state.to_json(seat)["next"] == (top if sees else None)
            tops = {orders(t.state.view(seat, key))[t.oracle.turn][0] for key in range(12)}
            assert tops == {top} if sees else len(tops) > 1
        t.window()
        assert t.state.over is False, number
    assert "next" not in load(num_players=3).deal(1).to_json(0)


def test_s31_the_card_stays_seen_once_the_seat_has_committed_and_worlds_agree():
    game = mini((3, 3), early_seats=(0, 1), first=0, windows="full")
    t = Table(game, seed=3, told={"early_seats": (0, 1)})
    t.window()
    assert t.phase == "anticipation"
    other, own = 0, 1
    before = t.state.information_state(own), t.state.information_state(other)
    t.act(1 if t.state.legal(own)[1] else t.state.legal_actions(own)[1], own)
    top = t.pile(own)[0]
    assert t.state.to_json(own)["next"] == top
    assert {orders(world)[1][0] for _, world in t.state.worlds(own)} == {top}
    assert len({orders(world)[1][0] for _, world in t.state.worlds(other)}) > 1
    assert t.state.information_state(own) != before[0]
    assert t.state.information_state(other) == before[1], "a commitment changes nothing that another seat knows"
    worlds = {orders(world) for _, world in t.state.worlds(own)}
    drawn = Counter(orders(t.state.view(own, key)) for key in range(30 * len(worlds)))
    assert set(drawn) == worlds
    assert stats.chisquare(list(drawn.values())).pvalue > ALPHA


def test_worlds_of_the_published_game_are_too_many_to_list():
    with pytest.raises(InvalidOption, match="expected at most 1000000 worlds to list"):
        load().deal(1).worlds(0)


# ---- memory --------------------------------------------------------------------------------------------------------


@every_count
def test_s20_the_tabletop_comes_first_in_what_perfect_memory_sees(players):
    perfect, tabletop = load(num_players=players), load(num_players=players, memory="tabletop")
    names = [block.name for block in tabletop.layout.blocks]
    assert [block.name for block in perfect.layout.blocks][: len(names)] == names
    assert set(names).isdisjoint({"bowl", "totals", "known", "piles", "unseen", "reveals"})
    for name in names:
        assert perfect.layout[name] == tabletop.layout[name]
    a, b = perfect.deal(3), tabletop.deal(3)
    rng = np.random.default_rng(players)
    for _ in range(300):
        seat = int(rng.choice(a.seats))
        assert (a.observation(seat)[: tabletop.layout.size] == b.observation(seat)).all()
        action = int(rng.choice(a.legal_actions(seat)))
        a.apply(seat, action)
        b.apply(seat, action)


@every_count
def test_who_remembers_its_own_decisions_knows_the_bowl_and_all_piles(players):
    """Counting from the tabletop's observations at the own decisions gives exactly what perfect memory sees."""
    game = load(num_players=players, max_reveals=200)
    names = [block.name for block in load(num_players=players, memory="tabletop").layout.blocks]
    for seed in range(4):
        t = Table(game, seed=seed)
        memory = None
        for _ in t.play(seed, slapping=0.6, step=10**9):
            if t.phase in ("keep", "give") or t.state.over:
                continue
            facts = t.state.to_json(0)
            memory = remember(memory, {name: facts[name] for name in names}, players, 60 // players)
            assert memory["bowl"] == set(facts["bowl"])
            assert memory["sizes"] == facts["piles"]
            assert memory["known"] == [set(cards) for cards in facts["known"]]


def remember(memory, seen, players, size):
    """What seat 0 knows after another window, from what it knew at the last one."""
    if memory is None:
        memory = {"bowl": set(), "known": [set() for _ in range(players)], "sizes": [size] * players, "phase": None}
    phase, top, turn = seen["phase"], seen["top"], seen["turn"]

    def land(card, seat):
        memory["bowl"].add(card)
        memory["known"][seat].discard(card)
        memory["sizes"][seat] -= 1

    # No new card has landed in anticipation, nor in the reaction to a card that there was a premature window on.
    same = phase == "reaction" and memory["phase"] == "premature" and memory["top"] == top
    if phase != "anticipation" and not same:
        if seen["first"] and seen["slapper"] is not None:
            if memory["phase"] == "anticipation":
                land(seen["slap_top"], memory["turn"])  # on an armed slap: this seat was not asked about it
            if seen["slap_result"] == "win":
                for card, receiver in enumerate(seen["given"]):
                    if receiver:
                        memory["known"][receiver - 1].add(card)
                        memory["sizes"][receiver - 1] += 1
            else:
                memory["known"][seen["slapper"]] |= memory["bowl"]
                memory["sizes"][seen["slapper"]] += len(memory["bowl"])
            memory["bowl"] = set()
        land(top, turn)
    memory |= {"phase": phase, "top": top, "turn": turn}
    assert memory["sizes"][0] == seen["pile"]
    return memory


# ---- fruits --------------------------------------------------------------------------------------------------------


def relabelled(record, names):
    """The same game with other names for the fruits: cards and actions go with them."""
    rows = [tuple(row) for row in default_deck()]
    new = [FRUITS.index(names[fruit]) for fruit in FRUITS]

    def card(number):
        row = rows[number]
        moved = [0] * 4
        for old in range(4):
            moved[new[old]] = row[old]
        return rows.index((*moved, row[4]))

    def action(number):
        if 1 <= number <= 4:
            return 1 + new[number - 1]
        return 5 + card(number - 5) if 5 <= number < 65 else number

    def event(old):
        told = dict(old)
        for name, value in old.items():
            if name == "card":
                told[name] = card(value)
            elif name == "piles":
                told[name] = [[card(number) for number in pile] for pile in value]
            elif name == "fruit":
                told[name] = names.get(value, value)
            elif name == "choices":
                told[name] = [names.get(choice, choice) for choice in value]
            elif name == "action" and value is not None:
                told[name] = action(value)
            elif name == "actions":
                told[name] = [action(number) for number in value]
        return told

    return record | {"seed": None, "events": in_order([event(old) for old in record["events"]])}


def in_order(events):
    """Cards are given in the order of their ids, which relabelling changes: sort the gifts of each distribution.

    Which seat gets a card stays, so only who is asked about it in which order does.
    """
    out, gifts = [], []
    for event in [*events, {"event": "nothing"}]:
        if event["event"] == "give":
            gifts.append(event)
            continue
        out += sorted(gifts, key=lambda gift: gift["card"])
        gifts = []
        out.append(event)
    return out[:-1]


@pytest.mark.parametrize("players", [3, 4])
def test_every_relabelling_of_the_fruits_maps_games_to_games(players):
    records = []
    for seed in range(3):
        t = Table(load(num_players=players, max_reveals=120), seed=seed)
        for _ in t.play(seed, slapping=0.7, step=10**9):
            pass
        records.append(record_of(t, max_reveals=120))
    assert any(event["event"] == "give" for record in records for event in record["events"])
    for record in records:
        for order in itertools.permutations(FRUITS):
            other = relabelled(record, dict(zip(FRUITS, order, strict=True)))
            check_record(other)
            state = fruit_envs.replay(other)
            assert state.scores.tolist() == fruit_envs.replay(record).scores.tolist()


def test_the_default_deck_is_symmetric_and_has_48_pieces_of_each_fruit():
    rows = [tuple(row) for row in default_deck()]
    assert len(set(rows)) == 60
    assert np.array([row[:4] for row in rows]).sum(axis=0).tolist() == [48] * 4
    for order in itertools.permutations(range(4)):
        assert {(*(row[k] for k in order), row[4]) for row in rows} == set(rows)
    assert rows[FRUIT_CARD] == (2, 2, 0, 0, "fruit")


def test_s31_a_card_seen_early_is_part_of_what_a_seat_knows():
    """Deals that differ in that card alone are one to the others, and two to the seat, in every way it is told."""
    game = load(num_players=2, early_seats=(1,))
    keys, shown = [], []
    for top in (P1_, P2_):
        table = Table(game, piles(2, [P3_], [top]), 0, [("pear", 8)])
        table.window()
        assert table.phase == "anticipation"
        keys.append([table.state.information_state(seat) for seat in range(2)])
        shown.append([table.state.observation(seat).tobytes() for seat in range(2)])
    for told in (keys, shown):
        assert told[0][0] == told[1][0]
        assert told[0][1] != told[1][1]


# ---- seats ---------------------------------------------------------------------------------------------------------


def wins(game, games, choose=None):
    """Each seat's share of so many games, shape (games, players), and who started."""
    n, count = game.num_players, 2000
    batch = Batch(game, count)
    batch.reset(seed=11)
    turn = game.layout["turn"]
    played, starter, shares, starters = np.zeros(count, int), batch.observations[:, turn].argmax(1), [], []
    while played.min() < games // count:
        batch.step(batch.sample() if choose is None else choose(batch))
        over = batch.over > 0
        counted = over & (played < games // count)
        shares.append((batch.rewards[counted] * (n - 1) + 1) / n)
        starters.append(starter[counted])
        starter[over] = batch.observations[over, turn].argmax(1)  # seat 0 is asked first in every game
        played += over
    return np.concatenate(shares), np.concatenate(starters)


def check_seats(shares):
    interval = stats.norm.ppf(0.9995) * shares.std(axis=0) / np.sqrt(len(shares))
    assert shares.sum(axis=1) == pytest.approx(1)
    assert (abs(shares.mean(axis=0) - 1 / shares.shape[1]) < interval).all(), (shares.mean(axis=0), interval)


#: Cards with which random slaps win, and a cap that few games reach.
RICH = {"deck": tuple((4, 4, 4, 4, row[4]) for row in default_deck()), "points_to_win": 1, "max_reveals": 30}


@every_count
def test_seats_are_symmetric_over_a_hundred_thousand_games(players):
    """Random games: no seat's win share differs beyond its 99.9 % interval, whoever starts."""
    shares, starters = wins(load(num_players=players, **RICH), 100_000)
    assert len(shares) == 100_000
    check_seats(shares)
    counts = np.bincount(starters, minlength=players)
    assert stats.chisquare(counts).pvalue > ALPHA


@every_count
def test_the_first_of_several_slappers_is_uniform(players):
    firsts = Counter()
    game = load(num_players=players)
    for seed in range(1500):
        state = game.deal(seed)
        for seat in range(players):
            state.apply(seat, state.legal_actions(seat)[-1])
        firsts[int(state.records[0]["slapper"])] += 1
    assert stats.chisquare([firsts[seat] for seat in range(players)]).pvalue > ALPHA

"""Counters that remember a few cards of the bowl: against plain Python, in both environments, in batches."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("fruit_agents")

import fruit_envs
from fruit_agents import BASELINES, fitting
from fruit_agents.fruit_salad.heuristic import Memory3, Memory5, Memory8, MemoryAll, MemoryCounter
from fruit_envs import InvalidBuffer, InvalidOption
from fruit_envs.agents.asking import ask, new_memory
from fruit_salad.oracle import default_deck

DECK = default_deck()

SPANS = (1, 3, 5, 8, 60)


def pieces(card):
    return DECK[card][:4]


def completes(card, total, fruit, facts):
    return DECK[card][4] == "none" and total + pieces(card)[fruit] >= facts["die_number"]


def by_hand(facts, remembered, number_of_cards, threshold):
    """The choices between which chance decides, from decoded facts and the cards remembered."""
    totals = [sum(pieces(card)[fruit] for card in remembered) for fruit in range(4)]
    legal = [
        fruit
        for fruit, name in enumerate(("watermelon", "strawberry", "orange", "pear"))
        if facts["die_fruit"] in (name, "any")
    ]
    if facts["phase"] == "premature":
        return {0}
    if facts["phase"] == "reaction":
        met = [fruit for fruit in legal if totals[fruit] >= facts["die_number"]]
        return {1 + fruit for fruit in met if totals[fruit] == max(totals[f] for f in met)} or {0}
    if facts["phase"] == "anticipation":
        kept = [card for card, who in enumerate(facts["points"]) if who]
        rest = [card for card in range(number_of_cards) if card not in remembered and card not in kept]
        chance = {}
        for fruit in legal:
            chance[fruit] = sum(completes(card, totals[fruit], fruit, facts) for card in rest) / len(rest)
        if facts.get("next") is not None:
            chance = {fruit: float(completes(facts["next"], totals[fruit], fruit, facts)) for fruit in legal}
        if facts["turn"] == 0 and facts["pile"] == 1 and not facts["late"]:
            chance = dict.fromkeys(legal, 0.0)
        values = {0: 0.0} | {1 + fruit: chance[fruit] - threshold for fruit in legal}
        return {action for action, value in values.items() if value == max(values.values())}
    if facts["phase"] == "keep":
        few = min(sum(pieces(card)) for card in facts["open"])
        return {5 + card for card in facts["open"] if sum(pieces(card)) == few}
    return None


@pytest.mark.parametrize("threshold", [0.15, 2.0])
@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize(
    "options", [{}, {"memory": "tabletop"}, {"early_seats": (0, 2), "last_card_window": True}], ids=str
)
def test_it_does_what_it_remembers(options, span, threshold):
    game = fruit_envs.load("fruit_salad", num_players=3, max_reveals=120, **options)
    agent = MemoryCounter(game, span=span, threshold=threshold)
    assert agent.memory_size == span
    seen_phases = set()
    for seed in range(3):
        state, mine = game.deal(seed), [[] for _ in range(3)]
        memories = [new_memory(agent) for _ in range(3)]
        rng = np.random.default_rng(seed)
        while not state.over:
            seat = state.seat
            facts = game.layout.decode(state.observation(seat)) | {"late": "last_card_window" in options}
            if facts["phase"] == "reaction":
                mine[seat] = (mine[seat] if not facts["first"] else [])[-span + 1 if span > 1 else 60 :]
                mine[seat].append(facts["top"])
            wanted = by_hand(facts, mine[seat], 60, threshold)
            action = ask(agent, state, seat, 3, memories[seat])
            assert wanted is None or action in wanted, facts
            assert state.legal(seat)[action]
            seen_phases.add(facts["phase"])
            # Now and then something else, so that bowls are won and lost in all ways.
            legal = state.legal_actions(seat)
            state.apply(seat, action if rng.random() < 0.9 else int(rng.choice(legal)))
    assert {"anticipation", "premature", "reaction"} <= seen_phases


def test_ties_are_broken_by_chance():
    """Who is given cards, and which of two cards alike is kept, must not depend on seats or ids."""
    game = fruit_envs.load("fruit_salad", num_players=4)
    agent, counted = MemoryCounter(game, span=1), {}
    for seed in range(60):
        state = game.deal(seed)
        while not state.over and not counted:
            seat = state.seat
            facts = game.layout.decode(state.observation(seat))
            if facts["phase"] == "give":
                memory = new_memory(agent)
                shown = (state.observation(seat), state.legal(seat), None)
                given = [agent.act(*shown, key, memory) for key in range(3000)]
                counted["give"] = [given.count(64 + place) for place in (1, 2, 3)]
            met = [f for f in range(4) if facts["totals"][f] >= facts["die_number"] and state.legal(seat)[1 + f]]
            wants = facts["phase"] == "reaction" and met
            state.apply(seat, 1 + met[0] if wants else state.legal_actions(seat)[0 if facts["phase"] != "give" else -1])
        if counted:
            break
    assert sum(counted["give"]) == 3000
    assert stats.chisquare(counted["give"]).pvalue > 1e-6


def test_both_environments_are_the_same_to_it():
    games = [fruit_envs.load("fruit_salad", num_players=4, memory=memory) for memory in ("perfect", "tabletop")]
    for kind in (Memory3, Memory5, Memory8, MemoryAll):
        agents = [kind(game) for game in games]
        states = [game.deal(8) for game in games]
        memories = [[new_memory(agent) for _ in range(4)] for agent in agents]
        while not states[0].over:
            seat = states[0].seat
            both = [ask(agents[i], states[i], seat, 1, memories[i][seat]) for i in range(2)]
            assert both[0] == both[1]
            for state in states:
                state.apply(seat, both[0])


def test_a_row_of_a_batch_is_a_single_call():
    game = fruit_envs.load("fruit_salad", num_players=4, memory="tabletop")
    agent = MemoryCounter(game, span=4, threshold=0.15)
    batch = fruit_envs.Batch(game, 16)
    batch.reset(3)
    alone, many = np.zeros((16, 4, 4), np.float32), np.zeros((16, 4, 4), np.float32)
    for step in range(300):
        keys = np.arange(16, dtype=np.uint64) + 16 * step
        rows, seats = np.arange(16), batch.seats.copy()
        held = many[rows, seats]
        together = agent.act_batch(batch.observations, batch.masks, [None] * 16, keys, held)
        many[rows, seats] = held
        for i in range(16):
            observation, mask = batch.observations[i], batch.masks[i]
            assert agent.act(observation, mask, None, int(keys[i]), alone[i, seats[i]]) == together[i]
        assert (alone == many).all()
        batch.step(together)
        for array in (alone, many):
            array[batch.over != 0] = 0


def test_what_it_refuses():
    game = fruit_envs.load("fruit_salad", memory="tabletop")
    for span in (0, 61, 2.5, "3"):
        with pytest.raises(InvalidOption, match="span"):
            MemoryCounter(game, span=span)
    agent, state = Memory5(game), game.deal(0)
    seen, mask, key = state.observation(0)[None], state.legal(0)[None], np.zeros(1, np.uint64)
    for memories in (None, np.zeros((1, 4), np.float32), np.zeros((1, 5))):
        with pytest.raises(InvalidBuffer, match="expected memories as float32"):
            agent.act_batch(seen, mask, [None], key, memories)
    for wrong in (1e12, 61, -1, 0.5, np.nan, np.inf):
        with pytest.raises(InvalidBuffer, match="whole numbers"):
            agent.act_batch(seen, mask, [None], key, np.full((1, 5), wrong, np.float32))
    with pytest.raises(InvalidBuffer, match="expected observations"):
        agent.act_batch(seen[:, 1:], mask, [None], key, np.zeros((1, 5), np.float32))


def test_who_fits_which_environment():
    names = [name for name, homes in BASELINES.items() if "fruit_salad" in homes]
    assert fitting(fruit_envs.load("fruit_salad")) == ["random", *names]
    played_from_memory = fitting(fruit_envs.load("fruit_salad", memory="tabletop"))
    assert played_from_memory == ["random", "memory3", "memory5", "memory8", "memory_all"]

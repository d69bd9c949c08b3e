"""The rulings on the setting-up (C1-C5): hidden tiles, peeks, what is public of them, and who starts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from typing import Any

import gymnasium
import pytest

import fruit_envs
from fruit_envs import InvalidOption
from fruit_envs.games.fruit_cocktail import parallel_env, raw_env
from fruit_envs.games.fruit_cocktail.components import HIDE, PEEK, START

from .helpers import EXAMPLE_HANDS_OF_4, EXAMPLE_LOCKED, beside, dealt, load, play_out, staged
from .oracle import FRUITS, Deal
from .rulings import assert_uniform, deals_of, every_count, every_memory, every_mode, exact

# ---- chance --------------------------------------------------------------------------------------------------------


def indices(deal: Deal) -> tuple[int, ...]:
    """Which of the hidden tiles each seat has peeked at."""
    return tuple(deal.hidden.index(peek) for peek in deal.peeks if peek is not None)


@every_count
def test_c1_hidden_positions_are_uniform(players: int) -> None:
    deals = deals_of(11_200, num_players=players)
    assert_uniform((deal.hidden for deal in deals), 56)
    assert_uniform((frozenset(deal.tiles[p] for p in deal.hidden) for deal in deals), 56)


@every_count
def test_c1_hidden_positions_are_exactly_uniform(players: int) -> None:
    found: Counter[tuple[int, ...]] = Counter()
    for deal, probability in exact(load(num_players=players), HIDE).items():
        found[deal.hidden] += probability  # type: ignore[assignment]
    assert set(found) == set(combinations(range(8), 3))
    assert list(found.values()) == pytest.approx([1 / 56] * 56)


@every_count
def test_c1_nobody_chooses_which_tiles_are_turned_up(players: int) -> None:
    """The first decision of the game is the starter's take."""
    state, table = beside(load(num_players=players), 1)
    assert state.decisions == 0
    assert state.legal_actions(table.turn) == list(range(24))


@every_mode
@every_count
def test_c1_tiles_and_cards_are_shuffled_uniformly(players: int, mode: str) -> None:
    deals = deals_of(4_000, num_players=players, mode=mode)
    assert_uniform(((p, fruit) for deal in deals for p, fruit in enumerate(deal.tiles)), 64)
    assert_uniform(((p, card) for deal in deals for p, column in enumerate(deal.columns) for card in column), 192)
    assert_uniform((deal.tiles[:3] for deal in deals), 8 * 7 * 6)


@pytest.mark.parametrize("players", [2, 3])
def test_c2_peeks_are_a_uniform_injective_map(players: int) -> None:
    deals = deals_of(13_440, num_players=players)
    assert_uniform((indices(deal) for deal in deals), 6)
    assert_uniform(((deal.hidden, indices(deal)) for deal in deals), 336)


@pytest.mark.parametrize("players", [2, 3])
def test_c2_peeks_are_exactly_uniform(players: int) -> None:
    found = exact(load(num_players=players), PEEK)
    assert {indices(deal) for deal in found} == set(permutations(range(3), players))
    assert list(found.values()) == pytest.approx([1 / 6] * 6)


def pairs(deal: Deal) -> tuple[frozenset[int], ...]:
    """The seats at each hidden tile."""
    return tuple(frozenset(s for s in range(4) if deal.peeks[s] == position) for position in deal.hidden)


def test_c3_pairings_and_tiles_are_uniform() -> None:
    deals = deals_of(12_600, num_players=4)
    assert_uniform((frozenset(pairs(deal)) for deal in deals), 3)
    assert_uniform((tuple(len(seats) for seats in pairs(deal)) for deal in deals), 3)
    assert_uniform((pairs(deal) for deal in deals), 18)
    assert_uniform(((deal.hidden, deal.peeks[0]) for deal in deals), 168)


def test_c3_pairings_and_tiles_are_exactly_uniform() -> None:
    found = exact(load(num_players=4), PEEK)
    assert len({pairs(deal) for deal in found}) == len(found) == 18
    assert list(found.values()) == pytest.approx([1 / 18] * 18)
    for deal in found:
        assert sorted(len(seats) for seats in pairs(deal)) == [0, 2, 2]


def test_c3_the_third_hidden_tile_is_known_to_nobody() -> None:
    game = load(num_players=4)
    for seed in range(50):
        state, table = beside(game, seed)
        play_out(state, table, until=15)
        (third,) = set(table.deal.hidden) - set(table.deal.peeks)
        for seat in range(4):
            assert len(state.to_json(seat)["tiles"][third]) == 2


def test_c3_pair_mates_are_opponents() -> None:
    """Seats 0 and 2 have seen the same tile; seat 2 wins alone."""
    state = staged(load(num_players=4), EXAMPLE_HANDS_OF_4, EXAMPLE_LOCKED, hidden=(0, 4, 6), peeks=(4, 0, 4, 0))
    assert state.shares.tolist() == [0, 0, 1, 0]
    assert state.returns.tolist() == pytest.approx([-1 / 3, -1 / 3, 1, -1 / 3])


# ---- what is public, and who starts --------------------------------------------------------------------------------


@every_memory
@every_count
def test_c4_where_each_seat_peeked_is_public(players: int, memory: str) -> None:
    game = load(num_players=players, memory=memory)
    for seed in range(60):
        state, table = beside(game, seed)
        play_out(state, table, until=seed % 17)
        for seat in range(players):
            around = [table.deal.peeks[(seat + k) % players] for k in range(players)]
            assert [table.deal.hidden[h] for h in state.to_json(seat)["peeked"]] == around


@every_memory
@every_count
def test_c4_the_identity_seen_is_private(players: int, memory: str) -> None:
    game = load(num_players=players, memory=memory)
    for seed in range(60):
        state, table = beside(game, seed)
        play_out(state, table, until=seed % 16)
        for seat in range(players):
            for position in table.deal.hidden:
                known = state.to_json(seat)["tiles"][position]
                if position == table.deal.peeks[seat]:
                    assert known == [FRUITS[table.deal.tiles[position]]]
                else:
                    assert len(known) == 2


@every_mode
@every_count
def test_c5_the_starter_is_uniform(players: int, mode: str) -> None:
    deals = deals_of(6_000, num_players=players, mode=mode)
    assert_uniform((deal.starter for deal in deals), players)
    if mode == "base":  # whatever was peeked at
        assert_uniform(((deal.starter, indices(deal)[0]) for deal in deals), 3 * players)


@every_count
def test_c5_the_starter_is_exactly_uniform(players: int) -> None:
    found = exact(load(num_players=players), START)
    assert {deal.starter for deal in found} == set(range(players))
    assert list(found.values()) == pytest.approx([1 / players] * players)


@every_mode
@every_count
def test_c5_reset_names_the_starter_for_one_episode(players: int, mode: str) -> None:
    env, both = raw_env(num_players=players, mode=mode), parallel_env(num_players=players, mode=mode)
    chance = load(num_players=players, mode=mode).deal(31)
    for starter in range(players):
        env.reset(seed=31, options={"starter": starter})
        assert env.agent_selection == f"player_{starter}"
        _, infos = both.reset(seed=31, options={"starter": starter})
        assert [agent for agent, info in infos.items() if not info["action_mask"][both.noop]] == [f"player_{starter}"]
        state = env._holder.current
        assert dealt(state).starter == starter
        assert dealt(state).tiles == dealt(chance).tiles  # nothing else of the deal changes
        assert dealt(state).columns == dealt(chance).columns
        assert dealt(state).hidden == dealt(chance).hidden
        assert dealt(state).peeks == dealt(chance).peeks
    env.reset(seed=31)
    assert env.agent_selection == f"player_{dealt(chance).starter}"


@every_count
def test_c5_a_gymnasium_reset_names_the_starter(players: int) -> None:
    env = gymnasium.make("fruit/FruitCocktail-v0", num_players=players, seat=0, disable_env_checker=True)
    for starter in range(players):
        observation, _ = env.reset(seed=4, options={"starter": starter})
        layout = load(num_players=players).layout
        picks = layout.block(observation["observation"], "picks").item()
        assert picks == (-starter) % players  # what the others took before the learner's first turn


@every_count
def test_c5_a_record_shows_the_named_starter(players: int) -> None:
    for starter in range(players):
        (record,) = fruit_envs.record("fruit_cocktail", seed=9, starter=starter, num_players=players)
        assert record["events"][0]["starter"] == record["events"][1]["seat"] == starter
        assert "starter" not in record["options"]
        fruit_envs.replay(record)


@pytest.mark.parametrize("starter", [-1, 2, True, 0.0, "0", [0]])
def test_c5_a_starter_that_is_no_seat_is_refused(starter: Any) -> None:
    env = raw_env()
    with pytest.raises(InvalidOption, match="starter"):
        env.reset(seed=1, options={"starter": starter})

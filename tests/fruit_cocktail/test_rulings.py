"""One group of tests for every ruling of the rule file, named after its id."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import combinations, islice, pairwise, permutations
from typing import Any

import gymnasium
import numpy as np
import pytest
from scipy.stats import chisquare

import fruit_envs
from fruit_envs import Game, IllegalAction, InvalidOption, NoView, State
from fruit_envs.fruit_cocktail import parallel_env, raw_env
from fruit_envs.fruit_cocktail.components import CARD, HIDE, PEEK, START, TILE

from .helpers import (
    EXAMPLE_HANDS,
    EXAMPLE_HANDS_OF_3,
    EXAMPLE_HANDS_OF_4,
    EXAMPLE_LOCKED,
    ONES,
    WORTHLESS,
    beside,
    build,
    by_pieces,
    dealt,
    facts,
    forced,
    load,
    play,
    play_out,
    stage,
    staged,
)
from .oracle import ASSUMED_V1, ASSUMED_V1_ROWS, FRUITS, HIDDEN, MODES, PLAYERS, Deal, Table, choosers, random_deal

every_mode = pytest.mark.parametrize("mode", MODES)
every_count = pytest.mark.parametrize("players", PLAYERS)
every_memory = pytest.mark.parametrize("memory", ["perfect", "tabletop"])


# ---- chance --------------------------------------------------------------------------------------------------------


def deals_of(count: int, **options: Any) -> list[Deal]:
    """The deals of the first seeds."""
    game = load(**options)
    return [dealt(game.deal(seed)) for seed in range(count)]


def assert_uniform(seen: Iterable[Hashable], cells: int) -> None:
    """Every one of so many outcomes occurs, equally often as far as chi-square can tell."""
    counts = Counter(seen)
    assert len(counts) == cells
    assert chisquare(list(counts.values())).pvalue > 1e-4


def exact(game: Game, *kinds: int) -> dict[Deal, float]:
    """The probability of every deal when only these kinds of chance event are left to chance."""
    deal = random_deal(random.Random(1), game.num_players, game.options["mode"])
    fixed = {(kind, i): outcome for (kind, i), outcome in forced(game, deal).items() if kind not in kinds}
    found: Counter[Deal] = Counter()
    for probability, state in game.deals(fixed):
        found[dealt(state)] += probability  # type: ignore[assignment]
    assert sum(found.values()) == pytest.approx(1)
    return dict(found)


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
        assert [agent for agent, info in infos.items() if info["active"]] == [f"player_{starter}"]
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


# ---- turns ---------------------------------------------------------------------------------------------------------


@every_mode
@every_count
def test_c6_any_card_of_a_column_that_holds_two(players: int, mode: str) -> None:
    """Columns over hidden tiles, over known tiles, of three cards and of two: all of it may be taken, nothing else."""
    state, table = beside(load(num_players=players, mode=mode), 8)
    lying = [set(column) for column in table.deal.columns]
    for seat, card in islice(_any_takes(table), 16):
        allowed = {c for column in lying if len(column) >= 2 for c in column}
        assert set(state.legal_actions(seat)) == allowed
        state.apply(seat, card)
        next(column for column in lying if card in column).remove(card)
    assert all(len(column) == 1 for column in lying)
    assert state.over


def _any_takes(table: Table) -> Iterable[tuple[int, int]]:
    choose = next(choosers(random.Random(8)))
    while not table.over:
        seat, card = table.turn, choose(table)
        table.take(card)
        yield seat, card


@every_count
def test_c6_no_passing(players: int) -> None:
    game = load(num_players=players)
    assert game.num_actions == 24
    state, table = beside(game, 2)
    while not table.over:
        assert state.seats == (table.turn,)
        assert state.legal(table.turn).sum() >= 2
        for action in (None, 24, -1):
            with pytest.raises(IllegalAction):
                state.apply(table.turn, action)  # type: ignore[arg-type]
        play(state, table, table.legal()[-1])


@every_mode
@pytest.mark.parametrize("starter", range(3))
def test_c7_three_players(starter: int, mode: str) -> None:
    """6/5/5 in strict turn order; the starter makes the first and the sixteenth pick."""
    game = load(num_players=3, mode=mode)
    rng = random.Random(starter)
    state = build(game, random_deal(rng, 3, mode, starter))
    order = []
    while not state.over:
        order.append(state.seat)
        state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
    assert order == [(starter + i) % 3 for i in range(16)]
    assert order[0] == order[-1] == starter
    held = [len(hand) for hand in state.to_json(starter)["held"]]
    assert held == [6, 5, 5]


@every_mode
@pytest.mark.parametrize("players", [2, 4])
def test_c7_two_and_four_players_share_the_picks_evenly(players: int, mode: str) -> None:
    state, table = beside(load(num_players=players, mode=mode), 12)
    play_out(state, table)
    assert [seat for seat, _ in table.takes] == [(table.deal.starter + i) % players for i in range(16)]
    assert [len(hand) for hand in state.to_json(0)["held"]] == [16 // players] * players


# ---- locks ---------------------------------------------------------------------------------------------------------


@every_memory
@every_mode
@every_count
def test_c8_a_column_is_locked_in_the_same_step(players: int, mode: str, memory: str) -> None:
    """At each position, hidden or not: the second take locks the third card for the very next seat, for all to see."""
    game = load(num_players=players, mode=mode, memory=memory)
    deal = random_deal(random.Random(players), players, mode)
    for position in range(8):
        state = build(game, deal)
        first, second, last = deal.columns[position]
        state.apply(state.seat, first)
        assert state.legal(state.seat)[[second, last]].tolist() == [1, 1]
        state.apply(state.seat, second)
        assert not state.legal(state.seat)[[first, second, last]].any()
        with pytest.raises(IllegalAction):
            state.apply(state.seat, last)
        for seat in range(players):
            seen = state.to_json(seat)
            assert seen["locked"] == [int(p == position) for p in range(8)]
            assert seen["value"][position] == ASSUMED_V1[last].value


@every_mode
def test_c8_a_lock_under_a_hidden_tile_does_not_turn_it_up(mode: str) -> None:
    game = load(mode=mode)
    deal = random_deal(random.Random(4), 2, mode)
    for position in deal.hidden:
        state, table = build(game, deal), Table(deal)
        for card in deal.columns[position][:2]:
            play(state, table, card)
        for seat in range(2):
            assert state.to_json(seat) == facts(table, seat, mode)


@every_mode
def test_c8_the_record_locks_right_after_the_take(mode: str) -> None:
    (record,) = fruit_envs.record("fruit_cocktail", seed=21, mode=mode)
    events = record["events"]
    left = {p: set(column) for p, column in enumerate(events[0]["columns"])}
    for event, after in pairwise(events):
        if event["event"] != "take":
            continue
        position = next(p for p, column in left.items() if event["card"] in column)
        left[position].remove(event["card"])
        if len(left[position]) == 1:
            assert after == {"event": "lock", "position": position, "card": next(iter(left[position]))}
        else:
            assert after["event"] == "take"


def _with_card(card: int, **changes: int) -> tuple[tuple[int, int, int], ...]:
    rows = [dict(zip(("fruit", "pieces", "value"), row, strict=True)) for row in ASSUMED_V1_ROWS]
    rows[card] |= changes
    return tuple((row["fruit"], row["pieces"], row["value"]) for row in rows)


@every_mode
def test_c9_a_locked_card_counts_its_value_per_piece(mode: str) -> None:
    """Grape2 under the banana tile: -4 for each banana piece, whatever sign and fruit the banana cards show."""
    hidden = {"base": (0, 1, 2), "easy": (0, 1), "total_control": ()}[mode]
    peeks = (0, 1) if mode == "base" else None
    for value, scores in ((-4, [8, 7]), (-1, [14, 10]), (0, [16, 11]), (5, [26, 16])):
        deck = _with_card(16, value=value)
        state = staged(load(mode=mode, deck=deck), EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks)
        assert state.scores.tolist() == scores


@every_mode
def test_c9_the_pieces_of_a_locked_card_count_for_nobody(mode: str) -> None:
    hidden = {"base": (0, 1, 2), "easy": (0, 1), "total_control": ()}[mode]
    peeks = (0, 1) if mode == "base" else None
    for card in EXAMPLE_LOCKED:
        for pieces in (1, 2, 3):
            game = load(mode=mode, deck=_with_card(card, pieces=pieces))
            state = staged(game, EXAMPLE_HANDS, EXAMPLE_LOCKED, hidden=hidden, peeks=peeks)
            assert state.scores.tolist() == [8, 7]


@every_count
def test_c9_the_fruit_of_a_locked_card_counts_for_nobody(players: int) -> None:
    """Two locked cards trade fruits, values staying where they are: no score changes."""
    hands = {2: EXAMPLE_HANDS, 3: EXAMPLE_HANDS_OF_3, 4: EXAMPLE_HANDS_OF_4}[players]
    plain = load(num_players=players, mode="total_control")
    rows = [list(row) for row in ASSUMED_V1_ROWS]
    rows[16][0], rows[8][0] = rows[8][0], rows[16][0]
    traded = load(num_players=players, mode="total_control", deck=tuple(map(tuple, rows)))
    first, second = staged(plain, hands, EXAMPLE_LOCKED), staged(traded, hands, EXAMPLE_LOCKED)
    assert first.scores.tolist() == second.scores.tolist()


@every_count
def test_c9_values_of_taken_cards_count_for_nobody(players: int) -> None:
    """All taken cards change their value, the locked ones keep theirs."""
    hands = {2: EXAMPLE_HANDS, 3: EXAMPLE_HANDS_OF_3, 4: EXAMPLE_HANDS_OF_4}[players]
    rows = tuple(tuple(r) if c in EXAMPLE_LOCKED else (r[0], r[1], 5) for c, r in enumerate(ASSUMED_V1_ROWS))
    plain = staged(load(num_players=players, mode="total_control"), hands, EXAMPLE_LOCKED)
    other = staged(load(num_players=players, mode="total_control", deck=rows), hands, EXAMPLE_LOCKED)
    assert plain.scores.tolist() == other.scores.tolist()


# ---- memory --------------------------------------------------------------------------------------------------------

_LINE_FACTS = {"tiles", "line", "hidden_columns", "locked", "value", "mover", "picks"}


@every_mode
@every_count
def test_c11_perfect_memory_shows_all_holdings(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode)
    state, table = beside(game, 3)
    while True:
        for seat in range(players):
            seen = state.to_json(seat)
            assert set(seen) == _LINE_FACTS | {"held"} | ({"peeked"} if mode == "base" else set())
            assert seen["held"] == [sorted(table.hands[(seat + k) % players]) for k in range(players)]
        if table.over:
            break
        play(state, table, table.legal()[len(table.takes) % 3])


@every_mode
@every_count
def test_c11_tabletop_shows_own_holdings_counts_and_the_last_take(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode, memory="tabletop")
    state, table = beside(game, 3)
    while True:
        for seat in range(players):
            seen = state.to_json(seat)
            kept = {"own", "counts", "last_seat", "last_card"}
            assert set(seen) == _LINE_FACTS | kept | ({"peeked"} if mode == "base" else set())
            assert seen["own"] == [sorted(table.hands[seat])]
            assert seen["counts"] == [len(table.hands[(seat + k) % players]) for k in range(players)]
            labels = ["me", "+1", "+2", "+3"]
            last = table.takes[-1] if table.takes else None
            assert seen["last_seat"] == (labels[(last[0] - seat) % players] if last else None)
            assert seen["last_card"] == (last[1] if last else None)
            lying = {card for column in table.columns for card in column}
            assert {card for card, fruits in enumerate(seen["line"]) if fruits} == lying  # no locked card
            assert {card for cards in seen["hidden_columns"] for card in cards} <= lying
        if table.over:
            break
        play(state, table, table.legal()[len(table.takes) % 3])


def _after(game: Game, deal: Deal, cards: Iterable[int]) -> State:
    state = build(game, deal)
    for card in cards:
        state.apply(state.seat, card)
    return state


def _same_to(seat: int, one: State, other: State) -> bool:
    same = one.observation(seat).tobytes() == other.observation(seat).tobytes()
    assert same == (one.to_json(seat) == other.to_json(seat))
    if same:
        assert one.legal(seat).tobytes() == other.legal(seat).tobytes()
        assert one.to_text(seat) == other.to_text(seat)
    return same


@every_mode
@pytest.mark.parametrize("players", [3, 4])
def test_c11_tabletop_forgets_which_opponent_took_what(players: int, mode: str) -> None:
    """Two opponents take a and b, or b and a; then somebody else makes the most recent take."""
    deal = random_deal(random.Random(players), players, mode, starter=1)
    a, b, c = (deal.columns[p][0] for p in (0, 1, 2))
    rest = [deal.columns[p][0] for p in range(3, 3 + players - 3)]
    tabletop, perfect = (load(num_players=players, mode=mode, memory=m) for m in ("tabletop", "perfect"))
    histories = ([a, b, *rest, c], [b, a, *rest, c])
    one, other = (_after(tabletop, deal, history) for history in histories)
    assert _same_to(0, one, other)
    assert not _same_to(1, one, other)  # its own holdings
    one, other = (_after(perfect, deal, history) for history in histories)
    assert not _same_to(0, one, other)
    one, other = (_after(tabletop, deal, history[:2]) for history in histories)
    assert not _same_to(0, one, other)  # the most recent take is still shown


@every_mode
@every_count
def test_c11_tabletop_forgets_the_fruit_of_a_locked_card(players: int, mode: str) -> None:
    """Banana1 and grape2 are both worth -4: either may be locked, the other one being with an opponent."""
    taken = [card for card in range(24) if card not in (0, 16)]
    columns = ((0, 16, taken[0]), *(tuple(taken[3 * p - 2 : 3 * p + 1]) for p in range(1, 8)))
    base = random_deal(random.Random(players), players, mode, starter=1)
    deal = Deal(base.tiles, base.hidden, columns, base.peeks, 1)
    assert deal.faults(players, mode) == []
    free = [deal.columns[p][0] for p in range(1, 8)]
    tabletop, perfect = (load(num_players=players, mode=mode, memory=m) for m in ("tabletop", "perfect"))
    # Seat 1 takes card 0 or 16, the others anything, seat 1's second take locks the column, and seat 0 takes last.
    between = free[: players - 1]
    histories = [[card, *between, taken[0], *free[players - 1 : 2 * players - 2]] for card in (0, 16)]
    one, other = (_after(tabletop, deal, history) for history in histories)
    assert one.to_json(0)["value"][0] == other.to_json(0)["value"][0] == -4
    for seat in range(players):
        assert _same_to(seat, one, other) == (seat != 1)
    one, other = (_after(perfect, deal, history) for history in histories)
    assert not any(_same_to(seat, one, other) for seat in range(players))


@every_mode
@every_count
def test_c11_no_mode_shows_the_order_of_older_takes(players: int, mode: str) -> None:
    """One seat takes a then b, or b then a: what lies on the table, and what matters, is the same."""
    deal = random_deal(random.Random(players), players, mode, starter=0)
    others = [deal.columns[p][0] for p in range(players - 1)]
    a, b = deal.columns[6][0], deal.columns[7][0]
    more = [deal.columns[p][1] for p in range(players - 1)]
    for memory in ("tabletop", "perfect"):
        game = load(num_players=players, mode=mode, memory=memory)
        one = _after(game, deal, [a, *others, b, *more])
        other = _after(game, deal, [b, *others, a, *more])
        assert all(_same_to(seat, one, other) for seat in range(players))


@every_mode
def test_c11_tabletop_agents_get_no_view(mode: str) -> None:
    with pytest.raises(NoView):
        load(mode=mode, memory="tabletop").deal(1).view(0, 1)


# ---- hidden tiles --------------------------------------------------------------------------------------------------


@every_mode
@every_count
def test_c12_worlds(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode)
    count = {"base": 2, "easy": 2, "total_control": 1}[mode]
    for seed in range(20):
        state, table = beside(game, seed)
        play_out(state, table, until=seed % 16)
        for seat in range(players):
            listed = state.worlds(seat)
            assert [probability for probability, _ in listed] == pytest.approx([1 / count] * count)
            assert sorted(dealt(world).tiles for _, world in listed) == sorted(table.worlds(seat))
            for _, world in listed:
                assert world.observation(seat).tobytes() == state.observation(seat).tobytes()


@every_mode
@every_count
def test_c12_the_set_of_hidden_fruits_is_public(players: int, mode: str) -> None:
    state, table = beside(load(num_players=players, mode=mode), 6)
    hidden = {FRUITS[table.deal.tiles[p]] for p in table.deal.hidden}
    for seat in range(players):
        seen = state.to_json(seat)["tiles"]
        assert {fruit for p in table.deal.hidden for fruit in seen[p]} == hidden
        assert all(seen[p] == [FRUITS[table.deal.tiles[p]]] for p in range(8) if p not in table.deal.hidden)


@every_memory
@every_mode
@every_count
def test_c12_nothing_depends_on_a_tile_that_was_not_seen(players: int, mode: str, memory: str) -> None:
    """Swap the tiles that a seat cannot know: until the end, all that it is given stays the same, byte by byte."""
    game = load(num_players=players, mode=mode, memory=memory)
    rng = random.Random(5)
    for choose in islice(choosers(rng), 4):
        deal = random_deal(rng, players, mode)
        table = Table(deal)
        lines = {line for seat in range(players) for line in table.worlds(seat)}
        states = {line: build(game, Deal(line, deal.hidden, deal.columns, deal.peeks, deal.starter)) for line in lines}
        while not table.over:
            true = states[deal.tiles]
            for seat in range(players):
                for line in table.worlds(seat):
                    assert _same_to(seat, true, states[line])
            card = choose(table)
            for state in states.values():
                state.apply(table.turn, card)
            table.take(card)
        for line, state in states.items():  # then all tiles are turned up
            for seat in range(players):
                assert state.to_json(seat)["tiles"] == [[FRUITS[fruit]] for fruit in line]


# ---- ties ----------------------------------------------------------------------------------------------------------


@every_mode
@every_count
def test_c13_share_a_tie_is_terminal_and_shared(players: int, mode: str) -> None:
    game = load(num_players=players, mode=mode, deck=WORTHLESS)
    state, table = beside(game, 2)
    play_out(state, table)
    assert state.over
    assert not state.seats
    assert state.scores.tolist() == [0] * players
    assert state.shares.tolist() == pytest.approx([1 / players] * players)
    assert state.returns.tolist() == pytest.approx([0] * players)


def test_c13_share_is_the_default() -> None:
    assert load().options["tie"] == "share"


#: Hands by numbers of pieces (each piece is worth a point), who leads, and the win rewards computed by hand.
SHARED = (
    (((3, 3, 3, 2, 2, 1, 1, 1), (2, 2, 2, 2, 2, 2, 1, 3)), (16, 16), ("1/2", "1/2"), ("0", "0")),
    (((1, 1, 1, 2, 2, 3), (2, 2, 2, 2, 2), (1, 1, 1, 1, 3)), (10, 10, 7), ("1/2", "1/2", "0"), ("1/4", "1/4", "-1/2")),
    (((1, 1, 1, 1, 1, 1), (2, 2, 3, 3, 1), (2, 2, 3, 3, 1)), (6, 11, 11), ("0", "1/2", "1/2"), ("-1/2", "1/4", "1/4")),
    (
        ((1, 1, 1, 3, 3, 2), (2, 2, 2, 3, 2), (1, 2, 2, 3, 3)),
        (11, 11, 11),
        ("1/3", "1/3", "1/3"),
        ("0", "0", "0"),
    ),
    (
        ((3, 3, 3, 3), (1, 1, 1, 1), (3, 3, 3, 3), (2, 2, 2, 1)),
        (12, 4, 12, 7),
        ("1/2", "0", "1/2", "0"),
        ("1/3", "-1/3", "1/3", "-1/3"),
    ),
    (
        ((2, 2, 2, 2), (3, 3, 1, 1), (1, 1, 3, 3), (1, 1, 1, 2)),
        (8, 8, 8, 5),
        ("1/3", "1/3", "1/3", "0"),
        ("1/9", "1/9", "1/9", "-1/3"),
    ),
    (
        ((2, 2, 2, 2), (3, 3, 1, 1), (1, 1, 3, 3), (1, 2, 2, 3)),
        (8, 8, 8, 8),
        ("1/4", "1/4", "1/4", "1/4"),
        ("0", "0", "0", "0"),
    ),
)


@pytest.mark.parametrize(("pieces", "scores", "shares", "rewards"), SHARED)
def test_c13_share_tied_leaders_share_the_win(
    pieces: Any, scores: tuple[int, ...], shares: tuple[str, ...], rewards: tuple[str, ...]
) -> None:
    hands, locked = by_pieces(*pieces)
    state = staged(load(num_players=len(hands), mode="total_control", deck=ONES), hands, locked)
    assert state.scores.tolist() == list(scores)
    assert state.shares.tolist() == pytest.approx([float(Fraction(share)) for share in shares])
    assert state.returns.tolist() == pytest.approx([float(Fraction(reward)) for reward in rewards])


@every_mode
@every_count
def test_c13_replay_ten_tied_games_end_shared(players: int, mode: str) -> None:
    """Nothing is worth anything: ten games of sixteen picks, each begun by the next seat, then a shared end."""
    game = load(num_players=players, mode=mode, deck=WORTHLESS, tie="replay")
    state = game.deal(17)
    first, deals = dealt(state).starter, [dealt(state)]
    rng = random.Random(1)
    for pick in range(160):
        assert not state.over
        number, within = divmod(pick, 16)
        if pick and within == 0:
            deals.append(dealt(state))
        assert state.seat == (first + number + within) % players
        assert state.to_json(0)["game"] == number
        assert state.to_json(0)["picks"] == within
        state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
        assert state.returns.tolist() == [0] * players
    assert state.over
    assert not state.truncated
    assert [deal.starter for deal in deals] == [(first + number) % players for number in range(10)]
    assert all(deal.faults(players, mode) == [] for deal in deals)
    assert len({deal.columns for deal in deals}) == 10
    assert state.shares.tolist() == pytest.approx([1 / players] * players)


@every_mode
@every_count
def test_c13_replay_is_one_episode_and_one_record(players: int, mode: str) -> None:
    env = raw_env(num_players=players, mode=mode, deck=WORTHLESS, tie="replay")
    env.reset(seed=17)
    for _ in range(160):
        assert env.agents == env.possible_agents
        assert not any(env.terminations.values())
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
        assert set(env.rewards.values()) == {0.0}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    (record,) = fruit_envs.record(
        "fruit_cocktail", seed=17, num_players=players, mode=mode, deck=WORTHLESS, tie="replay"
    )
    kinds = Counter(event["event"] for event in record["events"])
    assert kinds == Counter(deal=10, take=160, lock=80, score=10, **({"reveal": 10} if HIDDEN[mode] else {}))


@every_count
@pytest.mark.parametrize("reward", ["win", "margin"])
def test_c13_replay_scores_and_returns_are_the_last_game_s(players: int, reward: str) -> None:
    """Two games built by hand: a tied one, then one that the last seat wins."""
    tied = {
        2: ((3, 3, 3, 2, 2, 1, 1, 1), (2, 2, 2, 2, 2, 2, 1, 3)),
        3: ((1, 1, 1, 2, 2, 3), (2, 2, 2, 2, 2), (1, 1, 1, 1, 3)),
        4: ((3, 3, 3, 3), (1, 1, 1, 1), (3, 3, 3, 3), (2, 2, 2, 1)),
    }[players]
    # The second game's starter is seat 1, who has the sixth card where three play.
    decided = {
        2: ((1,) * 8, (2,) * 8),
        3: ((1,) * 5, (1, 1, 1, 2, 2, 2), (3,) * 5),
        4: ((1,) * 4, (1,) * 4, (2,) * 4, (3,) * 4),
    }[players]
    scores = {2: [8, 16], 3: [5, 9, 15], 4: [4, 4, 8, 12]}[players]
    margins = {
        2: [Fraction(-8), Fraction(8)],
        3: [Fraction(-7), Fraction(-1), Fraction(8)],
        4: [Fraction(-4), Fraction(-4), Fraction(4, 3), Fraction(20, 3)],
    }[players]
    game = load(num_players=players, mode="total_control", deck=ONES, tie="replay", reward=reward)
    one, first = stage(*by_pieces(*tied), starter=0)
    two, second = stage(*by_pieces(*decided), starter=1)
    outcomes = forced(game, one, two)
    state = game.deal(0, outcomes=outcomes)
    for seat, card in (*first, *second):
        assert not state.over
        assert state.returns.tolist() == [0] * players
        state.apply(seat, card, outcomes=outcomes)
    assert state.over
    assert state.scores.tolist() == scores
    expected = [float(m) / 20 for m in margins] if reward == "margin" else [-1 / (players - 1)] * (players - 1) + [1.0]
    assert state.returns.tolist() == pytest.approx(expected)


def test_c13_replay_only_a_tie_for_the_lead_is_replayed() -> None:
    """Two losers with equal scores change nothing."""
    hands, locked = by_pieces((1, 1, 1, 1, 1, 2), (1, 1, 1, 2, 2), (3,) * 5)
    state = staged(load(num_players=3, mode="total_control", deck=ONES, tie="replay"), hands, locked)
    assert state.scores.tolist() == [7, 7, 15]
    assert state.shares.tolist() == [0, 0, 1]


@pytest.mark.parametrize("players", [3, 4])
def test_c13_replay_a_partial_tie_is_replayed_by_all_seats(players: int) -> None:
    """Two seats tie for the lead; the new game is everybody's."""
    tied = {
        3: ((1, 1, 1, 2, 2, 3), (2, 2, 2, 2, 2), (1, 1, 1, 1, 3)),
        4: ((3, 3, 3, 3), (1, 1, 1, 1), (3, 3, 3, 3), (2, 2, 2, 1)),
    }[players]
    game = load(num_players=players, mode="total_control", deck=ONES, tie="replay")
    deal, takes = stage(*by_pieces(*tied))
    state = build(game, deal)
    for seat, card in takes:
        state.apply(seat, card)
    assert not state.over
    asked = []
    for _ in range(players):
        asked.append(state.seat)
        state.apply(state.seat, state.legal_actions(state.seat)[0])
    assert asked == [(1 + i) % players for i in range(players)]


# ---- modes ---------------------------------------------------------------------------------------------------------


@every_count
def test_c16_easy_hides_two_tiles_and_nobody_peeks(players: int) -> None:
    deals = deals_of(5_600, num_players=players, mode="easy")
    assert_uniform((deal.hidden for deal in deals), 28)
    assert {deal.peeks for deal in deals} == {(None,) * players}


@every_count
def test_c16_easy_hidden_positions_are_exactly_uniform(players: int) -> None:
    found: Counter[tuple[int, ...]] = Counter()
    for deal, probability in exact(load(num_players=players, mode="easy"), HIDE).items():
        found[deal.hidden] += probability  # type: ignore[assignment]
    assert list(found.values()) == pytest.approx([1 / 28] * 28)


@every_count
def test_c16_easy_all_seats_know_the_same(players: int) -> None:
    state, table = beside(load(num_players=players, mode="easy"), 5)
    assert all(state.to_json(seat)["tiles"] == state.to_json(0)["tiles"] for seat in range(players))
    assert [len(fruits) for fruits in state.to_json(0)["tiles"]] == [1 + (p in table.deal.hidden) for p in range(8)]


@every_count
def test_c17_total_control_hides_nothing(players: int) -> None:
    game = load(num_players=players, mode="total_control")
    for seed in range(200):
        state, table = beside(game, seed)
        assert table.deal.hidden == ()
        assert table.deal.peeks == (None,) * players
        for seat in range(players):
            assert state.to_json(seat)["tiles"] == [[FRUITS[fruit]] for fruit in table.deal.tiles]
            assert "peeked" not in state.to_json(seat)


@every_count
def test_c17_total_control_is_perfect_information(players: int) -> None:
    """What one seat sees decides all that happens: a game rebuilt from it goes on the same way."""
    game = load(num_players=players, mode="total_control")
    state, table = beside(game, 9)
    play_out(state, table, until=7)
    views = [state.view(seat, key=123 + seat) for seat in range(players)]
    while not table.over:
        card = table.legal()[0]
        for view in views:
            view.apply(table.turn, card)
        play(state, table, card)
    for view in views:
        assert view.scores.tolist() == state.scores.tolist() == table.scores()


@every_count
def test_c17_total_control_leaves_nothing_to_chance_after_the_deal(players: int) -> None:
    state, table = beside(load(num_players=players, mode="total_control"), 9)
    while not table.over:
        assert [probability for probability, _ in state.transitions(table.turn, table.legal()[0])] == [1.0]
        play(state, table, table.legal()[0])


def test_c17_only_the_line_the_cards_and_the_starter_are_dealt() -> None:
    deal = random_deal(random.Random(1), 2, "total_control")
    game = load(mode="total_control")
    fixed = {key: outcome for key, outcome in forced(game, deal).items() if key[0] in (TILE, CARD, START)}
    assert [probability for probability, _ in game.deals(fixed)] == [1.0]


# ---- rewards -------------------------------------------------------------------------------------------------------

#: The worked example's cards in the hands of 2, 3 and 4 players: scores, win rewards and margins by hand. The values
#: are banana -4, cherry 1, apple 4, strawberry 1, lychee 2, grape -2, blueberry 3, orange 0.
BY_HAND = {
    2: (EXAMPLE_HANDS, (8, 7), ("1", "-1"), ("1", "-1")),
    # -8+2+4+2+3+2 = 5; 3+0+9+1+3 = 16; 6+0-2-6-4 = -6
    3: (EXAMPLE_HANDS_OF_3, (5, 16, -6), ("-1/2", "1", "-1/2"), ("0", "33/2", "-33/2")),
    # -8+2+4+2 = 0; 3+2+3+0 = 8; 9+1+3+6 = 19; 0-2-6-4 = -12
    4: (EXAMPLE_HANDS_OF_4, (0, 8, 19, -12), ("-1/3", "-1/3", "1", "-1/3"), ("-5", "17/3", "61/3", "-21")),
}


@every_count
def test_c19_win_rewards(players: int) -> None:
    hands, scores, win, _ = BY_HAND[players]
    state = staged(load(num_players=players, mode="total_control"), hands, EXAMPLE_LOCKED)
    assert state.scores.tolist() == list(scores)
    assert state.returns.tolist() == pytest.approx([float(Fraction(reward)) for reward in win])


@pytest.mark.parametrize("scale", [None, 1, 7.5, 100])
@every_count
def test_c19_margin_rewards(players: int, scale: float | None) -> None:
    """Own score minus the mean of the others', over margin_scale (20 by default)."""
    hands, scores, _, margins = BY_HAND[players]
    options = {} if scale is None else {"margin_scale": scale}
    state = staged(load(num_players=players, mode="total_control", reward="margin", **options), hands, EXAMPLE_LOCKED)
    assert state.scores.tolist() == list(scores)
    expected = [float(Fraction(margin)) / (scale or 20) for margin in margins]
    assert state.returns.tolist() == pytest.approx(expected)


def test_c19_win_is_the_default_and_the_scale_is_20() -> None:
    assert load().options["reward"] == "win"
    assert load().options["margin_scale"] == 20
    assert load().options["reward_timing"] == "end"


@pytest.mark.parametrize("reward", ["win", "margin"])
@every_mode
@every_count
def test_c19_rewards_come_at_the_end_only(players: int, mode: str, reward: str) -> None:
    env = raw_env(num_players=players, mode=mode, reward=reward)
    env.reset(seed=3)
    table = Table(dealt(env._holder.current))
    while not table.over:
        assert set(env.rewards.values()) == {0.0}
        card = table.legal()[0]
        env.step(card)
        table.take(card)
    assert list(env.rewards.values()) == pytest.approx([float(r) for r in table.rewards(reward)])


@every_count
def test_c19_as_scored_pays_score_changes_and_adds_up_to_the_margin(players: int) -> None:
    env = raw_env(num_players=players, mode="total_control", reward="margin", reward_timing="as_scored")
    rng = random.Random(2)
    for seed, choose in zip(range(12), choosers(rng), strict=False):
        env.reset(seed=seed)
        table = Table(dealt(env._holder.current))
        paid = np.zeros(players)
        early = 0
        while not table.over:
            before = table.margins()
            card = choose(table)
            env.step(card)
            table.take(card)
            change = [float(now - then) / 20 for now, then in zip(table.margins(), before, strict=True)]
            step = [env.rewards[agent] for agent in env.possible_agents]
            assert step == pytest.approx(change, abs=1e-12)
            paid += step
            early += any(change) and not table.over
        assert early
        assert paid.tolist() == pytest.approx([float(margin) / 20 for margin in table.margins()], abs=1e-12)
        collected = []
        while env.agents:
            collected.append(env.last()[1])
            env.step(None)
        assert len(collected) == players


def test_c19_as_scored_by_hand() -> None:
    """The worked example, locks in the order of the columns; the pieces held by then, times the value locked."""
    game = load(mode="total_control", reward="margin", reward_timing="as_scored", margin_scale=1)
    deal = Deal(
        tiles=tuple(range(8)),
        hidden=(),
        columns=(
            (16, 1, 0),  # banana2 and banana1 are taken over grape2
            (8, 4, 3),
            (2, 6, 5),
            (9, 10, 20),
            (7, 12, 14),
            (23, 15, 17),
            (13, 18, 21),
            (19, 22, 11),
        ),
        peeks=(None, None),
        starter=0,
    )
    state = build(game, deal)
    steps = (  # seat, card, seat 0's margin after it
        (0, 1, 0),  # banana2: nothing is locked
        (1, 0, -4),  # banana1 locks -4 per banana: two pieces with seat 0, one with seat 1: -8 + 4
        (0, 4, -4),  # cherry2
        (1, 3, -3),  # cherry1 locks 1 per cherry: 2 - 1
        (0, 6, -3),  # apple1
        (1, 5, -2),  # cherry3 is worth 3 to seat 1 and locks 4 per apple, of which seat 0 has one: -3 + 4
        (0, 10, -2),  # strawberry2
        (1, 20, 0),  # blueberry3 locks 1 per strawberry: 2 for seat 0
        (0, 12, 0),  # lychee1
        (1, 14, -4),  # lychee3 locks 2 per lychee: 2 - 6
        (0, 18, -4),  # blueberry1
        (1, 15, -4),  # grape1: its column still holds two
        (0, 22, -4),  # orange2
        (1, 17, 4),  # grape3 locks -2 per grape: four pieces with seat 1
        (0, 11, 7),  # strawberry3 is worth 3, and locks 0 per orange
        (1, 21, 1),  # orange1 locks 3 per blueberry: 3 - 9
    )
    for seat, card, margin in steps:
        state.apply(seat, card)
        assert state.returns.tolist() == pytest.approx([margin, -margin])


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "base", "reward": "margin"},
        {"mode": "easy", "reward": "margin"},
        {"mode": "total_control", "reward": "win"},
        {"mode": "total_control"},
        {"mode": "total_control", "reward": "margin", "tie": "replay"},
        {"mode": "base", "reward": "margin", "tie": "replay"},
        {},
    ],
    ids=str,
)
@every_count
def test_c19_as_scored_is_refused_where_it_would_tell(players: int, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        fruit_envs.load("fruit_cocktail", num_players=players, reward_timing="as_scored", **options)


@every_count
def test_c19_as_scored_is_allowed_where_nothing_is_hidden(players: int) -> None:
    options = {"mode": "total_control", "reward": "margin", "tie": "share", "reward_timing": "as_scored"}
    assert fruit_envs.load("fruit_cocktail", num_players=players, **options).options["reward_timing"] == "as_scored"

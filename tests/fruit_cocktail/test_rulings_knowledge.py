"""The rulings on what a seat may know (C11, C12, C16, C17): memory, hidden tiles, and the modes that hide less."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest

from fruit_envs import Game, NoView, State
from fruit_envs.games.fruit_cocktail.components import CARD, HIDE, START, TILE

from .helpers import beside, build, dealt, forced, load, play, play_out
from .oracle import FRUITS, Deal, Table, choosers, random_deal
from .rulings import assert_uniform, deals_of, every_count, every_memory, every_mode, exact

# ---- memory --------------------------------------------------------------------------------------------------------

_LINE_FACTS = {"tiles", "line", "hidden_columns", "face_down", "locked", "value", "mover", "picks"}


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

"""The rulings on tricks and draws (F1-F8), and on what is seen of them (F13, F17)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from fruit_envs import NoView

from .helpers import Both, build, cards, choosers, deal, every_count, every_scope, holdings, load
from .oracle import DECLINE, DRAW, FRUITS, card_id, fruit_of, number_of, trick_winner

# ---- the river -----------------------------------------------------------------------------------------------------


@every_count
def test_f1_public_all_seven_targets_are_seen_in_order_from_the_deal_on(players):
    state = load(num_players=players).deal(3)
    river = [card for card in state.records[0]["river"].tolist() if card != 255]
    assert len(river) == 7
    for seat in range(players):
        seen = state.to_json(seat)
        assert seen["river_fruit"] == [FRUITS[fruit_of(card)] for card in river]
        assert seen["river_number"] == [number_of(card) for card in river]


@every_count
def test_f1_current_only_the_target_of_the_turn_is_seen_and_the_others_are_unknown(players):
    both = Both(load(num_players=players, river="current"), seed=2)
    choose = choosers(random.Random(0))[0]
    for turn in range(7):
        target = both.oracle.river[turn]
        for seat in range(players):
            seen = both.state.to_json(seat)
            assert seen["river_fruit"] == [FRUITS[fruit_of(target)]] + [None] * 6
            assert seen["river_number"] == [number_of(target)] + [0] * 6
            worlds = [holdings(both.state.view(seat, key))["river"] for key in range(30)]
            assert {river[0] for river in worlds} == {target}
            assert len({tuple(river[1:]) for river in worlds}) > 10 or turn == 6
        both.play(choose)


# ---- tricks --------------------------------------------------------------------------------------------------------


def test_f2_no_duty_to_follow():
    state = build(load(num_players=2), deal(2, ["B9 S9 A9 F9"], river="B10"))
    assert {card_id(c) for c in ("B9", "S9", "A9", "F9")} <= set(state.legal_actions(0))
    assert len(state.legal_actions(0)) == 7


@every_scope
def test_f2_every_pair_and_triple_of_some_numbers(tie_scope):
    """All tricks of two or three cards with numbers 8 to 12 of three fruits, on two targets."""
    pool = cards(" ".join(f"{fruit}{number}" for fruit in "BSA" for number in (8, 9, 11, 12)))
    for n in (2, 3):
        game = load(num_players=n, tie_scope=tie_scope)
        for played in list(combinations(pool, n))[:: 1 if n == 2 else 4]:
            names = ["BSAF"[fruit_of(card)] + str(number_of(card)) for card in played]
            both = Both(game, deal(n, names, river="B10"))
            both.turn(*names)
            both.compare()
            expected = trick_winner(card_id("B10"), dict(enumerate(played)), tie_scope)
            assert both.state.records[0]["winner"] == (-1 if expected is None else expected)


def winner_of(names, target="B10", **options):
    n = len(names)
    both = Both(load(num_players=n, **options), deal(n, names, river=target))
    both.turn(*names)
    both.compare()
    return int(both.state.records[0]["winner"])


def test_f2_an_off_colour_card_can_win_after_all_on_colour_cards_cancelled():
    assert winner_of(["B9", "B11", "A1"]) == 2
    assert winner_of(["B9", "B11", "B8", "B12", "F20"]) == 4


def test_f2_several_tie_groups_cancel_at_once():
    assert winner_of(["B9", "B11", "B8", "B12", "A9", "F11"]) == -1
    assert winner_of(["B9", "B11", "A9", "F11", "S1", "B20"]) == 5
    assert winner_of(["B9", "B11", "A9", "F11", "S8", "S4"]) == 4


def test_f3_off_colour_cards_tie_whatever_their_fruits_but_not_with_on_colour_ones():
    assert winner_of(["S9", "A11", "F2"]) == 2
    assert winner_of(["B9", "A9"]) == 0
    assert winner_of(["A11", "B9"]) == 1


def test_f3_all_any_two_cards_at_equal_distance_tie():
    assert winner_of(["B9", "A9"], tie_scope="all") == -1
    assert winner_of(["B9", "A11", "F2"], tie_scope="all") == 2
    assert winner_of(["B9", "A11", "F2", "S1"], tie_scope="all") == 2
    assert winner_of(["B9", "A8", "B12", "B1"], tie_scope="all") == 0


@every_count
def test_f4_without_a_winner_cards_and_target_leave_the_round_and_all_draw(players):
    names = ["S9", "A11", "S8", "A12", "S7", "A13"][:players]
    if players % 2:
        names[-1] = "F9"  # a third card of the first key
    both = Both(load(num_players=players), deal(players, names, river="B10"))
    both.turn(*names)
    both.compare()
    seen = both.state.to_json(0)
    assert seen["gone"] == sorted([*cards(" ".join(names)), card_id("B10")])
    assert seen["hand_sizes"] == [len(both.oracle.hands_of_deal.hands[0])] * players


#: Six targets that seat 0 can win one after the other from a six-card hand, and one more.
SIX_WINS = {"river": "B10 S10 A10 F10 B20 S20 A20", "hands": ["B9 S9 A9 F9 B19 S19"]}


@pytest.mark.parametrize("players", [4, 5, 6])
def test_f5_an_empty_hand_in_turn_7_is_not_asked_for_a_card_and_may_draw(players):
    """Everybody else plays off-colour cards or far ones."""
    both = Both(load(num_players=players), deal(players, **SIX_WINS, avoid="B11 S11 A11 F11 B18 S18"))
    for turn, name in enumerate(["B9", "S9", "A9", "F9", "B19", "S19"]):
        target = both.oracle.river[turn]
        actions = {0: card_id(name)}
        for seat in range(1, players):
            far = max(both.oracle.question.asked[seat], key=lambda c: (fruit_of(c) != fruit_of(target), c))
            actions[seat] = far
        both.answer(actions)
        both.compare()
        assert both.state.records[0]["winner"] == 0
    state = both.state
    assert state.seats == tuple(range(1, players))
    assert not state.legal(0).any()
    assert state.to_json(0)["hand"] == []
    assert state.to_json(1)["hand_sizes"][-1] == 0
    both.play(choosers(random.Random(0))[0])
    both.compare()
    assert both.state.records[0]["winner"] != 0
    assert 0 in both.state.seats
    assert both.state.legal_actions(0) == [DRAW, DECLINE]
    played = [event for event in both.oracle.events if event["event"] == "play"][-players]
    assert (played["seat"], played["action"], played["card"]) == (0, None, None)
    both.answer(dict.fromkeys(both.state.seats, DRAW))
    both.compare()


# ---- drawing -------------------------------------------------------------------------------------------------------


def test_f6_losers_draw_in_ascending_seat_order():
    both = Both(load(num_players=4), deal(4, ["B1", "B2", "B9", "B3"], river="B10", deck="F1 F2 F3"))
    both.turn("B1", "B2", "B9", "B3")
    hands = holdings(both.state)["hands"]
    for seat, card in ((0, "F1"), (1, "F2"), (3, "F3")):
        assert card_id(card) in hands[seat]
    assert [len(hand) for hand in hands] == [6, 6, 5, 6]


def dry():
    """Six seats, six turns without a winner: 36 cards are drawn, one is left. In turn 7 nobody wins either."""
    hands = [" ".join(f"{fruit}{k}" for k in range(first, first + 6)) for first in (1, 7, 13) for fruit in "SA"]
    made = deal(6, hands, river="B1 B2 B3 B4 B5 B6 B7", deck="S19 A19 S20 A20 F6 F8")
    both = Both(load(num_players=6), made)
    for turn in range(6):
        both.turn(*(hand.split()[turn] for hand in hands))
        both.compare()
        assert both.state.records[0]["winner"] == -1
    both.turn("S19", "A19", "S20", "A20", "F6", "F8")
    both.compare()
    return both


@pytest.mark.parametrize("takers", [[0, 1, 2, 3, 4, 5], [2, 4], [5], []], ids=str)
def test_f6_six_players_run_the_deck_dry_in_turn_7(takers):
    both = dry()
    assert both.state.to_json(0)["deck"] == 1
    assert both.state.seats == (0, 1, 2, 3, 4, 5)
    left = both.oracle.deck[0]
    both.answer({seat: DRAW if seat in takers else DECLINE for seat in range(6)})
    drew = {e["seat"]: e["card"] for e in both.oracle.events if e["event"] == "optional" and e["drew"]}
    assert drew == ({takers[0]: left} if takers else {})
    both.compare()


@every_count
def test_f8_the_optional_draw_is_asked_of_every_loser_in_secret_after_the_trick_is_collected(players):
    both = Both(load(num_players=players), seed=4)
    choose = choosers(random.Random(1))[3]
    for _ in range(7):
        both.play(choose)
    winner = int(both.state.records[0]["winner"])
    losers = [seat for seat in range(players) if seat != winner]
    assert both.state.seats == tuple(losers)
    assert both.state.to_json(0)["phase"] == "draw"
    assert both.state.to_json(0)["hand_sizes"] == [len(hand) for hand in both.oracle.hands]
    before = {seat: both.state.observation(seat).tobytes() for seat in range(players)}
    for seat in losers[:-1]:
        both.state.apply(seat, DRAW)
        for other in range(players):
            if other not in losers[: losers.index(seat) + 1]:
                assert both.state.observation(other).tobytes() == before[other]


# ---- what is seen --------------------------------------------------------------------------------------------------


@every_count
def test_f13_hands_and_deck_are_hidden_and_all_else_is_public(players):
    state = load(num_players=players).deal(7)
    rng = random.Random(2)
    for _ in range(3 * players + 1):
        state.apply(state.seat, rng.choice(state.legal_actions(state.seat)))
    true = holdings(state)
    for seat in range(players):
        found = Counter()
        for key in range(200):
            view = holdings(state.view(seat, key))
            assert view["hands"][seat] == true["hands"][seat]
            assert [len(hand) for hand in view["hands"]] == [len(hand) for hand in true["hands"]]
            for public in ("columns", "gone", "river"):
                assert view[public] == true[public]
            assert len(view["deck"]) == len(true["deck"])
            other = (seat + 1) % players
            assert view["hands"][other] != true["hands"][other]
            found.update(view["hands"][other])
        hidden = {c for s, hand in enumerate(true["hands"]) if s != seat for c in hand} | set(true["deck"])
        assert set(found) == hidden


@every_count
def test_f17_tabletop_forgets_the_cards_that_left_the_round(players):
    """The same table but for which cards are gone: told apart from memory, not from the table."""
    names, others = ["S9", "A9", "F9", "S11", "A11", "F11"], ["S8", "A8", "F8", "S12", "A12", "F12"]
    for memory in ("perfect", "tabletop"):
        game = load(num_players=players, memory=memory)
        seen = []
        for played, kept in ((names, others), (others, names)):
            # Seat 1's own hand must be the same after the trick: only what the others have played differs.
            hands = [f"{played[s]} {kept[s]}" if s != 1 else f"{names[1]} {others[1]}" for s in range(players)]
            both = Both(game, deal(players, hands, river="B10", deck=" ".join(f"B{k}" for k in range(1, 7))))
            both.turn(*(played[s] for s in range(players)))
            both.compare()
            seen.append({seat: both.state.to_json(seat) for seat in range(players)})
        for seat in range(players):
            same = {k: v for k, v in seen[0][seat].items() if k not in ("hand", "gone")}
            assert same == {k: v for k, v in seen[1][seat].items() if k not in ("hand", "gone")}
            assert ("gone" in seen[0][seat]) == (memory == "perfect")
    with pytest.raises(NoView):
        load(num_players=players, memory="tabletop").deal(1).view(0, 0)

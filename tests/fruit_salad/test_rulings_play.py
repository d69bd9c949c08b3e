"""Fruit Salad's rulings on windows, slaps, dice and cards, each on a deal made for it."""

from __future__ import annotations

import pytest

from fruit_envs import IllegalAction
from fruit_envs.games.fruit_salad.deck import default_deck

from .helpers import (
    FRUIT_CARD,
    NUMBER_CARD,
    O3_,
    P1_,
    P2_,
    P3_,
    S1_,
    W1_,
    W2_,
    W3_,
    Table,
    every_count,
    every_window,
    load,
    piles,
)


def table(*tops, players=2, dice=(), firsts=(), starter=0, **options):
    """A deal with these cards on top of the piles."""
    return Table(load(num_players=players, **options), piles(players, *tops), starter, dice, firsts)


def kinds(events):
    return [event["event"] for event in events]


def slap_of(events):
    return next(event for event in events if event["event"] == "slap")


# ---- windows -------------------------------------------------------------------------------------------------------


def test_s4_w0_is_closed_while_the_bowl_is_empty():
    t = table([W1_, W3_], [S1_], dice=[("pear", 4)])
    assert t.phase == "reaction", "the first card has landed without a window before it"
    t.window()
    assert t.phase == "anticipation"
    t.window()
    assert t.phase == "reaction"


@every_count
def test_s5_false_slaps_are_always_legal_and_masks_tell_nothing(players):
    """Too few, enough, or hopeless: the mask follows from the die alone."""
    for fruit, legal in (("pear", [0, 4]), ("any", [0, 1, 2, 3, 4])):
        for tops in ([[W1_], [P3_], [P2_]], [[P3_], [W1_], [P2_]]):
            t = table(*tops[:players], players=players, dice=[(fruit, 4)])
            for _ in range(3):
                for seat in range(players):
                    assert t.state.legal_actions(seat) == legal
                t.window()
                t.window()


def test_s6_the_active_player_may_slap():
    t = table([P3_], [P2_], dice=[("pear", 5)])
    t.window()
    t.window("wait", "wait", name="W0")
    events = t.window("wait", "pear", name="W2")
    assert slap_of(events) == {"event": "slap", "seat": 1, "fruit": "pear", "count": 5, "needed": 5, "result": "win"}


def test_s7_only_the_named_fruit_counts():
    """3 pears and 5 watermelons against an any-fruit 4 or 5: pear loses, watermelon wins."""
    for number in (4, 5):
        for fruit, result, count in (("pear", "loss", 3), ("watermelon", "win", 5)):
            t = table([P3_, W2_], [W3_], dice=[("any", number)])
            for _ in range(4):
                t.window()
            assert t.phase == "reaction"
            slap = slap_of(t.window(fruit))
            assert (slap["result"], slap["count"]) == (result, count)


def test_s8_a_specific_face_leaves_one_slap():
    t = table([P3_], [P2_], dice=[("orange", 4)])
    assert t.state.legal_actions(0) == [0, 3]
    with pytest.raises(IllegalAction):
        t.state.apply(0, 4)


def test_s9_the_whole_bowl_counts_point_cards_never_do():
    t = table([P3_, 11 + 4, P1_], [P2_, W1_], dice=[("pear", 5), ("pear", 4)])  # 15 is strawberry + orange
    t.window()
    t.window()
    assert slap_of(t.window("pear"))["count"] == 5
    t.keep(P3_)
    assert t.s["scores"].tolist()[:2] == [1, 0]
    assert t.state.to_json(0)["totals"] == [0, 1, 1, 0], "the bowl holds the next card alone"


def test_s9_minion_cards_count_too():
    t = table([35, P3_], [W1_], dice=[("pear", 5), ("pear", 5)])  # 35: two oranges, two pears, fruit minion
    t.window(name="W1")
    for _ in range(3):
        t.window()
    assert slap_of(t.window("pear", name="W0"))["count"] == 5


def test_s10_a_minion_on_the_first_card_of_a_round_applies():
    t = table([NUMBER_CARD], [], dice=[("pear", 4), ("pear", 8)])
    assert t.phase == "premature"
    assert t.window(name="W1")[1] == {"event": "reroll", "fruit": None, "number": 8}


def test_s11_the_same_face_again_stands():
    t = table([FRUIT_CARD], [], dice=[("pear", 4), ("pear", 4)])
    events = t.window(name="W1")
    assert events[1] == {"event": "reroll", "fruit": "pear", "number": None}
    assert t.phase == "reaction"


def test_s12_both_minions_roll_both_dice_and_open_one_reaction():
    rows = [tuple(row) for row in default_deck()]
    rows[0] = (1, 0, 0, 0, "both")
    t = Table(load(num_players=2, deck=tuple(rows)), piles(2, [0], [1]), 0, [("pear", 4), ("orange", 7)])
    events = t.window(name="W1")
    assert events[1] == {"event": "reroll", "fruit": "orange", "number": 7}
    t.window(name="W2")
    assert t.phase == "anticipation"


def test_s13_a_minion_card_voids_a_target_that_was_met():
    """The bowl holds 6 watermelons against 5; the card after it has a minion, and the new number is 8."""
    for window in ("W0", "W1", "W2"):
        t = table([W3_, NUMBER_CARD], [36], dice=[("watermelon", 5), ("watermelon", 8)])
        t.window()
        t.window()
        t.window(name="W2")
        if window == "W0":
            events = t.window("wait", "watermelon", name="W0")
            assert slap_of(events)["result"] == "automatic"
            assert slap_of(events)["needed"] == 5
            continue
        t.window(name="W0")
        if window == "W1":
            assert slap_of(t.window("wait", "watermelon", name="W1"))["result"] == "automatic"
            continue
        t.window(name="W1")
        slap = slap_of(t.window("wait", "watermelon", name="W2"))
        assert (slap["result"], slap["count"], slap["needed"]) == ("loss", 7, 8)


@pytest.mark.parametrize("again", [True, False])
def test_s14_an_automatic_loss_drops_the_re_roll(again):
    t = table([NUMBER_CARD, W1_], [S1_], dice=[("pear", 4), ("orange", 7)], reroll_each_round=again)
    events = t.window("wait", "pear", name="W1")
    assert "reroll" not in kinds(events)
    assert slap_of(events)["result"] == "automatic"
    assert ("roll" in kinds(events)) == again
    assert t.oracle.dice == (["orange", 7] if again else ["pear", 4])


def test_s15_a_wrong_slap_costs_no_point():
    t = table([P3_, W1_], [P2_, W2_], dice=[("pear", 5), ("pear", 8)])
    t.window()
    t.window()
    t.window("pear")
    t.keep(P3_)
    t.window("pear")
    assert t.state.scores.tolist() == [1, 0]


def test_an_armed_slap_counts_the_card_that_lands():
    t = table([P3_], [P2_], dice=[("pear", 5)])
    t.window()
    events = t.window("pear", name="W0")
    assert kinds(events) == ["window", "land", "slap"]
    assert slap_of(events)["result"] == "win"
    t = table([P3_], [W2_], dice=[("pear", 5)])
    t.window()
    assert slap_of(t.window("pear", name="W0"))["result"] == "loss"


def test_nobody_else_gets_a_window_on_a_card_that_somebody_armed_for():
    t = table([P3_], [P2_], players=3, dice=[("pear", 4)])
    t.window()
    events = t.window("wait", "wait", "pear", name="W0")
    assert kinds(events) == ["window", "land", "slap"]
    assert t.state.seats == (2,)


@every_window
def test_each_preset_opens_its_windows_and_no_other(windows):
    """A plain card, a minion card, a plain card, with nobody slapping."""
    t = table([W1_, W2_], [NUMBER_CARD, P1_], dice=[("pear", 4), ("pear", 5)], windows=windows)
    seen = [t.phase]
    for _ in range({"full": 6, "reaction": 4, "lite": 3}[windows]):
        t.window()
        seen.append(t.phase)
    anticipation, premature, reaction = "anticipation", "premature", "reaction"
    assert (
        seen
        == {
            "full": [reaction, anticipation, premature, reaction, anticipation, reaction, anticipation],
            "reaction": [reaction, premature, reaction, reaction, reaction],
            "lite": [reaction, reaction, reaction, reaction],
        }[windows]
    )


@every_count
def test_the_first_slapper_is_any_of_those_who_slap(players):
    firsts = set()
    for rank in range(players):
        t = table([P3_], players=players, dice=[("pear", 4)], firsts=[rank])
        slap = slap_of(t.window(*["pear"] * players))
        assert slap["result"] == "loss"
        firsts.add(slap["seat"])
    assert firsts == set(range(players))


# ---- keeping and giving --------------------------------------------------------------------------------------------


def won(players=3, **options):
    """Seat 1 has just won a bowl of P3_, P2_, O3_ (cards 11, 7, 10)."""
    t = table([P3_], [O3_], [P2_], players=players, dice=[("pear", 5)], **options)
    for _ in range(4):
        t.window()
    t.window("wait", "pear", name="W2")
    assert t.phase == "keep"
    return t


def test_s16_any_card_of_the_bowl_may_be_kept_and_leaves_play():
    t = won()
    assert t.state.legal_actions(1) == [5 + P2_, 5 + O3_, 5 + P3_]
    t.keep(O3_)
    assert t.state.to_json(0)["points"][O3_] == 2
    assert O3_ not in t.oracle.bowl + [card for pile in t.oracle.piles for card in pile]


def test_s16_a_minion_card_that_is_kept_leaves_play():
    """Two fruit-minion cards with pears, then enough."""
    t = table([35, W1_], [P3_], dice=[("pear", 5), ("pear", 5)])
    t.window(name="W1")
    t.window(name="W2")
    t.window("pear", name="W0")
    t.keep(35)
    assert t.state.to_json(0)["points"][35] == 1
    assert all(35 not in pile for pile in t.oracle.piles)


def test_s17_each_card_in_ascending_order_to_any_other_seat():
    t = won()
    t.keep(O3_)
    assert t.phase == "give"
    assert t.state.to_json(0)["open"] == [P2_, P3_]
    assert t.state.legal_actions(1) == [65, 66]
    assert t.give(0) == [{"event": "give", "seat": 1, "action": 66, "card": P2_, "to": 0}]
    events = t.give(2)
    assert events[0] == {"event": "give", "seat": 1, "action": 65, "card": P3_, "to": 2}
    assert kinds(events) == ["give", "roll", "land"]


def test_s17_bulk_asks_once():
    t = won(distribution="bulk")
    t.keep(O3_)
    events = t.give(2)
    assert [(event["action"], event["card"], event["to"]) for event in events[:2]] == [(65, P2_, 2), (None, P3_, 2)]
    assert kinds(events) == ["give", "give", "roll", "land"]


def test_s17_two_players_are_not_asked():
    t = table([P3_], [P2_], dice=[("pear", 5)])
    t.window()
    t.window("pear", name="W0")
    events = t.keep(P3_)
    assert events[1] == {"event": "give", "seat": 0, "action": None, "card": P2_, "to": 1}
    assert kinds(events) == ["keep", "give", "roll", "land"]


def test_a_single_card_is_kept_and_nothing_is_given():
    rows = [tuple(row) for row in default_deck()]
    rows[0] = (9, 0, 0, 0, "none")
    t = Table(load(num_players=3, deck=tuple(rows)), piles(3, [0]), 0, [("watermelon", 8)])
    t.window("watermelon")
    assert t.phase == "keep"
    assert kinds(t.keep(0)) == ["keep", "roll", "land"]


def test_s25_the_slapper_starts_the_next_round():
    t = won()
    t.keep(O3_)
    t.give(0)
    t.give(0)
    assert t.oracle.turn == 1
    t = table([P1_], players=4, dice=[("pear", 8)])
    t.window("wait", "wait", "pear")
    assert t.oracle.turn == 2


def test_s29_without_re_rolls_the_dice_keep_their_faces():
    t = table([W1_, W2_], [W3_], dice=[("pear", 8), ("orange", 4)], reroll_each_round=False)
    for _ in range(3):
        events = t.window("pear", name="W2")
        assert "roll" not in kinds(events)
        assert t.oracle.dice == ["pear", 8]
        if t.phase != "reaction":
            break


def test_s32_only_piles_that_receive_cards_are_shuffled():
    t = won()
    before = [t.pile(seat) for seat in range(3)]
    t.keep(O3_)
    t.give(0)
    t.give(0)
    assert [int(k) for k in t.s["shuffles"][:3]] == [1, 0, 0]
    assert t.pile(1) == before[1][1:], "the winner's pile lies as it lay, without the card that landed"
    assert t.pile(2) == before[2]
    assert sorted(t.pile(0)) == sorted([*before[0], P2_, P3_])


def test_s32_a_wrong_slap_shuffles_the_slapper_s_pile_only():
    t = table([P3_], players=3, dice=[("pear", 8)])
    t.window("wait", "wait", "pear")
    assert t.s["shuffles"][:3].tolist() == [0, 0, 1]


def test_s18_everybody_sees_who_is_given_what():
    t = won()
    t.keep(O3_)
    t.give(0)
    t.give(2)
    for seat in range(3):
        facts = t.state.to_json(seat)
        assert facts["given"][P2_] == 1 + (0 - seat) % 3
        assert facts["given"][P3_] == 1 + (2 - seat) % 3
        assert facts["known"][(2 - seat) % 3] == [P3_]

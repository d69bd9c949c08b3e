"""What holds after every decision of every game, whatever is played (S5, S7, S8, S16, S17, S22, S28)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import fruit_envs
from fruit_envs.declare.header import TRUNCATED
from fruit_envs.games.fruit_salad.components import ANY, GIVE, KEEP
from fruit_envs.games.fruit_salad.deck import CARDS
from fruit_envs.games.fruit_salad.state import GIVING, KEEPING, W0, W1

OPTIONS = st.fixed_dictionaries(
    {
        "num_players": st.integers(2, 6),
        "windows": st.sampled_from(["full", "reaction", "lite"]),
        "distribution": st.sampled_from(["each", "bulk"]),
        "last_card_window": st.booleans(),
        "reroll_each_round": st.booleans(),
        "points_to_win": st.integers(1, 5),
        "max_reveals": st.integers(1, 60),
    }
)


def bits(word):
    return {card for card in range(CARDS) if int(word) >> card & 1}


def check(state, n, options):
    s = state.records[0]
    piles = [s["piles"][64 * seat :][: int(s["sizes"][seat])].tolist() for seat in range(n)]
    bowl, kept = bits(s["bowl"]), [bits(s["points"][seat]) for seat in range(n)]
    everywhere = [card for pile in piles for card in pile] + [*bowl] + [card for cards in kept for card in cards]
    assert sorted(everywhere) == list(range(CARDS)), "every card is in one place"
    assert [len(cards) for cards in kept] == s["scores"][:n].tolist()
    assert max(s["scores"]) <= options["points_to_win"]
    assert s["reveals"] <= options["max_reveals"]
    for seat in range(n):
        assert bits(s["known"][seat]) <= set(piles[seat]), "what is known of a pile lies in it"
    if state.over:
        assert not state.seats
        assert (state.shares == 1 / n).all() if s["over"] == TRUNCATED else sorted(state.shares)[-1] == 1
        return
    slaps = range(1, 5) if s["fruit"] == ANY else [1 + int(s["fruit"])]
    for seat in state.seats:
        legal = state.legal_actions(seat)
        if s["phase"] == KEEPING:
            assert legal == [KEEP + card for card in sorted(bowl)]
        elif s["phase"] == GIVING:
            assert legal == [GIVE + place for place in range(1, n)]
        else:
            assert legal == [0, *slaps], "the die alone says what may be slapped, whatever the bowl holds"
            assert bowl, "an empty bowl is not slapped"
    if s["phase"] == W0:
        assert options["windows"] == "full"
    if s["phase"] == W1:
        assert options["windows"] != "lite"
        assert state.game.rules[0]["minion"][int(s["top"])]


@settings(deadline=None, max_examples=60)
@given(options=OPTIONS, seed=st.integers(0, 2**53 - 1), choices=st.lists(st.integers(0, 999), min_size=1, max_size=40))
def test_invariants(options, seed, choices):
    state = fruit_envs.load("fruit_salad", **options).deal(seed)
    n, step = options["num_players"], 0
    while not state.over and step < 400:
        check(state, n, options)
        for seat in state.seats:
            legal = state.legal_actions(seat)
            choice = choices[step % len(choices)]
            # Mostly waiting, so that bowls grow; sometimes whatever is legal.
            state.apply(seat, legal[choice % len(legal)] if choice >= 500 or legal[0] else 0)
            step += 1
    check(state, n, options)

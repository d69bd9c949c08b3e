"""Fruit Cocktail's observation says all that can still matter, and the same only where the same is known."""

from __future__ import annotations

import pytest

from fruit_envs import load
from fruit_envs.games.fruit_cocktail.components import FRUITS
from support import random_states


def known_facts(state, seat):
    """What the seat knows, from the record and the rules alone (C4, C8, C9, C11, C12), not from the encoding."""
    n, r = state.game.num_players, state.records[0]
    hidden = r["hidden_at"][: int(state.game.rules["hidden"][0])].tolist()
    seen = int(r["peek"][seat])
    doubtful = [p for h, p in enumerate(hidden) if h != seen and not state.over]
    unknown = frozenset(int(r["tiles"][p]) for p in doubtful)
    tiles = tuple(unknown if p in doubtful else frozenset([int(r["tiles"][p])]) for p in range(8))
    columns = tuple(frozenset(c for c in range(24) if r["at"][c] == p and r["holder"][c] < 0) for p in range(8))
    hands = tuple(frozenset(c for c in range(24) if r["holder"][c] == (seat + k) % n) for k in range(n))
    locked = tuple(int(r["locked"][p]) for p in range(8))
    peeks = tuple(int(r["peek"][(seat + k) % n]) for k in range(n))
    mover = (state.seat - seat) % n if not state.over else None
    return tiles, columns, hands, locked, peeks, mover, int(r["picks"]), int(r["game"]), tuple(hidden)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("mode", ["base", "easy", "total_control"])
@pytest.mark.parametrize("tie", ["share", "replay"])
def test_two_views_share_an_encoding_only_if_they_know_the_same(num_players, mode, tie):
    game = load("fruit_cocktail", num_players=num_players, mode=mode, tie=tie)
    by_encoding, by_facts = {}, {}
    for state in random_states(game, 20):
        for seat in range(num_players):
            for world in [state, *(w for _, w in state.worlds(seat))][:4]:
                # Also from the other seats of that world, whose knowledge differs in little.
                for viewer in range(num_players):
                    encoding, facts = world.observation(viewer).tobytes(), known_facts(world, viewer)
                    assert by_encoding.setdefault(encoding, facts) == facts
                    assert by_facts.setdefault(facts, encoding) == encoding
    assert len(by_encoding) > 500


def test_the_json_view_names_everything():
    game = load("fruit_cocktail", num_players=3)
    for state in random_states(game, 5):
        for seat in range(3):
            facts, (tiles, columns, hands, locked, peeks, mover, picks, _, hidden) = (
                state.to_json(seat),
                known_facts(state, seat),
            )
            assert [set(f) for f in facts["tiles"]] == [{FRUITS[i] for i in fruits} for fruits in tiles]
            assert [set(h) for h in facts["held"]] == [set(hand) for hand in hands]
            assert facts["face_down"] == [int(p in hidden and not state.over) for p in range(8)]
            assert facts["locked"] == [int(card >= 0) for card in locked]
            assert facts["value"] == [int(game.rules["value"][0][c]) if c >= 0 else 0 for c in locked]
            assert facts["peeked"] == list(peeks)
            assert facts["mover"] == (None if mover is None else "me" if mover == 0 else f"+{mover}")
            assert facts["picks"] == picks
            for h, position in enumerate(hidden):
                assert set(facts["hidden_columns"][h]) == columns[position]
            in_line = {c for column in columns for c in column}
            assert {c for c, fruits in enumerate(facts["line"]) if fruits} == in_line


def test_the_text_view_shows_what_the_seat_knows_and_hides_the_rest():
    game = load("fruit_cocktail", num_players=2)
    state = game.deal(12)
    text = state.view(0, 3).to_text()
    doubtful = [line for line in text.splitlines() if "? " in line]
    assert len(doubtful) == 2
    assert doubtful[0].split("? ")[1].split()[0] == doubtful[1].split("? ")[1].split()[0]
    assert "your turn" in (text if state.seat == 0 else state.to_text(1))
    assert "0 of 16 cards taken" in text

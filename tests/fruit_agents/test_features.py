"""Derived features: what they say, recomputed in plain Python from decoded observations."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from threading import Thread
from typing import Any

import numpy as np
import pytest

from fruit_agents.features import RAW, Features, default_features, make_features
from fruit_agents.policy import PolicyAgent
from fruit_envs import Game, InvalidOption, make_agent
from fruit_envs.games.fruit_cocktail.components import CARDS, COLUMNS, FRUITS
from support import random_states

VARIANTS = [
    {},
    {"num_players": 3},
    {"num_players": 4},
    {"mode": "easy"},
    {"mode": "total_control", "num_players": 3},
]


def by_hand(game: Game, facts: dict[str, Any]) -> tuple[dict[int, list[Fraction | int]], dict[str, list[Any]]]:
    """For each card [there, may be taken, gain, mine, theirs], for each fruit [worth, known, mine, theirs]."""
    rules, n = game.rules[0], game.num_players
    fruit = {card: FRUITS[int(rules["fruit"][card])] for card in range(CARDS)}
    pieces, value = rules["pieces"].tolist(), rules["value"].tolist()
    columns: dict[Any, list[int]] = defaultdict(list)
    for card, fruits in enumerate(facts["line"]):
        if fruits:
            under = [h for h, cards in enumerate(facts["hidden_columns"]) if card in cards]
            columns[fruits[0] if len(fruits) == 1 else ("hidden", *under)].append(card)
    mean = {place: Fraction(sum(value[c] for c in cards), len(cards)) for place, cards in columns.items()}
    unknown = [place for place in columns if isinstance(place, tuple)]
    doubtful = [f for f in FRUITS if f not in columns]

    def worth(f: str, means: dict[Any, Fraction]) -> Fraction:
        if f in columns:
            return means[f]
        return sum((means[place] for place in unknown), Fraction(0)) / max(len(unknown), 1)

    mine = {f: sum(pieces[c] for c in facts["held"][0] if fruit[c] == f) for f in FRUITS}
    theirs = {
        f: Fraction(sum(pieces[c] for seat in facts["held"][1:] for c in seat if fruit[c] == f), n - 1) for f in FRUITS
    }
    cards: dict[int, list[Fraction | int]] = {}
    for place, members in columns.items():
        for card in members:
            if len(members) < 2:
                cards[card] = [1, 0, 0, 0, 0]
                continue
            rest = [value[c] for c in members if c != card]
            after = {**mean, place: Fraction(sum(rest), len(rest))}
            change = after[place] - mean[place]
            may_be = [place] if place in FRUITS else doubtful
            cards[card] = [
                1,
                Fraction(1, len(rest)),
                pieces[card] * worth(fruit[card], after),
                change * sum(mine[f] for f in may_be) / len(may_be),
                change * sum(theirs[f] for f in may_be) / len(may_be),
            ]
    known = {f: [worth(f, mean), f in columns, mine[f], theirs[f]] for f in FRUITS}
    return cards, known


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_they_are_what_plain_python_makes_of_the_observation(options: dict[str, Any]) -> None:
    game = Game("fruit_cocktail", **options)
    features = make_features("one_ply_v1", game)
    for state in random_states(game, 4):
        for seat in range(game.num_players):
            observation = state.observation(seat)
            row = features(observation[None])[0]
            assert row.dtype == np.float32
            assert row.shape == (features.size,)
            cards, fruits = by_hand(game, game.layout.decode(observation))
            for card, numbers in enumerate(row[: CARDS * 5].reshape(CARDS, 5)):
                expected = cards.get(card, [0, 0, 0, 0, 0])
                np.testing.assert_allclose(numbers[:2], [float(x) for x in expected[:2]], atol=1e-6)
                np.testing.assert_allclose(5 * numbers[2:], [float(x) for x in expected[2:]], atol=1e-5)
            table = row[CARDS * 5 : CARDS * 5 + COLUMNS * 4].reshape(COLUMNS, 4)
            for numbers, (worth, known, mine, theirs) in zip(table, fruits.values(), strict=True):
                if worth or known:
                    assert 5 * numbers[0] == pytest.approx(float(worth), abs=1e-5)
                assert (numbers[1] == 1) == (not known)
                assert 6 * numbers[2] == pytest.approx(mine, abs=1e-5)
                assert 6 * numbers[3] == pytest.approx(float(theirs), abs=1e-5)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_their_sum_is_what_the_greedy_agent_maximises(options: dict[str, Any]) -> None:
    game = Game("fruit_cocktail", **options)
    features, greedy = make_features("one_ply_v1", game), make_agent("greedy", game)
    for state in random_states(game, 8):
        if state.over:
            continue
        values = greedy.values(state.view(state.seat, 1))
        cards = features(state.observation(state.seat)[None])[0][: CARDS * 5].reshape(CARDS, 5)
        legal = np.isfinite(values)
        assert ((cards[:, 1] > 0) == legal).all()
        changes = 5 * (cards[:, 2] + cards[:, 3] - cards[:, 4])
        shifts = values[legal] - changes[legal]
        np.testing.assert_allclose(shifts, shifts[0], atol=1e-4)


def test_raw_features_are_the_observation() -> None:
    game = Game("fruit_cocktail", memory="tabletop")
    features = make_features(RAW, game)
    observations = np.stack([game.deal(seed).observation(0) for seed in range(3)])
    assert features(observations) is observations
    assert features.size == game.layout.size
    assert default_features(game) == RAW
    assert default_features(Game("fruit_cocktail")) == "one_ply_v1"
    assert type(features) is Features


def test_the_table_of_fruit_salad_without_which_card_is_which() -> None:
    game = Game("fruit_salad", num_players=3, memory="tabletop")
    features = make_features(default_features(game), game)
    assert features.name == "table_v1"
    assert features.scale.shape == (features.size,)
    state, compared = game.deal(4), 0
    while not state.over and compared < 300:
        seat = state.seat
        observation = state.observation(seat)
        seen = {b.name: game.layout.block(observation, b.name).ravel().tolist() for b in game.layout.blocks}
        shown = [seen[name] for name in ("phase", "top_pieces", "top_minion", "first", "turn", "die_fruit")]
        shown += [seen[name] for name in ("die_number", "scores", "pile", "slapper", "slap_result")]
        assert features(observation[None])[0].tolist() == [number for block in shown for number in block]
        state.apply(seat, state.legal_actions(seat)[compared % 7 == 0])
        compared += 1
    with pytest.raises(InvalidOption, match="memory"):
        make_features("table_v1", Game("fruit_salad"))
    assert default_features(Game("fruit_salad")) == RAW


def test_features_that_do_not_fit() -> None:
    with pytest.raises(InvalidOption, match="one of"):
        make_features("two_ply", Game("fruit_cocktail"))
    with pytest.raises(InvalidOption, match="memory"):
        make_features("one_ply_v1", Game("fruit_cocktail", memory="tabletop"))
    with pytest.raises(InvalidOption, match="one of"):
        make_features("one_ply_v1", Game("toy_windows"))
    with pytest.raises(InvalidOption, match="one of"):
        PolicyAgent(Game("fruit_cocktail"), [], features="two_ply")


def test_threads_do_not_meet() -> None:
    game = Game("fruit_cocktail")
    features = make_features("one_ply_v1", game)
    batches = [np.stack([game.deal(seed + start).observation(0) for seed in range(200)]) for start in (0, 1000)]
    expected = [features(batch) for batch in batches]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(50):
            if not np.array_equal(features(batches[k]), expected[k]):
                wrong.append(k)

    threads = [Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

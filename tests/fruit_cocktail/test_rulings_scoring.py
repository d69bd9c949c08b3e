"""The rulings on what a game is worth (C13, C19): ties and rewards."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fruit_envs
from fruit_envs import InvalidOption
from fruit_envs.games.fruit_cocktail import raw_env

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
    forced,
    load,
    play_out,
    stage,
    staged,
)
from .oracle import HIDDEN, Deal, Table, choosers
from .rulings import every_count, every_mode

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

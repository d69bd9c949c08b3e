"""Hidden information: nothing a seat is shown depends on what it cannot know, and views are fair redeals of that."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from fruit_envs import load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.engine.memory import copy_records
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from support import cases, every_count, is_default, random_states, small, some_states

#: A chi-square test fails below this; with some hundred tests a run, by chance about once in ten thousand runs.
ALPHA = 1e-6

perfect_cases = pytest.mark.parametrize(
    ("name", "options"), [case for case in cases() if case.values[1].get("memory") != "tabletop"]
)


def shown(state, seat, drawn=True):
    """Everything a seat is shown by the faces that make no views."""
    words = (state.to_text(seat), state.to_json(seat)) if drawn else ()
    return state.observation(seat).tobytes(), state.legal(seat).tobytes(), *words


@perfect_cases
def test_what_a_seat_is_shown_stays_when_all_it_cannot_know_is_permuted(name, options):
    game = load(name, **options)
    tabletop = load(name, **{**options, "memory": "tabletop"})
    many = 8500 if is_default(name, options) else 680
    for number, state in enumerate(some_states(game, many)):
        for seat in range(game.num_players):
            view = state.view(seat, number)
            drawn = number % 10 == seat  # drawings are made from observations, so some of them will do
            assert shown(state, seat, drawn) == shown(view, seat, drawn)
            assert not drawn or view.key(seat) == state.key(seat)
            if number % 7 == 0:  # the same for the memory variant, whose views nobody is given
                hidden = type(state)(tabletop, view.records), type(state)(tabletop, state.records)
                assert shown(hidden[0], seat) == shown(hidden[1], seat)


@perfect_cases
def test_faces_show_the_same_in_every_world(name, options):
    game = load(name, **options)
    aec, parallel = AEC(game, "ansi"), Parallel(game, "ansi")
    aec.reset(seed=0)
    parallel.reset(seed=0)
    compared = 0
    for number, state in enumerate(random_states(game, 6)):
        if state.over:
            continue
        seat = state.seat
        if state.view(seat, number).seat != seat:
            continue  # a view withdraws what others have committed in a window, so the faces ask another seat
        seen = []
        for world in (state, state.view(seat, number)):
            aec.set_state(aec.get_state() | {"game": world.tobytes()})
            aec.agent_selection = aec.agents[seat]
            aec._show(world)
            parallel.set_state(parallel.get_state() | {"game": world.tobytes()})
            observations, infos = parallel._show(world)
            mine = aec.agents[seat]
            masks = (aec.infos[mine]["action_mask"].tobytes(), infos[mine]["action_mask"].tobytes())
            blocks = [o["observation"].tobytes() for o in (aec.observe(mine), observations[mine])]
            seen.append((masks, blocks, aec.render(), parallel.render()))
        assert seen[0] == seen[1]
        compared += 1
    assert compared > 20


def hidden_facts(state):
    """The game's record without its chance: which world it is."""
    records = copy_records(state.records)
    for field in ("seed", "stream", "tape"):
        records[field] = 0
    return records.tobytes()


@perfect_cases
def test_views_are_uniform_over_the_worlds_and_independent_of_the_true_one(name, options):
    game = small(name, options)
    states = [state.copy() for state in random_states(game, 2, seed=5)]
    assert not all(state.over for state in states)
    n, every = game.num_players, is_default(name, options) and game.num_players < 4
    few = 5 if is_default(name, options) else 2  # other variants share what is hidden
    for number, state in enumerate(states[:: max(1, len(states) // few)]):
        for seat in range(n) if every else (number % n,):
            worlds = [(p, hidden_facts(w)) for p, w in state.worlds(seat)]
            assert sum(p for p, _ in worlds) == pytest.approx(1)
            places = {facts: i for i, (_, facts) in enumerate(worlds)}
            assert len(places) == len(worlds), "worlds are listed once"
            draws = max(400, 20 * len(worlds))
            counts = Counter(places[hidden_facts(state.view(seat, k))] for k in range(draws))  # KeyError: impossible
            if len(worlds) > 1:
                expected = np.array([p * draws for p, _ in worlds])
                observed = np.array([counts[i] for i in range(len(worlds))])
                assert stats.chisquare(observed, expected).pvalue > ALPHA
            # From another true world the same keys give the same distribution.
            other = state.worlds(seat)[-1][1]
            moved = Counter(places[hidden_facts(other.view(seat, k))] for k in range(draws, 2 * draws))
            if len(worlds) > 1:
                table = np.array([[c[i] for i in range(len(worlds))] for c in (counts, moved)])
                table = table[:, table.sum(0) > 0]
                assert stats.chi2_contingency(table).pvalue > ALPHA


@every_count
def test_true_worlds_rank_uniformly_among_views(name, options):
    """Simulation-based calibration (Talts et al. 2018) with a random statistic of the hidden facts."""
    game = load(name, **options)
    rng = np.random.default_rng(7)
    weights = rng.standard_normal(game.reveal_layout.size)
    size, ranks = 19, []
    length = max(state.decisions for state in random_states(game, 1))
    for g in range(600):
        state, stop = game.deal(10_000 + g), int(rng.integers(0, length))
        # Views withdraw commitments, so only states without any compare.
        while not state.over and (state.decisions < stop or state.view(state.seat, 0).seats != state.seats):
            seat = int(rng.choice(state.seats))
            state.apply(seat, int(rng.choice(state.legal_actions(seat))))
        if state.over:
            continue
        seat = state.seat
        true = float(state.reveal() @ weights)
        drawn = [float(state.view(seat, int(k)).reveal() @ weights) for k in rng.integers(0, 2**62, size)]
        ties = sum(abs(d - true) < 1e-9 for d in drawn)
        ranks.append(sum(d < true - 1e-9 for d in drawn) + int(rng.integers(0, ties + 1)))
    counts = np.bincount(ranks, minlength=size + 1)
    assert len(ranks) > 250
    assert stats.chisquare(counts).pvalue > ALPHA


@perfect_cases
def test_a_view_tells_nothing_of_the_true_future(name, options):
    """Seeds and streams of views come from the key alone; worlds carry no true stream either."""
    game = load(name, **options)
    state, other = game.deal(1), game.deal(2)
    for seat in range(game.num_players):
        a, b = state.view(seat, 5), other.view(seat, 5)
        assert a.seed == b.seed
        assert a.records["stream"][0] == b.records["stream"][0]
        assert a.seed != state.seed
        assert a.seed < 2**53
        assert state.view(seat, 6).seed != a.seed
        for key in (2**63 - 1, 2**63, 2**64 - 1):  # keys are 64 bits wide
            assert state.view(seat, key).seed == other.view(seat, key).seed
    listed = small(name, options).deal(1)
    for seat in range(game.num_players):
        for _, world in listed.worlds(seat)[:50]:
            assert world.seed != listed.seed
            assert world.records["stream"][0] != listed.records["stream"][0]


@perfect_cases
def test_views_can_be_played_to_the_end_and_leave_the_game_alone(name, options):
    game = load(name, **options)
    for number, state in enumerate(random_states(game, 5)):
        if state.over:
            continue
        before = state.tobytes()
        view = state.view(state.seat, number)
        assert state.seat in view.seats, "the seat that decides can decide in its view"
        while not view.over:
            view.apply(view.seat, view.legal_actions(view.seat)[-1])
        assert state.tobytes() == before


def test_there_is_no_view_under_tabletop_memory():
    for name in GAMES:
        with pytest.raises(RuntimeError, match=r'expected memory="perfect"'):
            load(name, memory="tabletop").deal(1).view(0, 0)

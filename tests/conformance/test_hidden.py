"""Hidden information: nothing a seat is shown depends on what it cannot know, and views are fair redeals of that."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from fruit_envs import Game, load
from fruit_envs.declare.catalog import GAMES
from fruit_envs.engine import chance, loops
from fruit_envs.engine.memory import copy_records, memory_of
from fruit_envs.faces.aec import AEC
from fruit_envs.faces.parallel import Parallel
from fruit_envs.games.fruit_cocktail.components import mini_rules
from support import cases, every_case, every_count, is_default, random_states, small, some_states

#: A chi-square test fails below this; with some hundred tests a run, by chance about once in ten thousand runs.
ALPHA = 1e-6

GAMMA = 0x9E3779B97F4A7C15  # of splitmix64

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
            assert not drawn or view.information_state(seat) == state.information_state(seat)
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
        seen, mine = [], aec.possible_agents[seat]
        for world in (state, state.view(seat, number)):
            kept = aec.get_state()
            bookkeeping = kept["bookkeeping"] | {"agent_selection": mine}
            aec.set_state(kept | {"game": world.tobytes(), "bookkeeping": bookkeeping})
            parallel.set_state(parallel.get_state() | {"game": world.tobytes()})
            observations, infos = parallel._show(world)
            masks = (aec.infos[mine]["action_mask"].tobytes(), infos[mine]["action_mask"].tobytes())
            blocks = [o["observation"].tobytes() for o in (aec.observe(mine), observations[mine])]
            seen.append((masks, blocks, aec.render(), parallel.render()))
        assert seen[0] == seen[1]
        compared += 1
    assert compared > 20


@perfect_cases
def test_a_view_is_a_function_of_information_state_and_key(name, options):
    """Whatever is true: the view of a view, which may be of any consistent world, is that of the game itself."""
    game = load(name, **options)
    for number, state in enumerate(some_states(game, 200 if is_default(name, options) else 60)):
        for seat in range(game.num_players):
            view = state.view(seat, number)
            assert view.tobytes() == state.view(seat, number + 1).view(seat, number).tobytes()
            assert view.tobytes() == state.view(seat, number).tobytes(), "views are the same again"


def twins(game, count):
    """States of random play, each with others that somebody cannot tell from it, or from each other.

    After two choices of the same seat; after two decisions, of one seat or of two, in either order; after the same
    decisions from states that one seat cannot tell apart.
    """
    rng = random.Random(1)
    for number, state in enumerate(some_states(game, count)):
        yield state
        if state.over:
            continue
        first, second = ((seat, rng.choice(state.legal_actions(seat))) for seat in rng.choices(state.seats, k=2))
        for decisions in ([first], [second], [first, second], [second, first]):
            twin = state.copy()
            for seat, action in decisions:
                if seat in twin.seats and twin.legal(seat)[action]:
                    twin.apply(seat, action)
            yield twin
        if number % 4 == 0 and game.options["memory"] == "perfect":
            twin, other = state.copy(), state.view(rng.randrange(game.num_players), number)
            other.records["stream"] = twin.records["stream"]  # the same dice fall
            while not twin.over and twin.seats == other.seats:
                seat = rng.choice(twin.seats)
                both = np.flatnonzero(twin.legal(seat) & other.legal(seat)).tolist()
                if not both:
                    break
                for world in (twin, other):
                    world.apply(seat, both[number % len(both)])
                    yield world


def tiny(name, options):
    """A game so small that two deals often look alike to a seat."""
    if name != "fruit_cocktail":
        return small(name, options)
    game = load(name, **options)
    hidden = min(2, int(game.rules[0]["hidden"]))
    rules = mini_rules(2, 2, hidden=hidden, num_players=game.num_players).copy()
    for field in ("replay", "margin", "margin_scale", "as_scored", "tabletop"):
        rules[field] = game.rules[field]
    return Game(name, rules=rules)


@every_case
def test_equal_information_states_look_alike(name, options):
    """Observation, mask, text, JSON and view follow from the information state, down to the last byte."""
    pairs = 0
    for game, count in ((load(name, **options), 60), (tiny(name, options), 200)):
        views, known = game.options["memory"] == "perfect", {}
        for state in twins(game, count):
            for seat in range(game.num_players):
                view = state.view(seat, 7).records.tobytes() if views else b""
                seen = (*shown(state, seat, drawn=False), view)
                key = state.information_state(seat)
                if key in known:
                    assert seen == known[key][0]
                    pairs += 1
                    if pairs % 40 == 0:
                        assert shown(state, seat) == shown(known[key][1], seat)
                else:
                    known[key] = seen, state.copy()
    assert pairs > 200


@every_case
def test_a_game_dealt_over_another_keeps_nothing_of_it(name, options):
    """Batches deal new games where old ones lie: what was left there would be in views."""
    game = load(name, **options)
    fresh = game.deal(3).tobytes()
    for state in random_states(game, 2):
        if state.over:
            out = np.empty(game.num_actions, np.int8), np.empty(game.layout.size, game.layout.dtype)
            loops.deal_one(game.playing, memory_of(state.records)[0], *out, 3)
            assert state.tobytes() == fresh


def late_states(game, games):
    """States of the later half of random games, which have fewer worlds."""
    for g in range(games):
        states = [state.copy() for state in random_states(game, 1, seed=g)]
        yield from states[len(states) // 2 :: max(1, len(states) // 10)]


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
    n, every, few = game.num_players, is_default(name, options) and game.num_players < 4, 5
    if not is_default(name, options):  # other variants share what is hidden: a few states that have few worlds
        states, few = list(late_states(game, 2)), 2
    assert not all(state.over for state in states)
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


@perfect_cases
def test_worlds_are_the_same_list_in_each_of_its_worlds(name, options):
    game = small(name, options)
    for number, state in enumerate(late_states(game, 2)):
        seat = number % game.num_players
        worlds = [world for _, world in state.worlds(seat, number)]
        listed = [world.tobytes() for world in worlds]
        assert len(set(listed)) == len(listed)
        for world in (worlds[0], worlds[-1], state.view(seat, number)):
            assert [twin.tobytes() for _, twin in world.worlds(seat, number)] == listed
        facts = [hidden_facts(world) for world in worlds]
        assert facts == [hidden_facts(world) for _, world in state.worlds(seat, number + 1)]


@perfect_cases
def test_an_agent_does_not_find_the_true_world_among_those_it_lists(name, options):
    """It is handed view and key: every world that it lists would have given it this view."""
    game = small(name, options)
    hits, chances = 0, []
    for key, state in enumerate(late_states(game, 12 if is_default(name, options) else 6)):
        view = state.view(state.seat, key) if not state.over else state.view(0, key)
        worlds = [world for _, world in view.worlds(view.viewer, key)]
        found = [world for world in worlds if world.view(view.viewer, key).tobytes() == view.tobytes()]
        assert len(found) == len(worlds)
        if view.decisions == state.decisions and len(worlds) > 1:  # else it withdraws commitments
            hits += found[0].reveal().tobytes() == state.reveal().tobytes()
            chances.append(1 / len(worlds))
    assert hits <= sum(chances) + 5 * max(1, sum(p - p * p for p in chances)) ** 0.5


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


def unmixed(number):
    """What the finaliser of splitmix64, which anybody can turn back, makes this number of."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        number ^= number >> shift ^ number >> 2 * shift
        number = number * pow(factor, -1, 2**64) % 2**64
    return number


def test_a_key_does_not_follow_from_its_view():
    """Neither from the stream nor from the seed that are stored in it, by undoing what may be undone."""
    key = 0x0123456789ABCDEF
    view = load("fruit_cocktail").deal(1).view(0, key)
    assert chance.mix(np.uint64(unmixed(key))) == key
    for stored in (int(view.records["stream"][0]), view.seed):
        once = unmixed(stored)
        numbers = {stored, once, once - GAMMA, unmixed(once), unmixed((once - GAMMA) % 2**64)}
        uses = (use * factor for use in range(-9, 10) for factor in (0, 1, GAMMA, 0xBF58476D1CE4E5B9))
        assert not {(number + use) % 2**64 for use in uses for number in numbers} & {key}


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

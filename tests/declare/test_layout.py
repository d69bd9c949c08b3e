"""Layouts: one declaration, and space, scale, decoding and digest agree with what is written."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from fruit_envs import InvalidBuffer, load
from fruit_envs.declare.catalog import presets
from fruit_envs.declare.layout import Block, Layout
from fruit_envs.games.fruity_fruit.table import default_table as fruity_fruit_table
from support import every_case, random_states


@every_case
def test_blocks_cover_the_vector_and_their_bounds_hold_and_are_reached(name, options):
    game = load(name, **options)
    layout = game.layout
    assert sum(block.size for block in layout.blocks) == layout.size
    assert len({block.name for block in layout.blocks}) == len(layout.blocks)
    low, high = layout.high.copy(), layout.low.copy()
    for state in random_states(game, 60, shuffle_seats=False):
        for seat in range(game.num_players):
            observation = state.observation(seat)
            assert observation.dtype == layout.dtype
            assert (observation >= layout.low).all()
            assert (observation <= layout.high).all()
            np.minimum(low, observation, out=low)
            np.maximum(high, observation, out=high)
        reveal = state.reveal()
        assert (reveal >= game.reveal_layout.low).all()
        assert (reveal <= game.reveal_layout.high).all()
        np.testing.assert_array_equal(reveal[: layout.size], state.observation(0))
    # A tied game is rare, and in total control nothing is hidden: the sizes stay.
    still = {"game"} | ({"hidden_columns", "face_down"} if options.get("mode") == "total_control" else set())
    for block in layout.blocks:
        place = layout[block.name]
        assert block.doc
        assert high[place].max() > low[place].min() or block.name in still, f"{block.name} never changes"
    scaled = np.abs(layout.scale * np.maximum(np.abs(layout.low), np.abs(layout.high).astype(np.int64)))
    seen = np.abs(layout.scale * np.maximum(np.abs(low), np.abs(high)))
    for block in layout.blocks:
        assert (scaled if block.unit is None else seen / 4)[layout[block.name]].max() <= 1 + 1e-6


@every_case
def test_decoded_facts_are_json_and_tell_the_vector(name, options):
    game = load(name, **options)
    for state in random_states(game, 3):
        for seat in range(game.num_players):
            facts = state.to_json(seat)
            assert json.loads(json.dumps(facts)) == facts
            assert list(facts) == [block.name for block in game.layout.blocks]
            for block in game.layout.blocks:
                part = game.layout.block(state.observation(seat), block.name)
                assert part.shape == block.shape
                if block.kind == "numbers" and block.size > 1:
                    assert facts[block.name] == part.tolist()
                if block.kind == "choice":
                    assert (part.sum(-1) <= 1).all(), "at most one choice"


def test_decoding_by_kind():
    layout = Layout(
        [
            Block("grid", "numbers", (2, 2), ("row", "column"), low=-3, high=4),
            Block("one", "a number", (1,), ("",), high=9),
            Block("sets", "sets", (2, 3), ("seat", "fruit"), kind="set", labels=("a", "b", "c")),
            Block("who", "a choice", (3,), ("seat",), kind="choice"),
            Block("nested", "sets of sets", (2, 1, 2), ("x", "y", "z"), kind="set"),
            Block("nothing", "left out", (0, 5), ("x", "y")),
        ],
        np.int8,
    )
    assert layout.size == 4 + 1 + 6 + 3 + 4
    vector = np.array([1, -3, 4, 0, 7, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1], np.int8)
    assert layout.decode(vector) == {
        "grid": [[1, -3], [4, 0]],
        "one": 7,
        "sets": [["a", "c"], []],
        "who": 1,
        "nested": [[[1]], [[0, 1]]],
    }
    batch = np.stack([vector, vector])
    assert layout.block(batch, "sets").shape == (2, 2, 3)
    assert layout.scale[:4].tolist() == [0.25] * 4
    with pytest.raises(InvalidBuffer, match=r"shape \(18,\), got \(17,\)"):
        layout.decode(vector[:-1])


def test_the_digest_tells_layouts_apart():
    digests = {
        load("fruit_cocktail", num_players=n, memory=memory, tie=tie).layout.digest
        for n in (2, 3, 4)
        for memory in ("perfect", "tabletop")
        for tie in ("share", "replay")
    }
    assert len(digests) == 12
    assert load("fruit_cocktail").layout.digest == load("fruit_cocktail", reward="margin").layout.digest


def _doubles():
    return {"single": [1], "double": [*range(3, 21)], "rotten": [2]}


def _bare_board():
    table = json.loads(json.dumps(fruity_fruit_table()))
    return table | {"board": ["MB........"] + [".........."] * 9, "scoring_cards": [[300] * 6] * 9}


@pytest.mark.parametrize("memory", ["perfect", "tabletop"])
@pytest.mark.parametrize(
    ("name", "variants"),
    [
        ("fruit_cocktail", [{"deck": [(f, 1, v) for f in range(8) for v in (-4, 0, 5)]}, {"mini": "3x2"}]),
        ("fruitoplay", [{"table": _doubles()}, {"river": "current"}, {"mini": "2x3,2,2"}]),
        ("fruity_fruit", [{"components": _bare_board()}, {"shapes": "mixed"}, {"mini": "2x2,3x3,2"}]),
        (
            "fruit_salad",
            [
                *({"max_reveals": reveals} for reveals in (1, 120, 30_000)),
                *({"points_to_win": points} for points in (1, 20)),
                {"deck": [(9, 9, 9, 9, "none")] * 60},
                {"windows": "lite", "distribution": "bulk", "last_card_window": True},
                {"mini": "3,3"},
            ],
        ),
    ],
)
def test_options_tables_and_presets_share_a_layout(name, variants, memory):
    """What is trained on one plays in the other: not only places, but bounds and scales are the same."""
    whole = load(name, num_players=2, memory=memory)
    given = [options for options in presets(name).values() if options.get("memory", memory) == memory]
    for options in [*variants, *given]:
        game = load(name, **{"num_players": 2, "memory": memory, **options})
        assert game.layout.digest == whole.layout.digest, options
        assert game.layout.scale.tobytes() == whole.layout.scale.tobytes(), options
        assert game.reveal_layout.digest == whole.reveal_layout.digest, options
        for state in random_states(game, 1) if options.get("max_reveals", 0) < 1000 else ():
            reveal = state.reveal()
            assert (reveal >= game.reveal_layout.low).all()
            assert (reveal <= game.reveal_layout.high).all()


@every_case
def test_drawings_are_made_for_every_state_and_seat(name, options):
    game = load(name, **options)
    rng = random.Random(0)
    for state in random_states(game, 4):
        seat = rng.randrange(game.num_players)
        text = state.to_text(seat)
        assert text.strip()
        assert text == state.copy().to_text(seat)

"""Faults in the rules, views, records and agents of Fruit Cocktail."""

from __future__ import annotations

from planted import (
    COCKTAIL,
    DEALT_OVER,
    HIDDEN,
    ORACLE,
    RULINGS,
    STATES_ALIKE,
    TRUTH_HIDDEN,
    VIEWS_ALIKE,
    WORLDS_ALIKE,
    Mutant,
)

MUTANTS = [
    Mutant(
        "every seat sees what seat 0 peeked at",
        f"{COCKTAIL}/rules.py",
        "(state.peek[seat] != h)",
        "(state.peek[0] != h)",
        HIDDEN,
    ),
    Mutant(
        "views keep the true hidden tiles",
        f"{COCKTAIL}/rules.py",
        "            state.tiles[np.int64(state.hidden_at[h])] = lowest_bit(fruit)\n",
        "            pass\n",
        HIDDEN,
    ),
    Mutant(
        "a legal action is missing from the mask",
        f"{COCKTAIL}/rules.py",
        "copy_bytes(mask, 0, state.free, 0, np.int64(rules.num_actions))",
        "copy_bytes(mask, 0, state.free, 0, np.int64(rules.num_actions)); mask[0] = 0",
        ORACLE,
    ),
    Mutant(
        "the last card of a column can be taken",
        f"{COCKTAIL}/rules.py",
        "    set_byte(state.free, last, 0)\n",
        "    pass\n",
        ORACLE,
    ),
    Mutant(
        "a tie counts as a win for each",
        f"{COCKTAIL}/rules.py",
        "out[seat] = 1.0 / leaders if _score(rules, state, seat) == best else 0.0",
        "out[seat] = 1.0 if _score(rules, state, seat) == best else 0.0",
        RULINGS,
    ),
    Mutant(
        "locked values lose their sign",
        f"{COCKTAIL}/rules.py",
        "np.int64(state.tiles[p])]) * state.value[p]",
        "np.int64(state.tiles[p])]) * abs(state.value[p])",
        ORACLE,
    ),
    Mutant(
        "the tabletop shows the locked card",
        f"{COCKTAIL}/observation.py",
        "shown = state.free if rules.tabletop else state.here",
        "shown = state.here",
        RULINGS,
    ),
    Mutant(
        "a replayed tie keeps its starter",
        f"{COCKTAIL}/rules.py",
        "state.starter = (np.int64(state.starter) + 1) % np.int64(rules.num_players)",
        "state.starter = np.int64(state.starter)",
        RULINGS,
    ),
    Mutant(
        "derived features take the rivals' sum for their mean",
        "agents/fruit_agents/fruit_cocktail/features.py",
        "rules.pieces[card] / (n - 1)",
        "rules.pieces[card]",
        "tests/fruit_agents/test_features.py",
    ),
    Mutant(
        "hidden tiles are redealt over the true ones",
        f"{COCKTAIL}/rules.py",
        "fruit = draw_bit(fruits, key, h)",
        "fruit = draw_bit(fruits, key + np.uint64(state.tiles[np.int64(state.hidden_at[h])]), h)",
        VIEWS_ALIKE,
    ),
    Mutant(
        "an agent finds the truth by what hidden tiles are redealt over",
        f"{COCKTAIL}/rules.py",
        "fruit = draw_bit(fruits, key, h)",
        "fruit = draw_bit(fruits, key + np.uint64(state.tiles[np.int64(state.hidden_at[h])]), h)",
        TRUTH_HIDDEN,
    ),
    Mutant(
        "views keep in which order cards came to a column",
        f"{COCKTAIL}/rules.py",
        "        _sort(state.order, p * size, size)\n",
        "        pass\n",
        STATES_ALIKE,
    ),
    Mutant(
        "worlds come in the order of the view that they are made from",
        f"{COCKTAIL}/observation.py",
        'permutations(sorted(s["tiles"][open_to_doubt].tolist()))',
        'permutations(s["tiles"][open_to_doubt].tolist())',
        WORLDS_ALIKE,
    ),
    Mutant(
        "takes of the game before stay in the record",
        f"{COCKTAIL}/rules.py",
        "    clear(state.history, 0, MAX_PICKS)\n",
        "",
        DEALT_OVER,
    ),
]

"""Faults in the rules, views, records and agents of Fruitoplay."""

from __future__ import annotations

from planted import F_FIXTURES, F_KNOWLEDGE, F_ORACLE, F_PLAY, F_RECORDS, F_SCORING, FRUITOPLAY, HIDDEN, Mutant

MUTANTS = [
    Mutant(
        "every seat sees seat 0's hand",
        f"{FRUITOPLAY}/observation.py",
        "own, gone = np.uint8(seat), np.uint8(GONE)",
        "own, gone = np.uint8(0), np.uint8(GONE)",
        f"{HIDDEN} -k fruitoplay",
    ),
    Mutant(
        "the tabletop shows the cards that have left the round",
        f"{FRUITOPLAY}/observation.py",
        "out[k + card] = (np.int64(state.place[card]) // IN_COLUMNS) & 1",
        "out[k + card] = ((np.int64(state.place[card]) // IN_COLUMNS) & 3) > 0",
        F_PLAY,
    ),
    Mutant(
        "a seat sees whether others have committed",
        f"{FRUITOPLAY}/observation.py",
        "(np.int64(state.asked) >> other) & 1",
        "(np.int64(state.pending) >> other) & 1",
        F_ORACLE,
    ),
    Mutant(
        "views keep the true hands",
        f"{FRUITOPLAY}/rules.py",
        "j = first + i + draw(key, i, hidden - i)",
        "j = first + i",
        F_KNOWLEDGE,
    ),
    Mutant(
        "views favour some cards",
        f"{FRUITOPLAY}/rules.py",
        "draw(key, i, hidden - i)",
        "draw(key, i, max(hidden - i - 1, 1))",
        F_KNOWLEDGE,
    ),
    Mutant(
        "views keep what others have committed to",
        f"{FRUITOPLAY}/rules.py",
        "                state.chosen[other] = -1\n",
        "                pass\n",
        F_KNOWLEDGE,
    ),
    Mutant(
        "views know the targets to come",
        f"{FRUITOPLAY}/rules.py",
        "return not rules.river_public and (state.river[np.int64(state.turn)] != card)",
        "return False",
        F_PLAY,
    ),
    Mutant(
        "only two of several equal cards cancel",
        f"{FRUITOPLAY}/scoring.py",
        "            twice |= once & tied\n            once |= tied\n",
        "            twice = (twice | (once & tied)) & ~(twice & tied)\n            once |= tied\n",
        F_PLAY,
    ),
    Mutant(
        "off-colour cards of different fruits do not tie",
        f"{FRUITOPLAY}/scoring.py",
        "            tied = np.int64(1) << (distance if rules.tie_all else key)\n",
        "            tied = np.int64(1) << (distance if rules.tie_all or key < NUMBERS else key + rules.fruit[card])\n",
        F_FIXTURES,
    ),
    Mutant(
        "with tie_scope all a spoilt distance spoils one colour only",
        f"{FRUITOPLAY}/scoring.py",
        "        twice |= twice << NUMBERS\n",
        "        pass\n",
        F_FIXTURES,
    ),
    Mutant(
        "the winner draws too",
        f"{FRUITOPLAY}/rules.py",
        "            if seat != winner:\n                _draw_card",
        "            if True:\n                _draw_card",
        F_ORACLE,
    ),
    Mutant(
        "losers draw in falling seat order",
        f"{FRUITOPLAY}/rules.py",
        "        for seat in range(n):\n            if seat != winner:",
        "        for seat in range(n - 1, -1, -1):\n            if seat != winner:",
        F_PLAY,
    ),
    Mutant(
        "without a winner nobody draws",
        f"{FRUITOPLAY}/rules.py",
        "losers = (1 << n) - 1\n",
        "losers = (1 << n) - 1 if winner >= 0 else 1\n",
        F_PLAY,
    ),
    Mutant(
        "a deck run dry deals the last card again",
        f"{FRUITOPLAY}/rules.py",
        "    if top < np.int64(rules.fruits) * np.int64(rules.numbers):\n"
        "        card = np.int64(state.deck[top])\n"
        "        state.deck[top] = NONE\n",
        "    top = min(top, np.int64(rules.fruits) * np.int64(rules.numbers) - 1)\n"
        "    if True:\n"
        "        card = np.int64(state.deck[top])\n",
        F_PLAY,
    ),
    Mutant(
        "an empty hand is asked",
        f"{FRUITOPLAY}/rules.py",
        "np.int64(state.sizes[seat] > 0) << seat",
        "np.int64(1) << seat",
        F_PLAY,
    ),
    Mutant(
        "a rotten card takes a collective before a card",
        f"{FRUITOPLAY}/scoring.py",
        "        if state.columns[seat * PARTS + fruit * 3 + value - 1] > 0:\n            _remove",
        "        if _collective_of(state, seat, fruit) != value:\n            _remove",
        F_SCORING,
    ),
    Mutant(
        "a cancelled collective is cancelled for all",
        f"{FRUITOPLAY}/scoring.py",
        "            state.denied[seat] = 1\n",
        "            for other in range(6):\n                state.denied[other] = 1\n",
        F_FIXTURES,
    ),
    Mutant(
        "the choice of a value is settled silently",
        f"{FRUITOPLAY}/rules.py",
        "            if one and two:\n",
        "            if one and two and fruit > 3:\n",
        F_SCORING,
    ),
    Mutant(
        "a zero column counts as the smallest",
        f"{FRUITOPLAY}/scoring.py",
        "            if 0 < total < smallest:",
        "            if total < smallest:",
        F_SCORING,
    ),
    Mutant(
        "the collective card adds 1 in round 3 too",
        f"{FRUITOPLAY}/scoring.py",
        "return np.int64(state.round_no) * np.int64(state.collective == fruit)",
        "return min(np.int64(state.round_no), 1) * np.int64(state.collective == fruit)",
        F_SCORING,
    ),
    Mutant(
        "a tie for fewest lets the first seat choose",
        f"{FRUITOPLAY}/rules.py",
        "        elif total == fewest:\n            chooser = np.int64(-1)\n",
        "",
        F_SCORING,
    ),
    Mutant(
        "the collective fruit of round 2 comes again",
        f"{FRUITOPLAY}/rules.py",
        "return np.int64(-1) if rules.reuse or rules.fruits == 1 else np.int64(state.barred)",
        "return np.int64(-1)",
        F_SCORING,
    ),
    Mutant(
        "a tie in totals is not broken by round 3",
        f"{FRUITOPLAY}/rules.py",
        "np.int64(state.totals[seat]) * 2**15 + np.int64(state.points[seat])",
        "np.int64(state.totals[seat]) * 2**15",
        F_SCORING,
    ),
    Mutant(
        "hands do not join the columns",
        f"{FRUITOPLAY}/rules.py",
        "        if state.place[card] < IN_COLUMNS:\n            _collect",
        "        if state.place[card] < 0:\n            _collect",
        F_ORACLE,
    ),
    Mutant(
        "a record hides a forced cancel",
        f"{FRUITOPLAY}/text.py",
        "        action = None\n    return events",
        "        return events\n    return events",
        F_RECORDS,
    ),
]

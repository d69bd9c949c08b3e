"""Plants faults, one at a time, in a copy of the sources, and runs the tests that must catch them.

    python tests/mutants.py [NAME ...]

Each fault is of a kind that users of such software have met. A fault that survives is a hole in the tests: the command
then fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Mutant:
    """One planted fault.

    Parameters
    ----------
    name
        What goes wrong.
    file
        The source file.
    old, new
        The text to replace, which occurs exactly once, and its replacement.
    tests
        What must fail: arguments of pytest, separated by spaces.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str


CORE, FACES, COCKTAIL = "fruit_envs/core", "fruit_envs/interfaces", "fruit_envs/fruit_cocktail"
FRUITOPLAY = "fruit_envs/fruitoplay"
HIDDEN, SEEDS, AEC = (f"tests/conformance/test_{part}.py" for part in ("hidden", "seeds", "aec"))
SINGLE, PARALLEL, BATCH = (f"tests/conformance/test_{part}.py" for part in ("single_agent", "parallel", "batch"))
RULINGS = " ".join(f"tests/fruit_cocktail/test_rulings_{part}.py" for part in ("setup", "play", "knowledge", "scoring"))
ARENA = "agents/fruit_agents/arena"
ORACLE = "tests/fruit_cocktail/test_oracle.py"
F_PLAY, F_SCORING, F_ORACLE, F_RECORDS, F_KNOWLEDGE, F_FIXTURES = (
    f"tests/fruitoplay/test_{part}.py"
    for part in ("rulings_play", "rulings_scoring", "oracle", "records", "knowledge", "fixtures")
)
VECTOR, POOL = "tests/conformance/test_vector.py", "tests/core/test_pool.py"
TRAINING = "tests/fruit_train/test_training.py"

FRUITY = "fruit_envs/fruity_fruit"
Y_PLAY, Y_END, Y_SETUP, Y_ORACLE, Y_RECORDS, Y_KNOWLEDGE, Y_EXACT, Y_TEXT = (
    f"tests/fruity_fruit/test_{part}.py"
    for part in ("rulings_play", "rulings_end", "rulings_setup", "oracle", "records", "knowledge", "exact", "text")
)
Y_HIDDEN = f"{HIDDEN} -k fruity_fruit"
Y_WORLDS = f"{Y_KNOWLEDGE} -k uniform_over_the_deals"

SALAD = "fruit_envs/fruit_salad"
S_PLAY, S_ENDS, S_ORACLE, S_RECORDS, S_KNOWLEDGE = (
    f"tests/fruit_salad/test_{part}.py"
    for part in ("rulings_play", "rulings_ends", "oracle", "records", "rulings_knowledge")
)
S_GAMES = f"{S_ORACLE} -k play_the_same_games"
S_BELIEF = f"{S_KNOWLEDGE} -k belief"

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
        "skip = draw(key, h, choices)",
        "skip = 0",
        HIDDEN,
    ),
    Mutant(
        "views keep the true future",
        f"{CORE}/loops.py",
        "set_chance(state, mix(future) >> _S11, future)",
        "set_chance(state, mix(future) >> _S11, np.uint64(state[1]))",
        HIDDEN,
    ),
    Mutant(
        "the seed is ignored",
        f"{CORE}/loops.py",
        "set_chance(state, seed, stream_of(np.uint64(seed)))",
        "set_chance(state, seed, stream_of(np.uint64(1)))",
        SEEDS,
    ),
    Mutant(
        "reset without a seed deals the same game again",
        f"{CORE}/loops.py",
        "return mix(stream_of(seed)) >> _S11",
        "return np.uint64(seed)",
        SEEDS,
    ),
    Mutant(
        "what was handed out is used again",
        f"{CORE}/state.py",
        "            self._mask_of = None\n",
        "            pass\n",
        "tests/conformance/test_masks.py",
    ),
    Mutant(
        "agents see their neighbour's row",
        f"{CORE}/agents.py",
        "state.observation(seat).copy()",
        "state.observation(seat)",
        "tests/core/test_agents.py",
    ),
    Mutant(
        "a refused action spoils the observation",
        f"{CORE}/state.py",
        "        if code < 0:\n",
        "        self._masks = list(self._mask_rows)\n        if code < 0:\n",
        "tests/conformance/test_masks.py",
    ),
    Mutant(
        "a batch believes the masks it shows",
        f"{FACES}/batch.py",
        "find_missing(self._legal, self.game.num_actions, actions)",
        "__import__('fruit_envs.core.masks', fromlist=['']).find_illegal(self._masks, actions)",
        BATCH,
    ),
    Mutant(
        "an old reward is paid again",
        f"{FACES}/aec.py",
        "self._cumulative_rewards[agent] = 0.0\n",
        "pass\n",
        AEC,
    ),
    Mutant(
        "only the last mover's game ends",
        f"{FACES}/aec.py",
        "ended[other] = True",
        "ended[agent] = True",
        AEC,
    ),
    Mutant(
        "a truncated game terminates",
        f"{FACES}/aec.py",
        "self.truncations if state.truncated else self.terminations",
        "self.terminations",
        PARALLEL,
    ),
    Mutant(
        "the learner misses what opponents do after its last move",
        f"{FACES}/single_agent.py",
        "earned = float(state.returns[self._seat])\n",
        "earned = self._earned\n",
        SINGLE,
    ),
    Mutant(
        "opponents sit in another order",
        f"{FACES}/single_agent.py",
        "(seat - self._seat) % n - 1",
        "(self._seat - seat) % n - 1",
        SINGLE,
    ),
    Mutant(
        "the no-op is legal for a seat that is asked",
        f"{FACES}/parallel.py",
        "            elif not state.over:\n",
        "            if not state.over:\n",
        PARALLEL,
    ),
    Mutant(
        "a batch forgets to forget what was earned",
        f"{CORE}/loops.py",
        "earned[i, seat] = now if ended == RUNNING else 0.0",
        "earned[i, seat] = now",
        BATCH,
    ),
    Mutant(
        "a batch shows the seat before",
        f"{CORE}/loops.py",
        "    seats[i] = seat\n",
        "",
        BATCH,
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
        "shuffles favour some cards",
        f"{CORE}/chance.py",
        "start + i + _bounded(word, _ZERO, size - i)",
        "start + i + _bounded(word, _ZERO, max(size - i - 1, 1))",
        RULINGS,
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
        "options are lost in a pickle",
        f"{CORE}/game.py",
        "return _restore, (self.name, self.rules.tobytes() if self.custom else None, tuple(self.options.items()))",
        "return Game, (self.name,)",
        SEEDS,
    ),
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
    Mutant(
        "an agent that meets itself mirrors its own chance",
        f"{ARENA}/play.py",
        "(2 * agent_seed, 2 * agent_seed + 1)",
        "(2 * agent_seed, 2 * agent_seed)",
        "tests/fruit_agents/test_arena_match.py",
    ),
    Mutant(
        "intervals are too narrow for few deals",
        f"{ARENA}/statistics.py",
        "normal.cdf(-student * math.sqrt(units / freedom))",
        "normal.cdf(-z)",
        "tests/fruit_agents/test_arena_statistics.py",
    ),
    Mutant(
        "an arena takes the games of another for its own",
        f"{ARENA}/store.py",
        "if rows == expected else set()",
        "if rows else set()",
        "tests/fruit_agents/test_arena_run.py",
    ),
    Mutant(
        "the rest's failures are the one's",
        f"{ARENA}/match.py",
        "np.array([NOBODY, OPPONENT, AGENT])",
        "np.array([NOBODY, AGENT, OPPONENT])",
        "tests/fruit_agents/test_arena_match.py",
    ),
    Mutant(
        "a vector's learner earns its total again and again",
        f"{CORE}/rows.py",
        "scratch[seats[i]] - earned[i]",
        "scratch[seats[i]]",
        VECTOR + " -k as_scored",
    ),
    Mutant(
        "a vector's finished games are dealt anew with the same seed",
        f"{CORE}/rows.py",
        "set_seed(state, next_seed(seed_of(state)))",
        "set_seed(state, seed_of(state))",
        VECTOR,
    ),
    Mutant(
        "the final observation is the next game's",
        f"{FACES}/vector.py",
        "final_obs[i] = {name: array[i].copy() for name, array in shown.items()}",
        "final_obs[i] = {name: array[i] for name, array in shown.items()}",
        VECTOR,
    ),
    Mutant(
        "infos of a vector keep their masks' memory",
        f"{FACES}/vector.py",
        'return {"observation": observations, "action_mask": self._masks.copy()}',
        'return {"observation": observations, "action_mask": self._masks}',
        VECTOR,
    ),
    Mutant(
        "an opponent that fails leaves games half played",
        f"{FACES}/vector.py",
        "self._rows.memory[:] = memory",
        "pass",
        VECTOR,
    ),
    Mutant(
        "opponents of a vector sit in another order",
        f"{FACES}/opponents.py",
        "(seats - learners[rows]) % n - 1",
        "(learners[rows] - seats) % n - 1",
        VECTOR,
    ),
    Mutant(
        "a snapshot is swapped in the middle of a game",
        f"{FACES}/opponents.py",
        "self._agents[number] = agent\n                return number",
        "self._agents[number] = agent\n                self.who[:] = number\n                return number",
        POOL,
    ),
    Mutant(
        "opponents of a batch share one key",
        f"{CORE}/rows.py",
        "keys[k] = one_way(agent_seed, seed_of(state), seat, decisions_of(state))",
        "keys[k] = one_way(agent_seed, seed_of(state), seat, 0)",
        VECTOR,
    ),
    Mutant(
        "views of a batch are redrawn from the neighbour's key",
        f"{CORE}/rows.py",
        "redeal(functions, rules[0], views[k], seats[k], keys[k])",
        "redeal(functions, rules[0], views[k], seats[k], keys[0])",
        POOL,
    ),
    Mutant(
        "derived features take the rivals' sum for their mean",
        "agents/fruit_agents/fruit_cocktail/features.py",
        "rules.pieces[card] / (n - 1)",
        "rules.pieces[card]",
        "tests/fruit_agents/test_features.py",
    ),
    Mutant(
        "a sampled action ignores its key",
        "agents/fruit_agents/network.py",
        "one_way(_DRAW, keys[i], 0, 0)",
        "one_way(_DRAW, 0, 0, 0)",
        "tests/fruit_agents/test_policy.py",
    ),
    Mutant(
        "a resumed training forgets Adam's moments",
        "train/fruit_train/checkpoint.py",
        'policy.optimizer.load_state_dict({**policy.optimizer.state_dict(), "state": state})',
        "pass",
        TRAINING,
    ),
    Mutant(
        "a resumed training forgets the league's past",
        "train/fruit_train/ppo.py",
        'self.league.restore(past, facts["rollouts"], layers_of(model))',
        'self.league.restore(past[:1], facts["rollouts"], layers_of(model))',
        TRAINING,
    ),
    Mutant(
        "every seat sees seat 0's tiles",
        f"{FRUITY}/observation.py",
        "np.int64(state.hands[seat]) * np.int64(state.phase != DRAFT)",
        "np.int64(state.hands[0]) * np.int64(state.phase != DRAFT)",
        Y_HIDDEN,
    ),
    Mutant(
        "tiles are seen before the draft is over",
        f"{FRUITY}/observation.py",
        "np.int64(state.hands[seat]) * np.int64(state.phase != DRAFT)",
        "np.int64(state.hands[seat])",
        Y_HIDDEN,
    ),
    Mutant(
        "everybody sees that a tile has been chosen",
        f"{FRUITY}/observation.py",
        "hidden = np.int64(state.phase == PLACE) * (1 - mine)",
        "hidden = np.int64(state.phase == PLACE) * 0",
        Y_HIDDEN,
    ),
    Mutant(
        "the board's halves do not touch",
        f"{FRUITY}/board.py",
        "(low >> SIDE) | (high << _STEP)",
        "(low >> SIDE)",
        Y_ORACLE,
    ),
    Mutant(
        "a row's last cell touches the next row's first",
        f"{FRUITY}/board.py",
        "((low & ~_RIGHT) << 1)",
        "(low << 1)",
        Y_ORACLE,
    ),
    Mutant(
        "the led colour need not be followed",
        f"{FRUITY}/rules.py",
        "        if following:",
        "        if following == -1:",
        Y_ORACLE,
    ),
    Mutant(
        "a full seat wins",
        f"{FRUITY}/rules.py",
        "if tile >= 0 and state.spaces[seat] > 0:",
        "if tile >= 0:",
        Y_PLAY,
    ),
    Mutant(
        "a basket brings one space",
        f"{FRUITY}/rules.py",
        "state.spaces[seat] += BASKET * baskets",
        "state.spaces[seat] += baskets",
        Y_PLAY,
    ),
    Mutant(
        "a pot of one kind is picked",
        f"{FRUITY}/rules.py",
        "if total > state.spaces[winner] and kinds > 1:",
        "if total > state.spaces[winner]:",
        Y_PLAY,
    ),
    Mutant(
        "insects take nothing",
        f"{FRUITY}/scoring.py",
        "removed = min(count, insects)",
        "removed = min(count, insects) * 0",
        Y_END,
    ),
    Mutant(
        "the highest tile of another colour wins",
        f"{FRUITY}/rules.py",
        "if (colour == 0 or colour == state.led) and rank > best:",
        "if rank > best:",
        Y_PLAY,
    ),
    Mutant(
        "the game goes on without a hand",
        f"{FRUITY}/rules.py",
        "out |= state.sizes[seat] == 0",
        "out |= state.sizes[seat] == 99",
        Y_END,
    ),
    Mutant(
        "not following proves a void",
        f"{FRUITY}/rules.py",
        "state.barred[seat] |= np.int64(state.fits) & (COLOUR_TILES",
        "state.barred[seat] |= np.int64(-1) & (COLOUR_TILES",
        Y_PLAY,
    ),
    Mutant(
        "the last row of a pair's places is written too far",
        f"{FRUITY}/rules.py",
        "if width * (rows - row) >= 16:",
        "if row < rows:",
        Y_ORACLE,
    ),
    Mutant(
        "the row before the last of a pair's places is written too far",
        f"{FRUITY}/rules.py",
        "if width * (rows - row) >= 16:",
        "if row + 1 < rows:",
        Y_SETUP,
    ),
    Mutant(
        "views forget what play has shown",
        f"{FRUITY}/knowledge.py",
        "a = tiles & ~np.int64(state.barred[first])",
        "a = tiles",
        Y_WORLDS,
    ),
    Mutant(
        "views forget that the asked seat can place",
        f"{FRUITY}/knowledge.py",
        "if not state.over and state.phase != PICK:",
        "if state.phase > PICK:",
        Y_WORLDS,
    ),
    Mutant(
        "views split groups of tiles without counting",
        f"{FRUITY}/knowledge.py",
        "ways = _ways(rules, n_ab, ab) * _ways(rules, n_ac, ac) * _ways(rules, n_abc, abc)",
        "ways = np.int64(1)",
        Y_KNOWLEDGE,
    ),
    Mutant(
        "seats before may have kept what a seat saw",
        f"{FRUITY}/knowledge.py",
        "if turn < own:",
        "if turn < 0:",
        Y_SETUP,
    ),
    Mutant(
        "a record tells one skip less",
        f"{FRUITY}/text.py",
        'skipped = range(turn, int(a["turn"]) if same else n)',
        'skipped = range(turn + 1, int(a["turn"]) if same else n)',
        Y_RECORDS,
    ),
    Mutant(
        "planes begin with the second block",
        f"{CORE}/layout.py",
        "start, stop = self._slices[blocks[0].name].start",
        "start, stop = self._slices[blocks[1].name].start",
        f"{Y_KNOWLEDGE} -k planes",
    ),
    Mutant(
        "views of a finished game keep the true scoring cards",
        f"{FRUITY}/rules.py",
        "    if rules.drawn:\n        redraw_cards",
        "    if rules.drawn and not state.over:\n        redraw_cards",
        f"{Y_KNOWLEDGE} -k stay_secret",
    ),
    Mutant(
        "final scores tell nothing of scoring cards",
        f"{FRUITY}/knowledge.py",
        " and score_by(rules, state, other, card) == score",
        "",
        Y_WORLDS,
    ),
    Mutant(
        "information states forget what was picked",
        f"{FRUITY}/observation.py",
        ', *s["picks"].tolist()]',
        "]",
        Y_EXACT,
    ),
    Mutant(
        "information states forget the final scores",
        f"{FRUITY}/observation.py",
        'if s["over"]:',
        'if s["over"] > 9:',
        Y_EXACT,
    ),
    Mutant(
        "the first tile in the first corner is no move",
        f"{FRUITY}/rules.py",
        "= 1 + seat * MOVES_OF_SEAT",
        "= seat * MOVES_OF_SEAT",
        Y_EXACT,
    ),
    Mutant(
        "a drawing says that all tiles are the viewer's",
        f"{FRUITY}/text.py",
        "{colour[0].upper()}{owner}",
        "{colour[0].upper()}0",
        Y_TEXT,
    ),
    Mutant(
        "a drawing has the own fruit in the middle",
        f"{FRUITY}/text.py",
        "{_fruit(facts['pot'])}",
        "{_fruit(facts['fruits'][0])}",
        Y_TEXT,
    ),
    Mutant(
        "a drawing leaves out who leads and who could not place",
        f"{FRUITY}/text.py",
        "if marks else",
        "if not marks else",
        Y_TEXT,
    ),
    Mutant(
        "the heuristic picks the worst fruit",
        "agents/fruit_agents/fruity_fruit/compiled.py",
        "= rules.values[np.int64(state.kept[seat]) * KINDS + kind]",
        "= -rules.values[np.int64(state.kept[seat]) * KINDS + kind]",
        "tests/fruit_agents/test_fruity_fruit.py -k scoring_cards",
    ),
    Mutant(
        "the heuristic drafts the worst card",
        "agents/fruit_agents/fruity_fruit/compiled.py",
        "values[cards_at + card] = worth",
        "values[cards_at + card] = -worth",
        "tests/fruit_agents/test_fruity_fruit.py -k scoring_cards",
    ),
    Mutant(
        "a block that is always 0 has no scale",
        f"{CORE}/layout.py",
        "abs(block.high), 1)",
        "abs(block.high))",
        f"{Y_SETUP} -k lack_symbols",
    ),
    Mutant(
        "the heuristic likes insects",
        "agents/fruit_agents/fruity_fruit/compiled.py",
        "value -= INSECT_COST",
        "value += INSECT_COST",
        "tests/fruit_agents/test_fruity_fruit.py",
    ),
    Mutant(
        "a slap armed for a minion card is counted",
        f"{SALAD}/rules.py",
        "early = state.phase == W1 or (state.phase == W0 and rules.minion[np.int64(state.top)] > 0)",
        "early = state.phase == W1",
        S_PLAY,
    ),
    Mutant(
        "a target must be exceeded",
        f"{SALAD}/rules.py",
        "not early and state.count >= state.needed",
        "not early and state.count > state.needed",
        S_PLAY,
    ),
    Mutant(
        "under the any-fruit face the fruit there is most of counts",
        f"{SALAD}/rules.py",
        "state.count, state.needed = state.totals[fruit], state.number",
        "state.count, state.needed = max(state.totals[0], state.totals[3]), state.number",
        S_PLAY,
    ),
    Mutant(
        "the lowest seat that slaps is first",
        f"{SALAD}/rules.py",
        "rank = chance(state, FIRST, np.int64(state.slaps), slappers)",
        "rank = 0 * chance(state, FIRST, np.int64(state.slaps), slappers)",
        S_PLAY,
    ),
    Mutant(
        "masks tell whether there are enough",
        f"{SALAD}/rules.py",
        "        if state.fruit == ANY:\n            put8",
        "        if state.fruit == ANY and state.totals[0] >= 0 + 3:\n            put8",
        S_PLAY,
    ),
    Mutant(
        "an empty bowl has its window too",
        f"{SALAD}/rules.py",
        "        state.turn = state.slapper  # S25\n        return _ROUND\n",
        "        state.turn = state.slapper  # S25\n        _roll(rules, state, 1, 1)\n"
        "        _open_window(rules, state, W0)\n        return _STOP\n",
        S_GAMES,
    ),
    Mutant(
        "the next seat begins after a slap",
        f"{SALAD}/rules.py",
        "state.turn = state.slapper  # S25",
        "state.turn = (turn + 1) % rules.num_players  # S25",
        S_PLAY,
    ),
    Mutant(
        "minions roll the other die",
        f"{SALAD}/rules.py",
        "_roll(rules, state, minion & 2, minion & 1)",
        "_roll(rules, state, minion & 1, minion & 2)",
        S_PLAY,
    ),
    Mutant(
        "the dice roll for every round whatever the option says",
        f"{SALAD}/rules.py",
        "if rules.reroll or state.fruit_rolls == 0:",
        "if True:",
        S_PLAY,
    ),
    Mutant(
        "the last card opens a window",
        f"{SALAD}/rules.py",
        "if size == 0 and not rules.last_window:  # S21: at once",
        "if size == 0 and not rules.last_window and state.phase != W0:  # S21: at once",
        S_ENDS,
    ),
    Mutant(
        "a pile that filled up again still wins",
        f"{SALAD}/rules.py",
        "if rules.last_window and state.sizes[turn] == 0:",
        "if rules.last_window and state.sizes[turn] <= 2:",
        S_ENDS,
    ),
    Mutant(
        "a game goes on one reveal past its cap",
        f"{SALAD}/rules.py",
        "if state.reveals >= rules.max_reveals:",
        "if state.reveals > rules.max_reveals:",
        S_ENDS,
    ),
    Mutant(
        "a game cut off has a winner",
        f"{SALAD}/rules.py",
        "out[seat] = 1.0 / n if state.over == TRUNCATED else",
        "out[seat] = 1.0 * (state.turn == seat) if state.over == TRUNCATED else",
        S_ENDS,
    ),
    Mutant(
        "the winner's pile is shuffled too",
        f"{SALAD}/rules.py",
        "        if state.given[other]:\n",
        "        if state.given[other] or other == seat:\n",
        S_PLAY,
    ),
    Mutant(
        "a kept card stays in play",
        f"{SALAD}/rules.py",
        "    _publish(state, _KEPT + card)\n",
        "    _publish(state, _KEPT + card)\n    _push(state, seat, card)\n",
        S_PLAY,
    ),
    Mutant(
        "what is left is given away after the last point",
        f"{SALAD}/rules.py",
        "    if state.scores[seat] >= rules.goal:\n",
        "    if state.scores[seat] >= rules.goal and state.bowl == 0:\n",
        S_ENDS,
    ),
    Mutant(
        "bulk gives the first card only",
        f"{SALAD}/rules.py",
        "step = _give(rules, state, seat, action - GIVE, np.int64(rules.bulk))",
        "step = _give(rules, state, seat, action - GIVE, 0)",
        S_PLAY,
    ),
    Mutant(
        "cards given are forgotten",
        f"{SALAD}/rules.py",
        "    state.known[seat] |= np.int64(1) << card\n",
        "    state.known[seat] |= np.int64(0) << card\n",
        S_PLAY,
    ),
    Mutant(
        "the tabletop shows the bowl",
        f"{SALAD}/observation.py",
        "if state.phase >= KEEPING and state.landed == 0:",
        "if True:",
        S_GAMES,
    ),
    Mutant(
        "a seat sees what others have chosen",
        f"{SALAD}/observation.py",
        "out[k] = state.chosen[seat] + 1",
        "out[k] = state.chosen[0] + 1",
        f"{HIDDEN} -k fruit_salad",
    ),
    Mutant(
        "everybody sees the early seat's card",
        f"{SALAD}/knowledge.py",
        "state.turn == seat and (np.int64(rules.early) >> seat) & 1",
        "state.turn == seat and rules.early > 0",
        S_KNOWLEDGE,
    ),
    Mutant(
        "views keep the true piles",
        f"{SALAD}/knowledge.py",
        "a, b = start + i, start + i + draw(key, used + i, count - i)",
        "a, b = start + i, start + i + 0 * draw(key, used + i, count - i)",
        S_BELIEF,
    ),
    Mutant(
        "views leave known cards on top of their piles",
        f"{SALAD}/knowledge.py",
        "        if known:\n",
        "        if known and lying < 0:\n",
        f"{S_KNOWLEDGE} -k known_cards",
    ),
    Mutant(
        "views keep what others have committed to in Fruit Salad",
        f"{SALAD}/rules.py",
        "                state.chosen[other] = -1\n",
        "                pass\n",
        f"{HIDDEN} -k fruit_salad",
    ),
    Mutant(
        "a record forgets that a die was rolled again",
        f"{SALAD}/log.py",
        'fruit = FACE_NAMES[int(a["fruit"])] if minion & 2 else None',
        "fruit = None",
        S_RECORDS,
    ),
    Mutant(
        "the counter reacts one piece too early",
        "agents/fruit_agents/fruit_salad/compiled.py",
        "elif state.phase == W2 and state.totals[fruit] >= state.number:",
        "elif state.phase == W2 and state.totals[fruit] >= state.number - 1:",
        "tests/fruit_agents/test_fruit_salad.py",
    ),
]


def survives(mutant: Mutant, folder: Path) -> bool:
    """Whether the tests pass in spite of the fault."""
    for part in ("fruit_envs", "agents", "train", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / mutant.file
    text = path.read_text("utf-8")
    if text.count(mutant.old) != 1:
        sys.exit(f"{mutant.name}: expected its text once in {mutant.file}, found it {text.count(mutant.old)} times")
    path.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    places = [folder, folder / "agents", folder / "train"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests.split()]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{mutant.name}: the tests did not run\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def main() -> None:
    chosen = [m for m in MUTANTS if not sys.argv[1:] or any(word in m.name for word in sys.argv[1:])]
    alive = []
    for mutant in chosen:
        with tempfile.TemporaryDirectory() as folder:
            alive += [mutant.name] if survives(mutant, Path(folder)) else []
        verdict = "SURVIVES" if alive and alive[-1] == mutant.name else "caught"
        sys.stdout.write(f"{verdict:<9}{mutant.name}  ({mutant.tests})\n")
        sys.stdout.flush()
    sys.exit(f"{len(alive)} of {len(chosen)} faults survive" if alive else 0)


if __name__ == "__main__":
    main()

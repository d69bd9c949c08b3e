"""Faults in what faces tell their clients: keywords, illegal actions, limits, encodings, saved states."""

from __future__ import annotations

from planted import AEC, BATCH, FACES, PARALLEL, Mutant

KEYWORDS, ENCODINGS, LIMITS = (f"tests/conformance/test_{part}.py" for part in ("keywords", "encodings", "limits"))

MUTANTS = [
    Mutant(
        "an unknown keyword is no TypeError",
        "fruit_envs/base/errors.py",
        "class UnknownKeyword(InvalidOption, TypeError):",
        "class UnknownKeyword(InvalidOption):",
        KEYWORDS,
    ),
    Mutant(
        "the canonical parallel environment judges seats that are not asked",
        f"{FACES}/parallel.py",
        "elif strict and as_action",
        "elif as_action",
        PARALLEL,
    ),
    Mutant(
        "whoever sits last loses for an illegal action",
        f"{FACES}/parallel.py",
        "rewards[agent] = illegal_reward(self.game)",
        "rewards[self.agents[-1]] = illegal_reward(self.game)",
        PARALLEL,
    ),
    Mutant(
        "final observations are not scaled",
        f"{FACES}/vector.py",
        "last = self._encode(seen[ended])",
        "last = seen[ended]",
        ENCODINGS,
    ),
    Mutant(
        "a batch scales its first observations only",
        f"{FACES}/batch.py",
        "            loops.step_batch(*arguments)\n        if self._seen is not self._shown.observations:\n",
        "            loops.step_batch(*arguments)\n        if False:\n",
        ENCODINGS,
    ),
    Mutant(
        "what an illegal action's seat was paid before is left to it",
        f"{FACES}/aec.py",
        "            raw.rewards[agent] -= paid\n",
        "",
        PARALLEL,
    ),
    Mutant(
        "a batch reads actions of 32 bits as they are",
        f"{FACES}/batch.py",
        "return np.ascontiguousarray(array, np.int64)",
        "return np.ascontiguousarray(array)",
        BATCH,
    ),
    Mutant(
        "bookkeeping is taken over unseen",
        f"{FACES}/aec.py",
        "        self._check_bookkeeping(bookkeeping, game_state, cut)\n",
        "",
        AEC,
    ),
    Mutant(
        "a vector's limit counts the episode before",
        f"{FACES}/vector.py",
        "        self._steps[rows] = 0\n",
        "",
        f"{LIMITS} -k time_limit",
    ),
    Mutant(
        "a game that is cut off pays as if it had ended",
        f"{FACES}/seats.py",
        "return self.current.cut_returns if self.cut else self.current.returns",
        "return self.current.returns",
        LIMITS,
    ),
    Mutant(
        "a cut is not written down",
        "fruit_envs/agents/recording.py",
        "events += [] if state.over else [dict(CUT)]",
        "pass",
        LIMITS,
    ),
    Mutant(
        "a number beyond 64 bits reaches compiled code",
        "fruit_envs/runtime/state.py",
        " or not 0 <= action < actions",
        "",
        "tests/conformance/test_huge_numbers.py",
    ),
    Mutant(
        "a mask handed out is the one that actions are judged by",
        f"{FACES}/aec.py",
        "        return self._legal.copy()\n",
        "        return self._legal\n",
        AEC,
    ),
]

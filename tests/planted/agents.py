"""Faults in agents, the arena and the trainer."""

from __future__ import annotations

from planted import ARENA, FILES, RUN_FOLDER, TRAINING, Mutant

MUTANTS = [
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
        "a policy's history does not move on",
        "agents/fruit_agents/policy.py",
        "        memories[:, :-size] = memories[:, size:]\n",
        "",
        "tests/fruit_agents/test_policy.py",
    ),
    Mutant(
        "results are removed before a resumed training is refused",
        "train/fruit_train/ppo.py",
        "    if args.resume:\n        training.resume(model)\n    run.begin()\n",
        "    run.begin()\n    if args.resume:\n        training.resume(model)\n",
        RUN_FOLDER,
    ),
    Mutant(
        "two runs share a folder",
        "agents/fruit_agents/files.py",
        "        lock.acquire()\n",
        "        pass\n",
        f"{RUN_FOLDER} -k in_use",
    ),
    Mutant(
        "a checkpoint's tensors may have any shape",
        "agents/fruit_agents/files.py",
        "if came != (_DTYPES[dtype], shape):",
        "if came[0] != _DTYPES[dtype]:",
        f"{RUN_FOLDER} -k damaged",
    ),
    Mutant(
        "an arena is cleared before its agents are refused",
        f"{ARENA}/run.py",
        "    if jobs > 1:\n        check_portable(tables)",
        "    if False:\n        check_portable(tables)",
        "tests/fruit_agents/test_arena_run.py -k cannot_travel",
    ),
    Mutant(
        "a write that fails leaves its part behind",
        "fruit_envs/base/files.py",
        "                part.unlink(missing_ok=True)\n",
        "                pass\n",
        FILES,
    ),
    Mutant(
        "a full disk does not say which file",
        "fruit_envs/base/files.py",
        "        raise OSError(error.errno, error.strerror or str(error), str(path)) from error",
        "        raise",
        FILES,
    ),
    Mutant(
        "a name that comes twice in JSON is taken",
        "fruit_envs/base/files.py",
        "if len(found) < len(pairs):",
        "if False:",
        FILES,
    ),
]

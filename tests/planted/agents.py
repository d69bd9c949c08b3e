"""Faults in agents, the arena and the trainer."""

from __future__ import annotations

from planted import ARENA, TRAINING, Mutant

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
]

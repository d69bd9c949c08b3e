"""Faults in what people read: drawings, the command line, records that somebody else has written."""

from __future__ import annotations

from planted import ARENA, COCKTAIL, DECLARE, FRUITOPLAY, RUNTIME, SALAD, Mutant

DRAWINGS = "tests/conformance/test_drawings.py"
COMMANDS = "tests/fruit_agents/test_commands.py"

MUTANTS = [
    Mutant(
        "lines of a drawing are as long as they like",
        f"{DECLARE}/words.py",
        "WIDTH = 100",
        "WIDTH = 120",
        f"{DRAWINGS} -k fruit_salad",
    ),
    Mutant(
        "a drawing has the lowest score win",
        f"{COCKTAIL}/text.py",
        "if score == max(scores)",
        "if score == min(scores)",
        f"{DRAWINGS} -k cocktail",
    ),
    Mutant(
        "a drawing forgets what breaks a tie",
        f"{FRUITOPLAY}/text.py",
        "if rank == max(ranks)",
        "if rank[0] == max(ranks)[0]",
        f"{DRAWINGS} -k last_round",
    ),
    Mutant(
        "a drawing has no winner where a pile is empty",
        f"{SALAD}/text.py",
        "if size == 0]",
        "if size < 0]",
        f"{DRAWINGS} -k pile",
    ),
    Mutant(
        "names in a record are printed as they are",
        "agents/fruit_agents/commands.py",
        "map(printable, map(str, one[key]))",
        "map(str, one[key])",
        f"{COMMANDS} -k names",
    ),
    Mutant(
        "an empty list of records is fine",
        f"{RUNTIME}/records.py",
        "if content == []:",
        "if content is None:",
        f"{COMMANDS} -k without_records",
    ),
    Mutant(
        "any option of a record that is a text is taken for a table",
        f"{RUNTIME}/records.py",
        "if o.choices is None and isinstance(o.default, str | None)",
        "if o.choices is None",
        "tests/conformance/test_records.py -k malformed",
    ),
    Mutant(
        "what is told of a decision is wall time",
        f"{ARENA}/clock.py",
        "process_time_ns() - spent",
        "perf_counter_ns() - began",
        "tests/fruit_agents/test_arena_failures.py -k wall_time",
    ),
    Mutant(
        "log files get a line for every step",
        "agents/fruit_agents/progress.py",
        "self._told = monotonic()\n            line",
        "line",
        "tests/fruit_agents/test_progress.py",
    ),
]

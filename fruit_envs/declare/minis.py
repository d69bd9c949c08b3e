"""Shrunken games: the same rules over fewer cards, for exact methods; under names, and of sizes of one's own.

A game declares `MINIS`, the sizes behind each name, and one function that shrinks a rules record to given sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.options import Option, resolve

__all__ = ["mini_option", "own_size", "shrunken"]

#: The name of the option.
MINI = "mini"


def mini_option(
    minis: Mapping[str, Mapping[str, Any]], naming: str, players: Mapping[str, int] | None = None
) -> Option:
    """The option that plays a shrunken game by its name.

    Parameters
    ----------
    minis
        The game's MINIS.
    naming
        What the numbers in a name count.
    players
        How many seats each has where no number is given; by default two.
    """
    seats = {name: {"num_players": (players or {}).get(name, 2)} for name in minis}
    told = "" if players else ", two players if not told otherwise"
    doc = f"a shrunken game for exact methods, named by its sizes: {naming}{told}"
    return Option(MINI, None, doc, (None, *minis), brings=seats)


def own_size(game: str, declared: Sequence[Option], given: Mapping[str, Any], **sizes: Any) -> dict[str, Any]:
    """The options of a shrunken game of sizes of one's own, as `shrunken` takes them.

    Raises
    ------
    InvalidOption
        As `resolve` does; a name for the sizes is then no option.
    """
    return resolve(game, [option for option in declared if option.name != MINI], given) | {MINI: sizes}


def shrunken(
    rules: np.ndarray,
    options: Mapping[str, Any],
    minis: Mapping[str, Mapping[str, Any]],
    shrink: Callable[..., None],
    check: Callable[[np.ndarray], None],
) -> np.ndarray:
    """A rules record as its options want it: as it is, or shrunken.

    Parameters
    ----------
    rules
        Of the published size, shape (1,); changed in place.
    options
        Of the game; `mini` is None, a name of `minis`, or sizes.
    shrink
        `shrink(record, options, **sizes)` changes the record.
    check
        Refuses a record of sizes that do not go together.

    Raises
    ------
    InvalidOption
        Saying why the sizes do not go together, or not with the number of players.
    """
    mini = options[MINI]
    if mini is None:
        return rules
    shrink(rules[0], options, **(minis[mini] if isinstance(mini, str) else mini))
    try:
        check(rules)
    except InvalidOption as error:
        players = options["num_players"]
        raise InvalidOption(f"mini: expected sizes for {players} players, got {brief(mini)} ({error})") from error
    return rules

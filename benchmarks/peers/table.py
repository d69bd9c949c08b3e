"""Which rows there must be: the one declaration that the runner, the plot and the tests go by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fruit_envs.declare.catalog import GAMES


@dataclass(frozen=True)
class Row:
    """One measurement.

    Parameters
    ----------
    peer
        The library: `NAME_rows.py` measures it, in an environment made of `requirements/NAME.txt`.
    mode
        How the game is played; or "copy" of one state, "copies" of a batch of them.
    game
        As the library calls it.
    batch
        Games at once.
    """

    peer: str
    mode: str
    game: str
    batch: int = 1

    def __str__(self) -> str:
        return f"{self.peer} {self.mode} {self.game} {self.batch}"

    @property
    def unit(self) -> str:
        """What is counted."""
        return "copies" if self.mode in ("copy", "copies") else "decisions"

    @property
    def label(self) -> str:
        """The game's name without the library's spelling: "leduc holdem" of `leduc_holdem_v4`."""
        words = self.game.replace("-", "_").split("_")
        return " ".join(word for word in words if not (word[0] == "v" and word[1:].isdigit()))

    @property
    def toy(self) -> bool:
        """Whether the game is a research toy of a few cards or a board, not a card game that people play."""
        return self.label.startswith(("connect four", "kuhn", "leduc"))


TITLES = {
    "pettingzoo": "PettingZoo",
    "rlcard": "RLCard",
    "open_spiel": "OpenSpiel",
    "pgx": "pgx",
    "fruit_envs": "fruit_envs",
}


def _rows(peer: str, modes: Iterable[str], games: Iterable[str], batches: Iterable[int] = (1,)) -> list[Row]:
    return [Row(peer, mode, game, batch) for mode in modes for game in games for batch in batches]


def expected() -> list[Row]:
    """Every row that a complete run has, in the order of measurement."""
    ours = [name for name, entry in GAMES.items() if entry.package.startswith("fruit_envs.")]  # not those of tests
    return [
        *_rows("pettingzoo", ["aec"], ["leduc_holdem_v4", "texas_holdem_v4", "hanabi_v5", "connect_four_v3"]),
        *_rows("pettingzoo", ["copy"], ["leduc_holdem_v4", "connect_four_v3"]),
        *_rows("rlcard", ["env"], ["leduc-holdem", "limit-holdem", "gin-rummy", "uno"]),
        *_rows("rlcard", ["copy"], ["leduc-holdem", "gin-rummy"]),
        *_rows("open_spiel", ["state"], ["leduc_poker", "hearts", "gin_rummy", "euchre", "hanabi", "connect_four"]),
        *_rows("open_spiel", ["copy"], ["leduc_poker", "hearts", "gin_rummy", "connect_four"]),
        *_rows("pgx", ["batch"], ["leduc_holdem", "kuhn_poker", "connect_four", "sparrow_mahjong"], [1024, 4096]),
        *_rows("pgx", ["copies"], ["leduc_holdem"], [4096]),
        *_rows("fruit_envs", ["aec_wrapped", "aec_raw", "parallel", "gymnasium", "state"], ours),
        *_rows("fruit_envs", ["vector"], ours, [1024]),
        *_rows("fruit_envs", ["batch_sample"], ours, [4096]),
        *_rows("fruit_envs", ["copy"], ours),
        *_rows("fruit_envs", ["copies"], ours, [4096]),
    ]

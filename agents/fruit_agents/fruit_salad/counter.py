"""The perfect counter for Fruit Salad: it knows what lies in the bowl and what may lie on top of each pile.

It reacts exactly where the target is met, under an any-fruit die with the fruit there is most of. Before a card lands
it arms where that card completes the target, and has no minion, with enough probability, as long as no other pile is
short. Otherwise it slaps only to deny: where another seat would win by turning over its last card next, even a slap
that loses takes the turn from it (S5, S25). What it wins goes to the seat that is closest to an empty pile; it keeps
the card with the fewest pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fruit_agents.fruit_salad.compiled import choose
from fruit_agents.valued import ValuedAgent
from fruit_envs.runtime.views import Views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fruit_envs.runtime.game import Game
    from fruit_envs.runtime.state import View

__all__ = ["Counter"]

#: Probability from which a slap is armed. A counter that waits shares the point of a card that completes the target
#: with all n who react; an armed slap takes it alone, and a wrong one costs c points in cards that come back. So arming
#: pays from (1 - p) c = p (1 - 1/n) on. Found in play of four: 0.15, which is c = 0.13, wins most among its like.
THRESHOLD = 0.15

#: Cards. With another pile this short it arms nothing: a bowl lost lies in the own pile, and the others, who get none,
#: empty theirs first. Found against three that remember five cards: 6 wins most. Against others who arm it costs.
SHORT = 6


class Counter(ValuedAgent):
    """Counts exactly; ties are broken by chance.

    Parameters
    ----------
    game
        Fruit Salad with any number of players and any options but `memory="tabletop"`.
    threshold
        Probability of completing the target from which a slap is armed; above 1, none ever is.
    short
        Where another pile has at most so many cards, none is armed either.
    aims
        Whether won cards go to the shortest pile: without, an ablation that gives them to anybody.

    Raises
    ------
    InvalidOption
        Under `memory="tabletop"`, which gives agents no view.
    """

    name = "counter"

    def __init__(self, game: Game, *, threshold: float = THRESHOLD, short: int = SHORT, aims: bool = True) -> None:
        super().__init__(game)
        self.threshold, self.short, self.aims = float(threshold), int(short), bool(aims)

    def values(self, view: View | None) -> NDArray[np.float64]:
        """What the viewer, who is asked, makes of each action; only the order of values means something.

        Returns
        -------
        numpy.ndarray
            float64, shape (num_actions,); `compiled.ILLEGAL` where the action is not legal.
        """
        values: NDArray[np.float64] = self.decide_one(view)[1]
        return values

    def decide(self, seen: Views, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The best action in every view, and the values of all actions."""
        values, actions = np.empty((len(seen), self.game.num_actions)), np.empty(len(seen), np.int64)
        habits = (self.threshold, self.short, self.aims)
        choose(self.game.rules, seen.records, seen.viewers, keys, *habits, values, actions)
        return actions, values

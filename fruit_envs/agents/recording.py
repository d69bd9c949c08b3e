"""Recording: games that agents play, written down as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fruit_envs.agents.asking import ask, new_memory
from fruit_envs.agents.names import make_agent
from fruit_envs.base.checks import as_seed, entropy
from fruit_envs.base.errors import InvalidOption, brief
from fruit_envs.declare.options import whole
from fruit_envs.runtime.game import Game, as_game
from fruit_envs.runtime.records import CUT, FORMAT, rule_options, scores_of

__all__ = ["record"]


def record(
    game: str | Game,
    agents: Any = "random",
    *,
    games: int = 1,
    seed: int | None = None,
    agent_seed: int = 0,
    starter: int | None = None,
    max_cycles: int | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """Play games and write their records.

    Parameters
    ----------
    game
        A game's name or a `Game`.
    agents
        A registered name or an agent for all seats, or one per seat.
    games, seed
        Game g of `games` has seed `seed` + g; None draws from the system.
    agent_seed
        The agents' own randomness.
    starter
        The seat that starts, where the game lets one be named.
    max_cycles
        Cut a game off after so many cycles, as the PettingZoo faces do: its last event is then a `cut`.
    **options
        The game's options, if `game` is a name.

    Returns
    -------
    list of dict
        JSON-ready records.
    """
    limit = None if max_cycles is None else whole("max_cycles", 1, 2**31 - 1)(max_cycles)
    return list(_recorded(game, agents, games, seed, agent_seed, starter, limit, options))


def _recorded(
    game: str | Game,
    agents: Any,
    games: int,
    seed: int | None,
    agent_seed: int,
    starter: int | None,
    max_cycles: int | None,
    options: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    game = as_game(game, options)
    if game.custom:
        raise InvalidOption("expected a game made from options, which a record can name; got one from a rules record")
    games = whole("games", 1, 2**31)(games)
    seated = _seated(agents, game)
    first = as_seed(entropy() - games if seed is None else seed)
    forced = None
    if starter is not None:
        forced = game.components.reset_outcomes(game.rules, {"starter": starter})
        if not forced:
            raise InvalidOption(f"{game.name} has no starter to name, got starter={brief(starter)}")
    for g in range(games):
        state = game.deal(first + g, outcomes=forced)
        memories = [new_memory(agent) for agent in seated]
        text = game.text
        events = text.deal_events(state)
        cycles = 0
        while not state.over and cycles != max_cycles:
            seat = state.seat
            cycles += len(state.seats) == 1
            before, action = state.copy(), ask(seated[seat], state, seat, agent_seed, memories[seat])
            state.apply(seat, action)
            events += text.decision_events(before, seat, action, state)
        events += [] if state.over else [dict(CUT)]
        yield {
            "format": FORMAT,
            "game": game.name,
            "version": game.version,
            "options": rule_options(game),
            "seed": first + g,
            "agents": [getattr(agent, "name", type(agent).__name__) for agent in seated],
            "events": events,
            "scores": scores_of(state),
            "returns": (state.returns if state.over else state.cut_returns).tolist(),
        }


def _seated(agents: Any, game: Game) -> list[Any]:
    if isinstance(agents, Sequence) and not isinstance(agents, str):
        if len(agents) not in (1, game.num_players):
            raise InvalidOption(f"expected one agent or {game.num_players}, got {len(agents)}")
        made = [make_agent(agent, game) for agent in agents]
        return made * (game.num_players // len(made))
    return [make_agent(agents, game)] * game.num_players

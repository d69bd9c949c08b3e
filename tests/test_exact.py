"""Exact methods over the contract: keys, forced chance and copies carry counterfactual regret minimisation.

The shrunken game has a fixed layout (no chance but which fruit lies under which hidden tile), two seats that have
peeked, and `columns` columns of `size` cards.
"""

from __future__ import annotations

import pytest

from fruit_envs import Game
from fruit_envs.games.fruit_cocktail.components import CARD, HIDE, PEEK, START, mini_rules


def roots(columns, size):
    """The deals that differ only in the arrangement of the three hidden tiles, as (probability, state)."""
    game = Game("fruit_cocktail", rules=mini_rules(columns, size))
    cards = columns * size
    fixed = {(CARD, i): 0 for i in range(cards)} | {(HIDE, i): 0 for i in range(3)} | {(PEEK, i): 0 for i in range(3)}
    fixed |= {(START, 0): 0}
    deals = list(game.deals(fixed))
    # The tiles beyond the three hidden ones lie face up, each at its own number: the layout is fixed.
    up = list(range(3, columns))
    layout = [(p, state) for p, state in deals if state.records["tiles"][0, 3:columns].tolist() == up]
    total = sum(p for p, _ in layout)
    return [(p / total, state) for p, state in layout]


def walk(state, visit):
    visit(state)
    if not state.over:
        for action in state.legal_actions(state.seat):
            for _, child in state.transitions(state.seat, action):
                walk(child, visit)


@pytest.mark.parametrize(("columns", "size", "expected"), [(3, 2, 93), (4, 2, 747), (5, 2, 7473)])
def test_information_sets_of_shrunken_games(columns, size, expected):
    """3 private types; before pick k there are (2c)(2c-2)...(2c-2k+2) public histories: 3 (1 + 6 + 24) = 93."""
    deals = roots(columns, size)
    assert sum(p for p, _ in deals) == pytest.approx(1)
    assert len(deals) == 6
    keys = set()
    for _, state in deals:
        walk(state, lambda s: s.over or keys.add(s.information_state(s.seat)))
    assert len(keys) == expected


class CFRPlus:
    """Tabular CFR+ (Tammelin 2014) with alternating updates and linear averaging, for two seats, zero-sum."""

    def __init__(self, deals):
        self.regrets: dict[bytes, dict[int, float]] = {}
        self.averages: dict[bytes, dict[int, float]] = {}
        self.deals = [(p, self.node(state)) for p, state in deals]

    def node(self, state):
        """The game tree, built once: (key, seat, {action: child}) or the payoff of seat 0."""
        if state.over:
            return float(state.returns[0])
        seat = state.seat
        children = {}
        for action in state.legal_actions(seat):
            ((_, child),) = state.transitions(seat, action)
            children[action] = self.node(child)
        return state.information_state(seat), seat, children

    def strategy(self, key, actions):
        regrets = self.regrets.setdefault(key, dict.fromkeys(actions, 0.0))
        total = sum(regrets.values())
        return {a: regrets[a] / total if total > 0 else 1 / len(regrets) for a in actions}

    def average(self, key, actions):
        weights = self.averages.get(key, {})
        total = sum(weights.values())
        return {a: weights[a] / total if total > 0 else 1 / len(actions) for a in actions}

    def iterate(self, iteration):
        for learner in (0, 1):
            pending: dict[bytes, dict[int, float]] = {}
            for probability, root in self.deals:
                self.traverse(root, learner, 1.0, probability, iteration, pending)
            for key, changes in pending.items():
                for action, change in changes.items():
                    self.regrets[key][action] = max(0.0, self.regrets[key][action] + change)

    def traverse(self, node, learner, own, others, iteration, pending):
        """Counterfactual value for seat 0 under the current strategies; regrets change after the whole sweep."""
        if isinstance(node, float):
            return node
        key, seat, children = node
        strategy = self.strategy(key, children)
        values = {}
        for action, child in children.items():
            if seat == learner:
                values[action] = self.traverse(child, learner, own * strategy[action], others, iteration, pending)
            else:
                values[action] = self.traverse(child, learner, own, others * strategy[action], iteration, pending)
        value = sum(strategy[a] * values[a] for a in children)
        if seat == learner:
            sign = 1 if learner == 0 else -1
            changes = pending.setdefault(key, dict.fromkeys(children, 0.0))
            average = self.averages.setdefault(key, dict.fromkeys(children, 0.0))
            for a in children:
                changes[a] += others * sign * (values[a] - value)
                average[a] += iteration * own * strategy[a]
        return value

    def nash_conv(self):
        """What both seats could gain together by best responses to the average strategies."""
        return sum(self.best_response(seat) for seat in (0, 1))

    def best_response(self, seat):
        """Value to `seat` of its best response, found information set by information set from the deepest up."""
        groups: dict[bytes, list] = {}

        def reach(node, probability, depth):
            if isinstance(node, float):
                return
            key, mover, children = node
            if mover == seat:
                groups.setdefault(key, [depth, []])[1].append((probability, node))
            policy = None if mover == seat else self.average(key, children)
            for action, child in children.items():
                reach(child, probability * (1.0 if policy is None else policy[action]), depth + 1)

        for probability, root in self.deals:
            reach(root, probability, 0)
        choice: dict[bytes, int] = {}

        def value(node):
            if isinstance(node, float):
                return node if seat == 0 else -node
            key, mover, children = node
            if mover == seat:
                return value(children[choice[key]])
            policy = self.average(key, children)
            return sum(policy[a] * value(child) for a, child in children.items())

        for key, (_, members) in sorted(groups.items(), key=lambda item: -item[1][0]):
            actions = members[0][1][2]
            choice[key] = max(actions, key=lambda a: sum(p * value(node[2][a]) for p, node in members))
        return sum(p * value(root) for p, root in self.deals)


def test_cfr_plus_solves_the_three_by_two_game():
    solver = CFRPlus(roots(3, 2))
    before = solver.nash_conv()
    for iteration in range(1, 400):
        solver.iterate(iteration)
        if iteration % 20 == 0 and solver.nash_conv() < 0.01:
            break
    assert before > 0.05, "uniform play is exploitable"
    assert solver.nash_conv() < 0.01
    assert len(solver.regrets) == 93


def test_forced_and_listed_chance_agree_with_the_deal():
    game = Game("fruit_cocktail", num_players=2)
    states = list(Game("fruit_cocktail", rules=mini_rules(2, 2, hidden=2)).deals({}))
    assert sum(p for p, _ in states) == pytest.approx(1)
    assert all(state.over is False for _, state in states)
    first = game.deal(5, outcomes={(START, 0): 1})
    assert first.seat == 1
    second = game.deal(5, outcomes={(START, 0): 0})
    assert second.seat == 0
    assert first.records["order"].tolist() == second.records["order"].tolist(), "other chance is as it was"

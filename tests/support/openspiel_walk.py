"""A match of an OpenSpiel game beside the Reasoner, node by node: choices, chance, the end and the utilities."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

import gdl
from gdl.engine import is_nature

CHANCE: Final = -1
SIMULTANEOUS: Final = -2


def walk(game: Any, reasoner: gdl.Reasoner, utilities: Callable[[list[int]], list[float]], seed: int) -> int:
    """Play a random match of both; assert that they agree, and return the number of nodes."""
    random, nodes = Random(seed), 0
    state, facts = game.new_initial_state(), reasoner.initial_state()
    agents = [role for role in reasoner.roles if not is_nature(role)]
    turns = str(game.get_type().dynamics) == "Dynamics.SEQUENTIAL"
    while not reasoner.is_terminal(facts):
        legal = {role: reasoner.legal_moves(facts, role) for role in reasoner.roles}
        texts = {role: {reasoner.rulesheet.respell(move).text: move for move in legal[role]} for role in legal}
        moves = {role: legal[role][0] for role in legal}
        deciding = [role for role in agents if len(legal[role]) > 1]
        if deciding:
            assert not state.is_terminal()
            nodes += 1
            asked = deciding if turns else agents
            assert state.current_player() == (agents.index(*deciding) if turns else SIMULTANEOUS)
            actions = []
            for player, role in enumerate(agents):
                named = {state.action_to_string(player, action): action for action in state.legal_actions(player)}
                assert named.keys() == (texts[role].keys() if role in asked else set())
                if role in asked:
                    text = random.choice(sorted(named))
                    moves[role] = texts[role][text]
                    actions.append(named[text])
            state.apply_action(actions[0]) if turns else state.apply_actions(actions)
        for role in legal:
            if is_nature(role) and len(legal[role]) > 1:
                nodes += 1
                assert state.current_player() == CHANCE
                outcomes = dict(state.chance_outcomes())
                named = {state.action_to_string(CHANCE, outcome): outcome for outcome in outcomes}
                assert named.keys() == texts[role].keys()
                assert all(abs(chance - 1 / len(named)) < 1e-12 for chance in outcomes.values())
                text = random.choice(sorted(named))
                moves[role] = texts[role][text]
                state.apply_action(named[text])
        facts = reasoner.next_state(facts, moves)
    assert state.is_terminal()
    assert state.returns() == utilities([reasoner.goal(facts, role) for role in agents])
    return nodes

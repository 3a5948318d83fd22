"""Shipped games with hidden information or choices at once against the same games of OpenSpiel, and its algorithms."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import gdl
from ggp.rules.shipped_games import find_game
from ggp.solver.extensive.equilibrium import Equilibrium, solve_extensive
from ggp.solver.extensive.response import best_response, expected_goals

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

#: The exploitability up to which a game is solved, as a share of the range of goals.
SHARE = 5e-3

LIARS_DICE = "liars_dice(numdice=1)"
GOOFSPIEL = "goofspiel(num_cards=4,points_order=descending,returns_type=win_loss)"

#: The bids of liar's dice by their number in OpenSpiel.
BIDS = [f"(bid {dice} {number})" for dice in (1, 2) for number in range(1, 7)]


def loaded(name: str) -> gdl.Reasoner:
    return gdl.Reasoner.load(find_game(name))


def solved(name: str) -> Equilibrium:
    game = loaded(name)
    limits: dict[str, Any] = {"seconds": 300.0, "memory": 6.0, "progress": lambda _: None}
    answer = solve_extensive(game, game.initial_state(), exploitability=SHARE, **limits)
    assert isinstance(answer, Equilibrium)
    assert answer.stop is None
    return answer


def probabilities(answer: Equilibrium, player: int) -> dict[str, dict[str, float]]:
    """The probabilities of a player's moves by what it knows."""
    return {
        own.text(): {move.text: share for move, share in answer.probabilities(own).items()}
        for own in answer.tree.sets[player]
    }


def normalised(shares: list[tuple[int, float]]) -> list[tuple[int, float]]:
    total = sum(share for _, share in shares)
    return [(action, share / total) for action, share in shares]


# ------------------------------------------------------------------------------------------ liar's dice


def move_of(action: int) -> str:
    return "liar" if action == len(BIDS) else BIDS[action]


def test_liars_dice_has_the_same_moves_and_winners() -> None:
    game, theirs, rng = loaded("liars_dice_1"), pyspiel.load_game(LIARS_DICE), Random(1)
    for _ in range(150):
        dice = rng.randrange(6), rng.randrange(6)
        state = theirs.new_initial_state()
        for die in dice:
            state.apply_action(die)
        own = game.next_state(game.initial_state(), ("noop", "noop", f"(roll {dice[0] + 1} {dice[1] + 1})"))
        while not state.is_terminal():
            mover = state.current_player()
            legal = state.legal_actions()
            assert [str(move) for move in game.legal_moves(own, game.roles[mover])] == sorted(map(move_of, legal))
            action = rng.choice(legal)
            state.apply_action(action)
            joint = ["noop", "noop", "noop"]
            joint[mover] = move_of(action)
            own = game.next_state(own, joint)
        assert game.is_terminal(own)
        assert [50 + 50 * won for won in state.returns()] == [game.goal(own, role) for role in ("alice", "bob")]


def known_dice(player: int, die: int, actions: list[int]) -> str:
    """What a player knows in liar's dice, as our information sets put it."""
    other = ("alice", "bob")[1 - player]
    told = [
        move_of(action) if number % 2 == player else f"sees (heard {other} {move_of(action)})"
        for number, action in enumerate(actions)
    ]
    return "; ".join([f"sees (own_die {die})", *told])


@pytest.mark.exhaustive
def test_liars_dice_has_the_same_value() -> None:
    answer = solved("liars_dice_1")
    theirs = pyspiel.load_game(LIARS_DICE)
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(16):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    error = pyspiel.exploitability(theirs, policy)
    assert error < 0.1
    value = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)[0]
    # Each value is as far from the true one as what both strategies can lose, at most.
    assert abs((answer.goals[0] - 50) / 50 - value) <= 2 * error + 2 * answer.exploitability / 50
    assert 100 - answer.best[1] <= 50 - 50 / 36 <= answer.best[0]
    # Our strategies, played in their game, are worth the same, and lose as little to best responses.
    tables = [probabilities(answer, player) for player in range(2)]
    shares: dict[str, list[tuple[int, float]]] = {}
    for die in range(6):
        state = theirs.new_initial_state()
        for _ in range(2):
            state.apply_action(die)
        waiting = [(state, [])]
        while waiting:
            state, actions = waiting.pop()
            if state.is_terminal():
                continue
            legal, player = state.legal_actions(), state.current_player()
            known = tables[player].get(known_dice(player, die + 1, actions))
            found = [(action, known[move_of(action)] if known else 1.0) for action in legal]
            assert known or len(legal) == 1
            shares[state.information_state_string()] = normalised(found)
            waiting += [(state.child(action), [*actions, action]) for action in legal]
    ours = pyspiel.TabularPolicy(shares)
    assert pyspiel.exploitability(theirs, ours) == pytest.approx(answer.exploitability / 50, abs=1e-4)
    worth = pyspiel.expected_returns(theirs.new_initial_state(), ours, -1, True)
    assert worth[0] == pytest.approx((answer.goals[0] - 50) / 50, abs=1e-4)


# ------------------------------------------------------------------------------------------ goofspiel


def known_bids(player: int, bids: list[tuple[int, int]]) -> str:
    """What a player knows in goofspiel before it bids, as our information sets put it."""
    other = ("left", "right")[1 - player]
    told = [part for pair in bids for part in (f"(bid {pair[player]})", f"sees {other} (bid {pair[1 - player]})")]
    return "; ".join(told) or "nothing yet"


def test_goofspiel_has_the_same_value_and_errors() -> None:
    answer = solved("goofspiel_4")
    theirs = pyspiel.convert_to_turn_based(pyspiel.load_game(GOOFSPIEL))
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    error = pyspiel.exploitability(theirs, policy)
    value = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)[0]
    assert abs((answer.goals[0] - 50) / 50 - value) <= 2 * error + 2 * answer.exploitability / 50
    # Their strategies, played in our game, are worth the same, and lose as much to best responses.
    found: dict[tuple[int, str], dict[str, float]] = {}
    waiting: list[tuple[Any, list[int]]] = [(theirs.new_initial_state(), [])]
    ends = 0
    while waiting:
        state, actions = waiting.pop()
        if state.is_terminal():
            ends += 1
            continue
        player = state.current_player()
        cards = [action + 1 for action in actions[: len(actions) // 2 * 2]]
        known = known_bids(player, list(zip(cards[::2], cards[1::2], strict=True)))
        shares = policy.action_probabilities(state)
        found[player, known] = {f"(bid {action + 1})": share for action, share in shares.items()}
        waiting += [(state.child(action), [*actions, action]) for action in state.legal_actions()]
    assert ends == (4 * 3 * 2) ** 2
    strategies = []
    for player, sets in enumerate(answer.tree.sets):
        strategy = np.zeros(1 + sum(len(own.moves) for own in sets))
        for own in sets:
            for number, move in enumerate(own.moves):
                strategy[own.first + number] = found[player, own.text()][move.text]
        strategies.append(strategy)
    best = [best_response(answer.tree, strategies, player)[0] for player in range(2)]
    assert (sum(best) - 100) / 2 == pytest.approx(50 * error, abs=1e-6)
    assert expected_goals(answer.tree, strategies)[0] == pytest.approx(50 + 50 * value, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_goofspiel_has_the_same_winners(seed: int) -> None:
    game, theirs, rng = loaded("goofspiel_4"), pyspiel.load_game(GOOFSPIEL), Random(seed)
    for _ in range(30):
        hands = [rng.sample(range(1, 5), 4) for _ in range(2)]
        state, own = theirs.new_initial_state(), game.initial_state()
        for pair in zip(*hands, strict=True):
            if not state.is_terminal():  # their last cards are played without a choice
                state.apply_actions([card - 1 for card in pair])
            own = game.next_state(own, [f"(bid {card})" for card in pair])
        assert state.is_terminal()
        assert [50 + 50 * won for won in state.returns()] == [game.goal(own, role) for role in game.roles]

"""Claims about a game as a whole: the results of random playouts, proofs about all states, and symmetries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from math import prod, sqrt
from random import Random
from typing import Any

import gdl
from gdl.circuit.serialization import dumped, loaded
from gdl.grounder.symmetry import Symmetry
from ggp.environments.length import longest
from ggp.rules.game_type import CONSTANT_SUM, TURNS, classify_game
from support.comparing import Disagreement, Played, outcome, same
from support.many_states import NO_GOAL

# Random playouts

#: How many playouts there are; they are cut off at the ply up to which there are at most so many joint moves.
PLAYOUTS = 2_000
FORESEEN = 400
#: The most standard deviations between a count and what is expected; so many more may always be counted.
DEVIATIONS = 6.0

#: The goal values of all roles (a tuple of the wrong ones where they are no goals), or "stuck" or "cut".
End = Any


def foreseen(reasoner: gdl.Reasoner, state: gdl.State) -> tuple[int, dict[End, float], float]:
    """A number of plies, the shares of the ends of playouts that are cut off then, and their mean length."""
    now, shares, length, most, seen = {state: 1.0}, Counter[End](), 0.0, 0, 0
    stuck = 0.0
    while True:
        going: list[tuple[float, list[Any], gdl.State]] = []
        for state, share in now.items():
            legal = [outcome(reasoner.legal_moves, state, role) for role in reasoner.roles]
            if reasoner.is_terminal(state):
                shares[tuple(outcome(reasoner.goal, state, role) for role in reasoner.roles)] += share
            elif "no legal move" in legal:
                stuck += share
            else:
                going.append((share, legal, state))
        seen += sum(prod(map(len, legal)) for _, legal, _ in going)
        if seen > FORESEEN:
            shares["cut"] += stuck + sum(share for share, _, _ in going)  # it would have to move to be stuck
            return most, shares, length
        shares["stuck"] += stuck
        if not going:
            return most + 1, shares, length
        now, stuck = {}, 0.0
        for share, legal, state in going:
            for moves in product(*legal):
                after = reasoner.next_state(state, moves)
                now[after] = now.get(after, 0.0) + share / prod(map(len, legal))
            length += share
        most += 1


def check_shares(question: str, total: int, found: Mapping[Any, int], shares: Mapping[Any, float]) -> None:
    """Check that things are counted about as often as they are expected, and impossible ones never."""
    for key in {*found, *shares}:
        share, count = shares.get(key, 0.0), found.get(key, 0)
        spread = sqrt(total * share * (1 - share)) if share < 1 else 0.0
        if abs(count - total * share) > (DEVIATIONS * (spread + 1) if 0 < share < 1 - 1e-9 else 0.5):
            raise Disagreement(f"{question}: expected {key} in {share:.4f} of {total}, found {count}")


def check_playouts(simulator: gdl.Simulator, reasoner: gdl.Reasoner, played: Played) -> None:
    """Check the ends and lengths of playouts from the initial state and from another one."""
    states = [None, *([played.positions[-1]] if len(played.positions) > 1 else [])]
    for position in states:
        facts = None if position is None else [played.shown(fact) for fact in position.facts]
        most, shares, length = foreseen(reasoner, reasoner.initial_state() if facts is None else reasoner.state(facts))
        if not most:
            continue
        begin = simulator.initial_state() if facts is None else simulator.state(facts)
        result = simulator.playouts(PLAYOUTS, None if facts is None else begin, seed=1, max_plies=most)
        same("playouts: number", PLAYOUTS, result.playouts)
        for number, role in enumerate(reasoner.roles):
            values: Counter[Any] = Counter()
            for end, share in shares.items():
                values[end if isinstance(end, str) else _goal_of(end[number])] += share  # type: ignore[assignment]
            counted = {"stuck": result.stuck, "cut": result.cut, None: result.undefined[role], **result.counts[role]}
            check_shares(f"playouts of {role}", PLAYOUTS, counted, values)
        if abs(result.transitions / PLAYOUTS - length) > DEVIATIONS * most / 2 / sqrt(PLAYOUTS) or (
            result.max_length > most
        ):
            raise Disagreement(f"playouts: expected {length} plies on average, {most} at most, found {result}")
        if "cut" in shares:
            continue
        arrays = simulator.arrays
        ends = arrays.playouts(arrays.pack([begin] * 512), seed=1)
        for number in range(len(reasoner.roles)):
            values = Counter()
            for end, share in shares.items():
                values[_small(None if isinstance(end, str) else _goal_of(end[number]))] += share  # type: ignore[assignment]
            check_shares("arrays: playouts", 512, Counter(ends[:, number].tolist()), values)


def _goal_of(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _small(value: int | None) -> int:
    return NO_GOAL if value is None or abs(value) >= 2**15 else value


# What is proved


def check_proved(simulator: gdl.Simulator, played: Played) -> None:
    """Check what is proved of all states, and that a circuit is read as it was written."""
    game = simulator.circuit
    same("circuit read again", dumped(game), dumped(loaded(dumped(game))))
    most, limit = max(map(len, played.playouts)) - 1, longest(simulator)
    if limit is not None and most > limit:
        raise Disagreement(f"longest: expected at least {most}, found {limit}")
    kind = classify_game(simulator, seconds=0.02)
    players = [role for role in played.game.roles if role != "random"]
    for position in played.positions:
        if position.model.get(("terminal", 0)):
            values = [played.goal(position.model, role) for role in players]
            if CONSTANT_SUM in kind.proved and not all(isinstance(value, int) for value in values):
                raise Disagreement(f"constant sum: found {values}")
            if CONSTANT_SUM in kind.proved:
                same("constant sum", kind.total, sum(values))  # type: ignore[arg-type]
        elif TURNS in kind.proved and sum(len(played.moves(position.model, role)) > 1 for role in players) > 1:
            raise Disagreement(f"in turns: found {position.facts}")


def check_symmetry(reasoner: gdl.Reasoner, symmetry: Symmetry, plays: int = 3, most: int = 40) -> None:
    """Compare random matches, state by state, with the ones that the symmetry turns them into."""
    rng = Random(1)
    roles = {role: symmetry.roles[gdl.parse_term(role)].text for role in reasoner.roles}
    for _ in range(plays):
        state = reasoner.initial_state()
        for _ in range(most):
            image = reasoner.state([symmetry.facts[fact] for fact in state])
            assert reasoner.is_terminal(image) == reasoner.is_terminal(state)
            if reasoner.is_terminal(state):
                for role, other in roles.items():
                    same("goal of an image", outcome(reasoner.goal, state, role), outcome(reasoner.goal, image, other))
                break
            if any(outcome(reasoner.legal_moves, state, role) == "no legal move" for role in roles):
                break
            joint, joint_image = {}, {}
            for role, other in roles.items():
                legal = reasoner.legal_moves(state, role)
                renamed = {move: symmetry.moves[gdl.parse_term(role), move] for move in legal}
                assert all(owner.text == other for owner, _ in renamed.values())
                assert {move for _, move in renamed.values()} == set(reasoner.legal_moves(image, other))
                joint[role] = rng.choice(legal)
                joint_image[other] = renamed[joint[role]][1]
            following = reasoner.next_state(image, [joint_image[role] for role in reasoner.roles])
            state = reasoner.next_state(state, [joint[role] for role in reasoner.roles])
            assert following == reasoner.state([symmetry.facts[fact] for fact in state])

"""Random games with a few hundred states: turns, several moves in a row, cycles, and some that cannot be solved."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

#: The goals at the ends of games, in the order of the roles.
GOALS: Final[Sequence[Sequence[tuple[int, ...]]]] = (
    ((100, 0), (0, 100), (50, 50)),
    ((100, 0), (0, 100)),
    ((90, 5), (10, 60), (40, 50), (0, 70)),
    ((100, 100), (0, 0), (30, 80)),
    ((50, 50), (50, 50)),
    ((100, 0, 0), (0, 100, 50), (20, 30, 100)),
)


def small_game(seed: int) -> str:
    """The rules of a game: roles in turn set cells to values.

    Each action has preconditions, sets or advances one or two cells, and determines who moves next. The value of the
    first cell decides the goals. A counter of plies limits some games. In a few games, a role may lack a move, or two
    roles may have a choice at once.
    """
    random = Random(seed)
    goals = random.choice(GOALS)
    roles = ("left", "right", "third")[: len(goals[0])]
    sizes = [len(goals) + random.randrange(2), *(random.choice((2, 3, 4)) for _ in range(random.randint(1, 3)))]
    cells = range(len(sizes))
    lines = [f"(role {role})" for role in roles]
    lines += [f"(init (cell {cell} {random.randrange(sizes[cell])}))" for cell in cells]
    lines += [f"(succ {cell} {value} {(value + 1) % sizes[cell]})" for cell in cells for value in range(sizes[cell])]
    lines += [f"(init (turn {roles[0]}))"]
    lines += _actions(random, roles, sizes)
    lines += _ends(random, sizes)
    if random.random() < 0.25:
        last = random.randint(3, 9)
        lines += ["(init (ply 0))", *(f"(after {ply} {ply + 1})" for ply in range(last))]
        lines += ["(<= (next (ply ?q)) (true (ply ?p)) (after ?p ?q))", f"(<= terminal (true (ply {last})))"]
    for value in range(sizes[0]):
        outcome = goals[value % len(goals)]
        for role, goal in zip(roles, outcome, strict=True):
            lines.append(f"(<= (goal {role} {goal}) (true (cell 0 {value})))")
    return "\n".join(lines)


def _actions(random: Random, roles: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """Legal moves, and the values of cells and the turn that they lead to."""
    lines = ["(<= (next (cell ?c ?v)) (true (cell ?c ?v)) (not (changed ?c)))"]
    turns = random.choice(("alternate", "any"))
    for number, role in enumerate(roles):
        for action in range(random.randint(2, 4)):
            move = f"(do {action})"
            conditions = [_literal(random, sizes) for _ in range(random.choice((0, 0, 1, 1, 2)))]
            lines.append(f"(<= (legal {role} {move}) (true (turn {role})) {' '.join(conditions)})")
            for cell in random.sample(range(len(sizes)), random.choice((1, 1, min(2, len(sizes))))):
                if random.random() < 0.6:
                    step = f"(true (cell {cell} ?v)) (succ {cell} ?v ?w)"
                    lines.append(f"(<= (next (cell {cell} ?w)) (does {role} {move}) {step})")
                else:
                    lines.append(f"(<= (next (cell {cell} {random.randrange(sizes[cell])})) (does {role} {move}))")
                lines.append(f"(<= (changed {cell}) (does {role} {move}))")
            next_one = roles[(number + 1) % len(roles)] if turns == "alternate" else random.choice(roles)
            lines.append(f"(<= (next (turn {next_one})) (does {role} {move}))")
        if random.random() < 0.94:
            following = roles[(number + 1) % len(roles)]
            lines += [f"(<= (legal {role} pass) (true (turn {role})))"]
            lines += [f"(<= (next (turn {following})) (does {role} pass))"]
    lines.append("(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))")
    if random.random() < 0.1:
        lines.append(f"(<= (legal {roles[1]} wave) (not (true (turn {roles[1]}))) {_literal(random, sizes)})")
    return lines


def _ends(random: Random, sizes: Sequence[int]) -> list[str]:
    """Conditions of the end: values of two or three cells."""
    lines = []
    for _ in range(random.randint(1, 3)):
        cells = random.sample(range(len(sizes)), min(len(sizes), random.choice((2, 2, 3))))
        held = " ".join(f"(true (cell {cell} {random.randrange(sizes[cell])}))" for cell in cells)
        lines.append(f"(<= terminal {held})")
    return lines


def _literal(random: Random, sizes: Sequence[int]) -> str:
    """A condition about a random cell."""
    cell = random.randrange(len(sizes))
    atom = f"(true (cell {cell} {random.randrange(sizes[cell])}))"
    return f"(not {atom})" if random.random() < 0.2 else atom

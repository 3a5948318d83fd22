"""A game as four programs over rows of memory, with one bit for each lane: what another language needs to play it.

`look` tells from the facts of states whether they are terminal, which moves are legal, and the goals; `move` makes the
next facts, and percepts, from facts and the moves that are made. `step` makes a step of random playouts, and `finish`
tells how they ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import look, move
from gdl.codegen.playout_netlist import once_netlist
from gdl.codegen.portable.programs import Program, program

#: The most operations of a step of playouts, in all its plies: with more, a step takes a millisecond in a browser.
MOST_OPERATIONS: Final = 400_000


@final
@dataclass(frozen=True, slots=True)
class Playouts:
    """Random playouts that begin in given states: see `gdl.codegen.playout_netlist.once_netlist`.

    The state has the rows of `facts`, which are numbers of facts, and `flags` more. `next` is where a step writes it.
    The results are the rows of goals, then the row of lanes whose playouts are not over. A step makes up to `plies`
    plies.
    """

    step: Program
    finish: Program
    facts: tuple[int, ...]
    flags: int
    state: int
    next: int
    random: int
    randoms: int
    results: int
    plies: int


@final
@dataclass(frozen=True, slots=True)
class PortableGame:
    """The programs of a game, and its rows: facts, moves made, and results as in `gdl.codegen.evaluation`.

    Without `playouts`, these would be too large.
    """

    game: GameCircuit
    look: Program
    move: Program
    facts: int
    does: int
    results: int
    playouts: Playouts | None
    rows: int

    def about(self) -> dict[str, Any]:
        """Return what is needed to use the programs, as JSON."""
        game, playouts = self.game, self.playouts
        rows = {"facts": self.facts, "does": self.does, "results": self.results}
        if playouts is not None:
            rows |= {"state": playouts.state, "ends": playouts.results}
        return {
            "roles": [role.text for role in game.roles],
            "facts": [fact.text for fact in game.facts],
            "moves": [[role, move.text] for role, move in game.moves],
            "init": [number for number, holds in enumerate(game.init) if holds],
            "goals": [[role, -1 if value is None else value] for role, value in game.goal_table],
            "percepts": [[role, percept.text] for role, percept in game.sees],
            "rows": rows,
            "played": None if playouts is None else list(playouts.facts),
            "flags": 0 if playouts is None else playouts.flags,
            "plies": 0 if playouts is None else playouts.plies,
        }


def portable(game: GameCircuit) -> PortableGame:
    """Return the programs of a game."""
    looking, moving = look(game), move(game, percepts=True)
    facts = 2
    does = facts + len(game.facts)
    results = does + len(game.moves)
    free = results + max(len(looking.outputs), len(moving.outputs))
    given = list(range(facts, does))
    made = list(range(does, results))
    look_program = program(looking.netlist, given, _at(looking.outputs, results), free)
    move_program = program(moving.netlist, given + made, _at(moving.outputs, results), free)
    playouts = _playouts(game, free)
    used = max(look_program.rows, move_program.rows, 0 if playouts is None else playouts.finish.rows)
    if playouts is not None:
        used = max(used, playouts.step.rows)
    return PortableGame(game, look_program, move_program, facts, does, results, playouts, used)


def _playouts(game: GameCircuit, free: int) -> Playouts | None:
    # The mover's side would need states to be renamed, which costs callers more than it saves.
    made = once_netlist(replace(game, side=None))
    step, finish = made.step, made.restart
    assert finish is not None
    if len(step.netlist) > MOST_OPERATIONS:
        return None
    state, size = free, len(made.facts) + made.flags
    following = state + size
    random = following + size
    results = random + step.randoms
    free = results + len(finish.finals)
    # Between the state and the random rows, a netlist has one for the lanes that count: all of them.
    inputs = [*range(state, following), 1]
    stepping = program(step.netlist, [*inputs, *range(random, results)], _at(step.next, following), free)
    finishing = program(finish.netlist, inputs, _at(finish.finals, results), free)
    facts = tuple(made.facts)
    return Playouts(stepping, finishing, facts, made.flags, state, following, random, step.randoms, results, made.plies)


def _at(signals: Sequence[int], row: int) -> list[tuple[int, int]]:
    """Return results with the rows to which they are written, from one row on."""
    return [(signal, row + number) for number, signal in enumerate(signals)]

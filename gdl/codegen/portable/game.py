"""A game as programs over rows of memory, with one bit for each lane: what another language needs to play it.

`look` tells from the facts of states whether they are terminal, which moves are legal, and the goals; `move` makes the
next facts, and percepts, from facts and the moves that are made. `begin` makes the states of random playouts from
facts, `step` makes a step of them, and `finish` tells how they ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import look, move
from gdl.codegen.netlist import CHOOSE, ZEROS, Netlist
from gdl.codegen.playout_netlist import once_netlist
from gdl.codegen.portable.programs import Program, program

#: The most operations of a step of playouts, in all its plies: with more, a step takes a millisecond in a browser.
MOST_OPERATIONS: Final = 400_000

#: The first row of facts, after those of zeros and ones.
_FACTS: Final = 2


@final
@dataclass(frozen=True, slots=True)
class Playouts:
    """Random playouts that begin in given states: see `gdl.codegen.playout_netlist.once_netlist`.

    `state` is the first row of the state of playouts, and `next` that of the one that a step writes; both have as many
    rows, and among those of the state is `over`. The results are the rows of goals, then the row of lanes whose
    playouts are not over. A step makes up to `plies` plies. Its random rows come from two generators, by turns,
    beginning with the number `first`.
    """

    begin: Program
    step: Program
    finish: Program
    state: int
    over: int
    next: int
    random: int
    randoms: int
    first: int
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

    @property
    def operations(self) -> tuple[int, int, int | None]:
        """The operations of `look`, of `move`, and of a step of playouts, if there is one."""
        return self.look.operations, self.move.operations, self.playouts and self.playouts.step.operations

    def about(self) -> dict[str, Any]:
        """Return what is needed to use the programs, as JSON."""
        game, playouts = self.game, self.playouts
        rows = {"facts": self.facts, "does": self.does, "results": self.results}
        if playouts is not None:
            rows |= {"ends": playouts.results}
        return {
            "roles": [role.text for role in game.roles],
            "facts": [fact.text for fact in game.facts],
            "moves": [[role, move.text] for role, move in game.moves],
            "init": [number for number, holds in enumerate(game.init) if holds],
            "goals": [[role, -1 if value is None else value] for role, value in game.goal_table],
            "percepts": [[role, percept.text] for role, percept in game.sees],
            "rows": rows,
            "playing": playouts is not None,
            "plies": 0 if playouts is None else playouts.plies,
        }


def portable(game: GameCircuit) -> PortableGame:
    """Return the programs of a game."""
    looking, moving = look(game), move(game, percepts=True)
    facts = _FACTS
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
        used = max(used, playouts.begin.rows, playouts.step.rows)
    return PortableGame(game, look_program, move_program, facts, does, results, playouts, used)


def _playouts(game: GameCircuit, free: int) -> Playouts | None:
    made = once_netlist(game)
    step, finish = made.step, made.restart
    assert finish is not None
    if len(step.netlist) > MOST_OPERATIONS:
        return None
    state, over = free, free + len(made.facts) + made.sides
    following = over + made.flags
    random = 2 * following - state
    results = random + step.randoms
    free = results + len(finish.finals)
    # Between the state and the random rows, a netlist has one for the lanes that count: all of them.
    inputs = [*range(state, following), 1]
    begin = Netlist(len(game.facts))
    first = [2 + fact for fact in made.facts]
    if made.side is not None:  # in the lanes in which it is the other role's turn, facts are renamed
        other, source = 2 + made.side.other, made.side.source
        first = [begin.operation(CHOOSE, other, 2 + source[fact], 2 + fact) for fact in made.facts]
        first.append(other)
    first += [ZEROS] * made.flags
    given = range(_FACTS, _FACTS + len(game.facts))
    return Playouts(
        begin=program(begin, given, _at(first, state), free),
        step=program(step.netlist, [*inputs, *range(random, results)], _at(step.next, following), free),
        finish=program(finish.netlist, inputs, _at(finish.finals, results), free),
        state=state,
        over=over,
        next=following,
        random=random,
        randoms=step.randoms,
        first=(step.netlist.inputs - step.randoms) % 2,
        results=results,
        plies=made.plies,
    )


def _at(signals: Sequence[int], row: int) -> list[tuple[int, int]]:
    """Return results with the rows to which they are written, from one row on."""
    return [(signal, row + number) for number, signal in enumerate(signals)]

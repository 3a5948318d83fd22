"""How many instances relations, facts and moves have: derived by the Reasoner, and grounded, where that is quick."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, final

from gdl.errors import GdlError
from gdl.reading import Reading
from gdl.rules import Signature
from gdl.terms import Function, Term

if TYPE_CHECKING:
    from gdl.rulesheet import Rulesheet

#: What grounding may take: seconds, ground rules, bytes.
_SECONDS: Final = 5.0
_RULES: Final = 300_000
_MEMORY: Final = 1 << 30


@final
@dataclass(frozen=True, slots=True)
class Counts:
    """Instances by name without its case and arity. What could not be counted quickly is missing.

    `static` are relations that never change, `initial` others as they are in the initial state; `facts` and `moves`
    are all that may ever be true or done.
    """

    static: dict[Signature, int] = field(default_factory=dict)
    initial: dict[Signature, int] = field(default_factory=dict)
    start: Counter[Signature] = field(default_factory=Counter)
    facts: Counter[Signature] | None = None
    moves: Counter[Signature] | None = None


def counted(reading: Reading) -> Counts:
    """The instances in a text; nothing where it is refused."""
    if reading.mistakes:
        return Counts()
    from gdl.reasoner import Reasoner
    from gdl.rulesheet import Rulesheet

    try:
        game = Reasoner(Rulesheet(reading.source.text, reading.source.name))
    except GdlError:
        return Counts()
    state = game.initial_state()
    dynamic = game.rulesheet.graph.reaches([("true", 1)])
    counts = Counts(start=Counter(map(_signature, state)))
    for relation in game.rulesheet.graph.edges:
        variables = " ".join(f"?x{column}" for column in range(relation[1]))
        pattern = f"({relation[0]} {variables})" if relation[1] else relation[0]
        if relation == ("true", 1) or game.depends_on_moves(pattern):
            continue
        try:
            number = len(game.query(pattern, state))
        except GdlError:
            continue
        (counts.initial if relation in dynamic else counts.static)[relation] = number
    return _grounded(game.rulesheet, counts)


def _grounded(rulesheet: Rulesheet, counts: Counts) -> Counts:
    """The counts with those of all facts and moves, where the rules can be grounded."""
    from gdl.grounder import Budget, ground

    try:
        program = ground(rulesheet, Budget(_SECONDS, _RULES, _MEMORY))
    except GdlError:
        return counts
    moves = Counter(_signature(move) for move in {move for _, move in program.does})
    return replace(counts, facts=Counter(map(_signature, program.true)), moves=moves)


def _signature(term: Term) -> Signature:
    return (term.name.lower(), len(term.args)) if isinstance(term, Function) else (term.text.lower(), 0)

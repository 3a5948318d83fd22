"""The Game Description Language: reading rule files and reasoning with them.

>>> import gdl
>>> game = gdl.Reasoner("(role robot) (init (light off)) (<= (legal robot wait)) (<= (next (light on))) "
...                     "(<= terminal (true (light on))) (goal robot 100)")
>>> game.legal_moves(game.initial_state(), "robot")
(Constant('wait'),)

Terms:

- term: a constant, a variable or a function of terms; `parse_term` reads one from KIF text
- rulesheet: the rules of one game, read and checked; `Rulesheet(text)` or `Rulesheet.load(path)`
- role: the name of a player's part in the game; `random` stands for chance
- fact: a ground term that is true in a state
- state: the set of facts that hold at one moment, immutable and hashable
- move, joint move: the choice of one role; one move for each role, as a mapping or in the order of the roles
- legal, terminal, goal: a move that a role may make; a state in which the game is over; the value of such a state for a
  role, from 0 to 100
- percept: a term that a role perceives of a joint move, in games with hidden states
- engine: an object that answers these questions; `Engine` is the protocol
- Reasoner: the engine that derives answers from the rules; the reference for all others
- Simulator: the engine that runs a game compiled to machine code; `compile` makes it
- PartialGame: what `compile` returns if the budget does not suffice; slow, as the Reasoner helps it
- ply, playout: one joint move; a sequence of random plies until the game is over
- lane: one of the games that a Simulator plays side by side
- arrays, kernels: ways to query a Simulator for many states at once from Python, or for one from compiled code
- explanation: the derivations of an atom that holds, or the reasons why none exists
- diagnostic: an error, a warning or a hint that `check` reports for a rule file

Rules are given in the same ways everywhere: a `str` is rule text, a `pathlib.Path` is a file, and `Reasoner` and
`compile` also take a `Rulesheet`. A `str` is never treated as a path; the `load` methods take paths.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from gdl.compile_errors import CompileError, GroundingError, MakingError, MiscompiledError, NotWholeError
from gdl.errors import (
    DerivationLimitError,
    FileError,
    GdlError,
    GoalError,
    IllegalMoveError,
    JointMoveError,
    Location,
    Mistake,
    NoLegalMoveError,
    PlayError,
    RulesheetError,
    Source,
    TermError,
    TextError,
    UnknownRelationError,
    UnknownRoleError,
    UnreachableStateError,
)
from gdl.terms import Constant, Function, Term, Variable

if TYPE_CHECKING:
    from gdl.checker import Diagnostic, check
    from gdl.compile_budget import CompileBudget
    from gdl.engine import Engine
    from gdl.explanation import Explanation
    from gdl.language.formatter import format_text
    from gdl.language.parser import parse_term, parse_terms
    from gdl.language.rulesheet import Rulesheet
    from gdl.reasoner.budget import DerivationBudget
    from gdl.reasoner.joint_moves import Moves
    from gdl.reasoner.reasoner import Reasoner
    from gdl.reasoner.state import State
    from gdl.simulator.arrays import Arrays
    from gdl.simulator.kernels import Kernels
    from gdl.simulator.packed_state import PackedState
    from gdl.simulator.partial_game import PartialGame
    from gdl.simulator.playouts import PlayoutResult
    from gdl.simulator.simulator import Simulator, compile  # noqa: A004

#: The modules of the names that are loaded on first use, so that `import gdl` itself stays quick.
_LATE = {
    "Arrays": "gdl.simulator.arrays",
    "CompileBudget": "gdl.compile_budget",
    "DerivationBudget": "gdl.reasoner.budget",
    "Diagnostic": "gdl.checker",
    "Engine": "gdl.engine",
    "Explanation": "gdl.explanation",
    "Kernels": "gdl.simulator.kernels",
    "Moves": "gdl.reasoner.joint_moves",
    "PackedState": "gdl.simulator.packed_state",
    "PartialGame": "gdl.simulator.partial_game",
    "PlayoutResult": "gdl.simulator.playouts",
    "Reasoner": "gdl.reasoner.reasoner",
    "Rulesheet": "gdl.language.rulesheet",
    "Simulator": "gdl.simulator.simulator",
    "State": "gdl.reasoner.state",
    "check": "gdl.checker",
    "compile": "gdl.simulator.simulator",
    "format_text": "gdl.language.formatter",
    "parse_term": "gdl.language.parser",
    "parse_terms": "gdl.language.parser",
}


def __getattr__(name: str) -> object:
    """Load a name on first use."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATE[name]), name)
    globals()[name] = value
    return value


__all__ = [
    "Arrays",
    "CompileBudget",
    "CompileError",
    "Constant",
    "DerivationBudget",
    "DerivationLimitError",
    "Diagnostic",
    "Engine",
    "Explanation",
    "FileError",
    "Function",
    "GdlError",
    "GoalError",
    "GroundingError",
    "IllegalMoveError",
    "JointMoveError",
    "Kernels",
    "Location",
    "MakingError",
    "MiscompiledError",
    "Mistake",
    "Moves",
    "NoLegalMoveError",
    "NotWholeError",
    "PackedState",
    "PartialGame",
    "PlayError",
    "PlayoutResult",
    "Reasoner",
    "Rulesheet",
    "RulesheetError",
    "Simulator",
    "Source",
    "State",
    "Term",
    "TermError",
    "TextError",
    "UnknownRelationError",
    "UnknownRoleError",
    "UnreachableStateError",
    "Variable",
    "check",
    "compile",
    "format_text",
    "parse_term",
    "parse_terms",
]

"""The Game Description Language: reading rule files and reasoning with them.

>>> import gdl
>>> game = gdl.Reasoner("(role robot) (init (light off)) (<= (legal robot wait)) (<= (next (light on))) "
...                     "(<= terminal (true (light on))) (goal robot 100)")
>>> game.legal_moves(game.initial_state(), "robot")
(Constant('wait'),)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from gdl.errors import (
    DivergenceError,
    FileError,
    GdlError,
    GoalError,
    GroundingError,
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
)
from gdl.terms import Constant, Function, Term, Variable

if TYPE_CHECKING:
    from gdl.parser import parse_term, parse_terms
    from gdl.reasoner import Moves, Reasoner
    from gdl.rulesheet import Rulesheet
    from gdl.state import State

#: Where names are that are loaded when they are first used: `import gdl` itself stays quick.
_LATE = {
    "Moves": "gdl.reasoner",
    "Reasoner": "gdl.reasoner",
    "Rulesheet": "gdl.rulesheet",
    "State": "gdl.state",
    "parse_term": "gdl.parser",
    "parse_terms": "gdl.parser",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LATE[name]), name)
    globals()[name] = value
    return value


__all__ = [
    "Constant",
    "DivergenceError",
    "FileError",
    "Function",
    "GdlError",
    "GoalError",
    "GroundingError",
    "IllegalMoveError",
    "JointMoveError",
    "Location",
    "Mistake",
    "Moves",
    "NoLegalMoveError",
    "PlayError",
    "Reasoner",
    "Rulesheet",
    "RulesheetError",
    "Source",
    "State",
    "Term",
    "TermError",
    "TextError",
    "UnknownRelationError",
    "UnknownRoleError",
    "Variable",
    "parse_term",
    "parse_terms",
]

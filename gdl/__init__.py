"""The Game Description Language: reading rule files and reasoning with them.

>>> import gdl
>>> game = gdl.Reasoner("(role robot) (init (light off)) (<= (legal robot wait)) (<= (next (light on))) "
...                     "(<= terminal (true (light on))) (goal robot 100)")
>>> game.legal_moves(game.initial_state(), "robot")
(Constant('wait'),)
"""

from gdl.errors import (
    DivergenceError,
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
)
from gdl.parser import parse_term, parse_terms
from gdl.reasoner import Moves, Reasoner
from gdl.rulesheet import Rulesheet
from gdl.state import State
from gdl.terms import Constant, Function, Term, Variable

__all__ = [
    "Constant",
    "DivergenceError",
    "FileError",
    "Function",
    "GdlError",
    "GoalError",
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

"""The meaning of the words of the language, shown for the word under the pointer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: The form and the meaning of each word.
KEYWORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "role": ("(role ROLE)", "ROLE takes part in the game. Roles are ordered as the file declares them."),
        "init": ("(init FACT)", "FACT is true in the state in which the game begins."),
        "true": ("(true FACT)", "FACT is true in the current state. Used in bodies only."),
        "next": ("(next FACT)", "FACT is true in the state after the joint move. Used in heads only."),
        "does": ("(does ROLE MOVE)", "ROLE makes MOVE in the joint move under way. Used in bodies only."),
        "legal": ("(legal ROLE MOVE)", "ROLE may make MOVE in the current state."),
        "goal": ("(goal ROLE VALUE)", "The current state is worth VALUE for ROLE: a whole number from 0 to 100."),
        "terminal": ("terminal", "The game is over in the current state."),
        "base": ("(base FACT)", "FACT may be true in some state."),
        "input": ("(input ROLE MOVE)", "ROLE may make MOVE in some state."),
        "sees": ("(sees ROLE PERCEPT)", "ROLE perceives PERCEPT of the joint move (GDL-II)."),
        "not": ("(not CONDITION)", "CONDITION does not hold. Its variables must be bound by other conditions."),
        "or": ("(or CONDITION ...)", "At least one of the conditions holds."),
        "and": ("(and CONDITION ...)", "All of the conditions hold."),
        "distinct": (
            "(distinct TERM TERM)",
            "The terms differ. Their variables must be bound by other conditions.",
        ),
        "<=": ("(<= HEAD CONDITION ...)", "HEAD holds if all the conditions do."),
    }
)

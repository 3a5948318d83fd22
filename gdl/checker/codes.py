"""The codes of all diagnostics. A code never changes its meaning; docs/codes/ has a page for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, final

Severity = Literal["error", "warning", "hint"]


@final
@dataclass(frozen=True, slots=True)
class Code:
    """The severity and meaning of a code. `refused`: no engine plays a file with it."""

    severity: Severity
    title: str
    refused: bool = False


def _refused(title: str) -> Code:
    return Code("error", title, refused=True)


def _error(title: str) -> Code:
    return Code("error", title)


def _warning(title: str) -> Code:
    return Code("warning", title)


def _hint(title: str) -> Code:
    return Code("hint", title)


#: All codes. Errors violate the specification of GDL. Warnings point at rules that can be played but may not be meant
#: that way, or that go beyond the specification in a way whose meaning is clear. Hints point at rules that are most
#: often meant as they are.
CODES: Final[Mapping[str, Code]] = MappingProxyType(
    {
        "foreign-file": _refused("a file is in another notation or encoding, or has something around its rules"),
        "unbalanced-parenthesis": _refused("a parenthesis is never closed, or closes nothing"),
        "unexpected-character": _refused("a control or format character, a lone ?, or a byte that is not UTF-8"),
        "too-deep": _refused("parentheses are nested deeper than 200 levels"),
        "empty-parentheses": _refused("() stands where a name is needed"),
        "not-an-atom": _refused("a condition, fact or head starts with a list instead of a name"),
        "not-a-term": _refused("a term starts with a list instead of a name"),
        "misplaced-variable": _refused("a variable stands where a name is needed"),
        "variable-in-fact": _refused("a fact has a variable"),
        "keyword-arity": _refused("a keyword has the wrong number of arguments"),
        "misplaced-keyword": _refused("a keyword is used where it is not allowed"),
        "unsafe-variable": _refused("a variable occurs in no positive condition"),
        "negation-in-cycle": _refused("a relation depends on its own negation"),
        "depends-on-true": _refused("a relation that must not depend on the state does"),
        "depends-on-does": _refused("a relation that must not depend on the moves does"),
        "no-role": _refused("no role is declared"),
        "no-terminal": _refused("nothing says when the game is over"),
        "too-many-alternatives": _refused("the alternatives of a rule multiply to too many rules"),
        "no-legal": _error("nothing says what a role may do"),
        "no-goal": _error("there are no rules for goal"),
        "keyword-out-of-place": _error("role is the head of a rule, or init, base or input is used in a body"),
        "keyword-function": _error("a keyword is the name of a function"),
        "goal-value": _error("a role's goal is not one whole number from 0 to 100"),
        "growing-recursion": _error("a recursion builds larger and larger terms"),
        "foreign-notation": _error("a statement is written in the notation of another language"),
        "no-legal-move": _error("a role has no legal move, and the game is not over; found by --simulate"),
        "unrestricted-recursion": _warning(
            "a recursion violates the restriction of the specification, but is harmless"
        ),
        "split-negation": _warning("a relation depends on its own negation, though no atom does"),
        "negated-connective": _warning("not stands before something other than an atom"),
        "keyword-constant": _warning("a keyword is a constant"),
        "empty-connective": _warning("or or and has no conditions, or only one"),
        "nested-connective": _warning("or stands in or, and in and, or and at the top of a body"),
        "parenthesised-name": _warning("a name stands alone in parentheses"),
        "empty-body": _warning("a rule has no conditions"),
        "duplicate-rule": _warning("a rule or fact occurs twice in the file"),
        "misspelled-variable": _warning("a variable occurs only once, and is spelled almost like another one"),
        "constant-like-variable": _warning("a constant is spelled like a variable of its rule"),
        "misspelled-name": _warning("a constant or function occurs only once, and is spelled almost like another one"),
        "case-differs": _warning("a symbol is spelled in two ways that differ in case"),
        "two-arities": _warning("a name has different numbers of arguments in different places"),
        "function-and-relation": _warning("a name is both a relation and a function"),
        "needs-arguments": _warning("a relation is endless unless it is asked with some of its arguments bound"),
        "undefined-relation": _warning("a condition uses a relation that nothing defines"),
        "unused-relation": _warning("a relation is defined but never used"),
        "unknown-role": _warning("a constant that is not a role stands where a role is needed"),
        "unreachable-fact": _warning("a condition requires a fact that can never be true"),
        "unreachable-move": _warning("a condition requires a move that can never be made"),
        "never-fires": _warning("the conditions of a rule cannot all hold"),
        "idle-negation": _warning("a negated condition always holds"),
        "empty-relation": _warning("no rule of a relation can ever fire"),
        "lost-fact": _warning("nothing keeps the facts that no move names"),
        "fact-not-in-base": _warning("a fact can become true that is not in base"),
        "move-not-in-input": _warning("a move can be legal that is not in input"),
        "unkept-value": _hint("the only fact of a function is lost after some move"),
        "singleton-variable": _hint("a variable occurs only once in its rule"),
    }
)

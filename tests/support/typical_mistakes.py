"""Typical mistakes of authors, each as a function from the text of a game to one with the mistake.

They fit games of two roles that move in turn, with facts (control R) and (cell ...), relations `opponent` and `wins`,
and the move `noop`, as tic-tac-toe, connect four and breakthrough are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

Mistake = Callable[[str], str]


def changed(pattern: str, meant: str) -> Mistake:
    """The first occurrence of a pattern is replaced."""

    def change(text: str) -> str:
        found, count = re.subn(pattern, meant, text, count=1)
        assert count == 1, f"no {pattern}"
        return found

    return change


def without_all(pattern: str) -> Mistake:
    """All occurrences of a pattern are deleted."""

    def change(text: str) -> str:
        found, count = re.subn(pattern, "", text)
        assert count, f"no {pattern}"
        return found

    return change


def added(text: str) -> Mistake:
    """Something is added at the end."""
    return lambda before: f"{before}{text}\n"


#: The rule by which a role passes, in three lines.
_PASS: Final = r"\(<= \(legal \?role noop\)\n    \(opponent \?role \?other\)\n    \(true \(control \?other\)\)\)"

#: The mistakes, by name.
MISTAKES: Final[Mapping[str, Mistake]] = MappingProxyType(
    {
        "misspelled relation in a condition": changed(r"\n    \(opponent ", "\n    (oponent "),
        "misspelled relation in a head": changed(r"\(<= \(wins ", "(<= (winns "),
        "misspelled fact in a condition": changed(r"\(true \(control ", "(true (contrl "),
        "misspelled fact in a head": changed(r"\(<= \(next \(control ", "(<= (next (contorl "),
        "misspelled move": changed(r"\(does \?role \((\w+)\w ", r"(does ?role (\1 "),
        "misspelled variable": changed(r"\(true \(control \?other\)\)\)", "(true (control ?othr)))"),
        "misspelled role": changed(r"\(init \(control (\w+)\w\)\)", r"(init (control \1))"),
        "misspelled keyword": changed(r"\(<= \(goal ", "(<= (gaol "),
        "misspelled terminal": changed(r"\(<= terminal", "(<= terminl"),
        "a missing ? in a head": changed(r"\(<= \(legal \?role noop", "(<= (legal role noop"),
        "a missing ? in a condition": changed(r"\(true \(control \?other\)\)\)", "(true (control other)))"),
        "a missing ? in a negation": changed(r"\(not ((?:\(true )?)\((\w+) \?x ", r"(not \1(\2 x "),
        "true is missing": changed(r"\(true \(control \?role\)\)", "(control ?role)"),
        "does is missing": changed(r"\(does \?role (\([^)]*\))\)", r"\1"),
        "next in a condition": changed(r"\(true \(control \?role\)\)", "(next (control ?role))"),
        "does in a rule for legal": changed(r"\(true \(control \?other\)\)\)", "(does ?other noop))"),
        "init in a condition": changed(r"\(true \(control \?role\)\)", "(init (control ?role))"),
        "true in a head": changed(r"\(<= \(next \(control ", "(<= (true (control "),
        "a variable only in a negation": changed(r"\(not \((?:wins|changed) [^()]*\)\)", "(not (wins ?nobody))"),
        "a variable only in distinct": changed(r"(\n    \(opponent \?role \?other\))", r"\1\n    (distinct ?role ?z)"),
        "a variable in a fact": changed(r"\(init \(control \w+\)\)", "(init (control ?role))"),
        "a relation with too few arguments": changed(r"\n    \(opponent \?role \?other\)", "\n    (opponent ?role)"),
        "a fact with too many arguments": changed(r"\(true \(control \?role\)\)", "(true (control ?role now))"),
        "a keyword with too few arguments": changed(r"\(<= \(legal \?role noop\)", "(<= (legal noop)"),
        "swapped arguments": changed(r"\(<= \(legal \?role noop\)", "(<= (legal noop ?role)"),
        "swapped role and move": changed(r"\(does \?role (\([^)]*\))\)", r"(does \1 ?role)"),
        "a missing parenthesis": changed(f"({_PASS[:-2]})" + r"\)", r"\1"),
        "an extra parenthesis": changed(f"({_PASS})", r"\1)"),
        "a rule closed after its head": changed(r"\(<= \(legal \?role noop\)", "(<= (legal ?role noop))"),
        "a rule closed before its last condition": changed(
            r"(\(legal \?role noop\)\n    \(opponent \?role \?other\))(\n    \(true \(control \?other\)\))\)", r"\1)\2"
        ),
        "goal of 101": changed(r"\(goal \?role 100\)", "(goal ?role 101)"),
        "goal that is not a number": changed(r"\(goal \?role 100\)", "(goal ?role win)"),
        "no goals": without_all(r"\(<= \(goal [^;]*?\)\n(?=\n|\(<=)"),
        "no terminal": without_all(r"\(<= terminal\n.*\n"),
        "no roles": without_all(r"\n\(role \w+\)"),
        "unknown role": changed(r"(\(<= terminal)", r"\1\n    (not (wins nobody))"),
        "recursion that grows": added("(number 0)\n(<= (number (s ?n)) (number ?n))\n(<= terminal (number over))"),
        "a relation that depends on its negation": changed(r"(\(<= \(wins \?role\))", r"\1\n    (not terminal)"),
        "another sign for the arrow": changed(r"\(<= \(legal \?role noop\)", "(:- (legal ?role noop)"),
        "no space after the arrow": changed(r"\(<= terminal", "(<=terminal"),
        "the arrow in the middle": changed(r"\(<= (\(legal \?role noop\))", r"(\1 <="),
        "call syntax": changed(r"\(role (\w+)\)", r"role(\1)"),
        "commas": changed(r"\n    \(opponent \?role \?other\)", "\n    (opponent ?role, ?other)"),
        "quotes": changed(r"\(init \(control (\w+)\)\)", r'(init (control "\1"))'),
        "a comment with //": changed(r"(\(role \w+\))\n", r"\1 // one of two\n"),
        "a comment with #": changed(r"\n(\(role \w+\)\n)", r"\n# one of two\n\1"),
        "another sign for not": changed(r"\(not (\(\w+ [^()]*\))\)", r"!\1"),
        "capitals": changed(r"\(true \(control \?role\)\)", "(true (Control ?role))"),
        "= between variables": changed(r"(\n    \(opponent \?role \?other\))", r"\1\n    (= ?role ?other)"),
        "!= between variables": changed(r"(\n    \(opponent \?role \?other\))", r"\1\n    (!= ?role ?other)"),
        "or with one condition": changed(r"\n    (\(opponent \?role \?other\))", r"\n    (or \1)"),
        "not before or": changed(r"\(not (\(\w+ [^()]*\))\)", r"(not (or \1 (role nobody)))"),
        "not of two conditions": changed(r"\(not (\(\w+ [^()]*\))\)", r"(not \1 (role nobody))"),
        "parentheses around terminal": changed(r"\(<= terminal", "(<= (terminal)"),
        "a duplicate rule": changed(f"({_PASS})", r"\1\n\1"),
        "a condition that never holds": changed(r"\n    \(opponent \?role \?other\)", "\n    (opponent ?role none)"),
        "a fact without its keyword": changed(r"\(init \(control (\w+)\)\)", r"(control \1)"),
        "a variable with $ for ?": changed(r"\(true \(control \?other\)\)\)", "(true (control $other)))"),
    }
)

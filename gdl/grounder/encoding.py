"""Encodes GDL rules for clingo: constants become numbers; functions and relations become numbered names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gdl.language.rules import Atom, Condition, Distinct, Rule, Signature
from gdl.terms import Constant, Function, Term, Variable, fold, name_key

#: The choice rules for facts and moves, which make them open atoms.
OPEN = (
    "{{{true}(F)}} :- {init}(F).",
    "{{{true}(F)}} :- {next}(F).",
    "{{{does}(R,M)}} :- {role}(R), {legal}(R,M).",
)
#: The relations that are read from the ground program.
SHOWN: tuple[Signature, ...] = (
    *(("role", 1), ("init", 1), ("true", 1), ("next", 1), ("does", 2), ("legal", 2)),
    *(("goal", 2), ("sees", 2), ("terminal", 0)),
)

#: A name or number, and the punctuation that follows it.
_SYMBOL = re.compile(r"([a-z0-9]*)([(),]?)")


class Encoding:
    """A mapping between the symbols of some rules and clingo's identifiers, in both directions."""

    def __init__(self) -> None:
        """Start with no symbols."""
        self._numbers: dict[tuple[str, str], int] = {}
        self._relations: dict[str, Signature] = {}
        self._constants: dict[str, Constant] = {}
        self._functions: dict[str, str] = {}

    def _number(self, kind: str, name: str) -> int:
        return self._numbers.setdefault((kind, name_key(name)), len(self._numbers))

    def relation(self, signature: Signature) -> str:
        """Return the identifier of a relation."""
        name = f"r{self._number(f'r{signature[1]}', signature[0])}"
        self._relations[name] = signature
        return name

    def signature(self, relation: str) -> Signature:
        """Return the relation of an identifier."""
        return self._relations[relation]

    def text(self, rules: Iterable[Rule], choices: Iterable[Rule] = ()) -> str:
        """Return a logic program whose ground instances cover the rules for any state and joint move.

        The heads of `choices` are open wherever their bodies may hold.
        """
        lines = [f"{self._atom(rule.head)}{self._body(rule)}" for rule in rules]
        lines += [f"{{{self._atom(rule.head)}}}{self._body(rule)}" for rule in choices]
        names = {name: self.relation((name, arity)) for name, arity in SHOWN}
        lines += [line.format(**names) for line in OPEN]
        lines += ["#show.", *(f"#show {self.relation(s)}/{s[1]}." for s in SHOWN)]
        return "\n".join(lines) + "\n"

    def _body(self, rule: Rule) -> str:
        return f" :- {'; '.join(map(self._condition, rule.body))}." if rule.body else "."

    def _condition(self, condition: Condition) -> str:
        if isinstance(condition, Distinct):
            return f"{self._term(condition.left)} != {self._term(condition.right)}"
        return ("not " if condition.negated else "") + self._atom(condition.atom)

    def _atom(self, atom: Atom) -> str:
        return self.relation(atom.signature) + (f"({','.join(map(self._term, atom.args))})" if atom.args else "")

    def _term(self, term: Term) -> str:
        return fold(term, self._leaf, lambda function, args: f"{self._function(function.name)}({','.join(args)})")

    def _leaf(self, leaf: Constant | Variable) -> str:
        if isinstance(leaf, Variable):
            return f"V{self._number('variable', leaf.name)}"
        number = str(self._number("constant", leaf.name))
        self._constants.setdefault(number, leaf)
        return number

    def _function(self, name: str) -> str:
        identifier = f"f{self._number('function', name)}"
        self._functions.setdefault(identifier, name)
        return identifier

    def symbol(self, text: str) -> tuple[Signature, tuple[Term, ...]]:
        """Return the relation and the arguments of a ground atom that clingo printed."""
        stack: list[list[Term]] = [[]]
        names: list[str] = []
        for name, mark in _SYMBOL.findall(text):
            if mark == "(":
                names.append(name)
                stack.append([])
                continue
            if name and names:
                stack[-1].append(self._constants[name])
            if mark == ")":
                args = tuple(stack.pop())
                name = names.pop()
                if not names:
                    return self._relations[name], args
                stack[-1].append(Function(self._functions[name], args))
        return self._relations[text], ()

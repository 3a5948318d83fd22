"""Rules of GDL as clingo reads them: constants are numbers, functions and relations are numbered names."""

from __future__ import annotations

from collections.abc import Iterable

from gdl.rules import Condition, Distinct, Rule, Signature
from gdl.terms import Constant, Function, Term, Variable, fold

#: What a state and a joint move leave open, and the relations that are read from the ground program.
OPEN = (
    "{{{true}(F)}} :- {init}(F).",
    "{{{true}(F)}} :- {next}(F).",
    "{{{does}(R,M)}} :- {role}(R), {legal}(R,M).",
)
SHOWN: tuple[Signature, ...] = (
    *(("role", 1), ("init", 1), ("true", 1), ("next", 1), ("does", 2), ("legal", 2)),
    *(("goal", 2), ("sees", 2), ("terminal", 0)),
)


class Encoding:
    """Numbers for the symbols of some rules, in both directions."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, int], str] = {}

    def _number(self, kind: str, name: str) -> int:
        key = (kind, name.lower())
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._names[kind, number] = name
        return number

    def relation(self, signature: Signature) -> str:
        """The identifier of a relation."""
        return f"r{self._number(f'r{signature[1]}', signature[0])}"

    def text(self, rules: Iterable[Rule]) -> str:
        """A logic program whose ground instances are those of the rules, for any state and joint move."""
        lines = [self._rule(rule) for rule in rules]
        names = {name: self.relation((name, arity)) for name, arity in SHOWN}
        lines += [line.format(**names) for line in OPEN]
        lines += ["#show.", *(f"#show {self.relation(s)}/{s[1]}." for s in SHOWN)]
        return "\n".join(lines) + "\n"

    def _rule(self, rule: Rule) -> str:
        body = "; ".join(map(self._condition, rule.body))
        return f"{self._atom(rule.head.signature, rule.head.args)} :- {body}." if body else (
            f"{self._atom(rule.head.signature, rule.head.args)}."
        )

    def _condition(self, condition: Condition) -> str:
        if isinstance(condition, Distinct):
            return f"{self._term(condition.left)} != {self._term(condition.right)}"
        atom = condition.atom
        return ("not " if condition.negated else "") + self._atom(atom.signature, atom.args)

    def _atom(self, signature: Signature, args: tuple[Term, ...]) -> str:
        return self.relation(signature) + (f"({','.join(map(self._term, args))})" if args else "")

    def _term(self, term: Term) -> str:
        return fold(
            term,
            lambda leaf: str(self._number("c", leaf.name))
            if isinstance(leaf, Constant)
            else f"V{self._number('v', leaf.name)}",
            lambda function, args: f"f{self._number('f', function.name)}({','.join(args)})",
        )

    def symbol(self, text: str) -> tuple[Signature, tuple[Term, ...]]:
        """The relation and the arguments of a ground atom that clingo printed."""
        stack: list[list[Term]] = [[]]
        heads: list[str] = []
        start = 0
        for place, character in enumerate(text):
            if character == "(":
                heads.append(text[start:place])
                stack.append([])
                start = place + 1
            elif character in ",)":
                if place > start:
                    stack[-1].append(Constant(self._names["c", int(text[start:place])]))
                start = place + 1
                if character == ")":
                    args = tuple(stack.pop())
                    head = heads.pop()
                    if not heads:
                        return (self._names[f"r{len(args)}", int(head[1:])], len(args)), args
                    stack[-1].append(Function(self._names["f", int(head[1:])], args))
        return (self._names["r0", int(text[1:])], 0), ()

"""Conversion of statements to flat rules.

Resolves `or`, `and` and nested `not`, and collects all mistakes with their locations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from gdl.errors import Location, Mistake
from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature, substitute, unify, variables_of
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables
from gdl.terms import Constant, Function, Term, Variable, name_key

#: The arity of each keyword of GDL that names a relation.
KEYWORD_ARITY = {
    "role": 1,
    "base": 1,
    "input": 2,
    "init": 1,
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "terminal": 0,
    "goal": 2,
    "sees": 2,
}
#: The keywords that are not relations.
CONNECTIVES = ("not", "and", "or", "distinct", "<=")

#: The maximum number of flat rules that one statement may expand to.
MAX_ALTERNATIVES = 10_000


@dataclass(frozen=True, slots=True)
class _Same:
    """Equality of two terms, the meaning of `(not (distinct l r))`. Resolved by unification."""

    left: Term
    right: Term


_Alternative = tuple[Condition | _Same, ...]


class _Refused(Exception):
    """Raised for a broken statement, after its mistakes have been noted."""


class Normalizer:
    """Converts statements to flat rules, one after another.

    `mistakes` collects the mistakes of all statements so far. `spelling` maps the key of each symbol to its first
    spelling in the text. `relations` are those of all atoms, even of rules that can never fire and are left out.
    """

    def __init__(self) -> None:
        """Start with no mistakes and no symbols."""
        self.mistakes: list[Mistake] = []
        self.spelling: dict[str, str] = {}
        self.relations: dict[Signature, None] = {}
        self._variables: dict[str, Variable] = {}

    def rules(self, statement: Expression) -> list[Rule]:
        """Return the flat rules of a statement; none if it is broken."""
        self._variables.clear()
        if isinstance(statement, Group) and statement.items and _is(statement.items[0], "<="):
            return self._rule(statement)
        head = self._atom(statement, "a fact")
        if head is None or not self._head_allowed(statement, head):
            return []
        place = _first_variable(statement)
        if place is not None:
            self._note("variable-in-fact", f"a fact has no variables, but {head} has one", place)
            return []
        return [Rule(head, (), statement.location)]

    def _rule(self, statement: Group) -> list[Rule]:
        arrow, *rest = statement.items
        if not rest:
            self._note("keyword-arity", "<= needs a head", arrow.location)
            return []
        head = self._atom(rest[0], "the head of a rule")
        if head is not None and not self._head_allowed(rest[0], head):
            head = None
        parts = []
        for item in rest[1:]:
            try:
                parts.append(self._alternatives(item, True))
            except _Refused:
                head = None
        if head is None:
            return []
        try:
            bodies = self._product(parts, statement)
        except _Refused:
            return []
        rules: dict[Rule, Rule] = {}
        for body in bodies:
            binding: dict[Variable, Term] = {}
            rule = _resolve(head, body, statement.location, binding)
            if rule is not None and self._is_safe(rule, rest[0], binding):
                same = rules.get(rule)
                rules[rule] = rule if same is None else replace(same, written=same.written + rule.written)
        return list(rules.values())

    def _alternatives(self, item: Expression, positive: bool) -> list[_Alternative]:
        """Return the ways in which a condition (or its negation) can hold, each a conjunction."""
        name = item.items[0] if isinstance(item, Group) and item.items else None
        if isinstance(item, Group) and isinstance(name, Symbol) and name.key in CONNECTIVES:
            args = item.items[1:]
            if name.key == "not":
                self._check_arity(name, args, 1)
                return self._alternatives(args[0], not positive)
            if name.key in ("and", "or"):
                parts = [self._alternatives(arg, positive) for arg in args]
                if (name.key == "and") == positive:
                    return self._product(parts, item)
                return [alternative for part in parts for alternative in part]
            if name.key == "distinct":
                self._check_arity(name, args, 2)
                left, right = self._term(args[0]), self._term(args[1])
                if left is None or right is None:
                    raise _Refused
                return [(Distinct(left, right, item),)] if positive else [(_Same(left, right),)]
            self._note("misplaced-keyword", "<= stands only at the start of a rule", name.location)
            raise _Refused
        atom = self._atom(item, "a condition")
        if atom is None:
            raise _Refused
        if atom.signature[0] == "next":
            self._note("misplaced-keyword", "next stands only in the head of a rule", item.location)
            raise _Refused
        return [(Literal(atom, not positive, item),)]

    def _product(self, parts: list[list[_Alternative]], whole: Expression) -> list[_Alternative]:
        count = 1
        for part in parts:
            count *= len(part)
        if count > MAX_ALTERNATIVES:
            message = f"this expands to {count} rules without `or`, more than {MAX_ALTERNATIVES}; split it"
            self._note("too-many-alternatives", message, whole.location)
            raise _Refused
        return [tuple(c for part in choice for c in part) for choice in product(*parts)]

    def _check_arity(self, name: Symbol, args: tuple[Expression, ...], arity: int) -> None:
        if len(args) != arity:
            self._note("keyword-arity", _arity_message(name.text, arity, len(args)), name.location)
            raise _Refused

    def _atom(self, item: Expression, what: str) -> Atom | None:
        """Return the atom that an expression denotes, or note a mistake and return None."""
        items = item.items if isinstance(item, Group) else (item,)
        if not items:
            message = f"{what} starts with a relation's name, but these parentheses are empty"
            self._note("empty-parentheses", message, item.location)
            return None
        name, *rest = items
        if isinstance(name, VariableSymbol):
            message = f"{what} starts with a relation's name, not with the variable {name}"
            self._note("misplaced-variable", message, name.location)
            return None
        if isinstance(name, Group):
            self._note("not-an-atom", f"{what} starts with a relation's name, not with {name}", name.location)
            return None
        if name.key in CONNECTIVES:
            self._note("misplaced-keyword", f"{name} cannot be {what}", name.location)
            return None
        spelled = self._spell(name.text)  # before the arguments, which come later in the text
        args = [self._term(arg) for arg in rest]
        arity = KEYWORD_ARITY.get(name.key)
        if arity is not None and len(args) != arity:
            self._note("keyword-arity", _arity_message(name.text, arity, len(args)), name.location)
            return None
        known = tuple(arg for arg in args if arg is not None)
        if len(known) != len(args):
            return None
        atom = Atom(spelled, known)
        self.relations[atom.signature] = None
        return atom

    def _head_allowed(self, item: Expression, head: Atom) -> bool:
        if head.signature[0] in ("true", "does"):
            self._note(
                "misplaced-keyword", f"{head.name} is given by the state and the moves, not by rules", item.location
            )
            return False
        return True

    def _term(self, item: Expression) -> Term | None:
        """Return the term that an expression denotes, in its first spelling, or note a mistake and return None."""
        if isinstance(item, Symbol):
            return Constant(self._spell(item.text))
        if isinstance(item, VariableSymbol):
            return self._variables.setdefault(item.key, Variable(item.text[1:]))
        if not item.items:
            self._note("empty-parentheses", "a term has a name, but these parentheses are empty", item.location)
            return None
        name = item.items[0]
        if isinstance(name, VariableSymbol):
            message = f"a function's name cannot be the variable {name}"
            self._note("misplaced-variable", message, name.location)
            return None
        if isinstance(name, Group):
            self._note("not-a-term", f"a term starts with a function's name, not with {name}", name.location)
            return None
        spelled = self._spell(name.text)
        args = [self._term(arg) for arg in item.items[1:]]
        known = tuple(arg for arg in args if arg is not None)
        if len(known) != len(args):
            return None
        return Function(spelled, known) if known else Constant(spelled)

    def _spell(self, text: str) -> str:
        return self.spelling.setdefault(name_key(text), text)

    def _is_safe(self, rule: Rule, head: Expression, binding: Mapping[Variable, Term]) -> bool:
        """Return True if every variable of the head, negations and inequalities occurs in a positive literal.

        If not, a mistake is noted for each of the other variables. `binding` maps variables of the text to their values
        in the rule.
        """
        bound = {v for literal in rule.literals() if not literal.negated for v in literal.variables()}
        places = [(set(rule.head.variables()) - bound, head, "the head")]
        for condition in rule.body:
            if isinstance(condition, Distinct) or condition.negated:
                what = "distinct" if isinstance(condition, Distinct) else "a negation"
                places.append((set(condition.variables()) - bound, condition.syntax or head, what))
        for loose, item, what in places:
            for symbol in variables(item):
                if not loose.isdisjoint(variables_of(substitute(Variable(symbol.text[1:]), binding))):
                    message = f"{symbol} in {what} occurs in no positive condition of the body"
                    self._note("unsafe-variable", message, symbol.location)
        return not any(loose for loose, _, _ in places)

    def _note(self, code: str, message: str, location: Location) -> None:
        self.mistakes.append(Mistake(code, message, location))


def _is(item: Expression, key: str) -> bool:
    return isinstance(item, Symbol) and item.key == key


def _arity_message(name: str, arity: int, found: int) -> str:
    number = {0: "no arguments", 1: "1 argument"}.get(arity, f"{arity} arguments")
    return f"{name} takes {number}, found {found}"


def _first_variable(item: Expression) -> Location | None:
    return next((symbol.location for symbol in variables(item)), None)


def _resolve(
    head: Atom, body: Iterable[Condition | _Same], location: Location, binding: dict[Variable, Term]
) -> Rule | None:
    """Return the rule without its equalities, whose solution is added to `binding`; None if there is none."""
    conditions = list(body)
    for same in conditions:
        if isinstance(same, _Same) and not unify(same.left, same.right, binding):
            return None
    kept = [condition for condition in conditions if not isinstance(condition, _Same)]
    written = tuple([condition.syntax for condition in kept if condition.syntax is not None])
    if not binding:
        return Rule(head, tuple(dict.fromkeys(kept)), location, written)

    def apply(atom: Atom) -> Atom:
        return Atom(atom.name, tuple(substitute(arg, binding) for arg in atom.args))

    resolved: list[Condition] = [
        Distinct(substitute(c.left, binding), substitute(c.right, binding), c.syntax)
        if isinstance(c, Distinct)
        else Literal(apply(c.atom), c.negated, c.syntax)
        for c in kept
    ]
    return Rule(apply(head), tuple(dict.fromkeys(resolved)), location, written)

"""Rewrites rules whose moves have too many arguments such that each move is chosen in two parts.

    (<= (legal ?r (play ?a ?b ?c)) (true (cell ?a ?r)) (path ?a ?b) (free ?b) (shot ?a ?b ?c) (free ?c))
    (<= (next (cell ?c arrow)) (does ?r (play ?a ?b ?c)))

If `?a`, `?b` and `?c` are cells of a board, there are a million such moves. But what makes a move legal can be asked in
two steps: which first parts `(play-1 ?a ?b)` are there, and which second parts `(play-2 ?c)`, once the first one has
been chosen? The chosen arguments are facts in between, so what depends on them is known by the state, and relations
such as `shot` need no column for them:

    (<= (legal ?r (play-1 ?a ?b)) (not (true between)) (true (cell ?a ?r)) (path ?a ?b) (free ?b))
    (<= (legal ?r (play-2 ?c)) (true between) (true (play-is-1 ?r ?a)) (true (play-is-2 ?r ?b)) (shot-then ?r ?c)
        (free ?c))
    (<= (next (cell ?c arrow)) (true between) (does ?r (play-2 ?c)))

A first part may be offered that has no second part, since conditions on the second one are left out. The game in
between the plies of the original one has the same facts, terminal states and goals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod
from typing import Final, final

from gdl.errors import Source
from gdl.grounder.projection import needed
from gdl.grounder.sizes import Sizes
from gdl.language.resolution import fresh, resolved
from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature, substitute, variables_of
from gdl.language.rulesheet import Rulesheet
from gdl.language.strata import DependencyGraph
from gdl.terms import Constant, Function, Term, Variable, name_key, shape_of

#: Moves are chosen in parts if there may be this many times as many of them as of both parts together.
_GAIN: Final = 8

#: The rules that `legal` may become if relations that derive whole moves are replaced by their definitions.
_LEGAL: Final = 64

#: The first line of rewritten rules.
_MARK: Final = "; moves in parts"

_DOES: Final[Signature] = ("does", 2)
_LEGAL_MOVES: Final[Signature] = ("legal", 2)
_TRUE: Final[Signature] = ("true", 1)
_NEXT: Final[Signature] = ("next", 1)

#: The names of relations that have a meaning of their own.
_KEYWORDS: Final = frozenset(("true", "does", "legal", "role", "init", "goal", "terminal", "next", "sees"))


@final
@dataclass(frozen=True, slots=True)
class Parts:
    """The names of the parts of moves with one function, and the number of arguments in the first part."""

    name: str
    arity: int
    split: int
    first: str
    second: str
    #: The functions of the facts that have the role, and an argument of the first part.
    chosen: tuple[str, ...]

    @property
    def shape(self) -> tuple[str, int]:
        """The shape of whole moves."""
        return name_key(self.name), self.arity

    @property
    def shape_of_first(self) -> tuple[str, int]:
        """The shape of first parts."""
        return name_key(self.first), self.split

    @property
    def shape_of_second(self) -> tuple[str, int]:
        """The shape of second parts."""
        return name_key(self.second), self.arity - self.split

    def facts(self, role: Term, args: Sequence[Term]) -> list[Condition]:
        """Return conditions that the first part has been chosen with some arguments."""
        return [_true(Function(name, (role, arg))) for name, arg in zip(self.chosen, args, strict=False)]


@final
@dataclass(frozen=True, slots=True)
class MovesInParts:
    """Rules in which moves are chosen in parts, and how to read their moves.

    A ply of the game becomes two: in the first one, each role chooses the first part of a move, or a whole one; in the
    second one, the rest, or `done`. `between` is the fact that holds in between.
    """

    source: Source
    parts: tuple[Parts, ...]
    between: Term
    done: Term


def in_parts(rulesheet: Rulesheet) -> MovesInParts | None:
    """Return rules in which moves are chosen in parts; None if that does not apply, or does not pay."""
    if rulesheet.source.text.startswith(_MARK):
        return None  # the moves of the plies that are left are chosen whole
    rules = needed(rulesheet.rules)
    legal = _definite([rule for rule in rules if rule.head.signature == _LEGAL_MOVES], rules)
    if legal is None or any(_hides(rule) for rule in rules):
        return None
    names = _Names(rulesheet)
    parts = tuple(found for shape, own in _by_shape(legal) if (found := _parts(shape, own, Sizes(rules), names)))
    if not parts:
        return None
    return _Rewriting(rulesheet, rules, legal, parts, names).result()


def pays(rulesheet: Rulesheet, moves: Iterable[Term]) -> bool:
    """Return True if moves can be chosen in parts, and there are far more of them, given those of the ground rules."""
    if (found := in_parts(rulesheet)) is None:
        return False
    splits = {own.shape: own.split for own in found.parts}
    whole = {move for move in moves if isinstance(move, Function) and shape_of(move) in splits}
    halves = {
        (shape_of(move), place, half)
        for move in whole
        for split in (splits[shape_of(move)],)
        for place, half in enumerate((move.args[:split], move.args[split:]))
    }
    return len(whole) >= _GAIN * len(halves)


def _definite(legal: Sequence[Rule], rules: Sequence[Rule]) -> list[Rule] | None:
    """Return rules for legal moves none of which is just a variable; None if there are none, or too many."""
    found, stack, left = [], list(legal), _LEGAL
    while stack:
        rule = stack.pop()
        move = rule.head.args[1]
        if not isinstance(move, Variable):
            found.append(rule)
            continue
        call = next((c for c in rule.literals() if not c.negated and move in c.atom.args), None)
        left -= 1  # definitions may be recursive
        if call is None or call.atom.signature in (_TRUE, rule.head.signature) or len(found) + len(stack) > _LEGAL:
            return None
        if not left:
            return None
        definitions = (own for own in rules if own.head.signature == call.atom.signature)
        stack += [other for own in definitions if (other := resolved(rule, call, own)) is not None]
    return found


def _hides(rule: Rule) -> bool:
    """Return True if a rule does not say which facts it is about, or which moves are not made."""
    if rule.head.signature == ("next", 1) and isinstance(rule.head.args[0], Variable):
        return True
    for literal in rule.literals():
        relation, last = literal.atom.signature, literal.atom.args[-1:]
        if relation == _TRUE and isinstance(last[0], Variable):
            return True
        if relation == _DOES and literal.negated and not isinstance(last[0], Constant):
            return True
    return False


def _by_shape(legal: Iterable[Rule]) -> list[tuple[tuple[str, int], list[Rule]]]:
    found: dict[tuple[str, int], list[Rule]] = {}
    for rule in legal:
        found.setdefault(shape_of(rule.head.args[1]), []).append(rule)
    return sorted(found.items(), key=lambda item: item[0])


def _parts(shape: tuple[str, int], legal: Sequence[Rule], sizes: Sizes, names: _Names) -> Parts | None:
    """Return the parts that moves with one function have; None if they are better chosen as a whole."""
    best: tuple[int, int] | None = None
    for split in range(1, shape[1]):
        if any(_first(rule, split) is None for rule in legal):
            continue
        first, second, whole = (
            sum(_count(rule, sizes, own) for rule in legal)
            for own in (slice(0, split), slice(split, None), slice(None))
        )
        if (first + second) * _GAIN <= whole and (best is None or first + second <= best[0]):
            best = first + second, split
    if best is None:
        return None
    split, move = best[1], legal[0].head.args[1]
    assert isinstance(move, Function)
    chosen = tuple(names.new(f"{move.name}-is-{i + 1}") for i in range(split))
    return Parts(move.name, shape[1], split, names.new(f"{move.name}-1"), names.new(f"{move.name}-2"), chosen)


def _args(rule: Rule) -> tuple[Term, ...]:
    move = rule.head.args[1]
    return move.args if isinstance(move, Function) else ()


def _count(rule: Rule, sizes: Sizes, part: slice) -> int:
    """Return a bound of the number of values of some arguments of a move."""
    domains = sizes.domains(rule)
    own = {variable for arg in _args(rule)[part] for variable in variables_of(arg)}
    return prod(1_000 if (values := domains.get(v)) is None else len(values) for v in own)


def _told(rule: Rule, split: int) -> tuple[Term, ...]:
    """Return the role and the first arguments of the moves that a rule makes legal."""
    return (rule.head.args[0], *_args(rule)[:split])


def _first(rule: Rule, split: int) -> list[Condition] | None:
    """Return the conditions on the first part of a move alone; None if they do not bind it."""
    args = _args(rule)
    kept = {v for term in _told(rule, split) for v in variables_of(term)}
    later = {v for arg in args[split:] for v in variables_of(arg)} - kept
    body = [condition for condition in rule.body if later.isdisjoint(condition.variables())]
    bound = {v for c in body if isinstance(c, Literal) and not c.negated for v in c.variables()}
    if not kept <= bound:
        return None
    return [condition for condition in body if bound.issuperset(condition.variables())]


@final
class _Names:
    """Names that occur nowhere in a rulesheet."""

    def __init__(self, rulesheet: Rulesheet) -> None:
        self._taken = set(rulesheet.spelling)

    def new(self, name: str) -> str:
        """Return a name, with a number after it if it is taken."""
        found = next(
            one for number in count() if name_key(one := name + f".{number}" * (number > 0)) not in self._taken
        )
        self._taken.add(name_key(found))
        return found


#: A relation, and the argument of a first part that each of its columns is, or None.
_Known = tuple[Parts, Signature, tuple[int | None, ...]]


class _Rewriting:
    """Makes the rules."""

    def __init__(
        self, rulesheet: Rulesheet, rules: Sequence[Rule], legal: Sequence[Rule], parts: Sequence[Parts], names: _Names
    ) -> None:
        self._name = rulesheet.name
        self._rules = rules
        self._legal = legal
        self._parts = {own.shape: own for own in parts}
        self._names = names
        self._between = Constant(names.new("between"))
        self._done = Constant(names.new("done"))
        self._whole = names.new("whole")
        self._could = names.new("could")
        self._could_with = {own: names.new(f"could-{own.name}") for own in parts}
        self._defining: dict[Signature, list[Rule]] = {}
        for rule in rules:
            self._defining.setdefault(rule.head.signature, []).append(rule)
        #: The columns that a relation may lose: those that recursion hands on as they are.
        self._handed = dict(_handed_columns(self._defining, DependencyGraph(rules)))
        #: The names of relations without the columns that the state knows, and those whose rules are still to be made.
        self._named: dict[_Known, str] = {}
        self._left: list[_Known] = []

    def result(self) -> MovesInParts:
        text = "\n".join((_MARK, *(str(rule) for rule in self._all())))
        return MovesInParts(Source(self._name, text), tuple(self._parts.values()), self._between, self._done)

    def _all(self) -> Iterator[Rule]:
        here, there = _true(self._between, negated=True), _true(self._between)
        yield Rule(Atom("next", (self._between,)), (here,))
        for fact in self._handed_on():
            yield Rule(Atom("next", (fact,)), (_true(fact), here))
        for rule in self._legal:
            yield from self._chosen(rule, here, there)
        role, move = Variable("role"), Variable("move")
        yield Rule(Atom("legal", (role, self._done)), (there, _true(Function(self._whole, (role, move)))))
        if any(literal.atom.signature == _LEGAL_MOVES for rule in self._rules for literal in rule.literals()):
            yield from self._legal_at_all()
        for rule in self._rules:
            if rule.head.signature == _LEGAL_MOVES:
                continue
            guard: tuple[Condition, ...] = ()
            if rule.head.signature == ("terminal", 0):
                guard = (here,)
            elif rule.head.signature == ("sees", 2) or (rule.head.signature == _NEXT and not _hands_on(rule)):
                guard = (there,)
            for other in self._made(rule):
                yield Rule(other.head, (*guard, *self._asked(other.body)))
        while self._left:
            yield from self._specialized(self._left.pop())

    def _handed_on(self) -> list[Term]:
        """Return the patterns of the facts that would not stay as they are in between."""
        patterns = {shape_of(rule.head.args[0]): _pattern(rule.head.args[0]) for rule in self._rules if _is_fact(rule)}
        for rule in self._rules:
            if _hands_on(rule) and _is_general(rule.head.args[0]):
                patterns.pop(shape_of(rule.head.args[0]), None)
        return [patterns[shape] for shape in sorted(patterns)]

    # Legal moves

    def _chosen(self, rule: Rule, here: Literal, there: Literal) -> Iterator[Rule]:
        """Return the rules for the parts of the moves that a rule makes legal, and what is remembered of them."""
        role, move = rule.head.args
        parts = self._parts.get(shape_of(move))
        if parts is None or not isinstance(move, Function):
            yield Rule(Atom("legal", (role, move)), (here, *self._asked(rule.body)))
            yield Rule(Atom("next", (Function(self._whole, (role, move)),)), (here, _does(role, move)))
            return
        first = Function(parts.first, move.args[: parts.split])
        body = _first(rule, parts.split)
        assert body is not None
        yield Rule(Atom("legal", (role, first)), (here, *self._asked(body)))
        known = {arg: place for place, arg in reversed([*enumerate(first.args)]) if isinstance(arg, Variable)}
        decided = self._decided(rule, parts)
        rest = [self._without(parts, role, known, condition) for condition in rule.body if condition not in decided]
        second = Function(parts.second, move.args[parts.split :])
        yield Rule(Atom("legal", (role, second)), (there, *parts.facts(role, first.args), *self._asked(rest)))
        pattern = _pattern(first)
        assert isinstance(pattern, Function)
        role = Variable("role")
        for name, arg in zip(parts.chosen, pattern.args, strict=True):
            yield Rule(Atom("next", (Function(name, (role, arg)),)), (here, _does(role, pattern)))

    def _decided(self, rule: Rule, parts: Parts) -> set[Condition]:
        """Return conditions that hold whatever first part has been chosen, as it is never offered without them."""
        known, decided = _told(rule, parts.split), set(rule.body)
        for other in self._legal:
            if not decided:
                break
            if shape_of(other.head.args[1]) == shape_of(rule.head.args[1]):
                decided &= set(_first(other, parts.split) or ()) if _told(other, parts.split) == known else set()
        told = {v for term in known for v in variables_of(term)}
        return {condition for condition in decided if told.issuperset(condition.variables())}

    def _without(self, parts: Parts, role: Term, known: Mapping[Variable, int], condition: Condition) -> Condition:
        """Return a condition that means the same once a first part is chosen, without the columns that it tells."""
        if not isinstance(condition, Literal):
            return condition
        relation, args = condition.atom.signature, condition.atom.args
        handed = self._handed.get(relation, frozenset())
        places = tuple(
            known.get(arg) if column in handed and isinstance(arg, Variable) else None
            for column, arg in enumerate(args)
        )
        if not any(place is not None for place in places):
            return condition
        key = (parts, relation, places)
        if key not in self._named:
            self._named[key] = self._names.new(f"{condition.atom.name}-then")
            self._left.append(key)
        left = (arg for arg, place in zip(args, places, strict=True) if place is None)
        return Literal(Atom(self._named[key], (role, *left)), condition.negated)

    def _specialized(self, key: _Known) -> Iterator[Rule]:
        """Return the rules for a relation without the columns that a first part tells."""
        parts, relation, places = key
        for rule in self._defining[relation]:
            variables = {*rule.head.variables(), *(v for condition in rule.body for v in condition.variables())}
            role = next(fresh(variables))
            told = [(arg, place) for arg, place in zip(rule.head.args, places, strict=True) if place is not None]
            known = {arg: place for arg, place in reversed(told) if isinstance(arg, Variable)}
            body = [self._without(parts, role, known, condition) for condition in rule.body]
            left = tuple(arg for arg, place in zip(rule.head.args, places, strict=True) if place is None)
            # A variable that is told once, and read nowhere, may have any value.
            read = {v for arg in left for v in variables_of(arg)}.union(*(c.variables() for c in body))
            often = {v for v in known if sum(arg == v for arg, _ in dict.fromkeys(told)) > 1}
            bound = [
                _true(Function(parts.chosen[place], (role, arg)))
                for arg, place in dict.fromkeys(told)
                if not isinstance(arg, Variable) or arg in read or arg in often
            ]
            head = Atom(self._named[key], (role, *left))
            yield Rule(head, (Literal(Atom("role", (role,))), *bound, *self._asked(body)))

    def _legal_at_all(self) -> Iterator[Rule]:
        """Return rules for whole legal moves, for rules that ask for them.

        A column for each argument of a move, unlike a function, is left out of what is grounded if nothing reads it.
        """
        for rule in self._legal:
            yield Rule(self._could_be(*rule.head.args), self._asked(rule.body))
        for own in self._parts.values():
            move = _pattern(Function(own.name, (Constant("any"),) * own.arity))
            role = Variable("role")
            yield Rule(Atom(self._could, (role, move)), (Literal(self._could_be(role, move)),))

    def _could_be(self, role: Term, move: Term) -> Atom:
        """Return the atom for a whole legal move."""
        parts = self._parts.get(shape_of(move))
        if parts is None or not isinstance(move, Function):
            return Atom(self._could, (role, move))
        return Atom(self._could_with[parts], (role, *move.args))

    # What depends on moves

    def _made(self, rule: Rule) -> list[Rule]:
        """Return rules that read the parts of moves where one reads moves."""
        done = next((one for one in rule.literals() if one.atom.signature == _DOES and not self._is_read(one)), None)
        if done is None:
            return [rule]
        role, move = done.atom.args
        if not isinstance(move, Variable):
            return self._made(self._with(rule, done, self._read(role, move, done.negated)))
        found = self._made(self._with(rule, done, [_true(Function(self._whole, (role, move)))]))
        for parts in self._parts.values():
            names = fresh({*rule.head.variables(), *(v for condition in rule.body for v in condition.variables())})
            whole = Function(parts.name, tuple(next(names) for _ in range(parts.arity)))
            other = _substituted(self._with(rule, done, self._read(role, whole, negated=False)), {move: whole})
            found += self._made(other)
        return found

    def _is_read(self, literal: Literal) -> bool:
        """Return True if a condition on moves is about a second part."""
        shape = shape_of(literal.atom.args[1])
        return any(shape == own.shape_of_second for own in self._parts.values())

    def _read(self, role: Term, move: Term, negated: bool) -> list[Condition]:
        parts = self._parts.get(shape_of(move))
        if parts is None or not isinstance(move, Function):
            return [_true(Function(self._whole, (role, move)), negated=negated)]
        second = Function(parts.second, move.args[parts.split :])
        return [*parts.facts(role, move.args[: parts.split]), _does(role, second)]

    def _with(self, rule: Rule, old: Condition, new: Sequence[Condition]) -> Rule:
        body = [other for condition in rule.body for other in (new if condition is old else (condition,))]
        return Rule(rule.head, tuple(body))

    def _asked(self, body: Iterable[Condition]) -> tuple[Condition, ...]:
        """Return conditions that ask what is legal in the game, and not which parts may be chosen."""
        return tuple(
            Literal(self._could_be(*condition.atom.args), condition.negated)
            if isinstance(condition, Literal) and condition.atom.signature == _LEGAL_MOVES
            else condition
            for condition in body
        )


def _handed_columns(
    defining: Mapping[Signature, Sequence[Rule]], graph: DependencyGraph
) -> Iterator[tuple[Signature, frozenset[int]]]:
    """Yield the columns that a relation may lose, for those that depend on the state.

    If a relation is recursive, its rows belong together, and only columns that all its rules hand on are lost: without
    others, every row that the state allows would be combined with every other one.
    """
    dynamic = graph.reaches([_TRUE])
    for component in graph.components:
        relation = component[0]
        if len(component) > 1 or relation not in dynamic or relation not in defining or relation[0] in _KEYWORDS:
            continue
        columns = set(range(relation[1]))
        for rule in defining[relation]:
            for literal in rule.literals():
                if literal.atom.signature == relation:
                    columns -= {c for c in columns if literal.atom.args[c] != rule.head.args[c]}
        yield relation, frozenset(columns)


def _true(fact: Term, *, negated: bool = False) -> Literal:
    return Literal(Atom("true", (fact,)), negated)


def _does(role: Term, move: Term) -> Literal:
    return Literal(Atom("does", (role, move)))


def _is_fact(rule: Rule) -> bool:
    return rule.head.signature in (_NEXT, ("init", 1))


def _hands_on(rule: Rule) -> bool:
    """Return True if a rule only hands on facts of a pattern."""
    return rule.head.signature == _NEXT and rule.body == (_true(rule.head.args[0]),)


def _is_general(fact: Term) -> bool:
    """Return True if a pattern fits all facts of its shape."""
    args = fact.args if isinstance(fact, Function) else ()
    return len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)


def _pattern(term: Term) -> Term:
    """Return the pattern of all terms of a shape."""
    if not isinstance(term, Function):
        return term
    return Function(term.name, tuple(Variable(f"a{number}") for number in range(len(term.args))))


def _substituted(rule: Rule, binding: Mapping[Variable, Term]) -> Rule:
    def replaced(atom: Atom) -> Atom:
        return Atom(atom.name, tuple(substitute(arg, binding) for arg in atom.args))

    body = [
        Distinct(substitute(condition.left, binding), substitute(condition.right, binding))
        if isinstance(condition, Distinct)
        else Literal(replaced(condition.atom), condition.negated)
        for condition in rule.body
    ]
    return Rule(replaced(rule.head), tuple(body))

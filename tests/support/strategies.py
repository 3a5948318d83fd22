"""Hypothesis strategies: symbols, terms and rules of every kind; small stratified programs; small games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from gdl.language.normalize import KEYWORD_ARITY
from gdl.language.parser import parse_term
from gdl.language.rules import Atom, Condition, Distinct, Literal, Rule, Signature, substitute, variables_of
from gdl.terms import Constant, Function, Term, Variable

# Arbitrary terms and rules: for reading and printing

_KEYWORDS = {*KEYWORD_ARITY, "not", "and", "or", "distinct", "<="}


def symbols() -> st.SearchStrategy[str]:
    """Any symbol that a rule file may have, odd ones included."""
    common = st.text("abcXYZ019+-*/<>=.'_", min_size=1, max_size=4)
    # Neither controls, format characters, blanks nor surrogates; parentheses and semicolons excepted.
    any_character = st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zs", "Zl", "Zp"], exclude_characters="();")
    odd = st.text(any_character, min_size=1, max_size=4).filter(lambda text: not text.startswith("?"))
    return common | odd


def variables() -> st.SearchStrategy[Variable]:
    return st.builds(Variable, symbols())


def terms() -> st.SearchStrategy[Term]:
    """Any term."""
    return st.recursive(
        st.builds(Constant, symbols()) | variables(),
        lambda inner: st.builds(Function, symbols(), st.lists(inner, min_size=1, max_size=3).map(tuple)),
        max_leaves=6,
    )


def atoms() -> st.SearchStrategy[Atom]:
    """Any atom whose name is no keyword."""
    names = symbols().filter(lambda name: name.lower() not in _KEYWORDS)
    return st.builds(Atom, names, st.lists(terms(), max_size=3).map(tuple))


_POSITIVE = st.lists(st.builds(Literal, atoms()), max_size=3)
_TESTS = st.lists(st.builds(Literal, atoms(), st.just(True)) | st.builds(Distinct, terms(), terms()), max_size=2)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Any safe flat rule."""
    positive = draw(_POSITIVE)
    head, tests = draw(atoms()), draw(_TESTS)
    bound = {variable for literal in positive for variable in literal.variables()}
    # In head and tests, a bound variable, if there is any, takes the place of each that is not.
    others = sorted(bound) or [Constant("c")]
    used = [variable for part in (head, *tests) for variable in part.variables()]
    binding: dict[Variable, Term] = {v: others[i % len(others)] for i, v in enumerate(used) if v not in bound}

    def apply(part: Condition) -> Condition:
        if isinstance(part, Distinct):
            return Distinct(substitute(part.left, binding), substitute(part.right, binding))
        return Literal(_apply(part.atom, binding), part.negated)

    body = [*positive, *map(apply, tests)]
    return Rule(_apply(head, binding), tuple(dict.fromkeys(draw(st.permutations(body)))))


def _apply(atom: Atom, binding: Mapping[Variable, Term]) -> Atom:
    return Atom(atom.name, tuple(substitute(arg, binding) for arg in atom.args))


# Programs and games that are small enough to be evaluated naively

_HOLE = Constant("_")
_X, _Y, _Z = (Variable(name) for name in "xyz")
_A, _B, _C = (Constant(name) for name in "abc")
#: What variables range over where nothing else binds them: the rows of `dom/1`.
_DOMAIN: tuple[Term, ...] = (_A, _B, Constant("1"), Function("f", (_A,)), Function("f", (Function("f", (_A,)),)))
_PATTERNS: tuple[Term, ...] = (
    Function("f", (_X,)),
    Function("f", (_Y,)),
    Function("f", (_A,)),
    Function("f", (Function("f", (_Z,)),)),
    Function("g", (_X, _Y)),
    Function("g", (_X, _X)),
    Function("g", (_B, _Z)),
)
_GROUND: tuple[Term, ...] = (*_DOMAIN, _C, Function("g", (_A, _B)), Function("g", (_B, Function("f", (_A,)))))


def _shapes(*texts: str) -> tuple[Atom, ...]:
    """Atoms with holes, from texts such as `true (cell _ _)`."""
    return tuple(_atom(parse_term(f"({text})")) for text in texts)


def _atom(term: Term) -> Atom:
    return Atom(term.text) if isinstance(term, Constant) else Atom(term.name, term.args)  # type: ignore[union-attr]


@dataclass(frozen=True)
class _Maker:
    """Draws rules. Each kind of literal is an atom with holes."""

    draw: st.DrawFn

    def term(self) -> Term:
        kind = self.draw(st.integers(0, 9))
        if kind < 7:
            return self.draw(st.sampled_from([_X, _Y, _Z]))
        return self.draw(st.sampled_from(_GROUND if kind < 9 else _PATTERNS))

    def fill(self, shape: Term) -> Term:
        if isinstance(shape, Function):
            return Function(shape.name, tuple(map(self.fill, shape.args)))
        return self.term() if shape == _HOLE else shape

    def atom(self, shapes: Sequence[Atom]) -> Atom:
        shape = self.draw(st.sampled_from(shapes))
        return Atom(shape.name, tuple(map(self.fill, shape.args)))

    def fact(self, shapes: Sequence[Atom]) -> Rule:
        atom = self.atom(shapes)
        binding = {variable: self.draw(st.sampled_from(_GROUND)) for variable in dict.fromkeys(atom.variables())}
        return Rule(_apply(atom, binding))

    def condition(self, positive: Sequence[Atom], negative: Sequence[Atom]) -> Condition:
        kind = self.draw(st.integers(0, 9))
        if kind < 6 or not negative:
            return Literal(self.atom(positive))
        return Literal(self.atom(negative), negated=True) if kind < 8 else Distinct(self.term(), self.term())

    def rule(self, heads: Sequence[Atom], positive: Sequence[Atom], negative: Sequence[Atom]) -> list[Rule]:
        """One rule, or several with the same head and mostly the same body: a rule with `or`."""
        head = self.atom(heads)
        count = self.draw(st.integers(1, 3))
        body = [self.condition(positive, negative) for _ in range(count)]
        last = [self.condition(positive, negative) for _ in range(self.draw(st.sampled_from([1, 1, 1, 2, 3])))]
        return [_safe(head, [*body[:-1], condition]) for condition in last]


def _safe(head: Atom, body: list[Condition]) -> Rule:
    """The rule with every loose variable, and every function that the head builds, ranging over the domain."""
    bound = {v for c in body if isinstance(c, Literal) and not c.negated for v in c.variables()}
    loose = {v: None for v in (*head.variables(), *(v for c in body for v in c.variables())) if v not in bound}
    built = [arg for arg in _inner(head) if isinstance(arg, Function) and any(variables_of(arg))]
    guards = [Literal(Atom("dom", (term,))) for term in (*loose, *built)]
    return Rule(head, tuple(dict.fromkeys([*body, *guards])))


def _inner(head: Atom) -> tuple[Term, ...]:
    """The arguments of a head; those of the fact or move for a keyword of the game."""
    if head.name in ("next", "legal", "sees") and isinstance(head.args[-1], Function):
        return head.args[-1].args
    return head.args


@dataclass(frozen=True)
class RandomProgram:
    """Stratified rules; the same as text, with `or`; and the relations that have facts only."""

    rules: list[Rule]
    text: str
    sources: tuple[Signature, ...]


_LEVELS = (
    _shapes("e _ _", "h _", "k", "w _ _ _"),
    _shapes("p _ _", "q _", "yes"),
    _shapes("r _ _", "s _", "no", "t _ _ _"),
    _shapes("u _ _", "v _"),
)


@st.composite
def programs(draw: st.DrawFn) -> RandomProgram:
    """Stratified programs with negation, inequality, `or`, recursion, functions and relations without arguments."""
    maker = _Maker(draw)
    facts = [Rule(Atom("dom", (term,))) for term in _DOMAIN]
    facts += [maker.fact(_LEVELS[0]) for _ in range(draw(st.integers(0, 10)))]
    # Facts of relations that rules derive too.
    facts += [maker.fact(_LEVELS[draw(st.integers(1, 3))]) for _ in range(draw(st.integers(0, 2)))]
    statements = [[fact] for fact in facts]
    for level in range(1, len(_LEVELS)):
        below = [shape for lower in _LEVELS[:level] for shape in lower]
        own = _LEVELS[level]
        statements += [maker.rule(own, [*below, *own], below) for _ in range(draw(st.integers(0, 4)))]
    statements = draw(st.permutations(statements))
    return RandomProgram(
        [rule for statement in statements for rule in statement],
        "\n".join(map(_statement, statements)),
        tuple(shape.signature for shape in (*_LEVELS[0], Atom("dom", (_HOLE,)))),
    )


def _statement(alternatives: Sequence[Rule]) -> str:
    """The text of a rule; of several with the same head, as one rule with `or`."""
    if len(alternatives) == 1:
        return str(alternatives[0])
    bodies = " ".join(f"(and {' '.join(map(str, rule.body))})" for rule in alternatives)
    return f"(<= {alternatives[0].head} (or {bodies}))"


_STATE = _shapes("true (cell _ _)", "true (at _)", "true flag", "true _", "e _ _", "h _", "role _")
_MOVE = _shapes("does _ (move _ _)", "does _ noop", "does _ _")


@st.composite
def games(draw: st.DrawFn) -> str:
    """Rule texts of games with two roles, in which every role can always do `noop`."""
    maker = _Maker(draw)
    rules = [Rule(Atom("role", (_A,))), Rule(Atom("role", (_B,))), *(Rule(Atom("dom", (t,))) for t in _DOMAIN)]
    rules += [maker.fact(_shapes("e _ _", "h _")) for _ in range(draw(st.integers(0, 5)))]
    rules += [maker.fact(_shapes("init (cell _ _)", "init (at _)", "init flag", "init _")) for _ in range(4)]
    view, sight, event = _shapes("v _ _", "on"), _shapes("s _"), _shapes("w _", "bang")
    on_state = [*_STATE, *view, *sight]
    on_moves = [*on_state, *_MOVE, *event]

    def some(most: int, heads: Sequence[Atom], positive: Sequence[Atom], negative: Sequence[Atom]) -> None:
        for _ in range(draw(st.integers(0, most))):
            rules.extend(maker.rule(heads, positive, negative))

    some(2, view, [*_STATE, *view], _STATE)
    some(2, sight, on_state, [*_STATE, *view])
    some(2, event, on_moves, [*on_state, *_MOVE])
    some(3, _shapes("legal a (move _ _)", "legal b _", "legal _ (move a _)"), on_state, on_state)
    some(5, _shapes("next (cell _ _)", "next (at _)", "next flag", "next _"), on_moves, on_moves)
    some(2, _shapes("terminal"), on_state, on_state)
    some(3, _shapes("goal a _", "goal _ 100"), on_state, on_state)
    some(2, _shapes("sees a _", "sees _ (saw _)"), on_moves, on_moves)
    rules.append(Rule(Atom("terminal"), (Literal(Atom("true", (Constant("over"),))),)))
    rules.append(Rule(Atom("legal", (_X, Constant("noop"))), (Literal(Atom("role", (_X,))),)))
    return "\n".join(map(str, rules))

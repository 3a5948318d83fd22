"""The rows that each relation can ever hold: never fewer than the Reasoner derives in any state."""

from __future__ import annotations

import contextlib

from hypothesis import given
from hypothesis import strategies as st
from support.mutations import CHANGES, MIX, TEXTS, mutated
from support.profiles import examples

import gdl
import gdl.reasoner.components
from gdl.checker.domains import Domain, Domains, admits, instances
from gdl.language.rules import Atom
from gdl.terms import Constant, Function, Variable

VALID = st.builds(mutated, st.sampled_from(TEXTS), CHANGES) | MIX.map(
    lambda mix: "(role walker) (<= terminal (true over)) " + " ".join(mix)
)


def check_covered(text: str) -> None:
    """All that the Reasoner derives in the first states of some matches is possible by the domains."""
    try:
        game = gdl.Reasoner(text)
    except gdl.GdlError:
        return
    domains = Domains(game.rulesheet.rules)
    fires = {rule.head.signature for rule in game.rulesheet.rules if not domains.failures(rule)}
    state = game.initial_state()
    for ply in range(3):
        for fact in state:
            assert domains.possible(Atom("true", (fact,))), fact
        for name, arity in list(game.rulesheet.graph.edges):
            if name in ("true", "does", "next", "sees"):
                continue
            pattern = f"({name} {' '.join(f'?x{k}' for k in range(arity))})"
            with contextlib.suppress(gdl.JointMoveError):
                for row in game.query(pattern, state):
                    atom = Atom(name, tuple(row.values()))
                    assert domains.possible(atom), atom
                    assert (name, arity) in fires
        legal = [game.legal_moves(state, role) for role in game.roles]
        if not all(legal):
            return
        moves = [options[ply % len(options)] for options in legal]
        for role, move in zip(game.roles, moves, strict=True):
            assert domains.possible(Atom("does", (Constant(role), move)))
        state = game.next_state(state, moves)


@examples(40, thorough=300)
@given(text=VALID)
def test_domains_cover_what_is_derived(text: str) -> None:
    with contextlib.suppress(gdl.GdlError):
        check_covered(text)


def domain(*terms: gdl.Term) -> Domain:
    """The domain of some terms."""
    found = Domain()
    for term in terms:
        found.add(instances(term, {}))
    return found


def test_a_domain_has_its_terms() -> None:
    found = domain(Constant("a"), Function("f", (Constant("b"),)))
    for term, expected in [
        ("a", True),
        ("A", True),
        ("b", False),
        ("(f b)", True),
        ("(f a)", False),
        ("(f b b)", False),
    ]:
        assert admits(found, gdl.parse_term(term), {}) is expected


def test_what_two_domains_have_in_common() -> None:
    first = domain(Constant("a"), Constant("b"), Function("f", (Constant("a"),)))
    second = domain(Constant("b"), Function("f", (Constant("c"),)))
    common = first.meet(second)
    assert (common.constants, common.functions) == ({"b"}, {})
    assert not domain(Constant("a")).meet(domain(Constant("b")))


def test_a_variable_is_narrowed() -> None:
    binding: dict[Variable, Domain] = {}
    x = Variable("x")
    assert admits(domain(Constant("a"), Constant("b")), x, binding)
    assert admits(domain(Constant("b"), Constant("c")), x, binding)
    assert binding[x].constants == {"b"}
    assert not admits(domain(Constant("a")), x, binding)

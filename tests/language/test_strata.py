"""The dependency graph: components in order, what reaches what, and negation in cycles."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.engines import flat_rules
from support.profiles import examples

from gdl.language.rules import Atom, Literal, Rule, Signature
from gdl.language.strata import Dependency, DependencyGraph


def graph(text: str) -> DependencyGraph:
    return DependencyGraph(flat_rules(text))


def names(signatures: tuple[Signature, ...] | set[Signature]) -> str:
    return " ".join(sorted(name for name, _ in signatures))


def steps(chain: list[Dependency]) -> list[str]:
    return [f"{d.rule.head.name} {'not ' if d.literal.negated else ''}{d.literal.atom.name}" for d in chain]


CHAIN = "(<= a b) (<= b c) (<= c d) (<= c e)"
LOOPS = "(<= a b c) (<= b a) (<= c d) (<= d e f) (<= e c) (<= f f)"


def test_components_come_after_those_they_need() -> None:
    order = [names(component) for component in graph(CHAIN).components]
    assert set(order) == set("abcde")
    position = {name: i for i, name in enumerate(order)}
    assert position["a"] > position["b"] > position["c"] > max(position["d"], position["e"])


def test_relations_that_need_each_other_are_one_component() -> None:
    assert [names(component) for component in graph(LOOPS).components] == ["f", "c d e", "a b"]


def test_relations_differ_by_arity() -> None:
    assert graph("(<= (p ?x) (p ?x ?y))").components == ((("p", 2),), (("p", 1),))


def test_relations_are_the_same_whatever_their_case() -> None:
    assert graph("(<= (P ?x) (q ?x)) (<= (q ?x) (p ?x) (Q ?x))").components == ((("p", 1), ("q", 1)),)


def test_a_long_chain_is_no_problem() -> None:
    rules = [Rule(Atom(f"p{i}"), (Literal(Atom(f"p{i + 1}")),)) for i in range(5000)]
    assert len(DependencyGraph(rules).components) == 5001


def test_reaches_gives_what_depends_on_the_targets() -> None:
    assert names(graph(CHAIN).reaches([("d", 0)])) == "a b c d"
    assert names(graph(CHAIN).reaches([("e", 0), ("b", 0)])) == "a b c e"
    assert names(graph(LOOPS).reaches([("a", 0)])) == "a b"
    assert names(graph(CHAIN).reaches([("unknown", 3)])) == "unknown"


def test_path_is_a_shortest_chain() -> None:
    text = "(<= a b) (<= b c) (<= c d) (<= a x) (<= x d)"
    assert steps(graph(text).path(("a", 0), ("d", 0))) == ["a x", "x d"]
    assert steps(graph(text).path(("a", 0), ("d", 0), {("b", 0), ("c", 0), ("d", 0)})) == ["a b", "b c", "c d"]
    assert graph(text).path(("d", 0), ("a", 0)) == []
    assert steps(graph(LOOPS).path(("a", 0), ("a", 0))) == ["a b", "b a"]


def test_stratified_negation_is_no_cycle() -> None:
    assert graph("(<= a (not b)) (<= b (not c)) (<= c d) (<= d c)").negative_cycles() == []


def test_negation_of_itself_is_the_shortest_cycle() -> None:
    (cycle,) = graph("(<= a (not b)) (<= b a) (<= b (not b))").negative_cycles()
    assert steps(cycle) == ["b not b"]


def test_a_negative_cycle_starts_with_its_negation() -> None:
    (cycle,) = graph("(<= a b) (<= b (not c)) (<= c d) (<= d a) (<= c a a x)").negative_cycles()
    assert steps(cycle) == ["b not c", "c a", "a b"]


def test_each_component_has_its_cycle() -> None:
    cycles = graph("(<= a (not b)) (<= b a) (<= c (not d) a) (<= d c) (<= e (not a) e)").negative_cycles()
    assert [steps(cycle) for cycle in cycles] == [["a not b", "b a"], ["c not d", "d c"]]


EDGES = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7), st.booleans()), max_size=20)


@examples(200)
@given(EDGES)
def test_components_and_cycles_are_what_reachability_says(edges: set[tuple[int, int, bool]]) -> None:
    rules = [Rule(Atom(f"p{head}"), (Literal(Atom(f"p{need}"), negated),)) for head, need, negated in sorted(edges)]
    found = DependencyGraph(rules)
    nodes = {f"p{node}" for head, need, _ in edges for node in (head, need)}
    needs = {node: {node} for node in nodes}
    for _ in nodes:
        for head, need, _negated in edges:
            needs[f"p{head}"] |= needs[f"p{need}"]

    together = {frozenset(b for b in needs[a] if a in needs[b]) for a in nodes}
    assert {frozenset(name for name, _ in component) for component in found.components} == together
    assert sum(map(len, found.components)) == len(nodes)
    for earlier, later in ((a, b) for i, a in enumerate(found.components) for b in found.components[i + 1 :]):
        assert not any(need in needs[node] for node, _ in earlier for need, _ in later)

    negative = {(f"p{head}", f"p{need}") for head, need, negated in edges if negated}
    bad = {component for component in together if any({h, n} <= component for h, n in negative)}
    cycles = found.negative_cycles()
    assert {
        frozenset(needs[c[0].rule.head.name] & {h for h in nodes if c[0].rule.head.name in needs[h]}) for c in cycles
    } == bad
    for cycle in cycles:
        assert cycle[0].literal.negated
        for step, following in pairwise([*cycle, cycle[0]]):
            assert step.literal.atom.signature == following.rule.head.signature

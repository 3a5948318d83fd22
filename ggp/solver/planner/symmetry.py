"""Interchangeable objects: constants that the rules of a game cannot tell apart.

Two constants are interchangeable if swapping them everywhere maps the rules onto themselves, except for `init`, `base`
and `input`, on which the consequences of a state do not depend. Then a state and the one with the two constants swapped
have the same value, whatever the initial state. Swapping leaves all other constants alone, so this relation is an
equivalence, and all permutations of one class are symmetries (Fox and Long, The Detection and Exploitation of Symmetry
in Planning Problems, IJCAI 1999, find the same from a state).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gdl.language.rules import Atom, Condition, Distinct, Rule
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Constant, Term, Variable, fold, leaves, name_key, shape_of

#: Relations that describe the initial state, or only list facts and moves.
_BEGINNING = {("init", 1), ("base", 1), ("input", 2)}

#: A relation that a rule reads or defines; for `true` and `next`, with the name and arity of the fact (None: any).
Node = tuple[str, int] | tuple[str, str | None, int]


def interchangeable(rulesheet: Rulesheet, fixed: Iterable[str] = ()) -> list[tuple[str, ...]]:
    """Return the classes of at least two interchangeable constants, in lower case, without the `fixed` ones.

    Goal values must be fixed, as their numerical values matter.
    """
    kept = {name_key(name) for name in fixed}
    rules = [rule for rule in rulesheet.rules if rule.head.signature not in _BEGINNING]
    texts = {_text(rule, {}) for rule in rules}
    # Constants that occur only in the relations above are in none of these rules.
    mentions: dict[str, list[Rule]] = {name: [] for rule in rulesheet.rules for name in _constants(rule) - kept}
    for rule in rules:
        for name in _constants(rule) - kept:
            mentions[name].append(rule)
    alike: dict[tuple[tuple[str, int], ...], list[list[str]]] = {}
    for name, own in mentions.items():
        classes = alike.setdefault(_looks(name, own), [])
        for known in classes:
            if _swaps(name, known[0], mentions, texts):
                known.append(name)
                break
        else:
            classes.append([name])
    found = [tuple(sorted(known)) for classes in alike.values() for known in classes if len(known) > 1]
    return sorted(found)


def _swaps(one: str, other: str, mentions: Mapping[str, Sequence[Rule]], texts: set[str]) -> bool:
    """Return True if swapping two constants maps the rules onto themselves.

    It is enough that the image of each rule is a rule, as swapping is its own inverse.
    """
    swap = {one: other, other: one}
    return all(_text(rule, swap) in texts for rule in (*mentions[one], *mentions[other]))


def _looks(name: str, rules: Iterable[Rule]) -> tuple[tuple[str, int], ...]:
    """Return a constant's rules with all other constants made equal; interchangeable constants have the same."""
    return tuple(sorted(Counter(_text(rule, {name: "@"}, rest="*") for rule in rules).items()))


def _constants(rule: Rule) -> set[str]:
    terms = [*rule.head.args]
    for condition in rule.body:
        terms += _terms(condition)
    return {leaf.key for term in terms for leaf in leaves(term) if isinstance(leaf, Constant)}


def _terms(condition: Condition) -> tuple[Term, ...]:
    return (condition.left, condition.right) if isinstance(condition, Distinct) else condition.atom.args


def _text(rule: Rule, names: Mapping[str, str], rest: str | None = None) -> str:
    """Return a rule as text, with constants renamed; the order of the body and the names of variables do not matter.

    Equal texts mean equal rules. The converse may fail if conditions differ only in their variables.
    """

    def constant(name: str) -> str:
        return names.get(name_key(name), name_key(name) if rest is None else rest)

    def term(value: Term, variables: dict[str, str] | None) -> str:
        def leaf(part: Constant | Variable) -> str:
            if isinstance(part, Constant):
                return constant(part.text)
            return "?" if variables is None else variables.setdefault(part.key, f"?{len(variables)}")

        return fold(value, leaf, lambda function, args: f"({name_key(function.name)} {' '.join(args)})")

    def atom(value: Atom, variables: dict[str, str] | None) -> str:
        return f"({name_key(value.name)} {' '.join(term(arg, variables) for arg in value.args)})"

    def condition(value: Condition, variables: dict[str, str] | None) -> str:
        if isinstance(value, Distinct):
            return f"distinct {term(value.left, variables)} {term(value.right, variables)}"
        return ("not " if value.negated else "") + atom(value.atom, variables)

    numbered: dict[str, str] = {}
    head = atom(rule.head, numbered)
    body = sorted(rule.body, key=lambda value: condition(value, None))
    return " ".join([head, *(condition(value, numbered) for value in body)])


def runs_by_rules(rulesheet: Rulesheet, facts: Iterable[Term]) -> bool:
    """Return True if the rules alone show that some facts are a clock in the sense of `autonomous`, in any state.

    The circuit proves this only for reachable states, and states with swapped objects may be unreachable. By the rules,
    only facts of these names, terminal and goals may depend on facts of these names, and the facts depend on no others.
    """
    names = {_fact_node("true", fact) for fact in facts}
    heads = {("next", *node[1:]) for node in names}
    edges: dict[Node, set[Node]] = {}
    for rule in rulesheet.rules:
        if rule.head.signature not in _BEGINNING:
            edges.setdefault(_node(rule.head), set()).update(_node(literal.atom) for literal in rule.literals())
    for head, below in edges.items():
        if head[0] in ("terminal", "goal"):
            continue
        if head in heads:
            reached = _reached(below, edges)
            if ("does", 2) in reached or any(node[0] == "true" and node not in names for node in reached):
                return False
        elif head[0] in ("legal", "next") and any(_meets(node, names) for node in _reached(below, edges)):
            return False
    return True


def _meets(node: Node, names: set[Node]) -> bool:
    return node in names or (node[0] == "true" and node[1] is None)


def _reached(begin: set[Node], edges: Mapping[Node, set[Node]]) -> set[Node]:
    reached: set[Node] = set()
    pending = [*begin]
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending += edges.get(node, ())
    return reached


def _node(atom: Atom) -> Node:
    name, arity = atom.signature
    return _fact_node(name, atom.args[0]) if name in ("true", "next") and arity == 1 else (name, arity)


def _fact_node(kind: str, fact: Term) -> Node:
    if isinstance(fact, Variable):
        return kind, None, 0
    return (kind, *shape_of(fact))

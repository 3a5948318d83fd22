"""The Python functions that derive relations: one component of the dependency graph at a time.

The semi-naive idea: in each round of a recursive component, a rule needs matching only with at least one of its
recursive literals restricted to the rows that were new in the round before; whatever joins only older rows has been
found already (Bancilhon: Naive evaluation of recursively defined relations, 1986).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdl.blocks import Block, insert, render
from gdl.joins import Estimate, order
from gdl.pycode import IndexKey, RuleWriter, Scope
from gdl.rules import Rule, Signature, signature_text
from gdl.terms import Function

#: A component whose rules build function terms is given up after so many rounds: it would go on for ever.
MAX_ROUNDS = 10_000


def simple_component(relation: Signature, rules: Iterable[Rule], scope: Scope, estimate: Estimate, limit: int) -> str:
    """The function that derives a relation which does not depend on itself. `limit`: rows, 0 for none."""
    root = Block()
    for rule in rules:
        insert(root, RuleWriter(scope, "out").write(rule, order(rule, estimate), rule.head.args or None))
    text = signature_text(relation)
    if relation[1] == 0:
        # The inner function returns as soon as one rule holds.
        lines = [
            "def derive(c):",
            "    def holds():",
            f"        if facts[{relation!r}]:",
            "            return True",
        ]
        return "\n".join(
            [
                *lines,
                *render(root.body, 2),
                "        return False",
                f"    c[{text!r}] = table = holds()",
                "    return table",
            ]
        )
    if limit:
        _limit(root, limit, relation)
    lines = ["def derive(c):", f"    out = set(facts[{relation!r}])", "    add = out.add"]
    return "\n".join([*lines, *render(root.body, 1), f"    c[{text!r}] = out", "    return out"])


def _limit(root: Block, limit: int, relation: Signature) -> None:
    """Check the number of rows in every outermost loop."""
    for block in root.body:
        if block.is_loop:
            block.body.insert(0, Block(f"if len(out) > {limit}", body=[Block(f"overflow({relation!r})")]))
        elif block.is_condition:
            _limit(block, limit, relation)


def recursive_component(
    component: Sequence[Signature], rules: Sequence[Rule], scope: Scope, estimate: Estimate, limit: int
) -> str:
    """The function that derives relations which depend on each other. `limit`: rows of one relation, 0 for none."""
    members = frozenset(component)
    table = {member: scope.names.of("table", signature_text(member)) for member in component}
    new = {member: scope.names.of("new", signature_text(member)) for member in component}
    found = {member: scope.names.of("found", signature_text(member)) for member in component}
    lines = ["def derive(c):"]
    lines += [f"    {table[member]} = set(facts[{member!r}])" for member in component]
    rounds: list[str] = []
    for member in component:
        once, again = Block(), Block()
        for rule in rules:
            if rule.head.signature == member:
                recursive = [literal for literal in rule.literals() if literal.atom.signature in members]
                if not recursive:
                    insert(once, RuleWriter(scope, "out").write(rule, order(rule, estimate), rule.head.args))
                for literal in recursive:
                    steps = order(rule, estimate, literal)
                    insert(again, RuleWriter(scope, table[member]).write(rule, steps, rule.head.args))
        # First what the other relations give, then, in rounds, what follows from what is new.
        if once.body:
            lines += [f"    out = {table[member]}", "    add = out.add", *render(once.body, 1)]
        if again.body:
            rounds += [f"        add = {found[member]}.add", *render(again.body, 2)]
    lines += [f"    {new[member]} = set({table[member]})" for member in component]
    lines += [f"    {name} = {_index(key)}({table[key.relation]})" for key, name in scope.local_indexes.items()]
    lines += ["    rounds = 0", f"    while {' or '.join(new.values())}:"]
    lines += [f"        {found[member]} = set()" for member in component]
    lines += rounds
    for member in component:
        lines += [f"        {table[member]} |= {found[member]}", f"        {new[member]} = {found[member]}"]
        if limit:
            lines += [f"        if len({table[member]}) > {limit}:", f"            overflow({member!r})"]
    lines += [f"        {_index(key)}({new[key.relation]}, {name})" for key, name in scope.local_indexes.items()]
    if any(isinstance(arg, Function) for rule in rules for arg in rule.head.args):
        names = [signature_text(member) for member in component]
        lines += ["        rounds += 1", f"        if rounds > {MAX_ROUNDS}:", f"            diverged({names!r})"]
    for member in component:
        rows = f"bool({table[member]})" if member[1] == 0 else table[member]
        lines.append(f"    c[{signature_text(member)!r}] = {rows}")
    if len(component) == 1:
        lines.append(f"    return c[{signature_text(component[0])!r}]")
    return "\n".join(lines)


def lazy_component(key: IndexKey, rules: Iterable[Rule], scope: Scope, estimate: Estimate) -> str:
    """The function that derives what matches one key of a lazy index: a set of outputs, or whether there is a row."""
    names = [scope.names.of("key", str(column)) for column in key.bound]
    root = Block()
    for rule in rules:
        writer = RuleWriter(scope, "out")
        given = [rule.head.args[column] for column in key.bound]
        writer.bind(list(zip(names, given, strict=True)))
        row = [rule.head.args[column] for column in key.outputs]
        insert(root, writer.write(rule, order(rule, estimate, known=set(writer.bound)), row or None))
    lines = ["def derive(c, key):", f"    {', '.join(names)} = key"]
    if not key.outputs:
        lines += ["    if key in facts:", "        return True", *render(root.body, 1), "    return False"]
    else:
        lines += ["    out = set(facts.get(key, ()))", "    add = out.add", *render(root.body, 1), "    return out"]
    return "\n".join(lines)


def _index(key: IndexKey) -> str:
    return f"index_builder({key.relation[1]}, {key.bound!r}, {key.outputs!r})"

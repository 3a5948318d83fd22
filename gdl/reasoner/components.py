"""Generates the Python functions that derive relations, one component of the dependency graph at a time.

Recursive components are evaluated semi-naively: in each round, a rule is matched only with at least one of its
recursive literals restricted to the rows that were new in the previous round. Joins of older rows only have already
been found (Bancilhon: Naive evaluation of recursively defined relations, 1986).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gdl.language.rules import Rule, Signature, signature_text, variables_of
from gdl.reasoner.blocks import Block, check_of, function_lines, has_loop, insert, watch
from gdl.reasoner.joins import Estimate, order
from gdl.reasoner.python_code import IndexKey, Scope, rule_path


def simple_component(relation: Signature, rules: Iterable[Rule], scope: Scope, estimate: Estimate, limit: int) -> str:
    """Return the code of a function that derives a non-recursive relation.

    `limit` is the maximum number of rows, or 0 for no limit.
    """
    root = Block()
    for rule in rules:
        insert(root, rule_path(scope, "out", rule, order(rule, estimate, risky=scope.risky), rule.head.args or None))
    text = signature_text(relation)
    watch(root.body, "out" if relation[1] else "()")
    if relation[1] == 0:
        # An inner function, so that it can return as soon as one rule holds.
        lines = [
            "def derive(c):",
            "    def holds():",
            f"        if facts[{relation!r}]:",
            "            return True",
        ]
        return "\n".join(
            [
                *lines,
                *function_lines(root.body, 2),
                "        return False",
                f"    c[{text!r}] = table = holds()",
                "    return table",
            ]
        )
    if limit:
        _limit(root.body, "out", limit, f"overflow({relation!r})")
    lines = ["def derive(c):", f"    out = set(facts[{relation!r}])", "    add = out.add"]
    return "\n".join([*lines, *function_lines(root.body, 1), f"    c[{text!r}] = out", "    return out"])


def _limit(blocks: Iterable[Block], rows: str, limit: int, failure: str, *, outermost: bool = True) -> None:
    """Insert a check of the number of rows into the outermost loops, and into all loops that contain another loop."""
    for block in blocks:
        if block.is_loop and (outermost or has_loop(block.body)):
            _limit(block.body, rows, limit, failure, outermost=False)
            block.body.insert(0, Block(f"if len({rows}) > {limit}", body=[Block(failure)]))
        else:
            _limit(block.body, rows, limit, failure, outermost=outermost)


def recursive_component(
    component: Sequence[Signature],
    rules: Sequence[Rule],
    scope: Scope,
    estimate: Estimate,
    limit: int,
    *,
    endless: bool = False,
) -> str:
    """Return the code of a function that derives mutually recursive relations.

    `limit` is the maximum number of rows of one relation, or 0 for no limit. It is checked after each round, but if the
    recursion may be `endless`, also in each round, which may multiply the rows.
    """
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
                    insert(
                        once, rule_path(scope, "out", rule, order(rule, estimate, risky=scope.risky), rule.head.args)
                    )
                for literal in recursive:
                    steps = order(rule, estimate, literal, risky=scope.risky)
                    insert(again, rule_path(scope, table[member], rule, steps, rule.head.args))
        # First apply the rules that only use other relations, then, in rounds, those that use new rows.
        watch(once.body, table[member])
        watch(again.body, found[member])
        if endless:
            _limit(again.body, found[member], limit, f"overflow({member!r})")
        if once.body:
            lines += [f"    out = {table[member]}", "    add = out.add", *function_lines(once.body, 1)]
        if again.body:
            rounds += [f"        add = {found[member]}.add", *function_lines(again.body, 2)]
    lines += [f"    {new[member]} = set({table[member]})" for member in component]
    lines += [f"    {name} = {_index(key)}({table[key.relation]})" for key, name in scope.local_indexes.items()]
    lines += [f"    while {' or '.join(new.values())}:"]
    recursive_rule = next(rule for rule in rules if any(x.atom.signature in members for x in rule.literals()))
    largest = table[recursive_rule.head.signature]
    lines += function_lines([check_of(largest, scope.number(recursive_rule))], 2)
    lines += [f"        {found[member]} = set()" for member in component]
    lines += rounds
    for member in component:
        lines += [f"        {table[member]} |= {found[member]}", f"        {new[member]} = {found[member]}"]
        if limit:
            lines += [f"        if len({table[member]}) > {limit}:", f"            overflow({member!r})"]
    lines += [f"        {_index(key)}({new[key.relation]}, {name})" for key, name in scope.local_indexes.items()]
    for member in component:
        rows = f"bool({table[member]})" if member[1] == 0 else table[member]
        lines.append(f"    c[{signature_text(member)!r}] = {rows}")
    if len(component) == 1:
        lines.append(f"    return c[{signature_text(component[0])!r}]")
    return "\n".join(lines)


def lazy_component(key: IndexKey, rules: Iterable[Rule], scope: Scope, estimate: Estimate) -> str:
    """Return the code of a function that derives the answer for one key of a lazy index.

    The answer is a set of outputs or, for an index without outputs, True if there is a row.
    """
    names = [scope.names.of("key", str(column)) for column in key.bound]
    root = Block()
    for rule in rules:
        given = [rule.head.args[column] for column in key.bound]
        row = [rule.head.args[column] for column in key.outputs]
        known = {variable for term in given for variable in variables_of(term)}
        # Only the outputs are wanted of the head.
        wanted = replace(rule, head=replace(rule.head, args=tuple(row)))
        steps = order(wanted, estimate, known=known, risky=scope.risky)
        insert(root, rule_path(scope, "out", rule, steps, row or None, list(zip(names, given, strict=True))))
    watch(root.body, "out" if key.outputs else "()")
    lines = ["def derive(c, key):", f"    {', '.join(names)} = key"]
    if not key.outputs:
        lines += ["    if key in facts:", "        return True", *function_lines(root.body, 1), "    return False"]
    else:
        lines += [
            "    out = set(facts.get(key, ()))",
            "    add = out.add",
            *function_lines(root.body, 1),
            "    return out",
        ]
    return "\n".join(lines)


def _index(key: IndexKey) -> str:
    return f"index_builder({key.relation[1]}, {key.bound!r}, {key.outputs!r})"

"""From rules with variables to rules without: clingo grounds them, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

from gdl.grounder.encoding import Encoding
from gdl.grounder.program import ALWAYS, GroundProgram, GroundRule
from gdl.rules import Signature
from gdl.rulesheet import Rulesheet
from gdl.terms import Term


def ground(rulesheet: Rulesheet) -> GroundProgram:
    """The ground program of a game."""
    encoding = Encoding()
    text = encoding.text(rulesheet.stratified_rules)
    command = [sys.executable, "-m", "clingo", "--mode=gringo", "--output=intermediate", "--warn=none", "-"]
    run = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    return _read(run.stdout.decode().splitlines(), encoding)


def _read(lines: list[str], encoding: Encoding) -> GroundProgram:
    rules: list[GroundRule] = []
    tables: dict[Signature, dict[tuple[Term, ...], int]] = {}
    facts: set[int] = set()
    size = 1
    for line in lines:
        if line.startswith("1 0 1 "):
            numbers = list(map(int, line.split()))
            head = numbers[3]
            body = tuple(numbers[6:])
            size = max(size, head + 1)
            if body:
                rules.append((head, body))
            else:
                facts.add(head)
        elif line.startswith("4 "):
            _, _, symbol, _, *literals = line.split()
            signature, args = encoding.symbol(symbol)
            number = int(literals[0]) if literals else ALWAYS
            size = max(size, number + 1)
            tables.setdefault(signature, {})[args] = number
    for head in facts:
        rules.append((head, ()))

    def unary(name: str) -> dict[Term, int]:
        return {args[0]: number for args, number in tables.get((name, 1), {}).items()}

    def binary(name: str) -> dict[tuple[Term, Term], int]:
        return {(args[0], args[1]): number for args, number in tables.get((name, 2), {}).items()}

    return GroundProgram(
        roles=tuple(unary("role")),
        init=frozenset(unary("init")),
        true=unary("true"),
        does=binary("does"),
        legal=binary("legal"),
        next=unary("next"),
        goal=binary("goal"),
        sees=binary("sees"),
        terminal=tables.get(("terminal", 0), {}).get(()),
        rules=rules,
        size=size,
    )

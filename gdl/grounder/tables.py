"""The atoms of a ground program, grouped by the relation they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl.grounder.encoding import Encoding
from gdl.grounder.program import ALWAYS, GroundProgram, GroundRule
from gdl.language.rules import Signature
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term


class Tables:
    """The atoms of the relations that are read, by their arguments."""

    def __init__(self, encoding: Encoding, names: Mapping[str, int]) -> None:
        """Sort the atoms of a ground program, given by their printed names, by relation."""
        self._rows: dict[Signature, dict[tuple[Term, ...], int]] = {}
        for name, number in names.items():
            signature, args = encoding.symbol(name)
            self._rows.setdefault(signature, {})[args] = number

    def open_atoms(self) -> set[int]:
        """Return the atoms that a state and a joint move determine."""
        return {atom for signature in (("true", 1), ("does", 2)) for atom in self._rows.get(signature, {}).values()}

    def evaluate(self, true: set[int], false: set[int]) -> None:
        """Replace the atoms that always hold by `ALWAYS`, and remove those that never hold."""
        for signature, rows in self._rows.items():
            self._rows[signature] = {
                args: ALWAYS if number in true else number for args, number in rows.items() if number not in false
            }

    def program(self, rulesheet: Rulesheet, rules: list[GroundRule]) -> GroundProgram:
        """Return the ground program, without moves, goals and percepts of terms that are not roles."""
        roles = self._roles(rulesheet)
        known = set(roles)
        true, does = self._unary("true"), self._binary("does", known)
        legal, goal, sees = (self._binary(name, known) for name in ("legal", "goal", "sees"))
        following = self._unary("next")
        terminal = self._rows.get(("terminal", 0), {}).get(())
        answers = {*legal.values(), *goal.values(), *sees.values(), *following.values(), terminal or ALWAYS}
        rules = _needed(rules, answers)
        atoms = {0, *true.values(), *does.values(), *(head for head, _ in rules)}
        return GroundProgram(
            roles=roles,
            init=frozenset(self._unary("init")),
            true=true,
            does=does,
            legal=legal,
            next=following,
            goal=goal,
            sees=sees,
            terminal=terminal,
            rules=rules,
            size=max(atoms) + 1,
        )

    def _unary(self, name: str) -> dict[Term, int]:
        return {args[0]: number for args, number in self._rows.get((name, 1), {}).items()}

    def _binary(self, name: str, roles: set[Term]) -> dict[tuple[Term, Term], int]:
        return {(role, term): number for (role, term), number in self._pairs(name) if role in roles}

    def _pairs(self, name: str) -> Iterable[tuple[tuple[Term, ...], int]]:
        return self._rows.get((name, 2), {}).items()

    def _roles(self, rulesheet: Rulesheet) -> tuple[Term, ...]:
        """Return the roles in the Reasoner's order.

        Roles declared as facts come first, in the order of the file. Those that rules derive follow, sorted by text.
        """
        declared = [rule.head.args[0] for rule in rulesheet.defining(("role", 1)) if not rule.body]
        derived = sorted(self._unary("role"), key=lambda role: rulesheet.respell(role).text)
        return tuple(dict.fromkeys([*declared, *derived]))


def _needed(rules: list[GroundRule], answers: set[int]) -> list[GroundRule]:
    """Return the rules that some atoms depend on. The others were only needed for domains."""
    bodies: dict[int, list[tuple[int, ...]]] = {}
    for head, body in rules:
        bodies.setdefault(head, []).append(body)
    found = set(answers)
    stack = list(answers)
    while stack:
        new = {abs(literal) for body in bodies.get(stack.pop(), ()) for literal in body} - found
        found |= new
        stack += new
    return [rule for rule in rules if rule[0] in found]

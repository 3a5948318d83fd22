"""Compares the claims of the checker about a text, and the formatted text, with the oracle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gdl.checker import check_reading
from gdl.checker.diagnostic import Diagnostic
from gdl.language.formatter import format_text
from gdl.language.parser import source_of
from gdl.language.reading import read
from gdl.language.syntax import Expression, Group, Symbol
from support import oracle
from support.oracle import Game, Model, Term, folded, relation, solutions

Same = Callable[[str, object, object], None]
_NEVER = re.compile(r"this rule can never fire|this alternative can never hold")
_ATOM = r"(\(.*?\)|[^\s,]+)"


class Claims:
    """The claims on one text; `models` is all that holds in the states that were reached."""

    def __init__(self, game: Game, text: str, models: Sequence[Model], same: Same) -> None:
        self.game, self.models, self.same = game, models, same
        self.reading = read(source_of(text, "<string>"))
        self.statements = self.reading.statements
        #: The statements that are said to do nothing.
        self.idle: set[int] = set()
        self.count = 0

    def check(self, found: Diagnostic) -> None:
        message = found.message
        for said in (message, *(note.message for note in found.notes)):
            self._atoms(said)
        if match := _NEVER.search(message):
            self._never(found.location, match[0].startswith("this alternative"), message)
        for note in found.notes:
            if "so this rule can never fire either" in note.message:
                self._never(note.location, False, note.message)
                lines = re.search(r"lines? ([\d, ]+)", note.message)
                for line in map(int, lines[1].split(", ")) if lines else ():
                    self._line(line, note.message)
            elif "so this alternative can never hold either" in note.message:
                self._never(note.location, True, note.message)
        if found.code == "empty-relation":
            self.idle.update(self._defining(message.rpartition(" is always empty")[0]))
        elif found.code == "unused-relation":
            name = (
                re.search(r"nothing uses (\S+)", message)
                if message.startswith("nothing")
                else re.search(r"(\S+) is", message)
            )
            assert name
            self.idle.update(self._defining(name[1].removesuffix(";")))
        elif found.code == "duplicate-rule":
            self.idle.add(self._statement(found.location))
        elif found.code == "unknown-role":
            (role,) = self._read(message.partition(" is not a role")[0])
            self.same(message, False, role in self.game.roles)

    def _atoms(self, message: str) -> None:
        """Check what a message says of atoms and relations that never hold."""
        if match := re.search(r"(?:^|: )(\S+)/(\d+) is always empty", message):
            self._empty((match[1].lower(), int(match[2])), message)
        if match := re.search(r"nothing defines (\S+)/(\d+)\b.*it never holds", message):
            self._empty((match[1].lower(), int(match[2])), message)
        if match := re.search(r"nothing derives (.*?)(?:; did you mean.*)?$", message):
            self._none(self._read(match[1])[0], message)
        if match := re.search(r"neither init nor next makes (.*) true, so", message):
            (fact,) = self._read(match[1])
            for name in ("init", "next", "true"):
                self._none((name, fact), message)
        if match := re.search(r"^(.*) is never legal for (.*), so (?:this|its)", message):
            (move,), (role,) = self._read(match[1]), self._read(match[2])
            for name in ("legal", "does"):
                self._none((name, role, move), message)
        if match := re.search(r": (\S.*) is a fact$", message):
            (atom,) = self._read(match[1])
            for model in self.models:
                self.same(message, True, atom in model.get(relation(atom), ()))
                self.count += 1

    def _read(self, text: str) -> list[Term]:
        return [folded(expression) for expression in oracle.read(text)]

    def _empty(self, one: tuple[str, int], message: str) -> None:
        for model in self.models:
            self.same(message, set(), model.get(one, set()))
            self.count += 1

    def _none(self, atom: Term, message: str) -> None:
        for model in self.models:
            found = [oracle.substituted(atom, binding) for binding in solutions([atom], {}, model, model)]
            self.same(message, [], found)
            self.count += 1

    def _never(self, location: Any, alternative: bool, message: str) -> None:
        """Check that a rule does not fire; or none of the alternatives with the condition at a location."""
        number = self._statement(location)
        statement = self.statements[number]
        _, body = self.game.rules[number]
        if alternative:
            (expression,) = oracle.read(str(pruned(statement, _start(location))))
            _, body = oracle.rule(expression)
        for model in self.models:
            found = next(solutions(body, {}, model, model), None)
            self.same(f"{message}: line {statement.location.line}", None, found)
            self.count += 1
        if not alternative:
            self.idle.add(number)

    def _line(self, line: int, message: str) -> None:
        """Check the rule on a line, if there is but one."""
        on_line = [s for s in self.statements if s.location.line == line]
        if len(on_line) == 1:
            self._never(on_line[0].location, False, message)

    def _statement(self, location: Any) -> int:
        """The number of the statement at a location."""
        starts = [_start(statement.location) for statement in self.statements]
        return max(i for i, start in enumerate(starts) if start <= _start(location))

    def _defining(self, name: str) -> Iterator[int]:
        """The statements that define a relation, given as `name/arity`."""
        symbol, _, arity = name.rpartition("/")
        for i, (head, _) in enumerate(self.game.rules):
            if relation(head) == (symbol.lower(), int(arity)):
                yield i

    def check_idle(self) -> None:
        """Check that the statements that are said to do nothing may be left out."""
        if not self.idle:
            return
        kept = [str(statement) for i, statement in enumerate(self.statements) if i not in self.idle]
        other = Game("\n".join(kept))
        for model in self.models:
            check_same_answers(self.game, other, model, self.same, "without idle statements")


def check_same_answers(game: Game, other: Game, model: Model, same: Same, what: str) -> None:
    """Check that another game says the same of a state, if not of all relations."""
    facts = [atom[1] for atom in model[("true", 1)]]
    moves = {atom[1]: atom[2] for atom in model[("does", 2)]} if ("does", 2) in model else None
    found = other.model(facts, moves)
    same(f"{what}: roles", set(game.roles), set(other.roles))
    for one in (
        ("init", 1),
        ("legal", 2),
        ("terminal", 0),
        ("goal", 2),
        ("next", 1),
        ("sees", 2),
        ("base", 1),
        ("input", 2),
    ):
        if moves is None and one[0] in ("next", "sees"):
            continue
        same(f"{what}: {one[0]}", model.get(one, set()), found.get(one, set()))


def pruned(item: Expression, place: tuple[int, int], positive: bool = True) -> Expression:
    """A rule or condition with only those alternatives that use the condition at a place."""
    match item:
        case Group(items=(Symbol(key="<=") as name, head, *body), location=location, end=end):
            return Group((name, head, *(pruned(part, place) for part in body)), location, end)
        case Group(items=(Symbol(key="not") as name, part), location=location, end=end):
            return Group((name, pruned(part, place, not positive)), location, end)
        case Group(items=(Symbol(key="and" | "or") as name, *parts), location=location, end=end):
            one = [part for part in parts if _contains(part, place)]
            kept = one if one and (name.key == "or") == positive else parts
            return Group((name, *(pruned(part, place, positive) for part in kept)), location, end)
    return item


def _contains(item: Expression, place: tuple[int, int]) -> bool:
    if isinstance(item, Group):
        return _start(item.location) == place or any(_contains(part, place) for part in item.items)
    return _start(item.location) == place


def _start(location: Any) -> tuple[int, int]:
    return location.line, location.column


def check_claims(game: Game, text: str, models: Sequence[Model], same: Same) -> int:
    """Check all claims of the checker; how many there were."""
    claims = Claims(game, text, models, same)
    for diagnostic in check_reading(claims.reading):
        claims.check(diagnostic)
    claims.check_idle()
    return claims.count


def check_rewriting(played: Any, same: Same) -> None:
    """Check that formatting changes nothing, and fixes nothing that matters."""
    text = played.text
    neat = format_text(text)
    same("formatted", oracle.read(text), oracle.read(neat))
    same("formatted twice", neat, format_text(neat))

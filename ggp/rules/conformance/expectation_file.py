"""Read an expectation file and check it against the rules; all of its errors are collected before it is refused."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from gdl.errors import Location, Source, TermError, nearest
from gdl.language.parser import parse_terms, read_source
from gdl.language.rules import Atom, Literal, Rule, Signature, signature_text, unify, variables_of
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.system.files import read_input
from gdl.terms import Constant, Function, Term, name_key
from ggp.rules.conformance.expectations import (
    MAX_PLIES,
    MOST_PLIES,
    ExpectationError,
    Expectations,
    Position,
    expectations_path,
)
from ggp.rules.conformance.line_numbers import Entry
from ggp.rules.conformance.toml import Document
from ggp.rules.report_text import number_and_noun

T = TypeVar("T")

_BY_ROLE: Final = ("goals", "legal", "legal_includes", "legal_excludes", "legal_count")
_EXPECTING: Final = ("terminal", *_BY_ROLE, "facts", "holds", "absent")


def load_expectations(rule_file: Path, game: Reasoner, name: str | None = None) -> Expectations:
    """Load the expectations next to a rule file, or empty ones if there is no file. `name` replaces it in messages.

    Raises ExpectationError and FileError.
    """
    path = expectations_path(rule_file)
    if not path.exists():
        return Expectations()
    return parse_expectations(read_source(path).text, name or str(path), game)


def parse_expectations(text: str, name: str, game: Reasoner) -> Expectations:
    """Read the text of an expectation file, called `name` in messages. Raises ExpectationError."""
    return _Reader(Source(name, text), game).expectations()


def outline(rule_file: Path) -> tuple[bool, list[str]]:
    """Return True if the file next to a rule file has counts, and its positions' names; nothing if it is not TOML."""
    path = expectations_path(rule_file)
    try:
        data = tomllib.loads(read_input(path).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False, []
    return bool(data.get("perft")), _names(data)


def _names(data: Mapping[str, object]) -> list[str]:
    """Return the names of all positions, each on one line; `number 3` for the third if it has none."""
    tables = data.get("position")
    names = (
        [table.get("name") if isinstance(table, dict) else None for table in tables] if isinstance(tables, list) else []
    )
    return [
        " ".join(name.split()) if isinstance(name, str) and name.strip() else f"number {number}"
        for number, name in enumerate(names, 1)
    ]


class _Reader:
    """Reads one file. Wrong values are noted and left out, so that the rest can be read, too."""

    def __init__(self, source: Source, game: Reasoner) -> None:
        self._file = Document(source)
        self._game = game
        self._roles = {name_key(role): role for role in game.roles}
        self._vocabulary = Vocabulary(game.rulesheet)

    def expectations(self) -> Expectations:
        """Read the whole file. Raises ExpectationError."""
        file, data = self._file, self._file.data
        whole = file.places.whole()
        file.known_keys(whole, data, ("perft", "expect", "position"))
        perft = self._perft(whole, data["perft"]) if "perft" in data else ()
        limits = file.places.table("expect")
        expect = file.table(whole, "expect", data.get("expect", {}))
        file.known_keys(limits, expect, ("max_plies", "ends"))
        max_plies = file.integer(limits, "max_plies", expect.get("max_plies", MAX_PLIES), 1, MOST_PLIES)
        ends = file.boolean(limits, "ends", expect.get("ends", True))
        positions = self._positions()
        if file.mistakes:
            raise ExpectationError(file.mistakes)
        return Expectations(perft, max_plies or MAX_PLIES, ends is not False, positions)

    def _perft(self, entry: Entry, value: object) -> tuple[int, ...]:
        counts = [self._file.integer(entry, "perft", item, 0) for item in self._file.array(entry, "perft", value)]
        if value == [] or (counts and counts[0] not in (1, None)):
            self._file.note(entry, "wrong-count", "must begin with 1, for the empty sequence of moves", "perft")
        return tuple(count for count in counts if count is not None)

    def _positions(self) -> tuple[Position, ...]:
        tables = self._file.array(self._file.places.whole(), "position", self._file.data.get("position", []))
        names = _names(self._file.data)
        entries = self._file.places.array("position", [f'position "{name}"' for name in names])
        counts = Counter(names)
        positions = []
        for table, name, entry in zip(tables, names, entries, strict=True):
            if counts[name] > 1:
                self._file.note(entry, "double-name", f"{counts[name]} positions have this name", "name")
            position = self._position(name, entry, self._file.table(entry, "position", table))
            if position is not None:
                positions.append(position)
        return tuple(positions)

    def _position(self, name: str, entry: Entry, table: dict[str, object]) -> Position | None:
        file = self._file
        before = len(file.mistakes)
        file.known_keys(entry, table, ("name", "start", "set", "unset", "moves", *_EXPECTING))
        if not isinstance(table.get("name"), str) or not str(table["name"]).strip():
            file.note(entry, "no-name", "a position needs a name", "name")
        place = file.places.find(entry, "name")

        def terms(key: str) -> tuple[Term, ...]:
            return self._terms(entry, key, table.get(key, []))

        def by_role(key: str, read: Callable[[Entry, str, object], T]) -> dict[str, T]:
            return self._by_role(entry, key, table.get(key, {}), read)

        position = Position(
            name,
            f"{place.file}:{place.line}",
            self._start(entry, table),
            self._joint_moves(entry, table.get("moves", [])),
            file.boolean(entry, "terminal", table["terminal"]) if "terminal" in table else None,
            by_role("goals", self._goal),
            by_role("legal", self._terms),
            by_role("legal_includes", self._terms),
            by_role("legal_excludes", self._terms),
            by_role("legal_count", self._count),
            terms("facts") if "facts" in table else None,
            terms("holds"),
            terms("absent"),
        )
        if len(file.mistakes) > before:
            return None
        if not position.expects_something:
            choices = ", ".join(_EXPECTING)
            file.note(entry, "no-expectation", f"nothing is expected; add at least one of {choices}", "name")
        return position

    def _start(self, entry: Entry, table: Mapping[str, object]) -> State:
        """Return the initial state or the one given, with some facts removed and some added."""
        game = self._game
        state = game.initial_state()
        if "start" in table:
            state = game.state(self._terms(entry, "start", table["start"]))
        facts = set(state)
        for pattern in self._terms(entry, "unset", table.get("unset", []), patterns=True):
            matches = {fact for fact in state if unify(pattern, fact, {})}
            if not matches:
                message = f"{pattern} is not a fact of the start"
                self._file.note(entry, "nothing-to-unset", message, "unset", pattern.text)
            facts -= matches
        for fact in self._terms(entry, "set", table.get("set", [])):
            if fact in facts:
                self._file.note(entry, "set-already", f"{fact} is already a fact of the start", "set", fact.text)
            facts.add(fact)
        return game.state(facts)

    def _joint_moves(self, entry: Entry, value: object) -> tuple[Mapping[str, Term] | Term, ...]:
        """Return the moves of a line: each is a KIF text with one move or one for every role, or a table."""
        roles = self._game.roles
        joint_moves: list[Mapping[str, Term] | Term] = []
        for item in self._file.array(entry, "moves", value):
            if isinstance(item, str):
                moves = self._parsed(entry, "moves", item, len(roles), or_one=True)
                joint_moves.append(moves[0] if len(moves) == 1 < len(roles) else dict(zip(roles, moves, strict=False)))
            else:
                named = self._by_role(entry, "moves", item, self._one)
                joint_moves.append({role: move for role, moves in named.items() for move in moves})
        return tuple(joint_moves)

    def _by_role(self, entry: Entry, key: str, value: object, read: Callable[[Entry, str, object], T]) -> dict[str, T]:
        """Return a table by role, with its values converted by `read`."""
        found: dict[str, T] = {}
        for name, content in self._file.table(entry, key, value).items():
            role = self._roles.get(name_key(name))
            if role is None or role in found:
                roles = ", ".join(self._game.roles)
                problem = f"no role {name}; the roles are {roles}" if role is None else f"{role} twice"
                self._file.note(entry, "unknown-role" if role is None else "double-role", problem, f"{key}.{name}")
            else:
                found[role] = read(entry, f"{key}.{name}", content)
        return found

    def _goal(self, entry: Entry, key: str, value: object) -> int:
        return self._file.integer(entry, key, value, 0, 100) or 0

    def _count(self, entry: Entry, key: str, value: object) -> int:
        return self._file.integer(entry, key, value, 0) or 0

    def _terms(self, entry: Entry, key: str, value: object, *, patterns: bool = False) -> tuple[Term, ...]:
        """Return the terms of an array of KIF texts, one term per text, without duplicates."""
        terms: list[Term] = []
        for text in self._file.strings(entry, key, value):
            for term in self._parsed(entry, key, text, 1, patterns=patterns):
                if term in terms:
                    self._file.note(entry, "twice", f"{term} is listed twice", key, text)
                terms.append(term)
        return tuple(terms)

    def _one(self, entry: Entry, key: str, value: object) -> tuple[Term, ...]:
        """Return the term of one KIF text, or nothing if it is wrong."""
        text = self._file.string(entry, key, value)
        return () if text is None else self._parsed(entry, key, text, 1)

    def _parsed(
        self, entry: Entry, key: str, text: str, count: int, *, patterns: bool = False, or_one: bool = False
    ) -> tuple[Term, ...]:
        """Return the `count` terms of a KIF text, spelled as in the rules, or nothing if something is wrong.

        Only `patterns` may have variables. There may be a single term instead if `or_one` is set.
        """
        try:
            terms = tuple(map(self._game.rulesheet.respell, parse_terms(text)))
        except TermError as error:
            for mistake in error.mistakes:
                place = self._inside(self._file.places.find(entry, key, text), mistake.location, text)
                self._file.note_at(place, entry, mistake.code, f'{mistake.message} in "{text}"', key)
            return ()
        problems = [("unknown-term", stranger) for term in terms if (stranger := self._vocabulary.stranger(term))]
        if len(terms) != count and not (or_one and len(terms) == 1):
            roles = f", one for each of {', '.join(self._game.roles)}" if key == "moves" and count > 1 else ""
            held = number_and_noun(len(terms), "term")
            problems.append(("wrong-number", f'"{text}" holds {held} instead of {count}{roles}'))
        if not patterns and any(variable for term in terms for variable in variables_of(term)):
            problems.append(("misplaced-variable", f'variables are not allowed here, but "{text}" has one'))
        for code, problem in problems:
            self._file.note(entry, code, problem, key, text)
        return () if problems else terms

    @staticmethod
    def _inside(whole: Location, part: Location, text: str) -> Location:
        """Return the location of a part of a text, or that of the whole text if it was not found exactly."""
        if whole.width != len(text) or part.line > 1:
            return whole
        return Location(whole.source, whole.line, whole.column + part.column - 1, part.width)


class Vocabulary:
    """The functions and constants that occur as terms in rules."""

    def __init__(self, rulesheet: Rulesheet) -> None:
        """Collect the terms of all rules."""
        terms = (arg for rule in rulesheet.rules for atom in _atoms(rule) for arg in atom.args)
        self._known = frozenset(signature for term in terms for signature in _signatures(term))

    def stranger(self, term: Term) -> str | None:
        """Describe the first part of a term that does not occur in the rules; return None if all parts do."""
        for signature in _signatures(term):
            if signature not in self._known and (signature[1] or isinstance(term, Constant)):
                return self._describe(signature)
        return None

    def _describe(self, signature: Signature) -> str:
        name, arity = signature
        arities = sorted(other for known, other in self._known if known == name and other)
        if arity and arities:
            return f"the rules have {name} with {' or '.join(map(str, arities))} arguments, not with {arity}"
        near = nearest(_text(signature), sorted(map(_text, self._known)), 3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        return f"the rules have no {_text(signature)}{hint}"


def _text(signature: Signature) -> str:
    return signature_text(signature) if signature[1] else signature[0]


def _atoms(rule: Rule) -> Iterator[Atom]:
    yield rule.head
    for condition in rule.body:
        if isinstance(condition, Literal):
            yield condition.atom


def _signatures(term: Term) -> Iterator[Signature]:
    """Yield the functions and constants of a term, each with its number of arguments."""
    if isinstance(term, Constant):
        yield name_key(term.name), 0
    elif isinstance(term, Function):
        yield name_key(term.name), len(term.args)
        for arg in term.args:
            yield from _signatures(arg)

"""An expectation file, read and held against the rules; all of its mistakes are collected before it is refused."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from gdl.errors import Location, Source, TermError
from gdl.language.parser import parse_terms, read_source
from gdl.language.rules import unify, variables_of
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.rules.conformance.expectations import MAX_PLIES, ExpectationError, Expectations, Position, expectations_path
from ggp.rules.conformance.line_numbers import Entry
from ggp.rules.conformance.toml import Document
from ggp.rules.conformance.vocabulary import Vocabulary
from ggp.rules.wording import number_and_noun

T = TypeVar("T")

_BY_ROLE: Final = ("goals", "legal", "legal_includes", "legal_excludes", "legal_count")
_EXPECTING: Final = ("terminal", *_BY_ROLE, "facts", "holds", "absent")


def load_expectations(rule_file: Path, game: Reasoner, name: str | None = None) -> Expectations:
    """What the file beside a rule file expects; nothing where there is none. `name` stands for it in messages.

    Raises ExpectationError, FileError.
    """
    path = expectations_path(rule_file)
    if not path.exists():
        return Expectations()
    return _Reader(Source(name or str(path), read_source(path).text), game).expectations()


def outline(rule_file: Path) -> tuple[bool, list[str]]:
    """Whether the file beside a rule file has counts, and the names of its positions; nothing where it is no TOML."""
    path = expectations_path(rule_file)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return False, []
    return bool(data.get("perft")), _names(data)


def _names(data: Mapping[str, object]) -> list[str]:
    """The names of all positions, in one line each; `number 3` for the third if it has none."""
    tables = data.get("position")
    names = (
        [table.get("name") if isinstance(table, dict) else None for table in tables] if isinstance(tables, list) else []
    )
    return [
        " ".join(name.split()) if isinstance(name, str) and name.strip() else f"number {number}"
        for number, name in enumerate(names, 1)
    ]


class _Reader:
    """Reads one file. What is wrong is noted and left out, so that the rest can be looked at, too."""

    def __init__(self, source: Source, game: Reasoner) -> None:
        self._file = Document(source)
        self._game = game
        self._roles = {role.lower(): role for role in game.roles}
        self._vocabulary = Vocabulary(game.rulesheet)

    def expectations(self) -> Expectations:
        """All of the file. Raises ExpectationError."""
        file, data = self._file, self._file.data
        whole = file.places.whole()
        file.known_keys(whole, data, ("perft", "expect", "position"))
        perft = self._perft(whole, data["perft"]) if "perft" in data else ()
        limits = file.places.table("expect")
        expect = file.table(whole, "expect", data.get("expect", {}))
        file.known_keys(limits, expect, ("max_plies", "ends"))
        max_plies = file.integer(limits, "max_plies", expect.get("max_plies", MAX_PLIES), 1)
        ends = file.boolean(limits, "ends", expect.get("ends", True))
        positions = self._positions()
        if file.mistakes:
            raise ExpectationError(file.mistakes)
        return Expectations(perft, max_plies or MAX_PLIES, ends is not False, positions)

    def _perft(self, entry: Entry, value: object) -> tuple[int, ...]:
        counts = [self._file.integer(entry, "perft", item, 0) for item in self._file.array(entry, "perft", value)]
        if value == [] or (counts and counts[0] not in (1, None)):
            self._file.note(entry, "wrong-count", "begins with 1: the one way to make no move", "perft")
        return tuple(count for count in counts if count is not None)

    def _positions(self) -> tuple[Position, ...]:
        tables = self._file.array(self._file.places.whole(), "position", self._file.data.get("position", []))
        names = _names(self._file.data)
        entries = self._file.places.array("position", [f'position "{name}"' for name in names])
        counts = Counter(names)
        positions = []
        for table, name, entry in zip(tables, names, entries, strict=True):
            if counts[name] > 1:
                self._file.note(entry, "double-name", f"{counts[name]} positions have it", "name")
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
            file.note(entry, "no-expectation", f"nothing is expected of it; say one of {', '.join(_EXPECTING)}", "name")
        return position

    def _start(self, entry: Entry, table: Mapping[str, object]) -> State:
        """The initial state or the one given, with some facts taken out and some put in."""
        game = self._game
        state = game.initial_state()
        if "start" in table:
            state = game.state(self._terms(entry, "start", table["start"]))
        facts = set(state)
        for pattern in self._terms(entry, "unset", table.get("unset", []), patterns=True):
            matches = {fact for fact in state if unify(pattern, fact, {})}
            if not matches:
                self._file.note(entry, "nothing-to-unset", f"{pattern} is no fact of the start", "unset", pattern.text)
            facts -= matches
        for fact in self._terms(entry, "set", table.get("set", [])):
            if fact in facts:
                self._file.note(entry, "set-already", f"{fact} is a fact of the start already", "set", fact.text)
            facts.add(fact)
        return game.state(facts)

    def _joint_moves(self, entry: Entry, value: object) -> tuple[dict[str, Term], ...]:
        """The line of moves: each a KIF text with the moves of all roles, or a table with some of them."""
        roles = self._game.roles
        joint_moves = []
        for item in self._file.array(entry, "moves", value):
            if isinstance(item, str):
                moves = self._parsed(entry, "moves", item, len(roles))
                joint_moves.append(dict(zip(roles, moves, strict=False)))
            else:
                named = self._by_role(entry, "moves", item, self._one)
                joint_moves.append({role: move for role, moves in named.items() for move in moves})
        return tuple(joint_moves)

    def _by_role(self, entry: Entry, key: str, value: object, read: Callable[[Entry, str, object], T]) -> dict[str, T]:
        """A table from roles to what `read` makes of each value."""
        found: dict[str, T] = {}
        for name, content in self._file.table(entry, key, value).items():
            role = self._roles.get(name.lower())
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
        """The terms of an array of KIF texts, one each and none twice."""
        terms: list[Term] = []
        for text in self._file.strings(entry, key, value):
            for term in self._parsed(entry, key, text, 1, patterns=patterns):
                if term in terms:
                    self._file.note(entry, "twice", f"{term} is there twice", key, text)
                terms.append(term)
        return tuple(terms)

    def _one(self, entry: Entry, key: str, value: object) -> tuple[Term, ...]:
        """The term of one KIF text; none where it is wrong."""
        text = self._file.string(entry, key, value)
        return () if text is None else self._parsed(entry, key, text, 1)

    def _parsed(self, entry: Entry, key: str, text: str, count: int, *, patterns: bool = False) -> tuple[Term, ...]:
        """The terms of a KIF text, spelled as in the rules, as many as are wanted; none where something is wrong.

        Only `patterns` may have variables.
        """
        try:
            terms = tuple(map(self._game.rulesheet.respell, parse_terms(text)))
        except TermError as error:
            for mistake in error.mistakes:
                place = self._inside(self._file.places.find(entry, key, text), mistake.location, text)
                self._file.note_at(place, entry, mistake.code, f'{mistake.message} in "{text}"', key)
            return ()
        problems = [("unknown-term", stranger) for term in terms if (stranger := self._vocabulary.stranger(term))]
        if len(terms) != count:
            roles = f", one for each of {', '.join(self._game.roles)}" if key == "moves" and count > 1 else ""
            held = number_and_noun(len(terms), "term")
            problems.append(("wrong-number", f'"{text}" holds {held} instead of {count}{roles}'))
        if not patterns and any(variable for term in terms for variable in variables_of(term)):
            problems.append(("misplaced-variable", f'no variables here, but "{text}" has one'))
        for code, problem in problems:
            self._file.note(entry, code, problem, key, text)
        return () if problems else terms

    @staticmethod
    def _inside(whole: Location, part: Location, text: str) -> Location:
        """The place of a part of a text, given the place of the text; that of the text where it was not found."""
        if whole.width != len(text) or part.line > 1:
            return whole
        return Location(whole.source, whole.line, whole.column + part.column - 1, part.width)

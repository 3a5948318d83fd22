"""Complete names from the text before the cursor, which may be incomplete, and all names of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from gdl.language.normalize import CONNECTIVES
from gdl.terms import name_key
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.hover import KEYWORDS
from ggp.rules.lsp.names import Name, NameKind

_TOKEN: Final = re.compile(r";[^\n]*|[()]|[^\s();]+")

#: Words that begin statements, heads and conditions.
_STATEMENTS: Final = ("<=", "role", "init", "base", "input", "legal", "goal", "terminal")
_HEADS: Final = ("legal", "next", "goal", "terminal", "init", "base", "input", "sees", "role")
_CONDITIONS: Final = ("true", "does", "not", "or", "distinct", "role", "legal", "goal", "terminal")

#: Keywords with facts, moves and roles as arguments.
_FACTS: Final = ("true", "next", "init", "base")
_MOVES: Final = ("does", "legal", "input")
_ROLES: Final = ("does", "legal", "input", "goal", "sees", "role")


@final
@dataclass(frozen=True, slots=True)
class Completion:
    """A suggested text, its kind, and a line about it."""

    text: str
    kind: NameKind
    detail: str = ""


@final
@dataclass(slots=True)
class _Open:
    """A group that is still open before the cursor: its first name, and the number of items so far."""

    name: str = ""
    items: int = 0


def completions(document: Document, line: int, column: int) -> list[Completion]:
    """Return suggestions for a position (from 1) at which a name begins or is being typed, without duplicates."""
    before = "\n".join([*document.lines[: line - 1], document.lines[line - 1][: column - 1]])
    if ";" in document.lines[line - 1][: column - 1]:
        return []
    word = re.split(r"[\s();]", before)[-1]
    statement, opened = _open_groups(before[: len(before) - len(word)])
    # Variables are arguments: neither names of relations nor conditions.
    wanted = word.startswith("?") or (opened and opened[-1].items and opened[-1].name not in ("<=", "not", "and", "or"))
    found = list(_variables(statement + _rest(document, line, column), word)) if wanted else []
    if not word.startswith("?"):
        found += _names(document, opened)
    return list({name_key(one.text): one for one in reversed(found)}.values())[::-1]


def word_start(document: Document, line: int, column: int) -> int:
    """Return the column (from 1) at which the word that ends at a position begins; a suggestion replaces it."""
    before = document.lines[line - 1][: column - 1]
    return max((before.rfind(one) for one in " \t();"), default=-1) + 2


def _open_groups(text: str) -> tuple[str, list[_Open]]:
    """Return the text of the current statement so far, and the groups open in it, the innermost last."""
    start = 0
    opened: list[_Open] = []
    for token in _TOKEN.finditer(text):
        part = token.group()
        if part.startswith(";"):
            continue
        if part == "(":
            if token.start() == 0 or text[token.start() - 1] == "\n":
                opened = []  # a parenthesis in the first column most likely begins a statement
            if opened:
                opened[-1].items += 1
            else:
                start = token.start()
            opened.append(_Open())
        elif part == ")":
            opened = opened[:-1]
        elif opened:
            if opened[-1].items == 0:
                opened[-1].name = name_key(part)
            opened[-1].items += 1
    return text[start:], opened


def _rest(document: Document, line: int, column: int) -> str:
    """Return the rest of the statement, as far as can be told: up to the next line that begins a statement."""
    rest = [document.lines[line - 1][column - 1 :]]
    for text in document.lines[line:]:
        if text.startswith("("):
            break
        rest.append(text)
    return "\n".join(rest)


def _variables(statement: str, word: str) -> Iterator[Completion]:
    """Yield the variables of a statement, except the one being typed."""
    for token in dict.fromkeys(part.group() for part in _TOKEN.finditer(statement)):
        if token.startswith("?") and len(token) > 1 and token != word:
            yield Completion(token, NameKind.VARIABLE, "variable of this rule")


def _names(document: Document, opened: list[_Open]) -> Iterable[Completion]:
    """Return the names that fit into the innermost group, judged by its kind."""
    if not opened:
        return _words(("terminal",))
    group = opened[-1]
    outer = opened[-2] if len(opened) > 1 else _Open()
    if group.items:
        if group.name == "<=" or group.name in ("not", "or", "and"):
            heads = group.name == "<=" and group.items == 1
            return [*_words(("terminal",)), *_of_kind(document, NameKind.RELATION, arity=0, heads=heads)]
        return _arguments(document, group)
    # The first name of a group.
    if not outer.name:
        return [*_words(_STATEMENTS), *_of_kind(document, NameKind.RELATION)]
    if outer.name == "<=" and outer.items == 2:
        return [*_words(_HEADS), *_of_kind(document, NameKind.RELATION)]
    if outer.name in (*CONNECTIVES, "<=") and outer.name != "distinct":
        return [*_words(_CONDITIONS), *_of_kind(document, NameKind.RELATION)]
    if outer.name in _FACTS:
        return _of_kind(document, NameKind.FACT)
    return _of_kind(document, NameKind.MOVE if outer.name in _MOVES else NameKind.TERM)


def _arguments(document: Document, group: _Open) -> Iterable[Completion]:
    """Return constants for the next argument: first those used there elsewhere, then all others."""
    column = group.items - 1
    if group.name in _FACTS:
        return _of_kind(document, NameKind.FACT, arity=0)
    if group.name in _ROLES and column == 0:
        return [
            Completion(one.text, NameKind.TERM, "role")
            for one in document.names
            if one.around.name.key == "role" and one.around.kind == "fact" and one.column == 0
        ]
    if group.name in _MOVES:
        return _of_kind(document, NameKind.MOVE, arity=0)
    constants = [one for one in document.names if one.kind is NameKind.TERM and one.arity == 0]
    here = [one for one in constants if one.around.name.key == group.name and one.column == column]
    return [Completion(one.text, NameKind.TERM, "constant") for one in [*here, *constants]]


def _words(words: Iterable[str]) -> Iterator[Completion]:
    for word in words:
        yield Completion(word, NameKind.KEYWORD, KEYWORDS[word][0])


def _of_kind(document: Document, kind: NameKind, arity: int | None = None, heads: bool = False) -> Iterator[Completion]:
    """Yield the names of a kind as first defined: those with `arity`, or if that is None, with any arity but 0."""
    for key, found in document.by_key.items():
        name = found[0]
        if document.kind(name) is not kind or (key[2] != arity if arity is not None else key[2] == 0):
            continue
        if heads and not any(one.defines for one in found):
            continue
        definition = next(iter(document.definitions(name)), name)
        yield Completion(definition.text, kind, _form(definition))


def _form(name: Name) -> str:
    """Return the expression around a name's definition, such as `(cell ?x ?y b)`."""
    if name.kind in (NameKind.RELATION, NameKind.KEYWORD):
        return str(name.around.item)
    args = name.around.args
    return str(args[name.column]) if name.column is not None and name.column < len(args) else name.text

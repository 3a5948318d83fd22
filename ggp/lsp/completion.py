"""What may come next where one types: from the text before the cursor, however broken, and all names of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, final

from gdl.language.normalize import CONNECTIVES
from ggp.lsp.document import Document
from ggp.lsp.keywords import KEYWORDS
from ggp.lsp.names import Name, NameKind

_TOKEN: Final = re.compile(r";[^\n]*|[()]|[^\s();]+")

#: What begins statements, what heads and what bodies have.
_STATEMENTS: Final = ("<=", "role", "init", "base", "input", "legal", "goal", "terminal")
_HEADS: Final = ("legal", "next", "goal", "terminal", "init", "base", "input", "sees", "role")
_CONDITIONS: Final = ("true", "does", "not", "or", "distinct", "role", "legal", "goal", "terminal")

#: Where facts and moves stand, and where roles do.
_FACTS: Final = ("true", "next", "init", "base")
_MOVES: Final = ("does", "legal", "input")
_ROLES: Final = ("does", "legal", "input", "goal", "sees", "role")


@final
@dataclass(frozen=True, slots=True)
class Completion:
    """What may be typed, what it is, and a line about it."""

    text: str
    kind: NameKind
    detail: str = ""


@final
@dataclass(slots=True)
class _Open:
    """A group that is open before the cursor: its first name, and how many items it has so far."""

    name: str = ""
    items: int = 0


def completions(document: Document, line: int, column: int) -> list[Completion]:
    """What may stand at a place (from 1) where a name begins or is being typed; each once, in the order of the kind."""
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
    return list({one.text.lower(): one for one in reversed(found)}.values())[::-1]


def _open_groups(text: str) -> tuple[str, list[_Open]]:
    """The statement that is being typed, so far, and the groups that are open in it, the innermost last."""
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
                opened[-1].name = part.lower()
            opened[-1].items += 1
    return text[start:], opened


def _rest(document: Document, line: int, column: int) -> str:
    """What follows in the same statement, as far as one can tell: up to the next line that begins one."""
    rest = [document.lines[line - 1][column - 1 :]]
    for text in document.lines[line:]:
        if text.startswith("("):
            break
        rest.append(text)
    return "\n".join(rest)


def _variables(statement: str, word: str) -> Iterator[Completion]:
    """The variables of a statement, but the one that is just being typed."""
    for token in dict.fromkeys(part.group() for part in _TOKEN.finditer(statement)):
        if token.startswith("?") and len(token) > 1 and token != word:
            yield Completion(token, NameKind.VARIABLE, "variable of this rule")


def _names(document: Document, opened: list[_Open]) -> Iterable[Completion]:
    """What fits into the innermost group, by what it is."""
    if not opened:
        return _words(("terminal",))
    group = opened[-1]
    outer = opened[-2] if len(opened) > 1 else _Open()
    if group.items:
        if group.name == "<=" or group.name in ("not", "or", "and"):
            heads = group.name == "<=" and group.items == 1
            return [*_words(("terminal",)), *_of_kind(document, NameKind.RELATION, arity=0, heads=heads)]
        return _arguments(document, group)
    # The first name in a group.
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
    """Constants for the next argument: those that stand there elsewhere, then all others."""
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
    """The names of a kind, each as its first definition has it; with `arity`, or with any but none."""
    for key, found in document.by_key.items():
        name = found[0]
        if document.kind(name) is not kind or (key[2] != arity if arity is not None else key[2] == 0):
            continue
        if heads and not any(one.defines for one in found):
            continue
        definition = next(iter(document.definitions(name)), name)
        yield Completion(definition.text, kind, _form(definition))


def _form(name: Name) -> str:
    """What surrounds a name where it is defined: `(cell ?x ?y b)`."""
    if name.kind in (NameKind.RELATION, NameKind.KEYWORD):
        return str(name.around.item)
    args = name.around.args
    return str(args[name.column]) if name.column is not None and name.column < len(args) else name.text

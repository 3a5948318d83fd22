"""The text shown for the name under the pointer, with the comments directly above its definition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from gdl.language.rules import Signature
from gdl.language.syntax import Expression, Group
from gdl.terms import name_key
from ggp.rules.lsp.counts import Counts
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.names import Name, NameKind

#: The form and the meaning of each word.
KEYWORDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "role": ("(role ROLE)", "ROLE takes part in the game. Roles are ordered as the file declares them."),
        "init": ("(init FACT)", "FACT is true in the state in which the game begins."),
        "true": ("(true FACT)", "FACT is true in the current state. Used in bodies only."),
        "next": ("(next FACT)", "FACT is true in the state after the joint move. Used in heads only."),
        "does": ("(does ROLE MOVE)", "ROLE makes MOVE in the joint move under way. Used in bodies only."),
        "legal": ("(legal ROLE MOVE)", "ROLE may make MOVE in the current state."),
        "goal": ("(goal ROLE VALUE)", "The current state is worth VALUE for ROLE: a whole number from 0 to 100."),
        "terminal": ("terminal", "The game is over in the current state."),
        "base": ("(base FACT)", "FACT may be true in some state."),
        "input": ("(input ROLE MOVE)", "ROLE may make MOVE in some state."),
        "sees": ("(sees ROLE PERCEPT)", "ROLE perceives PERCEPT of the joint move (GDL-II)."),
        "not": ("(not CONDITION)", "CONDITION does not hold. Its variables must be bound by other conditions."),
        "or": ("(or CONDITION ...)", "At least one of the conditions holds."),
        "and": ("(and CONDITION ...)", "All of the conditions hold."),
        "distinct": (
            "(distinct TERM TERM)",
            "The terms differ. Their variables must be bound by other conditions.",
        ),
        "<=": ("(<= HEAD CONDITION ...)", "HEAD holds if all the conditions do."),
    }
)


#: The largest number of lines listed for definitions.
_PLACES = 4


def hover_text(document: Document, name: Name, counts: Counts) -> str:
    """Return Markdown about a name: its kind, the comment above its definition, its lines and its counts."""
    kind = document.kind(name)
    if kind is NameKind.KEYWORD:
        return _keyword(document, name, counts)
    if kind is NameKind.VARIABLE:
        count = len(document.references(name))
        return f"{_code(name.text)}: variable, {_many(count, 'time')} in this rule"
    what = {
        NameKind.FACT: "fact of the state",
        NameKind.MOVE: "move",
        NameKind.TERM: "function" if name.arity else "constant",
    }
    parts = [f"{_code(name.label)}: {what.get(kind, 'relation')}"]
    definitions = document.definitions(name)
    comment = next(filter(None, (comment_above(document, one.statement) for one in definitions)), "")
    if kind is not NameKind.RELATION:
        # A comment above a rule for next or legal is about that rule, not about the fact or move.
        comment = comment_about(document, name.text)
    if comment:
        parts.append(_quoted(comment))
    parts.append("  \n".join(_facts(document, name, definitions, kind, counts)))
    return "\n\n".join(filter(None, parts))


def _keyword(document: Document, name: Name, counts: Counts) -> str:
    form, meaning = KEYWORDS.get(name.key[1], (name.text, ""))
    definitions = document.definitions(name)
    lines = list(_facts(document, name, definitions, NameKind.RELATION, counts)) if definitions else []
    return "\n\n".join(filter(None, [_code(form), meaning, "  \n".join(lines)]))


def _facts(
    document: Document, name: Name, definitions: Sequence[Name], kind: NameKind, counts: Counts
) -> Iterator[str]:
    """Yield lines about the definitions of a name and its number of instances."""
    if kind in (NameKind.RELATION, NameKind.FACT, NameKind.MOVE) and definitions:
        # A rule with a fact twice in its head counts once.
        facts = len({one.statement for one in definitions if one.around.kind == "fact"})
        rules = len({one.statement for one in definitions if one.around.kind == "head"})
        what = " and ".join(_many(count, noun) for count, noun in ((facts, "fact"), (rules, "rule")) if count)
        lines = list(dict.fromkeys(one.location.line for one in definitions))
        more = ", ..." if len(lines) > _PLACES else ""
        places = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines[:_PLACES]))}{more}"
        yield f"{what}, {places}"
    elif kind is NameKind.RELATION:
        yield "no rule and no fact defines it"
    uses = len(document.references(name)) - len(definitions)
    if kind is NameKind.TERM:
        yield _many(len(document.references(name)), "occurrence")
    elif uses or name.kind is not NameKind.KEYWORD:
        yield f"used {_many(uses, 'time')}"
    yield from _instances((name.key[1], name.arity), kind, counts)


def _instances(signature: Signature, kind: NameKind, counts: Counts) -> Iterator[str]:
    if kind is NameKind.RELATION:
        if signature in counts.static:
            yield f"{_many(counts.static[signature], 'instance')}, in every state"
        elif signature in counts.initial:
            yield f"{_many(counts.initial[signature], 'instance')} in the initial state"
    elif kind is NameKind.FACT and counts.start:
        yield f"{counts.start[signature]:,} in the initial state{_most(counts.facts, signature)}"
    elif kind is NameKind.MOVE and counts.moves is not None:
        yield f"at most {counts.moves[signature]:,} such moves"


def _most(facts: Counter[Signature] | None, signature: Signature) -> str:
    return f", {facts[signature]:,} that can ever be true" if facts is not None else ""


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _quoted(comment: str) -> str:
    """Return a comment as a fenced block, so that nothing in it is read as markup."""
    fence = max("```", _longer_ticks(comment), key=len)
    return f"{fence}text\n{comment}\n{fence}"


def _code(text: str) -> str:
    """Return text as inline code, so that nothing in it is read as markup."""
    ticks = _longer_ticks(text)
    space = " " * text.startswith("`")
    return f"{ticks}{space}{text}{space}{ticks}"


def _longer_ticks(text: str) -> str:
    """Return one backtick more than the longest run in a text."""
    return "`" * (1 + max(map(len, re.findall("`+", text)), default=0))


#: Lines that only divide a file into sections, such as `; ------ roles`.
_BANNER: Final = re.compile(r";+\s*[-=*#;]{3,}.*|;+")


def comment_above(document: Document, statement: int) -> str:
    """Return the comment lines directly above a statement, or behind its first line; empty if there are none.

    A comment above a group of adjacent statements for one relation counts for all of them.
    """
    first = statement
    while True:
        found = _above(document, document.statement(first).location.line)
        if found:
            return found
        if first == 0 or _last_line(document.statement(first - 1)) + 1 != document.statement(first).location.line:
            return _beside(document, document.statement(statement))
        first -= 1


def comment_about(document: Document, name: str) -> str:
    """Return the first comment that shows how a name is used, such as `(cell X Y P)  all cells`; empty if none does."""
    wanted = f"({name_key(name)} "
    for text in document.lines:
        _, semicolon, comment = text.partition(";")
        if semicolon and wanted in name_key(comment):
            return comment.lstrip(";").strip()
    return ""


def _above(document: Document, line: int) -> str:
    """Return the comment that ends directly above a line, without semicolons and section lines."""
    lines: list[str] = []
    for text in reversed(document.lines[: line - 1]):
        stripped = text.strip()
        if not stripped.startswith(";") or _BANNER.fullmatch(stripped):
            break
        lines.append(stripped.lstrip(";").strip())
    return "\n".join(reversed(lines)).strip()


def _beside(document: Document, statement: Expression) -> str:
    """Return the comment behind the first line of a statement."""
    _, semicolon, comment = document.lines[statement.location.line - 1].partition(";")
    return comment.lstrip(";").strip() if semicolon else ""


def _last_line(statement: Expression) -> int:
    return statement.end.line if isinstance(statement, Group) else statement.location.line

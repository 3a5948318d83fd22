"""The parser: text to syntax tree, with the location of every mistake.

Lark parses a correct text in a single pass. If it refuses a text, `_diagnose` goes through the tokens, reports every
mistake, and blanks out the broken parts, so that the rest can still be read and checked.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from gdl.errors import FileError, Location, Mistake, Source, TermError
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol
from gdl.system.files import read_input
from gdl.terms import Constant, Function, Term, Variable

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

#: Groups nested deeper than this are refused, so that they can be processed recursively. No rule file comes near it.
MAX_NESTING = 200


@cache
def _lark() -> Lark:
    from lark import Lark  # imported late, to keep `import gdl` fast

    return Lark.open(
        "kif.lark", rel_to=__file__, parser="lalr", lexer="basic", keep_all_tokens=True, propagate_positions=False
    )


def source_of(text: str, name: str) -> Source:
    """Return a text as a source, with LF line endings (CRLF and lone CR are converted) and no byte order mark."""
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def read_source(path: str | Path) -> Source:
    """Read a regular file of at most 64 MiB. Raises FileError.

    Bytes that are not UTF-8 are kept as surrogates; they do no harm in comments.
    """
    try:
        data = read_input(path)
    except (OSError, ValueError) as error:
        raise FileError(str(path), getattr(error, "strerror", None) or str(error)) from None
    return source_of(data.decode("utf-8", errors="surrogateescape"), str(path))


#: The name of a text that has none.
UNNAMED: Final = "<string>"


def source_given(rules: str | Path, name: str = UNNAMED) -> Source:
    """The source of a game's rules: a `Path` is a file, a `str` is the text of rules and never a path.

    Raises FileError for a file that cannot be read, and for an unnamed text that is obviously meant as a path.
    """
    if isinstance(rules, Path):
        return read_source(rules)
    if not isinstance(rules, str):
        raise TypeError(f"expected rule text as a str, a pathlib.Path or a gdl.Rulesheet, not {rules!r}")
    if name == UNNAMED and _is_path(rules):
        reason = "a str is rule text, not a path: pass pathlib.Path(...), or use Reasoner.load or Simulator.load"
        raise FileError(rules, reason)
    return source_of(rules, name)


def _is_path(text: str) -> bool:
    """Return True if a text cannot be the rules of a game, but looks like a path: one line that declares no role."""
    if "\n" in text.strip() or re.search(r"\(\s*role\b", text, re.IGNORECASE):
        return False
    if text.strip().lower().endswith(".kif"):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or with a null byte
        return False


def parse(source: Source) -> tuple[tuple[Expression, ...], list[Mistake]]:
    """Return the expressions of a text, and its mistakes.

    If there are mistakes, only the expressions outside the broken parts are returned.
    """
    from lark.exceptions import LarkError

    try:
        tree = _lark().parse(source.text)
    except LarkError:
        mistakes, sound = _diagnose(source)
        tree = _lark().parse(sound)
    else:
        mistakes = []
    try:
        return tuple(_expression(child, source, 0) for child in tree.children), mistakes
    except _TooDeep as deep:
        return (), [*mistakes, Mistake("too-deep", f"nested deeper than {MAX_NESTING} levels", deep.location)]


class _TooDeep(Exception):
    def __init__(self, location: Location) -> None:
        self.location = location


def _place(token: Token, source: Source) -> Location:
    return Location(source, token.line or 1, token.column or 1, len(token))


def _expression(node: Tree[Token] | Token, source: Source, depth: int) -> Expression:
    if isinstance(node, str):
        kind = Symbol if node.type == "SYMBOL" else VariableSymbol
        return kind(str(node), _place(node, source))
    opening, *children, closing = node.children
    start = _place(cast("Token", opening), source)
    if depth >= MAX_NESTING:
        raise _TooDeep(start)
    items = tuple([_expression(child, source, depth + 1) for child in children])
    return Group(items, start, _place(cast("Token", closing), source))


def _blank_unexpected(source: Source, mistakes: list[Mistake]) -> list[str]:
    """Return the characters of a text, without those that cannot be part of a token.

    There is a mistake for each such question mark, and for the first of each other character.
    """
    sound = list(source.text)
    strays = [stray.start() for stray in _stray().finditer(source.text) if stray.lastgroup is not None]
    counts = Counter(source.text[at] for at in strays)
    line, line_start, passed = 1, 0, 0
    for at in strays:
        character = source.text[at]
        inside = character != "?" and re.fullmatch(r"[^\s();?]{3}", source.text[max(0, at - 1) : at + 2])
        sound[at] = "_" if inside else " "  # so that one name does not become two
        count = 1 if character == "?" else counts.pop(character, 0)
        if not count:
            continue
        newlines = source.text.count("\n", passed, at)
        if newlines:
            line += newlines
            line_start = source.text.rindex("\n", passed, at) + 1
        passed = at
        message = _describe(character) + (f", {count} times in this file" if count > 1 else "")
        mistakes.append(Mistake("unexpected-character", message, Location(source, line, at - line_start + 1)))
    return sound


@cache
def _stray() -> re.Pattern[str]:
    """Return a pattern for tokens and comments; its group `stray` matches characters that belong to neither."""
    patterns = {terminal.name: terminal.pattern.to_regexp() for terminal in _lark().terminals}
    known = "|".join(patterns[name] for name in ("BLANK", "SYMBOL", "VARIABLE"))
    return re.compile(rf"{known}|(?P<stray>[^\s()])")


def _describe(character: str) -> str:
    code = ord(character)
    if character == "?":
        return "a variable needs a name after the question mark"
    if 0xDC80 <= code <= 0xDCFF:
        return f"byte 0x{code - 0xDC00:02x} is not UTF-8 text"
    name = unicodedata.name(character, "").lower()
    return f"unexpected character U+{code:04X}" + (f" ({name})" if name else "")


def _diagnose(source: Source) -> tuple[list[Mistake], str]:
    """Return the mistakes of a text that Lark refuses, and the text with its broken parts blanked out."""
    mistakes: list[Mistake] = []
    sound = _blank_unexpected(source, mistakes)
    open_groups: list[Token] = []

    def report(token: Token, message: str) -> None:
        mistakes.append(Mistake("unbalanced-parenthesis", message, _place(token, source)))

    def drop(start: int, end: int) -> None:
        sound[start:end] = ["\n" if character == "\n" else " " for character in sound[start:end]]

    def give_up(end: int) -> None:
        """Report the groups still open at `end` as unclosed, and drop the text from the start of the outermost."""
        count = len(open_groups)
        message = "this parenthesis is never closed" + (f" ({count} are open)" if count > 1 else "")
        report(open_groups[-1], message)
        drop(open_groups[0].start_pos or 0, end)
        open_groups.clear()

    for token in _lark().lex("".join(sound)):
        start = token.start_pos or 0
        if token.type == "OPEN":
            # In an unbalanced text, a parenthesis in the first column most likely starts the next rule.
            if open_groups and token.column == 1:
                give_up(start)
            open_groups.append(token)
        elif token.type == "CLOSE" and open_groups:
            open_groups.pop()
        elif token.type == "CLOSE":
            report(token, "this parenthesis closes nothing")
            drop(start, start + 1)
    if open_groups:
        give_up(len(sound))
    return mistakes, "".join(sound)


def term_of(expression: Expression) -> Term | None:
    """Return the term that an expression denotes, or None if it is not a term; `(c)` is the constant `c`."""
    if isinstance(expression, Symbol):
        return Constant(expression.text)
    if isinstance(expression, VariableSymbol):
        return Variable(expression.text[1:])
    if not expression.items or not isinstance(expression.items[0], Symbol):
        return None
    name = expression.items[0].text
    args = [term_of(item) for item in expression.items[1:]]
    if any(arg is None for arg in args):
        return None
    return Function(name, tuple(args)) if args else Constant(name)  # type: ignore[arg-type]


def parse_terms(text: str, name: str = "<string>") -> tuple[Term, ...]:
    """Parse a sequence of terms, for example `(move c4 c8 c4 c7) noop`. Raises TermError."""
    source = source_of(text, name)
    expressions, mistakes = parse(source)
    terms = []
    for expression in expressions:
        term = term_of(expression)
        if term is None:
            mistakes.append(Mistake("not-a-term", f"{expression} is not a term", expression.location))
        else:
            terms.append(term)
    if mistakes:
        raise TermError(mistakes)
    return tuple(terms)


def parse_term(text: str, name: str = "<string>") -> Term:
    """Parse a single term: `parse_term(str(term)) == term`. Raises TermError."""
    terms = parse_terms(text, name)
    if len(terms) != 1:
        place = Location(source_of(text, name), 1, 1, max(1, len(text)))
        raise TermError([Mistake("not-a-term", f"expected one term, found {len(terms)}", place)])
    return terms[0]

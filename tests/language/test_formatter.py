"""The layout of rule files: what it looks like, and that it changes neither rules nor comments nor itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.strategies import symbols
from support.toy_files import ROOT

import gdl
from gdl.language.formatter import WIDTH, format_source, format_text
from gdl.language.parser import parse, read_source, source_of

PUBLIC = ROOT.parent / "shared" / "rulesheets"
OURS = sorted((ROOT / "games").rglob("*.kif"))
#: Quick ones of many kinds, for every run.
SAMPLE = ("biddingTicTacToe", "colonelBlottoVariant", "hitori", "nonogram_10x10_1", "rubiksCubeSuperflip", "tron_10x10")


def parameters() -> list[Any]:
    """Ours, and a sample of public ones, for every run; of the others, every eighth for the long tests."""
    found = [pytest.param(path, id=path.stem) for path in OURS]
    for number, path in enumerate(sorted(PUBLIC.glob("*.kif"))):
        rare = pytest.mark.exhaustive if number % 8 else pytest.mark.slow
        found.append(pytest.param(path, id=path.stem, marks=[] if path.stem in SAMPLE else [rare]))
    return found


_TOKEN = re.compile(r"(?P<comment>;[^\n]*)|[()]|[^\s();]+|\n")


@dataclass(frozen=True)
class Comment:
    """A comment: the number of symbols and opening parentheses before it, and whether it begins a line."""

    text: str
    after: int
    alone: bool


def tokens_and_comments(text: str) -> tuple[list[str], list[Comment]]:
    tokens: list[str] = []
    comments: list[Comment] = []
    alone, symbols = True, 0
    for token in _TOKEN.finditer(text):
        if token.group("comment"):
            comments.append(Comment(token.group().rstrip(), symbols, alone))
        elif token.group() != "\n":
            tokens.append(token.group())
            symbols += token.group() != ")"
        alone = token.group() == "\n"
    return tokens, comments


def check(text: str) -> str:
    """The text in its layout, after all that must hold of it was found to hold."""
    text = source_of(text, "<string>").text
    laid_out = format_text(text)
    tokens, comments = tokens_and_comments(text)
    new_tokens, new_comments = tokens_and_comments(laid_out)
    assert new_tokens == tokens
    assert [(c.text, c.after) for c in new_comments] == [(c.text, c.after) for c in comments]
    for before, after in zip(comments, new_comments, strict=True):
        # One that began a line does so still. One that did not may stand under another that stands beside its thing.
        assert after.alone or not before.alone
        assert not after.alone or before.alone or sum(c.after == after.after for c in comments) > 1
    assert format_text(laid_out) == laid_out
    assert not re.search(r"[ \t]\n|\n\n\n\n|\A\n|\n\n\Z|\t", re.sub(";.*", ";", laid_out))
    assert laid_out == "" or laid_out.endswith("\n")
    for line in laid_out.split("\n"):
        if ";" not in line and len(line) > WIDTH:
            # Only what nothing can be done about: groups that begin, and their first item.
            assert re.fullmatch(r" *(\([^\s()]* ?)*[^\s()]*\)*", line), line
    return laid_out


# What it looks like


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("\n\n  (a)\n\n\n", "(a)\n", id="no blank lines at both ends"),
        pytest.param("(role  a )terminal", "(role a) terminal\n", id="facts that share a line"),
        pytest.param("(a 1) (a 2)\n(a 3)", "(a 1) (a 2)\n(a 3)\n", id="facts in several lines"),
        pytest.param("(a)\n\n\n\n\n(b)\n\n(c)", "(a)\n\n\n(b)\n\n(c)\n", id="two blank lines at most"),
        pytest.param("(<= a b) (<= c d) (e)", "(<= a\n    b)\n(<= c\n    d)\n(e)\n", id="rules share no line"),
        pytest.param("(e) (<= a b)", "(e)\n(<= a\n    b)\n", id="no rule behind a fact"),
        pytest.param("(<= a)", "(<= a)\n", id="a rule without a body"),
        pytest.param("(<= (h ?x)\n\n(p ?x)\n\n(q ?x)\n)", "(<= (h ?x)\n    (p ?x)\n    (q ?x))\n", id="a rule"),
        pytest.param("(<= h (or (p) (q)))", "(<= h\n    (or (p) (q)))\n", id="or that fits"),
        pytest.param(
            "(<= h (or (and a b) (not (or c (and d e)))))",
            "(<= h\n    (or (and a b)\n        (not (or c\n                 (and d e)))))\n",
            id="connectives in each other",
        ),
        pytest.param("(CELL (a) ((b) c) ())", "(CELL (a) ((b) c) ())\n", id="whatever else is in parentheses"),
    ],
)
def test_layout(text: str, expected: str) -> None:
    assert check(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("; a  \n\n;b\n(c)", "; a\n\n;b\n(c)\n", id="above"),
        pytest.param("(a)\n   ; b", "(a)\n; b\n", id="below"),
        pytest.param("(a) ;b\n(c)   ; d", "(a)  ;b\n(c)  ; d\n", id="beside"),
        pytest.param("(<= a ; x\nb ; y\n)", "(<= a  ; x\n    b)  ; y\n", id="beside head and condition"),
        pytest.param("(<= a\n; x\nb\n; (c)\n)\n(d)", "(<= a\n    ; x\n    b\n    ; (c)\n)\n(d)\n", id="in a rule"),
        pytest.param("(<= a (p ?x ; x\n?y))", "(<= a\n    (p ?x  ; x\n      ?y))\n", id="in a condition"),
        pytest.param("(<= ; x\na b)", "(<=  ; x\n    a\n    b)\n", id="behind the arrow"),
        pytest.param("( ; x\na)", "(  ; x\n  a)\n", id="behind a parenthesis"),
        pytest.param("(a ; x\n) ; y\n(b)", "(a)  ; x\n     ; y\n(b)\n", id="two beside one thing"),
        pytest.param("(a)  ; x\n     ; y\n; z", "(a)  ; x\n     ; y\n; z\n", id="going on in the next line"),
        pytest.param("(p a ; x\n     ; y\n)", "(p a)  ; x\n       ; y\n", id="going on, then closed"),
        pytest.param("(a) (b) ; x\n(c)", "(a) (b)  ; x\n(c)\n", id="beside facts"),
        pytest.param(
            "(<= a (or (b) ; x\n(c)))", "(<= a\n    (or (b)  ; x\n        (c)))\n", id="in what would fit into a line"
        ),
    ],
)
def test_comments(text: str, expected: str) -> None:
    assert check(text) == expected


def test_what_is_too_long_for_a_line_gets_a_line_for_each_part() -> None:
    facts = [f"(succ {n} {n + 1})" for n in range(12)]
    assert check(" ".join(facts)) == "\n".join(facts) + "\n"
    assert check(" ".join(facts[:8])) == " ".join(facts[:8]) + "\n"
    operands = [f"(distinct ?variable{n} ?variable{n + 1})" for n in range(4)]
    assert check(f"(<= h (or {' '.join(operands)}))") == "(<= h\n    (or " + "\n        ".join(operands) + "))\n"
    long = [f"{'x' * 30}{n}" for n in range(4)]
    assert check(f"(p {' '.join(long)})") == "(p " + "\n  ".join(long) + ")\n"


def test_the_last_parentheses_count_too() -> None:
    # The condition itself ends in column WIDTH, the parenthesis of the rule behind it.
    condition = f"(or (p {'x' * (WIDTH - 17)}) (q))"
    assert len(condition) == WIDTH - 4
    assert len(check(f"(<= h {condition} (r))").splitlines()) == 3
    assert len(check(f"(<= h (r) {condition})").splitlines()) == 4


@pytest.mark.parametrize("text", ["(a", "a)", "(role a)\n(<= b\n(c d)", "\x00"])
def test_what_cannot_be_read_is_refused_as_by_the_parser(text: str) -> None:
    with pytest.raises(gdl.RulesheetError) as caught:
        format_text(text, "g.kif")
    assert list(caught.value.mistakes) == sorted(parse(source_of(text, "g.kif"))[1], key=lambda m: m.location.column)
    assert caught.value.file == "g.kif"


# Files


@pytest.mark.parametrize("path", parameters())
def test_a_file_keeps_its_rules_and_comments(path: Path) -> None:
    source = read_source(path)
    laid_out = check(source.text)
    before, after = gdl.Rulesheet(source.text), gdl.Rulesheet(laid_out)
    assert list(map(str, after.statements)) == list(map(str, before.statements))
    assert after.rules == before.rules
    assert after.spelling == before.spelling


@pytest.mark.parametrize("path", OURS, ids=[path.stem for path in OURS])
def test_shipped_games_have_this_layout(path: Path) -> None:
    assert format_source(read_source(path)) == path.read_text(encoding="utf-8")


# Random texts

_WORDS = st.sampled_from(["<=", "or", "and", "not", "distinct", "a", "?x", "terminal", "Cell", "x" * 30, "y" * 120])
_TREES: st.SearchStrategy[Any] = st.recursive(
    _WORDS | symbols(), lambda inner: st.lists(inner, max_size=5), max_leaves=25
)
_COMMENTS = st.sampled_from([";", "; a", ";; (b ) ", "; c ; d\t", ";(<= x"])


@st.composite
def _gaps(draw: st.DrawFn) -> str:
    """The text between tokens: blanks, line ends, comments."""
    pieces = st.sampled_from([" ", "\t", "\n", "\n\n", "\n\n\n\n", "\r\n", "     "]) | _COMMENTS.map(lambda c: c + "\n")
    return "".join(draw(st.lists(pieces, max_size=3)))


def _tokens(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
        return
    yield "("
    for item in tree:
        yield from _tokens(item)
    yield ")"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Any sound text, laid out in any way."""
    pieces: list[str] = []
    for token in (token for tree in draw(st.lists(_TREES, max_size=6)) for token in _tokens(tree)):
        gap = draw(_gaps()) if draw(st.booleans()) else ""
        if not gap and pieces and "(" not in (token, pieces[-1]) and ")" not in (token, pieces[-1]):
            gap = " "
        pieces += [gap, token]
    pieces.append(draw(_gaps()))
    pieces.append(draw(st.sampled_from(["", "; end"])))
    return "".join(pieces)


@examples(200, thorough=1_500)
@given(text=texts())
def test_random_texts(text: str) -> None:
    check(text)

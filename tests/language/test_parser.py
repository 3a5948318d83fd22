"""The parser: rule text as it occurs in the wild, and every mistake of a text at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from support.strategies import symbols, terms

from gdl import Constant, FileError, Function, TermError, Variable, parse_term, parse_terms
from gdl.errors import Mistake
from gdl.language.parser import MAX_NESTING, parse, read_source, source_of
from gdl.language.syntax import Expression, Group, Symbol, VariableSymbol, variables


def expressions(text: str) -> tuple[Expression, ...]:
    found, mistakes = parse(source_of(text, "test.kif"))
    assert not mistakes, [str(mistake) for mistake in mistakes]
    return found


def texts(text: str) -> list[str]:
    return [str(expression) for expression in expressions(text)]


def places(text: str) -> list[tuple[str, int, int]]:
    """Every symbol, variable and opening parenthesis with its line and column."""

    def walk(expression: Expression) -> list[tuple[str, int, int]]:
        place = expression.location
        if not isinstance(expression, Group):
            return [(expression.text, place.line, place.column)]
        return [("(", place.line, place.column), *(found for item in expression.items for found in walk(item))]

    return [found for expression in expressions(text) for found in walk(expression)]


def mistakes(text: str) -> list[tuple[str, int, int]]:
    return [brief(mistake) for mistake in parse(source_of(text, "test.kif"))[1]]


def brief(mistake: Mistake) -> tuple[str, int, int]:
    return mistake.code, mistake.location.line, mistake.location.column


# What is read


def test_a_text_is_symbols_variables_and_groups() -> None:
    rule, fact = expressions("(<= (legal ?r noop) (not p)) terminal")
    assert isinstance(rule, Group)
    assert isinstance(fact, Symbol)
    arrow, head, negation = rule.items
    assert isinstance(arrow, Symbol)
    assert isinstance(head, Group)
    assert [type(item) for item in head.items] == [Symbol, VariableSymbol, Symbol]
    assert str(negation) == "(not p)"
    assert [variable.text for variable in variables(rule)] == ["?r"]


@pytest.mark.parametrize("text", ["", " \n\t", "; only a comment", ";", "; one\n;two\r\n"])
def test_a_text_may_hold_nothing(text: str) -> None:
    assert expressions(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "(p a) ; (q b)",
        "; (q b)\n(p a)",
        "(p ; (q b)\na)",
        "(p;q\n;)\n a)",
        ";;;; ( ( \n(p a);",
        "(p a) ; trailing ; twice (",
        "(p ;\ra)",
        "(p ;;\r\na)",
    ],
)
def test_comments_end_with_their_line(text: str) -> None:
    assert texts(text) == ["(p a)"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_of_every_system_count_alike(end: str) -> None:
    text = f"(p a){end}; (comment{end}{end}  (q{end}b)"
    assert places(text) == [("(", 1, 1), ("p", 1, 2), ("a", 1, 4), ("(", 4, 3), ("q", 4, 4), ("b", 5, 1)]


def test_a_tab_is_one_column() -> None:
    assert places("\t(p\ta)") == [("(", 1, 2), ("p", 1, 3), ("a", 1, 5)]


@pytest.mark.parametrize("blank", ["\t", "\f", "\v", "\u00a0", "\u2003", "\u3000", "\u2028", "\x85"])
def test_every_blank_separates(blank: str) -> None:
    assert texts(f"(p{blank}a)") == ["(p a)"]


def test_blanks_are_not_needed_around_parentheses() -> None:
    assert texts("(p(f a)b)q(r)") == ["(p (f a) b)", "q", "(r)"]


@pytest.mark.parametrize(
    "symbol",
    [
        "++",
        "x-1",
        "<",
        "<=x",
        "1.5",
        "c'",
        '"q"',
        "a?b",
        "a??",
        "é",
        "ß",
        "Ω",
        "日本",
        "🙂",
        "_",
        "\\",
        "|a|",
        "{}",
        "[]",
        ",",
        "@",
        "-",
        "♟\ufe0f",
    ],
)
def test_odd_symbols(symbol: str) -> None:
    assert texts(f"(p {symbol} ?{symbol})") == [f"(p {symbol} ?{symbol})"]
    assert parse_term(symbol) == Constant(symbol)
    assert parse_term("?" + symbol) == Variable(symbol)


def test_symbols_keep_their_spelling() -> None:
    assert texts("(Legal ROLE noOp)") == ["(Legal ROLE noOp)"]


def test_variables_may_hold_question_marks() -> None:
    assert texts("(p ??x ?x?)") == ["(p ??x ?x?)"]


def test_each_node_knows_file_line_column_and_width() -> None:
    (group,) = expressions("\n  (longname\n ?variable\n)")
    assert isinstance(group, Group)
    name, variable = group.items
    assert str(group.location) == "test.kif:2:3"
    assert str(group.end) == "test.kif:4:1"
    assert (str(name.location), name.location.width) == ("test.kif:2:4", 8)
    assert (str(variable.location), variable.location.width) == ("test.kif:3:2", 9)
    assert variable.location.excerpt() == "     ?variable\n     ^^^^^^^^^"


def test_an_excerpt_keeps_tabs_and_replaces_what_cannot_be_shown() -> None:
    (_, second), _ = parse(source_of("a\t\x0cname", "test.kif"))
    assert second.location.excerpt() == "    a\t\N{REPLACEMENT CHARACTER}name\n     \t ^^^^"


def nested(depth: int) -> str:
    return "(f " * (depth - 1) + "(f a" + ")" * depth


def test_groups_nest_to_the_limit() -> None:
    assert texts(nested(MAX_NESTING)) == [nested(MAX_NESTING)]


def test_groups_nest_no_deeper_than_the_limit() -> None:
    too_deep = nested(MAX_NESTING + 1)
    assert mistakes("ok\n" + too_deep) == [("too-deep", 2, 3 * MAX_NESTING + 1)]


@pytest.mark.parametrize("count", [1_000, 20_000])
def test_very_deep_nesting_is_a_mistake_and_no_crash(count: int) -> None:
    assert [code for code, _, _ in mistakes("(" * count + ")" * count)] == ["too-deep"]
    assert [code for code, _, _ in mistakes("(" * count)] == ["unbalanced-parenthesis"]
    assert len(mistakes(")" * 1000)) == 1000


# Files


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "bom.kif"
    path.write_bytes(b"\xef\xbb\xbf(p a)")
    found, errors = parse(read_source(path))
    assert not errors
    assert [str(e) for e in found] == ["(p a)"]
    assert found[0].location.column == 1


def test_bytes_that_are_not_utf8_are_fine_in_comments(tmp_path: Path) -> None:
    path = tmp_path / "latin1.kif"
    path.write_bytes(b"; caf\xe9 \xff\r\n(p caf\xc3\xa9)\r")
    found, errors = parse(read_source(path))
    assert not errors
    assert [str(e) for e in found] == ["(p café)"]


def test_bytes_that_are_not_utf8_are_mistakes_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "latin1.kif"
    path.write_bytes(b"(p a)\n(p caf\xe9 b)\n")
    found, (error,) = parse(read_source(path))
    assert str(error) == (
        f"{path}:2:7: unexpected-character: byte 0xe9 is not UTF-8 text\n"
        "    (p caf\N{REPLACEMENT CHARACTER} b)\n"
        "          ^"
    )
    assert [str(e) for e in found] == ["(p a)", "(p caf b)"]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.kif: No such file") as caught:
        read_source(tmp_path / "none.kif")
    assert caught.value.file == str(tmp_path / "none.kif")
    with pytest.raises(FileError, match="directory"):
        read_source(tmp_path)
    with pytest.raises(FileError, match="null"):
        read_source("a\0b")


# Mistakes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(p a", [(1, 1)]),
        ("p)", [(1, 2)]),
        ("(p a))", [(1, 6)]),
        (")(", [(1, 1), (1, 2)]),
        ("(p (q a)", [(1, 1)]),
        ("(p (q a", [(1, 4)]),
        # A parenthesis in the first column most likely begins the next rule.
        ("(p (a)\n(q b)\n(r c)", [(1, 1)]),
        ("(p (a)\n(q b)\n(r (c)\n(s d)", [(1, 1), (3, 1)]),
        ("(p a)) (q b))\n(r c)", [(1, 6), (1, 13)]),
        # Parentheses in comments do not count.
        ("(p a ; )\n", [(1, 1)]),
        ("(p a) ; (\n)", [(2, 1)]),
    ],
)
def test_unbalanced_parentheses(text: str, expected: list[tuple[int, int]]) -> None:
    assert mistakes(text) == [("unbalanced-parenthesis", line, column) for line, column in expected]


def test_what_is_sound_is_read_around_a_broken_stretch() -> None:
    found, errors = parse(source_of("(p a)\n(q (b)\n(r c)\n(s d)))\n(t e)", "test.kif"))
    assert [brief(error)[1:] for error in errors] == [(2, 1), (4, 6), (4, 7)]
    assert [str(e) for e in found] == ["(p a)", "(r c)", "(s d)", "(t e)"]
    assert [e.location.line for e in found] == [1, 3, 4, 5]


def test_how_many_parentheses_are_open_is_said() -> None:
    _, (error,) = parse(source_of("(p (q (r a)", "test.kif"))
    assert error.message == "this parenthesis is never closed (2 are open)"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("(p ?)", "a variable needs a name after the question mark", 4),
        ("? a", "a variable needs a name after the question mark", 1),
        ("(p a\x00b)", "unexpected character U+0000", 5),
        ("(p \x07)", "unexpected character U+0007", 4),
        ("(p \x7f)", "unexpected character U+007F", 4),
        ("(p a\ufeff)", "unexpected character U+FEFF (zero width no-break space)", 5),
        ("(p a\u200bb)", "unexpected character U+200B (zero width space)", 5),
        ("(p a \U000e0041)", "unexpected character U+E0041 (tag latin capital letter a)", 6),
        ("(p\u00ad a\u00ad)\n\u00ad", "unexpected character U+00AD (soft hyphen), 3 times in this file", 3),
        ("(p \ud800)", "unexpected character U+D800", 4),
    ],
)
def test_unexpected_characters(text: str, message: str, column: int) -> None:
    _, (error,) = parse(source_of(text, "test.kif"))
    assert (error.code, error.message) == ("unexpected-character", message)
    assert (error.location.line, error.location.column) == (1, column)


def test_a_name_with_an_unexpected_character_is_one_name() -> None:
    found, errors = parse(source_of("(p a\u200bb \u200b c\u200b)", "test.kif"))
    assert len(errors) == 1
    assert [str(e) for e in found] == ["(p a_b c)"]


def test_mistakes_of_every_kind_are_found_in_one_pass() -> None:
    text = "(p ?)\n; ? \x00 in a comment is fine\n(q a))\n(r \x01\n(s b)\n(t"
    assert mistakes(text) == [
        ("unexpected-character", 1, 4),
        ("unexpected-character", 4, 4),
        ("unbalanced-parenthesis", 3, 6),
        ("unbalanced-parenthesis", 4, 1),
        ("unbalanced-parenthesis", 6, 1),
    ]


# Terms


def test_parse_term() -> None:
    assert parse_term("(move c4 ?to (by Rook))") == Function(
        "move", (Constant("c4"), Variable("to"), Function("by", (Constant("Rook"),)))
    )


@pytest.mark.parametrize("text", ["noop", "(noop)", " noop ", "( noop ) ; comment", "NOOP"])
def test_a_constant_in_parentheses_is_the_constant(text: str) -> None:
    assert parse_term(text) == Constant("noop")


def test_parse_terms() -> None:
    assert parse_terms("(mark 1 2) noop\n?x") == (parse_term("(mark 1 2)"), Constant("noop"), Variable("x"))
    assert parse_terms("") == ()


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "expected one term, found 0", 1),
        ("a b", "expected one term, found 2", 1),
        ("()", "() is not a term", 1),
        ("(?f a)", "(?f a) is not a term", 1),
        ("((f) a)", "((f) a) is not a term", 1),
        ("(f ())", "(f ()) is not a term", 1),
        ("(f a", "this parenthesis is never closed", 1),
        ("f a)", "this parenthesis closes nothing", 4),
        ("(f ?)", "a variable needs a name after the question mark", 4),
    ],
)
def test_what_is_no_term_is_refused(text: str, message: str, column: int) -> None:
    with pytest.raises(TermError) as caught:
        parse_term(text)
    error = caught.value
    assert (error.mistakes[0].message, error.line, error.column) == (message, 1, column)


@given(terms())
def test_terms_read_back_as_they_print(term: Constant | Variable | Function) -> None:
    again = parse_term(str(term))
    assert again == term
    assert str(again) == str(term)
    assert type(again) is type(term)


@given(symbols(), symbols())
def test_symbols_are_equal_exactly_if_their_lower_case_is(left: str, right: str) -> None:
    assert (parse_term(left) == parse_term(right)) == (left.lower() == right.lower())
    assert parse_term(left.upper().lower()) == Constant(left.upper())

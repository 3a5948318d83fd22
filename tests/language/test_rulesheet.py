"""Rule files: what is read from them, and the report on each mistake they may have."""

from __future__ import annotations

import pickle
from pathlib import Path
from textwrap import dedent

import pytest

from gdl import Constant, FileError, Function, GdlError, Rulesheet, RulesheetError, TextError, parse_term
from gdl.language.parser import parse, source_of
from gdl.language.reading import statement_name

GAME = "(role r) (legal r m) (goal r 1) terminal\n"


def refused(text: str) -> RulesheetError:
    with pytest.raises(RulesheetError) as caught:
        Rulesheet(text, "g.kif")
    return caught.value


def codes(text: str) -> list[tuple[str, int, int]]:
    return [(m.code, m.location.line, m.location.column) for m in refused(text).mistakes]


# One wrong text for each code, after the first line that holds a whole game

REPORTS = {
    "unbalanced-parenthesis, unclosed": (
        "(<= (p ?x) (q ?x)",
        """\
        g.kif:2:1: unbalanced-parenthesis: this parenthesis is never closed
            (<= (p ?x) (q ?x)
            ^""",
    ),
    "unbalanced-parenthesis, too many": (
        "(<= (p ?x) (q ?x)))",
        """\
        g.kif:2:19: unbalanced-parenthesis: this parenthesis closes nothing
            (<= (p ?x) (q ?x)))
                              ^""",
    ),
    "unexpected-character": (
        "(p a\x00)",
        """\
        g.kif:2:5: unexpected-character: unexpected character U+0000
            (p a\N{REPLACEMENT CHARACTER})
                ^""",
    ),
    "unexpected-character, nameless variable": (
        "(<= (p ?) (q a))",
        """\
        g.kif:2:8: unexpected-character: a variable needs a name after the question mark
            (<= (p ?) (q a))
                   ^""",
    ),
    "too-deep": (
        "(p " + "(f " * 200 + "a" + ")" * 201,
        # Of a long line, 120 characters around the place are shown.
        "g.kif:2:601: too-deep: nested deeper than 200 levels\n    ..."
        + "(f " * 21
        + "a"
        + ")" * 56
        + "...\n       "
        + " " * 60
        + "^",
    ),
    "empty-parentheses": (
        "(<= (p a) ())",
        """\
        g.kif:2:11: empty-parentheses: a condition starts with a relation's name, but these parentheses are empty
            (<= (p a) ())
                      ^""",
    ),
    "empty-parentheses, term": (
        "(p ())",
        """\
        g.kif:2:4: empty-parentheses: a term has a name, but these parentheses are empty
            (p ())
               ^""",
    ),
    "misplaced-variable, relation": (
        "(<= (p a) (?relation a))",
        """\
        g.kif:2:12: misplaced-variable: a condition starts with a relation's name, not with the variable ?relation
            (<= (p a) (?relation a))
                       ^^^^^^^^^""",
    ),
    "misplaced-variable, function": (
        "(p (?f a))",
        """\
        g.kif:2:5: misplaced-variable: a function's name cannot be the variable ?f
            (p (?f a))
                ^^""",
    ),
    "misplaced-variable, statement": (
        "?x",
        """\
        g.kif:2:1: misplaced-variable: a fact starts with a relation's name, not with the variable ?x
            ?x
            ^^""",
    ),
    "variable-in-fact": (
        "(init (cell ?row 1))",
        """\
        g.kif:2:13: variable-in-fact: a fact has no variables, but (init (cell ?row 1)) has one
            (init (cell ?row 1))
                        ^^^^""",
    ),
    "not-an-atom": (
        "(<= (p a) ((q) a))",
        """\
        g.kif:2:12: not-an-atom: a condition starts with a relation's name, not with (q)
            (<= (p a) ((q) a))
                       ^""",
    ),
    "not-a-term": (
        "(p ((f b) a))",
        """\
        g.kif:2:5: not-a-term: a term starts with a function's name, not with (f b)
            (p ((f b) a))
                ^""",
    ),
    "keyword-arity": (
        "(<= (p ?x) (true cell ?x))",
        """\
        g.kif:2:13: keyword-arity: true takes 1 argument, found 2
            (<= (p ?x) (true cell ?x))
                        ^^^^""",
    ),
    "keyword-arity, arrow": (
        "(<=)",
        """\
        g.kif:2:2: keyword-arity: <= needs a head
            (<=)
             ^^""",
    ),
    "misplaced-keyword, next": (
        "(<= (p ?x) (next ?x))",
        """\
        g.kif:2:12: misplaced-keyword: next stands only in the head of a rule
            (<= (p ?x) (next ?x))
                       ^""",
    ),
    "misplaced-keyword, arrow": (
        "(<= (p a) (<= q))",
        """\
        g.kif:2:12: misplaced-keyword: <= stands only at the start of a rule
            (<= (p a) (<= q))
                       ^^""",
    ),
    "misplaced-keyword, head": (
        "(<= (does r m) (q a))",
        """\
        g.kif:2:5: misplaced-keyword: does is given by the state and the moves, not by rules
            (<= (does r m) (q a))
                ^""",
    ),
    "misplaced-keyword, connective": (
        "(<= (not (p a)) (q a))",
        """\
        g.kif:2:6: misplaced-keyword: not cannot be the head of a rule
            (<= (not (p a)) (q a))
                 ^^^""",
    ),
    "unsafe-variable, head": (
        "(<= (p ?x ?there) (q ?x))",
        """\
        g.kif:2:11: unsafe-variable: ?there in the head occurs in no positive condition of the body
            (<= (p ?x ?there) (q ?x))
                      ^^^^^^""",
    ),
    "unsafe-variable, negation": (
        "(<= (p ?x) (q ?x) (not (r ?x ?y)))",
        """\
        g.kif:2:30: unsafe-variable: ?y in a negation occurs in no positive condition of the body
            (<= (p ?x) (q ?x) (not (r ?x ?y)))
                                         ^^""",
    ),
    "unsafe-variable, distinct": (
        "(<= (p ?x) (q ?x) (distinct ?x (f ?y)))",
        """\
        g.kif:2:35: unsafe-variable: ?y in distinct occurs in no positive condition of the body
            (<= (p ?x) (q ?x) (distinct ?x (f ?y)))
                                              ^^""",
    ),
    "too-many-alternatives": (
        "(<= (p a)" + " (or x y)" * 14 + ")",
        "g.kif:2:1: too-many-alternatives: this expands to 16384 rules without `or`, more than 10000; split it\n"
        "    (<= (p a)" + " (or x y)" * 12 + " (o...\n    ^",
    ),
    "negation-in-cycle": (
        "(<= (p ?x) (q ?x) (not (r ?x)))\n(<= (r ?x) (p ?x))",
        """\
        g.kif:2:24: negation-in-cycle: negation in a cycle: p/1 needs not r/1 (line 2), r/1 needs p/1 (line 3)
            (<= (p ?x) (q ?x) (not (r ?x)))
                                   ^""",
    ),
    "depends-on-true": (
        "(<= (init (cell ?x)) (p ?x))\n(<= (p ?x) (true ?x))",
        """\
        g.kif:2:22: depends-on-true: init may not depend on true: init/1 needs p/1 (line 2), p/1 needs true/1 (line 3)
            (<= (init (cell ?x)) (p ?x))
                                 ^""",
    ),
    "depends-on-does": (
        "(<= (legal r ?x) (does r ?x))",
        """\
        g.kif:2:18: depends-on-does: legal may not depend on does: legal/2 needs does/2 (line 2)
            (<= (legal r ?x) (does r ?x))
                             ^""",
    ),
}


@pytest.mark.parametrize(("text", "report"), REPORTS.values(), ids=REPORTS.keys())
def test_each_mistake_has_its_report(request: pytest.FixtureRequest, text: str, report: str) -> None:
    error = refused(GAME + text)
    assert str(error) == dedent(report)
    code = request.node.callspec.id.split(",")[0]
    assert (error.code, error.file, error.line) == (code, "g.kif", 2)
    assert error.column == error.mistakes[0].location.column


def test_no_role_and_no_terminal() -> None:
    assert str(refused("(p a)")) == dedent(
        """\
        g.kif:1:1: no-role: no role is declared; a game has at least one (role NAME)
            (p a)
            ^
        g.kif:1:1: no-terminal: nothing says when the game is over; a game has a rule for terminal
            (p a)
            ^
        g.kif: 2 mistakes"""
    )
    assert codes("(role r)") == [("no-terminal", 1, 1)]
    assert codes("(<= terminal (true over))") == [("no-role", 1, 1)]
    assert "there are no rules in this text" in str(refused("; a game"))
    assert codes("") == [("no-role", 1, 1)]


def test_a_broken_role_is_not_a_missing_one() -> None:
    assert codes("(role) (<= (terminal) (not))") == [("keyword-arity", 1, 2), ("keyword-arity", 1, 24)]


def test_what_is_missing_is_not_said_of_a_torn_file() -> None:
    assert codes("(role r)\n(<= terminal (true over") == [("unbalanced-parenthesis", 2, 14)]


@pytest.mark.parametrize(
    ("keyword", "arity"),
    [
        *(("role", 1), ("base", 1), ("input", 2), ("init", 1), ("true", 1), ("does", 2), ("legal", 2)),
        *(("next", 1), ("terminal", 0), ("goal", 2), ("sees", 2), ("not", 1), ("distinct", 2)),
    ],
)
@pytest.mark.parametrize("spelled", [str.lower, str.upper])
def test_every_keyword_has_its_arity(keyword: str, arity: int, spelled: type[str]) -> None:
    for count in {arity - 1, arity + 1} - {-1}:
        condition = f"({spelled(keyword)}{' a' * count})"
        (mistake,) = refused(f"{GAME}(<= p {condition})").mistakes
        assert (mistake.code, mistake.location.column, mistake.location.width) == ("keyword-arity", 8, len(keyword))
        assert mistake.message.startswith(spelled(keyword) + " takes ")
        assert mistake.message.endswith(f", found {count}")


def test_all_mistakes_of_a_file_are_collected_in_the_order_of_the_text() -> None:
    text = dedent(
        """\
        (init (cell ?x))
        (<= (legal r ?m) (true (free ?n)))
        (<= (next (cell) (true on)))
        (<= (p a) (not (q a)))
        (q b))
        (<= (q ?x) (p ?x) (distinct ?x))
        (<= (q ?x) (p ?x))
        (goal r)
        """
    )
    assert codes(text) == [
        ("variable-in-fact", 1, 13),
        ("unsafe-variable", 2, 14),
        ("keyword-arity", 3, 6),
        ("negation-in-cycle", 4, 16),
        ("unbalanced-parenthesis", 5, 6),
        ("keyword-arity", 6, 20),
        ("keyword-arity", 8, 2),
    ]
    error = refused(text)
    assert str(error).endswith("\ng.kif: 7 mistakes")
    assert all(str(mistake) in str(error) for mistake in error.mistakes)


def test_many_mistakes_are_all_collected_but_not_all_printed() -> None:
    error = refused(GAME + "(init ?x)\n" * 60)
    assert len(error.mistakes) == 60
    assert str(error).endswith("g.kif: 60 mistakes, the first 20 shown")
    assert str(error).count("variable-in-fact") == 20


def test_a_mistake_is_noted_once_even_where_or_repeats_it() -> None:
    assert codes(GAME + "(<= (p ?x) (or a b c) (or d e))") == [("unsafe-variable", 2, 8)]


def test_every_negative_cycle_is_reported() -> None:
    assert codes(GAME + "(<= p (not p))\n(<= q (not s))\n(<= s q)") == [
        ("negation-in-cycle", 2, 12),
        ("negation-in-cycle", 3, 12),
    ]


def test_a_cycle_that_splitting_resolves_is_not_reported_with_others() -> None:
    good = "(<= (goal r 0) (not (goal r 1)))\n"
    assert Rulesheet(GAME + good)
    assert codes(GAME + good + "(<= p (not p))") == [("negation-in-cycle", 3, 12)]


def test_dependencies_that_may_not_be() -> None:
    text = dedent(
        """\
        (<= p (true on)) (<= w (does r m))
        (<= (role x) p)
        (<= (base x) p)
        (<= (input r x) w)
        (<= terminal w)
        (<= (goal r 5) w)"""
    )
    assert codes(GAME + text) == [
        ("depends-on-true", 3, 14),
        ("depends-on-true", 4, 14),
        ("depends-on-does", 5, 17),
        ("depends-on-does", 6, 14),
        ("depends-on-does", 7, 16),
    ]


def test_dependencies_that_may_be() -> None:
    assert Rulesheet(GAME + "(<= (sees r x) (does r m) (true on)) (<= (next x) (does r m)) (<= (legal r x) (true on))")


# What is read


def test_rules_are_flat_and_in_the_order_of_the_text() -> None:
    sheet = Rulesheet("(role r)\n(<= (terminal) (or (true a) (true b)))\n(<= (p ?x) (q ?x))", "g.kif")
    assert [str(rule) for rule in sheet.rules] == [
        "(role r)",
        "(<= terminal (true a))",
        "(<= terminal (true b))",
        "(<= (p ?x) (q ?x))",
    ]
    assert [str(rule) for rule in sheet.defining(("terminal", 0))] == [
        "(<= terminal (true a))",
        "(<= terminal (true b))",
    ]
    assert list(sheet.defining(("q", 1))) == []
    assert (sheet.name, len(sheet.statements)) == ("g.kif", 3)


def test_terms_are_respelled_as_the_file_first_has_them() -> None:
    sheet = Rulesheet("(ROLE White) terminal (init (Cell A)) (p wHite CELL)")
    assert sheet.respell(parse_term("(cell WHITE ?x new)")).text == "(Cell White ?x new)"
    assert sheet.respell(Constant("a")) == Constant("A")
    assert sheet.respell(Function("f", (Constant("a"),))).text == "(f A)"
    assert [rule.head.name for rule in sheet.rules] == ["ROLE", "terminal", "init", "p"]


def test_relations_are_spelled_alike_and_kept_apart_by_arity() -> None:
    sheet = Rulesheet("(role r) terminal (Cell a) (<= (p ?x) (CELL ?x) (cell ?x ?x))")
    assert {("cell", 1), ("cell", 2)} <= set(sheet.graph.edges)
    assert str(sheet.rules[-1]) == "(<= (p ?x) (Cell ?x) (Cell ?x ?x))"


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_text(GAME)
    assert Rulesheet.load(path).name == str(path)
    assert [str(rule) for rule in Rulesheet.load(str(path)).rules] == [str(rule) for rule in Rulesheet(GAME).rules]
    with pytest.raises(FileError):
        Rulesheet.load(tmp_path)


def test_a_loaded_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "game.kif"
    path.write_bytes(b"; caf\xe9\r\n(role r)\rterminal\r\n\t(init ?x)")
    with pytest.raises(RulesheetError) as caught:
        Rulesheet.load(path)
    assert str(caught.value) == (
        f"{path}:4:8: variable-in-fact: a fact has no variables, but (init ?x) has one\n    \t(init ?x)\n    \t      ^^"
    )


def test_errors_can_be_pickled() -> None:
    error = refused("(role) ?x")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is RulesheetError
    assert (str(again), again.mistakes, again.line) == (str(error), error.mistakes, error.line)


def test_errors_are_of_one_tree() -> None:
    assert issubclass(RulesheetError, TextError)
    assert issubclass(TextError, GdlError)
    assert issubclass(FileError, GdlError)


@pytest.mark.parametrize(
    ("text", "name"),
    [("terminal", "terminal"), ("(ROLE r)", "role"), ("(<= (Legal r m) p)", "legal"), ("(<= p)", "p"), ("()", None)],
)
def test_statement_name(text: str, name: str | None) -> None:
    (statement,), _ = parse(source_of(text, "g.kif"))
    assert statement_name(statement) == name

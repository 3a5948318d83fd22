"""The language server's knowledge of a text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.toy_files import SPREAD
from support.toy_walk import WALK, place

from gdl.checker.view import KEYWORDS
from ggp.rules.lsp.completion import completions
from ggp.rules.lsp.counts import Counts, count, counted
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.hover import KEYWORDS as EXPLAINED
from ggp.rules.lsp.hover import hover_text
from ggp.rules.lsp.names import Name, NameKind
from ggp.rules.lsp.renaming import RenameError, new_text, renamed
from ggp.rules.lsp.symbols import outlined


@pytest.fixture
def walk() -> Document:
    return Document(WALK, "walk.kif")


def name_at(document: Document, mark: str) -> Name:
    name = document.name_at(*place(document.source.text, mark))
    assert name is not None
    return name


def lines(names: list[Name]) -> list[int]:
    return [name.location.line for name in names]


# Names


def test_names_are_what_they_stand_for(walk: Document) -> None:
    kinds = {
        "(|near ?p ?q)\n    (edge ?p": NameKind.RELATION,
        "(init (|at": NameKind.FACT,
        "(init (at |a": NameKind.TERM,
        "(does walker (|GO": NameKind.MOVE,
        "(does |walker": NameKind.TERM,
        "(|does": NameKind.KEYWORD,
        "(edge |?q": NameKind.VARIABLE,
    }
    assert {mark: walk.kind(name_at(walk, mark)) for mark in kinds} == kinds


def test_a_name_is_found_at_both_its_ends(walk: Document) -> None:
    line, column = place(WALK, "(|near ?p ?q)\n    (edge ?p")
    assert [name and name.text for name in (walk.name_at(line, column + i) for i in (-1, 0, 4, 5))] == [
        None,
        "near",
        "near",
        "?p",
    ]
    assert walk.name_at(1, 4) is None
    assert walk.name_at(999, 1) is None


def test_definitions(walk: Document) -> None:
    assert lines(walk.definitions(name_at(walk, "    (|near ?p"))) == [12, 14]
    assert lines(walk.definitions(name_at(walk, "(true (|at ?p"))) == [5, 20]
    assert lines(walk.definitions(name_at(walk, "(does walker (|GO"))) == [17]
    assert lines(walk.definitions(name_at(walk, "(does |walker"))) == [4]
    assert lines(walk.definitions(name_at(walk, "    (edge ?q |?p"))) == [14]
    assert lines(walk.definitions(name_at(walk, "(|legal"))) == [17]
    assert walk.definitions(name_at(walk, "(|true (at ?p")) == []


def test_references(walk: Document) -> None:
    assert lines(walk.references(name_at(walk, "(init (|at"))) == [5, 18, 20, 23, 25]
    assert lines(walk.references(name_at(walk, "walker (|go"))) == [17, 21]
    assert lines(walk.references(name_at(walk, "(legal walker (go |?q"))) == [17, 19]
    assert lines(walk.references(name_at(walk, "(init (at |a"))) == [5, 6]


def test_a_relation_and_a_fact_of_one_name_are_two() -> None:
    document = Document("(role r)\n(init (p a))\n(<= (p ?x)\n    (true (p ?x)))\n", "g.kif")
    assert lines(document.references(name_at(document, "(<= (|p"))) == [3]
    assert lines(document.references(name_at(document, "(init (|p"))) == [2, 4]


# Hover


def hover(document: Document, mark: str, counts: Counts | None = None) -> str:
    if counts is None:
        *_, counts = [Counts(), *counted(document.reading)]
    return hover_text(document, name_at(document, mark), counts)


def test_hover_tells_what_a_relation_is(walk: Document) -> None:
    assert hover(walk, "    (|near ?p") == (
        "`near/2`: relation\n\n"
        "```text\n(near P Q): one step leads from P to Q,\nor back.\n```\n\n"
        "2 rules, lines 12, 14  \nused 1 time  \n4 instances, in every state"
    )


def test_hover_over_facts_and_moves(walk: Document) -> None:
    at = hover(walk, "(true (|at ?p")
    assert "`at/1`: fact of the state" in at
    assert "(at P)   where the walker is" in at
    assert at.endswith("1 in the initial state, 3 that can ever be true")
    assert hover(walk, "walker (|go").endswith("1 rule, line 17  \nused 1 time  \nat most 3 such moves")


def test_hover_over_words_variables_and_constants(walk: Document) -> None:
    assert hover(walk, "(|legal").startswith("`(legal ROLE MOVE)`\n\nROLE may make MOVE in the current state.")
    assert hover(walk, "(near |?p ?q)\n    (edge ?p") == "`?p`: variable, 2 times in this rule"
    assert hover(walk, "(init (at |a") == "`a/0`: constant\n\n2 occurrences"


def test_hover_without_counts_where_rules_are_wrong() -> None:
    document = Document("(role r)\n(<= (p ?x) (q ?y))\n(q a)\n(<= s\n    nowhere)", "g.kif")
    assert list(counted(document.reading)) == []
    assert hover(document, "(|q ?y") == "`q/1`: relation\n\n1 fact, line 3  \nused 1 time"
    assert "no rule and no fact defines it" in hover(document, "    |nowhere")


def test_instances_are_counted_in_a_process_of_their_own(walk: Document) -> None:
    *_, last = counted(walk.reading)
    assert asyncio.run(count(WALK)) == last
    assert last.static[("near", 2)] == 4
    assert asyncio.run(count("(torn")) == Counts()


def test_what_takes_too_long_to_count_is_left_uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.rules.lsp.counts._SECONDS", 0.0)
    assert asyncio.run(count(WALK)) == Counts()


def test_comments_are_no_markup() -> None:
    document = Document("; *a* ``` b\n(p a)\n(<= (odd`name ?x)\n    (p ?x))", "g.kif")
    assert "````text\n*a* ``` b\n````" in hover(document, "(|p a", Counts())
    assert hover(document, "(|odd", Counts()).startswith("``odd`name/1``: relation")


def test_each_word_of_the_language_is_explained() -> None:
    assert set(EXPLAINED) == KEYWORDS


# Renaming


def test_renaming_changes_what_is_the_same(walk: Document) -> None:
    assert lines(list(renamed(walk, name_at(walk, "(init (|at"), "stands"))) == [5, 18, 20, 23, 25]
    assert lines(list(renamed(walk, name_at(walk, "(near |?p ?q)\n    (edge ?p"), "?from"))) == [12, 13]
    assert new_text(name_at(walk, "(near |?p ?q)\n    (edge ?p"), "from") == "?from"
    assert lines(list(renamed(walk, name_at(walk, "(init (|at"), "AT"))) == [5, 18, 20, 23, 25]


@pytest.mark.parametrize(
    ("mark", "new", "reason"),
    [
        ("(|legal", "lawful", "legal is a keyword"),
        ("(init (|at", "true", "true is a keyword"),
        ("(init (|at", "two words", "two words is not a valid name"),
        ("(init (|at", "?at", r"\?at is not a valid name"),
        ("(init (|at", "", "an empty text is not a valid name"),
        ("(init (|at", "Go", "Go is already used in line 17"),
        ("(|edge a", "near", "near is already used in line 12"),
        ("(near |?p ?q)\n    (edge ?p", "q", r"\?q is already used in line 12"),
        ("(near |?p ?q)\n    (edge ?p", "?", r"\? is not a valid name for a variable"),
        ("walker |100", "99", "100 is a number"),
    ],
)
def test_renaming_is_refused(walk: Document, mark: str, new: str, reason: str) -> None:
    with pytest.raises(RenameError, match=reason):
        renamed(walk, name_at(walk, mark), new)


def test_nothing_is_renamed_in_a_torn_text() -> None:
    document = Document("(p a)\n(<= (q ?x) (p ?x)", "g.kif")
    with pytest.raises(RenameError, match="a parenthesis is missing"):
        renamed(document, name_at(document, "(|p a"), "r")


# Completion


def completed(text: str) -> list[str]:
    """The suggestions at the bar."""
    before, after = text.split("|")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return [one.text for one in completions(Document(before + after, "g.kif"), line, column)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("(|", ["<=", "role"]),
        ("(<= (|", ["legal", "next"]),
        ("(<= (next (|", ["at"]),
        ("(<= (next (at ?p)) (tr|", ["true", "does"]),
        ("(<= (near ?from ?to)\n    (edge ?|", ["?from", "?to"]),
        ("(<= (near ?from ?to)\n    (edge ?f|", ["?from", "?to"]),
        ("(<= done (true (|", ["at"]),
        ("(<= done (does |", ["walker"]),
        ("(<= done (does walker (|", ["go"]),
        ("(<= done (edge |", ["a", "b"]),
        ("(<= (near ?p ?q) (not (|", ["true", "does"]),
    ],
)
def test_completion(typed: str, first: list[str]) -> None:
    # As it is while one types: the parentheses are not closed yet.
    found = completed(f"{WALK}\n{typed}")
    assert found[: len(first)] == first
    assert len(found) == len({text.lower() for text in found})


def test_completion_in_the_middle_of_a_text() -> None:
    assert completed(WALK.replace("(near ?p ?q))", "(near ?p |))"))[:2] == ["?q", "?p"]
    assert "near" in completed(WALK.replace("    (near ?p ?q))", "    (n|))"))


def test_no_completion_in_comments() -> None:
    assert completed("(role r) ; (|") == []


# The outline


def test_statements_of_one_relation_are_one_entry(walk: Document) -> None:
    assert [(one.name, one.detail, one.first.location.line) for one in outlined(walk)] == [
        ("role/1", "1 fact", 4),
        ("init at/1", "1 fact", 5),
        ("edge/2", "2 facts", 6),
        ("near/2", "2 rules", 12),
        ("legal go/1", "1 rule", 17),
        ("next at/1", "1 rule", 20),
        ("terminal/0", "1 rule", 22),
        ("goal/2", "1 rule", 24),
    ]


# Torn texts


@pytest.mark.parametrize("path", SPREAD[:2], ids=lambda path: path.stem)
def test_whatever_is_typed_so_far_has_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for end in range(0, len(text), 997):
        document = Document(text[:end], path.name)
        completions(document, text.count("\n", 0, end) + 1, end - text.rfind("\n", 0, end))
        outlined(document)
        for name in document.names[-3:]:
            assert document.name_at(name.location.line, name.location.column) is name
            assert name in document.references(name)
            assert hover_text(document, name, Counts())

"""The language server: what it knows of a text, and what it answers a client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from toy_command import runner
from toy_files import ROOT

from gdl.checker.view import KEYWORDS
from ggp.lsp.completion import completions
from ggp.lsp.counts import Counts, counted
from ggp.lsp.document import Document
from ggp.lsp.hover import hover_text
from ggp.lsp.keywords import KEYWORDS as EXPLAINED
from ggp.lsp.names import Kind, Name
from ggp.lsp.renaming import RenameError, new_text, renamed
from ggp.lsp.symbols import outlined

TEXT = """\
; A walk
;   (at P)   where the walker is

(role walker)
(init (at a))
(edge a b) (edge b c)

; ---------- moves

; (near P Q): one step leads from P to Q,
; or back.
(<= (near ?p ?q)
    (edge ?p ?q))
(<= (near ?p ?q)
    (edge ?q ?p))

(<= (legal walker (go ?q)) ; along an edge
    (true (at ?p))
    (near ?p ?q))
(<= (next (at ?q))
    (does walker (GO ?q)))
(<= terminal
    (true (at c)))
(<= (goal walker 100)
    (true (at c)))
"""


@pytest.fixture
def walk() -> Document:
    return Document(TEXT, "walk.kif")


def place(text: str, mark: str) -> tuple[int, int]:
    """The line and column of the character behind the bar in a marked part of a text, such as `(<= (|near`."""
    at = text.index(mark.replace("|", "")) + mark.index("|")
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def name_at(document: Document, mark: str) -> Name:
    name = document.name_at(*place(document.source.text, mark))
    assert name is not None
    return name


def lines(names: list[Name]) -> list[int]:
    return [name.location.line for name in names]


# Names


def test_names_are_what_they_stand_for(walk: Document) -> None:
    kinds = {
        "(|near ?p ?q)\n    (edge ?p": Kind.RELATION,
        "(init (|at": Kind.FACT,
        "(init (at |a": Kind.TERM,
        "(does walker (|GO": Kind.MOVE,
        "(does |walker": Kind.TERM,
        "(|does": Kind.KEYWORD,
        "(edge |?q": Kind.VARIABLE,
    }
    assert {mark: walk.kind(name_at(walk, mark)) for mark in kinds} == kinds


def test_a_name_is_found_at_both_its_ends(walk: Document) -> None:
    line, column = place(TEXT, "(|near ?p ?q)\n    (edge ?p")
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
    return hover_text(document, name_at(document, mark), counts or counted(document.reading))


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
    assert at.endswith("1 in the initial state, 3 that may ever be true")
    assert hover(walk, "walker (|go").endswith("1 rule, line 17  \nused 1 time  \nat most 3 such moves")


def test_hover_over_words_variables_and_constants(walk: Document) -> None:
    assert hover(walk, "(|legal").startswith("`(legal ROLE MOVE)`\n\nROLE may make MOVE in the current state.")
    assert hover(walk, "(near |?p ?q)\n    (edge ?p") == "`?p`: variable, 2 times in this rule"
    assert hover(walk, "(init (at |a") == "`a/0`: constant\n\n2 occurrences"


def test_hover_without_counts_where_rules_are_wrong() -> None:
    document = Document("(role r)\n(<= (p ?x) (q ?y))\n(q a)\n(<= s\n    nowhere)", "g.kif")
    assert counted(document.reading) == Counts()
    assert hover(document, "(|q ?y") == "`q/1`: relation\n\n1 fact, line 3  \nused 1 time"
    assert "no rule and no fact defines it" in hover(document, "    |nowhere")


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
        ("(|legal", "lawful", "legal is a word of the language"),
        ("(init (|at", "true", "true is a word of the language"),
        ("(init (|at", "two words", "two words is no name"),
        ("(init (|at", "?at", r"\?at is no name"),
        ("(init (|at", "", "nothing is no name"),
        ("(init (|at", "Go", "Go is used already, in line 17"),
        ("(|edge a", "near", "near is used already, in line 12"),
        ("(near |?p ?q)\n    (edge ?p", "q", r"\?q is used already, in line 12"),
        ("(near |?p ?q)\n    (edge ?p", "?", r"\? is no name for a variable"),
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
    """What is suggested at the bar."""
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
    found = completed(f"{TEXT}\n{typed}")
    assert found[: len(first)] == first
    assert len(found) == len({text.lower() for text in found})


def test_completion_in_the_middle_of_a_text() -> None:
    assert completed(TEXT.replace("(near ?p ?q))", "(near ?p |))"))[:2] == ["?q", "?p"]
    assert "near" in completed(TEXT.replace("    (near ?p ?q))", "    (n|))"))


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


# The server and a client

pytest.importorskip("pygls")

from lsprotocol import types as lsp  # noqa: E402
from pygls.exceptions import JsonRpcException  # noqa: E402
from pygls.lsp.client import LanguageClient  # noqa: E402

from ggp.lsp.positions import Positions  # noqa: E402

URI = "file:///nowhere/walk.kif"


class Client:
    """A client that has started a server, and what the server tells it by itself."""

    def __init__(self) -> None:
        self.client = LanguageClient("test", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.told.put_nowait(params))
        self.version = 0
        self.text = ""

    async def open(self, text: str) -> lsp.PublishDiagnosticsParams:
        self.text, self.version = text, 1
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(URI, "gdl", 1, text)))
        return await self.told.get()

    def change(self, text: str) -> None:
        self.text = text
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, URI),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def at(self, mark: str) -> dict[str, Any]:
        """Where the bar is in a marked part of the text, in UTF-16 units."""
        line, column = place(self.text, mark)
        before = self.text.split("\n")[line - 1][: column - 1]
        position = lsp.Position(line - 1, len(before.encode("utf-16-le")) // 2)
        return {"text_document": lsp.TextDocumentIdentifier(URI), "position": position}


def session(scenario: Callable[[Client], Awaitable[None]]) -> None:
    """Runs a scenario with a server process, which has to end when it is told to."""

    async def run() -> None:
        client = Client()
        await client.client.start_io(sys.executable, "-m", "ggp", "lsp", cwd=str(ROOT))
        try:
            await client.client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
            client.client.initialized(lsp.InitializedParams())
            await scenario(client)
        finally:
            await client.client.shutdown_async(None)
            client.client.exit(None)
            await client.client.stop()

    asyncio.run(asyncio.wait_for(run(), 120))


def edited(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text after edits, as a client makes them; positions are characters here."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]

    def offset(position: lsp.Position) -> int:
        return starts[position.line] + position.character

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def test_diagnostics_come_as_one_types() -> None:
    async def scenario(client: Client) -> None:
        told = await client.open(TEXT)
        assert (told.uri, told.version) == (URI, 1)
        assert [one for one in told.diagnostics if one.severity is lsp.DiagnosticSeverity.Error] == []
        # Only the last of several quick changes is told of.
        for number in range(5):
            client.change(f"{TEXT}(<= (lost ?x{number})\n    (true calm))")
        told = await client.told.get()
        assert told.version == 6
        (error,) = (one for one in told.diagnostics if one.severity is lsp.DiagnosticSeverity.Error)
        assert (error.code, error.source) == ("unsafe-variable", "ggp")
        assert error.range == lsp.Range(lsp.Position(25, 10), lsp.Position(25, 13))
        client.change(f"{TEXT}(<= (lost")
        assert [one.code for one in (await client.told.get()).diagnostics] == ["unbalanced-parenthesis"]
        client.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(URI)),
        )
        assert not (await client.told.get()).diagnostics

    session(scenario)


def test_questions_about_names() -> None:
    async def scenario(client: Client) -> None:
        ask = client.client
        await client.open(TEXT)
        found = await ask.text_document_hover_async(lsp.HoverParams(**client.at("    (|near ?p")))
        assert found is not None
        assert isinstance(found.contents, lsp.MarkupContent)
        assert "`near/2`: relation" in found.contents.value
        assert await ask.text_document_hover_async(lsp.HoverParams(**client.at("; |A walk"))) is None

        definition = await ask.text_document_definition_async(lsp.DefinitionParams(**client.at("    (|near ?p")))
        assert isinstance(definition, list)
        assert [one.range.start.line for one in definition if isinstance(one, lsp.Location)] == [11, 13]

        for declared, expected in ((True, [11, 13, 18]), (False, [18])):
            params = lsp.ReferenceParams(context=lsp.ReferenceContext(declared), **client.at("    (|near ?p"))
            references = await ask.text_document_references_async(params)
            assert [one.range.start.line for one in references or ()] == expected

        marked = await ask.text_document_document_highlight_async(
            lsp.DocumentHighlightParams(**client.at("(init (|at"))
        )
        assert [one.range.start.line for one in marked or ()] == [4, 17, 19, 22, 24]

        items = await ask.text_document_completion_async(lsp.CompletionParams(**client.at("    (true (|at ?p")))
        assert isinstance(items, list)
        assert [item.label for item in items] == ["at"]

        symbols = await ask.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(URI))
        )
        assert [one.name for one in symbols or ()][:3] == ["role/1", "init at/1", "edge/2"]

    session(scenario)


def test_edits() -> None:
    async def scenario(client: Client) -> None:
        ask = client.client
        text = TEXT.replace("; A walk", "; A walk \N{SNOWMAN}")
        await client.open(text)
        renaming = await ask.text_document_rename_async(lsp.RenameParams(new_name="stands", **client.at("(init (|at")))
        assert renaming is not None
        assert renaming.changes is not None
        assert edited(text, list(renaming.changes[URI])) == text.replace("(at ?", "(stands ?").replace(
            "(at a", "(stands a"
        ).replace("(at c", "(stands c")
        prepared = await ask.text_document_prepare_rename_async(lsp.PrepareRenameParams(**client.at("(init (|at")))
        assert isinstance(prepared, lsp.PrepareRenamePlaceholder)
        assert prepared.placeholder == "at"
        with pytest.raises(JsonRpcException, match="legal is a word of the language"):
            await ask.text_document_rename_async(lsp.RenameParams(new_name="x", **client.at("(|legal")))
        with pytest.raises(JsonRpcException, match="legal is a word of the language"):
            await ask.text_document_prepare_rename_async(lsp.PrepareRenameParams(**client.at("(|legal")))

        options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
        formatting = lsp.DocumentFormattingParams(lsp.TextDocumentIdentifier(URI), options)
        edits = await ask.text_document_formatting_async(formatting)
        assert edits is not None
        neat = edited(text, list(edits))
        assert neat == text.replace("(go ?q)) ;", "(go ?q))  ;")
        client.change(neat)
        assert not await ask.text_document_formatting_async(formatting)
        client.change("(p")
        assert not await ask.text_document_formatting_async(formatting)

    session(scenario)


def test_quick_fixes() -> None:
    async def scenario(client: Client) -> None:
        text = f"{TEXT}(<= (edge c d))\n"
        told = await client.open(text)
        (doubt,) = (one for one in told.diagnostics if one.range.start.line == 25)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(URI), doubt.range, lsp.CodeActionContext([doubt]))
        (action,) = await client.client.text_document_code_action_async(params) or ()
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        assert edited(text, list(action.edit.changes[URI])) == f"{TEXT}(edge c d)\n"

    session(scenario)


def test_columns_are_counted_as_the_editor_does() -> None:
    lines = ["a\N{GRINNING FACE}b", "", "xyz"]
    utf16 = Positions(lines, lambda text: len(text.encode("utf-16-le")) // 2)
    assert [utf16.position(1, column).character for column in (1, 2, 3, 4)] == [0, 1, 3, 4]
    assert [utf16.place(lsp.Position(0, character)) for character in (0, 1, 2, 3, 4, 9)] == [
        (1, 1),
        (1, 2),
        (1, 2),
        (1, 3),
        (1, 4),
        (1, 4),
    ]
    assert utf16.between(4, 6) == lsp.Range(lsp.Position(1, 0), lsp.Position(2, 1))
    assert utf16.place(lsp.Position(7, 3)) == (3, 4)
    assert utf16.position(9, 9) == lsp.Position(2, 3)


def test_without_pygls_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    outcome = runner(capsys, monkeypatch)("lsp")
    assert (outcome.status, outcome.err) == (2, "the language server needs pygls: pip install 'ggp[lsp]'\n")

"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from support.commands import Ggp
from support.toy_files import ROOT
from support.toy_walk import WALK, place

pytest.importorskip("pygls")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from ggp.rules.lsp.server import Positions

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
        """The place of the bar in a marked part of the text, in UTF-16 units."""
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
        told = await client.open(WALK)
        assert (told.uri, told.version) == (URI, 1)
        assert [one for one in told.diagnostics if one.severity is lsp.DiagnosticSeverity.Error] == []
        # Only the last of several quick changes is told of.
        for number in range(5):
            client.change(f"{WALK}(<= (lost ?x{number})\n    (true calm))")
        told = await client.told.get()
        assert told.version == 6
        (error,) = (one for one in told.diagnostics if one.severity is lsp.DiagnosticSeverity.Error)
        assert (error.code, error.source) == ("unsafe-variable", "ggp")
        assert error.range == lsp.Range(lsp.Position(25, 10), lsp.Position(25, 13))
        client.change(f"{WALK}(<= stuck (near ?anywhere ?_n))")
        severities = {one.code: one.severity for one in (await client.told.get()).diagnostics}
        assert severities["unused-relation"] is lsp.DiagnosticSeverity.Warning
        assert severities["singleton-variable"] is lsp.DiagnosticSeverity.Hint
        client.change(f"{WALK}(<= (lost")
        assert [one.code for one in (await client.told.get()).diagnostics] == ["unbalanced-parenthesis"]
        client.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(URI)),
        )
        assert not (await client.told.get()).diagnostics

    session(scenario)


def test_questions_about_names() -> None:
    async def scenario(client: Client) -> None:
        ask = client.client
        await client.open(WALK)
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


@pytest.mark.slow
def test_edits() -> None:
    async def scenario(client: Client) -> None:
        ask = client.client
        text = WALK.replace("; A walk", "; A walk \N{SNOWMAN}")
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
        with pytest.raises(JsonRpcException, match="legal is a keyword"):
            await ask.text_document_rename_async(lsp.RenameParams(new_name="x", **client.at("(|legal")))
        with pytest.raises(JsonRpcException, match="legal is a keyword"):
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
        text = f"{WALK}(<= (edge c d))\n"
        told = await client.open(text)
        (doubt,) = (one for one in told.diagnostics if one.range.start.line == 25)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(URI), doubt.range, lsp.CodeActionContext([doubt]))
        (action,) = await client.client.text_document_code_action_async(params) or ()
        assert isinstance(action, lsp.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        assert edited(text, list(action.edit.changes[URI])) == f"{WALK}(edge c d)\n"

    session(scenario)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "meant", "title"),
    [
        ("(<= (edge ?a ?b) (nera ?a ?b))", "(<= (edge ?a ?b) (near ?a ?b))", "write near"),
        (
            "(<= (edge ?a ?b) (at ?a) (near ?a ?b))",
            "(<= (edge ?a ?b) (true (at ?a)) (near ?a ?b))",
            "put it into (true",
        ),
        (
            "(<= (edge ?from ?there) (near ?from ?ther))",
            "(<= (edge ?from ?ther) (near ?from ?ther))",
            "write ?ther",
        ),
    ],
)
def test_suggestions_are_quick_fixes(written: str, meant: str, title: str) -> None:
    async def scenario(client: Client) -> None:
        text = f"{WALK}{written}\n"
        told = await client.open(text)
        (doubt,) = (one for one in told.diagnostics if one.range.start.line == 25 and "did you mean" in one.message)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(URI), doubt.range, lsp.CodeActionContext([doubt]))
        (action,) = [
            one
            for one in await client.client.text_document_code_action_async(params) or ()
            if isinstance(one, lsp.CodeAction) and one.title.startswith(title)
        ]
        assert action.edit is not None
        assert action.edit.changes is not None
        assert edited(text, list(action.edit.changes[URI])) == f"{WALK}{meant}\n"

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


def test_without_pygls_the_command_says_what_to_install(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    outcome = ggp("lsp")
    assert (outcome.status, outcome.err) == (2, "the language server needs pygls: pip install 'ggp[lsp]'\n")


def test_positions_of_the_game_that_is_being_written() -> None:
    async def scenario(client: Client) -> None:
        def ask(**params: Any) -> Any:
            return client.client.protocol.send_request_async("ggp/position", params)

        await client.open(WALK)
        found = await ask(uri=URI, moves=[["(go b)"]])
        assert (found.ply, found.roles[0].legal) == (1, ["(go a)", "(go c)"])
        client.change(WALK.replace("(edge b c)", "(edge b d)"))
        assert (await ask(uri=URI, moves=[["(go b)"]])).roles[0].legal == ["(go a)", "(go d)"]
        for wrong in ({"uri": 1}, {"uri": URI, "moves": 3}, {"uri": URI, "moves": [[1]]}):
            with pytest.raises(JsonRpcException, match="a list of lists of moves"):
                await ask(**wrong)

    session(scenario)

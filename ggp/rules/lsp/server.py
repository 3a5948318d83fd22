"""The language server, built on pygls: editors send texts as they are typed and get answers to their requests."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final, Protocol, final

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from gdl.checker import Diagnostic
from gdl.errors import Location, RulesheetError
from gdl.language.edits import Edit
from gdl.language.formatter import format_source
from gdl.language.syntax import Expression, Group
from ggp import __version__
from ggp.rules.lsp.completion import Completion, completions, word_start
from ggp.rules.lsp.counts import Counts, count
from ggp.rules.lsp.document import Document
from ggp.rules.lsp.hover import hover_text
from ggp.rules.lsp.names import Name, NameKind
from ggp.rules.lsp.preview import preview
from ggp.rules.lsp.renaming import RenameError, new_text, renamable, renamed
from ggp.rules.lsp.symbols import outlined


@final
class Positions:
    """The positions of one text. `units` counts the editor's units in a string (UTF-16 code units for most)."""

    def __init__(self, lines: Sequence[str], units: Callable[[str], int]) -> None:
        """Index the lines of a text."""
        self._lines = lines
        self._units = units
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def position(self, line: int, column: int) -> lsp.Position:
        """Return the editor's position for a line and column; positions behind the end become the end."""
        if line > len(self._lines):
            line, column = len(self._lines), len(self._lines[-1]) + 1
        return lsp.Position(line - 1, self._units(self._lines[line - 1][: column - 1]))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """Return the line and column of an editor's position."""
        if position.line >= len(self._lines):
            return len(self._lines), len(self._lines[-1]) + 1
        ends = list(accumulate(map(self._units, self._lines[position.line])))
        return position.line + 1, bisect_right(ends, position.character) + 1

    def range(self, location: Location) -> lsp.Range:
        """Return the range of a location."""
        start = self.position(location.line, location.column)
        return lsp.Range(start, self.position(location.line, location.column + location.width))

    def between(self, start: int, end: int) -> lsp.Range:
        """Return the range between two offsets."""
        return lsp.Range(self._at(start), self._at(end))

    def _at(self, offset: int) -> lsp.Position:
        line = bisect_right(self._starts, offset, hi=len(self._lines))
        return self.position(line, offset - self._starts[line - 1] + 1)


#: A request of our own: the game that a text describes, after some joint moves. See `ggp.rules.lsp.preview.shown`.
POSITION: Final = "ggp/position"

#: Seconds without changes before a text is checked.
_PAUSE: Final = 0.2

#: Seconds that a hover waits for counts; if they come later, the next hover shows them.
_WAIT: Final = 0.5

_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "hint": lsp.DiagnosticSeverity.Hint,
}
_COMPLETIONS: Final = {
    NameKind.KEYWORD: lsp.CompletionItemKind.Keyword,
    NameKind.RELATION: lsp.CompletionItemKind.Function,
    NameKind.FACT: lsp.CompletionItemKind.Field,
    NameKind.MOVE: lsp.CompletionItemKind.Method,
    NameKind.TERM: lsp.CompletionItemKind.Constant,
    NameKind.VARIABLE: lsp.CompletionItemKind.Variable,
}
#: Options of features that are announced to editors.
_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        lsp.TEXT_DOCUMENT_COMPLETION: lsp.CompletionOptions(trigger_characters=["(", "?"]),
        lsp.TEXT_DOCUMENT_CODE_ACTION: lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    }
)


class _PositionQuestion(Protocol):
    """The parameters of a request about a position."""

    text_document: lsp.TextDocumentIdentifier
    position: lsp.Position


@dataclass(slots=True)
class _Open:
    """One version of a text that an editor has open.

    `checked` is set once a check has been scheduled; counting begins on the first hover.
    """

    document: Document
    positions: Positions
    version: int | None
    checked: bool = False
    counts: asyncio.Task[Counts] | None = None

    def forget(self) -> None:
        """Cancel the counting under way."""
        if self.counts is not None:
            self.counts.cancel()


@final
class Server:
    """Answer an editor's requests. Each version of a text is analysed anew, and only as far as requests need it."""

    def __init__(self) -> None:
        """Register the features with pygls."""
        # Full synchronization: texts are short, and applying partial edits could go wrong.
        self.pygls = LanguageServer("ggp", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self._texts: dict[str, _Open] = {}
        for method, answer in self._features().items():
            # pygls sets attributes on handlers, which bound methods do not allow.
            self.pygls.feature(method, _OPTIONS.get(method))(partial(answer))

    def run(self) -> None:
        """Serve on standard input and output until the editor ends the session."""
        self.pygls.start_io()

    def _features(self) -> dict[str, Callable[..., Any]]:
        return {
            lsp.TEXT_DOCUMENT_DID_OPEN: self.changed,
            lsp.TEXT_DOCUMENT_DID_CHANGE: self.changed,
            lsp.TEXT_DOCUMENT_DID_CLOSE: self.closed,
            lsp.TEXT_DOCUMENT_HOVER: self.hover,
            lsp.TEXT_DOCUMENT_DEFINITION: self.definition,
            lsp.TEXT_DOCUMENT_REFERENCES: self.references,
            lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: self.highlights,
            lsp.TEXT_DOCUMENT_PREPARE_RENAME: self.prepare_rename,
            lsp.TEXT_DOCUMENT_RENAME: self.rename,
            lsp.TEXT_DOCUMENT_COMPLETION: self.completion,
            lsp.TEXT_DOCUMENT_CODE_ACTION: self.actions,
            lsp.TEXT_DOCUMENT_FORMATTING: self.formatting,
            lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self.symbols,
            POSITION: self.position,
        }

    # Texts

    def _text(self, uri: str) -> _Open:
        """Return the current version of a text."""
        document = self.pygls.workspace.get_text_document(uri)
        known = self._texts.get(uri)
        if known is None or known.version != document.version:
            if known is not None:
                known.forget()
            read = Document(document.source, document.path or uri)
            codec = self.pygls.workspace.position_codec
            known = self._texts[uri] = _Open(read, Positions(read.lines, codec.client_num_units), document.version)
        return known

    def _name(self, where: _PositionQuestion) -> tuple[_Open, Name | None]:
        """Return the text, and the name at a position in it."""
        text = self._text(where.text_document.uri)
        return text, text.document.name_at(*text.positions.place(where.position))

    async def changed(self, params: lsp.DidOpenTextDocumentParams | lsp.DidChangeTextDocumentParams) -> None:
        """Check a text that was opened or changed, unless it changes again in the meantime."""
        uri = params.text_document.uri
        text = self._text(uri)
        if text.checked:
            return
        text.checked = True
        await asyncio.sleep(_PAUSE if isinstance(params, lsp.DidChangeTextDocumentParams) else 0)
        if self._texts.get(uri) is not text:
            return
        found = await asyncio.get_running_loop().run_in_executor(None, lambda: text.document.diagnostics)
        if self._texts.get(uri) is text:
            self._publish(uri, text, found)

    def _publish(self, uri: str, text: _Open, found: Sequence[Diagnostic]) -> None:
        diagnostics = [self._diagnostic(uri, text, one) for one in found]
        self.pygls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, text.version))

    def _diagnostic(self, uri: str, text: _Open, found: Diagnostic) -> lsp.Diagnostic:
        related = [
            lsp.DiagnosticRelatedInformation(lsp.Location(uri, text.positions.range(note.location)), note.message)
            for note in found.notes
        ]
        return lsp.Diagnostic(
            range=text.positions.range(found.location),
            message=found.message,
            severity=_SEVERITIES[found.severity],
            code=found.code,
            source="ggp",
            related_information=related,
        )

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Forget a text and clear its diagnostics."""
        uri = params.text_document.uri
        if uri in self._texts:
            self._texts.pop(uri).forget()
        self.pygls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    # Questions

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """Explain the name under the pointer."""
        text, name = self._name(params)
        if name is None:
            return None
        if text.counts is None:
            text.counts = asyncio.create_task(count(text.document.source.text))
        done, _ = await asyncio.wait([text.counts], timeout=_WAIT)
        counts = text.counts.result() if done and not text.counts.cancelled() else Counts()
        markdown = lsp.MarkupContent(lsp.MarkupKind.Markdown, hover_text(text.document, name, counts))
        return lsp.Hover(markdown, text.positions.range(name.location))

    def definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        """Return the definitions of the name."""
        text, name = self._name(params)
        found = text.document.definitions(name) if name is not None else []
        return [lsp.Location(params.text_document.uri, text.positions.range(one.location)) for one in found]

    def references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        """Return all occurrences of the name; definitions are included only on request."""
        text, name = self._name(params)
        if name is None:
            return []
        found = text.document.references(name)
        if not params.context.include_declaration:
            defined = text.document.definitions(name)
            found = [one for one in found if one not in defined]
        return [lsp.Location(params.text_document.uri, text.positions.range(one.location)) for one in found]

    def highlights(self, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        """Return all occurrences of the name under the cursor, for highlighting."""
        text, name = self._name(params)
        found = text.document.references(name) if name is not None else []
        kinds = {True: lsp.DocumentHighlightKind.Write, False: lsp.DocumentHighlightKind.Read}
        return [lsp.DocumentHighlight(text.positions.range(one.location), kinds[one.defines]) for one in found]

    def prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        """Return the name that a renaming would change."""
        text, name = self._name(params)
        if name is None:
            return None
        try:
            renamable(text.document, name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return lsp.PrepareRenamePlaceholder(text.positions.range(name.location), name.text)

    def rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        """Return the edits that rename all occurrences of a name."""
        text, name = self._name(params)
        if name is None:
            return None
        try:
            found = renamed(text.document, name, params.new_name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        new = new_text(name, params.new_name)
        edits = [lsp.TextEdit(text.positions.range(one.location), new) for one in found]
        return lsp.WorkspaceEdit({params.text_document.uri: edits})

    def completion(self, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        """Suggest texts for the position."""
        text = self._text(params.text_document.uri)
        line, column = text.positions.place(params.position)
        found = completions(text.document, line, column)
        return [self._completion(text, one, number, line, column) for number, one in enumerate(found)]

    def _completion(self, text: _Open, found: Completion, number: int, line: int, column: int) -> lsp.CompletionItem:
        """Return a suggestion with the range it replaces, as editors disagree on where words with `?` or `-` begin."""
        start = word_start(text.document, line, column)
        span = text.positions.range(Location(text.document.source, line, start, column - start))
        return lsp.CompletionItem(
            found.text,
            kind=_COMPLETIONS[found.kind],
            detail=found.detail,
            sort_text=f"{number:05}",
            filter_text=found.text,
            text_edit=lsp.TextEdit(span, found.text),
        )

    def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Return the checker's fixes for the problems in a range of lines."""
        uri = params.text_document.uri
        text = self._text(uri)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        found = []
        for one in text.document.diagnostics:
            if one.fix is not None and first <= one.location.line <= last:
                edits = [self._edit(text, edit) for edit in one.fix.edits]
                found.append(
                    lsp.CodeAction(
                        one.fix.title,
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=[self._diagnostic(uri, text, one)],
                        edit=lsp.WorkspaceEdit({uri: edits}),
                    )
                )
        return found

    def _edit(self, text: _Open, edit: Edit) -> lsp.TextEdit:
        return lsp.TextEdit(text.positions.between(edit.start, edit.end), edit.text)

    def formatting(self, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        """Return an edit that lays out the whole text; None if there is nothing to change or the text has errors."""
        text = self._text(params.text_document.uri)
        try:
            laid_out = format_source(text.document.source)
        except RulesheetError:
            return None
        if laid_out == text.document.source.text:
            return None
        return [lsp.TextEdit(text.positions.between(0, len(text.document.source.text)), laid_out)]

    def symbols(self, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """Return the outline of a text."""
        text = self._text(params.text_document.uri)
        return [
            lsp.DocumentSymbol(
                name=one.name,
                detail=one.detail,
                kind=lsp.SymbolKind.Function if one.rules else lsp.SymbolKind.Constant,
                range=lsp.Range(self._begin(text, one.first), self._end(text, one.last)),
                selection_range=text.positions.range(one.head),
            )
            for one in outlined(text.document)
        ]

    async def position(self, params: Any) -> dict[str, Any]:
        """Return the board and the legal moves after the joint moves `params.moves` in the text `params.uri`."""
        uri, moves = getattr(params, "uri", None), getattr(params, "moves", [])
        joint = isinstance(moves, list) and all(isinstance(one, list) for one in moves)
        if not isinstance(uri, str) or not joint or not all(isinstance(move, str) for one in moves for move in one):
            raise JsonRpcInvalidParams(f"{POSITION} takes uri, and moves: a list of lists of moves")
        source = self._text(uri).document.source
        return await preview(source.text, source.name, moves)

    def _begin(self, text: _Open, expression: Expression) -> lsp.Position:
        return text.positions.range(expression.location).start

    def _end(self, text: _Open, expression: Expression) -> lsp.Position:
        last = expression.end if isinstance(expression, Group) else expression.location
        return text.positions.range(last).end

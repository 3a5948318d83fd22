"""`ggp lsp`: the language server for editors."""

from __future__ import annotations

import typer

from ggp.cli.guard import BAD_INPUT, guarded, say


@guarded
def lsp() -> None:
    """Answer an editor's questions about rule files (Language Server Protocol).

    Editors start this themselves: docs/guides/editor.md says how. It reads from standard input and writes to
    standard output.
    """
    try:
        import pygls  # noqa: F401
    except ImportError:
        say("the language server needs pygls: pip install 'ggp[lsp]'")
        raise typer.Exit(BAD_INPUT) from None
    from ggp.lsp.server import Server

    Server().run()

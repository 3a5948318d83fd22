"""`ggp lsp`: the language server for editors."""

from __future__ import annotations

import typer

from ggp.cli.guard import BAD_INPUT, guarded, say


@guarded
def lsp() -> None:
    """Run the language server for rule files, for editors.

    Editors start it themselves, as described in docs/guides/editor.md. It speaks the Language Server Protocol on
    standard input and output.
    """
    try:
        import pygls  # noqa: F401
    except ImportError:
        say("the language server needs pygls: pip install 'ggp[lsp]'")
        raise typer.Exit(BAD_INPUT) from None
    from ggp.rules.lsp.server import Server

    Server().run()

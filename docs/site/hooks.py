"""The site beyond its configuration: the icon, and the reference of the command line, made from the commands."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import ggp
from ggp.cli import build

#: Replaced by the reference of all commands.
MARK = "<!-- commands -->"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the site, and the icon, which is that of `ggp serve`."""
    icon = Path(ggp.__file__).parent / "server" / "static" / "icon.svg"
    files.append(File.generated(config, "icon.svg", abs_src_path=str(icon)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The text of a page, with the reference of all commands in place of the mark."""
    return markdown.replace(MARK, "\n".join(commands())) if MARK in markdown else markdown


def commands() -> Iterator[str]:
    """The lines of the reference: a section for each command."""
    group: Any = typer.main.get_command(build())
    with typer.Context(group, info_name="ggp", **group.context_settings) as context:
        for name, command in group.commands.items():
            with typer.Context(command, info_name=name, parent=context) as own:
                yield from section(command, own)


def section(command: Any, context: typer.Context) -> Iterator[str]:
    """The heading of a command, its usage, its description, and tables of its arguments and options."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from (f"## {context.command_path}", "", inspect.cleandoc(command.help or ""), "", "```text", usage, "```", "")
    yield from ("| argument or option | meaning |", "| --- | --- |")
    for param in command.get_params(context):
        if record := param.get_help_record(context):
            names, meaning = map(cell, record)
            yield f"| <code>{names}</code> | {meaning} |"
    yield ""


def cell(text: str) -> str:
    """A text as it stands in a cell of a table: a bar would end the cell, and a bracket would be markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")

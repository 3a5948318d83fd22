"""MkDocs hooks: add the icon, and generate the command-line reference from the commands."""

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

#: The place in a page for the reference of all commands.
MARK = "<!-- commands -->"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the icon of `ggp serve` to the files of the site."""
    icon = Path(ggp.__file__).parent / "server" / "static" / "icon.svg"
    files.append(File.generated(config, "icon.svg", abs_src_path=str(icon)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the text of a page with the reference of all commands in place of the mark."""
    return markdown.replace(MARK, "\n".join(commands())) if MARK in markdown else markdown


def commands() -> Iterator[str]:
    """Yield the lines of the reference, with a section for each command."""
    group: Any = typer.main.get_command(build())
    with typer.Context(group, info_name="ggp", **group.context_settings) as context:
        yield from sections(group, context)


def sections(group: Any, context: typer.Context) -> Iterator[str]:
    """Yield the sections of the commands of a group, each followed by those of its subcommands."""
    for name in group.list_commands(context):
        command = group.commands[name]
        with typer.Context(command, info_name=name, parent=context) as own:
            yield from section(command, own)
            if hasattr(command, "commands"):
                yield from sections(command, own)


def section(command: Any, context: typer.Context) -> Iterator[str]:
    """Yield the section of a command: heading, description, usage, and a table of arguments and options."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from (f"## {context.command_path}", "", inspect.cleandoc(command.help or ""), "", "```text", usage, "```", "")
    yield from ("| argument or option | meaning |", "| --- | --- |")
    for param in command.get_params(context):
        if record := param.get_help_record(context):
            names, meaning = map(cell, record)
            yield f"| <code>{names}</code> | {meaning} |"
    yield ""


def cell(text: str) -> str:
    """Escape a text for a table cell, where a bar would end the cell and an angle bracket would start a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")

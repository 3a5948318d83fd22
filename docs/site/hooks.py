"""MkDocs hooks: add the icon and games to play, and generate the command-line reference from the commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import gdl
import ggp
from ggp.cli import build
from ggp.rules.shipped_games import find_game
from ggp.server.export.page import page
from ggp.server.export.wrapped import module_of

#: The place in a page for the reference of all commands.
MARK = "<!-- commands -->"

#: The place in a page for a link to a game, which is played in the browser of the reader.
PLAY = re.compile(r"<!-- play (\w+) -->")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add to the files of the site: the icon of `ggp serve`, and a page for each game that others let readers play."""
    for name in sorted({name for file in files.documentation_pages() for name in PLAY.findall(file.content_string)}):
        path = find_game(name)
        simulator = gdl.Simulator.load(path).whole("an export")
        made = page(path, simulator, module_of(simulator))
        files.append(File.generated(config, f"play/{name}.html", content=made.text))
    icon = Path(ggp.__file__).parent / "server" / "static" / "icon.svg"
    files.append(File.generated(config, "icon.svg", abs_src_path=str(icon)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Return the text of a page with links to games, and with the reference of all commands, in place of the marks."""
    up = "../" * page.file.src_uri.count("/")
    markdown = PLAY.sub(lambda match: f"[Play it in this browser]({up}play/{match[1]}.html)", markdown)
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

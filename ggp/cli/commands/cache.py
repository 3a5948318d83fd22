"""`ggp cache`: where compiled games and machine code are kept, and how to delete them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import JsonOption


class Action(StrEnum):
    """An action on the caches."""

    SHOW = "show"
    CLEAR = "clear"


@guarded
def cache(
    action: Annotated[Action, typer.Argument(help="Show the caches, or delete what is in them.")] = Action.SHOW,
    json: JsonOption = False,
) -> None:
    """Show or clear the caches of compiled games and of machine code.

    What is deleted is made again when it is needed, except for what players remember of games. Nothing else is kept of
    your matches there.
    """
    import shutil
    from pathlib import Path

    import gdl
    import ggp
    from gdl.simulator.cache import LIMIT, VARIABLE, default_folder, entries_in, native_files
    from ggp.cli.screen import line, screen
    from ggp.rules.report_text import number_and_noun

    root = default_folder()
    entries = {} if root is None else entries_in(root)
    files = {file: file.stat().st_size for file in native_files(*(Path(p.__path__[0]) for p in (gdl, ggp)))}
    games, code = sum(entries.values()), sum(files.values())
    if action is Action.CLEAR:
        for folder in entries:
            shutil.rmtree(folder, ignore_errors=True)
        for file in files:
            file.unlink(missing_ok=True)
    if json:
        print_json(
            "cache",
            {
                "action": action.value,
                "folder": None if root is None else str(root),
                "entries": len(entries),
                "bytes": games,
                "limit": LIMIT,
                "native_files": len(files),
                "native_bytes": code,
            },
        )
        return
    console = screen()
    done = "deleted " if action is Action.CLEAR else ""
    where = f"no folder, as {VARIABLE} is empty" if root is None else str(root)
    size = f"{number_and_noun(len(entries), 'entry', 'entries')}, {_size(games)}"
    line(console, f"{where}: {done}{size}" + ("" if done else f" of at most {_size(LIMIT)}"))
    size = f"{number_and_noun(len(files), 'file')}, {_size(code)}"
    line(console, f"machine code of gdl and ggp, for all games: {done}{size}")


def _size(number: int) -> str:
    return f"{number / 1_000_000:,.1f} MB"

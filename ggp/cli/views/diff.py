"""Changes to a rule file, shown in colour on a terminal and as a patch in a pipe."""

from __future__ import annotations

from typing import Final

from gdl.errors import Source

#: The style of diff lines by prefix; the first match wins.
_STYLES: Final = (("---", "bold"), ("+++", "bold"), ("@@", "cyan"), ("-", "red"), ("+", "green"))


def print_changes(source: Source, text: str) -> None:
    """Show the changes from a source to a new text, including the case that only line ends change."""
    from ggp.cli.screen import line, screen
    from ggp.rules.rulefiles import difference, print_rules

    changes = difference(source.text, text, source.name)
    console = screen()
    if not changes:
        line(console, f"{source.name}: only line ends or a byte order mark change")
    elif console.is_terminal:
        for row in changes.splitlines():
            style = next((style for start, style in _STYLES if row.startswith(start)), "")
            line(console, (row, style))
    else:
        print_rules(changes)

"""The rules of play of a game, printed on a console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ggp.cli.screen import line, paragraph
from ggp.rules.comments import Kind

if TYPE_CHECKING:
    from rich.console import Console

    from ggp.rules.how_to_play import HowToPlay


def print_how_to_play(console: Console, found: HowToPlay) -> None:
    """Print the opening comment of the rules, then what the rules say themselves."""
    line(console, ("how to play", "bold"), f"   {found.comment.title}" if found.comment.title else "")
    for block in found.comment.blocks:
        if block.kind is Kind.DRAWING:
            for text in block.text.splitlines():
                line(console, f"    {text}")
        elif block.kind is Kind.ROW:
            paragraph(console, "", f"{block.subject}: {block.text}", 4)
        else:
            paragraph(console, "", block.text, 2)
    for section in found.sections:
        line(console, (f"  {section.heading}", "bold"))
        for text in section.lines:
            paragraph(console, "", text, 4)

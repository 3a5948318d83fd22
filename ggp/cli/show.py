"""`ggp show`: what a rule file holds."""

from __future__ import annotations

from typing import Annotated

import typer

from ggp.cli.guard import guarded


@guarded
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rule file or the name of a game.")],
) -> None:
    """Show the roles, the start, the sizes and the relations of a game."""
    from gdl import Reasoner
    from ggp.board import render_state
    from ggp.cli.screen import paragraph, screen, table
    from ggp.games import find_game, game_name
    from ggp.overview import fact_counts, relations

    path = find_game(file)
    game = Reasoner.load(path)
    state = game.initial_state()
    found = relations(game.rulesheet)
    text = game.rulesheet.source.text
    lines = text.count("\n") + (not text.endswith("\n"))
    rules, facts = sum(relation.rules for relation in found), sum(relation.facts for relation in found)
    start = ", ".join(f"{name} {count}" for name, count in fact_counts(state).items())
    moves = ", ".join(f"{role} {len(game.legal_moves(state, role))}" for role in game.roles)

    console = screen()
    paragraph(console, game_name(path), str(path), 14)
    paragraph(console, "roles", ", ".join(game.roles), 14)
    paragraph(console, "text", f"{lines:,} lines, {len(text.encode(errors='replace')):,} bytes", 14)
    paragraph(console, "rules", f"{rules:,} rules and {facts:,} facts for {len(found):,} relations", 14)
    paragraph(console, "start", f"{len(state):,} facts: {start}", 14)
    paragraph(console, "legal moves", moves, 14)
    console.print()
    console.print(render_state(game, state), crop=False)
    console.print()
    heading = ("relation", "depends on", "rules", "facts")
    rows = [
        (
            relation.name,
            "" if relation.kind == "static" else relation.kind,
            _count(relation.rules),
            _count(relation.facts),
        )
        for relation in found
    ]
    table(console, [heading, *rows], right=(2, 3))


def _count(number: int) -> str:
    return f"{number:,}" if number else ""

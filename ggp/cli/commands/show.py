"""`ggp show`: an overview of a rule file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import FileArgument, JsonOption

if TYPE_CHECKING:
    from gdl import Reasoner, State
    from ggp.rules.overview import Relation


@guarded
def show(
    file: FileArgument,
    spaces: Annotated[
        bool, typer.Option("--spaces", help="Show the actions and observations of the game's environments instead.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show how to play a game, and what its rules consist of.

    The output has the roles, the initial state, how to play, and the relations with the numbers of their rules and
    facts.
    """
    from gdl import Reasoner
    from ggp.rules.overview import relations
    from ggp.rules.shipped_games import find_game

    path = find_game(file)
    if spaces:
        from ggp.cli.views.spaces import show_spaces

        show_spaces(path, json=json)
        return
    game = Reasoner.load(path)
    state = game.initial_state()
    found = relations(game.rulesheet)
    if json:
        print_json("show", _fields(path, game, state, found))
    else:
        _print(path, game, state, found)


def _fields(path: Path, game: Reasoner, state: State, found: tuple[Relation, ...]) -> dict[str, object]:
    from ggp.rules.how_to_play import how_to_play
    from ggp.rules.shipped_games import game_name

    lines, size = _extent(game)
    return {
        "game": game_name(path),
        "file": str(path),
        "roles": game.roles,
        "how_to_play": how_to_play(game).data(),
        "lines": lines,
        "bytes": size,
        "initial_state": [fact.text for fact in state],
        "legal_moves": {role: _legal_count(game, state, role) for role in game.roles},
        "relations": [
            {
                "relation": relation.name,
                "depends_on": relation.dependence.value,
                "rules": relation.rules,
                "facts": relation.facts,
                "undefined": relation.undefined,
            }
            for relation in found
        ],
    }


def _print(path: Path, game: Reasoner, state: State, found: tuple[Relation, ...]) -> None:
    from gdl.errors import nearest
    from ggp.board import render_state
    from ggp.cli.screen import paragraph, screen, table
    from ggp.cli.views.how_to_play import print_how_to_play
    from ggp.rules.how_to_play import how_to_play
    from ggp.rules.overview import fact_counts
    from ggp.rules.shipped_games import game_name

    lines, size = _extent(game)
    rules, facts = sum(relation.rules for relation in found), sum(relation.facts for relation in found)
    start = ", ".join(f"{name} {count}" for name, count in fact_counts(state).items())
    moves = ", ".join(f"{role} {_legal_count(game, state, role)}" for role in game.roles)

    console = screen()
    paragraph(console, game_name(path), str(path), 14)
    paragraph(console, "roles", ", ".join(game.roles), 14)
    paragraph(console, "text", f"{lines:,} lines, {size:,} bytes", 14)
    paragraph(console, "rules", f"{rules:,} rules and {facts:,} facts for {len(found):,} relations", 14)
    paragraph(console, "start", f"{len(state):,} fact{'' if len(state) == 1 else 's'}: {start}", 14)
    paragraph(console, "legal moves", moves, 14)
    console.print()
    console.print(render_state(game, state), crop=False)
    console.print()
    print_how_to_play(console, how_to_play(game))
    console.print()
    heading = ("relation", "depends on", "rules", "facts")
    rows = [
        (
            relation.name,
            "undefined" if relation.undefined else "" if relation.dependence == "static" else relation.dependence,
            _count(relation.rules),
            _count(relation.facts),
        )
        for relation in found
    ]
    table(console, [heading, *rows], right=(2, 3))
    names = [*(relation.name for relation in found if not relation.undefined), *fact_counts(state)]
    for relation in found:
        if relation.undefined:
            near = nearest(relation.name, names)
            hint = f"; did you mean {near[0]}?" if near else ""
            console.print()
            paragraph(console, "note", f"no rule or fact defines {relation.name}{hint}", 14)


def _extent(game: Reasoner) -> tuple[int, int]:
    """Return the numbers of lines and bytes of the rules."""
    text = game.rulesheet.source.text
    return text.count("\n") + (not text.endswith("\n")), len(text.encode(errors="replace"))


def _legal_count(game: Reasoner, state: State, role: str) -> int:
    """Return the number of a role's legal moves; 0 is a fault of the rules, to be shown here rather than raised."""
    from gdl.errors import NoLegalMoveError

    try:
        return len(game.legal_moves(state, role))
    except NoLegalMoveError:
        return 0


def _count(number: int) -> str:
    return f"{number:,}" if number else ""

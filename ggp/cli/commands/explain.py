"""`ggp explain`: the reasons why an atom holds in a state, or does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import guarded
from ggp.cli.json_output import JsonOption, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdl import Explanation, Reasoner, State, Term
    from gdl.explanation.outline import Line

#: Default maximum number of lines shown.
_MOST_LINES: Final = 300


@guarded
def explain(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A rule file or the name of a game.",
            autocompletion=complete_game,
        ),
    ],
    atom: Annotated[str, typer.Argument(metavar="ATOM", help="For example '(legal white ?move)' or terminal.")],
    moves: Annotated[
        str,
        typer.Option(
            "--moves",
            metavar="MOVES",
            help="Start after these moves: joint moves, or only the moves of roles with a choice.",
        ),
    ] = "",
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N derivations, shortest first.")] = 1,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Examine at most N instances of rules.")] = 20_000,
    lines: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N lines.")] = _MOST_LINES,
    json: JsonOption = False,
) -> None:
    """Explain why an atom holds in a state, or why it does not.

    If it holds, show its derivation, with the locations of the rules. If not, show for each rule that could derive it
    the first condition that fails. Atoms that depend on moves, such as next, are explained for the last of MOVES.
    """
    from gdl import Reasoner
    from ggp.rules.shipped_games import find_game, game_name

    path = find_game(file)
    game = Reasoner.load(path)
    state, last = _position(game, atom, moves)
    explanation = game.explain(atom, state, last, most=most, limit=limit)
    if json:
        from gdl.explanation.outline import to_json

        print_json("explain", {"game": game_name(path), "file": str(path), **to_json(explanation)})
    else:
        _print(explanation, limit, lines)


def _position(game: Reasoner, atom: str, text: str) -> tuple[State, Sequence[Term] | None]:
    """Return the state after some moves and None, or, for an atom that depends on moves, the state before the last one.

    In the latter case, the second value is the last joint move.
    """
    from ggp.solver.line import position_after

    state, played = position_after(game, text, "--moves")
    if not game.depends_on_moves(atom):
        return state, None
    if not played:
        raise typer.BadParameter("this atom depends on the moves: give at least one ply", param_hint="--moves")
    state = game.initial_state()
    for moves in played[:-1]:
        state = game.next_state(state, moves)
    return state, played[-1]


def _print(explanation: Explanation, limit: int, most: int) -> None:
    """Print the tree, with its notes in a column."""
    from itertools import islice

    from rich.cells import cell_len

    from gdl.explanation.outline import note_column, outline
    from ggp.cli.screen import line, screen

    console = screen()
    shown = list(islice(outline(explanation), most + 1))
    margin = note_column(shown, cell_len)
    for one in shown[:most]:
        pad = " " * max(0, margin - cell_len(one.branches + one.text))
        line(console, (one.branches, "dim"), (one.text, _style(one)), (f"{pad}  {one.note}" if one.note else "", "dim"))
    for text in _remarks(explanation, limit, len(shown) > most, most):
        line(console, (text, "yellow"))


def _style(shown: Line) -> str:
    from gdl.explanation.outline import LineKind

    return {LineKind.FAILS: "red", LineKind.RULE: "cyan", LineKind.NOTE: "bold"}.get(
        shown.kind, "bold" if not shown.branches else ""
    )


def _remarks(explanation: Explanation, limit: int, cut: bool, most: int) -> list[str]:
    """Return remarks about further derivations and about limits that were reached."""
    remarks = []
    if cut:
        remarks.append(f"... and more than {most:,} lines; --lines shows more, --json all")
    if more := explanation.ways - len(explanation.derivations):
        remarks.append(f"{more:,} more way{'s' * (more != 1)} to derive it; --most {explanation.ways} shows all")
    if not explanation.complete:
        remarks.append(
            f"stopped after {limit:,} instances of rules: there may be shorter or further derivations; raise --limit"
        )
    return remarks

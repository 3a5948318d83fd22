"""`ggp explain`: why an atom holds in a state, or does not; what a learned value is made of; what a role knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import FileArgument, JsonOption, MovesOption, PositionOption, ValueRoleOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdl import Explanation, Reasoner, State, Term
    from gdl.explanation.outline import Line
    from ggp.belief.samples import Step

#: What all of them are about.
ABOUT: Final = """Explain a state of a game.

`ggp explain FILE ATOM` is short for `ggp explain atom FILE ATOM`.
"""

#: Default maximum number of lines shown.
_MOST_LINES: Final = 300

LinesOption = Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N lines.")]


@guarded
def atom(
    file: FileArgument,
    question: Annotated[str, typer.Argument(metavar="ATOM", help="For example '(legal white ?move)' or terminal.")],
    moves: MovesOption = "",
    position: PositionOption = "",
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N derivations, shortest first.")] = 1,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Examine at most N instances of rules.")] = 20_000,
    lines: LinesOption = _MOST_LINES,
    json: JsonOption = False,
) -> None:
    """Explain why an atom holds in a state, or why it does not.

    If it holds, show its derivation, with the locations of the rules. If not, show for each rule that could derive it
    the first condition that fails. Atoms that depend on moves, such as next, are explained for the last of MOVES.
    """
    from gdl import Rulesheet, parse_term
    from ggp.rules.position import begun_at
    from ggp.rules.shipped_games import find_game, game_name

    path = find_game(file)
    game = begun_at(Rulesheet.load(path), position)
    asked = parse_term(question, "ATOM")
    state, last = _position(game, asked, moves)
    explanation = game.explain(asked, state, last, most=most, limit=limit)
    if json:
        from gdl.explanation.outline import to_json

        print_json("explain", {"game": game_name(path), "file": str(path), **to_json(explanation)})
    else:
        _print(explanation, limit, lines)


@guarded
def value(
    file: FileArgument,
    learned: Annotated[Path, typer.Argument(metavar="FILE.learned", help="What `ggp train` has written.")],
    role: ValueRoleOption = "",
    moves: MovesOption = "",
    position: PositionOption = "",
    lines: LinesOption = _MOST_LINES,
    json: JsonOption = False,
) -> None:
    """Show what each fact of a state adds to its learned value."""
    from gdl import Rulesheet
    from gdl.reasoner.joint_moves import role_named
    from gdl.terms import name_key
    from ggp.cli.screen import line, screen, table
    from ggp.learning.value_parts import value_parts
    from ggp.players.learned_values.value import read_value_for
    from ggp.rules.position import begun_at
    from ggp.rules.shipped_games import find_game
    from ggp.solver.line import position_after

    rules = Rulesheet.load(find_game(file))
    game = begun_at(rules, position)
    values = read_value_for(learned, rules)
    state, _ = position_after(game, moves, "--moves")
    found = value_parts(values, state, str(learned), name_key(role_named(role, game.roles)) if role else "")
    shown = found.parts[:lines]
    if json:
        parts = [{"fact": part.fact.text, "adds": part.adds, "alone": part.alone} for part in found.parts]
        own = role_named(found.role, game.roles) if found.role else None
        of = {"learned": str(learned), "roles": list(game.roles), "role": own}
        fields = {**of, "made": dict(values.made), "value": found.value, "base": found.base}
        print_json("explain", {"file": rules.name, **fields, "parts": parts})
        return
    console = screen()
    if found.role:
        points, what = f"{found.value:.1f} points", f"the goal of {role_named(found.role, game.roles)}"
    else:
        points, what = f"{found.value:+.1f} points", "the goal of {} less that of {}".format(*game.roles)
    line(console, (points, "bold"), f": {what}, before any search")
    rows = [(f"{part.adds:+.1f}", f"{part.alone:+.1f}", part.fact.text) for part in shown]
    table(
        console, [("adds", "alone", "fact"), *rows, ("", f"{found.base:+.1f}", "(a state without facts)")], right=(0, 1)
    )
    if (measured := values.measured) is not None:
        line(console, ("measured: ", "dim"), measured.text)
    if len(found.parts) > len(shown):
        line(
            console, (f"... and {len(found.parts) - len(shown):,} more facts; --lines shows more, --json all", "yellow")
        )


@guarded
def belief(
    file: FileArgument,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="The role that knows.")],
    moves: MovesOption = "",
    history: Annotated[
        str,
        typer.Option(
            "--history",
            metavar="PLIES",
            help="Instead of --moves: ROLE's moves and percepts, as in '(noop king) (check)'.",
        ),
    ] = "",
    lines: LinesOption = _MOST_LINES,
    json: JsonOption = False,
) -> None:
    """Show how sure a role can be of facts that it does not see.

    It knows the rules, its own moves, and its percepts of MOVES.
    """
    from gdl import Reasoner
    from gdl.reasoner.joint_moves import role_named
    from ggp.belief import Belief
    from ggp.belief.samples import Step
    from ggp.cli.views.belief import print_belief, print_belief_json
    from ggp.rules.engine_choice import compiled_or_reasoner
    from ggp.rules.shipped_games import find_game

    if moves and history:
        raise typer.BadParameter("give --moves or --history, not both", param_hint="--history")
    path = find_game(file)
    game = Reasoner.load(path)
    name = role_named(role, game.roles)
    steps = _history(history) if history else []
    if moves:
        from ggp.solver.line import position_after

        state = game.initial_state()
        for joint in position_after(game, moves, "--moves")[1]:
            seen = frozenset(game.percepts(state, joint)[name])
            steps.append(Step(joint[game.roles.index(name)], seen))
            state = game.next_state(state, joint)
    found = Belief(compiled_or_reasoner(game).game, name)
    found.follow(steps)
    if json:
        print_belief_json(path, found)
    else:
        print_belief(path, found, lines)


def _history(text: str) -> list[Step]:
    """Return plies as a role knows them, each given as a list of its move and its percepts. Raises TermError."""
    from gdl.errors import TermError
    from gdl.language.parser import parse, source_of, term_of
    from gdl.language.syntax import Group
    from ggp.belief.samples import Step

    expressions, mistakes = parse(source_of(text, "--history"))
    if mistakes:
        raise TermError(mistakes)
    steps = []
    for one in expressions:
        items = one.items if isinstance(one, Group) else ()
        terms = [term for item in items if (term := term_of(item)) is not None]
        if not terms or len(terms) < len(items):
            raise typer.BadParameter(f"expected a list of a move and percepts, not {one}", param_hint="--history")
        steps.append(Step(terms[0], frozenset(terms[1:])))
    return steps


def _position(game: Reasoner, atom: Term, text: str) -> tuple[State, Sequence[Term] | None]:
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

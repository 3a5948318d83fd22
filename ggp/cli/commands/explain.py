"""`ggp explain`: why an atom holds in a state, or does not; what a learned value is made of; what a role knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import guarded
from ggp.cli.json_output import JsonOption, print_json
from ggp.cli.options import MovesOption, PositionOption, ValueRoleOption, check_value_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gdl import Explanation, Reasoner, Rulesheet, State, Term
    from gdl.explanation.outline import Line
    from ggp.belief.samples import Step

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
    atom: Annotated[str, typer.Argument(metavar="ATOM", help="For example '(legal white ?move)' or terminal.")] = "",
    moves: MovesOption = "",
    position: PositionOption = "",
    value: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.learned",
            help="Instead of an atom: show what each fact of the state adds to the value that ggp train has learned.",
        ),
    ] = None,
    role: ValueRoleOption = "",
    belief: Annotated[
        str,
        typer.Option(
            "--belief",
            metavar="ROLE",
            help="In a game with hidden information: show how sure ROLE can be of each fact, instead of ATOM.",
        ),
    ] = "",
    history: Annotated[
        str,
        typer.Option(
            "--history",
            metavar="PLIES",
            help="With --belief, instead of --moves: ROLE's moves and percepts, as in '(noop king) (check)'.",
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

    With --belief, show the probability of each fact, as a role knows it that has seen its percepts of MOVES.
    """
    from ggp.rules.shipped_games import find_game

    if belief:
        if atom or position or value:
            raise typer.BadParameter("it takes neither an atom nor --position or --value", param_hint="--belief")
        _print_belief(find_game(file), belief, moves, history, lines, json=json)
        return
    if history:
        raise typer.BadParameter("this is for --belief", param_hint="--history")
    from gdl import Rulesheet, parse_term
    from ggp.rules.position import begun_at
    from ggp.rules.shipped_games import game_name

    path = find_game(file)
    check_value_role(role, value)
    if bool(atom) == (value is not None):
        raise typer.BadParameter("give either an ATOM, a file with --value, or a role with --belief", param_hint="ATOM")
    rules = Rulesheet.load(path)
    game = begun_at(rules, position)
    if value is not None:
        _explain_value(value, rules, game, role, moves, lines, json=json)
        return
    question = parse_term(atom, "ATOM")
    state, last = _position(game, question, moves)
    explanation = game.explain(question, state, last, most=most, limit=limit)
    if json:
        from gdl.explanation.outline import to_json

        print_json("explain", {"game": game_name(path), "file": str(path), **to_json(explanation)})
    else:
        _print(explanation, limit, lines)


def _explain_value(
    file: Path, rules: Rulesheet, game: Reasoner, role: str, moves: str, most: int, *, json: bool
) -> None:
    """Show what the learned value of a position is made of. `rules` are those of the game from its own start."""
    from gdl.reasoner.joint_moves import role_named
    from gdl.terms import name_key
    from ggp.cli.screen import line, screen, table
    from ggp.learning.value_parts import value_parts
    from ggp.players.learned_values.value import read_value_for
    from ggp.solver.line import position_after

    learned = read_value_for(file, rules)
    state, _ = position_after(game, moves, "--moves")
    found = value_parts(learned, state, str(file), name_key(role_named(role, game.roles)) if role else "")
    shown = found.parts[:most]
    if json:
        parts = [{"fact": part.fact.text, "adds": part.adds, "alone": part.alone} for part in found.parts]
        own = role_named(found.role, game.roles) if found.role else None
        of = {"learned": str(file), "roles": list(game.roles), "role": own}
        fields = {**of, "made": dict(learned.made), "value": found.value, "base": found.base}
        print_json("explain", {"file": rules.name, **fields, "parts": parts})
        return
    console = screen()
    if found.role:
        value, what = f"{found.value:.1f} points", f"the goal of {role_named(found.role, game.roles)}"
    else:
        value, what = f"{found.value:+.1f} points", "the goal of {} less that of {}".format(*game.roles)
    line(console, (value, "bold"), f": {what}, before any search")
    rows = [(f"{part.adds:+.1f}", f"{part.alone:+.1f}", part.fact.text) for part in shown]
    table(
        console, [("adds", "alone", "fact"), *rows, ("", f"{found.base:+.1f}", "(a state without facts)")], right=(0, 1)
    )
    if (measured := learned.measured) is not None:
        line(console, ("measured: ", "dim"), measured.text)
    if len(found.parts) > len(shown):
        line(
            console, (f"... and {len(found.parts) - len(shown):,} more facts; --lines shows more, --json all", "yellow")
        )


def _print_belief(path: Path, role: str, moves: str, history: str, lines: int, *, json: bool) -> None:
    """Print what a role knows after joint moves, or after its own moves and percepts."""
    from gdl import Reasoner
    from gdl.reasoner.joint_moves import role_named
    from ggp.belief import Belief
    from ggp.belief.samples import Step
    from ggp.cli.views.belief import print_belief, print_belief_json
    from ggp.rules.engine_choice import compiled_or_reasoner

    if moves and history:
        raise typer.BadParameter("give --moves or --history, not both", param_hint="--history")
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

"""`ggp solve`: what a position is worth, proved."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ggp.cli.guard import FAILED, INTERRUPTED, guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from gdl import Reasoner, Simulator
    from ggp.planner import Plan
    from ggp.solver.line import Line
    from ggp.solver.solve import Answer

#: Seconds that are no limit: a year.
_LONGEST: Final = 365 * 86_400.0


@guarded
def solve(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A rule file or the name of a game.")],
    moves: Annotated[
        str,
        typer.Option(
            "--from", metavar="MOVES", help="Begin after these moves: joint moves, or those of the roles with a choice."
        ),
    ] = "",
    seconds: Annotated[float | None, typer.Option("--time", metavar="S", help="Seconds. Default: no limit.")] = None,
    memory: Annotated[float, typer.Option(metavar="GB", help="How much memory the search may take.")] = 2.0,
    store: Annotated[Path | None, typer.Option(metavar="PROOF", help="Write the proof to this file.")] = None,
    verify: Annotated[
        Path | None, typer.Option(metavar="PROOF", help="Check the proof in this file instead of searching.")
    ] = None,
) -> None:
    """Find out what a position is worth if nobody makes a mistake, and how it is played best.

    Games of two roles that move in turn: the goals and a best line, or what is proved of them when the time is over or
    at Ctrl-C. Games of one role: a shortest plan. With --verify, status 1 says that the proof is wrong.
    """
    from gdl import Reasoner
    from ggp.cli.screen import line, progress_line, screen
    from ggp.rules.engine_choice import compiled_or_reasoner
    from ggp.rules.printable import without_controls
    from ggp.rules.shipped_games import find_game, game_name

    path = find_game(file)
    if seconds is not None and not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"{seconds} seconds")
    if not 0 < memory < float("inf"):
        raise typer.BadParameter(f"{memory} GB")
    if store is not None and not store.absolute().parent.is_dir():
        raise typer.BadParameter(f"no folder for {store}")
    if verify is not None and (store is not None or moves):
        raise typer.BadParameter("--verify goes without --from and --store: the proof says what it is about")
    reasoner = Reasoner.load(path)
    console = screen()
    with progress_line() as progress:
        choice = compiled_or_reasoner(reasoner, progress)
    if choice.reason:
        print(without_controls(f"{choice.reason}; the Reasoner searches"), file=sys.stderr, flush=True)
    simulator = choice.simulator
    heading = partial(line, console, (game_name(path), "bold"), f"   {path}")
    if verify is not None:
        _verify(console, heading, verify, reasoner, simulator)
    elif len(reasoner.roles) == 1 and simulator is not None and store is None:
        _plan(console, heading, simulator, moves, seconds, memory)
    else:
        _solve(console, heading, choice.game, moves, seconds, memory, store)


def _solve(
    console: Console,
    heading: Callable[[], None],
    game: Any,
    moves: str,
    seconds: float | None,
    memory: float,
    store: Path | None,
) -> None:
    from ggp.cli.screen import paragraph, progress_line
    from ggp.solver.budget import Stop
    from ggp.solver.line import position_after
    from ggp.solver.solve import solve as solved

    root, played = position_after(game, moves)
    with progress_line() as progress:
        answer = solved(game, root, seconds=seconds, memory=memory, progress=progress)
        if store is not None and answer.solution is not None:
            from ggp.solver.proof import proof_of, write_proof

            progress("writing the proof")
            write_proof(store, proof_of(answer.solution, played))
    heading()
    _print(console, game.roles, answer)
    if store is not None and answer.solution is not None:
        paragraph(console, "proof", str(store), 11)
    elif store is not None:
        paragraph(console, "proof", "not written: not all positions are known", 11)
    if answer.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if store is not None and answer.solution is None:
        raise typer.Exit(FAILED)


def _print(console: Console, roles: tuple[str, ...], answer: Answer) -> None:
    from ggp.cli.screen import paragraph
    from ggp.solver.wording import bounds_text, positions_text, value_text

    if answer.solution is not None:
        worth = answer.solution.worth
        paragraph(console, "value", value_text(worth, worth.verdict(0)), 11)
        _paragraphs(console, "positions", positions_text(worth))
    elif answer.bounds is not None:
        _paragraphs(console, "value" if answer.bounds.closed else "proved", bounds_text(answer.bounds))
        visited = f"; {answer.positions:,} visited in depth" if answer.positions else ""
        paragraph(console, "positions", f"more than {answer.states - 1:,} can be reached{visited}", 11)
        if not answer.bounds.closed:
            paragraph(console, "stopped", _reason(answer), 11)
    paragraph(console, "seconds", f"{answer.seconds:.1f}", 11)
    if answer.line is not None and answer.line.steps:
        console.print()
        _print_line(console, roles, answer.line)


def _paragraphs(console: Console, label: str, texts: Iterable[str]) -> None:
    from ggp.cli.screen import paragraph

    for text in texts:
        paragraph(console, label, text, 11)
        label = ""


def _reason(answer: Answer) -> str:
    from ggp.solver.budget import Stop

    reasons = {
        Stop.TIME: "the time is over (--time)",
        Stop.MEMORY: "the memory is full (--memory)",
        Stop.DEPTH: "longer lines are not searched",
        Stop.INTERRUPTED: "interrupted",
    }
    reason = reasons[answer.stop] if answer.stop is not None else "nothing more can be found out"
    if answer.positions == 0 and answer.stop is not Stop.INTERRUPTED:
        return f"{reason}; what is too large for machine code is not searched in depth"
    return reason


def _print_line(console: Console, roles: tuple[str, ...], found: Line) -> None:
    from ggp.cli.screen import columns, line
    from ggp.solver.wording import line_rows

    for row in columns(list(line_rows(found, roles)), right=(0,)):
        line(console, f"  {'  '.join(row)}")
    if found.back_to is not None:
        where = f"after ply {found.back_to}" if found.back_to else "at the beginning"
        line(console, f"  and so on: the position is the one {where}")


def _verify(
    console: Console,
    heading: Callable[[], None],
    file: Path,
    reasoner: Reasoner,
    simulator: Simulator | None,
) -> None:
    from ggp.cli.screen import paragraph, progress_line
    from ggp.solver.proof import read_proof
    from ggp.solver.verify import WrongProofError
    from ggp.solver.verify import verify as verified
    from ggp.solver.wording import positions_text, value_text

    proof = read_proof(file)
    heading()
    try:
        with progress_line() as progress:
            checked = verified(proof, reasoner, simulator, progress)
    except WrongProofError as error:
        paragraph(console, "proof", f"wrong: {error}", 11)
        raise typer.Exit(FAILED) from None
    by = f", {checked.by_reasoner:,} of them by the Reasoner too" if simulator else ", by the Reasoner"
    paragraph(console, "proof", f"right: every claim about {checked.states:,} positions was checked{by}", 11)
    if proof.moves:
        paragraph(console, "after", " ".join(f"({' '.join(joint)})" for joint in proof.moves), 11)
    paragraph(console, "value", value_text(checked.worth, checked.worth.verdict(0)), 11)
    _paragraphs(console, "positions", positions_text(checked.worth))


def _plan(
    console: Console,
    heading: Callable[[], None],
    game: Simulator,
    moves: str,
    seconds: float | None,
    memory: float,
) -> None:
    """A game of one role: the best plan, and what is proved of it."""
    from ggp.cli.screen import columns, line, paragraph, progress_line
    from ggp.planner import plan
    from ggp.solver.line import position_after

    root, _ = position_after(game, moves)
    best: Plan | None = None
    interrupted = False

    def keep(better: Plan) -> None:
        nonlocal best
        best = better

    try:
        with progress_line() as progress:
            best = plan(
                game,
                root,
                seconds=_LONGEST if seconds is None else seconds,
                memory=int(memory * 1e9),
                progress=progress,
                improved=keep,
            )
    except KeyboardInterrupt:
        interrupted = True
    heading()
    role = game.roles[0]
    for label, text in _plan_rows(best, role):
        paragraph(console, label, text, 11)
    if best is not None and best.moves:
        console.print()
        rows = [(str(ply), role, move.text) for ply, move in enumerate(best.moves, 1)]
        for row in columns(rows, right=(0,)):
            line(console, f"  {'  '.join(row)}")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _plan_rows(plan: Plan | None, role: str) -> Iterator[tuple[str, str]]:
    from ggp.solver.wording import plies_text

    if plan is None or plan.goal is None:
        proved = plan is not None and plan.proven
        yield "value", "there is no way to an end" if proved else "no end was found"
    else:
        yield "value", f"{role} has {plan.goal} in {plies_text(len(plan.moves))}"
        best = "no plan has a higher goal" if plan.proven else "better plans are not ruled out"
        yield "proved", f"{best}, and none that has as much is shorter" if plan.shortest else best
    if plan is not None:
        yield "positions", f"{plan.states:,} ({plan.how})"
        yield "seconds", f"{plan.seconds:.1f}"

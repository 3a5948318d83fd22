"""`ggp solve`: the proved value of a position."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ggp.cli.guard import FAILED, INTERRUPTED, guarded, say
from ggp.cli.options import FileArgument, JsonOption, MovesOption, PositionOption

if TYPE_CHECKING:
    from gdl import Reasoner, Simulator
    from ggp.cli.views.solve import View
    from ggp.solver.planner import Plan

#: Seconds in a year, which is as good as no limit.
_LONGEST: Final = 365 * 86_400.0


@guarded
def solve(
    file: FileArgument,
    moves: MovesOption = "",
    position: PositionOption = "",
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="S", help="Time limit in seconds. Default: none.")
    ] = None,
    memory: Annotated[float, typer.Option(metavar="GB", help="Maximum memory of the search, or of the proof.")] = 2.0,
    only_value: Annotated[
        bool,
        typer.Option("--only-value", help="Leave open how many plies the value takes: faster with many positions."),
    ] = False,
    store: Annotated[Path | None, typer.Option(metavar="PROOF", help="Write the proof to this file.")] = None,
    verify: Annotated[
        Path | None, typer.Option(metavar="PROOF", help="Check the proof in this file instead of searching.")
    ] = None,
    exploitability: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="With hidden information or simultaneous moves: stop at this exploitability, as a share of goals.",
        ),
    ] = 0.001,
    json: JsonOption = False,
) -> None:
    """Find the value of a position, and the best line of play.

    For games in which two roles take turns, show the goals and a best line, or the bounds that were proved before the
    time limit or Ctrl-C. For games with one role, show a shortest plan. For games with chance, hidden information or
    simultaneous moves, show expected goals and strategies. With --verify, the exit status is 1 if the proof is wrong.
    """
    from gdl.engine import hides_states
    from ggp.cli.screen import progress_line
    from ggp.cli.views.solve import SolveView
    from ggp.cli.views.solve_json import JsonSolveView
    from ggp.rules.engine_choice import compiled_or_reasoner
    from ggp.rules.position import load_at
    from ggp.rules.shipped_games import find_game
    from ggp.solver.errors import NotSolvableError
    from ggp.solver.extensive.equilibrium import is_extensive

    path = find_game(file)
    if seconds is not None and not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"--time must be positive and finite, not {seconds}")
    if not 0 < memory < float("inf"):
        raise typer.BadParameter(f"--memory must be positive and finite, not {memory}")
    if store is not None and not store.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {store} does not exist")
    if verify is not None and (store is not None or moves):
        raise typer.BadParameter("--verify cannot be combined with --moves or --store; the proof names its position")
    if only_value and (verify is not None or store is not None):
        raise typer.BadParameter("--only-value cannot be combined with --store or --verify; a proof has all plies")
    if position and (verify is not None or store is not None):
        raise typer.BadParameter("a proof is about the rules of a file: --position cannot be combined with it")
    if not 0 < exploitability < 1:
        raise typer.BadParameter(f"--exploitability must be between 0 and 1, not {exploitability}")
    reasoner = load_at(path, position)
    extensive = is_extensive(reasoner)
    if extensive and (store is not None or verify is not None):
        raise typer.BadParameter("there are no proofs for games with chance or hidden information")
    if moves and hides_states(reasoner):
        raise typer.BadParameter("--moves needs a game in which the roles see everything")
    with progress_line() as progress:
        choice = compiled_or_reasoner(reasoner, progress)
    if choice.reason:
        say(f"{choice.reason}; the Reasoner searches")
    simulator = choice.simulator
    view = (JsonSolveView if json else SolveView)(path, reasoner.roles)
    if verify is not None:
        _verify(view, verify, reasoner, simulator, memory)
    elif len(reasoner.roles) == 1 and simulator is not None and store is None:
        _plan(view, simulator, moves, seconds, memory)
    else:
        try:
            if not extensive:
                _solve(view, choice.game, moves, seconds, memory, store, only_value=only_value)
                return
        except NotSolvableError as error:
            if not error.at_once or len(reasoner.roles) != 2 or store is not None:
                raise
        _solve_extensive(path, choice.game, moves, seconds, memory, exploitability, json=json)


def _solve(
    view: View,
    game: Any,
    moves: str,
    seconds: float | None,
    memory: float,
    store: Path | None,
    *,
    only_value: bool,
) -> None:
    from ggp.cli.screen import progress_line
    from ggp.solver.budget import Stop
    from ggp.solver.line import position_after
    from ggp.solver.solve import solve as solved

    root, played = position_after(game, moves)
    with progress_line() as progress:
        answer = solved(game, root, seconds=seconds, memory=memory, progress=progress, only_value=only_value)
        if store is not None and answer.solution is not None:
            from ggp.solver.proof import proof_of, write_proof

            progress("writing the proof")
            write_proof(store, proof_of(answer.solution, played))
    view.answer(answer, store)
    if answer.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    if store is not None and answer.solution is None:
        raise typer.Exit(FAILED)


def _solve_extensive(
    path: Path, game: Any, moves: str, seconds: float | None, memory: float, exploitability: float, *, json: bool
) -> None:
    """Show expected goals, and strategies if roles choose at the same time or do not see everything."""
    from ggp.cli.screen import progress_line
    from ggp.cli.views.solve_extensive import print_extensive, print_extensive_json
    from ggp.solver.budget import Stop
    from ggp.solver.extensive.equilibrium import Equilibrium, solve_extensive
    from ggp.solver.line import position_after

    root, _ = position_after(game, moves)
    started = monotonic()
    with progress_line() as progress:
        answer = solve_extensive(
            game, root, seconds=seconds, memory=memory, progress=progress, exploitability=exploitability
        )
    if json:
        print_extensive_json(path, game.roles, answer, monotonic() - started)
    else:
        print_extensive(path, answer, monotonic() - started)
    if isinstance(answer, Equilibrium) and answer.stop is Stop.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)


def _verify(view: View, file: Path, reasoner: Reasoner, simulator: Simulator | None, memory: float) -> None:
    from ggp.cli.screen import progress_line
    from ggp.solver.proof_file import read_proof
    from ggp.solver.verify import WrongProofError
    from ggp.solver.verify import verify as verified

    proof = read_proof(file, memory)
    try:
        with progress_line() as progress:
            checked = verified(proof, reasoner, simulator, progress)
    except WrongProofError as error:
        view.wrong(file, str(error))
        raise typer.Exit(FAILED) from None
    view.right(file, proof, checked, compiled=simulator is not None)


def _plan(view: View, game: Simulator, moves: str, seconds: float | None, memory: float) -> None:
    """Show the best plan for a game with one role, and what is proved about it."""
    from ggp.cli.screen import progress_line
    from ggp.solver.line import position_after
    from ggp.solver.planner import plan

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
    view.plan(best)
    if interrupted:
        raise typer.Exit(INTERRUPTED)

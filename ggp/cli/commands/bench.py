"""`ggp bench`: the speed of engines and searches."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.completion import complete_game
from ggp.cli.guard import FAILED, guarded, say
from ggp.cli.json_output import JsonLinesOption
from ggp.cli.options import RayOption, check_ray, seed_of

if TYPE_CHECKING:
    from gdl import Simulator
    from gdl.engine import Engine
    from ggp.bench.playouts import Runner


class Engines(StrEnum):
    """The engines to measure."""

    REASONER = "reasoner"
    SIMULATOR = "simulator"
    BOTH = "both"


class Peer(StrEnum):
    """Other projects to compare with; only `OPENSPIEL` plays playouts and searches."""

    OPENSPIEL = "openspiel"
    PETTINGZOO = "pettingzoo"
    PGX = "pgx"


class Vectors(StrEnum):
    """The vectors of processors; see `gdl.codegen.llvm.machine_code`."""

    AVX512 = "avx512"
    AVX2 = "avx2"
    AVX = "avx"
    SSE2 = "sse2"


@guarded
def bench(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Rule files or names of games.",
            autocompletion=complete_game,
        ),
    ],
    engine: Annotated[Engines, typer.Option(help="The engine to measure.")] = Engines.BOTH,
    against: Annotated[
        list[Peer] | None, typer.Option(help="Also measure this project in the same run, if it has the same game.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Measure the simulations of tree searches instead of random playouts.")
    ] = False,
    environments: Annotated[
        bool, typer.Option("--environments", help="Measure the steps of environments instead of random playouts.")
    ] = False,
    states: Annotated[int, typer.Option(min=1, help="With --environments, the number of matches at a time.")] = 16_384,
    playouts: Annotated[
        int | None, typer.Option(min=1, help="Play this many playouts with several processes, and show their sums.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="With --playouts, the number of processes. Default: one per core.")
    ] = None,
    ray: RayOption = None,
    seconds: Annotated[float, typer.Option(help="Duration of each run of an engine.")] = 1.0,
    repeat: Annotated[int, typer.Option(min=1, help="Runs of each engine; medians are shown.")] = 5,
    seed: Annotated[int, typer.Option(callback=seed_of, help="Seed of the playouts.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, help="Cut playouts off after this many plies.")] = 500,
    cache: Annotated[bool, typer.Option(help="Use the cache of compiled code.")] = True,
    target: Annotated[
        Vectors | None,
        typer.Option(help="Compile for these vectors, as if the processor had no wider ones; also GDL_TARGET."),
    ] = None,
    json: JsonLinesOption = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw a bar chart of playouts/s.")] = None,
) -> None:
    """Measure how fast random playouts are, on one core.

    Rates are per second of processor time. A transition computes the legal moves of all roles, a random joint move, the
    next state, and whether that state is terminal. A playout ends by computing the goals. The setup, from reading the
    file to the end of a first playout, is not counted. Engines take turns.

    With --search, measure the simulations per second of the player mcts, and of OpenSpiel's MCTSBot with one random
    playout per simulation, from the initial state with an empty tree.

    With --environments, measure steps with random legal actions, masks and observations: of our vector environment, of
    pgx with the same number of matches at a time, and, one match at a time, of PettingZoo's environments and
    OpenSpiel's states.

    With --playouts, nothing is timed: play this many playouts of the compiled game, and show the sums, which are the
    same with any number of processes and on any cluster.
    """
    from ggp.bench.playouts import Comparison
    from ggp.cli.views.bench import BenchView
    from ggp.rules.shipped_games import find_game

    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"seconds must be positive and finite, not {seconds}")
    if plot is not None and not plot.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder for {plot} does not exist")
    if target is not None:
        from gdl.codegen.llvm.machine_code import use

        use(target.value)
    peers = against or []
    check_ray(ray, jobs)
    if playouts is not None:
        from ggp.cli.views.bulk import bulk_playouts

        if search or environments or plot is not None or peers or engine is Engines.REASONER or not cache:
            raise typer.BadParameter("--playouts plays the compiled game, and cannot be combined with what is measured")
        paths = [find_game(file) for file in files]
        whole = bulk_playouts(paths, playouts, seed=seed, max_plies=max_plies, jobs=jobs, ray=ray, json=json)
        if not whole:
            raise typer.Exit(FAILED)
        return
    if jobs is not None or ray is not None:
        raise typer.BadParameter("--jobs and --ray need --playouts: speed is measured on one core of this machine")
    if environments:
        from ggp.bench.environments import EnvironmentPeer
        from ggp.cli.views.environments import bench_environments

        if search or plot is not None or engine is not Engines.BOTH:
            raise typer.BadParameter("--environments cannot be combined with --search, --engine or --plot")
        bench_environments(
            [find_game(file) for file in files],
            [EnvironmentPeer(peer.value) for peer in peers],
            states=states,
            seconds=seconds,
            repeat=repeat,
            seed=seed,
            cache=cache,
            json=json,
        )
        return
    others = [peer.value for peer in peers if peer is not Peer.OPENSPIEL]
    if others:
        raise typer.BadParameter(f"--against {others[0]} needs --environments")
    if peers:
        from ggp.players.openspiel.games import load

        load()  # fail before measuring if OpenSpiel is not installed
    if search:
        from ggp.cli.views.search import bench_search

        if plot is not None or engine is not Engines.BOTH:
            raise typer.BadParameter("--search cannot be combined with --engine or --plot")
        paths = [find_game(file) for file in files]
        bench_search(paths, peer=bool(peers), seconds=seconds, repeat=repeat, seed=seed, cache=cache, json=json)
        return
    view = BenchView(json=json, settings={"seed": seed, "max_plies": max_plies})
    try:
        for path in [find_game(file) for file in files]:
            comparison = Comparison(_runners(path, engine, bool(peers), max_plies=max_plies, cache=cache))
            try:
                comparison.run(seconds=seconds, repeat=repeat, seed=seed)
            finally:
                view.add(path, comparison.measurements)
    finally:
        view.show()  # also shows measurements from before an error or interrupt
    if plot is not None:
        view.plot(plot)


def _runners(path: Path, engine: Engines, against: bool, *, max_plies: int, cache: bool) -> list[Runner]:
    """Return the engines for a game, reporting those that cannot play it. Raises CompileError if none can."""
    import gdl
    from ggp.bench.playouts import InLanes, OneByOne
    from ggp.cli.screen import progress_line

    runners: list[Runner] = []
    game: Engine | None = None
    simulator: Simulator | None = None
    if engine is not Engines.SIMULATOR:
        reasoner = gdl.Reasoner  # so that importing it is not timed as setup
        one_by_one = OneByOne(lambda: reasoner.load(path), max_plies=max_plies)
        runners.append(one_by_one)
        game = one_by_one.game
    if engine is not Engines.REASONER or against:  # recognizing the peer's game takes many playouts
        compiled = gdl.compile
        try:
            with progress_line() as progress:
                in_lanes = InLanes(lambda: compiled(path, cache=cache, progress=progress), max_plies=max_plies)
            game = simulator = in_lanes.game
            if engine is not Engines.REASONER:
                runners.append(in_lanes)
        except gdl.CompileError as error:
            if engine is Engines.SIMULATOR:
                raise
            if engine is Engines.BOTH:
                say(f"{error}; measuring only the Reasoner")
    if against and game is not None:
        from ggp.bench.openspiel import ByOpenSpiel
        from ggp.players.openspiel.games import find
        from ggp.rules.shipped_games import game_name

        peer = find(game, simulator)
        if peer is None:
            say(f"{game_name(path)}: OpenSpiel has no game known to be the same")
        else:
            runners.append(ByOpenSpiel(peer))
    return runners

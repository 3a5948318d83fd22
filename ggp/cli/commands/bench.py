"""`ggp bench`: the speed of engines, searches and environments; and sums over very many playouts."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ggp.cli.guard import FAILED, guarded, say
from ggp.cli.options import FilesArgument, JsonLinesOption, RayOption, check_folder, check_ray, seed_of

if TYPE_CHECKING:
    from gdl import Simulator
    from gdl.engine import Engine
    from ggp.study.bench.playouts import Runner

#: What all of them are about.
ABOUT: Final = """Measure how fast games are played, on one core.

`ggp bench FILE...` is short for `ggp bench playouts FILE...`. Rates are per second of processor time. What is compared
takes turns.
"""


class Engines(StrEnum):
    """The engines to measure."""

    REASONER = "reasoner"
    SIMULATOR = "simulator"
    BOTH = "both"


class Peer(StrEnum):
    """The project whose playouts and searches can be measured, too."""

    OPENSPIEL = "openspiel"


class EnvironmentPeer(StrEnum):
    """Projects whose environments can be measured, too."""

    OPENSPIEL = "openspiel"
    PETTINGZOO = "pettingzoo"
    PGX = "pgx"


class Vectors(StrEnum):
    """The vectors of processors; see `gdl.codegen.llvm.machine_code`."""

    AVX512 = "avx512"
    AVX2 = "avx2"
    AVX = "avx"
    SSE2 = "sse2"


AgainstOption = Annotated[
    Peer | None, typer.Option(help="Also measure this project in the same run, if it has the same game.")
]
SecondsOption = Annotated[float, typer.Option(help="Duration of each run.")]
RepeatOption = Annotated[int, typer.Option(min=1, help="Runs of each; medians are shown.")]
SeedOption = Annotated[int, typer.Option(callback=seed_of, help="Seed of the random moves.")]
MaxPliesOption = Annotated[int, typer.Option(min=1, help="Cut playouts off after this many plies.")]
CacheOption = Annotated[bool, typer.Option(help="Use the cache of compiled code.")]
TargetOption = Annotated[
    Vectors | None,
    typer.Option(help="Compile for these vectors, as if the processor had no wider ones; also GDL_TARGET."),
]


@guarded
def playouts(
    files: FilesArgument,
    engine: Annotated[Engines, typer.Option(help="The engine to measure.")] = Engines.BOTH,
    against: AgainstOption = None,
    seconds: SecondsOption = 1.0,
    repeat: RepeatOption = 5,
    seed: SeedOption = 0,
    max_plies: MaxPliesOption = 500,
    threads: Annotated[
        int, typer.Option(min=1, help="Threads of the Simulator. With several, its rates are by the clock.")
    ] = 1,
    cache: CacheOption = True,
    target: TargetOption = None,
    json: JsonLinesOption = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw a bar chart of playouts/s.")] = None,
) -> None:
    """Measure how fast random playouts are.

    A transition computes the legal moves of all roles, a random joint move, the next state, and whether that state is
    terminal. A playout ends by computing the goals. The setup, from reading the file to the end of a first playout, is
    not counted.
    """
    from ggp.cli.views.bench import BenchView
    from ggp.study.bench.playouts import Comparison

    _check_seconds(seconds)
    check_folder(plot)
    _check_peer(against)
    _use(target)
    view = BenchView(json=json, settings={"seed": seed, "max_plies": max_plies, "threads": threads})
    try:
        for path in _paths(files):
            comparison = Comparison(
                _runners(path, engine, against is not None, max_plies=max_plies, threads=threads, cache=cache)
            )
            try:
                comparison.run(seconds=seconds, repeat=repeat, seed=seed)
            finally:
                view.add(path, comparison.measurements)
    finally:
        view.show()  # also shows measurements from before an error or interrupt
    if plot is not None:
        view.plot(plot)


@guarded
def search(
    files: FilesArgument,
    against: AgainstOption = None,
    seconds: SecondsOption = 1.0,
    repeat: RepeatOption = 5,
    seed: SeedOption = 0,
    cache: CacheOption = True,
    target: TargetOption = None,
    json: JsonLinesOption = False,
) -> None:
    """Measure the simulations per second of the player mcts.

    They begin in the initial state with an empty tree. OpenSpiel's MCTSBot has one random playout per simulation.
    """
    from ggp.cli.views.search import bench_search

    _check_seconds(seconds)
    _check_peer(against)
    _use(target)
    peer = against is not None
    bench_search(_paths(files), peer=peer, seconds=seconds, repeat=repeat, seed=seed, cache=cache, json=json)


@guarded
def environments(
    files: FilesArgument,
    against: Annotated[
        list[EnvironmentPeer] | None,
        typer.Option(help="Also measure this project in the same run, if it has the same game."),
    ] = None,
    states: Annotated[int, typer.Option(min=1, help="The number of matches at a time.")] = 16_384,
    seconds: SecondsOption = 1.0,
    repeat: RepeatOption = 5,
    seed: SeedOption = 0,
    cache: CacheOption = True,
    target: TargetOption = None,
    json: JsonLinesOption = False,
) -> None:
    """Measure the steps of environments per second.

    Actions are random and legal; masks and observations are computed. pgx has the same number of matches at a time as
    the vector environment, PettingZoo and OpenSpiel have one.
    """
    from ggp.cli.views.environments import bench_environments
    from ggp.study.bench.environments import EnvironmentPeer as Measured

    _check_seconds(seconds)
    _use(target)
    peers = [Measured(peer.value) for peer in against or ()]
    bench_environments(
        _paths(files), peers, states=states, seconds=seconds, repeat=repeat, seed=seed, cache=cache, json=json
    )


@guarded
def sums(
    files: FilesArgument,
    number: Annotated[int, typer.Option("--playouts", min=1, help="The number of playouts of each game.")],
    jobs: Annotated[int | None, typer.Option(min=1, help="The number of processes. Default: one per core.")] = None,
    ray: RayOption = None,
    seed: SeedOption = 0,
    max_plies: MaxPliesOption = 500,
    json: JsonLinesOption = False,
) -> None:
    """Play a number of playouts, and show their sums.

    Nothing is timed: the sums are the same with any number of processes and on any cluster.
    """
    from ggp.cli.views.bulk import bulk_playouts

    check_ray(ray, jobs)
    if not bulk_playouts(_paths(files), number, seed=seed, max_plies=max_plies, jobs=jobs, ray=ray, json=json):
        raise typer.Exit(FAILED)


def _paths(files: list[str]) -> list[Path]:
    from ggp.rules.shipped_games import find_game

    return [find_game(file) for file in files]


def _use(target: Vectors | None) -> None:
    if target is not None:
        from gdl.codegen.llvm.machine_code import use

        use(target.value)


def _check_seconds(seconds: float) -> None:
    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"seconds must be positive and finite, not {seconds}")


def _check_peer(against: Peer | None) -> None:
    """Fail before measuring if OpenSpiel is not installed."""
    if against is not None:
        from ggp.players.openspiel.games import load

        load()


def _runners(path: Path, engine: Engines, against: bool, *, max_plies: int, threads: int, cache: bool) -> list[Runner]:
    """Return the engines for a game, reporting those that cannot play it. Raises CompileError if none can."""
    import gdl
    from ggp.cli.screen import progress_line
    from ggp.study.bench.playouts import InLanes, OneByOne
    from ggp.study.bench.playouts import compiled as compiled_runner

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
                runner = compiled_runner(
                    lambda: compiled(path, cache=cache, progress=progress), max_plies=max_plies, threads=threads
                )
            game = runner.game
            if isinstance(runner, InLanes):
                simulator = runner.game
            elif isinstance(game, gdl.PartialGame) and game.by_reasoner:
                say(f"using the Reasoner, which is slower: {game.reason}")
            if engine is not Engines.REASONER:
                runners.append(runner)
        except gdl.CompileError as error:
            if engine is Engines.SIMULATOR:
                raise
            if engine is Engines.BOTH:
                say(f"{error}; measuring only the Reasoner")
    if against and game is not None:
        from ggp.players.openspiel.games import find
        from ggp.rules.shipped_games import game_name
        from ggp.study.bench.openspiel import ByOpenSpiel

        peer = find(game, simulator)
        if peer is None:
            say(f"{game_name(path)}: OpenSpiel has no game known to be the same")
        else:
            runners.append(ByOpenSpiel(peer))
    return runners

"""`ggp bench`: how fast engines play a game."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.guard import guarded, say
from ggp.cli.json_output import JsonLinesOption

if TYPE_CHECKING:
    from gdl import Simulator
    from gdl.engine import Engine
    from ggp.bench.playouts import Runner


class Engines(StrEnum):
    """What is measured."""

    REASONER = "reasoner"
    SIMULATOR = "simulator"
    BOTH = "both"


class Peer(StrEnum):
    """What it is compared with."""

    OPENSPIEL = "openspiel"


@guarded
def bench(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files or names of games.")],
    engine: Annotated[Engines, typer.Option(help="What plays.")] = Engines.BOTH,
    against: Annotated[
        Peer | None, typer.Option(help="Measure a peer in the same run, where it has the same game.")
    ] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Measure the simulations of tree searches instead of random playouts.")
    ] = False,
    seconds: Annotated[float, typer.Option(help="How long each engine plays each time.")] = 1.0,
    repeat: Annotated[int, typer.Option(min=1, help="How many times; medians are shown.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the playouts.")] = 0,
    max_plies: Annotated[int, typer.Option(min=1, help="Playouts are cut off here.")] = 500,
    cache: Annotated[bool, typer.Option(help="Keep compiled code, and use what was kept.")] = True,
    json: JsonLinesOption = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw playouts/s as bars.")] = None,
) -> None:
    """Measure random playouts on one core, in seconds of computing.

    A transition is: the legal moves of all roles, a joint move, the next state, and whether it is terminal. At the
    end of a playout the goals are asked for. The setup, from the file to the end of a first playout, is not counted.
    Engines play in turn.

    With --search: the simulations a second of the player mcts, and of OpenSpiel's MCTSBot with one random playout a
    simulation, from the initial state with an empty tree.
    """
    from ggp.bench.playouts import Comparison
    from ggp.cli.views.bench import BenchView
    from ggp.rules.shipped_games import find_game

    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"{seconds} seconds")
    if plot is not None and not plot.absolute().parent.is_dir():
        raise typer.BadParameter(f"no folder for {plot}")
    if against is not None:
        from ggp.players.openspiel.games import load

        load()  # what is missing is said before anything is measured
    if search:
        from ggp.cli.views.search import bench_search

        if plot is not None or engine is not Engines.BOTH:
            raise typer.BadParameter("--search knows neither --engine nor --plot")
        paths = [find_game(file) for file in files]
        bench_search(paths, peer=against is not None, seconds=seconds, repeat=repeat, seed=seed, cache=cache, json=json)
        return
    view = BenchView(json=json, settings={"seed": seed, "max_plies": max_plies})
    try:
        for path in [find_game(file) for file in files]:
            comparison = Comparison(_runners(path, engine, against, max_plies=max_plies, cache=cache))
            try:
                comparison.run(seconds=seconds, repeat=repeat, seed=seed)
            finally:
                view.add(path, comparison.measurements)
    finally:
        view.show()  # what was measured before an error or an interrupt
    if plot is not None:
        view.plot(plot)


def _runners(path: Path, engine: Engines, against: Peer | None, *, max_plies: int, cache: bool) -> list[Runner]:
    """What plays a game; what cannot is said. Raises GroundingError where nothing is left."""
    import gdl
    from ggp.bench.playouts import InLanes, OneByOne

    runners: list[Runner] = []
    game: Engine | None = None
    simulator: Simulator | None = None
    if engine is not Engines.SIMULATOR:
        reasoner = gdl.Reasoner  # importing it is no part of the setup
        one_by_one = OneByOne(lambda: reasoner.load(path), max_plies=max_plies)
        runners.append(one_by_one)
        game = one_by_one.game
    if engine is not Engines.REASONER or against is not None:  # a peer's game is recognized by many playouts
        compiled = gdl.compile
        try:
            in_lanes = InLanes(lambda: compiled(path, cache=cache), max_plies=max_plies)
            game = simulator = in_lanes.game
            if engine is not Engines.REASONER:
                runners.append(in_lanes)
        except gdl.GroundingError as error:
            if engine is Engines.SIMULATOR:
                raise
            if engine is Engines.BOTH:
                say(f"{error}; only the Reasoner plays")
    if against is not None and game is not None:
        from ggp.bench.openspiel import ByOpenSpiel
        from ggp.players.openspiel.games import find
        from ggp.rules.shipped_games import game_name

        peer = find(game, simulator)
        if peer is None:
            say(f"{game_name(path)}: OpenSpiel has no game that is known to be the same")
        else:
            runners.append(ByOpenSpiel(peer))
    return runners

"""`ggp inspect`: the compiler's output for a rule file, stage by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ggp.cli.guard import guarded
from ggp.cli.json_output import print_json
from ggp.cli.options import FileArgument, JsonOption

if TYPE_CHECKING:
    from pathlib import Path

    from gdl.simulator.inspection import Inspection, Rate


@guarded
def inspect(
    file: FileArgument,
    seconds: Annotated[float, typer.Option(help="Also measure playout steps for this many seconds.")] = 0.0,
    json: JsonOption = False,
) -> None:
    """Show the size of a compiled game, stage by stage.

    The figures are those of the game's circuit after each stage of the compiler. A gate is an AND with any number of
    inputs, which may be negated. An operation is a function of three rows of 512 bits, one bit for each of the playouts
    that run in parallel.
    """
    from dataclasses import asdict

    from gdl.language.rulesheet import Rulesheet
    from gdl.simulator.inspection import inspect as inspected
    from gdl.simulator.inspection import rate
    from gdl.simulator.simulator import compile as compiled
    from ggp.cli.screen import progress_line
    from ggp.rules.shipped_games import find_game, game_name

    path = find_game(file)
    if not 0 <= seconds < float("inf"):
        raise typer.BadParameter(f"seconds must be finite and not negative: {seconds}")
    with progress_line() as progress:
        rulesheet = Rulesheet.load(path)
        found = inspected(rulesheet, progress)
        speed = rate(compiled(rulesheet, progress=progress).whole("a rate"), seconds) if seconds else None
    if json:
        fields = asdict(found)
        fields["invariants"] = _counts(found)
        fields["rate"] = asdict(speed) if speed is not None else None
        print_json("inspect", {"game": game_name(path), "file": str(path), **fields})
    else:
        _print(found, path, speed)


def _counts(found: Inspection) -> dict[str, float]:
    proved = found.invariants
    return {
        "groups": len(proved.groups),
        "constants": len(proved.constants),
        "never_legal": len(proved.never_legal),
        "candidates": proved.candidates,
        "proved": proved.proved,
        "unknown": proved.unknown,
        "seconds": proved.seconds,
    }


def _print(found: Inspection, path: Path, speed: Rate | None) -> None:
    from ggp.cli.screen import paragraph, screen, table
    from ggp.rules.shipped_games import game_name

    console = screen()
    proved = found.invariants
    paragraph(console, game_name(path), str(path), 14)
    paragraph(
        console, "ground", f"{found.rules:,} rules, {found.literals:,} literals, {found.ground_seconds:.2f} s", 14
    )
    loops = f", {found.loops:,} loops" if found.loops else ""
    paragraph(console, "circuit", f"{found.facts:,} facts and {found.moves:,} moves as inputs{loops}", 14)
    undecided = f", {proved.unknown:,} neither proved nor refuted" if proved.unknown else ""
    paragraph(
        console,
        "proved",
        f"{len(proved.groups):,} groups of facts that exclude each other, {len(proved.constants):,} facts that never "
        f"change, {len(proved.never_legal):,} moves that are never legal{undecided}",
        14,
    )
    console.print()
    heading = ("stage", "gates", "inputs", "depth", "seconds")
    rows = [(s.name, f"{s.gates:,}", f"{s.inputs:,}", f"{s.depth:,}", f"{s.seconds:.2f}") for s in found.stages]
    table(console, [heading, *rows], right=(1, 2, 3, 4))
    console.print()
    choices = " and ".join(f"{rows:,}" for rows in found.rows) or "no"
    step = f"{found.operations:,} operations, {found.randoms:,} random rows, {found.bytes:,} bytes"
    plies = f"{found.plies} plies, one in each phase; " if found.plies > 1 else ""
    paragraph(console, "one step", plies + step, 14)
    paragraph(console, "", f"{found.relevant_facts:,} facts that matter; moves chosen from {choices} rows", 14)
    if found.restart_operations:
        paragraph(console, "restart", f"{found.restart_operations:,} operations, once in several steps", 14)
    if found.compiled_operations < found.operations + found.restart_operations:
        paragraph(console, "loops", f"leave {found.compiled_operations:,} operations to compile", 14)
    if speed is not None:
        cycle = f"{speed.operations_per_cycle:.2f} operations a cycle at {speed.frequency / 1e9:.2f} GHz"
        paragraph(console, "measured", f"{speed.steps_per_second:,.0f} steps/s of 512 lanes, {cycle}", 14)

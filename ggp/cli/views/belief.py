"""The output of `ggp explain belief`: how sure a role can be of each fact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ggp.cli.json_output import print_json
from ggp.cli.screen import columns, line, screen
from ggp.rules.shipped_games import game_name

if TYPE_CHECKING:
    from ggp.belief import Belief


def print_belief(path: Path, belief: Belief, most: int) -> None:
    """Print at most `most` facts by their probability, highest first."""
    console = screen()
    line(console, (game_name(path), "bold"), f"   {belief.role} after {len(belief.history)} plies")
    for ply, step in enumerate(belief.history, 1):
        line(console, (f"  {ply}  {step}", "dim"))
    rows = sorted(belief.shares().items(), key=lambda item: -item[1])
    for row in columns([(f"{share:.1%}", fact.text) for fact, share in rows[:most]]):
        line(console, f"  {'   '.join(row).rstrip()}")
    if len(rows) > most:
        line(console, (f"... and {len(rows) - most:,} more facts; --lines shows more, --json all", "yellow"))


def print_belief_json(path: Path, belief: Belief) -> None:
    """Print the same as JSON."""
    fields = {
        "role": belief.role,
        "history": [
            {"move": step.move.text, "percepts": sorted(percept.text for percept in step.percepts)}
            for step in belief.history
        ],
        "states": len(belief.samples),
        "beliefs": [{"fact": fact.text, "share": share} for fact, share in belief.shares().items()],
    }
    print_json("explain", {"game": game_name(path), "file": str(path), **fields})

"""The output of `ggp solve` for games with chance, hidden information or choices at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ggp.cli.json_output import print_json
from ggp.cli.screen import columns, line, paragraph, screen
from ggp.rules.shipped_games import game_name
from ggp.solver.extensive.descriptions import answer_rows
from ggp.solver.extensive.expectation import Expectation

if TYPE_CHECKING:
    from ggp.solver.extensive.equilibrium import Equilibrium

_INDENT: Final = 11

#: The number of information sets of a role that are listed.
_MOST: Final = 40


def print_extensive(path: Path, answer: Expectation | Equilibrium, seconds: float) -> None:
    """Print the expected goals, and how to play for them."""
    console = screen()
    line(console, (game_name(path), "bold"), f"   {path}")
    for label, text in [*answer_rows(answer), ("seconds", f"{seconds:.1f}")]:
        paragraph(console, label, text, _INDENT)
    for title, lines in [_moves_of(answer)] if isinstance(answer, Expectation) else _strategies(answer):
        if lines:
            console.print()
            line(console, title)
            for row in columns(lines):
                line(console, f"  {'   '.join(row).rstrip()}")


def print_extensive_json(path: Path, roles: Sequence[str], answer: Expectation | Equilibrium, seconds: float) -> None:
    """Print the same as JSON."""
    fields = _expectation_fields(answer) if isinstance(answer, Expectation) else _equilibrium_fields(answer)
    print_json("solve", {"game": game_name(path), "file": str(path), "roles": roles, **fields, "seconds": seconds})


def _moves_of(answer: Expectation) -> tuple[str, list[tuple[str, ...]]]:
    ordered = sorted(answer.moves, key=lambda pair: -pair[1])
    return f"expected goal of {answer.mover} after", [(move.text, f"{goal:.3f}") for move, goal in ordered]


def _strategies(answer: Equilibrium) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    for role, own in zip(answer.tree.players, answer.tree.sets, strict=True):
        rows: list[tuple[str, ...]] = []
        for known in own[:_MOST]:
            chances = sorted(answer.probabilities(known).items(), key=lambda pair: -pair[1])
            rows.append((known.text(), ", ".join(f"{move.text} {p:.3f}" for move, p in chances if p >= 0.0005)))
        if len(own) > _MOST:
            rows.append((f"and {len(own) - _MOST:,} more: see --json", ""))
        yield f"{role}: what it knows, and the probabilities of its moves", rows


def _expectation_fields(answer: Expectation) -> dict[str, Any]:
    return {
        "kind": "expectation",
        "solved": True,
        "goals": dict(zip(answer.players, answer.goals, strict=True)),
        "positions": answer.states,
        "mover": answer.mover,
        "moves": [{"move": move.text, "goal": goal} for move, goal in answer.moves],
    }


def _equilibrium_fields(answer: Equilibrium) -> dict[str, Any]:
    players = answer.tree.players
    return {
        "kind": "equilibrium",
        "solved": answer.stop is None,
        "goals": dict(zip(players, answer.goals, strict=True)),
        "best_responses": dict(zip(players, answer.best, strict=True)),
        "exploitability": answer.share,
        "stopped": None if answer.stop is None else answer.stop.value,
        "nodes": answer.tree.nodes,
        "iterations": answer.iterations,
        "strategy": [
            {
                "role": players[own.player],
                "knows": [{"move": None if move is None else move.text, "sees": seen} for move, seen in own.memory],
                "moves": [{"move": move.text, "probability": p} for move, p in answer.probabilities(own).items()],
            }
            for sets in answer.tree.sets
            for own in sets
        ],
    }

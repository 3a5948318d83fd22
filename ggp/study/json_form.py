"""The JSON form of a study, described in docs/reference/json.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ggp.study.ladder import short_name
from ggp.study.samples import sample_matches
from ggp.study.strong_play import depth_of
from ggp.work.job import work_fields

if TYPE_CHECKING:
    from ggp.study.comparison import Comparison
    from ggp.study.figures import Figure
    from ggp.study.study import Study
    from ggp.study.theory import Theory


def study_fields(found: Study) -> dict[str, Any]:
    """Return the fields of a study's JSON object."""
    settings = found.settings
    return {
        "game": found.name,
        "file": str(found.path),
        "roles": list(found.roles),
        "engine": found.engine,
        "seed": settings.seed,
        "time": settings.seconds,
        "max_plies": settings.max_plies,
        "playouts": settings.playouts,
        "matches": settings.matches,
        "theory": None if found.theory is None else _theory_fields(found.theory, found.roles),
        "states": _states_fields(found),
        "random": {"matches": found.playouts, "figures": figure_fields(found.random)},
        "strong": _strong_fields(found),
        "no_strong": found.no_strong or None,
        "unreached": list(found.unreached),
        "seconds": found.seconds,
    }


def comparison_fields(found: Comparison) -> dict[str, Any]:
    """Return the fields of the JSON object of two studies."""
    return {
        "old": study_fields(found.old),
        "new": study_fields(found.new),
        "random": [change.as_json() for change in found.random],
        "strong": [change.as_json() for change in found.strong],
    }


def figure_fields(figures: Mapping[str, Figure]) -> list[dict[str, Any]]:
    """Return the figures as JSON objects, each with its name."""
    return [{"figure": name, **figure.as_json()} for name, figure in figures.items()]


def _theory_fields(theory: Theory, roles: Sequence[str]) -> dict[str, Any]:
    value = theory.value
    return {
        "kind": theory.kind.describe(),
        "traits": [{"trait": name, "holds": holds, "known": how} for name, holds, how in theory.traits()],
        "verdicts": [verdict.as_json() for verdict in theory.verdicts],
        "value": list(value.text),
        "solved": value.solved,
        "goals": None if value.goals is None else dict(zip(roles, value.goals, strict=True)),
        "exploitability": value.exploitability,
    }


def _states_fields(found: Study) -> dict[str, Any]:
    size = found.size
    return {
        "exact": None if found.theory is None else found.theory.value.states,
        "seen": None if size is None else size.seen,
        "estimate": None if size is None else size.states,
        "log10_lines": None if size is None else size.lines,
    }


def _strong_fields(found: Study) -> dict[str, Any] | None:
    strong = found.strong
    if strong is None:
        return None
    return {
        "player": short_name(strong.players.strongest),
        "planned": strong.planned,
        "played": len(strong.played),
        "failed": len(strong.lost),
        "work": work_fields(strong.work) if strong.work is not None else None,
        "matches": len(strong.watched()),
        "figures": figure_fields(strong.figures()),
        "ladder": [rung.as_json() for rung in strong.ladder()],
        "depth": depth_of(strong),
        "restricted": [rung.as_json() for rung in strong.restricted()],
        "samples": [sample.as_json() for sample in sample_matches(strong)],
    }

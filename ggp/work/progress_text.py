"""The state of work that several processes do, for people and as JSON."""

from __future__ import annotations

from typing import Any

from ggp.rules.report_text import number_and_noun
from ggp.work.job import Progress


def work_text(work: Progress, unit: str = "") -> str:
    """Return the state of work in a few words; `unit` is the noun of what is done each second."""
    nodes = [number_and_noun(work.nodes, "node")] if work.nodes != 1 else []
    parts = [
        f"{work.per_second:.1f}{unit and f' {unit}'}/s",
        *nodes,
        number_and_noun(work.cores, "core"),
        f"{work.waiting:,} waiting",
    ]
    parts += [f"{work.failed:,} failed"] * bool(work.failed) + [f"{work.retried:,} run again"] * bool(work.retried)
    return ", ".join(parts)


def work_fields(work: Progress) -> dict[str, Any]:
    """Return the state of work as JSON fields."""
    return {
        "nodes": work.nodes,
        "cores": work.cores,
        "done": work.done,
        "failed": work.failed,
        "retried": work.retried,
        "waiting": work.waiting,
        "per_second": round(work.per_second, 3),
    }

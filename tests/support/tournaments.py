"""Plans and outcomes of small tournaments."""

from __future__ import annotations

from ggp.tournament.outcome import Conduct, Outcome
from ggp.tournament.plan import Contest, Plan

NIM = Contest("nim", "/nim.kif", "d1", ("left", "right"))
SOLO = Contest("solo", "/solo.kif", "d2", ("one",))
PLAN = Plan((NIM,), ("a", "b", "c"), games=4, seed=1)


def ended(number: int, *goals: int | None) -> Outcome:
    return Outcome(number, "finished" if goals else "unfinished", goals, (Conduct(), Conduct())[: len(goals) or 2], ())

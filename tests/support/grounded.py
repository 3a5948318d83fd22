"""Small games to be grounded, and the child processes of this one."""

from __future__ import annotations

import os
import subprocess

from support.toy_files import ROOT

SHIPPED = sorted((ROOT / "games").rglob("*.kif"))
SMALL = """
(role robot) (init (light off)) (legal robot press)
(<= (next (light on)) (does robot press)) (<= terminal (true (light on))) (goal robot 100)
"""
#: A counter that nothing stops.
ENDLESS = SMALL + "(init (step z)) (<= (next (step (s ?n))) (true (step ?n)))"
#: 64 million ground rules, whether bodies are split or not.
WIDE = (
    SMALL
    + "".join(f"(n {i})" for i in range(400))
    + "(<= (next (at ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (true (light off)))"
)


# Budgets


def children() -> set[str]:
    """The processes that this one started and that are still there, zombies too."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    return {line for line in listed.stdout.splitlines() if not line.split()[1].startswith("ps")}

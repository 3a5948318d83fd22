"""The same rules before and after formatting."""

from __future__ import annotations

LOOSE = "(role  a)\n(<= (p ?x) (q ?x)) ; why\n"
NEAT = "(role a)\n(<= (p ?x)\n    (q ?x))  ; why\n"

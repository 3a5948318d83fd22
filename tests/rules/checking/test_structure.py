"""Families of facts of which one holds at a time."""

from __future__ import annotations

import gdl
from gdl.terms import Term
from ggp.rules.checking.structure import Family, families


class TestFamilies:
    def terms(self, *texts: str) -> list[Term]:
        return [gdl.parse_term(text) for text in texts]

    def test_control_and_cells(self) -> None:
        facts = self.terms("(control a)", "(control b)", "(cell 1 x)", "(cell 1 y)", "(cell 2 x)", "(cell 2 y)", "on")
        found = list(families(facts, self.terms("(control a)", "(cell 1 x)", "(cell 2 y)"), self.terms("a", "b")))
        assert [family.sentence() for family in found] == [
            "exactly one (control ?)",
            "exactly one (cell ... ?) for each of 2 places",
        ]

    def test_what_breaks_a_family(self) -> None:
        a, b = self.terms("(control a)", "(control b)")
        family = Family("(control ?)", True, ((a, b),))
        assert family.broken([a]) is None
        assert family.broken([a, b]) == "(control a) and (control b) hold together"
        assert family.broken([]) == "no fact like (control a) holds"
        assert Family("(control ?)", False, ((a, b),)).broken([]) is None

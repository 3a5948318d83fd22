"""Putting the definition of a relation in the place of its atoms."""

from __future__ import annotations

from itertools import islice

from gdl.language.resolution import fresh
from gdl.terms import Variable


def test_fresh_variables_are_none_of_those_taken() -> None:
    names = [variable.name for variable in islice(fresh({Variable("u0"), Variable("u2"), Variable("x")}), 3)]
    assert names == ["u1", "u3", "u4"]

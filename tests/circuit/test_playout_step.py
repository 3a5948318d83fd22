"""Laws about the facts that remain in a step of playouts."""

from __future__ import annotations

import pytest

from gdl.circuit.gates import Group, Laws
from gdl.circuit.playout_step import _groups_of


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([0, 1, 2], [Group((1, 2, 3), exact=True)]),
        # If the fact that is left out holds, none of the others does.
        ([0, 1], [Group((1, 2), exact=False)]),
        ([0], []),
    ],
)
def test_a_group_that_has_lost_a_member_may_be_false(facts: list[int], expected: list[Group]) -> None:
    assert list(_groups_of(Laws((Group((1, 2, 3), exact=True),)), facts)) == expected

"""Bodies of loops from which shared operations were moved: the same results, with fewer operations."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from gdl.codegen.hoisting import Hoisted, hoisted
from gdl.codegen.netlist import CHOOSE, NOT, A, B, C, Netlist
from gdl.codegen.truth_tables import applied

LANES = 256
FULL = (1 << LANES) - 1


def rows(netlist: Netlist, inputs: list[int]) -> list[int]:
    """The rows of all signals."""
    found = [0, FULL, *inputs]
    for table, *arguments in zip(netlist.tables, *netlist.args, strict=True):
        one, two, three = (found[argument] for argument in arguments)
        found.append(applied(table, one, two, three, FULL))
    return found


def check(netlist: Netlist, varying: int, results: list[int], seed: int) -> Hoisted:
    """Hoist, where the first inputs vary, and compare the results on random rows."""
    inputs = netlist.inputs - 2
    found = hoisted(netlist, range(2, 2 + varying), range(2 + varying, netlist.inputs), results)
    random = Random(seed)
    for _ in range(3):
        given_rows = [random.getrandbits(LANES) for _ in range(inputs)]
        before = rows(netlist, given_rows)
        outside = rows(found.outside, given_rows[varying:])
        body = rows(found.body, [*given_rows[:varying], *(outside[row] for row in found.rows)])
        assert [body[signal] for signal in found.results] == [before[signal] for signal in results]
    return found


@given(st.integers(0, 2**32))
def test_results_stay_the_same(seed: int) -> None:
    random = Random(seed)
    varying, fixed = random.randint(1, 6), random.randint(0, 8)
    netlist = Netlist(varying + fixed)
    for _ in range(random.randint(1, 60)):
        recent = range(max(0, netlist.signals - 12), netlist.signals)
        arguments = [random.choice(recent if random.random() < 0.5 else range(netlist.signals)) for _ in range(3)]
        netlist.operation(random.randrange(256), *arguments)
    check(netlist, varying, random.choices(range(netlist.signals), k=random.randint(1, 6)), seed)


def test_formulas_are_split_by_what_varies() -> None:
    netlist = Netlist(4)
    own, one, two, three = range(2, 6)
    # (own & one | own & two) & !three takes one operation on `own`.
    either = netlist.operation((A & B) | (A & C), own, one, two)
    found = check(netlist, 1, [netlist.operation(A & (B ^ NOT), either, three)], 1)
    assert len(found.body) == 1
    assert len(found.rows) == 1
    assert len(found.outside) == 1


def test_combinations_that_never_occur_cost_nothing() -> None:
    netlist = Netlist(8)
    red, green, blue, remembered = range(2, 6)
    changed, was, keeps, held = range(6, 10)
    # A fact of three is kept, or noted if there was none of the three; or everything is held as it was.
    none = netlist.operation((A | B | C) ^ NOT, red, green, blue)
    noted = netlist.operation(A & B & C, none, remembered, changed)
    noted = netlist.and_(noted, was)
    new = netlist.operation((A & B) | C, red, keeps, noted)
    result = netlist.operation(CHOOSE, held, red, new)
    assert len(netlist) == 5
    found = check(netlist, 4, [result], 1)
    # `none`; `none & remembered & noting`; then the choice by `red`, which excludes `none`.
    assert len(found.body) == 3


def test_nothing_varies() -> None:
    netlist = Netlist(2)
    found = check(netlist, 0, [netlist.and_(2, 3), 2, 0, 1], 1)
    assert len(found.body) == 0

"""Choose one legal row uniformly at random, in every lane at once.

The legal rows are counted in a tree of adders. A random number below the count is drawn by rejection: bits are masked
to the width of the largest number allowed, several times; a lane in which none was small enough chooses nothing, and
tries again in the next step. So every legal move is chosen with exactly the same probability. The number then walks
down the tree: at each branch it turns left if it is smaller than the left count; otherwise that count is subtracted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from gdl.codegen.netlist import CHOOSE, MAJORITY, NOT, ONES, XOR3, ZEROS, A, B, C, Netlist

#: Signals of a number's bits, the lowest first.
Number = list[int]


@final
@dataclass(slots=True)
class Choice:
    """A choice in progress: the counts of legal rows, and the number that was drawn."""

    tree: Tree
    drawn: Number
    #: The lanes in which the draw succeeded, including those in which nothing is legal.
    accepted: int
    #: The lanes in which some row is legal.
    some: int


@final
@dataclass(slots=True)
class Tree:
    """A subtree: its rows, the count of those that hold, and its branches, unless it is a leaf of up to three rows."""

    rows: Sequence[int]
    count: Number
    branches: tuple[Tree, Tree] | None = None


def draw(netlist: Netlist, rows: Sequence[int], random: Callable[[], int], tries: int) -> Choice:
    """Count the rows that hold, and draw a number below the count. `random` returns a fresh random row."""
    tree = _counted(netlist, rows)
    count = tree.count
    some = netlist.any_of(count)
    # The largest number allowed, and masks for the bits that matter.
    largest: Number = []
    borrow = ONES
    for bit in count[: (len(rows) - 1).bit_length()]:
        largest.append(netlist.operation(A ^ B, bit, borrow))
        borrow = netlist.operation((A ^ NOT) & B, bit, borrow)
    masks: Number = []
    for bit in reversed(largest):
        masks.insert(0, netlist.or_(masks[0], bit) if masks else bit)
    drawn: Number = []
    accepted = ZEROS if largest else ONES
    for _ in range(tries if largest else 0):
        number = [netlist.and_(random(), mask) for mask in masks]
        fits = ONES
        for mine, limit in zip(number, largest, strict=True):
            fits = netlist.operation((A & B & C) | ((A ^ NOT) & (B | C)), mine, limit, fits)
        drawn = (
            [netlist.operation(CHOOSE, fits, new, old) for new, old in zip(number, drawn, strict=True)]
            if (drawn)
            else number
        )
        accepted = netlist.or_(accepted, fits)
    return Choice(tree, drawn, accepted, some)


def walk(netlist: Netlist, choice: Choice, where: int) -> list[int]:
    """Return, for each row, the lanes of `where` in which it is the one drawn."""
    return _walk(netlist, choice.tree, choice.drawn, netlist.and_(where, choice.some))


def _counted(netlist: Netlist, rows: Sequence[int]) -> Tree:
    if len(rows) <= 3:
        a, b, c = (*rows, ZEROS, ZEROS, ZEROS)[:3]
        count = [netlist.operation(XOR3, a, b, c), netlist.operation(MAJORITY, a, b, c)]
        return Tree(rows, count[: len(rows).bit_length()])
    half = 3
    while 2 * half < len(rows):
        half *= 2
    left, right = _counted(netlist, rows[:half]), _counted(netlist, rows[half:])
    total: Number = []
    carry = ZEROS
    for place in range(len(rows).bit_length()):
        a, b = (n.count[place] if place < len(n.count) else ZEROS for n in (left, right))
        total.append(netlist.operation(XOR3, a, b, carry))
        carry = netlist.operation(MAJORITY, a, b, carry)
    return Tree(rows, total, (left, right))


def _walk(netlist: Netlist, tree: Tree, drawn: Number, where: int) -> list[int]:
    if tree.branches is None:
        return _leaf(netlist, tree.rows, drawn, where)
    left, right = tree.branches
    borrow = ZEROS
    rest: Number = []
    for place, mine in enumerate(drawn):
        theirs = left.count[place] if place < len(left.count) else ZEROS
        if place < (len(right.rows) - 1).bit_length():
            rest.append(netlist.operation(XOR3, mine, theirs, borrow))
        borrow = netlist.operation(((A ^ NOT) & (B | C)) | (B & C), mine, theirs, borrow)
    here = netlist.and_(where, borrow)
    there = netlist.operation(A & (B ^ NOT), where, borrow)
    return [
        *_walk(netlist, left, drawn[: (len(left.rows) - 1).bit_length()], here),
        *_walk(netlist, right, rest, there),
    ]


def _leaf(netlist: Netlist, rows: Sequence[int], drawn: Number, where: int) -> list[int]:
    if len(rows) == 1:
        return [where]
    if len(rows) == 2:
        first = netlist.operation(A & B & (C ^ NOT), where, rows[0], drawn[0])
        return [first, netlist.operation(A & (B ^ NOT), where, first)]
    low = netlist.operation(A & (B ^ NOT), where, drawn[1])
    first = netlist.operation(A & B & (C ^ NOT), low, rows[0], drawn[0])
    even = netlist.operation(A & (B ^ C ^ NOT), rows[1], rows[0], drawn[0])
    second = netlist.and_(low, even)
    return [first, second, netlist.operation(A & (B ^ NOT) & (C ^ NOT), where, first, second)]

"""The gates and inputs that the outputs of a circuit depend on."""

from __future__ import annotations

from collections.abc import Iterable

from gdl.circuit.gates import Circuit

#: Bits of a mask, one for each input: facts first, then moves.
Mask = int


def cone(circuit: Circuit, outputs: Iterable[int]) -> list[int]:
    """Return the nodes that some outputs depend on, in order, without node 0. Variables of loops count as inputs."""
    found: set[int] = set()
    stack = [literal >> 1 for literal in outputs]
    while stack:
        node = stack.pop()
        if node and node not in found:
            found.add(node)
            stack += [literal >> 1 for literal in circuit.fanins[node]]
    return sorted(found)


def masks_of(circuit: Circuit) -> list[Mask]:
    """Return, for each node, the inputs that it depends on: bit `i` is input node `1 + i`."""
    masks = [0] * len(circuit.fanins)
    for node in range(1, 1 + circuit.inputs):
        masks[node] = 1 << (node - 1)
    while True:
        for node in range(1 + circuit.inputs, len(masks)):
            for literal in circuit.fanins[node]:
                masks[node] |= masks[literal >> 1]
        changed = False
        for loop in circuit.loops:  # whatever one variable of a loop depends on, the others may, too
            found = union_of(masks[literal >> 1] for literal in loop.updates)
            for node in loop.variables:
                if masks[node] != found | masks[node]:
                    masks[node] |= found
                    changed = True
        if not changed:
            return masks


def union_of(masks: Iterable[Mask]) -> Mask:
    """Return the inputs that are in at least one of some masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def bits(mask: Mask) -> list[int]:
    """Return the positions of the ones in a mask, the lowest first."""
    places = []
    while mask:
        low = mask & -mask
        places.append(low.bit_length() - 1)
        mask ^= low
    return places

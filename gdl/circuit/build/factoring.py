"""Build sums of products with common factors taken out: `a b1 + a b2` becomes `a (b1 + b2)`."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Final

from gdl.circuit.gates import FALSE, TRUE, Circuit

#: The most factors taken out one inside the other. Each takes a look at all that is left.
_DEPTH: Final = 32


def sum_of_products(circuit: Circuit, products: Iterable[Iterable[int]]) -> int:
    """Return the literal of the OR of some ANDs; the factor shared by most products is taken out first."""
    found: set[frozenset[int]] = set()
    for product in products:
        literals = _product(circuit, product)
        if literals is None:
            continue
        if not literals:
            return TRUE
        found.add(literals)
    return _sum(circuit, _absorbed(found), _DEPTH)


def _product(circuit: Circuit, product: Iterable[int]) -> frozenset[int] | None:
    """Return the literals of a product, without those implied by others; None if the product never holds."""
    literals = set(product)
    literals.discard(TRUE)
    if FALSE in literals or any(literal ^ 1 in literals for literal in literals):
        return None
    if len(literals) > 1:
        implied = circuit.laws.implied
        for literal in tuple(literals):
            for follows in implied.get(literal, ()):
                if follows ^ 1 in literals:
                    return None
                if follows != literal:
                    literals.discard(follows)
    return frozenset(literals)


def _absorbed(products: set[frozenset[int]]) -> list[frozenset[int]]:
    """Return the products that no single literal makes redundant, without the negations of single literals."""
    singles = {literal for product in products if len(product) == 1 for literal in product}
    if not singles:
        return list(products)
    kept: dict[frozenset[int], None] = {}
    grown = False
    for product in products:
        if len(product) > 1:
            if not product.isdisjoint(singles):
                continue
            shorter = frozenset(literal for literal in product if literal ^ 1 not in singles)
            grown = grown or len(shorter) == 1
            product = shorter
        kept[product] = None
    return _absorbed(set(kept)) if grown else list(kept)


def _sum(circuit: Circuit, products: list[frozenset[int]], depth: int) -> int:
    if frozenset() in products:
        return TRUE
    if len(products) == 1:
        return circuit.and_(products[0])
    common = frozenset.intersection(*products) if products else frozenset()
    if common:
        found = _sum(circuit, _absorbed({product - common for product in products}), depth)
        for literal in sorted(common, reverse=True):
            found = circuit.and_((literal, found))
        return found
    if not depth:
        return circuit.or_(map(circuit.and_, products))
    holders: dict[int, set[int]] = {}
    for number, product in enumerate(products):
        for literal in product:
            holders.setdefault(literal, set()).add(number)
    heap = [(-len(numbers), literal) for literal, numbers in holders.items() if len(numbers) > 1]
    heapify(heap)
    left = set(range(len(products)))
    terms: list[int] = []
    while heap:
        count, literal = heappop(heap)
        numbers = holders[literal]
        if len(numbers) != -count:
            if len(numbers) > 1:
                heappush(heap, (-len(numbers), literal))
            continue
        taken = sorted(numbers)
        for number in taken:
            for other in products[number]:
                if other != literal:
                    holders[other].discard(number)
        left.difference_update(taken)
        rest = _sum(circuit, _absorbed({products[number] - {literal} for number in taken}), depth - 1)
        terms.append(circuit.and_((literal, rest)))
    terms += [circuit.and_(products[number]) for number in sorted(left)]
    return circuit.or_(terms)

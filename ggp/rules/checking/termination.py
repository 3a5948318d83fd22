"""Prove that every match ends: by a counter that never repeats a value, or by facts that change only once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic
from typing import Final, Literal, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Group
from gdl.circuit.proofs.claims import Claim
from gdl.circuit.proofs.effort import Effort
from gdl.circuit.proofs.proof import Counterexample, OutOfTime, Prover, StateEncoding
from gdl.terms import Term

#: Counters with more values than this are not tried.
_MOST_VALUES: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class Ending:
    """The reason why every match ends, and the largest number of plies."""

    reason: str
    plies: int


def ending(
    game: GameCircuit,
    known: Sequence[Claim],
    groups: Iterable[Group],
    traces: Sequence[Sequence[frozenset[Term]]],
    until: float,
) -> Ending | None:
    """Return a proof that every match ends, or None if none is found before `until`.

    `traces` are the states of some playouts; claims that they contradict are not tried.
    """
    numbers = {fact: number for number, fact in enumerate(game.facts)}
    states = [[frozenset(numbers[fact] for fact in facts if fact in numbers) for facts in trace] for trace in traces]
    for group in sorted(groups, key=lambda group: len(group.nodes)):
        members = tuple(node - 1 for node in group.nodes)
        if group.exact and len(members) <= _MOST_VALUES and _counts(members, states) and monotonic() < until:
            plies = _counter_length(game, known, members, until)
            if plies is not None:
                first = game.facts[members[0]]
                return Ending(f"a counter that never repeats a value: {first} and facts like it", plies)
    return _lasting(game, known, states, until)


def _counts(members: Sequence[int], states: Sequence[Sequence[frozenset[int]]]) -> bool:
    """Return True if the member that holds changes at every ply and none ever comes back."""
    own = frozenset(members)
    for trace in states:
        held = [state & own for state in trace]
        if len(set(held)) < len(held):
            return False
    return True


def _counter_length(game: GameCircuit, known: Sequence[Claim], members: Sequence[int], until: float) -> int | None:
    """Return the largest number of plies a counter can last; None if it may repeat a value or time runs out."""
    now = {number: Claim("some", (game.fact(number),)) for number in members}
    after = {number: Claim("none", (game.fact(number),)) for number in members}
    prover = Prover(game, known, now.values(), after.values(), step=True, effort=Effort())
    number_of = {claim: number for number, claim in after.items()}
    edges: dict[int, set[int]] = {number: set() for number in members}
    for number in members:
        left = list(after.values())
        while left:
            if monotonic() >= until:
                return None
            try:
                found = prover.counterexample(left, [now[number]])
            except OutOfTime:
                return None
            if not isinstance(found, Counterexample):
                break
            edges[number].update(number_of[claim] for claim in found.broken)
            left = [claim for claim in left if number_of[claim] not in edges[number]]
    start = next(number for number in members if game.init[number])
    return _longest(edges, start)


def _longest(edges: Mapping[int, set[int]], start: int) -> int | None:
    """Return the length of a longest path from a node, or None if there is a cycle."""
    length: dict[int, int] = {}
    path: set[int] = set()
    stack = [start]
    while stack:
        node = stack[-1]
        if node in length:
            stack.pop()
        elif node in path:
            path.discard(node)
            length[node] = max((1 + length[after] for after in edges[node]), default=0)
            stack.pop()
        else:
            path.add(node)
            if any(after in path for after in edges[node]):
                return None
            stack += [after for after in edges[node] if after not in length]
    return length[start]


def _lasting(
    game: GameCircuit, known: Sequence[Claim], states: Sequence[Sequence[frozenset[int]]], until: float
) -> Ending | None:
    """Prove that at every ply one of some facts changes that change at most once."""
    up, down = _once(game, states)
    if any(not _changes(before, after, up, down) for trace in states for before, after in pairwise(trace)):
        return None
    up = _proved(game, known, up, "some", until)
    down = _proved(game, known, down, "none", until)
    # Fewer facts give a lower bound: try facts that become false, and facts that become true, on their own first.
    found = [_needed(game, known, [], down, until), _needed(game, known, up, [], until)]
    needed = [numbers for numbers in found if numbers] or [_needed(game, known, up, down, until)]
    plies = min(len(numbers) for numbers in needed)
    return Ending(f"at every ply one of {plies} facts changes for good", plies) if plies else None


def _once(game: GameCircuit, states: Sequence[Sequence[frozenset[int]]]) -> tuple[list[int], list[int]]:
    """Return the facts that seem to become true only, and those that seem to become false only, judged by playouts."""
    gone: set[int] = set()
    come: set[int] = set()
    for trace in states:
        for before, after in pairwise(trace):
            gone |= before - after
            come |= after - before
    up = [number for number, holds in enumerate(game.init) if not holds and number not in gone]
    down = [number for number, holds in enumerate(game.init) if holds and number not in come]
    return up, down


def _changes(before: frozenset[int], after: frozenset[int], up: Iterable[int], down: Iterable[int]) -> bool:
    return bool((after - before).intersection(up)) or bool((before - after).intersection(down))


def _proved(
    game: GameCircuit, known: Sequence[Claim], numbers: Sequence[int], kind: Literal["some", "none"], until: float
) -> list[int]:
    """Return the facts that keep holding ("some"), or not holding ("none"), once they do."""
    claims = {number: Claim(kind, (game.fact(number),)) for number in numbers}
    prover = Prover(game, known, claims.values(), claims.values(), step=True, effort=Effort())
    proved = []
    for number, claim in claims.items():
        if monotonic() >= until:
            break
        try:
            if not isinstance(prover.counterexample([claim], [claim]), Counterexample):
                proved.append(number)
        except OutOfTime:
            continue
    return proved


def _needed(
    game: GameCircuit, known: Sequence[Claim], up: Sequence[int], down: Sequence[int], until: float
) -> list[int]:
    """Return a small subset of facts, one of which changes at every step; empty if a step may change none."""
    from clingo import Control

    control = Control(["--warn=none", "--seed=0"])
    with control.backend() as backend:
        now = StateEncoding.open(backend, game)
        now.move()
        for claim in known:
            now.forbid(now.broken(claim))
        comes = {number: now.both(-now.atom(game.fact(number)), now.atom(game.next[number])) for number in up}
        goes = {number: now.both(now.atom(game.fact(number)), -now.atom(game.next[number])) for number in down}
        stays = {now.unless(changes): number for number, changes in (comes | goes).items()}
        now.define()
    found: list[int] = []
    left = list(stays)
    # Each core is at most as large as the one before.
    while left and monotonic() < until:
        with control.solve(left, yield_=True, async_=True) as handle:
            handle.resume()
            if not handle.wait(max(0.0, until - monotonic())):
                handle.cancel()
                break
            if not handle.get().unsatisfiable:
                break
            core = set(handle.core())
        smaller = [atom for atom in left if atom in core]
        found = [stays[atom] for atom in smaller]
        if len(smaller) == len(left):
            break
        left = smaller
    return found

"""Let moves share a row of choices if no two of them are ever legal at once.

A choice costs several operations per row, so fewer rows are faster. If a group of facts (control, for example) tells
which role has more than one move, all roles share one tree of choices; if the contents of a cell tell which piece can
move, the moves of all pieces from there share rows. The keys of a move then distinguish it from the others in its row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import FALSE, TRUE, Circuit
from gdl.compile_budget import check_budget


@final
@dataclass(frozen=True, slots=True)
class Candidate:
    """A move in a row, and the literals (keys) that all hold if this is the row's legal move."""

    move: int
    keys: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Case:
    """A role's options when a fact (`key`; TRUE for always) holds: the number of its rows, or its only move.

    With neither rows nor a move, the role has no legal move then.
    """

    key: int
    role: int
    rows: int
    forced: int | None


@final
@dataclass(frozen=True, slots=True)
class Choosing:
    """One choice for one role, or for several roles of which one chooses at a time."""

    roles: tuple[int, ...]
    rows: tuple[tuple[Candidate, ...], ...]
    cases: tuple[Case, ...]


def choosings(game: GameCircuit) -> list[Choosing]:
    """Return choices that give every role a move, with as few rows as the groups of facts allow."""
    moves = {role: legal_sometimes(game, role) for role in range(len(game.roles))}
    known: dict[int, frozenset[int]] = {}
    needs = {move: needed(game.circuit, game.legal[move], known) for own in moves.values() for move in own}
    # A move that needs both a fact and its negation is never legal.
    never = {move for move, literals in needs.items() if any(literal ^ 1 in literals for literal in literals)}
    moves = {role: [move for move in own if move not in never] for role, own in moves.items()}
    members = _members(game, needs)
    sharing = _shared(game, moves, members, needs)
    plans = [] if sharing is None else [_together(members, needs, sharing)]
    for role, own in moves.items():
        if sharing is None or role not in sharing.parts:
            forced = own[0] if len(own) == 1 else None
            rows = _clustered(own, members, needs, ()) if forced is None else ()
            plans.append(Choosing((role,), rows, (Case(TRUE, role, len(rows), forced),)))
    return plans


def legal_sometimes(game: GameCircuit, role: int) -> list[int]:
    """Return the numbers of a role's moves that may be legal in some state."""
    return [move for move in game.moves_of(role) if game.legal[move] != FALSE]


def needed(circuit: Circuit, literal: int, known: dict[int, frozenset[int]]) -> frozenset[int]:
    """Return literals of inputs, though not all, that hold whenever a literal does; results are kept in `known`."""
    stack = [literal]
    while stack:
        check_budget()
        top = stack[-1]
        fanin = circuit.fanins[top >> 1]
        if not fanin:
            known[top] = frozenset((top,) if top > TRUE else ())
        parts = [child ^ (top & 1) for child in fanin]
        missing = [part for part in parts if part not in known]
        if missing and top not in known:
            stack += missing
            continue
        stack.pop()
        if top not in known:
            sets = [known[part] for part in parts]
            known[top] = frozenset.intersection(*sets) if top & 1 else frozenset().union(*sets)
    return known[literal]


#: For each move, the member it needs of each group of facts.
Members = dict[int, dict[int, int]]

#: Literals of inputs that hold whenever a move is legal.
Needs = Mapping[int, frozenset[int]]


def _members(game: GameCircuit, needs: Needs) -> Members:
    """Return, for each move, the members of groups of facts that it needs."""
    of, facts = game.circuit.laws.of, len(game.facts)
    found: Members = {}
    for move, literals in needs.items():
        own = found.setdefault(move, {})
        for literal in sorted(literals):
            if not literal & 1 and literal >> 1 <= facts:
                for group in of.get(literal >> 1, ()):
                    own.setdefault(group, literal)
    return found


@final
@dataclass(frozen=True, slots=True)
class _Sharing:
    """Roles that share a choice, and the moves of each role in each case, by role and key.

    Exactly one case applies to a role in each state, except for states in which none does.
    """

    group: int
    parts: Mapping[int, Mapping[int, Sequence[int]]]

    def rows(self) -> int:
        """Return the number of rows of the choice, before moves of one role share any."""
        return max((len(own) for part in self.parts.values() for own in part.values() if len(own) > 1), default=0)


def _shared(game: GameCircuit, moves: Mapping[int, Sequence[int]], members: Members, needs: Needs) -> _Sharing | None:
    """Return the sharing that saves the most rows, or None."""
    best: tuple[int, _Sharing] | None = None
    for group in sorted({group for own in members.values() for group in own}):
        facts = game.circuit.laws.groups[group]
        keys = [2 * node for node in facts.nodes]
        parts = {role: _by_key(own, members, needs, group, keys) for role, own in moves.items() if own}
        if not facts.exact:
            parts = {
                role: covering
                for role, part in parts.items()
                if (covering := _covering(part, [move for move in moves[role] if group not in members[move]]))
            }
        # Only roles with fewer moves in some cases than in others gain anything.
        parts = {role: part for role, part in parts.items() if len({len(own) for own in part.values()}) > 1}
        busy = [sum(len(part.get(key, ())) > 1 for part in parts.values()) for key in keys]
        if len(parts) < 2 or max(busy) > 1:
            continue
        sharing = _Sharing(group, parts)
        saved = sum(len(moves[role]) for role in parts) - sharing.rows()
        if best is None or saved > best[0]:
            best = saved, sharing
    return best[1] if best is not None else None


def _by_key(
    own: Sequence[int], members: Members, needs: Needs, group: int, keys: Sequence[int]
) -> dict[int, list[int]]:
    """Return a role's moves in each case; moves that need no member of the group are in all cases that allow them."""
    found: dict[int, list[int]] = {key: [] for key in keys}
    for move in own:
        key = members[move].get(group)
        for case in keys if key is None else (key,):
            if case ^ 1 not in needs[move]:
                found[case].append(move)
    return found


def _covering(part: Mapping[int, list[int]], free: list[int]) -> dict[int, list[int]] | None:
    """Return the moves of a role in cases that cover also states in which no fact of the group holds.

    Moves that need no fact of the group are `free`. If a role has only one of these, and that is all it has but for one
    case, its other case is that this fact does not hold. With more of them, there are no such cases.
    """
    if not free:
        return dict(part)
    own = [key for key, moves in part.items() if moves != free]
    return {own[0]: part[own[0]], own[0] ^ 1: free} if len(free) == len(own) == 1 else None


def _together(members: Members, needs: Needs, sharing: _Sharing) -> Choosing:
    """Return one choice for several roles, which has the rows of the role that chooses in each case."""
    cases: list[Case] = []
    rows: list[list[Candidate]] = []
    for role, part in sharing.parts.items():
        for key, own in part.items():
            clustered = _clustered(own, members, needs, (key,)) if len(own) > 1 else ()
            cases.append(Case(key, role, len(clustered), own[0] if len(own) == 1 else None))
            for number, candidates in enumerate(clustered):
                if number == len(rows):
                    rows.append([])
                rows[number] += candidates
    return Choosing(tuple(sharing.parts), tuple(map(tuple, rows)), tuple(cases))


def _clustered(
    own: Sequence[int], members: Members, needs: Needs, keys: tuple[int, ...]
) -> tuple[tuple[Candidate, ...], ...]:
    """Return rows for some moves of one role, given that some keys hold; each move gets further keys if needed."""
    groups: dict[int, dict[int, list[int]]] = {}
    facts: dict[int, dict[int, list[int]]] = {}
    for move in own:
        for group, literal in members[move].items():
            if literal not in keys:
                groups.setdefault(group, {}).setdefault(literal, []).append(move)
        # A fact that some moves need and others exclude tells them apart, too.
        for literal in sorted(needs[move]):
            if literal not in keys:
                facts.setdefault(-1 - (literal >> 1), {}).setdefault(literal, []).append(move)
    return min(_greedy(own, groups, keys), _greedy(own, groups | facts, keys), key=len)


def _greedy(
    own: Sequence[int], by_group: Mapping[int, Mapping[int, Sequence[int]]], keys: tuple[int, ...]
) -> tuple[tuple[Candidate, ...], ...]:
    """Return rows by the groups of facts that save most; each move is in one row."""
    left = dict.fromkeys(own)
    rows: list[tuple[Candidate, ...]] = []
    saves = {g: _saved(parts) for g, parts in by_group.items()}
    for group in sorted(saves, key=lambda g: (-saves[g], g)):
        parts = {key: [move for move in part if move in left] for key, part in by_group[group].items()}
        if _saved(parts) <= 0:
            continue
        for number in range(max(map(len, parts.values()))):
            row = [Candidate(part[number], (*keys, key)) for key, part in parts.items() if number < len(part)]
            rows.append(tuple(row) if len(row) > 1 else (Candidate(row[0].move, keys),))
            for candidate in row:
                del left[candidate.move]
    rows += [(Candidate(move, keys),) for move in left]
    order = {move: number for number, move in enumerate(own)}
    return tuple(sorted(rows, key=lambda row: order[row[0].move]))


def _saved(parts: Mapping[int, Sequence[int]]) -> int:
    return sum(map(len, parts.values())) - max(map(len, parts.values()), default=0)

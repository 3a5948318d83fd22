"""Propose claims by random playouts: those that hold in all their states, and are unlikely to do so by chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.claims import Alike, Claim, Exclusions, coincidences
from gdl.circuit.sampling import Playouts
from gdl.compile_budget import check_budget

#: The number of parallel playouts: twice as many take hardly longer, and few meet all the rare states.
_LANES: Final = 2048

#: Playouts end after this many steps without news, or once this many inputs of gates have been evaluated.
_QUIET_STEPS: Final = 16
_WORK: Final = 6_000_000

#: If playouts end too early and more constants than this are left, most of these are not constant.
_MANY: Final = 200

#: Exclusions are tried only if their parts would have been expected to meet this many times by chance.
_EXPECTED: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Candidates:
    """Claims that held in all states of some playouts, the initial state included."""

    #: Claims about several facts.
    claims: list[Claim]
    #: Claims that single facts always or never hold; none if many facts were still met for the first time at the end.
    constants: list[Claim]
    #: Literals of legal moves and goals that never held.
    silent: list[int]
    #: For roles with exactly one goal in all terminal states, the two claims that express this.
    one_goal: dict[int, tuple[Claim, Claim]]
    #: For roles with a legal move in all other states, the claim that expresses this.
    moves: dict[int, Claim]


def sampled(game: GameCircuit, random: Random) -> Candidates:
    """Return candidates from playouts that end when nothing new happens."""
    sampling = _Sampling(game, Playouts(game, _LANES, random))
    left, quiet = _WORK, 0
    work = game.circuit.size
    while quiet < _QUIET_STEPS and left > 0:
        check_budget()
        quiet = 0 if sampling.step() else quiet + 1
        left -= work
    candidates = sampling.candidates()
    if quiet < _QUIET_STEPS and len(candidates.constants) > _MANY:
        return replace(candidates, constants=[])
    return candidates


@final
class _Sampling:
    def __init__(self, game: GameCircuit, playouts: Playouts) -> None:
        self._game = game
        self._playouts = playouts
        self._values, self._full = playouts.lanes.values, playouts.lanes.full
        self._alike = Alike(game)
        self._most = list(self._alike.claims)
        self._least = {claim: Claim("some", claim.literals) for claim in self._most}
        self._exclusions = Exclusions(game)
        self._facts = [game.fact(number) for number in range(len(game.facts))]
        #: The number of states in which each fact held, by its literal.
        self._counts = dict.fromkeys(self._facts, 0)
        self._states = 0
        self._silent = list(dict.fromkeys((*game.legal, *game.goals.values())))
        goals: dict[int, list[int]] = {role: [] for role in range(len(game.roles))}
        for (role, _), literal in game.goals.items():
            goals[role].append(literal)
        self._one_goal = {
            role: (Claim("some", tuple(own)), Claim("at most one", tuple(own))) for role, own in goals.items()
        }
        self._moves = {
            role: Claim("some", tuple(game.legal[number] for number in game.moves_of(role))) for role in goals
        }
        self._look()

    def step(self) -> bool:
        """Advance by one ply; return True if anything was new."""
        before = len(self._most), len(self._silent), sum(map(bool, self._counts.values()))
        self._playouts.step()
        self._look()
        return before != (len(self._most), len(self._silent), sum(map(bool, self._counts.values())))

    def _look(self) -> None:
        """Drop the claims that do not hold in the current states."""
        values, full = self._values, self._full
        for literal in self._facts:
            self._counts[literal] += values[literal].bit_count()
        self._states += self._playouts.lanes.count
        self._silent = [literal for literal in self._silent if not values[literal]]
        self._most = [claim for claim in self._most if not claim.broken(values, full)]
        least = ((claim, self._least[claim]) for claim in self._most if claim in self._least)
        self._least = {claim: other for claim, other in least if not other.broken(values, full)}
        self._exclusions.filter(values)
        over = values[self._game.terminal]

        def broken(claims: Iterable[Claim], lanes: int) -> bool:
            return any(claim.broken(values, full) & lanes for claim in claims)

        self._one_goal = {role: claims for role, claims in self._one_goal.items() if not broken(claims, over)}
        self._moves = {role: claim for role, claim in self._moves.items() if not broken([claim], over ^ full)}

    def candidates(self) -> Candidates:
        """Return the claims that are left."""
        counts, states = self._counts, self._states
        claims = list(self._exclusions.claims(counts, states))
        likely = self._likely()
        for claim in self._most:
            if claim in self._least:
                claims += [claim, self._least[claim]]
            elif claim in likely:
                claims.append(claim)
        open_facts = [literal for literal in self._facts if (literal >> 1) - 1 not in self._game.constants]
        constants = [Claim("some", (literal,)) for literal in open_facts if counts[literal] == states]
        constants += [Claim("none", (literal,)) for literal in open_facts if not counts[literal]]
        return Candidates(claims, constants, self._silent, self._one_goal, self._moves)

    def _likely(self) -> set[Claim]:
        """Return the groups that chance does not explain: alone, or together with all groups of a pattern."""
        left = set(self._most)
        patterns = self._alike.claims
        broken = self._alike.broken.union(*(numbers for claim, numbers in patterns.items() if claim not in left))
        expected = {
            claim: coincidences([self._counts[literal] for literal in claim.literals], self._states) for claim in left
        }
        together: dict[int, float] = {}
        for claim in self._most:
            for number in patterns[claim]:
                together[number] = together.get(number, 0) + (0 if number in broken else expected[claim])
        return {
            claim
            for claim, meetings in expected.items()
            if max(meetings, *(together[number] for number in patterns[claim])) > _EXPECTED
        }

"""What random playouts propose: claims that held in all their states, and would not have held by chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.proofs.claims import Alike, Claim, Exclusions, coincidences
from gdl.circuit.sampling import Playouts

#: Playouts side by side: twice as many take hardly longer, and few meet all the rare states.
_LANES: Final = 2048

#: Playouts end after so many steps without anything new, or when so many inputs of gates have been evaluated.
_QUIET_STEPS: Final = 16
_WORK: Final = 6_000_000

#: With more constants than this where the playouts ended too early, most of them are none.
_MANY: Final = 200

#: What excludes each other is only tried if it would have met so many times by chance.
_EXPECTED: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Candidates:
    """What held in all states of some playouts, the initial state included."""

    #: Claims about several facts.
    claims: list[Claim]
    #: Claims about single facts: that they always or never hold. None where many were still met for the first time.
    constants: list[Claim]
    #: Literals of legal moves and goals that never held.
    silent: list[int]
    #: For roles with exactly one goal where the game was over, the two claims that say so.
    one_goal: dict[int, tuple[Claim, Claim]]
    #: For roles with a legal move where it was not, the claim that says so.
    moves: dict[int, Claim]


def sampled(game: GameCircuit, random: Random) -> Candidates:
    """Candidates from playouts that end when nothing new happens any more."""
    sampling = _Sampling(game, Playouts(game, _LANES, random))
    left, quiet = _WORK, 0
    work = sum(map(len, game.circuit.fanins))
    while quiet < _QUIET_STEPS and left > 0:
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
        #: In how many states each fact held, by its literal.
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
        """Go on by one ply; whether something was new."""
        before = len(self._most), len(self._silent), sum(map(bool, self._counts.values()))
        self._playouts.step()
        self._look()
        return before != (len(self._most), len(self._silent), sum(map(bool, self._counts.values())))

    def _look(self) -> None:
        """Drop what does not hold in the present states."""
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
        """All that is left."""
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
        """The groups that chance does not explain: by themselves, or all that a pattern makes together."""
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

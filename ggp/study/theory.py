"""Proofs about a game: properties that follow from its rules, and its value under perfect play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING, Final, final

from gdl.compile_budget import CompileBudget
from gdl.engine import player_roles
from gdl.errors import DerivationLimitError, GdlError
from gdl.grounder import ground
from gdl.grounder.symmetry import role_symmetry
from gdl.terms import name_key, shape_of
from ggp.rules.checking.options import Simulation
from ggp.rules.checking.simulation import simulate
from ggp.rules.game_type import CONSTANT_SUM, TURNS, GameType, classify_game
from ggp.study.value import Value, value_of

if TYPE_CHECKING:
    from gdl.engine import Engine
    from gdl.language.rulesheet import Rulesheet
    from gdl.reasoner.reasoner import Reasoner
    from ggp.rules.checking.verdict import Verdict

#: The most seconds of processor time for grounding, to look for a symmetry.
_SYMMETRY: Final = 4.0

#: The properties of a game that matter to its designer, of those that `ggp check --simulate` examines.
_TOLD: Final = ("legal moves", "goals", "termination", "winnable")


@final
@dataclass(frozen=True, slots=True)
class Theory:
    """The proved properties of a game.

    `kind` is its type. `verdicts` are on its properties; `reason` says why there are none. `symmetry` is the result of
    the search for a renaming that exchanges two roles; None for any other number of roles.
    """

    kind: GameType
    verdicts: tuple[Verdict, ...]
    reason: str
    symmetry: Symmetry | None
    value: Value

    def traits(self) -> list[tuple[str, str, str]]:
        """Return the traits of the kind: the name, `yes` or `no`, and how it is known."""
        kind = self.kind
        if kind.players < 2:
            return []
        seen = "seen in playouts, not proved"
        turns = (
            "proved" if TURNS in kind.proved else seen if kind.turns else f"at once in {kind.together:.0%} of states"
        )
        rows = [("turn-taking", "yes" if kind.turns else "no", turns)]
        if self.symmetry in UNTOLD:
            rows.append(("symmetric", "unknown", self.symmetry.value))
        elif self.symmetry is not None:
            _, _, apart = self.symmetry.value.partition(", ")
            holds = apart or "yes"
            rows.append(("symmetric", holds, "proved: a renaming of facts and moves exchanges the roles"))
        if not kind.ends:
            return [*rows, ("constant sum", "unknown", "no playout came to an end")]
        held = f"proved: the goals add up to {kind.total}" if CONSTANT_SUM in kind.proved else seen
        return [*rows, ("constant sum", *(("yes", held) if kind.constant_sum else ("no", "seen in playouts")))]


def theory_of(
    reasoner: Reasoner,
    game: Engine,
    *,
    until: float,
    memory: float,
    seed: int,
    tell: Callable[[str], None] = lambda _: None,
) -> Theory:
    """Return what can be proved about a game before `until`, a time of `monotonic`, in some GB of memory.

    `game` is the compiled game, or the Reasoner if it cannot be compiled. An interrupt ends the search for the value
    with what is known.
    """
    seconds = max(0.0, until - monotonic())
    tell("kind of game")
    kind = classify_game(game, seconds=min(2.0, seconds / 6), seed=seed)
    tell("proofs")
    verdicts, reason = _verdicts(reasoner, seconds / 3, seed)
    players = player_roles(game)
    symmetry = None
    if len(players) == 2:
        symmetry = symmetry_of(reasoner.rulesheet, players, min(_SYMMETRY, seconds / 10))
    value = value_of(game, kind, max(0.0, until - monotonic()), memory, tell)
    return Theory(kind, verdicts, reason, symmetry, value)


def _verdicts(reasoner: Reasoner, seconds: float, seed: int) -> tuple[tuple[Verdict, ...], str]:
    try:
        found = simulate(reasoner.rulesheet, Simulation(playouts=20, seconds=seconds, seed=seed))
    except DerivationLimitError as error:
        return (), str(error)
    return tuple(verdict for verdict in found.verdicts if verdict.name in _TOLD), ""


class Symmetry(StrEnum):
    """The result of the search for a renaming of facts and moves that exchanges the two roles."""

    YES = "symmetric"
    BEGINNER = "symmetric, apart from who begins"
    PLACES = "symmetric, apart from the initial state"
    UNKNOWN = "no renaming that exchanges the roles was found"
    UNTRIED = "not looked for: grounding takes too long"
    PERCEPTS = "not looked for in games with percepts"


#: The results that say nothing about the game.
UNTOLD: Final = (Symmetry.UNKNOWN, Symmetry.UNTRIED, Symmetry.PERCEPTS)


def symmetry_of(rulesheet: Rulesheet, roles: Sequence[str], seconds: float, rules: int = 200_000) -> Symmetry:
    """Return what can be proved about two roles: see `gdl.grounder.symmetry`.

    Nothing is proved if grounding takes more than some seconds of processor time, or gives more ground rules. The roles
    differ only in who begins if each state fact that the renaming does not keep is the only one of its relation.
    """
    if seconds <= 0:
        return Symmetry.UNTRIED
    try:
        program = ground(rulesheet, CompileBudget(seconds, rules))
    except GdlError:
        return Symmetry.UNTRIED
    if program.sees:
        return Symmetry.PERCEPTS
    first, second = (next(one for one in program.roles if name_key(str(one)) == name_key(role)) for role in roles)
    found = role_symmetry(program, first, second)
    if found is None:
        return Symmetry.UNKNOWN
    image = {found.facts.get(fact, fact) for fact in program.init}
    moved = program.init - image
    if not moved:
        return Symmetry.YES
    alone = all(sum(shape_of(other) == shape_of(fact) for other in program.init) == 1 for fact in moved)
    return Symmetry.BEGINNER if alone else Symmetry.PLACES

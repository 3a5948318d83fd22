"""Symmetry between the two roles of a game: the same rules for both, apart from who begins or where they begin."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from gdl.compile_budget import CompileBudget
from gdl.errors import GdlError
from gdl.grounder import ground
from gdl.grounder.symmetry import role_symmetry
from gdl.terms import name_key, shape_of

if TYPE_CHECKING:
    from gdl.language.rulesheet import Rulesheet


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

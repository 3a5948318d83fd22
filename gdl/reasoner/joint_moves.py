"""Functions on roles that both engines use: parsing joint moves, and checking goal values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gdl.errors import GoalError, JointMoveError, UnknownRoleError
from gdl.language.parser import parse_terms
from gdl.terms import Term, name_key

#: A joint move: a mapping from roles to moves, or the moves in the order of the roles, as a sequence or a KIF string.
Moves = Mapping[str, Term | str] | Sequence[Term | str] | str

#: Matches a goal value, which may have zeros before it.
_GOAL = re.compile("0*(100|[0-9]{1,2})")


def goal_number(text: str) -> int | None:
    """The goal value that a text stands for: a whole number from 0 to 100. None for any other text."""
    found = _GOAL.fullmatch(text)
    return int(found[1]) if found else None


def role_named(role: str, roles: Sequence[str]) -> str:
    """Find a role by its name, regardless of case. Raises UnknownRoleError."""
    for name in roles:
        if name_key(name) == name_key(str(role)):
            return name
    raise UnknownRoleError(str(role), tuple(roles))


def in_role_order(moves: Moves, roles: Sequence[str]) -> Sequence[Term | str]:
    """Return the moves of a joint move, in the order of the roles.

    Raises JointMoveError, UnknownRoleError and TermError.
    """
    if isinstance(moves, str):
        moves = parse_terms(moves)
    if isinstance(moves, Mapping):
        named = {role_named(role, roles): move for role, move in moves.items()}
        if len(named) < len(moves):
            raise JointMoveError("two moves for one role")
        missing = [role for role in roles if role not in named]
        if missing:
            raise JointMoveError(f"no move for {', '.join(missing)}")
        return [named[role] for role in roles]
    if len(moves) != len(roles):
        raise JointMoveError(f"{len(moves)} moves for {len(roles)} roles ({', '.join(roles)})")
    return moves


def goal_value(role: str, values: Sequence[str]) -> int:
    """Return a role's goal value, given all that the rules derive. Raises GoalError unless it is one from 0 to 100."""
    value = goal_number(values[0]) if len(values) == 1 else None
    if value is None:
        raise GoalError(role, values)
    return value

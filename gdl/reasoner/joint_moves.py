"""Functions on roles that both engines use: parsing joint moves, and checking goal values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gdl.errors import GoalError, JointMoveError, UnknownRoleError
from gdl.language.parser import parse_terms
from gdl.terms import Term, name_key

#: A joint move: a mapping from roles to moves, or the moves in the order of the roles, as a sequence or a KIF string.
Moves = Mapping[str, Term | str] | Sequence[Term | str] | str

#: Matches a goal value.
WHOLE_NUMBER = re.compile("-?[0-9]{1,9}")


def whole_number(text: str) -> int | None:
    """The number that a goal value's text stands for; None if it is no whole number."""
    return int(text) if WHOLE_NUMBER.fullmatch(text) else None


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
    """Return a role's goal value, given all that the rules derive. Raises GoalError unless it is one whole number."""
    if len(values) != 1 or not WHOLE_NUMBER.fullmatch(values[0]):
        raise GoalError(role, values)
    return int(values[0])

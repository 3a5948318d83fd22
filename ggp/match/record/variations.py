"""The analysis of a match in its record: a tree of variations with comments.

In JSON, `variations` is a list of positions. The first is the start of the match. Each other one has `after`, the place
in the list of the position before it, which comes earlier, and `moves`, the joint move that leads to it. Each may have
a `comment`. Of the positions after the same one, those that come earlier in the list are preferred.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ggp.match.record.fields import Fields, RecordError

#: The largest number of positions in a tree, and of characters in a comment.
MOST_POSITIONS: Final = 20_000
LONGEST_COMMENT: Final = 10_000


@dataclass(frozen=True, slots=True)
class Variation:
    """A position in a tree of variations: the place of the one before it (-1 for the start), and the joint move."""

    after: int = -1
    moves: tuple[str, ...] = ()
    comment: str = ""


def variations_to_json(tree: Sequence[Variation]) -> list[dict[str, Any]]:
    """Return a tree as a list of JSON objects."""
    found = []
    for one in tree:
        fields: dict[str, Any] = {} if one.after < 0 else {"after": one.after, "moves": list(one.moves)}
        found.append(fields | ({"comment": one.comment} if one.comment else {}))
    return found


def variations_from_json(rows: Sequence[Any], width: int, file: str = "<record>") -> tuple[Variation, ...]:
    """Return the tree in a list of JSON objects, for a match with `width` roles. Raises RecordError."""
    if len(rows) > MOST_POSITIONS:
        raise RecordError(file, f"variations: more than {MOST_POSITIONS:,} positions")
    return tuple(_variation(fields, number, width, file) for number, fields in enumerate(rows))


def _variation(fields: Any, number: int, width: int, file: str) -> Variation:
    place = f"variations: position {number}"
    if not isinstance(fields, Mapping):
        raise RecordError(file, f"{place} is not an object")
    read = Fields(fields, f"{file}: {place}")
    comment = read.optional("comment", str, "")
    if len(comment) > LONGEST_COMMENT:
        raise RecordError(file, f"{place}: the comment has more than {LONGEST_COMMENT:,} characters")
    if number == 0:
        return Variation(comment=comment)
    after, moves = read.required("after", int), read.row("moves", str)
    if not 0 <= after < number:
        raise RecordError(file, f"{place}: after is {after}, which is not an earlier position")
    if len(moves) != width:
        raise RecordError(file, f"{place}: {len(moves)} moves for {width} roles")
    return Variation(after, moves, comment)

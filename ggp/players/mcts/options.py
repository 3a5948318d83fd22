"""What can be chosen about a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Options:
    """How to search; docs/guides/players.md says it at more length."""

    #: The weight of exploration in UCT, for goals from 0 to 1.
    exploration: float = 0.6
    #: A move without visits is worth so much more than the same move was elsewhere in the tree.
    unvisited: float = 10.0
    #: Leaves selected together, at most, and as this share of the root's visits.
    leaves: int = 1024
    leaves_share: float = 0.05
    #: Playouts for a leaf.
    playouts: int = 4
    #: A child gets a node when its edge has more visits than that.
    patience: int = 1
    #: Whether ends that are one ply from a new node are seen at once.
    lookahead: bool = True
    #: Whether all moves of a new node that were looked at for ends are tried at once, with a playout each.
    expand: bool = True
    #: Whether the tree is kept when the root moves on.
    keep: bool = True
    #: Whether a role that moves at the same time as others draws its move, as often as it was visited.
    mix: bool = False
    #: Bytes for two trees: one is searched, the other is there to move what is kept into it.
    memory: int = 1 << 30


def options_of(values: Mapping[str, float]) -> Options:
    """Options from numbers by their names. Raises TypeError for a name that there is not, or a number too small."""
    kinds: dict[str, type] = {field.name: type(getattr(Options(), field.name)) for field in fields(Options)}
    unknown = sorted(set(values) - set(kinds))
    if unknown:
        raise TypeError(f"no option {', '.join(unknown)}; the options are {', '.join(kinds)}")
    for name, value in values.items():
        least = 1 if name in ("leaves", "playouts", "memory") else 0
        if not least <= value < inf:
            raise TypeError(f"option {name} is {value:g}, but has to be {least} or more")
    return Options(**{name: kinds[name](value) for name, value in values.items()})

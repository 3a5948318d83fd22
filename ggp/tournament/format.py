"""The formats of tournaments, in a module that the command line loads for each command."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """The format of a tournament."""

    #: Each pair of players meets.
    ROUND_ROBIN = "round-robin"
    #: In each round, players with equal points meet.
    SWISS = "swiss"

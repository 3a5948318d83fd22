"""How a person leaves the course of a match: a match passes these on, instead of recording an error."""

from __future__ import annotations


class Leaving(Exception):
    """Raised by the `move` of a person's player."""


class Quit(Leaving):
    """The person has left; the match is to be aborted."""


class TakeBack(Leaving):
    """The person takes moves back; the first `kept` plies stay."""

    def __init__(self, kept: int) -> None:
        """Store the number of plies."""
        self.kept = kept
        super().__init__(kept)


class Resignation(Leaving):
    """The person gives up a role."""

    def __init__(self, role: str) -> None:
        """Store the role."""
        self.role = role
        super().__init__(role)

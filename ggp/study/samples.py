"""Sample matches of strong play: a typical one, the most dramatic one and the longest, with their turning points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from ggp.study.curves import drama, turning_point

if TYPE_CHECKING:
    from ggp.match.record import MatchRecord
    from ggp.study.curves import Curve
    from ggp.study.strong_play import StrongPlay


#: A match: its record, its curve, and what the players expected at each ply.
_Entry = tuple["MatchRecord", "Curve", Sequence[object]]


@final
@dataclass(frozen=True, slots=True)
class SampleMatch:
    """A match to look at: what it is an example of, its record, and its turning point in words, if there is one."""

    title: str
    record: MatchRecord
    turning: str
    #: What the players expected; `first` is the number of the ply of its first row.
    curve: Curve
    first: int

    @property
    def moves(self) -> list[str]:
        """The moves, one text for each ply; of roles without a choice, the moves are left out where others have one."""
        texts = []
        for ply in self.record.plies:
            chosen = [move for move, choices in zip(ply.moves, ply.choices, strict=True) if choices > 1]
            texts.append(" | ".join(chosen or ply.moves))
        return texts

    def as_json(self) -> dict[str, Any]:
        """Return the match in its JSON form."""
        record = self.record
        return {
            "sample": self.title,
            "plies": len(record.plies),
            "goals": list(record.goals),
            "turning": self.turning or None,
            "moves": [list(ply.moves) for ply in record.plies],
        }


def sample_matches(strong: StrongPlay) -> list[SampleMatch]:
    """Return up to three different matches of the strongest player against itself."""
    left = [
        (match.record, curve, match.expected)
        for match, curve in zip(strong.watched(), strong.curves(), strict=True)
        if match.record is not None and match.goals
    ]
    if not left:
        return []
    middle = sorted(len(record.plies) for record, _, _ in left)[len(left) // 2]

    def typical(entry: _Entry) -> float:
        return -abs(len(entry[0].plies) - middle)

    def dramatic(entry: _Entry) -> float:
        return drama(entry[1]) if entry[1].decided and len(entry[1].values) else 0.0

    def longer(entry: _Entry) -> float:
        return max(0, len(entry[0].plies) - middle)

    found = []
    for title, key in (
        ("a match of typical length", typical),
        ("the most dramatic match", dramatic),
        ("the longest match", longer),
    ):
        if left:
            best = max(left, key=key)
            left.remove(best)
            record, curve, expected = best
            called = title if key is typical or key(best) else "another match"
            first = len(expected) - len(curve.values) + 1
            found.append(SampleMatch(called, record, _turning(strong, record, curve, first), curve, first))
    return found


def _turning(strong: StrongPlay, record: MatchRecord, curve: Curve, first: int) -> str:
    """Describe the turning point: from which ply on the winner was ahead by its own and the others' evaluations."""
    row = turning_point(curve)
    if row is None:
        return ""
    who = " and ".join(strong.roles[place] for place in curve.winners)
    was = "was" if len(curve.winners) == 1 else "were"
    if row == 0 and first == 1:
        return f"{who} {was} ahead from the beginning"
    if row == 0:
        return f"{who} {was} ahead as soon as the players had a choice to judge, before ply {first}"
    ply = first + row - 1
    before = record.plies[ply - 1]
    chosen = [move for move, choices in zip(before.moves, before.choices, strict=True) if choices > 1]
    return f"{who} {was} ahead for good after ply {ply}{': ' if chosen else ''}{' | '.join(chosen)}"

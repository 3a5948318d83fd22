"""The evaluations of analyses that are kept beside the records, so that nobody has to ask for them again.

A row is about one position. `played` is the number of plies of the match that lead to it, and `moves` has the joint
moves after these. `evaluation` is what a search found, with the `seconds` that it was given, or 0 if it was stopped.
`mistake` is that in the move to the position, or null if there is none; it is missing if nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ggp.server.messages import EvaluationNews
from ggp.server.web.files import MatchFiles

#: A line of joint moves, each a tuple of moves in role order.
Line = tuple[tuple[str, ...], ...]

#: Rows that may be superseded before the file is written anew.
_SUPERSEDED: Final = 100


class KeptEvaluations:
    """The evaluations of all analyses."""

    def __init__(self, files: MatchFiles) -> None:
        """Keep evaluations beside the records of matches."""
        self._files = files

    def of(self, match: str) -> list[dict[str, Any]]:
        """Return a row for each position that was evaluated, or whose mistake is known. Raises FilesError, OSError."""
        rows = self._files.evaluations(match)
        found: dict[tuple[int, Line], dict[str, Any]] = {}
        for row in rows:
            if (place := _place(row)) is not None:
                found[place] = _joined(found.get(place), row)
        merged = list(found.values())
        if len(rows) > 2 * len(merged) + _SUPERSEDED:
            self._files.replace_evaluations(match, merged)
        return merged

    def add(self, match: str, played: Line, line: Line, news: EvaluationNews, seconds: float) -> None:
        """Keep the evaluation of the position after `news["ply"]` plies of a line. `played` are the moves of the match.

        Raises FilesError.
        """
        ply = news["ply"]
        evaluation = dict(news["evaluation"])
        mistake = {"mistake": evaluation.pop("mistake")} if "mistake" in evaluation else {}
        row = _at(played, line[:ply])
        self._files.add_evaluation(match, {**row, "evaluation": {**evaluation, "seconds": seconds}})
        if mistake and ply < len(line):
            self._files.add_evaluation(match, {**_at(played, line[: ply + 1]), **mistake})


def _at(played: Line, line: Line) -> dict[str, Any]:
    """Return the place of a position in a row."""
    common = 0
    while common < min(len(played), len(line)) and played[common] == line[common]:
        common += 1
    return {"played": common, "moves": [list(moves) for moves in line[common:]]}


def _place(row: Mapping[str, Any]) -> tuple[int, Line] | None:
    """Return the place of a row, or None if the row is damaged."""
    played, moves = row.get("played"), row.get("moves")
    evaluation, mistake = row.get("evaluation", {}), row.get("mistake")
    if not isinstance(played, int) or not isinstance(moves, list) or not all(map(_is_joint_move, moves)):
        return None
    if not isinstance(evaluation, dict) or not (mistake is None or isinstance(mistake, dict)):
        return None
    return played, tuple(map(tuple, moves))


def _is_joint_move(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(move, str) for move in value)


def _joined(before: Mapping[str, Any] | None, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two rows about the same position say together; the later one counts, unless the other saw more."""
    joined = {**(before or {}), **row}
    if before is not None and "evaluation" in before and "evaluation" in row:
        earlier, later = before["evaluation"], row["evaluation"]
        seconds = max(earlier.get("seconds", 0), later.get("seconds", 0))
        joined["evaluation"] = {**(earlier if _worth(earlier) > _worth(later) else later), "seconds": seconds}
    return joined


def _worth(evaluation: Mapping[str, Any]) -> tuple[bool, int]:
    """Order evaluations by how much can be relied on them: exact ones first, then by simulations."""
    return bool(evaluation.get("proven") or evaluation.get("exact")), evaluation.get("simulations", 0)

"""Pictures of a match record: a board for each ply, and the summary for notebooks."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from gdl.reasoner.reasoner import Reasoner
from ggp.board.drawing.svg import Frame
from ggp.board.finding.find import find_boards
from ggp.board.picture import Pictures
from ggp.board.view import Layout
from ggp.match.record.fields import RecordError

if TYPE_CHECKING:
    from ggp.match.record.values import MatchRecord


def pictures(record: MatchRecord) -> Pictures:
    """Return the states of a match as pictures. Raises RecordError for a record without rules."""
    return Pictures(layout_of(record, record.match_id), frames_of(record))


def layout_of(record: MatchRecord, source: str) -> Layout:
    """Return the boards of the game that was played; `source` names the record in errors.

    Raises RecordError for a record without rules, and RulesheetError.
    """
    if not record.rules:
        raise RecordError(source, "the record contains no rules (gameRulesheet), so its boards cannot be found")
    return find_boards(Reasoner(record.rules, record.game_name or source))


def frames_of(record: MatchRecord) -> list[Frame]:
    """Return the recorded states, each with the joint move that led to it."""
    return [
        Frame(record.facts(0)),
        *(Frame(record.facts(number), ply.moves) for number, ply in enumerate(record.plies, 1)),
    ]


def record_html(record: MatchRecord) -> str:
    """Return a table of roles, players and goals, above a picture of the match that plays itself."""
    goals = record.goal_of
    rows = "".join(
        f"<tr><td>{escape(role)}</td><td>{escape(player)}</td><td>{_shown(goals.get(role))}</td></tr>"
        for role, player in zip(record.roles, record.players, strict=False)
    )
    table = f"<table><tr><th>role</th><th>player</th><th>goal</th></tr>{rows}</table>"
    # A separate image, because a style sheet in an inline SVG would apply to the whole page.
    image = ""
    if record.rules:
        data = base64.b64encode(record.boards.animation().svg.encode()).decode()
        image = f'<img src="data:image/svg+xml;base64,{data}" alt="the match, ply by ply">'
    return f"<div><p>{escape(str(record))}</p>{table}{image}</div>"


def _shown(goal: int | None) -> str:
    return "-" if goal is None else str(goal)

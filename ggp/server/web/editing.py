"""The requests of the page /edit: about a text, and about the positions of its game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aiohttp import web

from ggp.rules.comments import opening_comment
from ggp.rules.conformance.writing import ASPECTS
from ggp.server.lineup import SetupError
from ggp.server.messages import AskRules, AskText, Json
from ggp.server.web.answers import json_body, json_errors, text_of, whole_number
from ggp.server.web.desks import Desks, Question
from ggp.server.web.library import LONGEST
from ggp.server.web.pages import page

#: The questions, each with the process that answers it.
QUESTIONS: Final[Mapping[str, type[Question]]] = {
    **dict.fromkeys(("findings", "format", "fix", "complete", "hover", "definition", "atom"), AskText),
    **dict.fromkeys(("position", "explain", "expect", "test"), AskRules),
}

_TEMPLATES: Final = Path(__file__).parent.parent / "templates"

#: The largest number of plies of a line.
_MOST_PLIES: Final = 2000


def edit_routes(desks: Desks) -> list[web.RouteDef]:
    """Return the page and its requests."""

    async def edit(request: web.Request) -> web.Response:
        return web.json_response(await _answer(desks, request.match_info["question"], await json_body(request)))

    return [
        web.get("/edit", page("edit.html")),
        web.get("/api/templates", _templates),
        web.post("/api/edit/{question}", json_errors(edit)),
    ]


async def _templates(request: web.Request) -> web.Response:  # noqa: ARG001
    """Return the games to start from."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(_TEMPLATES.glob("*.kif"))}
    listed = [{"name": name, "title": opening_comment(text).title, "text": text} for name, text in texts.items()]
    return web.json_response({"templates": listed})


async def _answer(desks: Desks, question: str, body: Json) -> Json:
    """Answer a question. Raises SetupError, GameClientError, EndlessError, BusyError."""
    kind = QUESTIONS.get(question)
    if kind is None:
        raise SetupError(f"there is no question {question}; the questions are {', '.join(QUESTIONS)}")
    rules = _any_text(body, "text", LONGEST)
    parts: Json = {}
    if question in ("complete", "hover", "definition", "atom"):
        parts["at"] = whole_number(body.get("at"), "at")
    if kind is AskRules:
        parts["moves"] = _moves(body.get("moves"))
    if question == "explain":
        parts["atom"] = text_of(body, "atom")
    if question == "test":
        parts["expectations"] = text_of(body, "expectations", LONGEST)
    if question == "expect":
        parts["expectations"] = _any_text(body, "expectations", LONGEST)
        parts["name"] = " ".join(_any_text(body, "name", 200).split())
        parts["aspects"] = _aspects(body.get("aspects"))
    return await desks.ask(text_of(body, "desk", 100), kind(question, rules, parts))


def _any_text(body: Json, name: str, longest: int) -> str:
    """Return a text of a request, which may be empty. Raises SetupError."""
    text = body.get(name)
    if not isinstance(text, str) or len(text) > longest:
        raise SetupError(f"{name} must be a string of at most {longest:,} characters")
    return text


def _aspects(value: object) -> list[str]:
    if not isinstance(value, list) or not value or not all(one in ASPECTS for one in value):
        raise SetupError(f"aspects must be a list of some of {', '.join(ASPECTS)}")
    return value


def _moves(value: object) -> list[dict[str, str]]:
    """Return a line of joint moves, each a mapping from roles to moves. Raises SetupError."""
    if not isinstance(value, list) or len(value) > _MOST_PLIES or not all(map(_is_joint_move, value)):
        raise SetupError(f"moves must be a list of at most {_MOST_PLIES:,} objects with a move for each role")
    return value


def _is_joint_move(value: object) -> bool:
    return isinstance(value, dict) and len(value) <= 1000 and all(isinstance(move, str) for move in value.values())

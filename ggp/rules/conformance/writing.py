"""Write a position with what holds in it as part of an expectation file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from gdl.errors import GoalError, NoLegalMoveError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term

#: What can be expected of a position.
ASPECTS: Final = ("terminal", "goals", "legal", "facts")

_WIDTH: Final = 120
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def unused_name(name: str, used: Collection[str]) -> str:
    """Return a name that no position has yet: the given one, with a number if necessary."""
    found, number = name, 1
    while found in used:
        number += 1
        found = f"{name} ({number})"
    return found


def position_text(
    game: Reasoner, name: str, line: Sequence[Sequence[Term]], state: State, aspects: Collection[str]
) -> str:
    """Return a `[[position]]` that expects what is the case in the state after a line of joint moves.

    `aspects` are some of `ASPECTS`. Goals that the rules do not give, and moves after the end, are left out.
    """
    lines = ["[[position]]", f"name = {_quoted(name)}"]
    if line:
        lines += _array("moves", [" ".join(move.text for move in moves) for moves in line])
    terminal = game.is_terminal(state)
    if "terminal" in aspects:
        lines.append(f"terminal = {'true' if terminal else 'false'}")
    if "goals" in aspects and (goals := _goals(game, state)):
        lines.append(f"goals = {{ {', '.join(f'{_key(role)} = {goal}' for role, goal in goals.items())} }}")
    if "legal" in aspects and not terminal:
        for role in game.roles:
            lines += _array(f"legal.{_key(role)}", [move.text for move in _legal(game, state, role)])
    if "facts" in aspects:
        lines += _array("facts", [fact.text for fact in state])
    return "\n".join(lines) + "\n"


def _goals(game: Reasoner, state: State) -> Mapping[str, int]:
    found = {}
    for role in game.roles:
        try:
            found[role] = game.goal(state, role)
        except GoalError:
            continue
    return found


def _legal(game: Reasoner, state: State, role: str) -> tuple[Term, ...]:
    try:
        return game.legal_moves(state, role)
    except NoLegalMoveError:
        return ()


def _array(key: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of an array of strings: one if they fit, else as many strings in each as fit."""
    items = [f"{_quoted(text)}," for text in texts]
    whole = f"{key} = [{' '.join(items).removesuffix(',')}]"
    if len(whole) <= _WIDTH:
        yield whole
        return
    yield f"{key} = ["
    row = "   "
    for item in items:
        if row.strip() and len(row) + 1 + len(item) > _WIDTH:
            yield row
            row = "   "
        row += f" {item}"
    yield row
    yield "]"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """Return a TOML string. Its escapes are those of JSON; DEL must be escaped, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

"""Show a text that is being written as a game: the board and the legal moves after some joint moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gdl.errors import GdlError, GoalError
from gdl.language.parser import source_of
from gdl.language.reading import read
from gdl.system.childprocess import JSON_LINES, AsyncChild, Parent, end_process, limit_process
from gdl.terms import Term, term_text

if TYPE_CHECKING:
    from gdl.reasoner.reasoner import Reasoner
    from gdl.reasoner.state import State

#: Limits for one preview, in seconds and bytes.
_SECONDS: Final = 10.0
_MEMORY: Final = 1 << 30

#: The largest number of moves of a role that are listed.
_MOST_MOVES: Final = 500


async def preview(text: str, file: str, moves: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the position after joint moves from the initial state, as `shown` does, computed in a separate process.

    Rules that are being written may derive without end: the process is killed after ten seconds, or on cancellation.
    """
    child = await AsyncChild.start("ggp.rules.lsp.preview", errors=asyncio.subprocess.DEVNULL)
    try:
        child.send([text, file, [list(one) for one in moves]])
        async with asyncio.timeout(_SECONDS):
            found: dict[str, Any] = await child.receive()
            return found
    except TimeoutError:
        return {"error": f"the position could not be derived in {_SECONDS:g} seconds"}
    except EOFError:
        return {"error": "deriving the position takes too much memory"}
    finally:
        child.kill()
        await child.wait()


def main() -> None:
    """Answer one request and end."""
    limit_process(0, memory=_MEMORY)
    parent = Parent(JSON_LINES)
    text, file, moves = parent.receive()
    parent.listen()
    try:
        found = shown(text, file, moves)
    except GdlError as error:
        found = {"error": str(error)}
    parent.send(found)
    end_process()


def shown(text: str, file: str, moves: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the position after joint moves, each with a move for every role in order.

    The result has `ply`, the board as `svg` and as `text`, `terminal`, `forgotten`, and for each of the `roles` its
    `name`, its `legal` moves, `more` if there are too many to list, and its `goal` or None. Moves that are no longer
    legal, as the rules have changed, and all after them are left out; `forgotten` is their number. If the text has
    mistakes, the result has only an `error`. Raises GdlError.
    """
    reading = read(source_of(text, file))
    if reading.mistakes:
        return {"error": "The rules have mistakes."}
    from gdl.language.rulesheet import Rulesheet
    from gdl.reasoner.reasoner import Reasoner
    from ggp.board import find_boards
    from ggp.board.drawing.svg import svg
    from ggp.board.terminal.text import render_text
    from ggp.board.wishes import fulfil, wishes_beside

    game = Reasoner(Rulesheet.of_source(reading.source))
    wishes = wishes_beside(Path(file))
    layout = fulfil(find_boards(game, wishes.hands), wishes)
    state, before, last = game.initial_state(), None, None
    ply = 0
    for joint in moves:
        made = [_legal(game, state, role, move) for role, move in zip(game.roles, joint, strict=False)]
        legal = [move for move in made if move is not None]
        if game.is_terminal(state) or len(legal) < len(game.roles):
            break
        last = dict(zip(game.roles, legal, strict=True))
        before, state = state, game.next_state(state, last)
        ply += 1
    over = game.is_terminal(state)
    return {
        "ply": ply,
        "forgotten": len(moves) - ply,
        "svg": svg(layout, state, last_moves=last, before=before, title=wishes.title, colours=wishes.colours),
        "text": render_text(layout, state, last_moves=last),
        "terminal": over,
        "roles": [_role(game, state, role, over) for role in game.roles],
    }


def _legal(game: Reasoner, state: State, role: str, move: str) -> Term | None:
    """Return the legal move with a text; None if there is none."""
    return next((one for one in game.legal_moves(state, role) if term_text(one) == move), None)


def _role(game: Reasoner, state: State, role: str, over: bool) -> dict[str, Any]:
    try:
        goal = game.goal(state, role)
    except GoalError:  # goals need not be defined before the end
        goal = None
    legal = () if over else game.legal_moves(state, role)
    return {
        "name": role,
        "legal": [term_text(move) for move in legal[:_MOST_MOVES]],
        "more": max(0, len(legal) - _MOST_MOVES),
        "goal": goal,
    }


if __name__ == "__main__":
    main()

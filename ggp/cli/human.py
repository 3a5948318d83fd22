"""A person at the terminal as a player, who sees the legal moves and types moves or commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import islice
from typing import Final

from rich.console import Console

from gdl.errors import GdlError
from gdl.explanation.explanation import Explanation
from gdl.explanation.outline import in_words, outline
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator.partial_game import PartialGame
from gdl.simulator.simulator import Simulator
from gdl.terms import Function, Term, name_key
from ggp.board import Layout, StateText, find_boards, render_state
from ggp.cli.screen import columns, line, screen
from ggp.cli.terminal import Terminal
from ggp.cli.views.how_to_play import print_how_to_play
from ggp.match.answers import legal_move
from ggp.match.own_view import SeenBoards
from ggp.match.record import Result
from ggp.players import make_player
from ggp.players.clock import Deadline
from ggp.players.player import End, Quit, Resignation, Start, TakeBack, Told, Turn
from ggp.rules.how_to_play import how_to_play

#: The largest number of rows of moves that are shown in a pipe without being asked for; on a terminal, columns of moves
#: are at least as high if it has room for them.
_ROWS: Final = 8

#: The smallest number of rows of moves, if the board alone fills the terminal.
_FEWEST: Final = 2

#: The other lines of a screen: the last move, blanks around the board, the number of hidden moves, the prompt in words,
#: and the line for the answer.
_AROUND: Final = 6

#: The largest number of lines of an explanation.
_LINES: Final = 20

#: Seconds that a program may think about a hint; on a clock, at most a quarter of what is left.
_HINT: Final = 2.0

_HELP: Final = (
    ("NUMBER, MOVE", "make a move; its beginning is enough, and its outer parentheses can be left out"),
    ("moves", "show all legal moves"),
    ("hint", "ask a program what it would do"),
    ("? MOVE", "say why a move is legal, or why not; explain MOVE shows all of it"),
    ("undo", "take back your last move, and what followed it"),
    ("resign", "give up: 0 points for you, 100 for the others"),
    ("help", "show how to play this game, and these commands"),
    ("quit", "leave the match, like Ctrl-D; it is recorded as aborted"),
)


class HumanPlayer:
    """A player that prompts on a console, standard output by default, and reads answers from standard input.

    A single legal move is played without asking.
    """

    name = "human"
    person = True

    def __init__(
        self,
        terminal: Terminal,
        console: Console | None = None,
        asking: Callable[[], AbstractContextManager[object]] = nullcontext,
        *,
        takes_back: bool = False,
        draws: bool = True,
    ) -> None:
        """Read from `terminal`, which all people at one terminal share, and prompt on `console`.

        `asking` is entered while the person is asked. With `takes_back`, the person may take moves back. With `draws`,
        the boards of a game with hidden information are shown as the person's role has seen them.
        """
        self._terminal = terminal
        self._asking = asking
        self._takes_back = takes_back
        self._draws = draws
        self._console = console or screen()
        self._start: Start | None = None
        self._role = ""
        self._chosen: list[int] = []
        self._told: list[Told] = []
        self._boards: tuple[Layout, SeenBoards] | None = None
        #: The boards that others print above the moves; found when their height is first needed.
        self._layout: Layout | None = None
        #: The number of plies about which the person has been told.
        self._heard = 0
        self._commands: dict[str, Callable[[Turn], Term | None]] = {
            "moves": self._list_all,
            "hint": self._hint,
            "undo": self._undo,
            "resign": self._resign,
            "quit": self._quit,
            "help": self._help,
        }

    def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
        """Note the role, what it knows, and which of the person's choices are still part of the match."""
        self._start, self._role = start, start.role
        self._told, self._heard = list(start.past), 0
        self._layout = None
        if start.hidden and self._draws:
            layout = find_boards(start.game)
            self._boards = (layout, SeenBoards(start.game, layout)) if layout.boards else None
        self._chosen = [ply for ply in self._chosen if ply <= len(start.past)]

    def move(self, turn: Turn) -> Term | str:
        """Return the move that was typed. Raises Quit, TakeBack and Resignation."""
        if turn.ply > 1:  # after a match is resumed, its last ply is told a second time
            self._told[turn.ply - 2 :] = [Told(None, turn.own_move, turn.percepts)]
        if len(turn.legal) == 1:
            return turn.legal[0]

        def meaning(typed: str) -> Term | None:
            return self._meant(typed, turn)

        with self._asking():
            self._show(turn)
            words = [*(move.text for move in turn.legal), *self._commands]
            move = self._terminal.ask(meaning, turn.deadline, words)
        self._chosen.append(turn.ply)
        if move is None:
            return ""  # late anyway
        return move

    def stop(self, end: End) -> None:
        """Do nothing; the match view shows the end."""

    def _show(self, turn: Turn) -> None:
        drawn = self._tell()
        self._list(turn, self._room(turn, drawn))
        seconds = turn.deadline.left()
        within = f", within {seconds:.0f} s" if turn.deadline.at is not None else ""
        line(self._console, (f"{self._role} to move (a number, a move or help{within}):", "bold"))

    def _room(self, turn: Turn, drawn: int) -> int:
        """Return how many rows of moves leave the board on the screen; `drawn` is the height of one just printed."""
        if not self._console.is_terminal:
            return _ROWS
        if self._start is not None and turn.state is not None:
            self._layout = self._layout or find_boards(self._start.game)
            drawn = self._height(render_state(self._layout, turn.state))
        return max(_FEWEST, self._console.height - drawn - _AROUND)

    def _height(self, board: StateText) -> int:
        return len(self._console.render_lines(board, pad=False))

    def _tell(self) -> int:
        """Print what the role has done and seen since the person was last asked, in a game with hidden information.

        Return the height of the board that was printed.
        """
        if self._start is None or not self._start.hidden:
            return 0
        for ply, told in enumerate(self._told[self._heard :], self._heard + 1):
            seen = f"you saw {', '.join(percept.text for percept in told.percepts)}" if told.percepts else ""
            made = f"you played {told.own_move}" if isinstance(told.own_move, Function) or not seen else ""
            line(self._console, (f"ply {ply}", "bold"), "  ", "; ".join(filter(None, (made, seen))))
        self._heard = len(self._told)
        if self._boards is not None:
            layout, boards = self._boards
            facts = boards.facts(self._role, self._told)
            if not facts and all(board.holds for board in layout.boards):
                return 0
            board = render_state(layout, facts)
            self._console.print()
            self._console.print(board, crop=False)
            self._console.print()
            return self._height(board)
        return 0

    def _list(self, turn: Turn, most: int | None) -> None:
        """Print the legal moves in columns, in at most `most` rows."""
        width = len(str(len(turn.legal)))
        entries = [f"{number:>{width}}  {move.text}" for number, move in enumerate(turn.legal, 1)]
        across = max(1, (self._console.width + 3) // (max(map(len, entries)) + 3))
        rows = min(most or len(entries), len(entries), max(_ROWS, -(-len(entries) // across)))
        shown = entries[: rows * across]
        filled = shown + [""] * (-len(shown) % rows)
        down = [filled[start : start + rows] for start in range(0, len(filled), rows)]
        for row in columns(list(zip(*down, strict=True))):
            line(self._console, "   ".join(row).rstrip())
        if len(shown) < len(entries):
            line(self._console, f"... and {len(entries) - len(shown)} more: moves")

    def _meant(self, typed: str, turn: Turn) -> Term | None:
        """Return the legal move that a line denotes, or carry out a command."""
        found = meant_moves(typed, turn.legal)
        command = self._commands.get(name_key(typed))
        if len(found) == 1 and (command is None or name_key(found[0].text.strip("()")) == name_key(typed)):
            return found[0]
        if command is not None:
            return command(turn)
        word, _, rest = typed.partition(" ")
        if typed.startswith("?"):
            self._explain(typed[1:].strip(), turn, _in_a_line)
        elif name_key(word) == "explain" and rest:
            self._explain(rest.strip(), turn, _in_full)
        elif typed.isdecimal():
            line(self._console, f"choose 1 to {len(turn.legal)}")
        elif found:
            some = ", ".join(move.text for move in found[:4]) + (", ..." if len(found) > 4 else "")
            line(self._console, f"{len(found)} moves begin like this: {some}")
        elif typed:
            line(self._console, f"{typed} is not legal for {self._role}; ? {typed} says why, help lists commands")
        return None

    def _list_all(self, turn: Turn) -> None:
        self._list(turn, None)

    def _help(self, turn: Turn) -> None:  # noqa: ARG002
        assert self._start is not None
        game = self._start.game
        if isinstance(game, Reasoner | Simulator | PartialGame):
            print_how_to_play(self._console, how_to_play(game if isinstance(game, Reasoner) else game.reasoner))
        for command, meaning in columns(_HELP):
            line(self._console, (f"  {command}", "bold"), f"  {meaning}")

    def _hint(self, turn: Turn) -> None:
        assert self._start is not None
        if turn.state is None:
            line(self._console, "there are no hints in a game with hidden information")
            return
        seconds = min(_HINT, turn.deadline.left() / 4)
        line(self._console, (f"thinking for {seconds:.0f} s ...", "dim"))
        adviser = make_player("auto")
        start = replace(self._start, start_clock=seconds, play_clock=seconds, past=())
        adviser.start(start, Deadline.after(seconds / 2))
        move = adviser.move(replace(turn, moves=None, own_move=None, deadline=Deadline.after(seconds / 2)))
        adviser.stop(End(Result.ABORTED.value))
        line(self._console, f"hint: {move.text if isinstance(move, Term) else move}")

    def _undo(self, turn: Turn) -> None:  # noqa: ARG002
        if not self._takes_back:
            line(self._console, "moves cannot be taken back in this match")
        elif not self._chosen:
            line(self._console, f"{self._role} has made no move yet that could be taken back")
        else:
            raise TakeBack(self._chosen[-1] - 1)

    def _resign(self, turn: Turn) -> None:  # noqa: ARG002
        raise Resignation(self._role)

    def _quit(self, turn: Turn) -> None:  # noqa: ARG002
        raise Quit("the person has left")

    def _explain(self, typed: str, turn: Turn, tell: Callable[[Explanation], Iterator[str]]) -> None:
        assert self._start is not None
        game = self._start.game
        if turn.state is None:
            line(self._console, "in a game with hidden information, nobody sees why moves are legal")
            return
        if not isinstance(game, Reasoner | Simulator | PartialGame):
            line(self._console, "this game does not show why moves are legal")
            return
        found = meant_moves(typed, turn.legal)
        move = found[0].text if len(found) == 1 else parenthesized(typed)
        reasoner = game if isinstance(game, Reasoner) else game.reasoner
        try:
            explanation = reasoner.explain(f"(legal {self._role} {move})", reasoner.state(turn.state))
        except GdlError as error:
            line(self._console, str(error))
            return
        for one in tell(explanation):
            line(self._console, one)


def _in_a_line(explanation: Explanation) -> Iterator[str]:
    yield in_words(explanation)


def _in_full(explanation: Explanation) -> Iterator[str]:
    shown = list(islice(outline(explanation), _LINES + 1))
    yield from map(str, shown[:_LINES])
    if len(shown) > _LINES:
        yield "... ; ggp explain shows all of it"


def meant_moves(typed: str, legal: Sequence[Term]) -> list[Term]:
    """Return the legal moves that a line may mean: none, one, or several that begin with it.

    A number counts from 1 in the order of `legal`. Case, outer parentheses and the amount of space do not matter.
    """
    if typed.isdecimal() and 1 <= int(typed) <= len(legal):
        return [legal[int(typed) - 1]]
    exact, _ = legal_move(typed, tuple(legal))
    if exact is not None:
        return [exact]
    start = _plain(typed)
    if not start:
        return []
    texts = {move: _plain(move.text) for move in legal}
    same = [move for move, text in texts.items() if text == start]
    return same or [move for move, text in texts.items() if text.startswith(start)]


def parenthesized(typed: str) -> str:
    """Return a term as KIF text; its outer parentheses may be missing."""
    text = typed.strip()
    return f"({text})" if " " in text and not text.startswith("(") else text


def _plain(text: str) -> str:
    """Return a move in the form in which beginnings are compared."""
    spaced = re.sub(r"\s+", " ", name_key(text.strip()))
    spaced = re.sub(r"(?<=\() | (?=\))", "", spaced)
    return spaced.removeprefix("(").removesuffix(")") if spaced.startswith("(") else spaced

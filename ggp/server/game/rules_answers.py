"""What the page /edit asks about the positions of the game that it is writing, as JSON. Runs in a game process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from gdl.engine import is_nature
from gdl.errors import GdlError
from gdl.language.parser import parse_term
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.board.wishes import Wishes
from ggp.rules.conformance import Settings, checks
from ggp.rules.conformance.expectation_file import parse_expectations
from ggp.rules.conformance.writing import position_text, unused_name
from ggp.rules.report_text import number_and_noun
from ggp.server.game.lines import LineError
from ggp.server.game.table import Table
from ggp.server.messages import Json


@final
class RulesAnswers:
    """Answers about the positions of one game."""

    def __init__(self, text: str, name: str, budget: DerivationBudget) -> None:
        """Read the rules. Raises RulesheetError and DerivationLimitError."""
        self.text = text
        self._table = Table(text, name, Wishes(), budget)
        self._game = self._table.game
        self._states = [self._game.initial_state()]
        self._line: list[tuple[Term, ...]] = []

    def answer(self, question: str, parts: Json) -> Json:
        """Answer a question about the position after some joint moves, each a mapping from roles to moves."""
        stopped = self._play(parts["moves"])
        if question == "position":
            return {**self._position(), "stopped": stopped}
        if stopped is not None:
            raise LineError(stopped)
        if question == "test":
            return self._test(parts["expectations"])
        if question == "expect":
            return self._expect(parts["expectations"], parts["name"], parts["aspects"])
        return self._explain(parts["atom"])

    def _play(self, moves: Sequence[Mapping[str, str]]) -> str | None:
        """Play a line of moves as far as possible; return why it stopped, or None. Roles may leave out forced moves.

        Positions that the previous line went through, too, are not computed again.
        """
        for ply, named in enumerate(moves):
            try:
                joint_move = self._joint_move(self._states[ply], named)
                if self._line[ply : ply + 1] == [joint_move]:
                    continue
                following = self._game.next_state(self._states[ply], joint_move)
            except GdlError as error:
                self._cut(ply)
                return f"ply {ply + 1}: {error}"
            self._cut(ply)
            self._line.append(joint_move)
            self._states.append(following)
        self._cut(len(moves))
        return None

    def _cut(self, plies: int) -> None:
        del self._line[plies:], self._states[plies + 1 :]

    def _joint_move(self, state: State, named: Mapping[str, str]) -> tuple[Term, ...]:
        """Return the move of each role: the one named, else its only one. Raises GdlError."""
        if self._game.is_terminal(state):
            raise LineError("the game is over before this move")
        found = []
        for role in self._game.roles:
            legal = self._game.legal_moves(state, role)
            if role not in named and len(legal) > 1:
                raise LineError(f"{role} has {len(legal)} legal moves, and none is chosen")
            move = parse_term(named[role]) if role in named else legal[0]
            if move not in legal:
                raise LineError(f"{move} is not a legal move of {role}")
            found.append(move)
        return tuple(found)

    def _position(self) -> Json:
        plies = len(self._line)
        moves = [move.text for move in self._line[-1]] if plies else []
        before = self._states[-2] if plies else None
        return {
            "game": {**self._table.about(), "roles": list(self._game.roles)},
            "position": self._table.shown(self._states[-1], plies, moves, before, chance=True),
            "goals": {role: self._goal(role) for role in self._game.roles if not is_nature(role)},
            "line": [
                {role: move.text for role, move in zip(self._game.roles, joint_move, strict=True)}
                for joint_move in self._line
            ],
        }

    def _goal(self, role: str) -> int | None:
        """Return the goal value of a role; None if there is not exactly one."""
        try:
            return self._game.goal(self._states[-1], role)
        except GdlError:
            return None

    def _explain(self, text: str) -> Json:
        """Explain an atom; one that depends on moves for the last joint move, in the state before it."""
        atom = parse_term(text)
        state, moves = self._states[-1], None
        if self._game.depends_on_moves(atom):
            if not self._line:
                raise LineError(
                    "this atom depends on the moves: choose a move first; then it is explained for that move"
                )
            state, moves = self._states[-2], self._line[-1]
        return {**self._table.explained(state, text, moves), "atom": atom.text}

    def _expect(self, text: str, name: str, aspects: Sequence[str]) -> Json:
        """Add the position to the text of an expectation file. Raises ExpectationError if that has mistakes."""
        used = {one.name for one in parse_expectations(text, "expectations", self._game).positions}
        plies = number_and_noun(len(self._line), "ply", "plies")
        name = unused_name(name or (f"after {plies}" if self._line else "the initial position"), used)
        added = position_text(self._game, name, self._line, self._states[-1], aspects)
        return {"expectations": f"{text.rstrip()}\n\n{added}" if text.strip() else added}

    def _test(self, text: str) -> Json:
        """Check the game against the text of an expectation file, without playouts. Raises ExpectationError."""
        expectations = parse_expectations(text, "expectations", self._game)
        found = [(check.name, check.run()) for check in checks(self._game, expectations, Settings(playouts=0))]
        return {"checks": [{"name": name, "failures": list(finding.failures)} for name, finding in found]}

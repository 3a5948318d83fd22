"""The player `auto`: delegates to the player that suits the game, which `ggp.players.policies` choose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic

from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.clock import Deadline
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.levels import HIGHEST, LIMITED
from ggp.players.mcts import MctsPlayer
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.policies import LATE, POLICIES, Case, Wishes
from ggp.players.thought import Thought
from ggp.players.traits import thought_of


class AutoPlayer:
    """Chooses a player when the match starts and delegates to it; `chosen` is that player."""

    name = "auto"
    compiles = True
    plans = True
    functions = (*MctsPlayer.functions, *AlphaBetaPlayer.functions, *PlannerPlayer.functions)

    def __init__(
        self,
        simulations: int | None = None,
        level: int | None = None,
        ponder: bool = True,
        learned: bool = True,
        race: bool = True,
        remember: bool = True,
        threads: int | None = None,
    ) -> None:
        """Take a limit of simulations or nodes per move; without one, only the clock limits a move.

        With a level from 1 to 8, play like a beginner (1) or as well as possible (8). Raises TypeError for both.
        Without `ponder`, never think between moves, even if the match permits it. Without `learned`, take no notice of
        a file of learned values beside the rules. Without `race`, choose by the rule of thumb alone. Without
        `remember`, begin every match as if it were the first of its game. Without `threads`, search in as many as
        the match permits.
        """
        if level is not None and simulations is not None:
            raise TypeError("a level has its own number of simulations")
        if level is not None:
            self.name = f"auto(level={level})"
            simulations = LIMITED if level == HIGHEST - 1 else None
        self._wishes = Wishes(simulations, level or HIGHEST, ponder, learned, race, remember, threads, None)
        self.chosen: Player | None = None
        self._case: Case | None = None
        #: A file of learned values, for rules that come from no file; by default, the one beside the rules is used.
        self.learned_file: Path | None = None
        #: A remark about learned values beside the rules; empty if there are none.
        self.note = ""
        #: Why it was chosen, in words; empty if there was nothing to choose.
        self.reason = ""
        #: The seconds of the start clock that the choice has taken.
        self.seconds = 0.0

    @property
    def limited(self) -> bool:
        """True if it was given a number of simulations."""
        return self._wishes.limited

    def start(self, start: Start, deadline: Deadline) -> None:
        """Choose a player and start it."""
        began = monotonic()
        case = self._case = Case(replace(self._wishes, file=self.learned_file), start, deadline)
        self.note = self.reason = ""
        for policy in POLICIES:
            choice = policy(case)
            self.note = self.note or case.note
            if choice is None:
                continue
            self.chosen, self.reason = choice.player, choice.reason
            self.seconds = monotonic() - began
            try:
                if choice.begin is None:
                    choice.player.start(start, deadline)
                else:
                    choice.begin(deadline)
            except ArrayFileError as error:
                self._refuse(error)
            else:
                return

    def move(self, turn: Turn) -> Term | str:
        """Return the chosen player's move."""
        if self.chosen is None or self._case is None:
            raise RuntimeError("move() called before start()")
        try:
            return self.chosen.move(turn)
        except ArrayFileError as error:  # the values do not fit the game, which was not compiled before
            self._refuse(error)
            self.chosen = next(choice.player for policy in LATE if (choice := policy(self._case)) is not None)
            self.chosen.start(self._case.start, turn.deadline.earlier(turn.deadline.left() / 2))
            return self.chosen.move(turn)

    def _refuse(self, error: ArrayFileError) -> None:
        """Give up the learned values, and say why."""
        if self.chosen is not None:
            self.chosen.stop(End("aborted"))
        self.note = f"does not use {Path(error.file or '').name}: {error.reason}"

    def thought(self) -> Thought | None:
        """Return the thought of the chosen player, with the reason of the choice as a note."""
        thought = thought_of(self.chosen)
        if thought is None:
            return None
        return replace(thought, note="; ".join(filter(None, (self.note, thought.note, self.reason))))

    def stop(self, end: End) -> None:
        """Stop the chosen player and forget it."""
        if self.chosen is not None:
            self.chosen.stop(end)
            self.chosen = self._case = None

"""The player `auto`: delegates to the player that suits the game.

If there is a file `NAME.learned` beside the rules that fits them, it goes to `learned`, or for one role to `planner`
with these values, unless the file says that its values did harm in matches at the end of their training. Games with
hidden states go to `ismcts`, and single-player games to `planner`. Games with more than two roles or chance go to
`mcts`, as do those of two roles that move at the same time, unless these are small: there, `ismcts` mixes its moves and
is hard to exploit. Where two roles take turns, a rule of thumb says which player is likely to be stronger: `alphabeta`
if random playouts are long, and so say little about a state, and if it has learned from enough states; else `mcts`. If
the start clock is long enough, searches then [race](ggp.players.race) against each other, only the ways of `mcts` where
`alphabeta` cannot play: the one that the rule favours begins, and another one replaces it by winning more matches.
docs/notes/alphabeta.md and docs/notes/hidden-information.md report the matches behind the rules.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from gdl.compile_errors import CompileError
from gdl.engine import Engine, is_nature
from gdl.errors import GdlError
from gdl.language.rulesheet import Rulesheet
from gdl.terms import Term
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.alphabeta.alphabeta import LONGEST_LESSONS
from ggp.players.alphabeta.array_file import ArrayFileError
from ggp.players.alphabeta.learned_value import value_beside
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.learned import LearnedPlayer
from ggp.players.levels import HIGHEST, LEVELS, LIMITED, LevelPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.mcts import load_search
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start, Turn
from ggp.players.race import Contest, Race
from ggp.players.race_results import CANDIDATES, RaceResults, players_version
from ggp.players.thought import Thought
from ggp.players.traits import thought_of
from ggp.rules.conformance.perft import perft

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.alphabeta.chooser import MoveChooser

#: The share of the start clock that may be spent on classifying the game, and the limits in seconds.
_SHARE: Final = 0.4
_LONGEST: Final = 3.0
_LEAST: Final = 0.3

#: In games whose random playouts average at most this many plies, mcts was stronger (connect four has 22, battle 33);
#: in most of those with 40 or more, alphabeta was.
_SHORT: Final = 35

#: With fewer states of lessons, as in games of the size of chess after some seconds, alphabeta was weaker: hex and
#: skirmish.
_TAUGHT: Final = 8_000

#: Where roles move at the same time, `ismcts` is for games with at most so many sequences of joint moves of any length:
#: with 14,400 (goofspiel of five cards), it was not weaker than mcts; with 10^10, it lost nearly all matches.
_FEW: Final = 20_000

#: The share of the rest of the start clock in which searches race, and the limit in seconds. It cannot be large: for
#: `mcts`, ten seconds of search before the match are worth as much as the time for dozens of moves at 0.2 s. But if the
#: results are kept, only the first matches of a game have to do without that time.
_RACE: Final = 0.15
_KEPT_RACE: Final = 0.3
_LONGEST_RACE: Final = 20.0

#: The share in which `alphabeta` has to be ready: in some games, a single playout takes a second.
_PREPARED: Final = 0.5

#: The share for the start of the player that was chosen, if `alphabeta` is likely to be it: the longer it learns before
#: the race, the better it plays. Otherwise, it learns for another share, and goes on in later matches.
_AFTER: Final = 0.05
_RIVAL: Final = 0.15

#: The name of the entry in the cache for the kind of a game.
_KIND: Final = "kind.json"

#: The playouts whose mean length counts.
_PLAYOUTS: Final = 1024

#: The plies of a match for each state of a game that `alphabeta` learns from: in some there is no choice, and matches
#: between searches last longer than quick games.
_STATES: Final = 2


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
    ) -> None:
        """Take a limit of simulations or nodes per move; without one, only the clock limits a move.

        With a level from 1 to 8, play like a beginner (1) or as well as possible (8). Raises TypeError for both.
        Without `ponder`, never think between moves, even if the match permits it. Without `learned`, take no notice of
        a file of learned values beside the rules. Without `race`, choose by the rule of thumb alone. Without
        `remember`, begin every match as if it were the first of its game.
        """
        if level is not None and simulations is not None:
            raise TypeError("a level has its own number of simulations")
        self._level = HIGHEST if level is None else level
        self._simulations = LIMITED if self._level == HIGHEST - 1 else simulations
        if level is not None:
            self.name = f"auto(level={self._level})"
        self._ponders = ponder
        self._learned = learned
        self._races = race
        self._remembers = remember
        self.chosen: Player | None = None
        self._start: Start | None = None
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
        return self._simulations is not None or self._level <= len(LEVELS)

    def start(self, start: Start, deadline: Deadline) -> None:
        """Classify the game, choose a player and start it."""
        self._start = start
        errs = self._level <= len(LEVELS)
        self.note = self.reason = ""
        learned = None
        if self._learned and not errs:
            learned, self.note = _beside(start.game, self.learned_file, self._simulations, self._ponders)
        chosen = LevelPlayer(self._level) if errs else learned
        if chosen is None:
            self._choose(start, deadline)
            return
        self.chosen = chosen
        try:
            chosen.start(start, deadline)
        except ArrayFileError as error:
            self._refuse(error)
            self._choose(start, deadline)

    def move(self, turn: Turn) -> Term | str:
        """Return the chosen player's move."""
        if self.chosen is None or self._start is None:
            raise RuntimeError("move() called before start()")
        try:
            return self.chosen.move(turn)
        except ArrayFileError as error:  # the values do not fit the game, which was not compiled before
            self._refuse(error)
            self.chosen = self._any(self._start)
            self.chosen.start(self._start, turn.deadline.earlier(turn.deadline.left() / 2))
            return self.chosen.move(turn)

    def _refuse(self, error: ArrayFileError) -> None:
        """Give up the learned values, and say why."""
        if self.chosen is not None:
            self.chosen.stop(End("aborted"))
        self.note = f"does not use {Path(error.file or '').name}: {error.reason}"

    def _any(self, start: Start) -> Player:
        """Return the player that suits any game with the number of roles, without hidden states."""
        if len(start.game.roles) == 1:
            return PlannerPlayer()
        return MctsPlayer(self._simulations, self._ponders)

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
            self.chosen = self._start = None

    def _choose(self, start: Start, deadline: Deadline) -> None:
        """Choose a player for a game without learned values, and start it."""
        roles = start.game.roles
        began = monotonic()
        contest: Contest | str | None = None
        if sum(not is_nature(role) for role in roles) > 1 and not start.hidden:
            # If the kind is not known in time, use the player that suits any game.
            seconds = min(_LONGEST, _SHARE * deadline.left())
            contest = _classified(start, deadline.until(monotonic() + seconds))
        if isinstance(contest, Contest):
            self._compete(contest, start, deadline, began)
            return
        if contest is not None:
            self.reason = f"auto chose ismcts: {contest}"
            self.seconds = monotonic() - began
        if start.hidden or contest is not None:
            self.chosen = IsmctsPlayer(self._simulations)
        else:
            self.chosen = self._any(start)
        self.chosen.start(start, deadline)

    def _compete(self, contest: Contest, start: Start, deadline: Deadline, began: float) -> None:
        """Choose a player by the rule of thumb and by races, and start it."""
        alphabeta = AlphaBetaPlayer(self._simulations, self._ponders, remember=self._remembers)
        favourite, self.reason = _thumb(contest)
        best, prepared = favourite, False
        if self._races and not self.limited and deadline.at is not None:
            share = _KEPT_RACE if self._remembers else _RACE
            race = Race(contest, min(_LONGEST_RACE, share * deadline.left()), start.seed, start.play_clock)
            results = self._known(race)
            best = results.choice(favourite)
            if not contest.duel:
                until = deadline.until(monotonic() + race.seconds)
                if race.fair and results.open(favourite) and _loading(race.game).result(until):
                    results = self._run(race, results, favourite, None, until)
                    best = results.choice(favourite)
            # If `alphabeta` is favoured, what it learns is of use also without a race.
            elif best == "alphabeta" or (race.fair and results.open(favourite)):
                alphabeta.prepare(start, deadline)
                chooser = alphabeta.chooser(deadline.until(monotonic() + _PREPARED * deadline.left()))
                if prepared := chooser is not None:
                    results = self._raced(race, results, favourite, chooser, deadline)
                    if favourite == "alphabeta" and chooser.states < _TAUGHT:
                        favourite, self.reason = "mcts", f"alphabeta has learned from only {chooser.states:,} positions"
                    best = results.choice(favourite)
                elif best == "alphabeta":
                    best, self.reason = "mcts", "alphabeta took long to get ready"
            self.reason = results.reason(best) or self.reason
        self.reason = f"auto chose {best}: {self.reason}"
        self.seconds = monotonic() - began
        if best == "alphabeta":
            self.chosen = alphabeta
        else:
            self.chosen = MctsPlayer(self._simulations, self._ponders, **CANDIDATES[best])
        if prepared and self.chosen is alphabeta:
            alphabeta.learn(deadline)
        else:
            alphabeta.stop(End("aborted"))
            self.chosen.start(start, deadline)

    def _known(self, race: Race, learned: int = 0) -> RaceResults:
        """Return the results of earlier races; `learned` is the number of states that `alphabeta` has learned from."""
        duel = race.contest.duel
        return RaceResults.kept(race.game, race.budget, learned, duel) if self._remembers else RaceResults(duel=duel)

    def _raced(
        self, race: Race, results: RaceResults, favourite: str, chooser: MoveChooser, deadline: Deadline
    ) -> RaceResults:
        """Let `chooser`, the search of `alphabeta`, learn and race; return the results, earlier ones included."""
        # The first lessons show how many states there will be.
        taught = not 0 < chooser.states < _TAUGHT
        left, likely = deadline.left(), results.choice(favourite if taught else "mcts") == "alphabeta"
        share = left - race.seconds - _AFTER * left if likely else _RIVAL * left
        lessons = deadline.until(monotonic() + min(share, LONGEST_LESSONS))
        loading = _loading(race.game)  # while the other one learns
        results = self._known(race, chooser.states)
        if not results.open(favourite):
            return results
        chooser.learn_games(lessons.left)
        # Players who know what they do may end a game sooner than random ones, in kalaha a hundred times.
        race = race.shorter(_STATES * chooser.plies)
        if not race.fair or not loading.result(lessons, 0.0):
            return results
        until = deadline.until(monotonic() + race.seconds)
        return self._run(race, self._known(race, chooser.states), favourite, chooser, until)

    def _run(
        self, race: Race, results: RaceResults, favourite: str, chooser: MoveChooser | None, deadline: Deadline
    ) -> RaceResults:
        """Let searches race, `chooser` among them; return the results, earlier ones included."""
        try:
            results = race.run(results, favourite, chooser, deadline.left)
        except GdlError:  # the rules fail in some state
            return results
        finally:
            if chooser is not None:
                chooser.forget()  # The states of the race have nothing to do with the match.
        if self._remembers:
            results.keep(race.game, race.budget, 0 if chooser is None else chooser.states)
        return results


def _beside(game: Engine, file: Path | None, nodes: int | None, ponders: bool) -> tuple[Player | None, str]:
    """Return a player with the learned values in a file, and a remark; None without ones that fit.

    Without a file, take that beside the rules. The remark is empty if there is none.
    """
    rulesheet = getattr(game, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet):
        return None, ""
    path = file or value_beside(rulesheet.source.name)
    if path is None:
        return None, ""
    player: LearnedPlayer | PlannerPlayer
    try:
        if len(game.roles) == 1:
            player = PlannerPlayer(str(path))
        else:
            player = LearnedPlayer(str(path), ponder=ponders, limit=nodes)
    except ArrayFileError as error:
        return None, f"does not use {path.name}: {error.reason}"
    if reason := player.refusal(game):
        # Spectators read this: where files lie is none of their business.
        return None, f"does not use {path.name}: {reason.removeprefix(f'{path}: ')}"
    if isinstance(player, LearnedPlayer) and (reason := player.doubt()):
        return None, f"does not use {path.name}: {reason}"
    return player, f"plays with {path.name}"


def _thumb(contest: Contest) -> tuple[str, str]:
    """Return the choice by the rule of thumb, and its reason."""
    if not contest.duel:
        return "mcts", "alphabeta cannot play this game"
    return "alphabeta" if contest.plies > _SHORT else "mcts", f"random playouts have {contest.plies:.0f} plies"


def _loading(simulator: Simulator) -> Background[bool]:
    """Return the loading of what `mcts` needs for a game. If its code has not been made before, that takes long."""

    def work() -> bool:
        load_search()
        from ggp.players.mcts.world import LanesWorld

        LanesWorld(simulator, seed=0)
        return True

    return Background(work, "loading of mcts")


def _classified(start: Start, deadline: Deadline) -> Contest | str | None:
    """Return what a race has to know about the game, or why `ismcts` suits it, if it does; None if not known in time.

    It is a duel if two roles take turns, and if there is machine code for single states.
    """

    def work() -> Contest | str | None:
        simulator = compilation(start).result(deadline)
        if simulator is None:
            return None
        kind = _kind(simulator, deadline)
        if kind.constant_sum and not kind.duel and len(simulator.roles) == 2 and (why := _mixing(simulator, deadline)):
            return why
        return Contest(simulator, kind.plies, kind.together, kind.duel and _has_kernels(simulator))

    return Background(work, "kind of game").result(deadline, 0.0)


def _has_kernels(simulator: Simulator) -> bool:
    try:
        return simulator.kernels is not None
    except CompileError:
        return False


class _Kind(NamedTuple):
    """The fields of `GameType` that are cached, with the mean length of random playouts as `plies`."""

    duel: bool
    constant_sum: bool
    together: float
    plies: float


def _kind(simulator: Simulator, deadline: Deadline) -> _Kind:
    """Return the kind of a game. It is kept in the cache of the game, as it may take seconds to find out."""
    from ggp.rules.game_type import classify_game

    entries = simulator.entries("kind", players_version())
    if (content := entries.read(_KIND)) is not None:
        return _Kind(*json.loads(content))
    # It may be too late for this match, but not for the next one. The code of searches is loaded in the other half.
    kind = classify_game(simulator, seconds=max(_LEAST, deadline.left() / 2), prove=False)
    # Of the few playouts that were seen, most were not seen to their end.
    plies = simulator.playouts(_PLAYOUTS, seed=1).mean_length
    found = _Kind(kind.duel, kind.constant_sum, kind.together, plies)
    if kind.ends:
        entries.write(_KIND, json.dumps(found).encode())
    return found


def _mixing(game: Engine, deadline: Deadline) -> str | None:
    """Return why `ismcts` suits a game, if it has few sequences of joint moves; None if not, or not known in time."""
    most = 1
    try:
        for count in perft(game):
            most = max(most, count)
            if not count:
                return f"roles move at the same time, in at most {most:,} ways"
            if count > _FEW or deadline.left() <= 0:
                break
    except GdlError:  # the rules fail in some state
        pass
    return None

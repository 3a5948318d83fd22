"""The policies by which `auto` chooses a player. The first one in `POLICIES` that has a player decides.

docs/notes/auto.md, docs/notes/alphabeta.md and docs/notes/hidden-information.md report the matches behind them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, final

from gdl.compile_errors import CompileError
from gdl.engine import Engine, is_nature
from gdl.errors import GdlError
from gdl.language.rulesheet import Rulesheet
from ggp.players.alphabeta import AlphaBetaPlayer
from ggp.players.alphabeta.alphabeta import LONGEST_LESSONS
from ggp.players.background import Background
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation
from ggp.players.ismcts import IsmctsPlayer
from ggp.players.learned import LearnedPlayer
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.learned_values.value import value_beside
from ggp.players.levels import LEVELS, LevelPlayer
from ggp.players.mcts import MctsPlayer
from ggp.players.mcts.mcts import load_search
from ggp.players.planner import PlannerPlayer
from ggp.players.player import End, Player, Start
from ggp.players.race import Contest, Race
from ggp.players.race_results import CANDIDATES, RaceResults, players_version
from ggp.rules.conformance.perft import perft

if TYPE_CHECKING:
    from gdl.simulator.simulator import Simulator
    from ggp.players.alphabeta.chooser import MoveChooser

#: The share of the start clock that may be spent on finding out the kind of the game, and the limits in seconds.
_SHARE: Final = 0.4
_LONGEST: Final = 3.0
_LEAST: Final = 0.3

#: In games whose random playouts average at most this many plies, mcts was stronger (connect four has 22, battle 33);
#: in most of those with 40 or more, alphabeta was.
_SHORT: Final = 35

#: With fewer states of lessons, as in games of the size of chess after some seconds, alphabeta was weaker: hex and
#: skirmish.
_TAUGHT: Final = 8_000

#: Where roles move at the same time, `ismcts` is for games with at most this many sequences of joint moves:
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


@final
@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of `auto`; `file` has learned values, for rules that come from no file."""

    simulations: int | None
    level: int
    ponder: bool
    learned: bool
    race: bool
    remember: bool
    threads: int | None
    file: Path | None

    @property
    def limited(self) -> bool:
        """True if the work for a move is limited."""
        return self.simulations is not None or self.errs

    @property
    def errs(self) -> bool:
        """True if the level is one that makes mistakes."""
        return self.level <= len(LEVELS)


@final
class Case:
    """A match for which a player is wanted. What takes time is found out when a policy first asks for it."""

    def __init__(self, wishes: Wishes, start: Start, deadline: Deadline) -> None:
        """Take the options, the match, and the end of the start clock."""
        self.wishes = wishes
        self.start = start
        self.deadline = deadline
        #: A remark about learned values beside the rules; empty if there are none.
        self.note = ""

    @cached_property
    def kind(self) -> Contest | str | None:
        """Return the facts about the game that a race needs, or why its roles have to mix; None if not known in time.

        It is a duel if two roles take turns, and if there is machine code for single states.
        """
        start, deadline = self.start, self.deadline
        if start.hidden or sum(not is_nature(role) for role in start.game.roles) < 2:
            return None
        until = deadline.until(monotonic() + min(_LONGEST, _SHARE * deadline.left()))
        return Background(lambda: _classified(start, until), "kind of game").result(until, 0.0)


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """The player that a policy has chosen, and why, in words; empty if there was nothing to choose.

    `begin` completes the start of a player that the policy has begun to prepare.
    """

    player: Player
    reason: str = ""
    begin: Callable[[Deadline], None] | None = None


def _by_level(case: Case) -> Choice | None:
    """A level that makes mistakes has a player of its own.

    Each level beats the one below: docs/guides/players.md has the matches.
    """
    return Choice(LevelPlayer(case.wishes.level)) if case.wishes.errs else None


def _by_values(case: Case) -> Choice | None:
    """Learned values beside the rules are used, unless they did harm in matches at the end of their training.

    At 0.2 s a move, they won 62 and 78 % of the points against `mcts` in two games of five, and made no difference in
    the others; where playouts are very good estimates, they did harm: docs/notes/learned.md.
    """
    wishes, game = case.wishes, case.start.game
    rulesheet = getattr(game, "rulesheet", None)
    if not wishes.learned or not isinstance(rulesheet, Rulesheet):
        return None
    path = wishes.file or value_beside(rulesheet.source.name)
    if path is None:
        return None
    found = _with_values(path, game, wishes)
    case.note = f"does not use {path.name}: {found}" if isinstance(found, str) else f"plays with {path.name}"
    return None if isinstance(found, str) else Choice(found)


def _by_knowledge(case: Case) -> Choice | None:
    """Choose `ismcts` for all games with hidden states.

    It is ahead of `pimc` and `hyperplay2` in those with many states, where it won up to 75 % of the points, and hardly
    differs from them in small ones: docs/notes/hidden-information.md.
    """
    return Choice(IsmctsPlayer(case.wishes.simulations)) if case.start.hidden else None


def _by_plan(case: Case) -> Choice | None:
    """One role without chance needs a plan.

    `planner` reached the highest goal in 47 of 51 files: docs/notes/planner.md.
    """
    return Choice(PlannerPlayer()) if len(case.start.game.roles) == 1 else None


def _by_mixing(case: Case) -> Choice | None:
    """In small games where roles move at the same time, `ismcts` mixes its moves and is hard to exploit.

    In large ones, it lost to `mcts`; `_FEW` has the figures.
    """
    if not isinstance(case.kind, str):
        return None
    return Choice(IsmctsPlayer(case.wishes.simulations), f"auto chose ismcts: {case.kind}")


def _by_race(case: Case) -> Choice | None:
    """In other games of a known kind, searches race in the start clock, as no rule of thumb is right often enough.

    With races, pondering and what it remembers, `auto` won 67 % of 420 points against `auto` without any of them:
    docs/notes/auto.md.
    """
    return _compete(case, case.kind) if isinstance(case.kind, Contest) else None


def _by_default(case: Case) -> Choice | None:
    """`mcts` plays any game, so it is for those of which nothing is known in time."""
    return Choice(MctsPlayer(case.wishes.simulations, case.wishes.ponder, case.wishes.threads))


#: The policies in their order; the last one always has a player.
POLICIES: Final[tuple[Callable[[Case], Choice | None], ...]] = (
    _by_level,
    _by_values,
    _by_knowledge,
    _by_plan,
    _by_mixing,
    _by_race,
    _by_default,
)

#: The policies for a match that has begun, if learned values turn out not to fit.
LATE: Final = (_by_plan, _by_default)


def _with_values(path: Path, game: Engine, wishes: Wishes) -> Player | str:
    """Return a player with the learned values in a file, or why it does not play with them."""
    player: LearnedPlayer | PlannerPlayer
    try:
        if len(game.roles) == 1:
            player = PlannerPlayer(str(path))
        else:
            player = LearnedPlayer(str(path), ponder=wishes.ponder, threads=wishes.threads, limit=wishes.simulations)
    except ArrayFileError as error:
        return error.reason
    if reason := player.refusal(game):
        # Spectators read this: where files lie is none of their business.
        return reason.removeprefix(f"{path}: ")
    return (isinstance(player, LearnedPlayer) and player.doubt()) or player


# The race


def _compete(case: Case, contest: Contest) -> Choice:
    """Choose a player by the rule of thumb and by races."""
    wishes, start, deadline = case.wishes, case.start, case.deadline
    alphabeta = AlphaBetaPlayer(wishes.simulations, wishes.ponder, wishes.remember, wishes.threads)
    favourite, reason = _thumb(contest)
    best, prepared = favourite, False
    if wishes.race and not wishes.limited and deadline.at is not None:
        share = _KEPT_RACE if wishes.remember else _RACE
        race = Race(contest, min(_LONGEST_RACE, share * deadline.left()), start.seed, start.play_clock)
        results = _known(case, race)
        best = results.choice(favourite)
        if not contest.duel:
            until = deadline.until(monotonic() + race.seconds)
            if race.fair and results.open(favourite) and _loading(race.game).result(until):
                results = _run(case, race, results, favourite, None, until)
                best = results.choice(favourite)
        # If `alphabeta` is favoured, what it learns is of use also without a race.
        elif best == "alphabeta" or (race.fair and results.open(favourite)):
            alphabeta.prepare(start, deadline)
            chooser = alphabeta.chooser(deadline.until(monotonic() + _PREPARED * deadline.left()))
            if prepared := chooser is not None:
                results = _raced(case, race, results, favourite, chooser)
                if favourite == "alphabeta" and chooser.states < _TAUGHT:
                    favourite, reason = "mcts", f"alphabeta has learned from only {chooser.states:,} positions"
                best = results.choice(favourite)
            elif best == "alphabeta":
                best, reason = "mcts", "alphabeta took long to get ready"
        reason = results.reason(best) or reason
    reason = f"auto chose {best}: {reason}"
    if best == "alphabeta":
        return Choice(alphabeta, reason, alphabeta.learn if prepared else None)
    alphabeta.stop(End("aborted"))
    return Choice(MctsPlayer(wishes.simulations, wishes.ponder, wishes.threads, **CANDIDATES[best]), reason)


def _known(case: Case, race: Race, learned: int = 0) -> RaceResults:
    """Return the results of earlier races; `learned` is the number of states that `alphabeta` has learned from."""
    duel = race.contest.duel
    return RaceResults.kept(race.game, race.budget, learned, duel) if case.wishes.remember else RaceResults(duel=duel)


def _raced(case: Case, race: Race, results: RaceResults, favourite: str, chooser: MoveChooser) -> RaceResults:
    """Let `chooser`, the search of `alphabeta`, learn and race; return the results, earlier ones included."""
    deadline = case.deadline
    # The first lessons show how many states there will be.
    taught = not 0 < chooser.states < _TAUGHT
    left, likely = deadline.left(), results.choice(favourite if taught else "mcts") == "alphabeta"
    share = left - race.seconds - _AFTER * left if likely else _RIVAL * left
    lessons = deadline.until(monotonic() + min(share, LONGEST_LESSONS))
    loading = _loading(race.game)  # while the other one learns
    results = _known(case, race, chooser.states)
    if not results.open(favourite):
        return results
    chooser.learn_games(lessons.left)
    # Players that know what they do may end a game much sooner than random ones: in kalaha, a hundred times sooner.
    race = race.shorter(_STATES * chooser.plies)
    if not race.fair or not loading.result(lessons, 0.0):
        return results
    until = deadline.until(monotonic() + race.seconds)
    return _run(case, race, _known(case, race, chooser.states), favourite, chooser, until)


def _run(
    case: Case, race: Race, results: RaceResults, favourite: str, chooser: MoveChooser | None, deadline: Deadline
) -> RaceResults:
    """Let searches race, `chooser` among them; return the results, earlier ones included."""
    try:
        results = race.run(results, favourite, chooser, deadline.left)
    except GdlError:  # the rules fail in some state
        return results
    finally:
        if chooser is not None:
            chooser.forget()  # The states of the race have nothing to do with the match.
    if case.wishes.remember:
        results.keep(race.game, race.budget, 0 if chooser is None else chooser.states)
    return results


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


# The kind of a game


def _classified(start: Start, deadline: Deadline) -> Contest | str | None:
    simulator = compilation(start).result(deadline)
    if simulator is None:
        return None
    kind = _kind(simulator, deadline)
    if kind.constant_sum and not kind.duel and len(simulator.roles) == 2 and (why := _mixing(simulator, deadline)):
        return why
    return Contest(simulator, kind.plies, kind.together, kind.duel and _has_kernels(simulator))


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
    # The few playouts that showed the kind were mostly cut off before their end, so their length says little.
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

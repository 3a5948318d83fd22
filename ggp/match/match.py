"""A match: one play of a game, from start to end.

    with Match(game, players, Settings(seed=1)) as match:
        for ply in match.plies():
            print(ply.moves)
    print(match.record.result, match.record.goals)

All failures of players (crashes, late answers, nonsense) are recorded, and handled by the policy in
`ggp.match.answers`.

If the rules fail during a match (a role without a legal move, an infinite derivation), the match ends as stuck.

Two matches with the same rules, players and seed take the same course, unless players look at the clock: each
player, the role `random` and the replacement of moves use separate random generators derived from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from threading import Event
from types import TracebackType
from typing import Any, Final, TypeVar

from gdl.engine import Engine, PerceptEngine, State, hides_states, is_nature, player_roles
from gdl.errors import GdlError, GoalError, NoLegalMoveError, UnknownRoleError
from gdl.simulator.seeds import derive, generator
from gdl.terms import Term
from ggp.match.answers import Replacement, disqualified
from ggp.match.blank_record import blank_record, state_text, time_now
from ggp.match.channels import Answer, Channel, DirectChannel, FutureChannel, Question, Stopped, ThreadChannel
from ggp.match.interruptible import StoppedError
from ggp.match.isolation.isolated_player import IsolatedPlayer
from ggp.match.lineup import LineupError
from ggp.match.record import MatchRecord, Ply, Result
from ggp.match.replay import Replay
from ggp.match.settings import Settings
from ggp.players.clock import Deadline
from ggp.players.player import Correspondent, End, Player, Resignation, Start, Told, Turn
from ggp.players.prompt import Prompt
from ggp.players.traits import is_person, refusal

#: A local or remote player.
AnyPlayer = Player | Correspondent

T = TypeVar("T")
U = TypeVar("U")

#: Seconds that players have for `stop` in a match with clocks; less if a clock is shorter.
FAREWELL: Final = 1.0

_NOTHING: Final[AbstractContextManager[object]] = nullcontext()


class Match:
    """A match in progress: `state` is the current state, `record` the record so far.

    Use it as a context manager or call `close`, so that the players are notified of the end. A match that is closed
    before it is over is recorded as aborted.
    """

    def __init__(
        self,
        game: Engine,
        players: Mapping[str, AnyPlayer],
        settings: Settings,
        *,
        name: str = "",
        url: str = "",
        deriving: AbstractContextManager[object] = _NOTHING,
        asking: Callable[[int, Deadline], Deadline] = lambda _, deadline: deadline,
    ) -> None:
        """Set up a match with one player for each role except `random`.

        `name` is the name of the game, and `url` the address of its description. `deriving` is entered during each call
        of the engine: matches that share a lock call their engines one at a time, which leaves processor time for
        messages. `asking` is called with a ply and the deadline of the answers when players are asked for moves, and
        with ply 0 when they begin to get ready; the deadline that it returns holds. Raises UnknownRoleError,
        LineupError if a player refuses the game, and ValueError for a role without a player.
        """
        roles = player_roles(game)
        if unknown := [role for role in players if role not in roles]:
            raise UnknownRoleError(unknown[0], roles)
        if missing := [role for role in roles if role not in players]:
            raise ValueError(f"no player for {', '.join(missing)}")
        for role, player in players.items():
            if reason := refusal(player, game):
                raise LineupError(f"{player.name} cannot play {role}: {reason}")
        self.game = game
        self.settings = settings
        self.state: State = game.initial_state()
        self._players = {role: players[role] for role in roles}
        self._nature = generator(settings.seed, "nature")
        self._replacement = Replacement(roles, settings.seed)
        self._hidden = hides_states(game)
        self._deriving = deriving
        self._asking = asking
        self._joint_move: tuple[Term, ...] | None = None
        self._percepts: Mapping[str, tuple[Term, ...]] = {}
        self._past: dict[str, list[Told]] = {role: [] for role in roles}
        self._begun = self._closed = self._resumed = False
        self._broken_off = Event()
        names = {role: str(player.name) for role, player in self._players.items()}
        self.record = blank_record(game, names, settings, self.state, name, url)
        # Last, because these threads must be closed.
        self._channels = {role: _channel(role, player, settings) for role, player in self._players.items()}

    @classmethod
    def resume(
        cls, game: Engine, players: Mapping[str, AnyPlayer], settings: Settings, record: MatchRecord, **others: Any
    ) -> Match:
        """Return a match that continues an interrupted one from its record; `others` are arguments of `Match`.

        Chance moves and replacements continue as they would have. Players are started anew and receive the earlier
        plies. Raises ReplayError if the record disagrees with the rules, or if the match is over.
        """
        replay = Replay(record, game)
        for _ in replay.plies():
            pass
        replay.check_goes_on()
        match = cls(game, players, settings, **{"name": record.game_name, "url": record.game_url, **others})
        match._take_over(replay)
        return match

    @property
    def private(self) -> bool:
        """True if a person plays a role that does not see everything: until the end, only its percepts may be shown."""
        return self._hidden and any(map(is_person, self._players.values()))

    def before(self, kept: int) -> Match:
        """Return a match of the same players that continues this one, which is closed, after its first `kept` plies.

        Raises ValueError if there are fewer.
        """
        if not 0 <= kept <= len(self.record.plies):
            raise ValueError(f"there are {len(self.record.plies)} plies, not {kept}")
        players, record = self._players, self.record.before(kept)
        return Match.resume(self.game, players, self.settings, record, deriving=self._deriving)

    def __enter__(self) -> Match:
        """Return the match itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the match."""
        self.close()

    def plies(self) -> Iterator[Ply]:
        """Play, and yield each ply after it has been played. A second iterator continues where the first stopped.

        Raises Quit and TakeBack of people who leave the course of the match.
        """
        with suppress(StoppedError):
            if not self._begun:
                self._begun = True
                self._start_players()
            while not (self.record.over or self._closed or self._broken_off.is_set()):
                if ply := self._play_ply():
                    yield ply

    def break_off(self) -> None:
        """End the plies soon, even if players are thinking; for use from any thread."""
        self._broken_off.set()

    def close(self) -> None:
        """Notify the players that the match is over. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        if not self.record.over:
            self._note(result=Result.ABORTED)
        try:
            self._say_farewell()
        finally:
            for channel in self._channels.values():
                channel.close()

    def _say_farewell(self) -> None:
        clocks = [clock for clock in (self.settings.start_clock, self.settings.play_clock) if clock is not None]
        deadline = Deadline.after(min(FAREWELL, *clocks) if clocks else None)
        goals = dict(zip(self.game.roles, self.record.goal_values, strict=True))
        questions: dict[str, Question] = {}
        for role, player in self._players.items():
            told = self._told(role)
            result, plies = str(self.record.result), len(self.record.plies)
            end = End(result, told.moves, goals[role], plies, told.own_move, told.percepts)
            questions[role] = partial(player.stop, end)
        answers = self._ask(questions, deadline)
        if any(answer.error for answer in answers.values()):
            farewell = self._by_role({role: answer.error for role, answer in answers.items()}, "")
            before = self.record.last_errors or ("",) * len(farewell)
            # An error that occurs again at the end is not recorded twice.
            both = (dict.fromkeys(filter(None, pair)) for pair in zip(before, farewell, strict=True))
            self._note(last_errors=tuple(map("; ".join, both)))

    def _start_players(self) -> None:
        settings = self.settings
        starts = {
            role: Start(
                match_id=self.record.match_id,
                game=self.game,
                role=role,
                seed=derive(settings.seed, "player", role),
                start_clock=settings.start_clock,
                play_clock=settings.play_clock,
                rules=self.record.rules,
                hidden=self._hidden,
                past=tuple(self._past[role]),
                resumed=self._resumed,
                ponder=settings.ponder,
                threads=settings.threads,
            )
            for role in self._players
        }
        for role, player in self._players.items():
            if isinstance(player, IsolatedPlayer):
                player.prepare(starts[role])
        deadline = Deadline.after(settings.start_clock)
        if deadline.at is not None and settings.play_clock is not None:
            # Remote players receive the earlier plies as messages, which takes time.
            deadline = Deadline(deadline.at + len(self.record.plies) * settings.play_clock)
        deadline = self._asking(0, deadline)
        questions = {role: partial(player.start, starts[role], deadline) for role, player in self._players.items()}
        answers = self._ask(questions, deadline, self._broken_off.is_set)
        errors = {role: answer.error for role, answer in answers.items()}
        self._note(initial_errors=self._by_role(errors, ""))
        self._judge(errors)

    def _play_ply(self) -> Ply | None:
        """Play the next ply and return it, or None if the match is over."""
        with self._deriving:
            legal = self._legal_moves()
        if legal is None:
            return None
        try:
            answers, chosen = self._ask_for_moves(legal)
        except Resignation as leaving:
            goals = self._by_role({role: 0 if role == leaving.role else 100 for role in self._players}, None)
            self._note(result=Result.RESIGNED, resigned=(leaving.role,), goals=goals)
            return None
        errors = self._by_role({role: answer.error for role, answer in answers.items()}, "")
        if self._judge({role: answer.error for role, answer in answers.items()}):
            self._note(last_errors=errors)
            return None
        joint_move = tuple(chosen[role] for role in self.game.roles)
        try:
            with self._deriving:
                next_state = self.game.next_state(self.state, joint_move)
                percepts = self._seen(self.state, joint_move)
                text = state_text(next_state)
        except GdlError as error:
            self._note(result=Result.STUCK, rules_error=str(error), last_errors=errors if any(errors) else ())
            return None
        ply = Ply(
            moves=tuple(move.text for move in joint_move),
            state=text,
            errors=errors,
            seconds=self._by_role({role: answer.seconds for role, answer in answers.items()}, 0.0),
            choices=tuple(len(legal[role]) for role in self.game.roles),
            time=time_now(),
        )
        self.state, self._joint_move, self._percepts = next_state, joint_move, percepts
        self._note(plies=(*self.record.plies, ply))
        return ply

    def _legal_moves(self) -> dict[str, tuple[Term, ...]] | None:
        """Return every role's legal moves, or None if the match is over."""
        try:
            if self.game.is_terminal(self.state):
                self._finish()
                return None
            if len(self.record.plies) >= self.settings.max_plies:
                self._note(result=Result.UNFINISHED)
                return None
            return {role: _some(self.game.legal_moves(self.state, role), role) for role in self.game.roles}
        except GdlError as error:
            self._note(result=Result.STUCK, rules_error=str(error))
            return None

    def _seen(self, state: State, joint_move: tuple[Term, ...]) -> Mapping[str, tuple[Term, ...]]:
        if self._hidden and isinstance(self.game, PerceptEngine):
            return self.game.percepts(state, joint_move)
        return {}

    def _told(self, role: str) -> Told:
        """Return the information that a role gets about the last ply."""
        if self._joint_move is None:
            return Told()
        own_move = self._joint_move[self.game.roles.index(role)]
        return Told(None if self._hidden else self._joint_move, own_move, self._percepts.get(role, ()))

    def _take_over(self, replay: Replay) -> None:
        """Continue from the end of a replayed record, as if its plies had been played in this match."""
        self._resumed = True
        for passed, ply in zip(replay.passed, replay.record.plies, strict=True):
            for role, error in zip(self.game.roles, ply.errors or ("",) * len(passed.moves), strict=True):
                # Repeat the draws of this ply, so that the generators are in the same state.
                if is_nature(role):
                    self._nature.choice(self.game.legal_moves(passed.state, role))
                elif error:
                    self._replacement.draw(role, self.game.legal_moves(passed.state, role))
            self._joint_move, self._percepts = passed.moves, self._seen(passed.state, passed.moves)
            for role, past in self._past.items():
                past.append(self._told(role))
        self.state = replay.state
        own = self.record
        self.record = replace(
            replay.record,
            players=own.players,
            result=Result.RUNNING,
            last_errors=(),
            seed=own.seed,
            max_plies=own.max_plies,
            start_clock=own.start_clock,
            play_clock=own.play_clock,
            policy=own.policy,
            rules=own.rules,
        )

    def _ask_for_moves(self, legal: Mapping[str, tuple[Term, ...]]) -> tuple[dict[str, Answer], dict[str, Term]]:
        """Return the answers of the players, and a legal move for every role."""
        number = len(self.record.plies) + 1
        deadline = self._asking(number, Deadline.after(self.settings.play_clock))
        questions: dict[str, Question] = {}
        for role, player in self._players.items():
            told = self._told(role)
            turn = Turn(
                ply=number,
                state=None if self._hidden else self.state,
                legal=legal[role],
                moves=told.moves,
                own_move=told.own_move,
                percepts=told.percepts,
                deadline=deadline,
            )
            questions[role] = partial(player.move, turn)
        answers = self._ask(questions, deadline, self._broken_off.is_set)
        chosen: dict[str, Term] = {}
        for role, answer in answers.items():
            answers[role], chosen[role] = self._replacement.settle(role, answer, legal[role])
        for role in filter(is_nature, self.game.roles):
            chosen[role] = self._nature.choice(legal[role])
        return answers, chosen

    def _ask(
        self, questions: Mapping[str, Question], deadline: Deadline, stopped: Stopped = lambda: False
    ) -> dict[str, Answer]:
        for role, question in questions.items():
            self._channels[role].send(question, deadline)
        return {role: self._channels[role].receive(stopped) for role in questions}

    def _judge(self, errors: Mapping[str, str]) -> bool:
        """End the match and return True if a role is disqualified."""
        offenders = disqualified(errors, self.settings.policy)
        if not offenders:
            return False
        goals = self._by_role({role: 0 if role in offenders else 100 for role in self._players}, None)
        self._note(result=Result.DISQUALIFIED, disqualified=offenders, goals=goals)
        return True

    def _finish(self) -> None:
        goals: list[int | None] = []
        failures: list[str] = []
        for role in self.game.roles:
            try:
                goals.append(self.game.goal(self.state, role))
            except GoalError as error:
                goals.append(None)
                if not is_nature(role):  # the role `random` needs no goal
                    failures.append(str(error))
        self._note(result=Result.FINISHED, goals=tuple(goals), rules_error="; ".join(failures))

    def _by_role(self, values: Mapping[str, T], nature: U) -> tuple[T | U, ...]:
        return tuple(values.get(role, nature) for role in self.game.roles)

    def _note(self, **changes: Any) -> None:
        # A single assignment, so that an interrupt leaves a consistent record.
        self.record = replace(self.record, **changes)


def play_match(game: Engine, players: Mapping[str, AnyPlayer], settings: Settings, *, name: str = "") -> MatchRecord:
    """Play a whole match and return its record. Raises as `Match` does."""
    with Match(game, players, settings, name=name) as match:
        for _ in match.plies():
            pass
    return match.record


def _channel(role: str, player: AnyPlayer, settings: Settings) -> Channel:
    if isinstance(player, Correspondent):
        return FutureChannel(player.grace)
    return ThreadChannel(role) if settings.timed or isinstance(player, Prompt) else DirectChannel()


def _some(legal: tuple[Term, ...], role: str) -> tuple[Term, ...]:
    if not legal:
        raise NoLegalMoveError(role)
    return legal

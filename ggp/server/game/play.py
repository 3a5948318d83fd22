"""Matches in a game process, with people who answer by clicks and can take back moves."""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from gdl.engine import Engine, is_nature, rule_text
from gdl.errors import GdlError
from gdl.terms import Term
from ggp.match.answers import legal_move
from ggp.match.channels import one_line
from ggp.match.lineup import LineupError
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord, Ply, RecordFile, Result, read_record
from ggp.match.settings import Settings
from ggp.network.host import Address, Network, RemotePlayer
from ggp.players import make_player
from ggp.players.auto import AutoPlayer
from ggp.players.clock import Deadline
from ggp.players.compilation import compilation_failure, compilation_stages
from ggp.players.player import End, Start, Turn
from ggp.players.prompt import Prompt
from ggp.players.thought import Thought
from ggp.players.traits import refusal, thought_of
from ggp.server.game.game_clock import GameClock, out_of_time
from ggp.server.lineup import HUMAN
from ggp.server.messages import News, standing

#: Seconds that a program may take to get ready, and for a move, if people play without a clock.
_READY: Final = 10.0
_THINKING: Final = 2.0

#: Seconds between two looks at what the compilation for the programs is doing.
_LOOK: Final = 0.5

#: Seconds beyond the clock that an answer from a browser may spend in transit.
_GRACE: Final = 0.5

Send = Callable[[News], None]


#: Seconds for which people see a position in which nobody has a choice, as the next move is made without them.
_PACE: Final = 0.6

#: Seconds that are left to a person who has taken back a move, however long it was considered.
_LEAST: Final = 1.0

#: Makes the record to go on from; one that is over ends the match.
Change = Callable[[MatchRecord], MatchRecord]


class WebPlayer:
    """A person at a browser: a `Correspondent`. The only legal move is made without asking."""

    name = HUMAN
    grace = _GRACE

    def __init__(
        self,
        role: str,
        on_turn: Callable[[], None],
        allowed: Callable[[str], float | None] = lambda _: None,
        late: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Play a role; `on_turn` is called when an answer becomes due.

        `allowed` returns the seconds that a role has for it, None if there is no clock; `late` is called when they are
        over.
        """
        self.role = role
        self._on_turn = on_turn
        self._allowed = allowed
        self._late = late
        self._timer: threading.Timer | None = None
        #: When an answer was asked for, on the monotonic clock.
        self.asked = 0.0
        self._lock = threading.Lock()
        self._answer: Future[object] | None = None
        self._legal: tuple[Term, ...] = ()
        #: The ply for which an answer is due.
        self.waiting: int | None = None

    def start(self, start: Start, deadline: Deadline) -> Future[object]:  # noqa: ARG002
        """Return a completed future: people need no preparation."""
        return _done(None)

    def move(self, turn: Turn) -> Future[object]:
        """Return a future that `play` completes with the person's move."""
        if len(turn.legal) == 1:
            return _done(turn.legal[0])
        with self._lock:
            self._answer = Future()
            self.waiting, self._legal = turn.ply, turn.legal
            answer = self._answer
            self.asked, allowed = time.monotonic(), self._allowed(self.role)
            if allowed is not None:
                self._timer = threading.Timer(max(_LEAST, allowed), self._late, (self.role,))
                self._timer.daemon = True
                self._timer.start()
        self._on_turn()
        return answer

    def stop(self, end: End) -> Future[object]:  # noqa: ARG002
        """Return a completed future."""
        return _done(None)

    def play(self, ply: int, move: str) -> bool:
        """Answer for a ply. Return True if an answer was due and the move is legal."""
        chosen, _ = legal_move(move, self._legal)
        return chosen is not None and self._settle(ply, lambda answer: answer.set_result(chosen))

    def play_at_random(self) -> None:
        """Answer with any legal move, as the time is over."""
        legal = self._legal
        self._settle(None, lambda answer: answer.set_result(random.choice(legal)))

    def give_up(self) -> None:
        """Release the match without an answer, as it is interrupted."""
        self._settle(None, lambda answer: answer.set_exception(_TakenBack()))

    def _settle(self, ply: int | None, settle: Callable[[Future[object]], None]) -> bool:
        with self._lock:
            answer = self._answer
            if answer is None or answer.done() or (ply is not None and ply != self.waiting):
                return False
            self._answer = None
            self.waiting = None
            if self._timer is not None:
                self._timer.cancel()
        settle(answer)
        return True


class _TakenBack(Exception):
    """The current ply does not count."""


def _done(value: object) -> Future[object]:
    future: Future[object] = Future()
    future.set_result(value)
    return future


class Playing:
    """A match in a thread of its own, in which moves can be taken back, and which can be ended."""

    def __init__(
        self,
        game: Engine,
        names: Mapping[str, str],
        settings: Settings,
        file: Path,
        send: Send,
        deriving: AbstractContextManager[object],
        *,
        name: str,
        clock: GameClock | None = None,
        learned: Path | None = None,
    ) -> None:
        """Prepare a match between the named players. `send` is called with its news, `deriving` is held to run rules.

        `clock` is that of people for the whole match, and `learned` a file of learned values for the player `auto`.

        Raises AddressError, UnknownPlayerError, PlayerLoadError for invalid names, and LineupError if a player refuses
        the game.
        """
        self._game = game
        self._names = dict(names)
        self._settings = settings
        self._file = file
        self._send = send
        self._deriving = deriving
        self._name = name
        self._learned = learned
        self._network = Network() if any("://" in player for player in names.values()) else None
        self._clock = clock
        #: The seconds that each role has used for plies that were taken back.
        self._used: defaultdict[str, float] = defaultdict(float)
        self._people = {
            role: WebPlayer(role, self._on_turn, self._allowed, self._on_late)
            for role, player in names.items()
            if player == HUMAN
        }
        self._record: MatchRecord | None = None
        self._lock = threading.Lock()
        self._news = threading.Lock()
        #: When the answers of all players are due, unless it is unknown or there is no clock.
        self._deadline: Deadline | None = None
        #: The ply for which they are due, and when the players were asked, on the monotonic clock.
        self._due, self._asked = 0, 0.0
        #: The change that interrupts the match, which calls off what players think about.
        self._change: Change | None = None
        self._called_off = threading.Event()
        #: The seconds that were spent on the plies that were taken back, by their numbers.
        self._spent: defaultdict[int, float] = defaultdict(float)
        self._over = threading.Event()
        players = self._players()  # reports invalid names at once
        for role, player in players.items():
            if reason := refusal(player, game):
                raise LineupError(f"{player.name} cannot play {role}: {reason}")

    def start(self, record: MatchRecord | None) -> None:
        """Begin the match, or resume it from a record."""
        threading.Thread(target=self._run, args=(record,), name="match", daemon=True).start()
        threading.Thread(target=self._tell_stages, name="stages", daemon=True).start()

    def play(self, role: str, ply: int, move: str) -> bool:
        """Make a person's move. Return True if it was due and is legal."""
        person = self._people.get(role)
        taken = person is not None and person.play(ply, move)
        if taken:
            self._send_standing()  # other people may still have to move
        return taken

    def change(self, change: Change) -> None:
        """Interrupt the match, and go on from another record than the one so far; one that is over ends it."""
        with self._lock:
            self._change = change
            self._called_off.set()
        self._interrupt_people()

    @property
    def record(self) -> MatchRecord | None:
        """The newest record, or None before the match has begun."""
        return self._record

    def _on_turn(self) -> None:
        if self._called_off.is_set():  # it came before anybody was asked
            self._interrupt_people()
        self._send_standing()

    def _allowed(self, role: str) -> float | None:
        """Return what is left on the clock of a role before its present choice; None without a clock."""
        return None if self._clock is None else self._clock.left(self._record, role) - self._used[role]

    def _on_late(self, role: str) -> None:
        assert self._clock is not None
        if self._clock.loses:
            self.change(lambda record: out_of_time(resigned([role])(record), role))
        else:
            self._people[role].play_at_random()

    def _clocks(self) -> dict[str, float]:
        """Return what is left on the clock of each person."""
        now, found = time.monotonic(), {}
        for role, person in self._people.items():
            allowed = self._allowed(role)
            if allowed is not None:
                found[role] = max(0.0, allowed - (now - person.asked if person.waiting is not None else 0.0))
        return found

    def _on_question(self, ply: int, deadline: Deadline) -> Deadline:
        """Return the deadline of a ply: clocks go on where a move was taken back."""
        deadline = replace(deadline, called_off=self._called_off)
        if deadline.at is not None:
            if spent := self._spent[ply]:
                deadline = deadline.until(max(time.monotonic() + _LEAST, deadline.at - spent))
            self._deadline, self._due, self._asked = deadline, ply, time.monotonic()
            self._send_standing()
        return deadline

    def _interrupt_people(self) -> None:
        for person in self._people.values():
            person.give_up()

    def _run(self, record: MatchRecord | None) -> None:
        try:
            going = True
            while going:
                record, going = self._play(record)
        except GdlError as error:
            self._send({"say": "failed", "error": str(error)})
        except Exception as error:
            self._send({"say": "failed", "error": f"{type(error).__name__}: {error}"})
        finally:
            self._over.set()

    def _tell_stages(self) -> None:
        """Send what the compilation of the game is doing, whenever that changes, until it or the match is over.

        If it has failed, the reason is sent, too: programs play on, but more slowly.
        """
        rules, told = rule_text(self._game), ("", "")
        while not self._over.wait(_LOOK):
            stages, over = compilation_stages(rules)
            doing, slow = "" if over or not stages else stages[-1][0], compilation_failure(rules)
            if (doing, slow) != told:
                told = doing, slow
                self._send({"say": "doing", "doing": doing, "slow": slow})
            if over and stages:
                return

    def _play(self, record: MatchRecord | None) -> tuple[MatchRecord | None, bool]:
        """Play until the match is over or interrupted. Return the record to resume from, and True to resume."""
        players = self._players()
        with self._deriving:
            match = self._make_match(players, record)
        saved = RecordFile(self._file, fsync=self._settings.fsync)
        self._publish(match.record, saved, whole=True)
        with closing(match):
            plies = match.plies()
            while not self._called_off.is_set():
                ply = next(plies, None)
                if ply is None or self._called_off.is_set():
                    break
                self._publish(match.record, saved)
                self._send_thoughts(players, match)
                if self._people and not match.record.over and _forced(match.record.roles, ply):
                    self._called_off.wait(_PACE)
        return self._finish(match, saved)

    def _finish(self, match: Match, saved: RecordFile) -> tuple[MatchRecord | None, bool]:
        with self._lock:
            change, self._change = self._change, None
            self._called_off = threading.Event()
        kept = self._record
        assert kept is not None
        # The match may have ended by itself meanwhile.
        changed = match.record if change is None or match.record.result is not Result.ABORTED else change(kept)
        if not changed.over:
            self._spend(kept, len(changed.plies))
            return changed, True
        self._publish(changed, saved, whole=True)
        return None, False

    def _spend(self, record: MatchRecord, left: int) -> None:
        """Note the time that was spent on all plies of a record but the first ones, and on the next one."""
        if self._clock is not None:
            for role in self._people:
                self._used[role] += self._clock.used(record, role, left)
        for number, ply in enumerate(record.plies[left:], left + 1):
            self._spent[number] += max(ply.seconds)
        deadline, number = self._deadline, len(record.plies) + 1
        if deadline is not None and deadline.at is not None and self._due == number:
            self._spent[number] += max(0.0, time.monotonic() - self._asked)

    def _make_match(self, players: Mapping[str, AnyPlayer], record: MatchRecord | None) -> Match:
        game, settings, deriving = self._game, self._settings, self._deriving
        if record is None:
            return Match(game, players, settings, name=self._name, deriving=deriving, asking=self._on_question)
        return Match.resume(game, players, settings, record, deriving=deriving, asking=self._on_question)

    def _players(self) -> dict[str, AnyPlayer]:
        return {role: self._player(role, player) for role, player in self._names.items()}

    def _player(self, role: str, name: str) -> AnyPlayer:
        if name == HUMAN:
            return self._people[role]
        if "://" in name:
            assert self._network is not None
            return RemotePlayer(Address.parse(name), self._network)
        player = make_player(name)
        if isinstance(player, AutoPlayer):
            player.learned_file = self._learned
        if self._settings.timed or not self._people:
            return player
        return Prompt(player, _READY, _THINKING, meanwhile=True)

    def _publish(self, record: MatchRecord, saved: RecordFile, *, whole: bool = False) -> None:
        self._record = record
        self._deadline = None
        if whole:
            saved.finish(record)
        else:
            saved.update(record)
        self._send_standing()

    def _send_thoughts(self, players: Mapping[str, AnyPlayer], match: Match) -> None:
        """Send the thoughts of programs on the ply just played."""
        ply = len(match.record.plies) - 1
        for number, role in enumerate(self._game.roles):
            if role in players and role not in self._people:
                player = players[role]
                try:
                    thought = thought_of(player)
                except Exception as error:  # an error in thoughts must not end the match
                    thought = Thought(note=one_line(f"its thoughts are unavailable: {type(error).__name__}: {error}"))
                if thought is not None and match.record.plies[ply].choices[number] > 1:
                    self._send({"say": "thought", "thought": {"ply": ply, "role": role, **asdict(thought)}})

    def _send_standing(self) -> None:
        """Send the standing of the match."""
        # One at a time: a thread that is held up must not send an older standing after a newer one.
        with self._news:
            record = self._record
            if record is None:
                return
            waiting = {role: person.waiting for role, person in self._people.items() if person.waiting is not None}
            deadline = self._deadline
            self._send(
                {
                    "say": "match",
                    "standing": standing(record),
                    "waiting": [role for role, ply in waiting.items() if ply == len(record.plies) + 1],
                    "clocks": self._clocks(),
                    "left": None if deadline is None else max(0.0, deadline.left()),
                }
            )


def _forced(roles: Sequence[str], ply: Ply) -> bool:
    """Return True if no player had a choice in a ply, but somebody made a move that says more than its name."""
    choosing = [role for role, count in zip(roles, ply.choices, strict=True) if count > 1]
    return all(map(is_nature, choosing)) and any(move.startswith("(") for move in ply.moves)


def aborted(record: MatchRecord) -> MatchRecord:
    """End a match without a result."""
    return replace(record, result=Result.ABORTED)


def resigned(roles: Collection[str]) -> Change:
    """Return the change to a match that some roles give up: the others win, and if all do, it is a draw."""

    def change(record: MatchRecord) -> MatchRecord:
        players = [role for role in record.roles if not is_nature(role)]
        best = 50 if len(roles) == len(players) > 1 else 100
        worst = 50 if best == 50 else 0
        goals = tuple(None if is_nature(role) else worst if role in roles else best for role in record.roles)
        return replace(record, result=Result.RESIGNED, resigned=tuple(roles), goals=goals)

    return change


def earlier(file: Path) -> MatchRecord | None:
    """Return the record of a match under way, or None if it has not begun. Raises RecordError."""
    return read_record(file) if file.exists() else None

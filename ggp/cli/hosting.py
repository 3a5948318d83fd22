"""The work of `ggp host`: players from names, one match on screen or many in brief, and spectators."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, TextIO

import typer

from gdl.engine import hides_states, rule_text
from gdl.errors import GdlError
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator.seeds import SEEDS
from gdl.system.files import clear_drafts
from ggp.cli.guard import FAILED
from ggp.cli.json_output import print_json
from ggp.cli.lineup import check_one_screen, local_maker
from ggp.cli.playing import engine_for, exit_if_stuck, play_through, recording
from ggp.cli.screen import line, screen
from ggp.cli.views.match_json import JsonMatchView, match_fields
from ggp.cli.views.own_match import match_view
from ggp.cli.views.tally import Tally
from ggp.match.channels import one_line
from ggp.match.match import AnyPlayer, Match
from ggp.match.record import MatchRecord, RecordError
from ggp.match.settings import Settings
from ggp.network.host import Address, Bulletin, HostedMatches, Monitor, Network, RemotePlayer
from ggp.network.host.connections import UnreachedError
from ggp.network.host.remote_player import GRACE, rules_for_messages
from ggp.network.pasted import is_address
from ggp.players import Player

if TYPE_CHECKING:
    from aiohttp import web

    from ggp.network.host.spectators import Audience

#: Seconds between looks at whether all spectators know the end.
_GLANCE: Final = 0.1

#: Seconds that the server for spectators has to shut down.
_CLOSING: Final = 5.0

#: Maximum length of the name that a player gives itself.
_LONGEST_NAME: Final = 80

#: Seconds that players have to identify themselves, and after which those that were not there are asked again.
_INTRODUCTION: Final = 2.0
_AGAIN: Final = 0.5


class MatchNetwork:
    """The network side of a command: its players, hosted matches and spectators. A context manager."""

    def __init__(
        self,
        make: Callable[[str], Player],
        grace: float = GRACE,
        *,
        bulletin: Bulletin | None = None,
        turns: bool = False,
        prompts: TextIO | None = None,
    ) -> None:
        """Start without players or spectators. `make` makes local players by name; spectators read the `bulletin`.

        `grace` is the time in seconds that messages may take beyond the clocks. With `turns`, remote players get the
        turn and their own move in games with hidden information. People are prompted on `prompts`, which defaults to
        standard output.
        """
        self.hosted = HostedMatches()
        self.bulletin = bulletin or Bulletin("")
        self.network = Network()
        self._grace = grace
        self._turns = turns
        self._local = local_maker(make, prompts)
        self._titles: dict[str, str] = {}
        self._spectators: Network | None = None
        self._server: web.AppRunner | None = None
        self._audience: Audience | None = None

    def __enter__(self) -> MatchNetwork:
        """Return the network itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop serving spectators, and close all connections."""
        if self._spectators:
            if self._server:
                with suppress(TimeoutError):  # cleanup has a timeout of its own
                    self._spectators.start(self._server.cleanup()).result(_CLOSING)
            self._spectators.close()
        self.network.close()

    def players(self, names: Mapping[str, str]) -> dict[str, AnyPlayer]:
        """Return a new player for each role. Raises AddressError, UnknownPlayerError, PlayerLoadError."""
        return {role: self.player(name) for role, name in names.items()}

    def player(self, name: str, title: str = "") -> AnyPlayer:
        """Return a new player; a remote one is called `title`, or else as it calls itself.

        Raises AddressError, UnknownPlayerError, PlayerLoadError.
        """
        if not is_address(name):
            return self._local(name)
        title = title or self._titles.get(name, "")
        return RemotePlayer(Address.parse(name), self.network, name=title, grace=self._grace, turns=self._turns)

    def introduce(self, names: Mapping[str, str], *games: str, wait: float) -> None:
        """Ask all remote players to identify themselves, in parallel; silent players are reported.

        Players at whose address nobody listens are waited for, for some seconds; if one is still missing, the command
        ends. The rules of the games are prepared for messages in the meantime.
        """
        until = time.monotonic() + wait
        missing = [name for name in dict.fromkeys(names.values()) if is_address(name)]
        reasons = self._ask(missing, games)
        if reasons and wait:
            line(screen(sys.stderr), f"waiting up to {wait:g} s for {', '.join(reasons)}")
        while reasons and (left := until - time.monotonic()) > 0:
            time.sleep(min(_AGAIN, left))
            reasons = self._ask(list(reasons), ())
        for name, reason in reasons.items():
            line(screen(sys.stderr), f"{name} cannot be reached: {reason}")
        if reasons:
            line(screen(sys.stderr), "no match was begun: start all players first, or wait longer (--wait)")
            raise typer.Exit(FAILED)

    def _ask(self, names: Sequence[str], games: Sequence[str]) -> dict[str, str]:
        """Ask players to identify themselves; return those that cannot be reached, and why not."""
        asked = {
            name: player.introduce(_INTRODUCTION)
            for name in names
            if isinstance(player := self.player(name), RemotePlayer)
        }
        for rules in games if asked else ():
            rules_for_messages(rules)
        unreached = {}
        for name, future in asked.items():
            try:
                reply = future.result()
                self._titles[name] = one_line(reply.name)[:_LONGEST_NAME]
                if not reply.available:
                    line(screen(sys.stderr), f"{name} reports that it is {one_line(reply.status) or 'not available'}")
            except TimeoutError:
                line(screen(sys.stderr), f"{name} did not identify itself")
            except UnreachedError as error:
                unreached[name] = str(error).removeprefix(f"{error.code}: ")
            except GdlError as error:
                line(screen(sys.stderr), f"{name} did not identify itself: {error}")
        return unreached

    def serve(self, host: str, port: int) -> str:
        """Start serving spectators in a separate event loop, and return the address of the page. Raises OSError.

        A line warns if other machines can reach the address.
        """
        from ggp.network.own_requests import exposure
        from ggp.network.web_server import url_of
        from ggp.server.web.host_pages import serve

        self._spectators = Network("spectators")
        self._server, self._audience = self._spectators.start(serve(self.hosted, self.bulletin, host, port)).result()
        if warning := exposure(address[0] for address in self._server.addresses):
            line(screen(sys.stderr), warning)
        return f"{url_of(self._server)}/"

    @contextmanager
    def lingering(self, seconds: float, *, finished: bool = False) -> Iterator[None]:
        """Go on serving after the context, until all spectators know the end, at most for some seconds.

        If all was `finished` before, spectators are still to come, so all of that time is theirs. An error ends the
        context at once, unless it is the exit status of a match.
        """
        status: typer.Exit | None = None
        try:
            yield
        except typer.Exit as found:
            status = found
        self.bulletin.publish(over=True)
        with suppress(KeyboardInterrupt):  # the matches are over
            self._linger(seconds, finished=finished)
        if status is not None:
            raise status

    def _linger(self, seconds: float, *, finished: bool) -> None:
        ended = time.monotonic()
        audience, said = self._audience, False
        while audience and time.monotonic() - ended < seconds and (finished or not audience.told(ended)):
            if not said:
                said = True
                line(screen(sys.stderr), f"serving spectators for up to {seconds:g} s more; Ctrl-C ends this")
            time.sleep(_GLANCE)


class Hosting:
    """Matches of one game between the same players."""

    def __init__(
        self,
        network: MatchNetwork,
        reasoner: Reasoner,
        names: Mapping[str, str],
        settings: Settings,
        *,
        name: str,
        url: str,
    ) -> None:
        """Set up matches between the players of `names`; `name` and `url` describe the game in records.

        Raises AddressError, UnknownPlayerError, PlayerLoadError and LineupError.
        """
        check_one_screen(reasoner, names)
        self._network = network
        self._names = names
        self._settings = settings
        self._name = name
        self._url = url
        players = network.players(names)  # reports wrong names before anything else
        self._game = engine_for(reasoner, players.values())

    def introduce(self, wait: float) -> None:
        """Wait for the players, and ask them to identify themselves, for the records."""
        self._network.introduce(self._names, rule_text(self._game), wait=wait)

    def play_one(self, file: Path | None, *, quiet: bool, json: bool) -> None:
        """Play one match and show it on the screen."""
        match = self._match(0)
        feed = self._network.hosted.open(match.record, hidden=hides_states(self._game))
        view = JsonMatchView(match, "host") if json else match_view(match, quiet=quiet)
        with recording(file):
            play_through(match, view, file, feed.publish)
        exit_if_stuck(match.record)

    def play_many(self, count: int, at_once: int, folder: Path | None, *, quiet: bool, json: bool) -> None:
        """Play several matches, and print a line per match and a table at the end, or a JSON object per match."""
        if folder is not None:
            _make(folder)
        tally = Tally(self._game.roles)
        try:
            with Monitor(self._network.hosted) as monitor:
                for record in self._finished(monitor, count, at_once, folder):
                    tally.count(record, quiet=quiet or json)
                    self._network.bulletin.publish(means=tally.means())
                    if json:
                        print_json("host", match_fields(record))
        finally:
            if not json:
                tally.show()
        if tally.stuck:
            exit_if_stuck(tally.stuck)

    def _match(self, number: int, monitor: Monitor | None = None) -> Match:
        players = self._network.players(self._names)
        settings = replace(self._settings, seed=(self._settings.seed + number) % SEEDS)
        if monitor is None:
            return Match(self._game, players, settings, name=self._name, url=self._url)
        return Match(self._game, players, settings, name=self._name, url=self._url, deriving=monitor.deriving)

    def _finished(self, monitor: Monitor, count: int, at_once: int, folder: Path | None) -> Iterator[MatchRecord]:
        """Play matches in parallel, and yield the record of each when it is over."""
        running: set[Future[MatchRecord]] = set()
        begun = 0
        while running or begun < count:
            while begun < count and len(running) < at_once:
                match = self._match(begun, monitor)
                file = None if folder is None else folder / f"{match.record.match_id}.json"
                running.add(monitor.play(match, file))
                begun += 1
            over, running = wait(running, return_when=FIRST_COMPLETED)
            for future in over:
                yield future.result()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        clear_drafts(folder)
    except OSError as error:
        raise RecordError(str(folder), error.strerror or str(error)) from None

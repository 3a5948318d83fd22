"""Schedules: TOML files of tournaments that `ggp host` plays between players on any machine.

title = "Spring tournament"
games = ["tic_tac_toe", "rules/hex.kif"]    # names of shipped games, or paths from the folder of this file
format = "swiss"
rounds = 3

[players]
ann = "http://10.0.0.5:9147"
bob = "mcts"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from gdl.errors import FileError, GdlError, Mistake, Source, TextError
from gdl.language.parser import read_source
from gdl.simulator.seeds import SEEDS
from ggp.match.settings import LONGEST_CLOCK, Policy
from ggp.network.host import Address
from ggp.network.pasted import is_address
from ggp.rules.conformance.expectations import MOST_PLIES
from ggp.rules.conformance.line_numbers import Entry
from ggp.rules.conformance.toml import Document
from ggp.rules.shipped_games import find_game, game_name
from ggp.tournament.format import Format
from ggp.tournament.plan import MOST_MATCHES
from ggp.tournament.swiss import most_rounds

#: The suffix of schedules.
SUFFIX: Final = ".toml"

#: The name of the person at the terminal, who cannot play several matches at a time.
_HUMAN: Final = "human"

_LONGEST_TITLE: Final = 200
_SHORTEST_CLOCK: Final = 0.01
_MOST_AT_ONCE: Final = 1_000


class ScheduleError(TextError):
    """A schedule was refused."""


@final
@dataclass(frozen=True, slots=True)
class Schedule:
    """A tournament to host. `players` maps names to addresses, or to players on this machine.

    `matches` is the number of matches of each pair in each game. Clocks and `grace` are in seconds. `records` is the
    folder for the records of the matches and the store.
    """

    title: str
    games: tuple[Path, ...]
    players: Mapping[str, str]
    records: Path
    format: Format = Format.ROUND_ROBIN
    rounds: int = 0
    matches: int = 2
    start_clock: float = 10.0
    play_clock: float = 5.0
    grace: float = 0.5
    policy: Policy = Policy.REPLACE
    turns: bool = False
    at_once: int = 1
    seed: int | None = None
    max_plies: int = 500


#: The keys of a schedule.
_KEYS: Final = tuple(Schedule.__dataclass_fields__)


def read_schedule(path: Path, check: Callable[[str], object]) -> Schedule:
    """Read a schedule. `check` raises GdlError for the name of a player on this machine that does not exist.

    Raises ScheduleError, which has all mistakes with their lines, and FileError.
    """
    return _Reader(read_source(path), path, check).schedule()


def _reason(error: GdlError) -> str:
    """Return an error's message without its code, which the mistake has."""
    return str(error).removeprefix(f"{error.code}: ")


class _Reader:
    """Reads one file. Wrong values are noted and left out, so that the rest can be read, too."""

    def __init__(self, source: Source, path: Path, check: Callable[[str], object]) -> None:
        self._path = path
        self._check = check
        self._file = Document(source, ScheduleError)
        self._top = self._file.places.whole()

    def schedule(self) -> Schedule:
        data, file, top = self._file.data, self._file, self._top
        file.known_keys(top, data, _KEYS)
        games = self._games()
        players = self._players()
        fields: dict[str, object] = {}
        readers: dict[str, Callable[[str, object], object]] = {
            "title": lambda key, value: file.string(top, key, value),
            "records": lambda key, value: file.string(top, key, value),
            "format": lambda key, value: file.choice(top, key, value, list(Format)),
            "policy": lambda key, value: file.choice(top, key, value, list(Policy)),
            "turns": lambda key, value: file.boolean(top, key, value),
            "rounds": lambda key, value: file.integer(top, key, value, 1),
            "matches": lambda key, value: file.integer(top, key, value, 1, MOST_MATCHES),
            "at_once": lambda key, value: file.integer(top, key, value, 1, _MOST_AT_ONCE),
            "max_plies": lambda key, value: file.integer(top, key, value, 1, MOST_PLIES),
            "seed": lambda key, value: file.integer(top, key, value, 0, SEEDS - 1),
            "grace": lambda key, value: file.number(top, key, value, 0, 60),
            "start_clock": lambda key, value: file.number(top, key, value, _SHORTEST_CLOCK, LONGEST_CLOCK),
            "play_clock": lambda key, value: file.number(top, key, value, _SHORTEST_CLOCK, LONGEST_CLOCK),
        }
        for key, read in readers.items():
            if key in data and (value := read(key, data[key])) is not None:
                fields[key] = value
        title = str(fields.pop("title", "")) or self._path.name.removesuffix(SUFFIX)
        records = self._path.parent / str(fields.pop("records", self._path.name.removesuffix(SUFFIX)))
        fields["format"] = Format(str(fields.get("format", Format.ROUND_ROBIN)))
        fields["policy"] = Policy(str(fields.get("policy", Policy.REPLACE)))
        self._check_rounds(fields, len(players))
        if file.mistakes:
            raise ScheduleError(file.mistakes)
        return Schedule(title[:_LONGEST_TITLE], games, players, records, **fields)  # type: ignore[arg-type]

    def _check_rounds(self, fields: Mapping[str, object], players: int) -> None:
        data = self._file.data
        if fields["format"] is not Format.SWISS:
            if "rounds" in data:
                self._note("needless-key", f'only format = "{Format.SWISS}" has a number of rounds', "rounds")
            return
        if "rounds" not in data:
            self._note("missing-key", f'format = "{Format.SWISS}" needs rounds, such as rounds = 3', "format")
            return
        most = most_rounds(players)
        rounds = fields.get("rounds")
        if isinstance(rounds, int) and rounds > most and players > 1:
            self._note(
                "too-many-rounds",
                f"expected at most {most} rounds for {players} players, found {rounds}; in the format "
                f"{Format.ROUND_ROBIN} all of them meet",
                "rounds",
            )

    def _games(self) -> tuple[Path, ...]:
        if "games" not in self._file.data:
            self._note("missing-key", 'expected games = ["NAME", ...]: rule files or names of shipped games')
            return ()
        names = self._file.strings(self._top, "games", self._file.data["games"])
        if self._file.data["games"] == []:
            self._note("no-games", "expected at least one rule file or name of a shipped game", "games")
        found: dict[str, Path] = {}
        for name in names:
            beside = self._path.parent / name
            try:
                path = find_game(str(beside) if name and beside.exists() else name)
            except GdlError as error:
                self._file.note(self._top, error.code, _reason(error), "games", name)
                continue
            except OSError as error:  # a name too long
                self._file.note(self._top, FileError.code, error.strerror or str(error), "games", name)
                continue
            if game_name(path) in found:
                self._file.note(self._top, "two-games", f"two games are called {game_name(path)}", "games", name)
            found[game_name(path)] = path
        return tuple(found.values())

    def _players(self) -> dict[str, str]:
        data = self._file.data
        if "players" not in data:
            self._note("missing-key", 'expected a table [players] with lines such as ann = "http://HOST:PORT"')
            return {}
        entry = self._file.places.table("players")
        found: dict[str, str] = {}
        used: dict[Address, str] = {}
        for name, value in self._file.table(self._top, "players", data["players"]).items():
            where = self._file.string(entry, name, value)
            if where is None:
                continue
            found[name] = where
            try:
                self._check_player(entry, name, where, used)
            except GdlError as error:
                self._file.note(entry, error.code, _reason(error), name)
        if len(found) < 1 and isinstance(data["players"], dict):
            self._file.note(entry, "no-players", 'expected lines such as ann = "http://HOST:PORT"')
        return found

    def _check_player(self, entry: Entry, name: str, where: str, used: dict[Address, str]) -> None:
        if not is_address(where):
            if where == _HUMAN:
                self._file.note(entry, "no-person", "people cannot play in a schedule; see `ggp play`", name)
            else:
                self._check(where)
            return
        address = Address.parse(where)
        if address in used:
            self._file.note(entry, "same-address", f"{used[address]} has the same address", name)
        used[address] = name

    def _note(self, code: str, message: str, key: str | None = None) -> None:
        self._file.mistakes.append(Mistake(code, message, self._file.places.find(self._top, key)))

"""Files of each kind, damaged at random: each is read, or refused in a few words, and soon.

Some have other bytes. In others, a part of what they say is replaced by something else, and checksums fit. There are a
few of each kind; the environment variable `DAMAGED_FILES` says how many, such as 10000.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Final

import numpy as np
import pytest
from support.executors import Here
from support.tournaments import PLAN, ended
from support.toy_rules import NIM

import gdl
from gdl.errors import GdlError
from ggp.board.wishes import wishes_beside
from ggp.learning.checkpoint import read_checkpoint
from ggp.learning.self_play_process import actions
from ggp.learning.train import Settings, train
from ggp.learning.trainer import Trainer
from ggp.match.match import play_match
from ggp.match.record import read_record, write_record
from ggp.match.settings import Settings as MatchSettings
from ggp.players import make_player
from ggp.players.learned_values.array_file import MAGIC
from ggp.players.learned_values.value import read_value
from ggp.rules.conformance.expectation_file import load_expectations
from ggp.rules.conformance.expectations import expectations_path
from ggp.rules.shipped_games import find_game
from ggp.solver.line import position_after
from ggp.solver.proof import proof_of, write_proof
from ggp.solver.proof_file import read_proof
from ggp.solver.solve import solve
from ggp.tournament.plan import Contest, Plan
from ggp.tournament.schedule import read_schedule
from ggp.tournament.standings import tables
from ggp.tournament.store import Store

COUNT: Final = int(os.environ.get("DAMAGED_FILES", "25"))

#: The most seconds of processor time for a file, and the longest message about one.
_SECONDS: Final = 2.0
_LONGEST: Final = 60_000

#: Stands for a list that is nested deeply, which Python could not write.
_DEEP: Final = "@deep"
_NESTED: Final = "[" * 50_000 + "]" * 50_000

_ODD: Final[tuple[Any, ...]] = (
    *(None, True, -1, 0, 1, 65, 2**30, 2**31, 10**9, 2**63, 2**64, 10**400, -(10**400)),
    *(0.5, -0.0, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", "a", "x" * 5_000, "(", "\x00", "\udcff", "http://", _DEEP),
    *([], {}, [[]], ["a", "b"], [0] * 1_000, [2**30] * 70, {"a": 1}, {"x" * 5_000: []}),
)


def spoiled(random: Random, value: Any) -> Any:
    """The value with one of its parts, or the whole, replaced, left out, doubled, or called otherwise."""
    if isinstance(value, (dict, list)) and value and random.random() < 0.9:
        changed = value.copy()
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        match random.randrange(12):
            case 0:
                del changed[key]
            case 1 if isinstance(changed, list):
                changed.append(changed[key])
            case 1:
                changed[f"{key}s"] = changed.pop(key)
            case _:
                changed[key] = spoiled(random, value[key])
        return changed
    return random.choice(_ODD)


def flipped(random: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed[: random.choice((len(changed), len(changed), random.randrange(len(changed))))])


def as_json(value: Any) -> bytes:
    return json.dumps(value).replace(json.dumps(_DEEP), _NESTED).encode()


def as_toml(value: Any) -> str:
    match value:
        case None:
            return '""'
        case bool() | str():
            return _NESTED if value == _DEEP else json.dumps(value)
        case int():
            return hex(value) if value > 10**20 else str(value)
        case dict():
            return f"{{{', '.join(f'{json.dumps(key)} = {as_toml(one)}' for key, one in value.items())}}}"
        case list():
            return f"[{', '.join(map(as_toml, value))}]"
    return repr(value)


def toml_file(random: Random, data: dict[str, Any]) -> bytes:
    def text(found: Any) -> bytes:
        found = found if isinstance(found, dict) else {"title": found}
        return "".join(f"{json.dumps(key)} = {as_toml(one)}\n" for key, one in found.items()).encode()

    return flipped(random, text(data)) if random.random() < 0.3 else text(spoiled(random, data))


def array_file(random: Random, data: bytes) -> bytes:
    """A file of arrays, damaged in its bytes, its arrays, or its header; in the last two cases, the checksum fits."""
    if random.random() < 0.2:
        return flipped(random, data)
    begin = len(MAGIC) + 4
    end = begin + int.from_bytes(data[len(MAGIC) : begin], "little")
    header, arrays = json.loads(data[begin:end]), data[end:-32]
    if random.random() < 0.2:
        arrays = flipped(random, arrays)
    else:
        part = random.choice(("about", "arrays", ""))
        header = {**header, part: spoiled(random, header[part])} if part else spoiled(random, header)
        # Lists of facts would take nearly all of the damage.
        if part == "about" and random.random() < 0.5:
            header["about"] = {**json.loads(data[begin:end])["about"]}
            name = random.choice([key for key in header["about"] if key != "facts"])
            header["about"][name] = spoiled(random, header["about"][name])
    text = as_json(header)
    content = MAGIC + len(text).to_bytes(4, "little") + text + arrays
    return content + sha256(content).digest()


@dataclass
class Kind:
    """A kind of file: what makes a damaged one, and what reads it."""

    file: Path
    damaged: Callable[[Random], bytes]
    read: Callable[[], object]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tic_tac_toe, and values and a checkpoint of a training run."""
    made = tmp_path_factory.mktemp("damaged")
    (made / "tic_tac_toe.kif").write_bytes(find_game("tic_tac_toe").read_bytes())
    game = gdl.compile(made / "tic_tac_toe.kif")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ggp.learning.trainer._NODES", 2_000)
        patch.setattr("ggp.learning.trainer._PLAYOUTS", 500)
        list(train(game, made / "tic_tac_toe.learned", Settings(rounds=2, measure=False), Here(actions)))
    return made


@pytest.fixture
def kind(request: pytest.FixtureRequest, folder: Path) -> Iterator[Kind]:
    rules = folder / "tic_tac_toe.kif"
    match request.param:
        case "learned":
            game, file = gdl.compile(rules), folder / "tic_tac_toe.learned"
            good = file.read_bytes()

            def read_learned() -> None:
                value = read_value(file)
                assert len(value.refusal(game) + value.doubt()) < _LONGEST
                value.networks(game, str(file))

            yield Kind(file, lambda random: array_file(random, good), read_learned)
            file.write_bytes(good)
        case "training":
            file = folder / "tic_tac_toe.learned.training"
            good = file.read_bytes()
            with Trainer(gdl.compile(rules), 0, Here(actions), goes_on=True) as trainer:
                yield Kind(file, lambda random: array_file(random, good), lambda: read_checkpoint(file, trainer, None))
            file.write_bytes(good)
        case "store":
            yield _store(folder / "t.sqlite")
        case "schedule":
            schedule = folder / "cup.toml"
            keys = {"title": "cup", "games": ["tic_tac_toe"], "format": "swiss", "rounds": 1, "matches": 2, "seed": 1}
            clocks = {"start_clock": 10.0, "play_clock": 5, "grace": 0.5, "turns": False, "at_once": 2, "max_plies": 9}
            players = {"ann": "http://127.0.0.1:9147", "bob": "mcts", "eve": "greedy"}
            data = {**keys, **clocks, "policy": "replace", "records": "cup", "players": players}
            yield Kind(schedule, lambda random: toml_file(random, data), lambda: _planned(schedule))
        case "board":
            board = folder / "tic_tac_toe.board.toml"
            looks = {"colours": {"x": "red"}, "pieces": {"x": "disc", "o": "O"}}
            data = {"title": "three in a row", "flip": True, "hands": ["hand"], **looks}
            yield Kind(board, lambda random: toml_file(random, data), lambda: wishes_beside(rules))
            board.unlink()
        case "expectations":
            reasoner = gdl.Reasoner.load(rules)
            position = {"name": "start", "moves": ["(mark 1 1) noop"], "terminal": False, "legal": {"oplayer": []}}
            more = {"legal_count": {"oplayer": 8}, "holds": ["(true (cell 1 1 x))"], "goals": {"xplayer": 50}}
            data = {"perft": [1, 9], "expect": {"max_plies": 9, "ends": True}, "position": [{**position, **more}]}
            file = expectations_path(rules)
            yield Kind(file, lambda random: toml_file(random, data), lambda: load_expectations(rules, reasoner))
            file.unlink()
        case "proof":
            yield _proof(folder / "some.npz")
        case "record":
            file = folder / "some.json"
            game = gdl.compile(rules)
            write_record(play_match(game, {role: make_player("random") for role in game.roles}, MatchSettings(1)), file)
            record = json.loads(file.read_text())
            yield Kind(file, lambda random: as_json(spoiled(random, record)), lambda: str(read_record(file)))


def _planned(file: Path) -> None:
    found = read_schedule(file, make_player)
    contests = tuple(Contest(path.stem, str(path), "d", ("left", "right")) for path in found.games)
    settings = (found.start_clock, found.play_clock, found.max_plies, found.format, found.rounds)
    Plan(contests, tuple(found.players), found.matches, found.seed or 0, *settings).fixtures()


def _store(file: Path) -> Kind:
    with Store(file) as store:
        store.begin(PLAN.identity())
        for fixture in PLAN.fixtures()[:3]:
            store.add(fixture, ended(fixture.number, 100, 0))
    good = file.read_bytes()

    def damaged(random: Random) -> bytes:
        if random.random() < 0.3:
            return flipped(random, good)
        file.write_bytes(good)
        table, column = random.choice((("settings", 1), ("matches", 2), ("matches", 3)))
        with closing(sqlite3.connect(file)) as database, database:
            row = list(random.choice(database.execute(f"SELECT * FROM {table}").fetchall()))[:-1]
            row[column] = as_json(spoiled(random, json.loads(row[column]))).decode()
            row.append(sha256(json.dumps(row).encode()).hexdigest())
            database.execute(f"REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)
        return file.read_bytes()

    def read() -> None:
        with Store(file) as store:
            store.seed("--seed")
            store.begin(PLAN.identity())
            tables(PLAN, store.outcomes(PLAN.fixtures))

    return Kind(file, damaged, read)


def _proof(file: Path) -> Kind:
    game = gdl.Reasoner(NIM)
    root, played = position_after(game, "")
    answer = solve(game, root, seconds=None, memory=4, progress=lambda _: None)
    assert answer.solution is not None
    write_proof(file, proof_of(answer.solution, played))
    good = file.read_bytes()
    with zipfile.ZipFile(BytesIO(good)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members["about.npy"][128:])

    def damaged(random: Random) -> bytes:
        if random.random() < 0.2:
            return flipped(random, good)
        changed, made = dict(members), BytesIO()
        if random.random() < 0.5:
            np.save(made, np.frombuffer(as_json(spoiled(random, about)), np.uint8))
            changed["about.npy"] = made.getvalue()
        else:
            name = random.choice(list(members))
            changed[name] = flipped(random, members[name][:128]) + members[name][128:]
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, content in changed.items():
                archive.writestr(name, content)
        return made.getvalue()

    return Kind(file, damaged, lambda: read_proof(file, memory=0.1))


KINDS: Final = ("learned", "training", "store", "schedule", "board", "expectations", "proof", "record")


@pytest.mark.parametrize("kind", KINDS, indirect=True)
def test_damaged_files_are_read_or_refused_soon_and_in_words(kind: Kind) -> None:
    refused = 0
    for seed in range(COUNT):
        kind.file.write_bytes(kind.damaged(Random(seed)))
        began, said = process_time(), "-"
        try:
            kind.read()
        except GdlError as error:
            refused += 1
            said = str(error)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
        assert 0 < len(said) < _LONGEST, seed
        assert process_time() - began < _SECONDS, seed
    assert refused > COUNT // 4

"""Damaged files of matches and previews: clear errors, or the rest of what they say."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples
from support.records import RECORD
from support.requests import VALUES

from gdl.errors import GdlError
from ggp.match.record import write_record
from ggp.server.web.files import FilesError, Lineup, MatchFiles
from ggp.server.web.game_client import GameClients
from ggp.server.web.library import Library, Rules
from ggp.server.web.matches import Matches
from ggp.server.web.previews import Previews

LINEUP = Lineup("toy", "Toy", "(role r)", "", {"r": "human"}, {"seed": 1}, 1.0)
THOUGHT = {"ply": 0, "role": "r", "note": "", "value": 1.0}


def _saved(folder: Path) -> MatchFiles:
    files = MatchFiles(folder)
    files.create("toy-1234", LINEUP)
    files.add_thought("toy-1234", THOUGHT)
    write_record(RECORD, files.record_file("toy-1234"))
    return files


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[" * 100_000, "the files of match toy-1234 cannot be read: maximum recursion depth exceeded"),
        (b"\xff", "the files of match toy-1234 cannot be read: 'utf-8' codec can't decode byte 0xff"),
        (b"[]", "the files of match toy-1234 cannot be read: "),
        (b"{}", "the files of match toy-1234 cannot be read: "),
        (json.dumps({**asdict(LINEUP), "settings": []}).encode(), "a field has another type than expected"),
        (json.dumps({**asdict(LINEUP), "players": {"r": 1}}).encode(), "a player is not named by a text"),
    ],
)
def test_damaged_lineups(content: bytes, reason: str, tmp_path: Path) -> None:
    files = _saved(tmp_path)
    (tmp_path / "toy-1234.seats.json").write_bytes(content)
    with pytest.raises(FilesError) as caught:
        files.lineup("toy-1234")
    assert reason in str(caught.value)


def test_pipes_in_the_place_of_files_do_not_hang(tmp_path: Path) -> None:
    files = _saved(tmp_path)
    for suffix in ("seats.json", "thoughts.jsonl"):
        (tmp_path / f"toy-1234.{suffix}").unlink()
        os.mkfifo(tmp_path / f"toy-1234.{suffix}")
    with pytest.raises(FilesError, match="a named pipe, not a regular file"):
        files.lineup("toy-1234")
    assert files.thoughts("toy-1234") == []
    os.mkfifo(tmp_path / "a.kif")
    assert Library(tmp_path).keep("a", "(role r)") == "sent/a-2"


def test_thoughts_that_cannot_be_written_are_lost(tmp_path: Path) -> None:
    (tmp_path / "toy-1234.thoughts.jsonl").mkdir()
    files = _saved(tmp_path)
    assert files.thoughts("toy-1234") == []
    assert files.record("toy-1234") == RECORD


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b"[" * 100_000])
def test_damaged_files_of_people_say_nothing(content: bytes, tmp_path: Path) -> None:
    files = _saved(tmp_path)
    files.keep_people("toy-1234", {"names": {}})
    assert files.people("toy-1234") == {"names": {}}
    (tmp_path / "toy-1234.people.json").write_bytes(content)
    assert files.people("toy-1234") == {}


def test_damaged_thoughts_are_left_out(tmp_path: Path) -> None:
    files = _saved(tmp_path)
    with (tmp_path / "toy-1234.thoughts.jsonl").open("ab") as file:
        file.write(b"\xff\xfe\n" + b"[" * 100_000 + b"\n[]\n1\n\n" + b'{"ply": 1, "role"')
    assert files.thoughts("toy-1234") == [THOUGHT]


@examples(40, thorough=400)
@given(st.data())
def test_any_damage_ends_in_a_clear_error(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    files = _saved(folder)
    path = data.draw(st.sampled_from(sorted(folder.iterdir())))
    content = path.read_bytes()
    if data.draw(st.booleans()):
        fields = json.loads(content)
        fields[data.draw(st.sampled_from(sorted(fields)))] = data.draw(VALUES)
        content = json.dumps(fields).encode() + b"\n"
    else:
        changed = bytearray(content)
        for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=5)):
            changed[place] = data.draw(st.integers(0, 255))
        content = bytes(changed[: data.draw(st.integers(0, len(changed)) | st.just(len(changed)))])
    path.write_bytes(content)
    matches = Matches(files, GameClients())
    matches.listed()
    try:
        match = matches.get("toy-1234")
    except GdlError:
        return
    json.dumps([match.state(), match.in_short(), match.thought_list()])


@pytest.mark.slow
def test_a_damaged_preview_is_made_again(tmp_path: Path) -> None:
    rules = Rules("toy", "Toy", "(role r) (init a) (legal r go) (next a) (<= terminal (true b)) (goal r 0)", "")

    async def preview() -> dict[str, Any]:
        clients = GameClients()
        try:
            return await Previews(tmp_path, clients).preview(rules)
        finally:
            await clients.close()

    made = asyncio.run(preview())
    (file,) = tmp_path.iterdir()
    whole = file.read_text()
    file.write_text(whole.replace('"position"', '"posit1on"'))
    assert asyncio.run(preview()) == made
    assert file.read_text() == whole


def test_previews_not_used_for_long_make_room(tmp_path: Path) -> None:
    texts = [f"(role r{n}) (init a) (legal r{n} go) (next a) (<= terminal (true b)) (goal r{n} 0)" for n in range(3)]

    async def previews() -> None:
        clients = GameClients()
        try:
            for text in texts:
                await Previews(tmp_path, clients, room=1).how_to_play(Rules("toy", "Toy", text, ""))
                assert len(list(tmp_path.iterdir())) <= 1
            kept = Previews(tmp_path, clients)
            for text in texts:
                await kept.preview(Rules("toy", "Toy", text, ""))
        finally:
            await clients.close()

    asyncio.run(previews())
    assert len(list(tmp_path.iterdir())) == 3

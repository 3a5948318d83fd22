"""What a learned value is made of, as pages show it: the values of a game, and who may ask for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_server import LIGHT, Client, served

import gdl
from gdl.terms import Term
from ggp.board.wishes import parse_wishes
from ggp.learning.value_parts import value_parts
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.players.auto import AutoPlayer
from ggp.players.clock import Deadline
from ggp.players.learned_values.array_file import packed
from ggp.players.learned_values.network import Network
from ggp.players.learned_values.role_networks import stacked
from ggp.players.learned_values.value import SUFFIX, LearnedValue, facts_of, read_value, rules_hash
from ggp.players.player import Start, Turn
from ggp.rules.position import at_position
from ggp.rules.shipped_games import find_game
from ggp.server.game.play import Playing, aborted
from ggp.server.game.table import Table
from ggp.server.game.valuing import Valuing
from ggp.server.web.library import Library

RULES = find_game("breakthrough")
FILE = RULES.with_suffix(SUFFIX)
PAWNS = "(true (cell 4 4 white)) (true (cell 5 5 black)) (true (control black))"


def table(text: str) -> Table:
    return Table(text, "game.kif", parse_wishes("", "wishes"))


def answer(valuing: Valuing, state: gdl.State) -> Mapping[str, Any]:
    try:
        return {"value": valuing.ask(state).result(30)}
    except gdl.GdlError as error:
        return {"error": str(error)}


def test_what_a_page_shows_is_what_the_value_is_made_of() -> None:
    shown = table(RULES.read_text(encoding="utf-8"))
    game = shown.game
    state = game.next_state(game.initial_state(), ["(move 4 2 4 3)", "noop"])
    found = answer(Valuing(shown, FILE), state)["value"]
    parts = value_parts(read_value(FILE), state, str(FILE))
    assert found["points"] == round(parts.value, 1)
    assert found["roles"] == ["white", "black"]
    assert found["facts"] == [[part.fact.text, round(part.adds, 1)] for part in parts.parts[:12]]
    assert found["more"] == len(parts.parts) - 12
    # A cell of this game has one fact, (cell COLUMN ROW OWNER), and is named by places from the upper left corner.
    adds = {part.fact.text: part.adds for part in parts.parts}
    assert found["cells"] == {
        f"0,{column - 1},{8 - row}": f"{round(adds[f'(cell {column} {row} {owner})'], 1) + 0.0:+.1f} points"
        for column in range(1, 9)
        for row in range(1, 9)
        for owner in ("white", "black")
        if f"(cell {column} {row} {owner})" in adds
    }
    assert len(found["shades"]) == len(found["cells"]) == 32


def test_the_value_of_a_role_is_that_of_the_first(tmp_path: Path) -> None:
    shown = table(find_game("odd_one_out").read_text(encoding="utf-8"))
    game = gdl.compile(find_game("odd_one_out"))
    networks = [Network(len(game.all_facts), seed) for seed in range(3)]
    for number, network in enumerate(networks):
        network.weights[:, -1] = 0.01 * (1 + number)
        network.heads[-1] = 0.3
    file = tmp_path / "odd_one_out.learned"
    value = LearnedValue(rules_hash(game.rulesheet), facts_of(game), {}, stacked(networks), ("red", "green", "blue"))
    file.write_bytes(packed(value.file()))
    found = answer(Valuing(shown, file), shown.game.initial_state())["value"]
    assert (found["points"], found["roles"]) == (31.0, ["red"])
    assert found["facts"] == [["(control red)", 1.0]]


def test_values_fit_positions_of_the_same_game() -> None:
    rules = gdl.Rulesheet.load(RULES)
    other = at_position(rules, gdl.errors.Source("position", PAWNS))
    valuing = Valuing(table(other.source.text), FILE)
    assert valuing.fits
    game = gdl.Reasoner(other)
    found = answer(valuing, game.initial_state())["value"]
    assert found["points"] == round(value_parts(read_value(FILE), game.initial_state(), "").value, 1)
    assert set(found["cells"]) == {"0,3,4", "0,4,3"}


@pytest.mark.parametrize("name", ["connect_four", "phantom_connect_four", "kuhn_poker", "wolf_sheep"])
def test_other_games_have_no_values(name: str) -> None:
    shown = table(find_game(name).read_text(encoding="utf-8"))
    valuing = Valuing(shown, FILE)
    assert not valuing.fits
    assert "no learned values that fit" in answer(valuing, shown.game.initial_state())["error"]


def test_rules_with_another_move_are_another_game() -> None:
    text = RULES.read_text(encoding="utf-8")
    assert Valuing(table(text), FILE).fits
    assert not Valuing(table(text + "\n(<= (legal white pass) (true (control white)))\n"), FILE).fits
    assert not Valuing(table(text), None).fits


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    for path in (RULES, FILE):
        shutil.copy(path, tmp_path)
    file = tmp_path / FILE.name
    shown = table(RULES.read_text(encoding="utf-8"))
    state = shown.game.initial_state()
    valuing = Valuing(shown, file)
    first = answer(valuing, state)
    assert answer(valuing, state) == first
    file.write_bytes(b"nonsense")
    wrong = answer(valuing, state)["error"]
    assert wrong == "breakthrough.learned: not a file that `ggp train` has written"
    shutil.copy(FILE, file)
    os.utime(file, ns=(1, 1))
    assert answer(valuing, state) == first
    file.unlink()
    assert answer(valuing, state)["error"] == "breakthrough.learned: No such file or directory"


def test_opening_a_game_reads_the_header_alone(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ggp.board.wishes import parse_wishes; "
        "from ggp.server.game.table import Table; from ggp.server.game.valuing import Valuing; "
        "rules, file = map(Path, sys.argv[1:]); "
        "table = Table(rules.read_text(), 'game.kif', parse_wishes('', 'wishes')); "
        "print(Valuing(table, file).fits, 'numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(RULES), str(FILE)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout.split() == ["True", "False"]
    # What a header cannot show is the answer to the first question. A change is noticed by the checksum.
    shown = table(RULES.read_text(encoding="utf-8"))
    value, file = read_value(FILE), tmp_path / "some.learned"
    file.write_bytes(packed(replace(value, arrays={**value.arrays, "heads": value.arrays["heads"][:3]}).file()))
    valuing = Valuing(shown, file)
    assert valuing.fits
    assert answer(valuing, shown.game.initial_state())["error"].startswith("some.learned: ")
    file.write_bytes(FILE.read_bytes()[:-1] + b"?")
    assert not Valuing(shown, file).fits


@pytest.mark.slow
def test_a_page_sees_files_that_appear_and_go(tmp_path: Path) -> None:
    game = gdl.compile(gdl.Rulesheet(LIGHT))
    network = Network(len(game.all_facts), 0)
    value = LearnedValue(rules_hash(game.rulesheet), facts_of(game), {}, stacked([network]), ("robot",))
    file = tmp_path / "rules" / "toy.learned"

    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        path = f"/api/matches/{match}"

        async def offered() -> bool:
            return bool((await client.get(path))["game"]["values"])

        assert not await offered()
        file.write_bytes(b"nonsense")
        assert not await offered()
        file.write_bytes(packed(value.file()))
        assert await offered()
        await client.post(f"{path}/end", {})
        await client.until(match, lambda state: state["result"] != "running")
        assert (await client.get(f"{path}/values/0"))["roles"] == ["robot"]
        file.unlink()
        assert not await offered()

    served(tmp_path, visit)


def test_the_file_of_a_game_is_found_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    library = Library(tmp_path / "sent", folder)
    assert library.learned("classics/breakthrough") == library.learned("breakthrough") == FILE
    assert library.learned("classics/tic_tac_toe") is None
    assert library.learned("folder/breakthrough") == FILE
    for path in (RULES, FILE):
        shutil.copy(path, folder)
    assert library.learned("folder/breakthrough") == folder / FILE.name
    assert library.learned("classics/breakthrough") == FILE


async def begun(client: Client, game: str, **players: str) -> str:
    body = {"game": game, "players": players, "max_plies": 3}
    return str((await client.post("/api/matches", body))["id"])


@pytest.mark.slow
def test_nobody_who_plays_is_helped(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await begun(client, "classics/breakthrough", white="human", black="legal")
        path = f"/api/matches/{match}"
        about = await client.get(path)
        assert about["game"]["values"]
        assert about["state"]["contested"]
        assert "shown when it is over" in (await client.get(f"{path}/values/0", 403))["error"]
        await client.post(f"{path}/end", {})
        await client.until(match, lambda state: state["result"] != "running")
        assert not (await client.get(path))["state"]["contested"]
        assert len((await client.get(f"{path}/values/0"))["shades"]) == 32
        await client.get(f"{path}/values/1", 404)

    served(tmp_path, visit)


@pytest.mark.slow
def test_matches_of_programs_analyses_and_records_have_values(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await begun(client, "classics/breakthrough", white="legal", black="legal")
        path, analysis = f"/api/matches/{match}", f"/api/analyses/{match}"
        assert not (await client.get(path))["state"]["contested"]
        start = await client.get(f"{path}/values/0")
        await client.until(match, lambda state: state["result"] != "running")
        assert (await client.get(analysis))["game"]["values"]
        line = (await client.get(f"{path}/moves"))["moves"]
        after = await client.get(f"{path}/values/2")
        assert await client.post(f"{analysis}/value", {"moves": line[:2]}) == after != start
        other = await client.post(f"{analysis}/value", {"moves": [*line[:1], ["noop", "(move 8 7 8 6)"]]})
        assert other["points"] != after["points"]
        await client.post(f"{analysis}/value", {"moves": [["(fly away)", "noop"]]}, 400)
        # A record is of the same game, but a match that is played elsewhere may go on.
        record = await client.get(f"{path}/record")
        kept = (await client.post("/api/records", record))["id"]
        assert await client.get(f"/api/matches/{kept}/values/2") == after
        held = (await client.post("/api/records", {**record, "result": "running"}))["id"]
        await client.get(f"/api/matches/{held}/values/2", 403)

    served(tmp_path, visit)


@pytest.mark.slow
def test_games_without_values_have_none_to_show(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "legal"})
        await client.until(match, lambda state: state["plies"] > 1)
        about = await client.get(f"/api/matches/{match}")
        assert not about["game"]["values"]
        refused = await client.get(f"/api/matches/{match}/values/1", 400)
        assert "no learned values that fit" in refused["error"]
        hidden = await begun(client, "hidden/phantom_connect_four", red="human", yellow="legal")
        await client.get(f"/api/matches/{hidden}/values/0", 403)

    served(tmp_path, visit)


def test_auto_gets_the_file_though_the_rules_come_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Path | None] = []
    asked = threading.Event()

    class Auto(AutoPlayer):
        def start(self, start: Start, deadline: Deadline) -> None:  # noqa: ARG002
            given.append(self.learned_file)
            asked.set()

        def move(self, turn: Turn) -> Term:
            return turn.legal[0]

    monkeypatch.setattr(
        "ggp.server.game.play.make_player", lambda name: Auto() if name == "auto" else make_player(name)
    )
    game = gdl.Reasoner.load(find_game("tic_tac_toe"))
    names, file = {"xplayer": "auto", "oplayer": "legal"}, tmp_path / "match.json"
    playing = Playing(game, names, Settings(seed=1), file, lambda news: None, nullcontext(), name="ttt", learned=FILE)  # noqa: ARG005
    playing.start(None)
    assert asked.wait(30)
    assert given == [FILE]
    playing.change(aborted)

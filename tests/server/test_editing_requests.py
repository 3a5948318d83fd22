"""The requests of the page /edit: answers about texts and positions, refusals, endless rules, and many pages."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, ClientTimeout

from gdl.checker.view import KEYWORDS
from ggp.network.web_server import start
from ggp.server.game.text_answers import CodeUnits
from ggp.server.messages import AskText
from ggp.server.web import pages
from ggp.server.web.app import Site, application
from ggp.server.web.desks import MOST_DESKS, Desks
from ggp.server.web.matches import BusyError

NIM = """
; (heap N)  the matches that are left
(role left) (role right)
(init (heap 3)) (init (control left))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?role take) (true (control ?role)) (true (heap ?n)) (succ ?less ?n))
(<= (legal ?role pass) (true (control ?role)))
(<= (legal ?role noop) (role ?role) (not (true (control ?role))))
(<= (next (heap ?less)) (does ?role take) (true (heap ?n)) (succ ?less ?n))
(<= (next (heap ?n)) (does ?role pass) (true (heap ?n)))
(<= (next (control left)) (true (control right)))
(<= (next (control right)) (true (control left)))
(<= terminal (true (heap 0)))
(<= (goal ?role 100) (true (control ?role)))
(<= (goal ?role 0) (role ?role) (not (true (control ?role))))
"""

#: Has ever larger terms as soon as the legal moves are asked for.
ENDLESS = """
(role r) (init (x 0)) (<= (number ?n) (true (x ?n))) (<= (number (s ?n)) (number ?n))
(<= (legal r (count ?n)) (number ?n)) (<= terminal (true (x 1))) (goal r 0)
"""


#: Stands for every status but that of a broken server.
ANY = 0


class Editor:
    """A page in front of a server of its own."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self.site = self._run(self._made(folder))
        self.runner = self._run(start(application(self.site), "127.0.0.1", 0))
        self._address = f"http://127.0.0.1:{self.runner.addresses[0][1]}"

    async def _made(self, folder: Path) -> Site:
        return Site(folder)

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def close(self) -> None:
        self._run(self.runner.cleanup())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def ask(self, question: str, text: object, status: int = 200, desk: str = "desk", **fields: object) -> Any:
        return self._run(self._asked(question, {"text": text, "desk": desk, **fields}, status))

    def get(self, path: str) -> Any:
        return self._run(self._sent("GET", path, None, 200))

    def post(self, path: str, body: dict[str, object]) -> Any:
        return self._run(self._sent("POST", path, body, 200))

    def together(self, *asked: tuple[str, str, int, dict[str, object]]) -> list[Any]:
        """The answers to requests that are sent at the same time."""

        async def all_of_them() -> list[Any]:
            made = (
                self._asked(one, {"text": text, "desk": "desk", **more}, status) for one, text, status, more in asked
            )
            return await asyncio.gather(*made)

        return list(self._run(all_of_them()))

    async def _asked(self, question: str, body: dict[str, object], status: int) -> Any:
        return await self._sent("POST", f"/api/edit/{question}", body, status)

    async def _sent(self, method: str, path: str, body: dict[str, object] | None, status: int) -> Any:
        async with (
            ClientSession(self._address, timeout=ClientTimeout(total=100)) as session,
            session.request(method, path, json=body) as answer,
        ):
            assert answer.status == status or (status == ANY and answer.status < 500), await answer.text()
            return await answer.json()


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    made = Editor(tmp_path_factory.mktemp("editing"))
    try:
        yield made
    finally:
        made.close()


def changed(text: str, edits: list[dict[str, Any]]) -> str:
    """A text after edits with offsets in UTF-16 code units."""
    data = text.encode("utf-16-le")
    for edit in reversed(edits):
        data = data[: 2 * edit["from"]] + edit["insert"].encode("utf-16-le") + data[2 * edit["to"] :]
    return data.decode("utf-16-le")


# ------------------------------------------------------------------------------------------ text


def test_findings_have_their_places_in_code_units_and_their_fixes(editor: Editor) -> None:
    text = NIM + "; \N{GRINNING FACE}\n(<= (spare 1)) (<= (legal left (go ?x)) (true (heap ?y)))"
    found = editor.ask("findings", text)
    assert not found["playable"]
    by_code = {one["code"]: one for one in found["findings"]}
    assert by_code["unsafe-variable"]["severity"] == "error"
    fixable = by_code["empty-body"]
    data = text.encode("utf-16-le")
    assert data[2 * fixable["from"] : 2 * fixable["to"]].decode("utf-16-le") == "<="
    assert changed(text, fixable["fix"]["edits"]) == text.replace("(<= (spare 1))", "(spare 1)")
    found = editor.ask("findings", NIM)
    assert {one["severity"] for one in found["findings"]} == {"hint"}
    assert found["playable"]


def test_an_empty_text_is_answered(editor: Editor) -> None:
    assert not editor.ask("findings", "")["playable"]
    assert editor.ask("atom", "", at=0) == {"atom": None}
    assert editor.ask("complete", "", at=0)["from"] == 0


def test_format_and_fix(editor: Editor) -> None:
    formatted = editor.ask("format", NIM)["text"]
    assert "(<= terminal\n    (true (heap 0)))" in formatted
    assert "unbalanced" in editor.ask("format", "(role a", status=400)["error"]
    fixed = editor.ask("fix", NIM + "(<= (role third))")
    assert fixed["text"].endswith("\n(role third)")
    assert len(fixed["titles"]) == 1


def test_completion_hover_and_definition(editor: Editor) -> None:
    text = NIM + "(<= (legal left stay) (true (he"
    found = editor.ask("complete", text, at=len(text))
    assert found["from"] == len(text) - 2
    assert "heap" in [one["label"] for one in found["options"]]
    use = NIM.index("heap ?n")
    assert "the matches that are left" in editor.ask("hover", NIM, at=use)["markdown"]
    places = editor.ask("definition", NIM, at=use)["places"]
    assert NIM[places[0]["from"] :].startswith("heap 3")
    assert editor.ask("hover", NIM, at=0) == {"markdown": None}


@pytest.mark.parametrize(
    ("before", "atom"),
    [
        ("(true (control ?ro", "(true (control ?role))"),
        ("(<= (legal ?role ta", "(legal ?role take)"),
        ("(<= term", "terminal"),
        ("(<= (legal ?role pass) (true (control ?role)))", "(legal ?role pass)"),
    ],
)
def test_the_atom_at_the_cursor(before: str, atom: str, editor: Editor) -> None:
    assert editor.ask("atom", NIM, at=NIM.index(before) + len(before)) == {"atom": atom}


def test_code_units_and_characters() -> None:
    text = "a\N{GRINNING FACE}b\N{GRINNING FACE}"
    units = CodeUnits(text)
    assert [units.units(offset) for offset in range(6)] == [0, 1, 3, 4, 6, 6]
    assert [units.characters(offset) for offset in range(8)] == [0, 1, 1, 2, 3, 3, 4, 4]


def test_the_page_colours_the_keywords_of_the_language() -> None:
    script = (Path(pages.__file__).parents[1] / "static" / "editing" / "kif.js").read_text(encoding="utf-8")
    listed = re.search(r"KEYWORDS = (\[.*?\]);", script)
    assert listed is not None
    assert set(json.loads(listed.group(1))) == KEYWORDS


# ------------------------------------------------------------------------------------------ positions


def test_a_line_is_played_and_forced_moves_are_added(editor: Editor) -> None:
    start = editor.ask("position", NIM, moves=[])
    assert start["game"]["roles"] == ["left", "right"]
    assert [one["move"] for one in start["position"]["choices"]["left"]] == ["pass", "take"]
    found = editor.ask("position", NIM, moves=[{"left": "take"}, {"right": "take"}, {"left": "take"}])
    assert found["stopped"] is None
    assert found["line"][0] == {"left": "take", "right": "noop"}
    assert found["position"]["terminal"]
    assert found["goals"] == {"left": 0, "right": 100}


def test_a_line_that_the_changed_rules_do_not_allow_ends_before(editor: Editor) -> None:
    moves = [{"left": "take"}, {"right": "pass"}, {"left": "take"}]
    assert editor.ask("position", NIM, moves=moves)["stopped"] is None
    without = NIM.replace("(<= (legal ?role pass) (true (control ?role)))", "")
    found = editor.ask("position", without, moves=moves)
    assert found["stopped"] == "ply 2: pass is not a legal move of right"
    assert len(found["line"]) == 1
    assert found["position"]["ply"] == 1
    assert editor.ask("position", NIM, moves=[{}])["stopped"].startswith("ply 1: left has 2 legal moves")


def test_explanations(editor: Editor) -> None:
    assert not editor.ask("explain", NIM, moves=[], atom="terminal")["holds"]
    found = editor.ask("explain", NIM, moves=[], atom="(legal left ?move)")
    assert found["holds"]
    assert "choose a move first" in editor.ask("explain", NIM, 400, moves=[], atom="(next (heap ?n))")["error"]
    found = editor.ask("explain", NIM, moves=[{"left": "take"}], atom="(next (heap ?n))")
    assert "(next (heap 2))" in [line[1] for line in found["lines"]]
    assert "no relation" in editor.ask("explain", NIM, 400, moves=[], atom="(nothing ?n)")["error"]


def test_expectations_are_checked(editor: Editor) -> None:
    text = "perft = [1, 2]\n" + "".join(
        f'[[position]]\nname = "{name}"\nholds = ["(heap {number})"]\n' for name, number in (("three", 3), ("two", 2))
    )
    found = editor.ask("test", NIM, moves=[], expectations=text)["checks"]
    assert [(one["name"], bool(one["failures"])) for one in found] == [
        ("perft", False),
        ("position[three]", False),
        ("position[two]", True),
    ]
    assert "expectations:1:" in editor.ask("test", NIM, 400, moves=[], expectations="perft = 1")["error"]


def test_a_position_becomes_an_expectation_that_holds(editor: Editor) -> None:
    made = ""
    for moves in ([], [{"left": "take"}], [{"left": "take"}]):
        fields: dict[str, object] = {"moves": moves, "name": "", "aspects": ["legal", "facts"]}
        made = editor.ask("expect", NIM, expectations=made, **fields)["expectations"]
    assert made.count("[[position]]") == 3
    found = editor.ask("test", NIM, moves=[], expectations=made)["checks"]
    assert [(one["name"], one["failures"]) for one in found] == [
        ("position[the initial position]", []),
        ("position[after 1 ply]", []),
        ("position[after 1 ply (2)]", []),
    ]
    more = NIM.replace("(init (heap 3))", "(init (heap 2))")
    assert all(one["failures"] for one in editor.ask("test", more, moves=[], expectations=made)["checks"])


# ------------------------------------------------------------------------------------------ templates, uploads


def test_templates_are_games_without_findings(editor: Editor) -> None:
    templates = editor.get("/api/templates")["templates"]
    assert len(templates) == 3
    roles = set()
    for template in templates:
        assert template["title"]
        assert editor.ask("findings", template["text"])["findings"] == []
        assert editor.ask("format", template["text"])["text"] == template["text"]
        position = editor.ask("position", template["text"], moves=[])
        assert position["game"]["width"]
        choices = position["position"]["choices"].values()
        roles.add((len(choices), sum(len(own) > 1 for own in choices)))
    assert roles == {(1, 1), (2, 1), (2, 2)}  # a puzzle, roles that take turns, and roles that move at the same time


def test_uploaded_rules_are_checked_for_doubts_too(editor: Editor) -> None:
    found = editor.post("/api/games", {"name": "doubtful", "text": NIM + "(<= (spare 1))"})
    assert "empty-body" in [one["code"] for one in found["findings"]]


# ------------------------------------------------------------------------------------------ refusals


def test_rules_that_cannot_be_read_are_refused_with_the_place(editor: Editor) -> None:
    assert "rules:1:1" in editor.ask("position", "(role", 400, moves=[])["error"]


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        ("nothing", {}),
        ("findings", {"text": 1}),
        ("findings", {"text": " " * 1_000_001}),
        ("findings", {"desk": ""}),
        ("hover", {"at": -1}),
        ("position", {"moves": {}}),
        ("position", {"moves": [["take"]]}),
        ("position", {"moves": [{"left": 1}]}),
        ("explain", {"moves": []}),
        ("test", {"moves": [], "expectations": 3}),
        ("expect", {"moves": [], "expectations": "", "name": "", "aspects": []}),
        ("expect", {"moves": [], "expectations": "", "name": "", "aspects": ["beauty"]}),
        ("expect", {"moves": [], "expectations": "[[position]]", "name": "", "aspects": ["legal"]}),
    ],
)
def test_wrong_requests_are_refused(question: str, fields: dict[str, object], editor: Editor) -> None:
    assert editor.ask(question, **{"text": NIM, "status": 400, **fields})["error"]  # type: ignore[arg-type]


@pytest.mark.slow
def test_endless_rules_hinder_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GGP_SERVE_SECONDS", "8")
    made = Editor(tmp_path)
    try:
        # On a busy machine, the process is ended before the Reasoner gives up.
        endless = ("position", ENDLESS, ANY, {"moves": []})
        position, findings = made.together(endless, ("findings", NIM, 200, {}))
        assert "limit" in json.dumps(position)
        assert findings["playable"]
        assert made.ask("position", NIM, moves=[])["line"] == []
    finally:
        made.close()


def test_a_process_that_starts_while_its_page_is_closed_ends() -> None:
    class Client:
        open = True

        def close(self) -> None:
            self.open = False

    class Clients:
        def __init__(self) -> None:
            self.made: list[Client] = []

        async def take(self, _: object) -> Client:
            await asyncio.sleep(0)
            self.made.append(Client())
            return self.made[0]

    async def run() -> None:
        clients = Clients()
        desks = Desks(clients)  # type: ignore[arg-type]
        asked = asyncio.create_task(desks.ask("desk", AskText("findings", "", {})))
        await asyncio.sleep(0)
        desks.close()
        with pytest.raises(BusyError):
            await asked
        assert [client.open for client in clients.made] == [False]

    asyncio.run(run())


@pytest.mark.slow
def test_processes_of_more_pages_than_allowed_end(editor: Editor) -> None:
    for number in range(MOST_DESKS + 2):
        assert editor.ask("findings", NIM, desk=f"desk {number}")["playable"]
    assert len(editor.site.desks) == MOST_DESKS
    assert editor.ask("findings", NIM, desk="desk 0")["playable"]

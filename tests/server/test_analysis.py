"""Analyses on the server: positions after lines, variations, evaluations, and requests that are refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from test_server import LIGHT, Client, served

from ggp.server.web.evaluations import Evaluations

#: Two roles choose at the same time, twice; whoever has more wins.
BOTH = """
(role left) (role right) (init (step 1))
(<= (legal ?r (take ?n)) (role ?r) (number ?n)) (number 1) (number 2)
(<= (next (took ?r ?n)) (does ?r (take ?n))) (<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(<= (goal left 100) (true (took left 2)) (true (took right 1))) (<= (goal right 0) (goal left 100))
(<= (goal right 100) (true (took right 2)) (true (took left 1))) (<= (goal left 0) (goal right 100))
(<= (goal ?r 50) (role ?r) (true (took left ?n)) (true (took right ?n)))
"""


async def begun(client: Client, rules: str) -> str:
    name = (await client.post("/api/games", {"name": "toy", "text": rules}))["name"]
    return f"/api/analyses/{(await client.post('/api/analyses', {'game': name}))['id']}"


async def finished(client: Client) -> str:
    match = await client.begin(LIGHT, {"robot": "legal"})
    await client.until(match, lambda state: state["result"] == "finished")
    return match


@pytest.mark.slow
def test_a_finished_match_is_looked_back_at_and_left_for_a_variation(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = f"/api/analyses/{await finished(client)}"
        about = await client.get(path)
        assert about["roles"] == ["robot"]
        line = about["moves"]
        assert len(line) == 3
        end = await client.post(f"{path}/position", {"moves": line})
        assert end["terminal"]
        assert end["goals"] == {"robot": 0}
        start = await client.post(f"{path}/position", {"moves": []})
        assert [choice["move"] for choice in start["choices"]["robot"]] == ["(set off)", "(set on)", "press"]
        other = await client.post(f"{path}/position", {"moves": [*line[:1], ["press"]]})
        assert other["facts"] == ["(count 2)", "(light on)"]
        why = await client.post(f"{path}/explain", {"moves": [["press"]], "atom": "(legal robot press)"})
        assert why["holds"]

    served(tmp_path, visit)


@pytest.mark.slow
def test_variations_are_kept_in_the_record(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await finished(client)
        path = f"/api/analyses/{match}"
        tree = [{}, {"after": 0, "moves": ["press"], "comment": "first"}, {"after": 1, "moves": ["(set on)"]}]
        await client.post(f"{path}/variations", {"variations": tree})
        record = await client.get(f"/api/matches/{match}/record")
        assert record["variations"] == tree
        again = (await client.post("/api/records", record))["id"]
        assert (await client.get(f"/api/analyses/{again}"))["variations"] == tree

    served(tmp_path, visit)


def test_a_game_is_analysed_from_its_start(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = await begun(client, BOTH)
        about = await client.get(path)
        assert (about["roles"], about["moves"]) == (["left", "right"], [])
        end = await client.post(f"{path}/position", {"moves": [["(take 2)", "(take 1)"]]})
        assert end["goals"] == {"left": 100, "right": 0}

    served(tmp_path, visit)


@pytest.mark.slow
def test_an_analysis_begins_at_a_position(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        first = await begun(client, LIGHT)
        match = first.rpartition("/")[2]
        for how in ({"match": match}, {"game": (await client.get(first))["name"]}):
            body = {**how, "position": "(true (light on)) (true (count 2))"}
            made = (await client.post("/api/analyses", body))["id"]
            start = await client.post(f"/api/analyses/{made}/position", {"moves": []})
            assert start["facts"] == ["(count 2)", "(light on)"]
            end = await client.post(f"/api/analyses/{made}/position", {"moves": [["press"]]})
            assert end["goals"] == {"robot": 100}
            # Its record has rules that begin there, so it can be sent elsewhere.
            sent = (await client.post("/api/records", await client.get(f"/api/matches/{made}/record")))["id"]
            assert (await client.post(f"/api/analyses/{sent}/position", {"moves": []}))["facts"] == start["facts"]
        before = len((await client.get("/api/matches"))["matches"])
        refused = await client.post("/api/analyses", {"match": match, "position": "(true (lamp on))"}, 400)
        assert "position:1:7" in refused["error"]
        assert "its facts are called count, light" in refused["error"]
        assert len((await client.get("/api/matches"))["matches"]) == before
        await client.post("/api/analyses", {"match": "no-such-match", "position": "(true (light on))"}, 400)

    served(tmp_path, visit)


def test_a_match_that_is_being_played_is_not_analysed(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"})
        await client.until(match, lambda state: state["waiting"] == ["robot"])
        path = f"/api/analyses/{match}"
        for ask in (client.get(path, 409), client.post(f"{path}/position", {"moves": []}, 409)):
            assert "when it is over" in (await ask)["error"]
        await client.post(f"{path}/variations", {"variations": []}, 409)

    served(tmp_path, visit)


#: Requests that do not fit a match of LIGHT, and words of the reason.
REFUSED: list[tuple[str, Any, str]] = [
    ("position", {"moves": [["(fly home)"]]}, "ply 1"),
    ("position", {"moves": [["press", "press"]]}, "2 moves for 1 roles"),
    ("position", {"moves": [["press"]] * 4}, "ply 4: the game is over"),
    ("position", {"moves": [["(("]]}, "ply 1"),
    ("position", {"moves": [[1]]}, "joint moves"),
    ("position", {"moves": [[]] * 5001}, "at most 5,000"),
    ("position", {"moves": "press"}, "joint moves"),
    ("explain", {"moves": [], "atom": "(nonsense 1)"}, "nonsense"),
    ("explain", {"moves": []}, "atom must be"),
    ("variations", {"variations": {}}, "must be a list"),
    ("evaluate", {"moves": [], "plies": [1], "seconds": 1, "name": "x"}, "has no ply 1"),
    ("evaluate", {"moves": [], "plies": [], "seconds": 1, "name": "x"}, "plies must be"),
    ("evaluate", {"moves": [], "plies": [0], "seconds": 1e9, "name": "x"}, "at most 300"),
    ("evaluate", {"moves": [], "plies": [0], "seconds": True, "name": "x"}, "at most 300"),
    ("evaluate", {"moves": [], "plies": ["x"], "seconds": 1, "name": "x"}, "whole number"),
    ("evaluate", {"moves": [], "plies": [0], "seconds": 1}, "name must be"),
    ("evaluate", {"moves": [["(fly home)"]], "plies": [1], "seconds": 1, "name": "x"}, "ply 1"),
    ("variations", {"variations": [{}, {"after": 7, "moves": ["press"]}]}, "not an earlier position"),
]


def test_what_does_not_fit_is_refused_with_the_reason(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = await begun(client, LIGHT)
        for request, body, reason in REFUSED:
            assert reason in (await client.post(f"{path}/{request}", body, 400))["error"]

    served(tmp_path, visit)


def test_unknown_analyses_and_games(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        await client.get("/api/analyses/nothing-here", 404)
        await client.get("/api/analyses/..%2f..%2fetc", 404)
        await client.post("/api/analyses", {"game": "no/such"}, 400)
        await client.post("/api/analyses", {}, 400)

    served(tmp_path, visit)


class News:
    """The news of an analysis, as its page gets them."""

    def __init__(self, lines: Any) -> None:
        self._lines = lines

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(100):
            async for line in self._lines:
                if line.startswith(b"data: "):
                    found: dict[str, Any] = json.loads(line[6:])
                    return found
        raise AssertionError("the stream has ended")

    async def until_over(self) -> list[dict[str, Any]]:
        found = [await self.next()]
        while found[-1]["say"] != "evaluated":
            found.append(await self.next())
        return found


@asynccontextmanager
async def listening(client: Client, path: str) -> AsyncIterator[News]:
    async with client.session.get(f"{client.address}{path}/events") as response:
        news = News(response.content)
        assert (await news.next())["say"] == "ready"
        yield news


@pytest.mark.slow
def test_a_whole_match_is_evaluated_from_its_end_and_its_mistakes_are_named(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await finished(client)
        path = f"/api/analyses/{match}"
        line = [["press"], ["(set on)"], ["(set off)"]]
        async with listening(client, path) as news:
            body = {"moves": line, "plies": [0, 1, 2, 3], "seconds": 5, "name": "whole"}
            await client.post(f"{path}/evaluate", body)
            *evaluations, over = await news.until_over()
            assert (over["error"], over["stopped"], over["name"]) == ("", False, "whole")
            assert [one["ply"] for one in evaluations] == [3, 2, 1, 0]
            assert [one["expected"]["robot"] for one in evaluations] == [0.0, 100.0, 100.0, 100.0]
            assert [(one["mistake"] or {}).get("kind") for one in evaluations] == [None, "blunder", None, None]
            assert evaluations[1]["mistake"]["better"] in ("press", "(set on)")
        matches.append(match)
        await are_kept(client)

    async def are_kept(client: Client) -> None:
        found = (await client.get(f"/api/analyses/{matches[0]}"))["evaluations"]
        rows = {row["played"] + len(row["moves"]): row for row in found}
        assert sorted(rows) == [0, 1, 2, 3]
        assert [rows[ply]["evaluation"]["expected"]["robot"] for ply in range(4)] == [100.0, 100.0, 100.0, 0.0]
        assert {row["evaluation"]["seconds"] for row in rows.values()} == {5}
        assert rows[3]["mistake"]["kind"] == "blunder"
        assert rows[2]["mistake"] is rows[1]["mistake"] is None

    matches: list[str] = []
    served(tmp_path, visit)
    served(tmp_path, are_kept)


@pytest.mark.slow
def test_the_evaluation_of_a_single_position_is_kept_though_nobody_waits_for_its_end(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = f"/api/analyses/{(await client.post('/api/analyses', {'game': 'wolf_sheep'}))['id']}"
        async with listening(client, path) as news:
            await client.post(f"{path}/evaluate", {"moves": [], "plies": [0], "seconds": 300, "name": "x"})
            assert (await news.next())["say"] == "evaluation"
        async with asyncio.timeout(60):
            while not (rows := (await client.get(path))["evaluations"]):
                await asyncio.sleep(0.1)
        assert (rows[0]["played"], rows[0]["moves"], rows[0]["evaluation"]["seconds"]) == (0, [], 0)

    served(tmp_path, visit)


@pytest.mark.slow
def test_the_same_link_leads_to_the_same_analysis(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        name = (await client.post("/api/games", {"name": "toy", "text": LIGHT}))["name"]

        async def opens(position: str = "") -> str:
            return str((await client.post("/api/analyses", {"game": name, "position": position}))["id"])

        async def changes(analysis: str) -> None:
            tree = [{}, {"after": 0, "moves": ["press"]}]
            await client.post(f"/api/analyses/{analysis}/variations", {"variations": tree})

        position = "(true (light on)) (true (count 2))"
        begun = await opens(position)
        assert await opens(position.replace(" (true", "\n(true")) == begun
        assert await opens("(true (light on)) (true (count 1))") != begun
        await changes(begun)
        assert await opens(position) == begun  # with what was tried there
        # From the start of the game, an analysis is the same as long as nothing has been tried.
        first = await opens()
        assert await opens() == first != begun
        await changes(first)
        second = await opens()
        assert await opens() == second != first
        assert len((await client.get("/api/matches"))["matches"]) == 4

    served(tmp_path, visit)


@pytest.mark.slow
def test_an_evaluation_is_stopped_and_another_takes_its_place(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = f"/api/analyses/{(await client.post('/api/analyses', {'game': 'wolf_sheep'}))['id']}"
        await client.post(f"{path}/stop", {})  # nothing is evaluated yet
        async with listening(client, path) as news:
            for name in ("first", "second"):
                await client.post(f"{path}/evaluate", {"moves": [], "plies": [0], "seconds": 300, "name": name})
            over = (await news.until_over())[-1]
            assert (over["name"], over["stopped"]) == ("first", True)
            await client.post(f"{path}/stop", {})
            over = (await news.until_over())[-1]
            assert (over["name"], over["stopped"], over["error"]) == ("second", True, "")

    served(tmp_path, visit)


@pytest.mark.slow
def test_only_a_few_analyses_evaluate_at_a_time_and_none_without_a_reader(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        evaluations = client.site.analyses.evaluations = Evaluations(client.site.game_clients, most=1)
        one, other = [await begun(client, rules) for rules in (BOTH, LIGHT)]
        body = {"moves": [], "plies": [0], "seconds": 300, "name": "x"}
        async with listening(client, one):
            await client.post(f"{one}/evaluate", body)
            assert "being evaluated already" in (await client.post(f"{other}/evaluate", body, 503))["error"]
        async with asyncio.timeout(60):
            while evaluations.workers:
                await asyncio.sleep(0.02)
        await client.post(f"{other}/evaluate", body)

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_process_that_dies_is_reported(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path = await begun(client, BOTH)
        async with listening(client, path) as news:
            await client.post(f"{path}/evaluate", {"moves": [], "plies": [0], "seconds": 300, "name": "x"})
            for worker in client.site.analyses.evaluations.workers.values():
                worker.client.close()
            over = (await news.until_over())[-1]
            assert (over["name"], over["error"]) == ("x", "the process of this game has ended")

    served(tmp_path, visit)

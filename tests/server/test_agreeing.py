"""What people who play together agree on, and what may be taken back."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.records import RECORD
from test_server import LIGHT, Client, served

from ggp.match.record import Ply
from ggp.server.game.game_clock import GameClock
from ggp.server.messages import undoable
from ggp.server.web.people import People, TalkError

TIC_TAC_TOE = {"game": "classics/tic_tac_toe", "players": {"xplayer": "human", "oplayer": "human"}}

#: Moves without arguments.
WALK = """
(role walker) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (init (at 3)) (init (time 0))
(<= (legal walker left) (true (at ?x)) (after ?y ?x)) (<= (legal walker right) (true (at ?x)) (after ?x ?y))
(<= (next (at ?y)) (does walker left) (true (at ?x)) (after ?y ?x))
(<= (next (at ?y)) (does walker right) (true (at ?x)) (after ?x ?y))
(<= (next (time ?u)) (true (time ?t)) (after ?t ?u)) (<= terminal (true (time 5))) (goal walker 50)
"""

#: Each choice has to be confirmed, by a move with an argument that is the only one.
CONFIRM = """
(role chooser) (letter a) (letter b) (after 1 2) (after 2 3) (after 3 4) (init (round 1)) (init (phase pick))
(<= (legal chooser (pick ?x)) (letter ?x) (true (phase pick)))
(<= (legal chooser (confirm ?x)) (true (held ?x)) (true (phase confirm)))
(<= (next (held ?x)) (does chooser (pick ?x))) (<= (next (phase confirm)) (does chooser (pick ?x)))
(<= (next (round ?n)) (does chooser (pick ?x)) (true (round ?n)))
(<= (next (phase pick)) (does chooser (confirm ?x)))
(<= (next (round ?m)) (does chooser (confirm ?x)) (true (round ?n)) (after ?n ?m))
(<= terminal (true (round 4))) (goal chooser 100)
"""


def test_who_plays_what_and_when_all_agree() -> None:
    people = People(["white", "black"])
    assert people.of("ann") == ["white", "black"]
    assert people.want("ann", "end"), "nobody else is there"
    assert people.sit("bob", "black")
    assert not people.sit("bob", "black")
    assert (people.of("ann"), people.taken("ann"), people.of("cid")) == (["white"], ["black"], [])
    assert not people.want("ann", "draw")
    assert people.offer() == {"what": "draw", "ply": None, "by": ["white"], "declined": False}
    assert not people.want("ann", "draw"), "asking twice is no answer"
    assert not people.want("bob", "end"), "another offer takes the place of the first"
    assert not people.want("ann", "draw")
    people.decline()
    assert not people.want("bob", "draw"), "what was declined has to be offered again"
    assert people.want("ann", "draw")
    assert people.offer() is None


@pytest.mark.parametrize(
    ("roles", "counts", "undo"),
    [
        (("left", "right"), [], {}),
        (("left", "right"), [(2, 1), (1, 3), (1, 1)], {"left": 0, "right": 1}),
        (("left", "right"), [(2, 2), (2, 1)], {"left": 1, "right": 0}),
        (("left", "random"), [(2, 1), (1, 6)], {}),
        (("left", "random"), [(2, 6), (3, 1)], {"left": 1}),
    ],
)
def test_what_may_be_taken_back(roles: tuple[str, ...], counts: list[tuple[int, ...]], undo: dict[str, int]) -> None:
    """A choice is one of two or more moves, whatever their names; nothing before a random move that was seen is."""
    plies = tuple(Ply(("go",) * 2, "()", ("", ""), (0.0, 0.0), count, 0) for count in counts)
    assert undoable(replace(RECORD, roles=roles, plies=plies)) == undo


class Table:
    """Two people at browsers of their own, in a match of tic-tac-toe."""

    def __init__(self, client: Client, made: dict[str, Any]) -> None:
        self.client = client
        self.id = made["id"]
        self.path = f"/api/matches/{made['id']}"

    @classmethod
    async def laid(cls, client: Client, **fields: Any) -> Table:
        return cls(client, await client.post("/api/matches", {**TIC_TAC_TOE, **fields}))

    async def plays(self, *moves: str) -> None:
        for ply, move in enumerate(moves, 1):
            role, browser = (("xplayer", "ann"), ("oplayer", "bob"))[(ply - 1) % 2]
            await self.until(ply - 1, [role])
            await self.says("move", browser, role=role, ply=ply, move=move)
        await self.until(len(moves), [("xplayer", "oplayer")[len(moves) % 2]])

    async def says(self, what: str, browser: str, status: int = 200, **parts: Any) -> Any:
        return await self.client.post(f"{self.path}/{what}", {"browser": browser, **parts}, status)

    async def until(self, plies: int, waiting: list[str]) -> dict[str, Any]:
        return await self.client.until(self.id, lambda state: (state["plies"], state["waiting"]) == (plies, waiting))

    async def ends(self) -> dict[str, Any]:
        return await self.client.until(self.id, lambda state: state["result"] != "running")

    def offer(self) -> Any:
        return self.client.site.matches.get(self.id).state()["offer"]


def test_people_take_back_a_move_only_together(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        table = await Table.laid(client)
        await table.plays("(mark 1 1)", "(mark 2 2)")
        await table.says("back", "ann", 400, ply=2)
        await table.says("back", "eve", 403, ply=0)
        await table.says("back", "ann", ply=0)
        assert table.offer() == {"what": "back", "ply": 0, "by": ["xplayer"], "declined": False}
        await table.says("decline", "bob")
        assert table.offer()["declined"]
        await table.says("back", "ann", ply=0)
        await table.says("back", "bob", ply=0)
        state = await table.until(0, ["xplayer"])
        assert state["offer"] is None
        # What is offered lapses with the next move.
        await table.plays("(mark 3 3)")
        await table.says("back", "ann", ply=0)
        await table.says("move", "bob", role="oplayer", ply=2, move="(mark 1 1)")
        assert (await table.until(2, ["xplayer"]))["offer"] is None

    served(tmp_path, visit)


@pytest.mark.slow
@pytest.mark.parametrize(("what", "result", "goals"), [("draw", "resigned", [50, 50]), ("end", "aborted", [])])
def test_people_end_a_match_together(tmp_path: Path, what: str, result: str, goals: list[int]) -> None:
    async def visit(client: Client) -> None:
        table = await Table.laid(client)
        await table.plays("(mark 1 1)", "(mark 2 2)")
        await table.says(what, "bob")
        assert table.offer()["by"] == ["oplayer"]
        await table.says(what, "ann")
        state = await table.ends()
        assert (state["result"], state["goals"], state["offer"]) == (result, goals, None)

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_person_resigns_while_the_other_is_to_move_and_both_play_again(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        made = await client.post("/api/matches", {**TIC_TAC_TOE, "seats": True})
        ann, bob = ({"seat": made["seats"][role]} for role in ("xplayer", "oplayer"))
        table = Table(client, made)
        await table.until(0, ["xplayer"])
        await table.says("rematch", "", 409, **ann)
        # Seats tell who plays, even where browsers do not.
        await table.says("move", "", role="xplayer", ply=1, move="(mark 1 1)", **ann)
        await table.until(1, ["oplayer"])
        await table.says("move", "", role="oplayer", ply=2, move="(mark 2 2)", **bob)
        await table.until(2, ["xplayer"])
        await table.says("resign", "", 403, role="oplayer", **ann)
        await table.says("resign", "", role="oplayer", **bob)
        state = await table.ends()
        assert (state["resigned"], state["goals"]) == (["oplayer"], [100, 0])
        await table.says("rematch", "", 403)
        assert await table.says("rematch", "", role="oplayer", **bob) == {"id": ""}
        assert table.offer()["what"] == "rematch"
        first = await table.says("rematch", "", role="xplayer", **ann)
        second = await table.says("rematch", "", role="oplayer", **bob)
        assert first["id"] == second["id"] != table.id
        assert (first["as"], second["as"]) == ("oplayer", "xplayer")
        assert (list(first["seats"]), list(second["seats"])) == (["oplayer"], ["xplayer"])
        assert (await client.get(table.path))["state"]["rematch"] == first["id"]

    served(tmp_path, visit)


@pytest.mark.slow
def test_one_press_takes_back_one_choice_of_moves_without_arguments(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(WALK, {"walker": "human"})
        path = f"/api/matches/{match}"
        for ply in (1, 2, 3):
            await client.until(match, lambda state, ply=ply: state["plies"] == ply - 1 and bool(state["waiting"]))
            await client.post(f"{path}/move", {"role": "walker", "ply": ply, "move": "left" if ply % 2 else "right"})
        state = await client.until(match, lambda state: state["plies"] == 3 and bool(state["waiting"]))
        assert state["undo"] == {"walker": 2}
        assert (await client.get(f"{path}/moves"))["counts"] == [[2]] * 3
        await client.post(f"{path}/back", {"ply": 0}, 400)
        await client.post(f"{path}/back", {"ply": 2})
        await client.until(match, lambda state: state["plies"] == 2 and bool(state["waiting"]))

    served(tmp_path, visit)


@pytest.mark.slow
def test_forced_moves_are_played_at_a_pace_and_are_no_choices(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(CONFIRM, {"chooser": "human"})
        path = f"/api/matches/{match}"
        await client.until(match, lambda state: state["waiting"] == ["chooser"])
        began = time.monotonic()
        await client.post(f"{path}/move", {"role": "chooser", "ply": 1, "move": "(pick a)"})
        state = await client.until(match, lambda state: state["plies"] == 2 and state["waiting"] == ["chooser"])
        assert time.monotonic() - began > 0.5
        assert state["last"] == ["(confirm a)"]
        assert state["undo"] == {"chooser": 0}

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_throw_of_the_die_that_was_seen_is_not_taken_back(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        players = {"left": "human", "right": "legal"}
        match = (await client.post("/api/matches", {"game": "gallery/pig", "players": players, "seed": 3}))["id"]
        # Nobody holds with an empty pot, so the first throw comes by itself.
        state = await client.until(match, lambda state: state["plies"] == 1 and state["waiting"] == ["left"])
        assert state["last"][1:] == ["noop", "(throw 5)"]
        await client.post(f"/api/matches/{match}/move", {"role": "left", "ply": 2, "move": "roll"})
        state = await client.until(match, lambda state: state["plies"] > 1 and state["waiting"] == ["left"])
        assert state["undo"] == {}
        await client.post(f"/api/matches/{match}/back", {"ply": 0}, 400)

    served(tmp_path, visit)


@pytest.mark.slow
def test_clocks_go_on_when_a_move_is_taken_back(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        match = await client.begin(LIGHT, {"robot": "human"}, play_clock=20)
        path = f"/api/matches/{match}"
        for ply, plies in ((1, 0), (2, 1)):
            await client.until(match, lambda state, plies=plies: state["plies"] == plies and bool(state["waiting"]))
            await asyncio.sleep(1)
            if plies == 0:
                await client.post(f"{path}/move", {"role": "robot", "ply": ply, "move": "press"})
        await client.post(f"{path}/back", {"ply": 0})
        state = await client.until(match, lambda state: state["plies"] == 0 and bool(state["waiting"]))
        assert state["until"] - time.time() < 19.1
        await client.post(f"{path}/move", {"role": "robot", "ply": 1, "move": "press"})
        state = await client.until(match, lambda state: state["plies"] == 1 and bool(state["waiting"]))
        assert state["until"] - time.time() < 19.1

    served(tmp_path, visit)


@pytest.mark.slow
def test_a_match_ends_whatever_its_programs_think_about(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        players = {"white": "mcts(simulations=1000000000)", "black": "random"}
        match = (await client.post("/api/matches", {"game": "classics/breakthrough", "players": players}))["id"]
        await asyncio.sleep(3)
        began = time.monotonic()
        await client.post(f"/api/matches/{match}/end", {})
        state = await client.until(match, lambda state: state["result"] == "aborted")
        assert time.monotonic() - began < 1.5
        assert not state["running"]

    async def again(client: Client) -> None:
        (match,) = (await client.get("/api/matches"))["matches"]
        assert match["result"] == "aborted"

    served(tmp_path, visit)
    served(tmp_path, again)


@pytest.mark.slow
def test_a_player_that_refuses_the_game_leaves_no_match(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        refused = {"xplayer": "mcts(tempo=3)", "oplayer": "random"}
        answer = await client.post("/api/matches", {**TIC_TAC_TOE, "players": refused}, 400)
        assert "tempo" in answer["error"]
        assert (await client.get("/api/matches"))["matches"] == []

    served(tmp_path, visit)


def test_what_people_say_and_are_called() -> None:
    people = People(["white", "black"], talk=True)
    with pytest.raises(TalkError, match="seats"):
        people.say("ann", "hello")
    people.sit("ann", "white")
    people.say("ann", "  good\nday ")
    assert people.call("ann", " Ann  B ")
    assert not people.call("ann", "Ann B")
    assert not people.call("ann", 3)
    people.say("ann", "x" * 999)
    assert [(one["who"], len(one["text"])) for one in people.remarks() or []] == [("white", 8), ("Ann B", 300)]
    assert people.names() == {"white": "Ann B"}
    for _ in range(4):
        people.say("ann", "again")
    with pytest.raises(TalkError, match="too much"):
        people.say("ann", "again")
    silent = People(["white", "black"])
    silent.sit("ann", "white")
    assert silent.remarks() is None
    with pytest.raises(TalkError, match="nobody"):
        silent.say("ann", "hello")


def test_what_is_kept_of_people() -> None:
    people = People(["white", "black"], talk=True)
    assert people.kept() == {}
    people.sit("ann", "white")
    people.call("ann", "Ann")
    people.say("ann", "hello")
    again = People(["white", "black"], talk=True)
    again.restore(json.loads(json.dumps(people.kept())))
    assert (again.kept(), again.names(), again.remarks()) == (people.kept(), {"white": "Ann"}, people.remarks())
    assert again.taken("bob") == ["white"]


@pytest.mark.parametrize(
    "kept",
    [
        {"browsers": {"white": 3, "green": "ann"}, "names": ["Ann"], "remarks": 1},
        {"browsers": None, "remarks": [None, 1, {"who": "Ann"}, {"who": "Ann", "text": "a", "at": "now"}]},
        {"remarks": [{"who": "Ann", "text": "a", "at": float("nan")}, {"who": "\ud800", "text": "a", "at": 1.0}]},
    ],
)
def test_damaged_parts_of_what_was_kept_are_left_out(kept: dict[str, Any]) -> None:
    people = People(["white", "black"], talk=True)
    people.restore(kept)
    assert people.kept() == {}


def test_names_and_talk_outlast_the_server(tmp_path: Path) -> None:
    made: dict[str, Any] = {}

    async def before(client: Client) -> None:
        table = await Table.laid(client, chat=True)
        await table.plays("(mark 1 1)", "(mark 2 2)")
        await table.says("call", "ann", name="Ann")
        await table.says("say", "ann", text="good luck")
        made.update(id=table.id)

    async def after(client: Client) -> None:
        table = Table(client, made)
        state = client.site.matches.get(table.id).state()
        assert state["names"] == {"xplayer": "Ann"}
        assert [(one["who"], one["text"]) for one in state["chat"]] == [("Ann", "good luck")]
        await table.says("say", "bob", text="you, too")
        assert (tmp_path / "matches" / f"{table.id}.people.json").exists()
        await client.post(f"{table.path}/delete", {})
        assert not list((tmp_path / "matches").glob(f"{table.id}*"))

    served(tmp_path, before)
    served(tmp_path, after)


def test_what_is_left_of_a_clock() -> None:
    clock = GameClock(10.0, increment=2.0)
    ply = Ply(("a", "noop"), "", ("", ""), (3.0, 0.5), (4, 1), 0)
    record = replace(RECORD, roles=("white", "black"), plies=(ply, replace(ply, choices=(1, 2))))
    assert clock.left(None, "white") == 10.0
    assert (clock.left(record, "white"), clock.left(record, "black")) == (9.0, 11.5)
    assert clock.used(record, "white", 1) == 0.0


@pytest.mark.parametrize("late", ["loses", "random"])
def test_a_clock_for_the_whole_match_runs_down(tmp_path: Path, late: str) -> None:
    async def visit(client: Client) -> None:
        clock = {"game_clock": 1.5, "increment": 0.25, "late": late, "max_plies": 4}
        match = (await client.post("/api/matches", {**TIC_TAC_TOE, **clock}))["id"]
        state = await client.until(match, lambda state: state["waiting"] == ["xplayer"])
        assert state["clocks"]["xplayer"]["due"] is not None
        assert state["clocks"]["oplayer"] == {"left": 1.5, "due": None}
        await client.post(f"/api/matches/{match}/move", {"role": "xplayer", "ply": 1, "move": "(mark 1 1)"})
        state = await client.until(match, lambda state: state["waiting"] == ["oplayer"])
        assert 0.3 < state["clocks"]["xplayer"]["left"] <= 1.75
        state = await client.until(match, lambda state: state["result"] != "running")
        if late == "loses":
            assert (state["result"], state["late"], state["goals"]) == ("resigned", ["oplayer"], [100, 0])
        else:
            assert (state["result"], state["plies"], state["late"]) == ("unfinished", 4, [])

    served(tmp_path, visit)

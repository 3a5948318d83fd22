"""A person at a browser in a game with hidden information: nothing that is sent tells what the role does not see."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientResponse
from test_server import LIGHT, Client, served

import gdl
from ggp.board.wishes import parse_wishes
from ggp.match.blank_record import state_text
from ggp.match.match import Match, play_match
from ggp.match.record import MatchRecord, Ply, read_record
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.rules.shipped_games import find_game
from ggp.server.game.table import Table
from ggp.server.web.files import Lineup

KUHN = find_game("kuhn_poker").read_text(encoding="utf-8")

#: Seeds with which alice gets a jack, and bob a queen or a king.
SEEDS = {"queen": 1, "king": 7}

#: The weather, which the watcher does not see, decides how many moves the host has, and how many facts there are.
WEATHER = """
(role watcher) (role host) (role random) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(drop a) (drop b) (drop c) (drop d) (drop e) (drop f) (drop g) (drop h)
(legal watcher look) (legal watcher sleep)
(<= (legal random sun) (true (step 1))) (<= (legal random rain) (true (step 1)))
(<= (legal random noop) (not (true (step 1))))
(legal host noop)
(<= (legal host (catch ?d)) (true (falls ?d)))
(<= (sees watcher (time ?n)) (does watcher look) (true (step ?n)))
(<= (sees host (falls ?d)) (true (falls ?d)))
(<= (next (falls ?d)) (does random rain) (drop ?d)) (<= (next (falls ?d)) (true (falls ?d)))
(<= (next (caught ?d)) (does host (catch ?d))) (<= (next (caught ?d)) (true (caught ?d)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 5))) (goal watcher 50) (goal host 50) (goal random 0)
"""

#: Seeds of sun and rain.
SKIES = {"sun": 2, "rain": 1}

#: What else is asked for: paths, and bodies of requests that post something. None of it may be had before the end.
REFUSED: tuple[tuple[str, dict[str, Any] | None], ...] = (
    ("moves", None),
    ("record", None),
    ("reason", None),
    ("explain", {"ply": 2, "atom": "(true (hand bob ?card))"}),
    ("after", {"ply": 2, "role": "alice", "move": "call"}),
)


def test_the_seeds_deal_the_cards() -> None:
    game = gdl.Reasoner(KUHN)
    for card, seed in SEEDS.items():
        record = play_match(game, {role: make_player("legal") for role in ("alice", "bob")}, Settings(seed=seed))
        assert record.plies[0].moves[2] == f"(deal jack {card})"


async def begun(client: Client, seed: int, **players: str) -> tuple[str, dict[str, str]]:
    """A match of Kuhn poker: its path, and the seats."""
    players = {"alice": "human", "bob": "legal", **players}
    made = await client.post("/api/matches", {"game": "hidden/kuhn_poker", "players": players, "seed": seed})
    return f"/api/matches/{made['id']}", made["seats"]


async def stream(client: Client, path: str) -> list[str]:
    """The events of a match, as long as they come at once."""
    async with client.session.get(client.address + path) as response:
        return await lines(response)


async def lines(events: ClientResponse) -> list[str]:
    """What an open stream sends, as long as it comes at once."""
    found = []
    try:
        while True:
            found.append((await asyncio.wait_for(events.content.readline(), 0.3)).decode())
    except TimeoutError:
        return found


async def beliefs(client: Client, path: str, seat: str) -> list[dict[str, Any]]:
    """What the role of a seat can believe after each ply."""
    plies = (await client.get(f"{path}?seat={seat}"))["state"]["plies"]
    return [await client.get(f"{path}/beliefs/{ply}?seat={seat}") for ply in range(plies + 1)]


async def everything(client: Client, path: str, seat: str) -> list[str]:
    """All that a page, or who means ill, can get about a match under way, with the name of the match removed."""
    query = f"?seat={seat}"
    found: list[object] = [await client.get(path + query)]
    plies = (await client.get(path + query))["state"]["plies"]
    for ply in range(plies + 1):
        found.append(await client.get(f"{path}/plies/{ply}{query}"))
        if ply:
            found.append(await client.get(f"{path}/plies/{ply}", 403))
        found.append(await client.get(f"{path}/beliefs/{ply}", 403))
    found.append(await beliefs(client, path, seat))
    for name, body in REFUSED:
        asked = f"{path}/{name}{query}"
        found.append(await (client.get(asked, 403) if body is None else client.post(asked, body, 403)))
    found += [await client.get(f"{path}/thoughts{query}"), await client.get(path), await client.get(f"{path}/plies/0")]
    found += [await stream(client, f"{path}/events{query}"), await stream(client, f"{path}/events")]
    found.append(await client.post(f"/api/analyses/{path.split('/')[-1]}/position", {"moves": []}, 409))
    found.append(await client.get(f"/api/analyses/{path.split('/')[-1]}", 409))
    listed = [one for one in (await client.get("/api/matches"))["matches"] if one["id"] in path]
    found += [{**one, "created": 0} for one in listed]
    name = path.split("/")[-1]
    return [json.dumps(one).replace(name, "MATCH") for one in found]


@pytest.mark.slow
def test_two_matches_with_other_hidden_cards_look_the_same(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        seen: dict[str, list[list[str]]] = {}
        for card, seed in SEEDS.items():
            path, seats = await begun(client, seed)
            match, query = path.split("/")[-1], f"?seat={seats['alice']}"
            await client.until(match, lambda state: state["waiting"] == ["alice"])
            seen[card] = [await everything(client, path, seats["alice"])]
            move = {"role": "alice", "ply": 2, "move": "check", "seat": seats["alice"]}
            await client.post(f"{path}/move", move)
            await client.until(match, lambda state: state["plies"] == 3 and bool(state["waiting"]))
            seen[card].append(await everything(client, path, seats["alice"]))
            believed = await beliefs(client, path, seats["alice"])
            assert {fact for fact, _ in believed[-1]["facts"]} == {"(hand bob queen)", "(hand bob king)"}
            for texts in seen[card]:
                # Alice can work out that bob has a queen or a king.
                assert not [text for text in texts if card in text and "uncertain" not in text]
                assert any("jack" in text for text in texts)
            last = await client.get(f"{path}/plies/3{query}")
            assert [one["saw"] for one in last["told"]] == [["jack"], [], ["(did bob bet)"]]
            assert [one["move"] for one in last["choices"]["alice"]] == ["call", "fold"]
            assert "the match" not in str(await client.post(f"{path}/back", {"ply": 0, "seat": seats["alice"]}, 400))
            # When it is over, everything is shown.
            await client.post(f"{path}/move", {"role": "alice", "ply": 4, "move": "call", "seat": seats["alice"]})
            state = await client.until(match, lambda state: state["result"] == "finished")
            assert state["goals"] == [0, 100, 0]
            for asked in (path, path + query):
                shown = (await client.get(asked))["state"]
                assert (shown["view"], shown["settings"]["seed"]) == ("whole", seed)
            assert f"(hand bob {card})" in (await client.get(f"{path}/plies/4"))["facts"]
            assert (await client.get(f"{path}/moves"))["moves"][0] == ["noop", "noop", f"(deal jack {card})"]
            assert (await client.get(f"{path}/record"))["seed"] == seed
        assert seen["queen"] == seen["king"]

    served(tmp_path, visit)


@pytest.mark.slow
def test_what_a_seat_gets_does_not_depend_on_how_much_is_hidden(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        game = (await client.post("/api/games", {"name": "weather", "text": WEATHER}))["name"]
        players = {"watcher": "human", "host": "random"}
        seen: dict[str, list[list[str]]] = {}
        for sky, seed in SKIES.items():
            made = await client.post("/api/matches", {"game": game, "players": players, "seed": seed})
            match, seat = made["id"], made["seats"]["watcher"]
            path = f"/api/matches/{match}"
            await client.until(match, lambda state: state["waiting"] == ["watcher"])
            async with client.session.get(f"{client.address}{path}/events?seat={seat}") as events:
                for ply, move in enumerate(("look", "sleep", "look"), 1):
                    await client.post(f"{path}/move", {"role": "watcher", "ply": ply, "move": move, "seat": seat})
                    await client.until(match, lambda state, p=ply: state["plies"] == p and bool(state["waiting"]))
                sent = [json.loads(line[6:]) for line in await lines(events) if line.startswith("data: ")]
                # How often the stream shows in between that the watcher has moved depends on the machine.
                calm = [json.dumps({**one, "waiting": [], "until": None}).replace(match, "MATCH") for one in sent]
                assert [one["plies"] for one in sent if one["waiting"]] == [0, 1, 2, 3]
                seen[sky] = [await everything(client, path, seat), [text for text, _ in groupby(calm)]]
            await client.post(f"{path}/move", {"role": "watcher", "ply": 4, "move": "look", "seat": seat})
            await client.until(match, lambda state: state["result"] == "finished")
            assert (await client.get(f"{path}/moves"))["moves"][0][2] == sky, "another seed is needed"
        assert seen["sun"] == seen["rain"]

    served(tmp_path, visit)


def test_a_seat_sees_its_own_role_and_no_other(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        path, seats = await begun(client, 1, bob="human")
        assert set(seats) == {"alice", "bob"}
        await client.until(path.split("/")[-1], lambda state: state["waiting"] == ["alice"])
        own = {role: await client.get(f"{path}/plies/1?seat={seat}") for role, seat in seats.items()}
        assert own["alice"]["told"] == [{"move": "pass", "saw": ["jack"]}]
        assert own["bob"]["told"] == [{"move": "pass", "saw": ["queen"]}]
        assert list(own["bob"]["choices"]) == ["bob"]
        views = {role: (await client.get(f"{path}?seat={seat}"))["state"] for role, seat in seats.items()}
        assert [(view["role"], view["view"]) for view in views.values()] == [("alice", "own"), ("bob", "own")]
        # That alice is asked is nothing that bob sees.
        assert [view["waiting"] for view in views.values()] == [["alice"], []]
        for seat in ("", "x", "é", seats["bob"][:-1]):
            assert (await client.get(path, params={"seat": seat}))["state"]["view"] == "public"
            await client.get(f"{path}/plies/1", 403, params={"seat": seat})

    served(tmp_path, visit)


@pytest.mark.slow
def test_who_only_watches_programs_sees_everything(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        light = (await client.post("/api/games", {"name": "light", "text": LIGHT}))["name"]
        made = await client.post("/api/matches", {"game": light, "players": {"robot": "human"}})
        state = (await client.get(f"/api/matches/{made['id']}"))["state"]
        assert (state["view"], made["seats"]) == ("whole", {}), "a game without hidden information is as before"
        path, seats = await begun(client, 1, alice="legal")
        assert not seats
        await client.until(path.split("/")[-1], lambda state: state["result"] == "finished")
        assert (await client.get(path))["state"]["view"] == "whole"

    served(tmp_path, visit)


@pytest.mark.parametrize(
    ("players", "source", "concealed"),
    [
        ({"alice": "legal", "bob": "auto"}, "", False),
        ({"alice": "legal", "bob": "http://localhost:9147"}, "", True),
        ({"alice": "human", "bob": "auto"}, "", True),
        ({"alice": "human", "bob": "auto"}, "a record", False),
    ],
)
def test_whose_matches_are_concealed(players: dict[str, str], source: str, concealed: bool, tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        for hidden in (True, False):
            lineup = Lineup("kuhn_poker", "Kuhn", KUHN, "", players, source=source, hidden=hidden)
            assert client.site.matches.create(lineup).concealed is (concealed and hidden)

    served(tmp_path, visit)


def test_line_ups_of_earlier_versions_conceal_what_may_be_hidden(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        for rules, concealed in ((KUHN, True), (LIGHT, False)):
            lineup = Lineup("game", "Game", rules, "", {"alice": "human"})
            match = client.site.matches.create(lineup)
            file = tmp_path / "matches" / f"{match.id}.seats.json"
            fields = json.loads(file.read_text(encoding="utf-8"))
            del fields["hidden"]
            file.write_text(json.dumps(fields), encoding="utf-8")
            assert client.site.matches.files.lineup(match.id).hidden is concealed

    served(tmp_path, visit)


PHANTOM = """
; A board with two cells. Who puts a mark on a cell sees it there; the other sees nothing.
(role x) (role o) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b))
(<= (legal ?r (mark ?i ?j)) (role ?r) (true (cell ?i ?j ?c)))
(<= (sees ?r (cell ?i ?j ?r)) (does ?r (mark ?i ?j)))
(<= (next (cell ?i ?j ?r)) (does ?r (mark ?i ?j)))
(<= (next (cell ?i ?j ?c)) (true (cell ?i ?j ?c)) (not (marked ?i ?j)))
(<= (marked ?i ?j) (does ?r (mark ?i ?j)))
(<= terminal (not (true (cell 1 1 b))) (not (true (cell 2 2 b)))) (goal x 50) (goal o 50)
"""


def table(rules: str) -> Table:
    return Table(rules, "game.kif", parse_wishes("", ""))


def recorded(rules: str, *joint_moves: tuple[str, ...]) -> MatchRecord:
    """The record of a match with these joint moves."""
    game = gdl.Reasoner(rules)
    record = Match(game, {role: make_player("legal") for role in game.roles}, Settings(seed=1)).record
    state, plies = game.initial_state(), []
    for moves in joint_moves:
        state = game.next_state(state, moves)
        plies.append(Ply(moves, state_text(state), ("", ""), (0.0, 0.0), (4, 4), 0))
    return replace(record, plies=tuple(plies))


def test_boards_are_shown_as_the_role_has_last_seen_them() -> None:
    shown = table(PHANTOM)
    record = recorded(PHANTOM, ("(mark 1 1)", "(mark 1 2)"), ("(mark 2 1)", "(mark 1 1)"))
    places = {label: place for place, label in shown.about()["labels"].items()}
    assert len(places) == 4
    first = shown.own_position(record, 1, "x")
    assert len(first["names"]) == 1
    second = shown.own_position(record, 2, "x")
    assert len(second["names"]) == 2, "its own two marks, one of which o has replaced unseen"
    assert set(second["names"]) != set(shown.own_position(record, 2, "o")["names"])
    assert len(shown.position(record, 2)["names"]) == 3
    assert shown.own_position(record, 0, "x")["names"] == {}


def test_percepts_that_show_no_board_leave_it_empty_but_clickable() -> None:
    rules = PHANTOM.replace("(sees ?r (cell ?i ?j ?r))", "(sees ?r (done ?i ?j))")
    rules = rules.replace("(init (cell 1 1 b))", "(init (cell 1 1 o))")
    shown = table(rules)
    record = recorded(rules, ("(mark 1 2)", "(mark 2 1)"))
    assert shown.own_position(record, 0, "x")["names"]
    after = shown.own_position(record, 1, "x")
    assert after["names"] == {}
    assert all(choice["parts"] for choice in after["choices"]["x"])


def test_the_record_on_the_server_has_everything(tmp_path: Path) -> None:
    """A match goes on after a restart, so its file is complete; it is not sent to anybody."""

    async def visit(client: Client) -> None:
        path, seats = await begun(client, 1)
        match = path.split("/")[-1]
        await client.until(match, lambda state: state["waiting"] == ["alice"])
        record = read_record(client.site.matches.files.record_file(match))
        assert record.plies[0].moves[2] == "(deal jack queen)"
        assert seats

    served(tmp_path, visit)

"""Seats that only their players can move, and QR codes of the links to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_server import LIGHT, Client, served

from ggp.server.lineup import SetupError
from ggp.server.web.seats import SeatError, check_seat, new_seats

PLAYERS = {"wolf": "human", "sheep": "auto", "dog": "human"}


def test_each_person_gets_a_secret_if_that_is_wanted() -> None:
    seats = new_seats({"seats": True}, PLAYERS)
    assert list(seats) == ["wolf", "dog"]
    assert len(set(seats.values())) == 2
    assert all(len(secret) >= 16 for secret in seats.values())
    assert new_seats({"seats": False}, PLAYERS) == new_seats({}, PLAYERS) == {}
    with pytest.raises(SetupError):
        new_seats({"seats": "yes"}, PLAYERS)


def test_the_secret_of_a_seat_is_needed_for_it() -> None:
    seats = {"wolf": "abc", "dog": "déf"}
    check_seat({}, {}, "wolf")
    check_seat(seats, {"seat": "abc"}, "wolf")
    check_seat(seats, {"seat": "déf"})
    bodies: list[tuple[dict[str, Any], str | None]] = [
        ({}, None), ({}, "wolf"), ({"seat": "abc"}, "dog"), ({"seat": "abc"}, "cat"), ({"seat": 1}, "wolf"),
        ({"seat": ""}, None), ({"seat": "ab"}, None),
    ]  # fmt: skip
    for body, role in bodies:
        with pytest.raises(SeatError):
            check_seat(seats, body, role)


def test_a_reserved_match_is_played_only_from_its_seats(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        game = (await client.post("/api/games", {"name": "toy", "text": LIGHT}))["name"]
        made = await client.post("/api/matches", {"game": game, "players": {"robot": "human"}, "seats": True})
        path, secret = f"/api/matches/{made['id']}", made["seats"]["robot"]
        await client.until(made["id"], lambda state: state["waiting"] == ["robot"])
        found = await client.get(path)
        assert found["state"]["reserved"] == ["robot"]
        for address in (path, "/api/matches", f"{path}/plies/0"):
            assert secret not in str(await client.get(address)), "the secret is for who made the match"
        move = {"role": "robot", "ply": 1, "move": "press"}
        for body in (move, {**move, "seat": "x"}):
            assert "link to the seat" in (await client.post(f"{path}/move", body, 403))["error"]
        await client.post(f"{path}/resign", {"role": "robot"}, 403)
        await client.post(f"{path}/back", {"ply": 0}, 403)
        await client.post(f"{path}/end", {}, 403)
        await client.post(f"{path}/move", {**move, "seat": secret})
        await client.until(made["id"], lambda state: state["plies"] == 1 and bool(state["waiting"]))
        await client.post(f"{path}/end", {"seat": secret})
        await client.until(made["id"], lambda state: state["result"] == "aborted")

    served(tmp_path, visit)


def test_qr_codes(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        for text, status in (
            ("http://10.0.0.2:8000/match/wolf-1234?as=wolf", 200), ("", 400), ("javascript:alert(1)", 400),
            ("http://" + "x" * 500, 400),
        ):  # fmt: skip
            async with client.session.get(f"{client.address}/qr.svg", params={"text": text}) as response:
                assert response.status == status
                body = await response.text()
            if status == 200:
                assert response.content_type == "image/svg+xml"
                assert "<path" in body
                assert "script" not in body

    served(tmp_path, visit)

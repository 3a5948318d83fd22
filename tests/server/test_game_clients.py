"""Processes that answer questions about one game after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from test_server import LIGHT, exploding

from ggp.server.game import process
from ggp.server.messages import Command, Explain, HowToPlay, Open
from ggp.server.web import game_client
from ggp.server.web.game_client import GameClient, GameClientError, GameClients

OTHER = "(role r) (init (step 1)) (<= (legal r go) (true (step 1))) (<= terminal (true (step 2))) (goal r 0)"


def run(visit: Callable[[GameClients], Awaitable[None]]) -> None:
    async def inside() -> None:
        clients = GameClients()
        try:
            await visit(clients)
        finally:
            await clients.close()

    asyncio.run(inside())


async def asks(clients: GameClients, rules: str) -> tuple[GameClient, list[str]]:
    async with clients.lend() as client:
        answer = await client.ask(Open(rules, "toy", ""))
        how = await client.ask(HowToPlay())
        assert how["rules"] == rules
        return client, answer["game"]["roles"]


def test_a_lent_process_answers_about_one_game_after_the_other() -> None:
    async def visit(clients: GameClients) -> None:
        first, roles = await asks(clients, LIGHT)
        assert roles == ["robot"]
        second, roles = await asks(clients, OTHER)
        assert roles == ["r"]
        assert second is first
        async with clients.lend() as client:
            assert client is first
            other, _ = await asks(clients, LIGHT)
            assert other is not first

    run(visit)


def test_bad_rules_do_not_end_a_lent_process_but_a_question_that_was_given_up_does() -> None:
    async def visit(clients: GameClients) -> None:
        first, _ = await asks(clients, LIGHT)
        with pytest.raises(GameClientError, match="unbalanced-parenthesis"):
            await asks(clients, "(role")
        assert (await asks(clients, LIGHT))[0] is first
        asking = asyncio.create_task(asks(clients, exploding()))
        await asyncio.sleep(0.3)
        assert not asking.done()
        asking.cancel()
        await asyncio.wait([asking])
        assert not first.open
        assert (await asks(clients, LIGHT))[0] is not first

    run(visit)


def test_a_process_that_is_not_needed_any_more_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_client, "_REST", 0.05)

    async def visit(clients: GameClients) -> None:
        client, _ = await asks(clients, LIGHT)
        async with asyncio.timeout(30):
            await client.gone()

    run(visit)


def test_every_command_is_carried_out() -> None:
    assert {kind.__name__ for kind in Command.__subclasses__()} == set(process._COMMANDS)


def test_a_command_about_no_game_is_answered_by_an_error() -> None:
    async def visit(clients: GameClients) -> None:
        async with clients.lend() as client:
            with pytest.raises(GameClientError, match="no game is open"):
                await client.ask(Explain(None, 0, "terminal"))

    run(visit)

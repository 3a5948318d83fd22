"""Child processes: messages, and the end of a child."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from gdl.childprocess import JSON_LINES, PICKLES, Child, Framing, end_child, start_child, start_child_async


def echo(framing: Framing) -> Child:
    return Child("support.echo_child", *(["pickles"] if framing is PICKLES else []), framing=framing)


@pytest.mark.parametrize(
    ("framing", "messages"),
    [(JSON_LINES, [{"a": [1, "\udc80 \n"]}, None, "x" * 200_000]), (PICKLES, [(1, {2}), b"\n", "x" * 200_000])],
)
def test_messages_go_both_ways_whatever_the_child_prints(framing: Framing, messages: list[Any]) -> None:
    child = echo(framing)
    try:
        for message in messages:
            child.send(message)
            assert child.receive() == message
    finally:
        child.end()


@pytest.mark.parametrize("framing", [JSON_LINES, PICKLES])
def test_a_child_that_has_ended_is_noticed_when_its_answer_is_read(framing: Framing) -> None:
    child = echo(framing)
    child.send("exit")
    with pytest.raises(EOFError):
        child.receive()
    assert child.wait() == 3
    child.send("anybody there?")
    with pytest.raises(EOFError):
        child.receive()
    child.end()


def test_a_child_can_be_killed_while_its_answer_is_waited_for() -> None:
    child = echo(JSON_LINES)
    child.send("hang")
    threading.Timer(0.2, child.kill).start()
    with pytest.raises(EOFError):
        child.receive()
    child.end()


def test_a_child_ends_with_its_input_whatever_it_does() -> None:
    process = start_child("support.echo_child")
    assert process.stdin is not None
    process.stdin.write(JSON_LINES.dumps("hang"))
    process.stdin.close()
    assert process.wait(30) == 0
    end_child(process)


def test_a_child_is_started_from_an_event_loop() -> None:
    async def ask(message: object) -> object:
        process = await start_child_async("support.echo_child")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(JSON_LINES.dumps(message))
        answer = json.loads(await process.stdout.readline())
        process.stdin.close()
        assert await process.wait() == 0
        return answer

    assert asyncio.run(ask([1, "two"])) == [1, "two"]

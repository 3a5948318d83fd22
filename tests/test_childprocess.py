"""Child processes: messages, and the end of a child."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.processes import descendants, is_running, soon
from support.toy_files import ROOT

from gdl.system.childprocess import BACKGROUND, JSON_LINES, PICKLES, AsyncChild, Child, Framing, end_child, start_child


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


@pytest.mark.skipif(not hasattr(os, "setpriority"), reason="the system has no priorities")
@pytest.mark.parametrize("background", [False, True])
def test_a_child_in_the_background_and_its_children_have_a_lower_priority(background: bool) -> None:
    child = Child("support.echo_child", framing=JSON_LINES, background=background)
    try:
        child.send("start a child")
        own = os.getpriority(os.PRIO_PROCESS, 0)
        expected = min(19, own + (BACKGROUND if background else 0))
        for process in (child.pid, child.receive()):
            assert os.getpriority(os.PRIO_PROCESS, process) == expected
            group = Path(f"/proc/{process}/autogroup")
            if background and group.exists():  # Linux looks at it first
                assert int(group.read_text().split()[-1]) == expected
    finally:
        child.end()


def test_a_child_of_an_event_loop() -> None:
    async def ask(message: object) -> object:
        child = await AsyncChild.start("support.echo_child")
        child.send(message)
        answer = await child.receive()
        assert child.running
        child.kill()
        assert await child.wait() == -signal.SIGKILL
        child.send("anybody there?")
        with pytest.raises(EOFError):
            await child.receive()
        return answer

    assert asyncio.run(ask([1, "two"])) == [1, "two"]


@pytest.mark.skipif(os.name != "posix", reason="process groups")
@pytest.mark.parametrize("apart", ["", " apart"], ids=["in its session", "apart"])
@pytest.mark.parametrize("end", ["kill", "exit"])
def test_a_child_takes_with_it_what_it_has_started(end: str, apart: str) -> None:
    if apart and sys.platform != "linux":
        pytest.skip("environments of processes are in /proc")
    child = echo(JSON_LINES)
    child.send(f"start another{apart}")
    other = child.receive()
    assert is_running(other)
    if end == "exit":
        child.send("exit")
        child.wait()
    child.end()
    assert soon(lambda: not is_running(other))


#: Starts a process, which starts another with code that holds the interpreter's lock.
DESCENDANTS = """
import time
from gdl.system.childprocess import JSON_LINES, Child
child = Child("support.echo_child", framing=JSON_LINES)
child.send("start a child")
print(child.receive(), flush=True)
time.sleep(60)
"""

#: The same from an event loop.
DESCENDANTS_OF_A_LOOP = """
import asyncio
from gdl.system.childprocess import AsyncChild
async def main():
    child = await AsyncChild.start("support.echo_child")
    child.send("start a child")
    print(await child.receive(), flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has lifelines")
@pytest.mark.parametrize(
    ("code", "by"), [(DESCENDANTS, signal.SIGKILL), (DESCENDANTS_OF_A_LOOP, signal.SIGTERM)], ids=["threads", "loop"]
)
def test_descendants_die_with_their_ancestor(code: str, by: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    grandchild = int(process.stdout.readline())
    started = descendants(process.pid)
    assert grandchild in started
    assert len(started) == 2
    process.send_signal(by)
    process.communicate()
    assert soon(lambda: not any(map(is_running, started)), 5.0)


def test_a_child_imports_nothing_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported from the current folder')")
    monkeypatch.chdir(tmp_path)
    child = echo(JSON_LINES)
    try:
        child.send("hello")
        assert child.receive() == "hello"
    finally:
        child.end()

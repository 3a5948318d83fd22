"""The end of a command while a player's threads are still at work."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from support.toy_files import ROOT, rule_file, start


def test_what_is_still_at_work_in_the_background_does_not_spoil_the_end(tmp_path: Path) -> None:
    busy = rule_file(
        tmp_path,
        "import atexit, os, threading\n"
        "atexit.register(os.abort)  # as machine code may, when Python is taken down under it\n"
        "class Busy:\n"
        "    name = 'busy'\n"
        "    def start(self, start, deadline): threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "    def move(self, turn): return turn.legal[0]\n"
        "    def stop(self, end): pass\n",
        "busy.py",
    )
    process = start("play", "tic_tac_toe", "--player", f"{busy}:Busy")
    out, err = process.communicate()
    assert process.returncode == 0
    assert err == ""
    assert "finished after" in out


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("moment", "status"),
    [("typer", -signal.SIGINT), ("ggp.cli.commands.play", -signal.SIGINT), ("a command is added", 130)],
)
def test_ctrl_c_before_a_command_has_begun(moment: str, status: int) -> None:
    script = f"""
        import os, signal, sys
        from ggp.__main__ import main

        class Now:
            def find_spec(self, name, *_):
                if name == {moment!r}:
                    os.kill(os.getpid(), signal.SIGINT)

        if {moment!r} == "a command is added":
            import typer
            typer.Typer.command = lambda *_: os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Now())
        sys.argv = ["ggp", "games"]
        main()
    """
    done = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_termination_is_no_error_of_the_task_that_runs() -> None:
    """Run a service in the background of a script, where Ctrl-C is ignored."""
    script = """
        import asyncio, os, signal, typer
        from ggp.cli.guard import guarded

        async def answer():
            os.kill(os.getpid(), signal.SIGTERM)
            print("answered", flush=True)

        async def serve():
            task = asyncio.create_task(answer())
            await asyncio.sleep(60)

        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            guarded(lambda: asyncio.run(serve()))()
        except typer.Exit as end:
            print(end.exit_code)
    """
    done = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert (done.stdout, done.stderr.strip()) == ("answered\n143\n", "terminated")

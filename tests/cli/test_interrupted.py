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


#: Commands, and signals that come to them, by what they are doing.
DOING = {
    "LLVM calls back": """
        import llvmlite.binding as llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly("define void @f() { ret void }")
        engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine())

        def notify(module, code):
            strike()
            sum(range(1000))
            print("whole", flush=True)

        def command():
            engine.set_object_cache(notify_func=notify)
            engine.finalize_object()
            time.sleep(60)
        """,
    "an object is dropped": """
        class Dropped:
            def __del__(self):
                strike()
                sum(range(1000))

        def command():
            Dropped()
            print("whole", flush=True)
            time.sleep(60)
        """,
    "a class is being made": """
        class Named:
            def __set_name__(self, owner, name):
                strike()
                sum(range(1000))

        def command():
            print("whole", flush=True)
            class Made:
                named = Named()
        """,
    "native code does not return": """
        import ctypes
        interrupts.PATIENCE = 0.2
        library, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)

        def command():
            threading.Timer(0.1, strike).start()
            print("whole", flush=True)
            library.pthread_mutex_lock(mutex)
            library.pthread_mutex_lock(mutex)
        """,
    "it is ending": """
        def command():
            try:
                strike()
                time.sleep(60)
            finally:
                print("whole", flush=True)
                threading.Timer(0.6, strike).start()
                time.sleep(60)
        """,
    "it is ending well": """
        def command():
            try:
                strike()
                time.sleep(60)
            finally:
                strike()  # as `timeout` does
                sum(range(1000))
                print("whole", flush=True)
        """,
}


@pytest.mark.skipif(sys.platform != "linux", reason="signals of POSIX, and a library of Linux")
@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("doing", DOING)
def test_a_signal_is_heard_once_whatever_a_command_is_doing(doing: str, number: str, status: int) -> None:
    script = f"""
import os, signal, sys, threading, time, typer
from ggp.cli import interrupts
from ggp.cli.guard import guarded

def strike():
    os.kill(os.getpid(), signal.{number})

{dedent(DOING[doing])}
try:
    guarded(command)()
except typer.Exit as end:
    sys.exit(end.exit_code)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert (done.returncode, done.stdout) == (status, "whole\n")
    assert done.stderr == ("interrupted\n" if status == 130 else "terminated\n")

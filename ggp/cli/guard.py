"""Error messages and exit statuses, shared by all commands."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Final, ParamSpec

import typer

from ggp.rules.report_text import without_controls

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
TERMINATED: Final = 143

P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that input errors appear as plain text on standard error, without a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed before the start
                setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                # Escape characters that the terminal cannot show, and undecodable file names.
                stream.reconfigure(errors="backslashreplace")
        try:
            with _terminable():
                command(*args, **kwargs)
            sys.stdout.flush()
        except _TerminatedError:
            say("terminated")
            raise typer.Exit(TERMINATED) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _give_up_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except MemoryError:
            say("out of memory: the rules, or what was asked about them, need more than this process may use")
            raise typer.Exit(BAD_INPUT) from None
        except RecursionError:
            say("the rules, or their terms, are nested too deeply for Python's stack")
            raise typer.Exit(BAD_INPUT) from None
        except OSError as error:  # a full disk, a file that vanished
            # Files are named by the errors of writing them, so this is what a shell has redirected.
            full = error.errno == errno.ENOSPC and error.filename is None
            say(f"standard output: {error.strerror}" if full else str(error))
            raise typer.Exit(FAILED) from None
        except Exception as error:
            from gdl.errors import GdlError  # here, so that `--help` does not wait for it

            if not isinstance(error, GdlError):
                raise
            say(str(error))
            raise typer.Exit(BAD_INPUT) from None

    return run


class _TerminatedError(Exception):
    """The command was ended by SIGTERM."""


@contextmanager
def _terminable() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C, so that matches are recorded and children are ended. Raises _TerminatedError."""
    terminated = False

    def terminate(_number: int, _frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.raise_signal(signal.SIGINT)
        elif not _interrupt_loop():  # ignored, as in background jobs of a script
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    usual = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    except (KeyboardInterrupt, typer.Exit) as end:
        interrupted = isinstance(end, KeyboardInterrupt) or end.exit_code == INTERRUPTED
        if terminated and interrupted:
            raise _TerminatedError from None
        raise
    finally:
        signal.signal(signal.SIGTERM, usual)


def _interrupt_loop() -> bool:
    """Raise KeyboardInterrupt in a callback of the event loop that runs here; return False if there is none.

    Raised at once, it would be taken for an error of the task that happens to run.
    """
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return False
    loop.call_soon_threadsafe(_interrupt)  # also wakes the loop
    return True


def _interrupt() -> None:
    raise KeyboardInterrupt


def say(message: str) -> None:
    """Print a message on standard error, after flushing standard output."""
    try:
        sys.stdout.flush()
    except OSError:
        _give_up_output()
    print(without_controls(message), file=sys.stderr)


def _give_up_output() -> None:
    """Discard everything that Python still writes to standard output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""Error messages and exit statuses, shared by all commands."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from io import TextIOWrapper
from pathlib import Path
from typing import Final, ParamSpec

import typer

from ggp.cli.interrupts import Interrupts, interruptible
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
        interrupts = None
        try:
            with interruptible() as interrupts:
                command(*args, **kwargs)
            sys.stdout.flush()
        except (KeyboardInterrupt, typer.Exit) as end:
            if isinstance(end, typer.Exit) and end.exit_code != INTERRUPTED:
                raise
            raise _interrupted(interrupts, told=isinstance(end, typer.Exit)) from None
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

            if isinstance(error, GdlError):
                say(str(error))
                raise typer.Exit(BAD_INPUT) from None
            if interrupts is None or not interrupts.number:
                raise
            # An interrupt becomes another error where it is raised within a module or class that is being made.
            raise _interrupted(interrupts) from None

    return run


def _interrupted(interrupts: Interrupts | None, *, told: bool = False) -> typer.Exit:
    """Say that a command was interrupted, unless it has `told` so, and return its exit.

    SIGTERM is handled like Ctrl-C: matches are recorded, and children are ended.
    """
    terminated = interrupts is not None and interrupts.number == signal.SIGTERM
    if terminated or not told:
        say("terminated" if terminated else "interrupted")
    return typer.Exit(TERMINATED if terminated else INTERRUPTED)


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

"""What every command has in common: how its errors are told and what status it ends with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec

import typer

from gdl.errors import GdlError

FAILED: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """The command, with errors of its input told in plain text on stderr, and no traceback for them."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except GdlError as error:
            refuse(str(error))
        except KeyboardInterrupt:
            _say("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Whatever Python still wants to write when it ends goes nowhere, too.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None

    return run


def refuse(message: str) -> None:
    """End the command because of its input."""
    _say(message)
    raise typer.Exit(BAD_INPUT)


def _say(message: str) -> None:
    """To stderr, after what has been printed so far; characters that it cannot show are escaped."""
    sys.stdout.flush()
    encoding = sys.stderr.encoding or "utf-8"
    print(message.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)

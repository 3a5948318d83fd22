"""The `ggp` command, which is `python -m ggp` too."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line, and end the process with its exit status."""
    # While modules are loaded, Ctrl-C ends the process without a word; a command then ends in its own way.
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ggp.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()


if __name__ == "__main__":
    main()

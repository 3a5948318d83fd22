"""The `ggp` command, also available as `python -m ggp`."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command line and exit with its status."""
    # Ctrl-C ends the process silently while modules load; after that, each command handles it itself.
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ggp.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()


if __name__ == "__main__":
    main()

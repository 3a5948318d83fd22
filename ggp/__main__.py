"""`python -m ggp` is the `ggp` command."""

from ggp.cli import main

main()

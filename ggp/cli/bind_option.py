"""The check of addresses to listen on, shared by all commands that listen."""

from __future__ import annotations

import typer


def interface(address: str) -> str:
    """Return an address to listen on. Raises BadParameter if it has a scheme, a port or a path."""
    from ggp.network.pasted import is_address  # here, so that `--help` does not wait for it

    if is_address(address) or "/" in address:
        raise typer.BadParameter(
            f"expected an address of this machine, such as 127.0.0.1 or 0.0.0.0, not {address}; --port has the port"
        )
    return address

"""Start web applications. Loads aiohttp."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from ggp.network.host.connections import Address

#: Seconds that open responses have to finish when a server is closed.
_CLOSING: Final = 1.0


async def start(application: web.Application, host: str, port: int) -> web.AppRunner:
    """Serve an application at an address until `cleanup()` of the returned runner. Port 0 picks any free port.

    Raises OSError.
    """
    runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=_CLOSING)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except BaseException:
        await runner.cleanup()
        raise
    return runner


def url_of(runner: web.AppRunner) -> str:
    """Return the address at which an application is served, as `http://HOST:PORT`."""
    host, port = runner.addresses[0][:2]
    return f"http://{Address(host, port)}"

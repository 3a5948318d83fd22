"""Start web applications. Loads aiohttp."""

from __future__ import annotations

import logging
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from ggp.network.host.connections import Address

#: Seconds that open responses have to finish when a server is closed.
_CLOSING: Final = 1.0


async def start(application: web.Application, host: str, port: int) -> web.AppRunner:
    """Serve an application at an address until `cleanup()` of the returned runner. Port 0 picks any free port.

    Raises OSError.
    """
    runner = web.AppRunner(
        application, access_log=None, handle_signals=False, shutdown_timeout=_CLOSING, logger=_logger()
    )
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


def _logger() -> logging.Logger:
    """Return the logger of web servers. Malformed requests are answered, but not logged: anybody can send them."""
    logger = logging.getLogger("ggp.network.web_server")
    logger.addFilter(_is_own_fault)
    return logger


def _is_own_fault(record: logging.LogRecord) -> bool:
    """Return False for the errors of malformed requests and of connections that the other side reset."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, (HttpProcessingError, ConnectionError))

"""The monitor: matches between players anywhere, and whoever follows them.

- `Network` is the thread in which messages of all matches travel; a `RemotePlayer` is asked over it.
- `Hall` has the matches of this process; a `Feed` is one of them, as it can be followed from any thread or event loop.
- `Monitor` plays matches side by side.
- `ggp.network.host.spectators` serves a Hall over HTTP.
"""

from ggp.network.host.connections import Address, Network
from ggp.network.host.feed import Feed
from ggp.network.host.hall import Hall
from ggp.network.host.monitor import Monitor
from ggp.network.host.remote_player import RemotePlayer

__all__ = ["Address", "Feed", "Hall", "Monitor", "Network", "RemotePlayer"]

"""The monitor: matches between local and remote players, and spectators who follow them.

- `Network` is the event loop that carries the messages of all matches; a `RemotePlayer` is asked over it.
- `HostedMatches` holds the matches of this process. A `Feed` publishes one match to any thread or event loop.
- `Bulletin` holds what is announced about them as a whole.
- `Monitor` plays matches side by side.
- `ggp.network.host.spectators` serves hosted matches over HTTP.
"""

from ggp.network.host.connections import Address, Network
from ggp.network.host.feed import Feed
from ggp.network.host.hosted_matches import Bulletin, HostedMatches
from ggp.network.host.monitor import Monitor
from ggp.network.host.remote_player import RemotePlayer

__all__ = ["Address", "Bulletin", "Feed", "HostedMatches", "Monitor", "Network", "RemotePlayer"]

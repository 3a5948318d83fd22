"""The matches of a host, found by their ids."""

from __future__ import annotations

from dataclasses import replace

from support.hosted import blank

from ggp.match.record import Result
from ggp.network.host import HostedMatches


class TestHostedMatches:
    def test_matches_are_found_and_the_oldest_that_are_over_forgotten(self) -> None:
        hosted = HostedMatches(keep=2)
        feeds = [hosted.open(blank()) for _ in range(5)]
        for feed in feeds[1:]:
            feed.publish(replace(feed.record, result=Result.FINISHED))
        last = hosted.open(blank())
        assert hosted.feeds() == (last, feeds[4], feeds[3], feeds[0])
        assert hosted.get(feeds[0].record.match_id) is feeds[0]
        assert hosted.get(feeds[1].record.match_id) is None

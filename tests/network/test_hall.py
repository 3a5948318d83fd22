"""The hall: the matches of a host, found by their ids."""

from __future__ import annotations

from dataclasses import replace

from support.hosted import blank

from ggp.match.record import Result
from ggp.network.host import Hall


class TestHall:
    def test_matches_are_found_and_the_oldest_that_are_over_forgotten(self) -> None:
        hall = Hall(keep=2)
        feeds = [hall.open(blank()) for _ in range(5)]
        for feed in feeds[1:]:
            feed.publish(replace(feed.record, result=Result.FINISHED))
        last = hall.open(blank())
        assert hall.feeds() == (last, feeds[4], feeds[3], feeds[0])
        assert hall.get(feeds[0].record.match_id) is feeds[0]
        assert hall.get(feeds[1].record.match_id) is None

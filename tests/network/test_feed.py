"""Feeds: records of a match as they come, for threads and event loops."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace

import pytest
from support.hosted import blank

from ggp.match.record import MatchRecord, Result
from ggp.network.host import Feed


class TestFeed:
    def test_a_listener_hears_of_every_record(self) -> None:
        feed = Feed(blank())
        heard: list[MatchRecord] = []
        stop = feed.listen(lambda: heard.append(feed.record))
        first, second, third = (replace(feed.record, seed=seed) for seed in range(3))
        feed.publish(first)
        feed.publish(second)
        stop()
        feed.publish(third)
        assert heard == [first, second]
        assert feed.record is third

    def test_waiting_in_a_thread(self) -> None:
        feed = Feed(blank())
        assert feed.wait(None) is feed.record
        with pytest.raises(TimeoutError):
            feed.wait(feed.record, 0.01)
        newer = replace(feed.record, seed=5)
        threading.Timer(0.05, feed.publish, [newer]).start()
        assert feed.wait(feed.record, 30.0) is newer

    def test_following_in_an_event_loop(self) -> None:
        feed = Feed(blank())
        records = [replace(feed.record, seed=seed) for seed in range(10, 15)]
        records.append(replace(feed.record, result=Result.FINISHED))

        def publish() -> None:
            for record in records:
                time.sleep(0.005)
                feed.publish(record)

        async def follow() -> list[MatchRecord]:
            thread = threading.Thread(target=publish)
            thread.start()
            seen = [record async for record in feed.records()]
            thread.join()
            return seen

        seen = asyncio.run(follow())
        assert seen[-1] is records[-1]
        places = [records.index(record) for record in seen if record in records]
        assert places == sorted(set(places))  # none twice, none before an earlier one
        assert not feed._listeners

    def test_an_event_loop_that_has_ended_does_no_harm(self) -> None:
        feed = Feed(blank())

        async def leave() -> None:
            loop = asyncio.get_running_loop()
            feed.listen(lambda: loop.call_soon_threadsafe(print))

        asyncio.run(leave())
        feed.publish(replace(feed.record, seed=3))
        assert feed.record.seed == 3

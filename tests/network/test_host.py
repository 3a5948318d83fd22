"""The monitor: what players elsewhere are told, matches side by side, and following them."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.remote_players import DUEL, Conversation, honest, in_play, server
from support.toy_players import Scripted
from support.toy_rules import COIN, ENDLESS, NIM

import gdl
from ggp.match.match import Match
from ggp.match.record import MatchRecord, RecordError, Result, read_record
from ggp.match.settings import Settings
from ggp.network.host import Address, Feed, Hall, Monitor, Network, RemotePlayer
from ggp.network.host.connections import AddressError, ExchangeError
from ggp.players import make_player

#: Long enough for whoever answers at once on a busy machine.
CLOCK = 10.0

SETTINGS = Settings(seed=1, start_clock=CLOCK, play_clock=CLOCK, max_plies=10)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network() as running:
        yield running


def remote(port: int, network: Network) -> RemotePlayer:
    return RemotePlayer(Address("127.0.0.1", port), network)


def played(match: Match, plies: int | None = None) -> MatchRecord:
    with match:
        for ply in match.plies():  # noqa: B007
            if len(match.record.plies) == plies:
                break
    return match.record


class TestMessages:
    def test_a_match_from_start_to_stop(self, network: Network) -> None:
        with server() as left, server() as right:
            players = {"left": remote(left.port, network), "right": remote(right.port, network)}
            record = played(Match(gdl.Reasoner(DUEL), players, SETTINGS, name="duel"))
        assert record.result is Result.FINISHED
        assert not any(any(ply.errors) for ply in record.plies)
        match_id = record.match_id
        assert left.heard[0].startswith(f"(START {match_id} left ((role left) (role right) ")
        assert left.heard[0].endswith("(goal right 50)) 10 10)")
        assert right.heard[0].startswith(f"(START {match_id} right ((role left)")
        assert left.heard[1:] == [
            f"(PLAY {match_id} NIL)",
            *[f"(PLAY {match_id} (a a))"] * 3,
            f"(STOP {match_id} (a a))",
        ]
        assert right.heard[1:] == left.heard[1:]

    def test_a_match_that_is_broken_off_is_aborted(self, network: Network) -> None:
        with server() as left:
            players = {"left": remote(left.port, network), "right": make_player("legal")}
            record = played(Match(gdl.Reasoner(DUEL), players, SETTINGS), plies=2)
        assert record.result is Result.ABORTED
        assert left.heard[-1] == f"(ABORT {record.match_id})"

    def test_moves_may_be_shouted(self, network: Network) -> None:
        with server(in_play(lambda talk: talk.say("\r\n  A \r\n"))) as left:
            players = {"left": remote(left.port, network), "right": make_player("legal")}
            record = played(Match(gdl.Reasoner(DUEL), players, SETTINGS), plies=1)
        assert record.plies[0].errors == ("", "")
        assert record.plies[0].moves[0] == "a"

    def test_percepts_in_a_game_with_hidden_information(self, network: Network) -> None:
        def guess(talk: Conversation) -> None:
            talk.say("noop" if "NIL" in talk.message else "(guess heads)")

        with server(in_play(guess)) as guesser, server(in_play(guess)) as other:
            players = {"guesser": remote(guesser.port, network), "other": remote(other.port, network)}
            record = played(Match(gdl.Reasoner(COIN), players, SETTINGS))
        assert [ply.errors for ply in record.plies] == [("", "", "")] * 2
        match_id = record.match_id
        coin = record.plies[0].moves[0].removeprefix("(toss ").removesuffix(")")
        assert guesser.heard[1:] == [
            f"(PLAY {match_id} NIL)",
            f"(PLAY {match_id} ((coin {coin})))",
            f"(STOP {match_id} ())",
        ]
        assert other.heard[1:] == [f"(PLAY {match_id} NIL)", f"(PLAY {match_id} ())", f"(STOP {match_id} ())"]

    def test_turns_and_own_moves_if_wanted(self, network: Network) -> None:
        with server(in_play(lambda talk: talk.say("nonsense"))) as other:
            told = RemotePlayer(Address("127.0.0.1", other.port), network, turns=True)
            record = played(Match(gdl.Reasoner(COIN), {"guesser": make_player("legal"), "other": told}, SETTINGS))
        match_id = record.match_id
        assert other.heard[1:] == [
            f"(PLAY {match_id} 0 NIL NIL)",
            f"(PLAY {match_id} 1 noop ())",
            f"(STOP {match_id} 2 {record.plies[1].moves[2]} ())",
        ]

    def test_a_match_that_goes_on_is_told_from_the_beginning(self, network: Network) -> None:
        game = gdl.Reasoner(DUEL)
        locals_ = {role: make_player("random") for role in ("left", "right")}
        before = played(Match(game, locals_, SETTINGS), plies=3)
        with server() as left:
            players = {"left": remote(left.port, network), "right": make_player("random")}
            record = played(Match.resume(game, players, SETTINGS, before))
        assert record.result is Result.FINISHED
        assert record.plies[:3] == before.plies
        told = [f"({' '.join(ply.moves)})" for ply in record.plies]
        assert left.heard[0] == f"(ABORT {record.match_id})"
        assert left.heard[1].startswith(f"(START {record.match_id} left ")
        assert left.heard[2:] == [
            f"(PLAY {record.match_id} NIL)",
            *[f"(PLAY {record.match_id} {moves})" for moves in told[:3]],
            f"(STOP {record.match_id} {told[3]})",
        ]

    def test_who_are_you(self, network: Network) -> None:
        with server() as left:
            reply = remote(left.port, network).introduce(CLOCK).result()
        assert (reply.name, reply.available) == ("honest", True)

    def test_clocks_are_needed(self, network: Network) -> None:
        with server() as left:
            players = {"left": remote(left.port, network), "right": make_player("legal")}
            record = played(Match(gdl.Reasoner(DUEL), players, replace(SETTINGS, start_clock=None)), plies=1)
        assert "told a start clock and a play clock" in record.initial_errors[0]


class TestClocks:
    def test_an_early_move_is_taken_at_once(self, network: Network) -> None:
        # Were the clocks waited for, the test would not end within hours.
        settings = Settings(seed=1, start_clock=1e6, play_clock=1e6)
        with server() as left, server() as right:
            players = {"left": remote(left.port, network), "right": remote(right.port, network)}
            assert played(Match(gdl.Reasoner(DUEL), players, settings)).result is Result.FINISHED

    def test_roles_are_asked_at_the_same_time(self, network: Network) -> None:
        meeting = threading.Barrier(2, timeout=30)

        def meet(talk: Conversation) -> None:
            meeting.wait()
            honest(talk)

        with server(in_play(meet)) as left, server(in_play(meet)) as right:
            players = {"left": remote(left.port, network), "right": remote(right.port, network)}
            record = played(Match(gdl.Reasoner(DUEL), players, replace(SETTINGS, play_clock=30.0)))
        assert not any(any(ply.errors) for ply in record.plies)

    def test_a_move_within_the_grace_counts(self, network: Network) -> None:
        def nearly_late(talk: Conversation) -> None:
            talk.sleep(0.3)
            honest(talk)

        with server(in_play(nearly_late)) as left:
            late = RemotePlayer(Address("127.0.0.1", left.port), network, grace=CLOCK)
            players = {"left": late, "right": Scripted()}
            record = played(Match(gdl.Reasoner(DUEL), players, replace(SETTINGS, play_clock=0.2)), plies=1)
        assert record.plies[0].errors == ("", "")
        assert record.plies[0].seconds[0] >= 0.3


class TestAddresses:
    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("http://example.org", Address("example.org", 9147)),
            ("http://127.0.0.1:9000/", Address("127.0.0.1", 9000)),
            ("https://[::1]:1", Address("::1", 1, secure=True)),
        ],
    )
    def test_read(self, text: str, address: Address) -> None:
        assert Address.parse(text) == address

    @pytest.mark.parametrize("text", ["ftp://x", "http://", "http://x:99999", "http://x/game", "http://[x", "x://"])
    def test_refused(self, text: str) -> None:
        with pytest.raises(AddressError, match=re.escape(text)):
            Address.parse(text)

    @pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 300])
    def test_a_host_that_is_not_there(self, host: str, network: Network) -> None:
        player = RemotePlayer(Address(host, 1), network)
        with pytest.raises((ExchangeError, TimeoutError)):
            player.introduce(CLOCK).result()


def blank() -> MatchRecord:
    players = {"left": make_player("legal"), "right": make_player("legal")}
    return Match(gdl.Reasoner(DUEL), players, Settings(seed=1)).record


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


class TestMonitor:
    def match(self, monitor: Monitor, rules: str = DUEL, **players: object) -> Match:
        game = gdl.Reasoner(rules)
        lineup = {role: players.get(role, make_player("random")) for role in game.roles}
        return Match(game, lineup, SETTINGS, name="duel", deriving=monitor.deriving)  # type: ignore[arg-type]

    def test_matches_side_by_side(self, tmp_path: Path) -> None:
        hall = Hall()
        with Monitor(hall) as monitor:
            matches = [self.match(monitor) for _ in range(20)]
            futures = [monitor.play(match, tmp_path / f"{match.record.match_id}.json") for match in matches]
            records = [future.result(timeout=60) for future in futures]
        assert all(record.result is Result.FINISHED for record in records)
        assert {feed.record.match_id for feed in hall.feeds()} == {record.match_id for record in records}
        for record in records:
            kept = read_record(tmp_path / f"{record.match_id}.json")
            assert kept.plies == record.plies or len(kept.plies) == 4
            assert hall.get(record.match_id).record == record  # type: ignore[union-attr]

    def test_a_hundred_at_the_same_time_with_clocks(self) -> None:
        with Monitor(Hall()) as monitor:
            game = gdl.Reasoner(NIM)
            settings = Settings(seed=1, start_clock=60.0, play_clock=60.0)
            futures = []
            for _ in range(100):
                players = {role: make_player("random") for role in game.roles}
                futures.append(monitor.play(Match(game, players, settings, deriving=monitor.deriving)))
            records = [future.result(timeout=120) for future in futures]
        assert all(record.result is Result.FINISHED for record in records)
        assert not any(any(ply.errors) for record in records for ply in record.plies)
        assert len({tuple(ply.moves for ply in record.plies) for record in records}) == 1  # of one seed: all alike

    def test_what_goes_wrong_in_one_leaves_the_others_alone(self, tmp_path: Path) -> None:
        with Monitor(Hall()) as monitor:
            bad = monitor.play(self.match(monitor), tmp_path / "nowhere" / "match.json")
            good = monitor.play(self.match(monitor))
            assert good.result(timeout=60).result is Result.FINISHED
            with pytest.raises(RecordError):
                bad.result(timeout=60)

    def test_closing_aborts_what_is_under_way(self, tmp_path: Path) -> None:
        asked = threading.Event()

        def move(_: object) -> str:
            asked.set()
            time.sleep(0.01)
            return "wait"

        with Monitor(Hall()) as monitor:
            match = self.match(monitor, ENDLESS, solo=Scripted(move))
            match.settings = replace(match.settings, max_plies=10**9)
            future = monitor.play(match, tmp_path / "match.json")
            assert asked.wait(30)
        assert future.result(timeout=0).result is Result.ABORTED
        assert read_record(tmp_path / "match.json").result is Result.ABORTED
        with pytest.raises(RuntimeError, match="closed"):
            monitor.play(match)

"""Whatever a player at the other end of a socket does, the match goes on in time, and what it did is recorded."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from support.remote_players import DUEL, Behaviour, Conversation, Server, honest, in_play, server, unused_port

import gdl
from ggp.match.match import Match
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Policy, Settings
from ggp.network.host import Address, Network, RemotePlayer
from ggp.network.protocol.http import reply_bytes

CLOCK = 0.5
GRACE = 0.1

#: Seconds that nobody takes who answers at all: where nothing is to be late, a clock of so many.
PLENTY = 60.0

#: Seconds that the end of a clock may be noticed too late: generous, as tests run on machines that are busy.
SLACK = 10.0

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: text/acl\r\n"


def late(talk: Conversation) -> None:
    talk.sleep(CLOCK + GRACE + 0.1)
    talk.say("a")


def silent(talk: Conversation) -> None:
    talk.wait()


def byte_by_byte(talk: Conversation) -> None:
    for byte in reply_bytes("a" * 50):
        talk.send(bytes([byte]))
        talk.sleep(0.02)


def endless(talk: Conversation) -> None:
    talk.send(HEAD + b"\r\n(")
    while not talk.stopping.is_set():
        talk.send(b"a " * 2000)


def endless_header(talk: Conversation) -> None:
    talk.send(HEAD)
    while not talk.stopping.is_set():
        talk.send(b"X-Field: value\r\n" * 200)


def a_megabyte(talk: Conversation) -> None:
    talk.say("(a " + "b " * 500_000 + ")")


def never_ending_symbol(talk: Conversation) -> None:
    talk.send(HEAD + b"\r\na")
    talk.wait()


def reset_at_once(talk: Conversation) -> None:
    talk.reset()


def reset_in_the_middle(talk: Conversation) -> None:
    talk.send(HEAD + b"Content-Length: 30\r\n\r\n(mar")
    talk.sleep(0.02)
    talk.reset()


def closes_early(talk: Conversation) -> None:
    talk.send(HEAD[:20])


def says(text: str) -> Behaviour:
    return lambda talk: talk.say(text)


def sends(data: bytes) -> Behaviour:
    return lambda talk: talk.send(data)


#: What a player does, the error that is recorded, and whether that takes the whole clock.
FAULTS = {
    "late": (late, "TO", True),
    "silent": (silent, "TO", True),
    "slow byte by byte": (byte_by_byte, "TO", True),
    "a symbol without an end": (never_ending_symbol, "TO", True),
    "endless": (endless, r"CE oversized: more than \d+ bytes", False),
    "endless header": (endless_header, r"CE oversized: more than \d+ bytes", False),
    "oversized": (a_megabyte, r"CE oversized: more than \d+ bytes", False),
    "illegal": (says("(fly away)"), r"IL \(fly away\)", False),
    "unbalanced": (says("(mark 1"), r"IL \(mark 1", False),
    "two moves": (says("a b"), "IL a b", False),
    "empty": (says(""), "IL ", False),
    "a variable": (says("?x"), r"IL \?x", False),
    "nil": (says("NIL"), "IL NIL", False),
    "deep": (says("(" * 20_000), r"IL \(+\.\.\.", False),
    "control characters": (says("(a\x1b[31m)"), "IL .*\N{REPLACEMENT CHARACTER}.*", False),
    "not HTTP": (sends(b"\0\1\2\3" * 30 + b"\n\n"), "CE .*", False),
    "nothing": (sends(b""), "CE protocol: no data was received", False),
    "closed early": (closes_early, "CE protocol: the connection ended within the header: .*", False),
    "an error": (sends(b"HTTP/1.0 500 Oh No\r\n\r\n"), "CE HTTP status 500: Oh No", False),
    "reset at once": (reset_at_once, "CE connection lost", False),
    "reset in the middle": (reset_in_the_middle, "CE connection lost", False),
}


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network() as running:
        yield running


@pytest.fixture(scope="module")
def game() -> gdl.Reasoner:
    return gdl.Reasoner(DUEL)


@pytest.fixture(scope="module")
def other() -> Iterator[Server]:
    with server() as running:
        yield running


def play(
    game: gdl.Reasoner,
    network: Network,
    bad: int,
    good: int,
    policy: Policy = Policy.REPLACE,
    plies: int = 2,
    start_clock: float = PLENTY,
    play_clock: float = PLENTY,
) -> tuple[MatchRecord, float]:
    """A match between `left` at a bad player's port and `right` at a good one's, and the seconds that it took.

    The good player has any grace, so that it is never late because the machine is.
    """
    settings = Settings(seed=1, start_clock=start_clock, play_clock=play_clock, policy=policy, max_plies=plies)
    players = {
        "left": RemotePlayer(Address("127.0.0.1", bad), network, grace=GRACE),
        "right": RemotePlayer(Address("127.0.0.1", good), network, grace=PLENTY),
    }
    began = time.monotonic()
    with Match(game, players, settings, name="duel") as match:
        for _ in match.plies():
            pass
    return match.record, time.monotonic() - began


@pytest.mark.parametrize("fault", FAULTS)
def test_replace(fault: str, game: gdl.Reasoner, network: Network, other: Server) -> None:
    behaviour, error, takes_long = FAULTS[fault]
    with server(in_play(behaviour)) as bad:
        clock = CLOCK if takes_long else PLENTY
        record, seconds = play(game, network, bad.port, other.port, play_clock=clock)
    assert record.result is Result.UNFINISHED
    assert len(record.plies) == 2
    for ply in record.plies:
        assert re.fullmatch(error, ply.errors[0]), ply.errors
        assert ply.errors[1] == ""
        assert ply.moves[0] in "ab"
        assert ply.moves[1] == "a"
        if takes_long:
            assert CLOCK + GRACE - 0.01 <= ply.seconds[0] <= CLOCK + GRACE + SLACK
    assert seconds < PLENTY
    assert record.initial_errors == ("", "")


@pytest.mark.parametrize("fault", FAULTS)
def test_disqualify(fault: str, game: gdl.Reasoner, network: Network, other: Server) -> None:
    behaviour, error, takes_long = FAULTS[fault]
    with server(in_play(behaviour)) as bad:
        clock = CLOCK if takes_long else PLENTY
        record, _ = play(game, network, bad.port, other.port, Policy.DISQUALIFY, play_clock=clock)
        assert bad.heard[-1].startswith("(STOP ")
    assert record.result is Result.DISQUALIFIED
    assert record.goals == (0, 100)
    assert record.disqualified == ("left",)
    assert record.plies == ()
    assert record.last_errors[1] == ""
    assert re.fullmatch(error, record.last_errors[0].split("; ")[0])


def test_connection_refused(game: gdl.Reasoner, network: Network, other: Server) -> None:
    record, seconds = play(game, network, unused_port(), other.port)
    refused = ("CE connection refused", "")
    assert record.initial_errors == record.plies[0].errors == record.plies[1].errors == record.last_errors == refused
    assert seconds < PLENTY
    record, _ = play(game, network, unused_port(), other.port, Policy.DISQUALIFY)
    assert (record.goals, record.initial_errors) == ((0, 100), refused)


def test_a_crash_between_plies(game: gdl.Reasoner, network: Network, other: Server) -> None:
    with server() as bad:

        def last_move(talk: Conversation) -> None:
            if talk.kind == "PLAY" and "NIL" not in talk.message:
                bad.close()
            honest(talk)

        bad._behaviour = last_move
        record, _ = play(game, network, bad.port, other.port, plies=4)
    assert [ply.errors for ply in record.plies] == [("", "")] * 2 + [("CE connection refused", "")] * 2
    assert record.result is Result.FINISHED
    assert record.goals == (50, 50)


@pytest.mark.parametrize(
    ("behaviour", "error"),
    [
        (says("busy"), "CE START was answered with busy"),
        (says("BUSY"), "CE START was answered with busy"),
        (silent, "TO"),
        (says("(ready for everything)"), ""),
    ],
    ids=["busy", "busy in capitals", "silent", "ready in other words"],
)
def test_start(behaviour: Behaviour, error: str, game: gdl.Reasoner, network: Network, other: Server) -> None:
    with server(lambda talk: (behaviour if talk.kind == "START" else honest)(talk)) as odd:
        clock = CLOCK if error == "TO" else PLENTY
        record, _ = play(game, network, odd.port, other.port, start_clock=clock)
    assert record.initial_errors == (error, "")
    assert record.plies[0].errors == ("", "")  # it is asked all the same


def test_a_silent_farewell_costs_no_more_than_its_clock(game: gdl.Reasoner, network: Network, other: Server) -> None:
    with server(lambda talk: (silent if talk.kind == "STOP" else honest)(talk)) as rude:
        record, seconds = play(game, network, rude.port, other.port)
    assert record.last_errors == ("TO", "")
    assert seconds < PLENTY


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", [silent, byte_by_byte], ids=["silent", "slow byte by byte"])
def test_the_end_of_a_clock_is_noticed_at_once(
    behaviour: Behaviour, game: gdl.Reasoner, network: Network, other: Server
) -> None:
    with server(in_play(behaviour)) as bad:
        record, _ = play(game, network, bad.port, other.port, plies=4, play_clock=CLOCK)
    errors = [ply.seconds[0] - CLOCK - GRACE for ply in record.plies]
    assert len(errors) == 4
    assert min(errors) >= -0.01
    assert sorted(errors)[1] < 0.05  # not the worst: the machine may be busy for a while


@pytest.mark.slow
def test_a_late_answer_is_not_taken_for_the_next_question(game: gdl.Reasoner, network: Network, other: Server) -> None:
    next_question, answered = threading.Event(), threading.Event()

    def late_at_first(talk: Conversation) -> None:
        if "NIL" in talk.message:
            next_question.wait(timeout=10)
            with suppress(OSError):
                talk.say("a")
            answered.set()
        else:
            next_question.set()
            answered.wait(timeout=10)
            talk.say("b")

    with server(in_play(late_at_first)) as slow:
        record, _ = play(game, network, slow.port, other.port, play_clock=6 * CLOCK)
    assert record.plies[0].errors == ("TO", "")
    assert record.plies[1].errors == ("", "")
    assert record.plies[1].moves == ("b", "a")

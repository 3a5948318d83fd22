"""A player at a real socket: matches as they should be, and all that a server or a player may do wrong."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from urllib.parse import quote_plus

import pytest
from support.served import PATIENCE, TIC_TAC_TOE, Served, body, post, served, soon, status_of, whole
from support.threaded_match import ThreadedMatch
from support.toy_players import Scripted, fail

from gdl import Reasoner
from gdl.engine import State
from gdl.terms import Term
from ggp.network.protocol.listener import READING, YOUNG
from ggp.network.protocol.messages import Abort, Play, Start, Stop, rules_line
from ggp.network.protocol.player_server import NetworkPlayer, NetworkPlayerSettings
from ggp.network.protocol.replies import InfoReply, parse_move
from ggp.players import Player, Turn
from ggp.players.simple import LegalPlayer, RandomPlayer
from ggp.rules.shipped_games import find_game

X_WINS = "((mark 1 1) noop)", "(noop (mark 3 3))"


class Thinker(Scripted):
    """Thinks until its deadline, which may be called off; says when it begins and when it has ended."""

    def __init__(self) -> None:
        super().__init__(self._think)
        self.thinking = threading.Event()
        self.stopped = threading.Event()

    def _think(self, turn: Turn) -> Term:
        self.thinking.set()
        while turn.deadline.left() > 0:
            time.sleep(0.005)
        self.stopped.set()
        return turn.legal[-1]


class Stubborn(Scripted):
    """Does not hear that anything is called off, until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        super().__init__(lambda turn: (self.let_go.wait(PATIENCE), turn.legal[0])[1])


def one_after_another(*players: Player) -> Callable[[], Player]:
    """Makes these players, one for each match."""
    left = iter(players)
    return lambda: next(left)


def play_match(player: Served, rules: str, role: str, match_id: str, seed: int, clock: float) -> tuple[int, ...]:
    """A match with a server that moves at random for all other roles; every answer has to be legal."""
    game, choose = Reasoner(rules), random.Random(seed)
    assert player.ask(Start(match_id, role, rules, clock, clock)) == "ready"
    state, moves = game.initial_state(), None
    while not game.is_terminal(state):
        answer = parse_move(player.ask(Play(match_id, moves)))
        legal = {each: game.legal_moves(state, each) for each in game.roles}
        assert answer in legal[role]
        moves = tuple(answer if each == role else choose.choice(legal[each]) for each in game.roles)
        state = game.next_state(state, moves)
    assert player.ask(Stop(match_id, moves)) == "done"
    return tuple(game.goal(state, each) for each in game.roles)


class TestMatches:
    @pytest.mark.parametrize("name", ["battle", "sliding_pieces"])
    def test_every_game_to_its_end(self, name: str) -> None:
        rules = rules_line(Reasoner.load(find_game(name)).rulesheet.source.text)
        ends = Scripted()
        with served(one_after_another(ends)) as player:
            goals = play_match(player, rules, Reasoner(rules).roles[-1], "one", 1, PATIENCE)
            assert player.status() == "available"
            assert soon(lambda: bool(ends.ends))
        assert ends.ends[0].result == "finished"
        assert ends.ends[0].goal == goals[-1]
        assert not any(event.warning for event in player.events), player.events

    def test_a_server_that_shouts(self) -> None:
        with served(LegalPlayer) as player:
            assert player.ask(str(Start("Match.1", "XPLAYER", TIC_TAC_TOE, 10, 10)).upper()) == "ready"
            assert player.ask("( PLAY  MATCH.1  NIL )") == "(MARK 1 1)"
            assert player.ask("(PLAY MATCH.1\r\n((MARK 1 1)\tNOOP))") == "NOOP"
            assert player.ask("(STOP MATCH.1 (NOOP (MARK 3 3)))") == "done"

    def test_a_server_that_scrambles(self) -> None:
        scrambled = TIC_TAC_TOE
        for word in ("mark", "cell", "control", "noop", "xplayer", "oplayer", "line", "open", "row", "column"):
            scrambled = scrambled.replace(word, f"zz{word[::-1]}")
        with served(LegalPlayer) as player:
            assert player.start(role="zzreyalpx", rules=scrambled) == "ready"
            assert player.ask("(PLAY m NIL)") == "(zzkram 1 1)"

    def test_what_the_player_is_told(self) -> None:
        scripted = Scripted()
        with served(one_after_another(scripted), NetworkPlayerSettings(margin=1.0)) as player:
            player.start(clock=30)
            player.ask("(PLAY m NIL)")
            player.ask(f"(PLAY m {X_WINS[0]})")
            player.ask(f"(STOP m {X_WINS[1]})")
            assert soon(lambda: bool(scripted.ends))
        [start], [first, second], [end] = scripted.starts, scripted.turns, scripted.ends
        assert (start.match_id, start.role, start.start_clock, start.play_clock) == ("m", "xplayer", 30, 30)
        assert Reasoner(start.rules).roles == ("xplayer", "oplayer")
        assert (first.ply, first.moves, first.own_move) == (1, None, None)
        assert second.ply == 2
        assert str(second.own_move) == "(mark 1 1)"
        assert [str(move) for move in second.moves or ()] == ["(mark 1 1)", "noop"]
        assert second.deadline.at is not None
        assert second.deadline.at < time.monotonic() + 29
        assert (end.result, end.ply, end.goal) == ("aborted", 2, None)

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a message has arrived")
    def test_a_clock_starts_when_the_message_arrives(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Even if the process has no time to read it."""
        scripted, info, begun = Scripted(), NetworkPlayer.info, threading.Event()

        def slow(self: NetworkPlayer) -> InfoReply:
            begun.set()
            time.sleep(1.0)
            return info(self)

        monkeypatch.setattr(NetworkPlayer, "info", slow)
        with served(one_after_another(scripted), NetworkPlayerSettings(margin=0.0)) as player:
            player.start(clock=30)
            first = player.begin("(INFO)")
            assert begun.wait(60)
            sent = time.monotonic()
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"
            assert "busy" in body(first)
        [turn] = scripted.turns
        assert turn.deadline.at is not None
        assert sent + 29.9 < turn.deadline.at < sent + 30.5

    def test_several_matches_at_a_time(self) -> None:
        with served(RandomPlayer, NetworkPlayerSettings(matches=2)) as player:
            assert [player.start(name) for name in ("a", "b", "c")] == ["ready", "ready", "busy"]
            assert player.ask(Play("a")) != "busy"
            assert player.ask(Play("b")) != "busy"
            assert player.ask(Abort("a")) == "aborted"
            assert player.start("c") == "ready"

    def test_the_same_seed_plays_the_same(self) -> None:
        def moves(seed: int) -> list[str]:
            with served(RandomPlayer, NetworkPlayerSettings(seed=seed)) as player:
                return [player.start(name) + player.ask(Play(name)) + player.ask(Abort(name)) for name in "abcd"]

        assert moves(1) == moves(1) != moves(2)

    def test_preview_and_info(self) -> None:
        with served(LegalPlayer, NetworkPlayerSettings(name="the best")) as player:
            assert player.ask("(INFO)") == "((name the_best) (status available) (species alien))"
            assert player.ask(f"(PREVIEW ({TIC_TAC_TOE}) 10)") == "ready"
            player.start()
            assert player.ask("(info)") == "((name the_best) (status busy) (species alien))"
            assert player.ask(f"(PREVIEW ({TIC_TAC_TOE}) 10)") == "busy"


class TestHidden:
    """GDL-II: a player hears its percepts in place of the moves."""

    #: A coin lies one way; who sees it says so.
    RULES = (
        "(role random) (role guesser) (init start) (side heads) (side tails)"
        "(<= (legal random (put ?s)) (true start) (side ?s)) (<= (legal guesser wait) (true start))"
        "(<= (legal random noop) (true (lies ?s))) (<= (legal guesser (say ?s)) (true (lies ?s)))"
        "(<= (next (lies ?s)) (does random (put ?s))) (<= (sees guesser ?s) (does random (put ?s)))"
        "(<= (next right) (true (lies ?s)) (does guesser (say ?s))) (<= (next wrong) (true (lies ?s)) (not right))"
        "(<= right (true (lies ?s)) (does guesser (say ?s)))"
        "(<= terminal (true right)) (<= terminal (true wrong))"
        "(<= (goal guesser 100) (true right)) (<= (goal guesser 0) (true wrong))"
    )

    @pytest.mark.parametrize("side", ["heads", "tails"])
    @pytest.mark.parametrize(
        "messages",
        [
            ("(PLAY m NIL)", "(PLAY m (SIDE))", "(STOP m ())"),
            ("(PLAY m 0 NIL NIL)", "(PLAY m 1 wait (SIDE))", "(STOP m 2 (say SIDE) NIL)"),
        ],
    )
    def test_percepts_in_place_of_moves(self, side: str, messages: tuple[str, ...]) -> None:
        first, second, last = (message.replace("SIDE", side) for message in messages)
        scripted = Scripted()
        with served(one_after_another(scripted)) as player:
            assert player.start(role="guesser", rules=self.RULES) == "ready"
            assert player.ask(first) == "wait"
            assert player.ask(second) == f"(say {side})"
            assert player.ask(last) == "done"
            assert soon(lambda: bool(scripted.ends))
        assert scripted.starts[0].hidden
        assert scripted.turns[1].state is None
        assert scripted.turns[1].moves is None
        assert [str(percept) for percept in scripted.turns[1].percepts] == [side]
        assert str(scripted.turns[1].own_move) == "wait"
        assert (scripted.ends[0].result, scripted.ends[0].goal) == ("finished", 100)

    def test_percepts_that_cannot_be(self) -> None:
        with served(LegalPlayer) as player:
            player.start(role="guesser", rules=self.RULES)
            player.ask("(PLAY m NIL)")
            assert player.ask("(PLAY m (sideways))") == "nil"
            assert player.told("no state")


class TestRequests:
    """Whatever comes over the network, the player answers, and goes on."""

    def test_get(self) -> None:
        with served(LegalPlayer) as player:
            for target in ("", "/", f"/{quote_plus('( INFO )')}"):
                answer = whole(player.send(f"GET {target or '/'} HTTP/1.0\r\n\r\n".encode()))
                assert answer.endswith(b"((name ggp) (status available) (species alien))")
            assert status_of(player.send(b"GET /favicon.ico HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 400

    def test_get_is_only_for_info(self) -> None:
        with served(LegalPlayer) as player:
            player.start()
            for message in ("(PLAY m NIL)", "(ABORT m)"):
                assert status_of(player.send(f"GET /{quote_plus(message)} HTTP/1.0\r\n\r\n".encode())) == 403
            assert player.told("forbidden: only INFO may be sent by GET")
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"

    @pytest.mark.parametrize(
        ("field", "reason"),
        [
            ("Origin: http://a.example", "web pages may not send requests to a player"),
            ("Origin: null", "web pages may not send requests to a player"),
            ("Sec-Fetch-Site: cross-site", "web pages may not send requests to a player"),
            ("Host: rebound.example:9147", "unknown host name: rebound.example:9147"),
        ],
    )
    @pytest.mark.parametrize("method", ["POST", "GET", "OPTIONS"])
    def test_what_a_web_page_sends_is_refused(self, method: str, field: str, reason: str) -> None:
        with served(LegalPlayer) as player:
            answer = whole(player.send(f"{method} / HTTP/1.1\r\n{field}\r\n\r\n(INFO)".encode()))
            assert answer.startswith(b"HTTP/1.0 403 Forbidden\r\n")
            assert answer.endswith(f"forbidden: {reason}".encode())
            assert b"Access-Control" not in answer
            assert player.told(f"refused a request from 127.0.0.1: forbidden: {reason}")

    @pytest.mark.parametrize("host", ["localhost:9147", "127.0.0.1", "[::1]:80", "LOCALHOST"])
    def test_names_of_this_machine(self, host: str) -> None:
        with served(LegalPlayer) as player:
            assert "available" in body(player.send(f"POST / HTTP/1.0\r\nHost: {host}\r\n\r\n(INFO)".encode()))

    def test_a_token(self) -> None:
        with served(LegalPlayer, token="open.sesame") as player:
            for target in ("/", "/open", "/(INFO)", "/Open.Sesame", "/%EF%BF%BD"):
                for method in ("POST", "GET"):
                    assert status_of(player.send(f"{method} {target} HTTP/1.0\r\n\r\n(INFO)".encode())) == 404
            assert player.told("no-token: the address of this player has another path")
            for line in ("POST /open.sesame", "GET /open.sesame", "GET /open.sesame/(INFO)"):
                assert "available" in body(player.send(f"{line} HTTP/1.0\r\n\r\n(INFO)".encode()))

    @pytest.mark.parametrize(
        "data",
        [
            b"POST / HTTP/1.0\r\n\r\n(INFO)",
            b"POST / HTTP/1.1\nHost: localhost\n\n  ( info )\r\n",
            b"post / http/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n",
            b"POST / HTTP/1.0\r\nContent-Length: 999\r\n\r\n(INFO)",
            b"\r\nPOST / HTTP/1.0\r\nCONTENT-LENGTH : 6\r\n\r\n(INFO)and more",
        ],
    )
    def test_what_servers_send_is_understood(self, data: bytes) -> None:
        with served(LegalPlayer) as player:
            assert "available" in body(player.send(data))

    def test_byte_by_byte(self) -> None:
        with served(LegalPlayer) as player, player.connect() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in b"POST / HTTP/1.0\r\n\r\n(INFO)":
                connection.sendall(bytes([byte]))
                time.sleep(0.001)
            assert "available" in body(connection)

    def test_a_request_that_never_ends_is_given_up(self) -> None:
        with served(LegalPlayer, reading=0.2) as player:
            for data in (b"", b"POST / HT", b"POST / HTTP/1.0\r\n\r\n(PLAY"):
                assert status_of(player.send(data)) == 408
            assert player.told("incomplete after 0.2 s")
            assert player.status() == "available"

    def test_a_request_that_streams_without_end_is_cut_off(self) -> None:
        with served(LegalPlayer, limit=50_000) as player, player.connect() as connection:
            connection.sendall(b"POST / HTTP/1.0\r\n\r\n(")
            with pytest.raises(ConnectionError):
                stream_on(connection)
            assert player.told("more than 50000 bytes")
            assert player.status() == "available"

    def test_an_oversized_message_is_refused(self) -> None:
        with served(LegalPlayer, limit=50_000) as player:
            assert status_of(player.send(post(f"(PLAY m ({'a ' * 30_000}))"))) == 413
            assert player.status() == "available"

    @pytest.mark.parametrize(
        "text",
        ["hello", "()", "(WHAT)", "(PLAY m", "(START m)", "(PLAY m (())", "(PLAY m ?x)", "\0\1\2", ""],
    )
    def test_a_malformed_message_is_refused(self, text: str) -> None:
        with served(LegalPlayer) as player:
            player.start()
            assert status_of(player.send(post(text))) == 400
            assert player.told("refused a request from 127.0.0.1")
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"

    def test_what_is_no_http(self) -> None:
        with served(LegalPlayer) as player:
            assert status_of(player.send(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")) == 400
            assert player.status() == "available"

    def test_a_connection_that_is_reset_or_closed_at_any_point(self) -> None:
        data = post("(PLAY m NIL)")
        with served(LegalPlayer) as player:
            player.start()
            for end in range(0, len(data) + 1, 7):
                for reset in (True, False):
                    connection = player.send(data[:end])
                    if reset:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"

    @pytest.mark.parametrize("data", [b"", b"POST / HTTP/1.0\r\n\r\n(PLAY"])
    def test_silent_connections_give_way(self, data: bytes) -> None:
        with served(LegalPlayer) as player, ExitStack() as stack:
            silent = [stack.enter_context(player.send(data)) for _ in range(150)]
            # Once a later connection is answered, all of these have been accepted, however busy the machine is.
            assert player.status() == "available"
            time.sleep(2 * YOUNG)
            began = time.monotonic()
            assert player.start() == "ready"
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"
            assert player.status() == "busy"
            # Otherwise they would be waited for.
            assert time.monotonic() - began < READING / 3
            # The first ones had to go.
            assert whole_or_reset(silent[0]) == b""

    def test_slow_connections_delay_nothing(self) -> None:
        slow = threading.Event()

        def dribble(player: Served) -> None:
            connections: list[socket.socket] = []
            while not slow.is_set():
                connections += [player.connect() for _ in range(max(0, 200 - len(connections)))]
                for connection in list(connections):
                    try:
                        connection.sendall(b"P")
                    except OSError:  # it had to give way
                        connections.remove(connection)
                        connection.close()
                slow.wait(0.1)
            for connection in connections:
                connection.close()

        with served(LegalPlayer) as player:
            thread = threading.Thread(target=dribble, args=(player,))
            thread.start()
            try:
                player.start()
                times = []
                for _ in range(10):
                    began = time.monotonic()
                    assert player.ask("(PLAY m NIL)") == "(mark 1 1)"
                    times.append(time.monotonic() - began)
            finally:
                slow.set()
                thread.join()
        assert sorted(times)[5] < 1.0

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux has other addresses of loopback")
    def test_a_slow_server_of_a_match_keeps_its_place(self) -> None:
        data = post("(PLAY m NIL)")
        with served(LegalPlayer) as player, ExitStack() as stack:
            player.start()
            slow = player.send(data[:-5])
            for _ in range(2):
                time.sleep(2 * YOUNG)
                for _ in range(100):
                    address = ("127.0.0.1", player.port)
                    stack.enter_context(socket.create_connection(address, source_address=("127.0.0.2", 0)))
            slow.sendall(data[-5:])
            assert body(slow) == "(mark 1 1)"

    def test_a_request_that_is_being_answered_keeps_its_place(self) -> None:
        thinker = Thinker()
        with served(one_after_another(thinker)) as player, ExitStack() as stack:
            player.start()
            waiting = player.begin("(PLAY m NIL)")
            assert thinker.thinking.wait(PATIENCE)
            for _ in range(150):
                stack.enter_context(player.connect())
            assert player.ask(Abort("m")) == "aborted"
            assert body(waiting)


def stream_on(connection: socket.socket) -> None:
    """Send without end."""
    for _ in count():
        connection.sendall(b"(a b c) " * 1000)


def whole_or_reset(connection: socket.socket) -> bytes:
    try:
        return whole(connection)
    except ConnectionError:
        return b""


class TestServers:
    """Messages that are in order, at the wrong moment."""

    def test_a_second_start_is_answered_busy(self) -> None:
        with served(LegalPlayer) as player:
            assert player.start("m") == "ready"
            assert player.start("m") == "busy"
            assert player.start("other") == "busy"
            assert player.told("too many matches")
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"

    def test_a_start_while_another_is_thought_about(self) -> None:
        begun, go_on = threading.Event(), threading.Event()
        slow = Scripted(start=lambda *_: (begun.set(), go_on.wait(PATIENCE)))
        with served(one_after_another(slow)) as player:
            first = player.begin(Start("m", "xplayer", TIC_TAC_TOE, 60, 60))
            assert begun.wait(PATIENCE)
            assert player.start("m") == "busy"
            assert player.status() == "busy"
            go_on.set()
            assert body(first) == "ready"

    @pytest.mark.parametrize(("message", "answer"), [(Stop("m"), "done"), (Abort("m"), "aborted")])
    def test_an_end_while_thinking(self, message: object, answer: str) -> None:
        thinker, next_player = Thinker(), Scripted()
        with served(one_after_another(thinker, next_player)) as player:
            player.start()
            waiting = player.begin("(PLAY m NIL)")
            assert thinker.thinking.wait(PATIENCE)
            assert player.ask(message) == answer
            # It is told to stop, long before its clock of a minute.
            assert thinker.stopped.wait(PATIENCE / 2)
            assert body(waiting)
            assert player.status() == "available"
            assert soon(lambda: bool(thinker.ends))
            assert thinker.ends[0].result == "aborted"
            assert player.start("next") == "ready"

    @pytest.mark.parametrize(("message", "answer"), [(Stop("m"), "done"), (Abort("m"), "aborted")])
    def test_an_end_that_the_player_does_not_hear(self, message: object, answer: str) -> None:
        stubborn = Stubborn()
        try:
            with served(one_after_another(stubborn, LegalPlayer())) as player:
                player.start()
                with player.begin("(PLAY m NIL)"):
                    assert soon(lambda: bool(stubborn.turns))
                    assert player.ask(message) == answer
                    assert player.start("next") == "ready"
                    assert player.ask("(PLAY next NIL)") == "(mark 1 1)"
        finally:
            stubborn.let_go.set()

    def test_an_end_while_getting_ready(self) -> None:
        begun = threading.Event()

        def get_ready(_: object, deadline: object) -> None:
            begun.set()
            soon(lambda: deadline.left() <= 0)  # type: ignore[attr-defined]

        with served(one_after_another(Scripted(start=get_ready), LegalPlayer())) as player:
            first = player.begin(Start("m", "xplayer", TIC_TAC_TOE, 60, 60))
            assert begun.wait(PATIENCE)
            assert player.ask(Abort("m")) == "aborted"
            assert body(first)
            assert player.start("next") == "ready"

    def test_a_play_while_thinking_about_the_one_before(self) -> None:
        thinker = Thinker()
        with served(one_after_another(thinker)) as player:
            player.start()
            first = player.begin("(PLAY m NIL)")
            assert thinker.thinking.wait(PATIENCE)
            second = player.begin(f"(PLAY m {X_WINS[0]})")
            assert soon(lambda: len(thinker.turns) == 2)
            assert body(first) == "(mark 3 3)"
            assert player.ask(Abort("m")) == "aborted"
            assert body(second) == "noop"

    @pytest.mark.parametrize("message", ["(PLAY x NIL)", "(STOP x NIL)", "(ABORT x)"])
    def test_an_unknown_match_id(self, message: str) -> None:
        with served(LegalPlayer) as player:
            assert player.ask(message) == "busy"
            player.start()
            assert player.ask(message) == "busy"
            assert player.told("for an unknown match")
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"

    @pytest.mark.parametrize(
        ("role", "rules"),
        [
            ("xplayer", "(role xplayer) (<= (legal xplayer ?m) (not (bad ?m)))"),
            ("xplayer", "(role xplayer"[:-1] + ")"),
            ("nobody", TIC_TAC_TOE),
            ("x", ""),
        ],
    )
    def test_rules_that_are_wrong(self, role: str, rules: str) -> None:
        with served(LegalPlayer) as player:
            assert player.ask(f"(START m {role} ({rules}) 10 10)") == "busy"
            assert player.told("refused: ")
            assert player.status() == "available"
            assert player.start() == "ready"

    def test_moves_that_do_not_fit(self) -> None:
        with served(LegalPlayer) as player:
            player.start()
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"
            for moves in ("(noop noop)", "((mark 1 1))", "((mark 9 9) noop)", "(a b c)"):
                assert player.ask(f"(PLAY m {moves})") == "nil"
            assert player.told("out-of-step")
            # What fits is followed again.
            assert player.ask(f"(PLAY m {X_WINS[0]})") == "noop"
            # The same question again, as the answer was lost.
            assert player.ask(f"(PLAY m {X_WINS[0]})") == "noop"
            assert player.ask("(STOP m (a b))") == "done"

    def test_a_question_after_the_end(self) -> None:
        with served(LegalPlayer) as player:
            player.start(rules="(role r) (init a) (legal r go) (<= (next b) (true a)) (<= terminal (true b))", role="r")
            assert player.ask("(PLAY m NIL)") == "go"
            assert player.ask("(PLAY m (go))") in ("go", "nil")
            assert player.ask("(STOP m NIL)") == "done"

    def test_a_server_that_vanishes(self) -> None:
        scripted = Scripted()
        with served(one_after_another(scripted), NetworkPlayerSettings(patience=0.1)) as player:
            player.start(clock=0.1)
            player.ask("(PLAY m NIL)")
            assert soon(lambda: player.status() == "available")
            assert player.told("dropped (server silent) after 0 plies")
            assert soon(lambda: bool(scripted.ends))
            assert player.ask("(PLAY m NIL)") == "busy"

    @pytest.mark.slow
    def test_a_match_without_news_gives_way_to_another(self) -> None:
        scripted = Scripted()
        with served(one_after_another(scripted, LegalPlayer()), NetworkPlayerSettings(patience=1000.0)) as player:
            player.start(clock=0.1)
            assert soon(lambda: player.status() == "available")
            # It is not given up yet, but a little later than its clock others come first.
            assert player.ask("(PLAY m NIL)") != "busy"
            assert soon(lambda: player.start("other") == "ready")
            assert player.told("dropped (server silent) after 0 plies")
            assert soon(lambda: bool(scripted.ends))
            assert player.ask("(PLAY m NIL)") == "busy"

    def test_a_server_that_vanishes_while_the_player_thinks(self) -> None:
        thinker = Thinker()
        with served(one_after_another(thinker), NetworkPlayerSettings(patience=0.1)) as player:
            player.start(clock=0.3)
            connection = player.begin("(PLAY m NIL)")
            assert thinker.thinking.wait(PATIENCE)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            assert soon(lambda: player.status() == "available")
            assert soon(lambda: bool(thinker.ends))


class TestPlayers:
    """A player's fault costs it the move, and nothing else."""

    @pytest.mark.slow
    def test_a_late_player_is_replaced_in_time(self) -> None:
        stubborn = Stubborn()
        try:
            with served(one_after_another(stubborn), NetworkPlayerSettings(margin=2.0)) as player:
                player.start(clock=3.0)
                assert player.ask("(PLAY m NIL)").startswith("(mark ")
                assert player.told("at random: the player was late")
        finally:
            stubborn.let_go.set()

    @pytest.mark.parametrize("answer", ["(mark 9 9)", "nonsense (", None, 7])
    def test_an_illegal_move_is_replaced(self, answer: object) -> None:
        with served(lambda: Scripted(lambda _: answer)) as player:
            player.start()
            assert player.ask("(PLAY m NIL)").startswith("(mark ")
            assert player.told("its answer is not legal")

    def test_a_player_that_crashes(self) -> None:
        with served(lambda: Scripted(fail, fail, fail)) as player:
            assert player.start() == "ready"
            assert player.ask("(PLAY m NIL)").startswith("(mark ")
            assert player.ask("(STOP m NIL)") == "done"
            assert player.told("at the end the player crashed with ZeroDivisionError")
            assert player.start("next") == "ready"

    def test_a_player_that_cannot_be_made(self) -> None:
        def make() -> Player:
            raise SystemExit(3)

        with served(make) as player:
            assert player.start() == "busy"
            assert player.told("no player: SystemExit: 3")
            assert player.status() == "available"

    def test_rules_that_derive_without_end(self) -> None:
        rules = (
            "(role r) (init (n 0)) (<= terminal (true over)) (<= (next (n ?x)) (true (n ?x)))"
            "(<= (legal r (go ?x)) (big ?x)) (<= (big 0) (true (n ?x))) (<= (big (s ?x)) (big ?x) (true (n ?y)))"
        )
        with served(LegalPlayer) as player:
            assert player.start(role="r", rules=rules) == "ready"
            assert player.ask("(PLAY m NIL)") == "nil"
            assert player.told("derivation-limit")

    def test_code_is_made_of_the_rules_before_the_first_question(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On a busy core, that may take longer than a play clock."""
        asked: list[str] = []

        class Watched(Reasoner):
            def legal_moves(self, state: State, role: str) -> tuple[Term, ...]:
                asked.append(role)
                return super().legal_moves(state, role)

        monkeypatch.setattr("ggp.network.protocol.joined.Reasoner", Watched)
        with served(LegalPlayer) as player:
            assert player.start() == "ready"
            assert set(asked) == {"xplayer", "oplayer"}
            asked.clear()
            assert player.ask("(PLAY m NIL)") == "(mark 1 1)"
            assert asked == ["xplayer"]

    def test_rules_that_take_longer_than_the_clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read = threading.Event()

        def slow(rules: str, name: str) -> Reasoner:
            read.wait(PATIENCE)
            return Reasoner(rules, name)

        monkeypatch.setattr("ggp.network.protocol.joined.Reasoner", slow)
        with served(LegalPlayer) as player:
            try:
                assert player.start(clock=0.2) == "ready"
                assert player.ask("(PLAY m NIL)") == "nil"
            finally:
                read.set()
            assert soon(lambda: player.ask("(PLAY m NIL)") == "(mark 1 1)")


def test_what_is_kept_back() -> None:
    assert NetworkPlayerSettings(margin=0.5).kept_back(10, 0.1) == 0.5
    assert NetworkPlayerSettings(margin=5.0).kept_back(1, 0) == 0.9
    assert NetworkPlayerSettings().kept_back(0.5, 0) == pytest.approx(0.06)
    assert NetworkPlayerSettings().kept_back(10, 0) == pytest.approx(0.2)
    assert NetworkPlayerSettings().kept_back(10, 0.15) == pytest.approx(0.5)
    assert NetworkPlayerSettings().kept_back(0, 0) == 0


class Delayed(ThreadedMatch):
    """A match that says how long its answers took to arrive, and keeps the deadlines of its questions."""

    def __init__(self, transit: float) -> None:
        super().__init__(LegalPlayer)
        self.transit = transit
        self.deadlines: list[float] = []

    def play(self, message: Play, due: float) -> asyncio.Future[str]:
        self.deadlines.append(due)
        return super().play(message, due)


def kept_back_in_matches(transit: float, moves: int, margin: float | None = None) -> list[float]:
    """Return what is kept back of each of some clocks of one second, in two matches."""

    async def run() -> list[float]:
        kept = []
        matches = [Delayed(transit), Delayed(transit)]
        left = iter(matches)
        player = NetworkPlayer(lambda: next(left), NetworkPlayerSettings(matches=2, margin=margin), lambda _: None)
        for number, match in enumerate(matches):
            start = Start(f"m{number}", "xplayer", TIC_TAC_TOE, 1, 1)
            assert await player.answer(str(start), time.monotonic()) == "ready"
            for _ in range(moves):
                received = time.monotonic()
                assert await player.answer(f"(PLAY m{number} NIL)", received) == "(mark 1 1)"
                kept.append(received + 1 - match.deadlines[-1])
        await player.close()
        return kept

    return asyncio.run(run())


def test_delays_of_answers_are_kept_back() -> None:
    fixed, expected = 0.11, 1.2 * 0.04
    # A delay of 40 ms is expected until there are enough others, whichever match they come from.
    assert kept_back_in_matches(0.0, 10) == [pytest.approx(fixed + expected)] * 15 + [pytest.approx(fixed)] * 5
    first, *others = kept_back_in_matches(0.05, 3)
    assert first == pytest.approx(fixed + expected)
    # The longest delay does not count. What is measured is only half of the way.
    assert others == [pytest.approx(fixed + expected)] + [pytest.approx(fixed + 1.2 * 0.1)] * 4
    # Most of the clock is for thinking, whatever happens.
    assert max(kept_back_in_matches(0.9, 2)) == pytest.approx(fixed + 0.25)
    assert kept_back_in_matches(0.05, 3, margin=0.3) == [pytest.approx(0.3)] * 6

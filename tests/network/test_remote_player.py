"""Players elsewhere: what they are told, and when they are asked."""

from __future__ import annotations

import threading
from dataclasses import replace

from support.hosted import CLOCK, SETTINGS
from support.remote_players import DUEL, Conversation, honest, in_play, server
from support.toy_players import Scripted
from support.toy_rules import COIN

import gdl
from ggp.match.match import Match
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Settings
from ggp.network.host import Address, Network, RemotePlayer
from ggp.players import make_player


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
        assert "need a start clock and a play clock" in record.initial_errors[0]


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

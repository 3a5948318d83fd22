"""Recorded matches, played again: what disagrees with the rules is named, and what was broken off goes on."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.disagreements import DISAGREEMENTS, RECORD, nim, with_ply
from support.profiles import examples
from support.toy_players import Scripted
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from ggp.match.match import Match, play_match
from ggp.match.record import MatchRecord, Result, from_json, to_json
from ggp.match.replay import Replay, ReplayError
from ggp.match.settings import Settings
from ggp.players import make_player


def replayed(record: MatchRecord, rules: str = NIM) -> Replay:
    replay = Replay(record, gdl.Reasoner(rules))
    for _ in replay.plies():
        pass
    return replay


class TestAgreement:
    @given(st.integers(0, 1000))
    @examples(20)
    def test_what_was_played_agrees(self, seed: int) -> None:
        record = nim(seed)
        replay = replayed(record)
        assert replay.record == record
        assert replay.game.is_terminal(replay.state)

    def test_plies_come_one_by_one(self) -> None:
        replay = Replay(RECORD, gdl.Reasoner(NIM))
        for count, ply in enumerate(replay.plies(), 1):
            assert replay.record.plies == RECORD.plies[:count]
            assert replay.record.result is Result.RUNNING
            assert ply == RECORD.plies[count - 1]
            assert len(replay.passed) == count

    @pytest.mark.parametrize("rules", [STUCK, ENDLESS, COIN])
    def test_other_ends_agree(self, rules: str) -> None:
        game = gdl.Reasoner(rules)
        players = {role: make_player("legal") for role in game.roles if role != "random"}
        record = play_match(game, players, Settings(seed=1, max_plies=3))
        assert replayed(record, rules).record == record

    def test_another_programs_record_agrees(self) -> None:
        fields = json.loads(json.dumps(to_json(RECORD)))
        for name in ("gameRoleNames", "timesUsed", "legalMoveCounts", "errors", "result", "playerNamesFromHost"):
            del fields[name]
        fields["states"] = [state.replace("(", "( ").replace(")", " )").upper() for state in fields["states"]]
        fields["moves"] = [[move.upper() for move in row] for row in fields["moves"]]
        replay = replayed(from_json(fields))
        assert replay.record.roles == ("left", "right")
        assert replay.record.result is Result.FINISHED


class TestDisagreement:
    @pytest.mark.parametrize("name", DISAGREEMENTS)
    def test_the_first_ply_is_named(self, name: str) -> None:
        change, message = DISAGREEMENTS[name]
        with pytest.raises(ReplayError) as caught:
            replayed(change(RECORD))
        assert str(caught.value).startswith(f"replay: {message}")

    @given(st.data())
    @examples(40)
    def test_a_changed_fact_is_found_at_its_ply(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(1, len(RECORD.plies)))
        state = RECORD.plies[number - 1].state
        at = data.draw(st.integers(1, len(state) - 2))
        changed = state[:at] + data.draw(st.sampled_from("x()7 ")) + state[at + 1 :]
        try:
            same = set(gdl.parse_terms(changed[1:-1])) == set(gdl.parse_terms(state[1:-1]))
        except gdl.GdlError:
            same = False
        if same:
            return
        with pytest.raises(ReplayError) as caught:
            replayed(with_ply(number, state=changed)(RECORD))
        assert caught.value.ply == number


class TestResuming:
    def broken_off(self, plies: int, seed: int = 7) -> MatchRecord:
        record = nim(seed, max_plies=plies)
        return replace(record, result=Result.RUNNING, max_plies=500)

    def test_the_rest_is_played(self) -> None:
        game = gdl.Reasoner(NIM)
        before = self.broken_off(2)
        left, right = Scripted(), Scripted()
        with Match.resume(game, {"left": left, "right": right}, Settings(seed=1), before) as match:
            assert match.record.plies == before.plies
            assert match.record.match_id == before.match_id
            plies = list(match.plies())
        assert match.record.plies == before.plies + tuple(plies)
        assert match.record.result is Result.FINISHED
        assert replayed(match.record).record == match.record
        assert [turn.ply for turn in left.turns] == list(range(3, len(match.record.plies) + 1))
        told = [tuple(move.text for move in past.moves or ()) for past in left.starts[0].past]
        assert told == [ply.moves for ply in before.plies]
        assert [past.own_move.text for past in right.starts[0].past if past.own_move] == [
            p.moves[1] for p in before.plies
        ]
        assert [move.text for move in left.turns[0].moves or ()] == list(before.plies[1].moves)

    @pytest.mark.parametrize("plies", range(5))
    def test_chance_and_replacements_go_on_as_they_would_have(self, plies: int) -> None:
        rules = ENDLESS.replace("(legal solo wait)", "(legal solo one) (legal solo two) (role random)\n") + (
            "(legal random heads) (legal random tails)"
        )
        game = gdl.Reasoner(rules)
        players = {"solo": Scripted(lambda _: "nonsense")}
        whole = play_match(game, players, Settings(seed=3, max_plies=8))
        before = replace(whole, plies=whole.plies[:plies], result=Result.RUNNING)
        with Match.resume(game, players, Settings(seed=3, max_plies=8), before) as match:
            list(match.plies())
        assert [ply.moves for ply in match.record.plies] == [ply.moves for ply in whole.plies]

    def test_percepts_of_the_past(self) -> None:
        game = gdl.Reasoner(COIN)
        whole = play_match(game, {"guesser": Scripted(), "other": Scripted()}, Settings(seed=1))
        before = replace(whole, plies=whole.plies[:1], result=Result.RUNNING, goals=())
        guesser, other = Scripted(), Scripted()
        with Match.resume(game, {"guesser": guesser, "other": other}, Settings(seed=1), before) as match:
            list(match.plies())
        assert guesser.starts[0].past[0].moves is None
        assert [fact.text for fact in guesser.starts[0].past[0].percepts] == [
            fact.text for fact in guesser.turns[0].percepts
        ]
        assert other.starts[0].past[0].percepts == ()
        assert match.record.result is Result.FINISHED

    @pytest.mark.parametrize("result", [Result.FINISHED, Result.STUCK, Result.DISQUALIFIED])
    def test_what_is_over_cannot_be_resumed(self, result: Result) -> None:
        record = RECORD if result is Result.FINISHED else replace(self.broken_off(2), result=result)
        game = gdl.Reasoner(NIM)
        with pytest.raises(ReplayError, match="the match is over, and cannot be resumed"):
            Match.resume(game, {role: Scripted() for role in game.roles}, Settings(seed=1), record)

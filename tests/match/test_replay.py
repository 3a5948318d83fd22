"""Recorded matches, played again: what disagrees with the rules is named, and what was broken off goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import Ggp
from support.toy_players import Scripted
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

import gdl
from ggp.match.match import Match, play_match
from ggp.match.record import MatchRecord, Result, from_json, read_record, to_json, write_record
from ggp.match.replay import Replay, ReplayError
from ggp.match.settings import Policy, Settings
from ggp.players import make_player


def nim(seed: int = 1, player: str = "random", max_plies: int = 500, policy: Policy = Policy.REPLACE) -> MatchRecord:
    game = gdl.Reasoner(NIM)
    players = {role: make_player(player) for role in game.roles}
    return play_match(game, players, Settings(seed=seed, max_plies=max_plies, policy=policy), name="nim")


RECORD = nim(player="legal")


def replayed(record: MatchRecord, rules: str = NIM) -> Replay:
    replay = Replay(record, gdl.Reasoner(rules))
    for _ in replay.plies():
        pass
    return replay


class TestAgreement:
    @given(st.integers(0, 1000))
    @settings(max_examples=20, deadline=None)
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


def with_ply(number: int, **changes: object) -> Callable[[MatchRecord], MatchRecord]:
    def change(record: MatchRecord) -> MatchRecord:
        plies = list(record.plies)
        plies[number - 1] = replace(plies[number - 1], **changes)  # type: ignore[arg-type]
        return replace(record, plies=tuple(plies))

    return change


#: `legal` takes one each time: four plies, and right wins.
DISAGREEMENTS = {
    "an illegal move": (
        with_ply(2, moves=("noop", "(take three)")),
        "ply 2: illegal-move: (take three) is not legal for right; legal: (take one), (take two)",
    ),
    "a move that is none": (with_ply(3, moves=("(take", "noop")), "ply 3: "),
    "a wrong number of moves": (with_ply(1, moves=("noop",)), "ply 1: 1 moves for 2 roles"),
    "another move": (
        with_ply(2, moves=("noop", "(take two)")),
        "ply 2: the state after it is not the recorded one: the record lacks (heap 1); the rules do not have (heap 2)",
    ),
    "another state": (
        with_ply(4, state="((heap 0))"),
        "ply 4: the state after it is not the recorded one: the record lacks (control left)",
    ),
    "no state": (with_ply(4, state="heap"), "ply 4: the recorded state cannot be read: heap"),
    "another count": (with_ply(1, choices=(3, 1)), "ply 1: left has 2 legal moves, and the record says 3"),
    "another start": (
        lambda record: replace(record, initial_state="((heap 5) (control left))"),
        "the start: the state in it is not the recorded one: the record lacks (heap 4); the rules do not have (heap 5)",
    ),
    "other roles": (
        lambda record: replace(record, roles=("left", "center")),
        "the start: the roles are left, right, and the record has left, center",
    ),
    "other goals": (
        lambda record: replace(record, goals=(100, 100)),
        "ply 4: the goal of left is 0, and the record says 100",
    ),
    "an early end": (
        lambda record: replace(record, plies=record.plies[:2]),
        "ply 2: the game is not over after it, and the record says finished",
    ),
    "a missed end": (
        lambda record: replace(record, result=Result.UNFINISHED, goals=()),
        "ply 4: the game is over after it, and the record says unfinished",
    ),
    "a ply too many": (
        lambda record: replace(record, plies=(*record.plies, record.plies[0])),
        "ply 5: the game was over before it",
    ),
}


class TestDisagreement:
    @pytest.mark.parametrize("name", DISAGREEMENTS)
    def test_the_first_ply_is_named(self, name: str) -> None:
        change, message = DISAGREEMENTS[name]
        with pytest.raises(ReplayError) as caught:
            replayed(change(RECORD))
        assert str(caught.value).startswith(f"replay: {message}")

    @given(st.data())
    @settings(max_examples=40, deadline=None)
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


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        write_record(RECORD, tmp_path / "match.json")
        return tmp_path / "match.json"

    def test_it_shows_the_match(self, ggp: Ggp, file: Path) -> None:
        run = ggp("replay", file)
        assert run.status == 0, run.err
        assert run.out.startswith("nim   seed 1\n  left   legal\n  right  legal\n")
        assert "\n  4  right  (take one)\n" in run.out
        assert run.out.endswith("  right  legal  100\nas the rules have it: 4 plies\n")

    def test_a_disagreement_ends_it(self, ggp: Ggp, file: Path) -> None:
        write_record(DISAGREEMENTS["another state"][0](RECORD), file)
        run = ggp("replay", file)
        assert run.status == 1
        assert "\n  3  left   (take one)\n" in run.out
        assert "\n  4  " not in run.out
        assert run.err == (
            f"{file}: replay: ply 4: the state after it is not the recorded one: the record lacks (control left)\n"
        )

    def test_a_match_that_was_broken_off_is_played_on(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, plies=RECORD.plies[:2], result=Result.RUNNING, goals=()), file)
        run = ggp("replay", file, "--resume", "--player", "legal")
        assert run.status == 0, run.err
        assert "\nresumed after 2 plies\n" in run.out
        record = read_record(file)
        assert [ply.moves for ply in record.plies] == [ply.moves for ply in RECORD.plies]
        assert record.goals == RECORD.goals
        assert ggp("replay", file, "--resume").status == 1

    def test_a_file_that_is_cut_off(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, plies=RECORD.plies[:2], result=Result.RUNNING, goals=()), file)
        file.write_text(file.read_text() + '{"ply": 3, "mov')
        run = ggp("replay", file, "-q")
        assert run.status == 0
        assert run.err == f"{file}: the file is cut off: what followed ply 2 is lost\n"
        assert "not over after 2 plies" in run.out

    def test_a_file_cut_anywhere_is_shown_or_refused(self, ggp: Ggp, file: Path) -> None:
        content = file.read_bytes().rstrip()  # without the last line break it is whole
        for at in range(0, len(content), len(content) // 20):
            file.write_bytes(content[:at])
            run = ggp("replay", file, "-q")
            assert (run.status, run.out) == (2, "")
            assert run.err.startswith(f"match-record: {file}: not JSON: ")
            assert len(run.err.splitlines()) == 1

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            (["--rules", "wolf_sheep"], "replay: the start: the roles are wolf, sheep, and the record has left, right"),
            (["--rules", "nowhere.kif"], "nowhere.kif"),
            (["--player", "legal"], "--player and --max-plies go with --resume"),
            (["--resume", "--player", "legal"], "replay: ply 4: the match is over, and cannot be resumed"),
        ],
    )
    def test_what_it_refuses(self, ggp: Ggp, arguments: list[str], reason: str, file: Path) -> None:
        run = ggp("replay", file, "-q", *arguments)
        assert run.status in (1, 2)
        assert reason in run.err
        assert "Traceback" not in run.err

    def test_a_record_without_rules(self, ggp: Ggp, file: Path) -> None:
        write_record(replace(RECORD, rules=""), file)
        run = ggp("replay", file)
        assert run.status == 2
        assert run.err == f"match-record: {file}: it has no rules in it; name them: --rules FILE\n"

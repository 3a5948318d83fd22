"""Outcomes of matches."""

from __future__ import annotations

from dataclasses import replace

from support.toy_games import Nim
from support.toy_players import Scripted, fail, nim

from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.tournament.outcome import Outcome, outcome


class TestOutcome:
    def test_a_match(self) -> None:
        found = outcome(3, nim(make_player("legal"), make_player("random")), ("left", "right"))
        assert found.number == 3
        assert found.result == "finished"
        assert sorted(goal or 0 for goal in found.goals) == [0, 100]
        assert found.conduct[0].decisions > 1
        assert not found.errors
        assert Outcome.from_json(found.to_json()) == found

    def test_errors_are_counted_by_kind(self) -> None:
        def answer(turn):  # type: ignore[no-untyped-def]
            return fail() if turn.ply == 3 else "(take 9)"

        bad = Scripted(move=answer, start=fail, stop=fail)
        found = outcome(0, nim(bad, make_player("legal")), ("left", "right"))
        conduct = found.conduct[0]
        # The start, ply 3 and the farewell; all other plies, also those in which it has no choice.
        assert conduct.crashes == 3
        assert conduct.illegal == len(found.moves) - 1
        assert conduct.late == 0
        assert found.conduct[1] == replace(found.conduct[1], late=0, illegal=0, crashes=0)
        assert found.errors[0].startswith("ply 0, left: CE ZeroDivisionError")

    def test_nature_is_left_out(self) -> None:
        class Toss(Nim):
            def __init__(self) -> None:
                super().__init__()
                self.roles = ("random", "left")

            def legal_moves(self, state, role):  # type: ignore[no-untyped-def]
                return super().legal_moves(state, "right" if role == "random" else role)

            def next_state(self, state, moves):  # type: ignore[no-untyped-def]
                self.roles, kept = ("right", "left"), self.roles
                try:
                    return super().next_state(state, moves)
                finally:
                    self.roles = kept

        record = play_match(Toss(), {"left": make_player("legal")}, Settings(seed=1))
        found = outcome(0, record, ("left",))
        assert len(found.goals) == len(found.conduct) == 1
        assert found.goals[0] == record.goals[1]

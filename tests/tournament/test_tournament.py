"""Tournaments: which matches there are, what is kept of them, and what they add up to."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.toy_files import rule_file
from support.toy_games import Nim
from support.toy_players import Scripted, fail, nim
from support.toy_rules import COIN
from support.toy_rules import NIM as RULES

import gdl
from gdl.errors import CircuitSizeError
from ggp.match.conduct import Conduct
from ggp.match.match import play_match
from ggp.match.settings import Settings
from ggp.players import make_player
from ggp.rules.engine_choice import load_compiled
from ggp.tournament.chart import rating_chart
from ggp.tournament.outcome import Outcome, outcome
from ggp.tournament.plan import Contest, Plan, PlanError, lineup, split_players
from ggp.tournament.standings import Table, tables
from ggp.tournament.store import Store, StoreError

NIM = Contest("nim", "/nim.kif", "d1", ("left", "right"))
SOLO = Contest("solo", "/solo.kif", "d2", ("one",))
PLAN = Plan((NIM,), ("a", "b", "c"), games=4, seed=1)


class TestEngines:
    def test_what_can_be_compiled_is(self, tmp_path: Path) -> None:
        loaded = load_compiled(rule_file(tmp_path, RULES))
        assert (loaded.engine, loaded.reason, loaded.player_roles) == ("simulator", "", ("left", "right"))
        assert loaded.digest != load_compiled(rule_file(tmp_path, RULES + "; more")).digest

    def test_else_the_reasoner_plays_and_says_why(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: object, progress: object) -> None:  # noqa: ARG001
            raise CircuitSizeError(7, 5)

        monkeypatch.setattr(gdl, "compile", refuse)
        loaded = load_compiled(rule_file(tmp_path, RULES))
        assert isinstance(loaded.game, gdl.Reasoner)
        assert loaded.engine == "reasoner"
        assert loaded.reason == str(CircuitSizeError(7, 5)).splitlines()[0]

    def test_chance_has_no_player(self, tmp_path: Path) -> None:
        assert load_compiled(rule_file(tmp_path, COIN)).player_roles == ("guesser", "other")


class TestPlan:
    @pytest.mark.parametrize("roles", range(2, 8))
    def test_after_two_matches_each_has_had_each_role_once(self, roles: int) -> None:
        for turn in range(0, 4 * roles, 2):
            one, other = lineup(("a", "b"), roles, turn), lineup(("a", "b"), roles, turn + 1)
            assert all({*pair} == {"a", "b"} for pair in zip(one, other, strict=True))
            assert abs(one.count("a") - one.count("b")) == roles % 2

    def test_with_more_roles_partners_change(self) -> None:
        assert len({lineup(("a", "b"), 4, turn) for turn in range(8)}) == 4

    def test_every_pair_has_as_many_matches_in_every_game(self) -> None:
        fixtures = replace(PLAN, contests=(NIM, replace(NIM, name="more"))).fixtures()
        assert [fixture.number for fixture in fixtures] == list(range(2 * 3 * 4))
        counts = Counter((fixture.contest.name, fixture.players) for fixture in fixtures)
        assert len(counts) == 6
        assert set(counts.values()) == {4}
        roles = Counter(
            (fixture.contest.name, role, player) for fixture in fixtures for role, player in enumerate(fixture.lineup)
        )
        assert set(roles.values()) == {4}

    def test_those_that_play_alone_have_the_same_seeds(self) -> None:
        fixtures = Plan((SOLO,), ("a", "b"), games=3, seed=1).fixtures()
        assert [fixture.lineup for fixture in fixtures] == [("a",), ("b",)] * 3
        assert [one.seed for one in fixtures[::2]] == [other.seed for other in fixtures[1::2]]
        assert len({fixture.seed for fixture in fixtures}) == 3

    def test_seeds_differ_between_matches_and_follow_the_seed(self) -> None:
        seeds = [fixture.seed for fixture in PLAN.fixtures()]
        assert len(set(seeds)) == len(seeds)
        assert seeds == [fixture.seed for fixture in PLAN.fixtures()]
        assert not set(seeds) & {fixture.seed for fixture in replace(PLAN, seed=2).fixtures()}

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"players": ("a", "b", "a")}, "a is named twice"),
            ({"players": ()}, "no players"),
            ({"players": ("a",)}, "2 roles, which takes two players"),
            ({"contests": (NIM, SOLO, NIM)}, "two games are called nim"),
            ({"contests": (replace(NIM, roles=()),)}, "no role"),
            ({"games": 0}, "0 games"),
        ],
    )
    def test_what_is_no_tournament(self, changes: dict[str, object], reason: str) -> None:
        with pytest.raises(PlanError, match=reason):
            replace(PLAN, **changes)  # type: ignore[arg-type]

    def test_clocks_without_sense(self) -> None:
        with pytest.raises(ValueError, match="play clock"):
            replace(PLAN, play_clock=-1.0)

    def test_one_player_alone_needs_no_other(self) -> None:
        assert len(Plan((SOLO,), ("a",), games=3, seed=1).fixtures()) == 3

    def test_commas_within_brackets_belong_to_a_name(self) -> None:
        assert split_players("a, b:x(1,2),c[,]") == ("a", "b:x(1,2)", "c[,]")
        for text in ("", "a,,b", "a,"):
            with pytest.raises(PlanError, match="a name is missing"):
                split_players(text)


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


def ended(number: int, *goals: int | None) -> Outcome:
    return Outcome(number, "finished" if goals else "unfinished", goals, (Conduct(), Conduct())[: len(goals) or 2], ())


class TestStandings:
    def one(self, plan: Plan, outcomes: list[Outcome]) -> Table:
        (table,) = tables(plan, outcomes)
        return table

    def test_wins_draws_and_losses(self) -> None:
        plan = replace(PLAN, players=("a", "b"))  # a is left in matches 0 and 3
        assert [fixture.lineup for fixture in plan.fixtures()] == [("a", "b"), ("b", "a"), ("b", "a"), ("a", "b")]
        table = self.one(plan, [ended(0, 100, 0), ended(1, 30, 70), ended(2, 50, 50), ended(3)])
        first, second = table.lines
        assert (first.player, first.matches, first.wins, first.draws, first.losses) == ("a", 4, 2, 2, 0)
        assert (second.player, second.wins, second.draws, second.losses) == ("b", 0, 2, 2)
        assert (first.unfinished, second.unfinished) == (1, 1)
        assert first.goal == pytest.approx((100 + 70 + 50) / 3)
        assert first.rating is not None
        assert second.rating is not None
        assert first.rating.elo > 0 > second.rating.elo
        (pair,) = table.pairs
        assert (pair.player, pair.other, pair.points, pair.games, pair.share) == ("a", "b", 3, 4, 0.75)
        assert pair.interval[0] < 0.75 < pair.interval[1]

    def test_the_mean_of_a_players_roles_counts(self) -> None:
        plan = Plan((replace(NIM, roles=("x", "y", "z")),), ("a", "b"), games=1, seed=1)
        assert plan.fixtures()[0].lineup == ("a", "a", "b")
        conduct = (Conduct(late=1), Conduct(late=2), Conduct(late=4))
        table = self.one(plan, [Outcome(0, "finished", (100, None, 60), conduct, ())])
        by_player = {line.player: line for line in table.lines}
        assert (by_player["a"].goal, by_player["b"].goal) == (100, 60)
        assert (by_player["a"].conduct.late, by_player["b"].conduct.late) == (3, 4)
        assert by_player["a"].wins == 1

    def test_those_that_play_alone_are_compared_match_by_match(self) -> None:
        plan = Plan((SOLO,), ("a", "b", "c"), games=2, seed=1)
        goals = [50, 100, 50, 0, 100]  # the first match of a, b, c, the second of a and b
        table = self.one(plan, [ended(number, goal) for number, goal in enumerate(goals)])
        assert [(line.player, line.matches, line.wins, line.draws, line.losses) for line in table.lines] == [
            ("b", 2, 3, 0, 0),
            ("c", 1, 0, 1, 1),
            ("a", 2, 0, 1, 2),
        ]

    def test_one_player_has_no_rating(self) -> None:
        table = self.one(Plan((SOLO,), ("a",), games=2, seed=1), [ended(0, 70)])
        assert table.lines[0].rating is None
        assert table.lines[0].goal == 70
        assert "no rating" not in rating_chart([table], title="t")

    def test_a_table_for_each_game_that_was_played_and_one_over_all(self) -> None:
        plan = Plan((NIM, SOLO, replace(NIM, name="last")), ("a", "b"), games=1, seed=1)
        assert tables(plan, []) == []
        assert [table.name for table in tables(plan, [ended(0, 100, 0)])] == ["nim"]
        both = tables(plan, [ended(0, 100, 0), ended(1, 20), ended(2, 90)])
        assert [table.name for table in both] == ["nim", "solo", "all games"]
        assert [(line.wins, line.losses) for line in both[-1].lines] == [(1, 1), (1, 1)]


class TestChart:
    def test_it_shows_every_player_of_every_table(self) -> None:
        plan = replace(PLAN, contests=(NIM, replace(NIM, name="a < b")), players=("a", "b & c"))
        found = tables(plan, [ended(0, 100, 0), ended(1, 100, 0), ended(2, 100, 0)])
        root = ElementTree.fromstring(rating_chart(found, title="x & y"))
        texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts[0] == "x & y"
        assert texts.count("a") == texts.count("b & c") == 3
        assert {"nim", "a < b", "all games", "0"} < {*texts}
        circles = list(root.iter("{http://www.w3.org/2000/svg}circle"))
        assert len(circles) == 6
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        assert all(0 < float(circle.attrib["cx"]) < width for circle in circles)
        heights = [float(circle.attrib["cy"]) for circle in circles]
        assert all(one + 16 <= other for one, other in pairwise(heights))
        assert heights[-1] < height

    def test_long_names_are_shown_by_their_ends(self) -> None:
        name = "/home/somebody/players/of/mine/best.py:Best"
        plan = replace(PLAN, players=("a", name))
        chart = rating_chart(tables(plan, [ended(0, 100, 0)]), title="t")
        assert ">.../players/of/mine/best.py:Best<" in chart
        assert f"{name} in nim" in chart


class TestStore:
    def test_matches_are_there_again(self, tmp_path: Path) -> None:
        fixtures = PLAN.fixtures()
        with Store(tmp_path / "t.sqlite") as store:
            assert store.settings() is None
            store.begin(PLAN.identity())
            for number in (5, 2):
                store.add(fixtures[number], ended(number, 100, 0))
        with Store(tmp_path / "t.sqlite") as store:
            assert store.settings() == PLAN.identity()
            store.begin(PLAN.identity())
            assert store.outcomes() == [ended(2, 100, 0), ended(5, 100, 0)]
            with pytest.raises(StoreError, match="UNIQUE"):
                store.add(fixtures[2], ended(2, 100, 0))

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"games": 6}, "--games 4 there, 6 now"),
            ({"players": ("a", "b")}, "--players a,b,c there, a,b now"),
            ({"play_clock": 1.0}, "--play-clock not given there, 1.0 now"),
            ({"max_plies": 9}, "--max-plies 500 there, 9 now"),
            ({"seed": 9}, "--seed 1 there, 9 now"),
            ({"contests": (SOLO,)}, r"FILE nim \(d1\) there, solo \(d2\) now"),
            ({"contests": (replace(NIM, digest="d3"),)}, r"FILE nim \(d1\) there, nim \(d3\) now"),
        ],
    )
    def test_other_settings_are_refused(self, tmp_path: Path, changes: dict[str, object], reason: str) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.begin(PLAN.identity())
            with pytest.raises(StoreError, match=reason):
                store.begin(replace(PLAN, **changes).identity())  # type: ignore[arg-type]
            assert store.settings() == PLAN.identity()

    def test_without_a_file(self) -> None:
        with Store() as store:
            store.begin(PLAN.identity())
            store.add(PLAN.fixtures()[0], ended(0, 100, 0))
            assert len(store.outcomes()) == 1

    def test_what_is_no_store_is_left_alone(self, tmp_path: Path) -> None:
        text = tmp_path / "notes.txt"
        text.write_text("do not lose this, it is quite long, longer than the head of a database in any case\n" * 20)
        before = text.read_bytes()
        with pytest.raises(StoreError, match="not a database"):
            Store(text)
        assert text.read_bytes() == before

        other = tmp_path / "other.sqlite"
        database = sqlite3.connect(other)
        with database:
            database.execute("CREATE TABLE things (x)")
        database.close()
        before = other.read_bytes()
        with pytest.raises(StoreError, match="something else"):
            Store(other)
        assert other.read_bytes() == before
        with pytest.raises(StoreError, match="unable to open"):
            Store(tmp_path / "nowhere" / "t.sqlite")
        with pytest.raises(StoreError, match="unable to open"):
            Store(tmp_path)

    def test_one_process_at_a_time(self, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite"), pytest.raises(StoreError, match="in use"):
            Store(tmp_path / "t.sqlite")

    def test_another_version(self, tmp_path: Path) -> None:
        Store(tmp_path / "t.sqlite").close()
        database = sqlite3.connect(tmp_path / "t.sqlite")
        database.execute("PRAGMA user_version = 99")
        database.close()
        with pytest.raises(StoreError, match="another version"):
            Store(tmp_path / "t.sqlite")

    def test_a_match_that_cannot_be_read(self, tmp_path: Path) -> None:
        with Store(tmp_path / "t.sqlite") as store:
            store.add(PLAN.fixtures()[0], ended(0, 100, 0))
        database = sqlite3.connect(tmp_path / "t.sqlite")
        with database:
            database.execute("UPDATE matches SET outcome = '{}'")
        database.close()
        with Store(tmp_path / "t.sqlite") as store, pytest.raises(StoreError, match="cannot be read"):
            store.outcomes()

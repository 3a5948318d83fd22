"""Races in the start clock: which player wins, and that there is time for one."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl.terms import Term
from ggp.players import Start, make_player
from ggp.players import race_results as module
from ggp.players.alphabeta.chooser import MoveChooser
from ggp.players.auto import AutoPlayer
from ggp.players.clock import Deadline
from ggp.players.player import End, Turn
from ggp.players.race import LEAST, MOST, Contest, Race, TreeEntrant
from ggp.players.race_results import RaceResults, Standing
from ggp.players.traits import thought_of
from ggp.rules.shipped_games import find_game


def always() -> float:
    return 1.0


class Plain:
    """Plays the first or the last legal move."""

    def __init__(self, game: gdl.Simulator, place: int, seconds: float = 0.0) -> None:
        self.game, self.place, self.seconds = game, place, seconds
        self.begun = 0
        self.lefts: list[float] = []
        self.roles: list[set[int]] = []

    def begin(self) -> None:
        self.begun += 1
        self.roles.append(set())

    def choose(self, state: Any, role: int, time_left: Callable[[], float]) -> Term | None:
        self.lefts.append(time_left())
        self.roles[-1].add(role)
        return self.game.legal_moves(state, self.game.roles[role])[self.place]


@pytest.fixture(scope="module")
def tic_tac_toe() -> gdl.Simulator:
    return gdl.compile(find_game("tic_tac_toe"))


def race(game: gdl.Simulator, seconds: float = 3.0) -> Race:
    return Race(Contest(game, 8.0), seconds, seed=1)


def raced(
    game: gdl.Simulator, first: Any, second: Any, time_left: Callable[[], float], monkeypatch: pytest.MonkeyPatch
) -> Standing:
    """Return the standing of the first entrant, the favourite, after a race against the second one alone."""
    entrants = {"alphabeta": first, "mcts": second}
    monkeypatch.setattr(Race, "_entrant", lambda _, name, __: entrants[name])
    monkeypatch.setattr(module, "CANDIDATES", {name: {} for name in entrants})
    results = race(game).run(RaceResults(), "alphabeta", None, time_left)  # type: ignore[arg-type]
    return results.between("alphabeta", "mcts")


def test_a_search_beats_a_player_that_does_not_search(
    tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, search = Plain(tic_tac_toe, 0), TreeEntrant(tic_tac_toe, 1, {})
    standing = raced(tic_tac_toe, plain, search, always, monkeypatch)
    assert standing.lead == -3
    assert plain.begun == standing.matches
    # The same matches from the other side.
    assert raced(tic_tac_toe, search, plain, always, monkeypatch).lead == 3


def test_equal_players_in_turn_from_both_seats(tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first move wins, so matches are won in turn, as many as there may be."""
    plain = Plain(tic_tac_toe, 0), Plain(tic_tac_toe, 0)
    standing = raced(tic_tac_toe, *plain, always, monkeypatch)
    assert standing.won == standing.lost
    assert standing.matches == 24


def test_a_goal_that_the_rules_leave_open_is_half_a_goal(
    tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the first role wins, it has two goal values, and the other one has 0: this is no draw."""
    rules = find_game("tic_tac_toe").read_text(encoding="utf-8") + "(<= (goal xplayer 0) (wins xplayer))"
    game = gdl.compile(rules)
    standings = [raced(one, Plain(one, 0), Plain(one, 0), always, monkeypatch) for one in (game, tic_tac_toe)]
    assert standings[0] == standings[1]
    assert standings[0].won > 0


def test_a_match_without_time_does_not_count(tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Plain(tic_tac_toe, 0), Plain(tic_tac_toe, 0)
    assert raced(tic_tac_toe, *plain, lambda: 0.0, monkeypatch) == Standing()
    assert plain[0].begun == 0
    ends = iter([5.0] * 4)
    assert raced(tic_tac_toe, *plain, lambda: next(ends, 0.0), monkeypatch) == Standing()
    assert plain[0].begun == 1
    # It would take 8 moves of 0.047 seconds.
    assert raced(tic_tac_toe, *plain, lambda: 0.3, monkeypatch) == Standing()
    assert plain[0].begun == 1


def test_the_time_for_a_move(tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    assert race(tic_tac_toe, 1000.0).budget == MOST
    assert Race(Contest(tic_tac_toe, 8.0), 1000.0, 1, clock=0.2).budget == pytest.approx(0.05)
    assert Race(Contest(tic_tac_toe, 8.0), 1000.0, 1, clock=0.01).fair
    # Eight matches, or two if moves would have less than 20 ms otherwise.
    assert race(tic_tac_toe, 3.2).budget == pytest.approx(0.05)
    assert race(tic_tac_toe, 0.32).budget == pytest.approx(0.02)
    assert race(tic_tac_toe, 0.24).budget == pytest.approx(0.015)
    short = race(tic_tac_toe, 0.1)
    assert short.budget < LEAST
    assert not short.fair
    assert short.shorter(2.0).fair
    assert short.shorter(0.0) is short
    assert short.shorter(9.0) is short
    middle = race(tic_tac_toe, 3.0)
    assert middle.fair
    plain = Plain(tic_tac_toe, 0)
    raced(tic_tac_toe, plain, Plain(tic_tac_toe, -1), iter([5.0] * 9 + [0.0] * 9).__next__, monkeypatch)
    assert 0 < max(plain.lefts) <= middle.budget


@pytest.mark.parametrize(
    ("name", "seats"),
    [
        # The roles of the favourite in the first and the second match of a pair; `random` is not among them.
        ("odd_one_out", ({0, 2}, {1})),
        ("harvest", ({0}, {1})),
        ("pig", ({0}, {1})),
    ],
)
def test_two_searches_take_every_other_role(
    name: str, seats: tuple[set[int], set[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = gdl.compile(find_game(name))
    first, second = Plain(game, 0), Plain(game, -1)
    contest = Contest(game, 20.0, together=1.0, duel=False)
    assert contest.players == sorted(set.union(*seats))
    monkeypatch.setattr(Race, "_entrant", lambda _, name, __: {"mcts": first, "mcts(expand=0)": second}[name])
    monkeypatch.setattr(module, "CANDIDATES", {"mcts": {}, "alphabeta": {}, "mcts(expand=0)": {}})
    results = Race(contest, 2.0, seed=1).run(RaceResults(duel=False), "mcts", None, always)
    matches = results.between("mcts", "mcts(expand=0)").matches
    assert first.begun == second.begun == matches >= 2
    assert first.roles == [seats[number % 2] for number in range(matches)]
    assert second.roles == [seats[(number + 1) % 2] for number in range(matches)]
    assert results.between("mcts", "alphabeta") == Standing()


def test_the_choices_of_a_match() -> None:
    game = gdl.compile(find_game("odd_one_out"))
    assert Contest(game, 13.0).choices == 13.0
    assert Contest(game, 13.0, together=0.5).choices == 26.0
    assert Race(Contest(game, 10.0, together=1.0), 6.0, seed=1).budget == pytest.approx(6.0 / 8 / 30)
    assert not Race(Contest(game, inf), 6.0, seed=1).fair
    assert Race(Contest(game, 0.0), 6.0, seed=1).fair  # the first state is terminal


def test_standings() -> None:
    standing = Standing().after(100, 0).after(50, 50).after(0, 100).after(100, 0)
    assert (standing.won, standing.drawn, standing.lost) == (2, 1, 1)
    assert str(standing) == "2.5-1.5 in 4 matches"
    assert str(Standing(1)) == "1-0 in 1 match"
    assert standing.reversed == Standing(1, 1, 2)
    assert standing.lead == 1


WAY, OTHER = "mcts(expand=0)", "mcts(expand=0,unvisited=0.5)"


@pytest.mark.parametrize(
    ("favourite", "standing", "best", "rival"),
    [
        # The standing of alphabeta against mcts, what is best then, and what it has to race against.
        ("alphabeta", Standing(), "alphabeta", "mcts"),
        ("mcts", Standing(), "mcts", "alphabeta"),
        ("alphabeta", Standing(0, 0, 1), "alphabeta", "mcts"),
        ("alphabeta", Standing(1, 0, 3), "alphabeta", WAY),
        ("alphabeta", Standing(0, 0, 3), "mcts", WAY),
        ("alphabeta", Standing(3, 0, 0), "alphabeta", WAY),
        ("mcts", Standing(3, 5, 0), "alphabeta", WAY),
        ("mcts", Standing(1, 0, 0), "mcts", "alphabeta"),
        ("mcts", Standing(2, 0, 0), "mcts", WAY),
        ("mcts", Standing(0, 0, 3), "mcts", WAY),
    ],
)
def test_who_is_best_and_who_is_next(favourite: str, standing: Standing, best: str, rival: str) -> None:
    for pair, one in ((("alphabeta", "mcts"), standing), (("mcts", "alphabeta"), standing.reversed)):
        results = RaceResults({pair: one})
        assert results.best(favourite) == best
        assert results.rival(best) == rival
        assert results.open(favourite)
        other = ({"alphabeta", "mcts"} - {best}).pop()
        assert results.choice(favourite) == (other if results.between(other, best).lead == 2 else best)


def test_rivals_take_turns_in_pairs() -> None:
    results, met = RaceResults(), []
    while (rival := results.rival("alphabeta")) is not None:
        met.append(rival)
        results = results.after("alphabeta", rival, 50, 50)
    assert met[:8] == ["mcts", "mcts", WAY, WAY, OTHER, OTHER, "mcts", "mcts"]
    assert len(met) == 3 * 24


@pytest.mark.parametrize(
    ("best", "rival", "behind"),
    [
        ("alphabeta", "mcts", 3),
        ("mcts", "alphabeta", 3),
        (WAY, "alphabeta", 3),
        ("alphabeta", WAY, 2),
        (WAY, "mcts", 4),
        ("mcts", OTHER, 4),
    ],
)
def test_who_is_out_of_the_race(best: str, rival: str, behind: int) -> None:
    rest = {(best, name): Standing(4) for name in ("alphabeta", "mcts", WAY, OTHER) if name not in (best, rival)}
    assert RaceResults({**rest, (best, rival): Standing(behind - 1, 5)}).rival(best) == rival
    assert RaceResults({**rest, (best, rival): Standing(behind, 5)}).rival(best) is None


def test_results_of_a_duel_say_nothing_of_alphabeta_where_it_cannot_play(tmp_path: Path) -> None:
    game = gdl.compile(find_game("tic_tac_toe"), cache=tmp_path)
    RaceResults({("alphabeta", "mcts"): Standing(3), (WAY, "mcts"): Standing(0, 0, 1)}).keep(game, 0.05, 1000)
    assert RaceResults.kept(game, 0.05, 1000).choice("mcts") == "alphabeta"
    results = RaceResults.kept(game, 0.05, 0, duel=False)
    assert results.choice("mcts") == results.best("mcts") == "mcts"
    assert results.rival("mcts") == WAY
    assert results.reason("mcts") == f"1-0 in 1 match against {WAY}"


def test_without_turns_alphabeta_does_not_race() -> None:
    results = RaceResults({("mcts", WAY): Standing(4), ("mcts", OTHER): Standing(3)}, duel=False)
    assert results.rival("mcts") == OTHER
    assert results.after("mcts", OTHER, 100, 0).rival("mcts") is None


def test_a_race_is_decided_when_all_others_are_behind() -> None:
    results = RaceResults({("mcts", "alphabeta"): Standing(2), (WAY, "mcts"): Standing(5)})
    assert results.best("mcts") == WAY
    met = []
    while (rival := results.rival(WAY)) is not None:
        assert results.open("mcts")
        met.append(rival)
        results = results.after(rival, WAY, 0, 100)
    assert not results.open("mcts")
    assert met == ["alphabeta", "alphabeta", OTHER, OTHER, "alphabeta", OTHER, OTHER]
    assert results.reason(WAY) == (
        f"3-0 in 3 matches against alphabeta, 5-0 in 5 matches against mcts, 4-0 in 4 matches against {OTHER}"
    )


@pytest.mark.parametrize(
    ("lead", "choice", "best"), [(2, "mcts", "mcts"), (3, WAY, "mcts"), (4, WAY, "mcts"), (5, WAY, WAY)]
)
def test_ways_of_mcts_take_longer_to_tell_apart(lead: int, choice: str, best: str) -> None:
    for duel in (False, True):
        results = RaceResults({("mcts", WAY): Standing(1, 2, 1 + lead)}, duel)
        assert results.choice("mcts") == choice
        assert results.best("mcts") == best


def test_the_one_that_leads_by_most_is_best() -> None:
    results = RaceResults({("alphabeta", "mcts"): Standing(3), (WAY, "mcts"): Standing(4)})
    assert results.choice("mcts") == WAY
    # Four are not enough to take the place of `mcts` for good, but three are for `alphabeta`.
    assert results.best("mcts") == "alphabeta"


def test_results_are_kept_while_they_say_something(tmp_path: Path) -> None:
    game = gdl.compile(find_game("tic_tac_toe"), cache=tmp_path)
    assert RaceResults.kept(game, 0.05, 0) == RaceResults()
    results = RaceResults({("mcts", "alphabeta"): Standing(2, 1, 0), ("mcts(expand=0)", "mcts"): Standing(0, 0, 1)})
    results.keep(game, 0.05, 1000)
    assert RaceResults.kept(game, 0.05, 1000) == results
    assert RaceResults.kept(game, 0.02, 3000) == results
    assert RaceResults.kept(game, 0.2, 1000) == RaceResults()  # four times as long
    # What alphabeta has learned since may make it better, but no way of mcts.
    assert RaceResults.kept(game, 0.05, 4000).standings == {("mcts(expand=0)", "mcts"): Standing(0, 0, 1)}


@pytest.mark.parametrize(("options", "least"), [({}, 1000.0), ({"race": 0}, 0.0)], ids=["no time", "no race"])
def test_without_a_race_the_rule_of_thumb_decides(options: dict[str, Any], least: float) -> None:
    game = gdl.compile(find_game("tic_tac_toe"))
    player = AutoPlayer(remember=0, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ggp.players.race.LEAST", least)  # no budget is as large as a thousand seconds
        player.start(Start("m", game, game.roles[0], 1, 3.0, 1.0), Deadline.after(3.0))
    if player.reason:  # else the machine was so busy that not even the kind of game was found out
        assert player.reason == "auto chose mcts: random playouts have 8 plies"
    player.stop(End("aborted"))


@pytest.mark.slow
def test_auto_races_and_says_what_came_of_it() -> None:
    game = gdl.compile(find_game("connect_four"))
    for name in ("mcts", "alphabeta"):
        make_player(name).start(Start("warm", game, game.roles[0], 1), Deadline())
    player, clock = AutoPlayer(learned=0, remember=0), 12.0
    for _ in range(4):  # with fewer matches on a machine that is busier
        began = time.monotonic()
        player.start(Start("m", game, game.roles[0], 1, clock, 2.0), Deadline.after(clock))
        assert time.monotonic() - began < clock + 1
        if " in " in player.reason:
            break
        clock *= 2
    assert player.chosen is not None
    assert player.reason.startswith(f"auto chose {player.chosen.name}: ")
    assert " against " in player.reason
    state = game.initial_state()
    player.move(Turn(1, state, game.legal_moves(state, game.roles[0]), deadline=Deadline.after(2.0)))
    thought = thought_of(player)
    assert thought is not None
    assert player.reason in thought.note
    player.stop(End("aborted"))


@pytest.mark.slow
def test_ways_of_mcts_race_where_alphabeta_cannot_play() -> None:
    game = gdl.compile(find_game("harvest"))
    make_player("mcts").start(Start("warm", game, game.roles[0], 1), Deadline())
    player, clock = AutoPlayer(learned=0, remember=0), 6.0
    for _ in range(3):  # on a machine that is busier
        player.start(Start("m", game, game.roles[0], 1, clock, 1.0), Deadline.after(clock))
        player.stop(End("aborted"))
        if " in " in player.reason:
            break
        clock *= 2
    assert player.reason.startswith("auto chose mcts")
    assert " against mcts(expand=0)" in player.reason
    assert "alphabeta" not in player.reason


@pytest.mark.slow
def test_matches_may_be_shorter_than_random_playouts(
    tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a race although there would be no time for one if matches were as long as random playouts."""
    monkeypatch.setattr("ggp.players.policies._classified", lambda *_: Contest(tic_tac_toe, 3000.0))
    assert not Race(Contest(tic_tac_toe, 3000.0), 20.0, seed=1).fair
    player = AutoPlayer(learned=False, remember=False)
    player.start(Start("m", tic_tac_toe, "xplayer", 1, 20.0, 1.0), Deadline.after(20.0))
    assert " in " in player.reason
    assert " against " in player.reason
    player.stop(End("aborted"))


def test_the_length_of_games_that_a_search_learns_from(tic_tac_toe: gdl.Simulator) -> None:
    chooser = MoveChooser(tic_tac_toe, "xplayer", 1)
    assert chooser.plies == 0
    chooser.learn_playouts(lambda: 0.0)
    chooser.learn_games(None)
    # At least five plies, the last of which may not be kept, and at most eight with a choice.
    assert 4 <= chooser.plies <= 8


@pytest.mark.slow
def test_a_later_match_begins_where_the_last_one_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.compile(find_game("connect_four"), cache=tmp_path)
    for name in ("mcts", "alphabeta"):
        make_player(name).start(Start("warm", game, game.roles[0], 1), Deadline())
    chosen, seconds = AutoPlayer(learned=0), 12.0
    for _ in range(4):
        chosen.start(Start("m", game, game.roles[0], 1, seconds, 0.2), Deadline.after(seconds))
        chosen.stop(End("aborted"))
        if " in " in chosen.reason:
            break
        seconds *= 2
    before = RaceResults.kept(game, 0.0, 0)
    assert before.standings
    states = MoveChooser(game, game.roles[0], 1, remembers=True).states
    assert states > 1000
    # Without time for a race, what is known counts.
    monkeypatch.setattr("ggp.players.race.LEAST", 1000.0)
    chosen.start(Start("m", game, game.roles[0], 1, 2.0, 0.2), Deadline.after(2.0))
    assert before.reason(before.choice("mcts")) in chosen.reason
    chosen.stop(End("aborted"))
    forgetful = AutoPlayer(learned=0, remember=0)
    forgetful.start(Start("m", game, game.roles[0], 1, 2.0, 0.2), Deadline.after(2.0))
    assert "against" not in forgetful.reason
    forgetful.stop(End("aborted"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constant", "value", "reason"),
    [
        ("_TAUGHT", 10**9, "auto chose mcts: alphabeta has learned from only "),
        ("_PREPARED", 0.0, "auto chose mcts: alphabeta took long to get ready"),
        ("_TAUGHT", 0, "auto chose alphabeta: random playouts have 6"),
    ],
)
def test_alphabeta_is_the_favourite_if_it_has_learned_enough(
    constant: str, value: float, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = gdl.compile(find_game("breakthrough"))
    for name in ("mcts", "alphabeta"):
        make_player(name).start(Start("warm", game, game.roles[0], 1), Deadline())
    monkeypatch.setattr(f"ggp.players.policies.{constant}", value)
    monkeypatch.setattr("ggp.players.race.LEAST", 1000.0)  # no race
    for seconds in (4.0, 8.0, 16.0):  # on a machine that is busier
        player = AutoPlayer(learned=0, remember=0)
        player.start(Start("m", game, game.roles[0], 1, seconds, 1.0), Deadline.after(seconds))
        player.stop(End("aborted"))
        if player.reason.startswith(reason):
            break
    assert player.reason.startswith(reason)

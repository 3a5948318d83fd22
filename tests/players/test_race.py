"""Races in the start clock: which player wins, and that there is time for one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import gdl
from gdl.terms import Term
from ggp.players import Start, make_player
from ggp.players.alphabeta.chooser import MoveChooser
from ggp.players.auto import AutoPlayer
from ggp.players.clock import Deadline
from ggp.players.player import End, Turn
from ggp.players.race import LEAST, MOST, Choice, Duel, Race, Standing, TreeEntrant
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

    def begin(self) -> None:
        self.begun += 1

    def choose(self, state: Any, role: int, time_left: Callable[[], float]) -> Term | None:
        self.lefts.append(time_left())
        return self.game.legal_moves(state, self.game.roles[role])[self.place]


@pytest.fixture(scope="module")
def tic_tac_toe() -> gdl.Simulator:
    return gdl.compile(find_game("tic_tac_toe"))


def race(game: gdl.Simulator, seconds: float = 3.0) -> Race:
    return Race(Duel(game, 8.0), seconds, seed=1)


def test_a_search_beats_a_player_that_does_not_search(tic_tac_toe: gdl.Simulator) -> None:
    plain, search = Plain(tic_tac_toe, 0), TreeEntrant(tic_tac_toe, 1, {})
    standing = race(tic_tac_toe).run(plain, search, always)
    assert standing.clear
    assert standing.lead < 0
    assert plain.begun == standing.matches
    # The same matches from the other side.
    assert race(tic_tac_toe).run(search, plain, always).lead > 0


def test_equal_players_in_turn_from_both_seats(tic_tac_toe: gdl.Simulator) -> None:
    ends = iter([1.0] * 400)
    standing = race(tic_tac_toe).run(Plain(tic_tac_toe, 0), Plain(tic_tac_toe, 0), lambda: next(ends, 0.0))
    assert standing.won == standing.lost
    assert standing.matches >= 20
    assert standing.matches % 2 == 0
    assert not standing.clear


def test_a_match_without_time_does_not_count(tic_tac_toe: gdl.Simulator) -> None:
    assert race(tic_tac_toe).run(Plain(tic_tac_toe, 0), Plain(tic_tac_toe, 0), lambda: 0.0) == Standing()
    ends = iter([1.0] * 4)
    assert race(tic_tac_toe).run(Plain(tic_tac_toe, 0), Plain(tic_tac_toe, 0), lambda: next(ends, 0.0)) == Standing()


def test_the_time_for_a_move(tic_tac_toe: gdl.Simulator) -> None:
    assert race(tic_tac_toe, 1000.0).budget == MOST
    short = race(tic_tac_toe, 0.1)
    assert short.budget < LEAST
    assert not short.fair
    middle = race(tic_tac_toe, 3.0)
    assert middle.fair
    plain = Plain(tic_tac_toe, 0)
    middle.run(plain, Plain(tic_tac_toe, -1), iter([1.0] * 9 + [0.0] * 9).__next__)
    assert 0 < max(plain.lefts) <= middle.budget


def test_standings() -> None:
    standing = Standing().after(100, 0).after(50, 50).after(0, 100).after(100, 0)
    assert (standing.won, standing.drawn, standing.lost) == (2, 1, 1)
    assert str(standing) == "2.5-1.5 in 4 matches"
    assert standing.reversed == Standing(1, 1, 2)
    assert (standing.lead, standing.clear) == (1, False)
    assert Standing(4, 0, 0).clear
    assert not Standing(3, 0, 0).clear
    assert Standing(1, 0, 9).clear
    assert not Standing(40, 0, 32).clear


@pytest.mark.parametrize(
    ("favoured", "standing", "name"),
    [
        ("alphabeta", Standing(), "alphabeta"),
        ("mcts", Standing(), "mcts"),
        ("alphabeta", Standing(1, 0, 2), "alphabeta"),
        ("alphabeta", Standing(0, 0, 2), "mcts"),
        ("alphabeta", Standing(4, 0, 4), "alphabeta"),
        ("alphabeta", Standing(3, 0, 5), "mcts"),
        ("alphabeta", Standing(7, 0, 1), "alphabeta"),
        ("mcts", Standing(7, 0, 1), "alphabeta"),
        ("mcts", Standing(1, 0, 0), "mcts"),
        ("mcts", Standing(4, 0, 6), "mcts"),
    ],
)
def test_the_choice(
    tic_tac_toe: gdl.Simulator, favoured: str, standing: Standing, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    standings = iter([standing])
    monkeypatch.setattr(Race, "run", lambda *_: next(standings, Standing()))
    choice = race(tic_tac_toe).choose(Choice(favoured, "the rule"), None, Deadline.after(1))  # type: ignore[arg-type]
    assert choice.name == name
    assert choice.options == {}
    assert choice.reason == "the rule" if not standing.matches else f"in {standing.matches} matches" in choice.reason


def test_a_better_way_of_mcts_is_chosen(tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    standings = iter([Standing(0, 0, 4), Standing(3, 0, 3), Standing(9, 0, 1)])
    monkeypatch.setattr(Race, "run", lambda *_: next(standings))
    choice = race(tic_tac_toe).choose(Choice("mcts", ""), None, Deadline.after(1))  # type: ignore[arg-type]
    assert choice.name == "mcts"
    assert choice.options == {"expand": 0, "unvisited": 0.5}
    assert "4-0 in 4 matches against alphabeta" in choice.reason
    assert "9-1 in 10 matches against its usual way" in choice.reason


@pytest.mark.parametrize(("options", "least"), [({}, 1000.0), ({"race": 0}, 0.0)], ids=["no time", "no race"])
def test_without_a_race_the_rule_of_thumb_decides(options: dict[str, Any], least: float) -> None:
    game = gdl.compile(find_game("tic_tac_toe"))
    player = AutoPlayer(**options)
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
    player, clock = AutoPlayer(learned=0), 12.0
    for _ in range(4):  # with fewer matches on a machine that is busier
        began = time.monotonic()
        player.start(Start("m", game, game.roles[0], 1, clock, 2.0), Deadline.after(clock))
        assert time.monotonic() - began < clock + 1
        if "matches" in player.reason:
            break
        clock *= 2
    assert player.chosen is not None
    assert player.reason.startswith(f"auto chose {player.chosen.name}: ")
    assert " matches against " in player.reason
    state = game.initial_state()
    player.move(Turn(1, state, game.legal_moves(state, game.roles[0]), deadline=Deadline.after(2.0)))
    thought = thought_of(player)
    assert thought is not None
    assert player.reason in thought.note
    player.stop(End("aborted"))


@pytest.mark.slow
def test_matches_may_be_shorter_than_random_playouts(
    tic_tac_toe: gdl.Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a race although there would be no time for one if matches were as long as random playouts."""
    monkeypatch.setattr("ggp.players.auto._classified", lambda *_: Duel(tic_tac_toe, 1000.0))
    assert not Race(Duel(tic_tac_toe, 1000.0), 20.0, seed=1).fair
    player = AutoPlayer(learned=False)
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

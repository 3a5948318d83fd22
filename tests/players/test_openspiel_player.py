"""OpenSpiel's search as a player, and the moves of rule files as its actions."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import fmean

import pytest
from support.toy_files import ROOT, rule_file
from support.toy_games import Nim, OneRound
from support.toy_rules import NIM

import gdl
from gdl.terms import Term
from ggp.match.match import play_match
from ggp.match.record import MatchRecord, Result
from ggp.match.settings import Settings
from ggp.players import PlayerLoadError, make_player
from ggp.players.clock import Deadline
from ggp.players.openspiel.games import MissingOpenSpielError
from ggp.players.openspiel.player import OpenSpielPlayer
from ggp.players.openspiel.translation import Axis, Follower, Translation, TranslationError, translation
from ggp.players.player import End, Start, Told, Turn
from ggp.rules.shipped_games import games_folder

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

CLASSICS = games_folder() / "classics"
PUBLIC = ROOT.parent / "shared" / "rulesheets"


def game(name: str) -> gdl.Simulator:
    return gdl.compile(CLASSICS / f"{name}.kif")


class TestTranslation:
    @pytest.mark.parametrize(
        ("name", "first", "actions"),
        [
            ("tic_tac_toe", "xplayer", {"(mark 1 1)": "x(0,0)", "(mark 3 2)": "x(2,1)"}),
            ("connect_four", "red", {"(drop 1)": "x0", "(drop 7)": "x6"}),
            ("breakthrough", "white", {"(move 1 2 1 3)": "a7a6", "(move 8 2 7 3)": "h7g6"}),
        ],
    )
    def test_moves_at_the_start(self, name: str, first: str, actions: dict[str, str]) -> None:
        ours = game(name)
        found = translation(ours)
        assert (found.game, found.first) == (name, first)
        state = pyspiel.load_game(name).new_initial_state()
        numbers = found.actions(state, ours.legal_moves(ours.initial_state(), first))
        texts = {move.text: state.action_to_string(0, action) for move, action in numbers.items()}
        assert texts.items() >= actions.items()

    @pytest.mark.slow
    def test_othello_goes_along_with_passes_to_the_end(self) -> None:
        ours = game("othello")
        found = translation(ours)
        assert found.game == "othello"
        generator = random.Random(5)
        passes = 0
        for _ in range(20):
            state, follower = ours.initial_state(), Follower(found, ours.roles)
            while not ours.is_terminal(state):
                legal = [ours.legal_moves(state, role) for role in ours.roles]
                moves = [generator.choice(choices) for choices in legal]
                passes += all(move.text == "noop" for move in moves)
                follower.apply(moves, legal[follower.mover])
                state = ours.next_state(state, moves)
            follower.check([ours.goal(state, role) for role in ours.roles])
        assert passes > 5

    @pytest.mark.skipif(not PUBLIC.is_dir(), reason="the public rule files are not there")
    @pytest.mark.parametrize(
        ("file", "name"),
        [
            ("ticTacToe", "tic_tac_toe"),
            ("connect4", "connect_four"),
            ("connectFour_9x6", "connect_four(rows=6,columns=9)"),
            ("reversi", "othello"),
            ("hex", "hex(board_size=9)"),
        ],
    )
    def test_public_files(self, file: str, name: str) -> None:
        assert translation(gdl.Reasoner.load(next(PUBLIC.rglob(f"{file}.kif")))).game == name

    @pytest.mark.parametrize("other", ["wolf_sheep", "battle", "sliding_pieces"])
    def test_other_games_have_none(self, other: str) -> None:
        with pytest.raises(TranslationError):
            translation(gdl.Reasoner.load(games_folder() / f"{other}.kif"))

    def test_games_that_are_no_games_of_two(self) -> None:
        for toy in (Nim(0), OneRound(("a",), {("x",): (50,)})):
            with pytest.raises(TranslationError, match="two roles"):
                translation(toy)

    def test_rules_that_only_begin_alike_are_told_apart(self, tmp_path: Path) -> None:
        text = (CLASSICS / "connect_four.kif").read_text()
        turned = text.replace("(goal ?role 100)", "(goal ?role 99)")
        assert turned != text
        with pytest.raises(TranslationError, match="no known OpenSpiel game"):
            translation(gdl.Reasoner.load(rule_file(tmp_path, turned)))

    def test_a_wrong_translation_is_found_out(self) -> None:
        ours = game("connect_four")
        wrong = Translation("connect_four", "red", (Axis(1, 1, 2),))
        legal = ours.legal_moves(ours.initial_state(), "red")
        with pytest.raises(TranslationError, match="do not correspond"):
            Follower(wrong, ours.roles).actions(legal)
        follower = Follower(translation(ours), ours.roles)
        with pytest.raises(TranslationError, match="3 legal moves, but 7 legal actions"):
            follower.actions(legal[:3])
        with pytest.raises(TranslationError, match="is over, but connect_four goes on"):
            follower.check([50, 50])
        for _ in range(3):
            for action in (0, 1):
                follower.state.apply_action(action)
        follower.state.apply_action(0)
        with pytest.raises(TranslationError, match="goes on, but connect_four is over"):
            follower.actions(legal)
        follower.check([100, 0])
        with pytest.raises(TranslationError, match="the outcome is -1, but 1 in connect_four"):
            follower.check([0, 100])


def match(name: str, settings: Settings, *players: str) -> MatchRecord:
    ours = game(name)
    return play_match(ours, dict(zip(ours.roles, map(make_player, players), strict=True)), settings)


class TestPlayer:
    @pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough"])
    def test_it_beats_random_in_either_seat(self, name: str) -> None:
        for seat in (0, 1):
            players = ("openspiel", "random") if seat == 0 else ("random", "openspiel")
            record = match(name, Settings(seed=4), *players)
            assert record.result is Result.FINISHED
            assert not any(any(ply.errors) for ply in record.plies)
            assert record.last_errors == ()
            assert (record.goals[seat] or 0) >= 50 if name == "tic_tac_toe" else record.goals[seat] == 100

    def test_the_seed_repeats_a_match_without_clocks(self) -> None:
        one, again, other = (match("connect_four", Settings(seed=seed), "openspiel", "openspiel") for seed in (1, 1, 2))
        assert [ply.moves for ply in one.plies] == [ply.moves for ply in again.plies]
        assert [ply.moves for ply in one.plies] != [ply.moves for ply in other.plies]

    def test_it_uses_its_time(self) -> None:
        ours = game("breakthrough")
        player = OpenSpielPlayer()
        player.start(Start("m", ours, "white", 1, play_clock=0.3), Deadline.after(10))
        used = []
        for _ in range(3):
            state = ours.initial_state()
            deadline = Deadline.after(0.3)
            player._last = None
            player.move(Turn(1, state, ours.legal_moves(state, "white"), deadline=deadline))
            used.append(0.3 - deadline.left())
        assert fmean(used) >= 0.27

    def test_a_game_that_openspiel_does_not_have(self) -> None:
        rules = gdl.Reasoner(NIM)
        record = play_match(rules, {role: make_player("openspiel") for role in rules.roles}, Settings(seed=1))
        assert all(error.startswith("CE TranslationError: openspiel-game: no known") for error in record.initial_errors)
        assert record.result is Result.FINISHED
        assert all(any(ply.errors) for ply in record.plies)

    def test_a_lost_ply_and_a_wrong_end_are_errors(self) -> None:
        ours = game("tic_tac_toe")
        player = OpenSpielPlayer()
        state = ours.initial_state()
        legal = ours.legal_moves(state, "xplayer")
        with pytest.raises(TranslationError, match="not started"):
            player.move(Turn(1, state, legal))
        player.start(Start("m", ours, "xplayer", 1), Deadline.after(10))
        with pytest.raises(TranslationError, match="ply 2 follows ply 0"):
            player.move(Turn(2, state, legal))
        player.start(Start("m", ours, "xplayer", 1), Deadline.after(10))
        move = player.move(Turn(1, state, legal))
        player.stop(End("aborted"))
        player.start(Start("m", ours, "xplayer", 1), Deadline.after(10))
        player.move(Turn(1, state, legal))
        noop = ours.legal_moves(state, "oplayer")[0]
        with pytest.raises(TranslationError, match="goes on"):
            player.stop(End("finished", (move, noop) if ours.roles[0] == "xplayer" else (noop, move), 0, ply=1))

    def test_turns_that_it_missed_are_found_again(self) -> None:
        ours = game("tic_tac_toe")
        player = OpenSpielPlayer(simulations=50)
        player.start(Start("m", ours, "xplayer", 1), Deadline.after(10))
        state = ours.initial_state()
        moves: tuple[Term, ...] | None = None
        for ply in range(1, 10):
            if ply not in (3, 4, 6):
                legal = ours.legal_moves(state, "xplayer")
                assert player.move(Turn(ply, state, legal, moves)) in legal
            moves = tuple(ours.legal_moves(state, role)[-1] for role in ours.roles)
            state = ours.next_state(state, moves)
            if ours.is_terminal(state):
                break
        assert ply >= 7
        assert ours.is_terminal(state)
        # Its game is over as well, with the same outcome, or this raises.
        player.stop(End("finished", moves, 0, ply=ply))

    @pytest.mark.parametrize("plies", [1, 2, 5])
    def test_it_joins_a_match_that_is_resumed(self, plies: int) -> None:
        ours = game("tic_tac_toe")
        state, past = ours.initial_state(), []
        for _ in range(plies):
            moves = tuple(ours.legal_moves(state, role)[-1] for role in ours.roles)
            past.append(Told(moves, moves[0]))
            state = ours.next_state(state, moves)
        role = ours.roles[plies % 2]
        player = OpenSpielPlayer(simulations=50)
        player.start(Start("m", ours, role, 1, past=tuple(past), resumed=True), Deadline.after(10))
        legal = ours.legal_moves(state, role)
        assert len(legal) == 9 - plies
        assert player.move(Turn(plies + 1, state, legal, past[-1].moves)) in legal

    def test_what_cannot_have_led_here_is_an_error(self) -> None:
        ours = game("tic_tac_toe")
        player = OpenSpielPlayer(simulations=50)
        player.start(Start("m", ours, "xplayer", 1), Deadline.after(10))
        state = ours.initial_state()
        player.move(Turn(1, state, ours.legal_moves(state, "xplayer")))
        moves = tuple(ours.legal_moves(state, role)[0] for role in ours.roles)
        with pytest.raises(TranslationError, match="ply 3 follows ply 1"):
            player.move(Turn(3, state, ours.legal_moves(state, "xplayer"), moves))

    def test_without_openspiel_and_with_an_old_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class OldBot:
            def __init__(self) -> None:
                """Searches."""

        monkeypatch.setattr(pyspiel, "MCTSBot", OldBot)
        player = OpenSpielPlayer()
        with pytest.raises(MissingOpenSpielError, match="no time limit"):
            player.start(Start("m", game("tic_tac_toe"), "xplayer", 1), Deadline.after(10))


def test_it_is_known_by_name() -> None:
    assert make_player("openspiel").name == "openspiel"
    with pytest.raises(PlayerLoadError):
        make_player("ggp.players.openspiel.player:Nothing")

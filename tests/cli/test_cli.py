"""The command line: what it shows, what it refuses, and the status it ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Ggp
from support.toy_files import rule_file
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

from ggp.cli.lineup import LineupError, lineup_players
from ggp.match.record import Result, read_record


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    return rule_file(tmp_path, NIM, "nim.kif")


class TestPlay:
    def test_a_match_is_shown_ply_by_ply(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("play", nim, "--player", "legal", "--seed", "5")
        assert outcome.status == 0
        assert outcome.err == ""
        assert outcome.lines[:3] == ["nim   seed 5", "  left   legal", "  right  legal"]
        moves = [line for line in outcome.lines if "(take" in line]
        assert moves == [
            "  1  left   (take one)",
            "  2  right  (take one)",
            "  3  left   (take one)",
            "  4  right  (take one)",
        ]
        assert outcome.lines[-3:] == ["finished after 4 plies", "  left   legal    0", "  right  legal  100"]

    def test_facts_are_shown_after_each_ply(self, ggp: Ggp, nim: Path) -> None:
        out = ggp("play", nim, "--player", "legal").out
        heaps = [
            out.index(f"heap {heap}") if f"heap {heap}" in out else out.index(f"(heap {heap})") for heap in "43210"
        ]
        assert heaps == sorted(heaps)

    def test_a_ply_without_any_choice_is_shown_too(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("play", rule_file(tmp_path, ENDLESS), "--player", "random", "--max-plies", "2")
        assert "  1  solo  wait" in outcome.lines
        assert "  2  solo  wait" in outcome.lines

    def test_quiet_shows_the_result_only(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("play", nim, "--player", "legal", "--seed", "5", "--quiet")
        assert outcome.lines == [
            "nim   seed 5",
            "  left   legal",
            "  right  legal",
            "finished after 4 plies",
            "  left   legal    0",
            "  right  legal  100",
        ]

    def test_a_match_can_be_repeated_by_the_seed_it_shows(self, ggp: Ggp, nim: Path) -> None:
        first = ggp("play", nim, "--player", "random")
        seed = first.lines[0].split()[-1]
        assert ggp("play", nim, "--player", "random", "--seed", seed) == first

    def test_roles_can_have_different_players(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("play", nim, "--player", "LEFT=legal", "--player", "greedy", "-q")
        assert outcome.lines[1:3] == ["  left   legal", "  right  greedy"]

    def test_the_ply_limit_is_told(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("play", rule_file(tmp_path, ENDLESS), "--player", "random", "--max-plies", "3", "-q")
        assert outcome.status == 0
        assert outcome.lines[-2:] == ["unfinished after 3 plies, the limit (--max-plies)", "  solo  random"]

    def test_rules_at_fault_give_status_1(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("play", rule_file(tmp_path, STUCK), "--player", "random", "-q")
        assert outcome.status == 1
        assert "stuck after 1 ply" in outcome.lines
        assert "the rules are at fault: no-legal-move: solo has no legal move" in outcome.lines[-1]

    def test_what_turns_a_terminal_around_is_not_passed_on(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, ENDLESS.replace("wait", "w\u202eait"))
        outcome = ggp("play", file, "--player", "random", "--max-plies", "1")
        assert "w\N{REPLACEMENT CHARACTER}ait" in outcome.out
        assert "\u202e" not in outcome.out
        assert "no player w\N{REPLACEMENT CHARACTER}[31m" in ggp("play", file, "--player", "w\x1b[31m").err

    def test_chance_is_shown(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("play", rule_file(tmp_path, COIN), "--player", "random")
        assert outcome.status == 0
        assert any(line.startswith("  1  random   (toss ") for line in outcome.lines)

    def test_clocks_are_shown_with_the_time_used(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("play", nim, "--player", "legal", "--start-clock", "60", "--play-clock", "30", "--seed", "1")
        assert outcome.lines[0] == "nim   seed 1   start clock 60 s   play clock 30 s"
        moves = [line for line in outcome.lines if line.startswith("  1  left")]
        assert len(moves) == 1
        assert moves[0].startswith("  1  left   (take one)  ")
        assert moves[0].endswith(" s")

    def test_what_goes_wrong_is_shown_and_counted(self, ggp: Ggp, nim: Path, tmp_path: Path) -> None:
        broken = rule_file(
            tmp_path,
            "class Broken:\n"
            "    name = 'broken'\n"
            "    def start(self, start, deadline): raise ValueError('not today [bold]')\n"
            "    def move(self, turn): return '(take [red]all[/red])'\n"
            "    def stop(self, end): raise KeyError('x')\n",
            "broken.py",
        )
        outcome = ggp("play", nim, "--player", f"left={broken}:Broken", "--player", "legal", "--seed", "1")
        assert outcome.status == 0
        crash = "left at the start: failed with ValueError: not today [bold] (broken.py:3 in start)"
        assert crash in outcome.lines
        first = next(line for line in outcome.lines if line.startswith("  1  left"))
        assert first.endswith("  (at random: illegal (take [red]all[/red]))")
        assert "left at the end: failed with KeyError: 'x' (broken.py:5 in stop)" in outcome.lines
        plies = sum("at random" in line for line in outcome.lines)
        last = outcome.lines[-2]
        assert last.startswith("  left   broken ")
        assert last.endswith(f"  errors: {plies} illegal, 2 failed")

    def test_a_disqualification_is_shown(self, ggp: Ggp, nim: Path, tmp_path: Path) -> None:
        cheat = rule_file(
            tmp_path,
            "class Cheat:\n"
            "    name = 'cheat'\n"
            "    def start(self, start, deadline): pass\n"
            "    def move(self, turn): return 'win' if turn.ply == 2 else 'noop'\n"
            "    def stop(self, end): pass\n",
            "cheat.py",
        )
        player = f"right={cheat}:Cheat"
        outcome = ggp("play", nim, "--player", player, "--player", "legal", "--policy", "disqualify")
        assert outcome.lines[-4:] == [
            "right at the end: illegal win",
            "over after 1 ply: right disqualified",
            "  left   legal  100",
            "  right  cheat    0  errors: 1 illegal",
        ]

    def test_the_record_holds_the_match(self, ggp: Ggp, nim: Path, tmp_path: Path) -> None:
        file = tmp_path / "match.json"
        ggp("play", nim, "--player", "legal", "--seed", "5", "--record", file, "-q")
        record = read_record(file)
        assert record.result is Result.FINISHED
        assert [ply.moves for ply in record.plies][:2] == [("(take one)", "noop"), ("noop", "(take one)")]
        assert record.goals == (0, 100)
        assert record.seed == 5
        assert record.game_name == "nim"
        assert record.rules == NIM
        assert json.loads(file.read_text())["isCompleted"] is True

    def test_shipped_games_are_played_by_name(self, ggp: Ggp) -> None:
        outcome = ggp("play", "wolf_sheep", "--max-plies", "2", "--player", "legal")
        assert outcome.status == 0
        assert outcome.lines[1:3] == ["  wolf   legal", "  sheep  legal"]

    def test_a_pipe_gets_plain_text(self, ggp: Ggp, nim: Path) -> None:
        out = ggp("play", nim, "--player", "legal").out
        assert "\x1b" not in out

    def test_long_lines_are_not_broken_in_a_pipe(self, ggp: Ggp, tmp_path: Path) -> None:
        long = "long_" * 40
        text = ENDLESS.replace("wait", f"(wait {long})")
        outcome = ggp("play", rule_file(tmp_path, text), "--player", "random", "--max-plies", "1")
        assert any(long in line for line in outcome.lines)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (["play", "nowhere"], "unknown-game: no file and no game nowhere"),
            (["play", "wolf_shep"], "unknown-game: no file and no game wolf_shep; did you mean "),
            (["play", "."], ".: a folder, not a rule file"),
            (["show", "nowhere"], "unknown-game: "),
            (["bench", "wolf_sheep", "nowhere"], "unknown-game: "),
            (["test", "nowhere"], "unknown-game: "),
            (["play", "wolf_sheep", "--player", "gredy"], "unknown-player: no player gredy"),
            (["play", "wolf_sheep", "--player", "wlf=legal"], "unknown-role: no role wlf"),
            (["play", "wolf_sheep", "--player", "wolf=legal", "--player", "wolf=legal"], "lineup: two players for"),
            (["play", "wolf_sheep", "--player", "none.py:Me"], "player-load: none.py:Me: FileNotFoundError"),
            (["play", "wolf_sheep", "--record", "/nowhere/at/all.json"], "match-record: /nowhere/at/all.json: "),
        ],
    )
    def test_bad_input(self, ggp: Ggp, arguments: list[str], error: str) -> None:
        outcome = ggp(*arguments)
        assert outcome.status == 2
        assert outcome.err.startswith(error)
        assert len(outcome.err.splitlines()) == 1
        assert outcome.out == ""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["play"],
            ["play", "wolf_sheep", "--policy", "forgive"],
            ["play", "wolf_sheep", "--play-clock", "0"],
            ["play", "wolf_sheep", "--start-clock", "-1"],
            ["play", "wolf_sheep", "--play-clock", "nan"],
            ["play", "wolf_sheep", "--play-clock", "soon"],
            ["play", "wolf_sheep", "--max-plies", "0"],
            ["play", "wolf_sheep", "--seed", "x"],
            ["play", "wolf_sheep", "--loud"],
            ["bench", "wolf_sheep", "--seconds", "0"],
            ["frobnicate"],
        ],
    )
    def test_bad_options(self, ggp: Ggp, arguments: list[str]) -> None:
        outcome = ggp(*arguments)
        assert outcome.status == 2
        assert "Error" in outcome.err
        assert "Traceback" not in outcome.err

    def test_mistakes_in_rules_are_told_at_their_place(self, ggp: Ggp, tmp_path: Path) -> None:
        file = rule_file(tmp_path, "(role [red]\n")
        outcome = ggp("play", file, "--player", "random")
        assert outcome.status == 2
        assert f"{file}:1:1: unbalanced-parenthesis:" in outcome.err
        assert "    (role [red]" in outcome.err

    def test_files_that_cannot_be_read(self, ggp: Ggp, tmp_path: Path) -> None:
        outcome = ggp("show", tmp_path / ("x" * 300))
        assert outcome.status == 2
        assert "File name too long" in outcome.err


class TestLineup:
    def test_by_role_and_for_the_rest(self) -> None:
        players = lineup_players(["white", "black", "random"], ["black=legal", "greedy"])
        assert {role: player.name for role, player in players.items()} == {"white": "greedy", "black": "legal"}

    def test_options_are_no_roles(self) -> None:
        players = lineup_players(["a", "b"], ["a=mcts(simulations=5)", "mcts(leaves=1)"])
        assert [player.name for player in players.values()] == ["mcts", "mcts"]

    def test_everybody_plays_as_well_as_possible_by_default(self) -> None:
        assert [player.name for player in lineup_players(["a", "b"], []).values()] == ["auto", "auto"]

    def test_two_players_for_all(self) -> None:
        with pytest.raises(LineupError, match="two players for every role: legal and greedy"):
            lineup_players(["a", "b"], ["legal", "greedy"])


class TestShow:
    def test_what_a_file_holds(self, ggp: Ggp, nim: Path) -> None:
        outcome = ggp("show", nim)
        assert outcome.status == 0
        text = " ".join(outcome.out.split())
        assert f"nim {nim}" in text
        assert "roles left, right" in text
        assert "start 2 facts: control/1 1, heap/1 1" in text
        assert "legal moves left 2, right 1" in text
        assert "legal/2 state 2" in text
        assert "take/3 7" in text
        assert "next/1 moves 2" in text

    def test_shipped_games(self, ggp: Ggp) -> None:
        assert "cell/3 64" in ggp("show", "wolf_sheep").out


class TestGames:
    def test_the_list(self, ggp: Ggp) -> None:
        outcome = ggp("games")
        assert outcome.status == 0
        wolf = next(line for line in outcome.lines if line.startswith("wolf_sheep "))
        assert "(wolf, sheep) One wolf and four sheep" in wolf
        assert any(line.startswith("variants/wolf_sheep_diagonal ") for line in outcome.lines)


def test_show_names_what_nothing_defines_and_roles_without_moves(ggp: Ggp, tmp_path: Path) -> None:
    rules = """
        (role r) (init (heap 3)) (goal r 1) (<= terminal (true (heap 0)))
        (<= (legal r take) (haep ?n) (true (heap ?n)))
    """
    done = ggp("show", rule_file(tmp_path, rules))
    assert done.status == 0
    assert any(line.split() == ["legal", "moves", "r", "0"] for line in done.lines)
    assert "no rule and no fact defines haep/1; did you mean heap/1?" in done.out


@pytest.mark.parametrize("assignment", ["wolf=", "=greedy", "="])
def test_a_role_and_a_player_are_both_named(assignment: str) -> None:
    with pytest.raises(LineupError, match=f"'{assignment}' is not ROLE=NAME"):
        lineup_players(["wolf", "sheep"], [assignment])

"""`ggp play`: what it shows of a match, and the status it ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Ggp
from support.hostile_players import hostile
from support.toy_files import rule_file
from support.toy_rules import COIN, ENDLESS, NIM, STUCK

from ggp.match.record import Result, read_record


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
        assert "w\N{REPLACEMENT CHARACTER}ait" in outcome.err
        assert "\u202e" not in outcome.err
        file = rule_file(tmp_path, ENDLESS)
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
        crash = "left at the start: failed: ValueError: not today [bold] (broken.py:3 in start)"
        assert crash in outcome.lines
        first = next(line for line in outcome.lines if line.startswith("  1  left"))
        assert first.endswith("  (at random: illegal (take [red]all[/red]))")
        assert "left at the end: failed: KeyError: 'x' (broken.py:5 in stop)" in outcome.lines
        plies = sum("at random" in line for line in outcome.lines)
        last = outcome.lines[-2]
        assert last.startswith("  left   broken ")
        assert last.endswith(f"  errors: {plies} illegal, 2 failed")

    def test_a_player_that_ends_its_process_loses_only_its_moves(self, ggp: Ggp, tmp_path: Path) -> None:
        player = hostile(tmp_path)
        game = rule_file(tmp_path, NIM, "exit.kif")
        options = ["--player", f"left={player}", "--player", "legal", "--seed", "1", "--player-logs", tmp_path / "logs"]
        outcome = ggp("play", game, *options)
        assert outcome.status == 0
        first = next(line for line in outcome.lines if line.startswith("  1  left"))
        assert first.endswith("  (at random: failed: exit status 3; last output: ready to exit I give up)")
        assert outcome.lines[-2].endswith("  errors: 1 failed")
        # What it prints is in its log.
        assert "ready to exit" not in outcome.out.replace(first, "")
        log = tmp_path / "logs" / "Hostile.log"
        assert outcome.err == f"output of {player}: {log}\n"
        assert "I give up\n" in log.read_text()

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--player", "{file}:Nobody"], "AttributeError: module 'ggp_player_hostile' has no attribute 'Nobody'"),
            (["--player", "{file}:Hostile", "--player-memory", "inf"], "--player-memory must be finite"),
        ],
    )
    def test_players_that_cannot_be_made(
        self, ggp: Ggp, nim: Path, tmp_path: Path, options: list[str], reason: str
    ) -> None:
        file = hostile(tmp_path).partition(":")[0]
        outcome = ggp("play", nim, *(option.format(file=file) for option in options))
        assert (outcome.status, outcome.out) == (2, "")
        assert reason in outcome.err

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

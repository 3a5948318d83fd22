"""A person at the terminal in a game with hidden information sees own moves and percepts; all is shown at the end."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from support.commands import Ggp

from ggp.cli.terminal import Terminal
from ggp.match.record import Result, read_record

#: With these seeds, alice gets a jack, and bob a queen or a king.
SEEDS = {"queen": "1", "king": "7"}

PLAYERS = ("--player", "alice=human", "--player", "bob=legal")

END = "the match as it was\n"


def types(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def before_the_end(ggp: Ggp, monkeypatch: pytest.MonkeyPatch, seed: str, *options: str | Path) -> tuple[str, str]:
    """What a person who plays alice is shown in a match, and what when it is over."""
    types(monkeypatch, "moves\nhint\n? check\nundo\n? fold\ncheck\nhelp\nhint\ncall\n")
    outcome = ggp("play", "kuhn_poker", *PLAYERS, "--seed", seed, *options)
    assert outcome.status == 0, outcome.err
    shown, end, after = outcome.out.partition(END)
    assert end
    assert not outcome.err
    return shown, after


def test_two_matches_with_other_hidden_cards_look_the_same(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {card: before_the_end(ggp, monkeypatch, seed) for card, seed in SEEDS.items()}
    assert seen["queen"][0] == seen["king"][0]
    shown = seen["queen"][0]
    assert "queen" not in shown.partition("ply 3")[0]  # `help` repeats the comment of the rules, which names all cards
    assert "seed" not in shown
    assert "ply 1  you saw jack\n" in shown
    assert "there are no hints in a game with hidden information" in shown
    assert "in a game with hidden information, nobody sees why moves are legal" in shown
    assert "moves cannot be taken back in this match" in shown
    assert "ply 2  you played check\nply 3  you saw (did bob bet)\n" in seen["queen"][0]
    for card, (_, after) in seen.items():
        assert f"(deal jack {card})" in after
        assert f"seed {SEEDS[card]}" in after
        assert re.search(r"\n  3  bob +bet\n", after)
        assert re.search(r"\n  alice   human     0\n  bob     legal   100\n", after)


def test_nothing_is_shown_before_the_end_when_only_the_result_is_wanted(
    ggp: Ggp, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = {card: before_the_end_quietly(ggp, monkeypatch, seed) for card, seed in SEEDS.items()}
    assert quiet["queen"] == quiet["king"]


def before_the_end_quietly(ggp: Ggp, monkeypatch: pytest.MonkeyPatch, seed: str) -> str:
    types(monkeypatch, "check\ncall\n")
    out = ggp("play", "kuhn_poker", *PLAYERS, "--seed", seed, "--quiet").out
    assert END not in out
    assert "deal" not in out
    return out.replace(f"seed {seed}", "seed")


def test_everything_can_be_shown(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "check\ncall\n")
    outcome = ggp("play", "kuhn_poker", *PLAYERS, "--seed", "1", "--show-all")
    assert END not in outcome.out
    assert outcome.out.index("(deal jack queen)") < outcome.out.index("alice to move")
    assert "seed 1\n" in outcome.out


def test_two_people_do_not_share_a_screen(ggp: Ggp, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = ggp("play", "kuhn_poker", "--player", "human", "--seed", "1")
    assert outcome.status == 2
    assert "two people at one terminal would see" in outcome.err
    assert "--show-all" in outcome.err
    assert "Traceback" not in outcome.err
    assert ggp("host", "kuhn_poker", "--player", "human").status == 2
    types(monkeypatch, "1\n1\n")
    assert ggp("play", "kuhn_poker", "--player", "human", "--seed", "1", "--show-all").status == 0
    types(monkeypatch, "1\n1\n")
    assert ggp("play", "rock_paper_scissors", "--player", "human").status == 0, "nothing is hidden there"


def test_the_record_has_no_plies_before_the_end(ggp: Ggp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    asked: list[str] = []
    ask = Terminal.ask

    def look(terminal: Terminal, *arguments: object) -> object:
        asked.append(file.read_text(encoding="utf-8"))
        return ask(terminal, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Terminal, "ask", look)
    before_the_end(ggp, monkeypatch, SEEDS["queen"], "--record", file)
    record = read_record(file)
    assert (record.result, len(record.plies), record.seed) == (Result.FINISHED, 4, 1)
    assert len(asked) == 2
    for text in asked:
        found = json.loads(text)
        assert (found["moves"], len(found["states"]), found["result"]) == ([], 1, "running")
        assert "seed" not in found
    types(monkeypatch, "check\ncall\n")
    asked.clear()
    ggp("play", "kuhn_poker", *PLAYERS, "--seed", "1", "--record", file, "--show-all")
    assert "(deal jack queen)" in asked[0]


def test_who_leaves_sees_everything_and_cannot_go_on(ggp: Ggp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    types(monkeypatch, "quit\n")
    outcome = ggp("play", "kuhn_poker", *PLAYERS, "--seed", "1", "--record", file)
    assert outcome.status == 130
    assert outcome.out.count("queen") == outcome.out.partition(END)[2].count("queen") > 0
    resumed = ggp("replay", file, "--resume", *PLAYERS)
    assert resumed.status == 2
    assert "the record shows what a person may not see" in resumed.err
    assert ggp("replay", file, "--resume", "--player", "legal").status == 0


def test_boards_are_drawn_as_the_role_has_seen_them(ggp: Ggp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "phantom.kif"
    file.write_text(PHANTOM, encoding="utf-8")
    seen = []
    for seed in range(1, 7):
        types(monkeypatch, "mark 1 1\nmark 2 1\n")
        outcome = ggp("play", file, "--player", "x=human", "--player", "o=random", "--seed", str(seed))
        assert outcome.status == 0, outcome.err
        seen.append(outcome.out.split(END))
    assert len({shown for shown, _ in seen}) == 1
    assert len({re.sub("seed .", "", after) for _, after in seen}) > 1
    last = seen[0][0].split("you played (mark 1 1)")[1].splitlines()
    cells = [cell for row in [row for row in last if re.match(r" *[12] ", row)][:2] for cell in row.split()[1:]]
    assert sorted(cells) == [".", ".", ".", "x"]


#: A board with four cells. Who puts a mark on a cell sees it there; the other sees nothing.
PHANTOM = """
(role x) (role o) (init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b)) (init (count 0))
(<= (legal ?r (mark ?i ?j)) (role ?r) (true (cell ?i ?j ?c)))
(<= (sees ?r (cell ?i ?j ?r)) (does ?r (mark ?i ?j)))
(<= (next (cell ?i ?j ?r)) (does ?r (mark ?i ?j)))
(<= (next (cell ?i ?j ?c)) (true (cell ?i ?j ?c)) (not (marked ?i ?j)))
(<= (marked ?i ?j) (does ?r (mark ?i ?j)))
(<= (next (count 1)) (true (count 0))) (<= (next (count 2)) (true (count 1)))
(<= terminal (true (count 2))) (goal x 50) (goal o 50)
"""

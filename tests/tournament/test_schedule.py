"""Schedules: what they say, and every mistake at its line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.profiles import examples

from ggp.match.settings import Policy
from ggp.players import make_player
from ggp.tournament.format import Format
from ggp.tournament.schedule import Schedule, ScheduleError, read_schedule

PLAYERS = '[players]\nann = "greedy"\nbob = "127.0.0.1:9147/"\ncarl = "random"\ndora = "legal"\n'
GAMES = 'games = ["tic_tac_toe"]\n'


def read(folder: Path, text: str) -> Schedule:
    file = folder / "spring.toml"
    file.write_text(text, encoding="utf-8")
    return read_schedule(file, make_player)


def test_the_defaults(tmp_path: Path) -> None:
    found = read(tmp_path, GAMES + PLAYERS)
    assert (found.title, found.records) == ("spring", tmp_path / "spring")
    assert [path.name for path in found.games] == ["tic_tac_toe.kif"]
    assert found.players == {"ann": "greedy", "bob": "127.0.0.1:9147/", "carl": "random", "dora": "legal"}
    assert (found.format, found.matches, found.at_once, found.seed) == (Format.ROUND_ROBIN, 2, 1, None)
    assert (found.start_clock, found.play_clock, found.grace, found.policy) == (10, 5, 0.5, Policy.REPLACE)


def test_all_keys(tmp_path: Path) -> None:
    (tmp_path / "own.kif").write_text("(role a)", encoding="utf-8")
    text = (
        'title = "Cup"\ngames = ["own.kif"]\nformat = "swiss"\nrounds = 2\nmatches = 1\nstart_clock = 3\n'
        'play_clock = 0.5\ngrace = 1\npolicy = "disqualify"\nturns = true\nat_once = 4\nseed = 7\nmax_plies = 9\n'
        'records = "kept"\n'
    )
    found = read(tmp_path, text + PLAYERS)
    assert found.games == (tmp_path / "own.kif",)
    assert found.records == tmp_path / "kept"
    assert (found.title, found.format, found.rounds, found.matches) == ("Cup", Format.SWISS, 2, 1)
    assert (found.start_clock, found.play_clock, found.grace, found.policy) == (3, 0.5, 1, Policy.DISQUALIFY)
    assert (found.turns, found.at_once, found.seed, found.max_plies) == (True, 4, 7, 9)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("games = [\n" + PLAYERS, 2, "not-toml"),
        (PLAYERS, 1, 'expected games = ["NAME", ...]'),
        ("games = []\n" + PLAYERS, 1, "expected at least one rule file"),
        ('games = ["tic_tac_to"]\n' + PLAYERS, 1, "no file and no game tic_tac_to; did you mean tic_tac_toe"),
        ('games = [\n"nim.kif",\n"tic_tac_toe"]\n' + PLAYERS, 2, "no file and no game nim.kif"),
        ('games = ["tic_tac_toe", "tic_tac_toe"]\n' + PLAYERS, 1, "two games are called tic_tac_toe"),
        (GAMES, 1, "expected a table [players]"),
        (GAMES + "[players]\n", 2, "expected lines such as ann ="),
        (GAMES + 'players = ["greedy"]\n', 2, "players: expected a table, found an array"),
        (GAMES + "[players]\nann = 1\n", 3, "ann: expected a string, found 1"),
        (GAMES + PLAYERS + 'eve = "gredy"\n', 7, "no player gredy"),
        (GAMES + PLAYERS + 'eve = "human"\n', 7, "people cannot play in a schedule"),
        (GAMES + PLAYERS + 'eve = "ftp://x"\n', 7, "it does not begin with http:// or https://"),
        (GAMES + PLAYERS + 'eve = "http://127.0.0.1:9147"\n', 7, "bob has the same address"),
        (GAMES + "round = 2\n" + PLAYERS, 2, "unknown key round; did you mean rounds?"),
        (GAMES + 'format = "swis"\n' + PLAYERS, 2, 'expected "round-robin" or "swiss"'),
        (GAMES + 'format = "swiss"\n' + PLAYERS, 2, "needs rounds"),
        (GAMES + 'format = "swiss"\nrounds = 3\n' + PLAYERS, 3, "expected at most 2 rounds for 4 players, found 3"),
        (GAMES + "rounds = 2\n" + PLAYERS, 2, 'only format = "swiss" has a number of rounds'),
        (GAMES + "start_clock = 0\n" + PLAYERS, 2, "start_clock: expected a number from 0.01"),
        (GAMES + "play_clock = nan\n" + PLAYERS, 2, "play_clock: expected a number"),
        (GAMES + "matches = true\n" + PLAYERS, 2, "matches: expected a whole number from 1 to 100000, found true"),
        (GAMES + "matches = 1000000000\n" + PLAYERS, 2, "expected a whole number from 1 to 100000, found 1000000000"),
        (GAMES + f"seed = 0x{'f' * 9000}\n" + PLAYERS, 2, "found a number of very many digits"),
        (GAMES + "seed = -1\n" + PLAYERS, 2, "seed: expected a whole number from 0"),
    ],
)
def test_mistakes(text: str, line: int, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ScheduleError) as caught:
        read(tmp_path, text)
    assert reason in str(caught.value)
    assert f"{tmp_path / 'spring.toml'}:{line}:" in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ScheduleError) as caught:
        read(tmp_path, 'games = ["no"]\nseed = "x"\n[players]\nann = "nobody"\n')
    assert [mistake.location.line for mistake in caught.value.mistakes] == [1, 2, 4]


@examples(60)
@given(
    st.dictionaries(
        st.sampled_from(sorted(Schedule.__dataclass_fields__)),
        st.sampled_from(
            [
                '"x"',
                "1",
                "-1",
                "1.5",
                "true",
                "[]",
                '["tic_tac_toe"]',
                "{}",
                '{ann = "random"}',
                '"swiss"',
                "inf",
                "1979-05-27",
            ]
        ),
    )
)
def test_any_values_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]) -> None:
    text = "".join(f"{key} = {value}\n" for key, value in values.items())
    with suppress(ScheduleError):  # any other error fails
        assert read(tmp_path_factory.getbasetemp(), text).players

"""Shell completion, asked for as shells do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.toy_files import ROOT

from ggp.cli.completion import join_words

#: The command under the name for which shells ask.
GGP = [sys.executable, "-c", "import sys; sys.argv[0] = 'ggp'; from ggp.__main__ import main; main()"]


def complete(words: list[str], shell: str = "bash", cwd: Path = ROOT) -> list[str]:
    """What a shell offers for the last word."""
    environment = {**os.environ, "_GGP_COMPLETE": f"complete_{shell}"}
    if shell == "bash":
        environment |= {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        environment |= {"_TYPER_COMPLETE_ARGS": " ".join(words), "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run([*GGP], env=environment, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)
    assert not done.stderr
    return [line.split("\t")[0] for line in done.stdout.split("\n") if line]


def test_games_and_files() -> None:
    assert "wolf_sheep" in complete(["ggp", "play", "wo"])
    found = complete(["ggp", "show", "games/"])
    assert "games/wolf_sheep.kif" in found
    assert "games/classics/" in found
    assert complete(["ggp", "check", "games/wolf_sheep.e"]) == []


def test_players_and_roles_of_the_game() -> None:
    found = complete(["ggp", "play", "wolf_sheep", "--player", ""])
    assert {"auto", "mcts", "human", "wolf=", "sheep="} <= set(found)
    assert complete(["ggp", "play", "no_such_game", "--player", "wo"]) == []


# Bash breaks words at these characters, and replaces what follows the last one.


@pytest.mark.slow
def test_a_players_name_after_its_role() -> None:
    assert complete(["ggp", "play", "wolf_sheep", "--player", "sheep", "=", "m"]) == ["mcts"]
    assert "greedy" in complete(["ggp", "play", "wolf_sheep", "--player", "sheep", "="])


@pytest.mark.slow
def test_options_of_players() -> None:
    words = ["ggp", "play", "wolf_sheep", "--player", "sheep", "=", "mcts", "("]
    assert {"simulations=", "leaves=", "leaves_share="} <= set(complete(words))
    assert complete([*words, "le"]) == ["leaves=", "leaves_share="]
    assert "leaves=" not in complete([*words, "leaves", "=", "3", ","])
    assert complete(["ggp", "play", "wolf_sheep", "--player", "auto", "(", "l"]) == ["level=", "learned="]


def test_fish_gives_whole_words() -> None:
    assert complete(["ggp", "play", "wolf_sheep", "--player", "sheep=m"], "fish") == ["sheep=mcts"]


def test_words_are_joined_only_for_bash() -> None:
    words = {"_GGP_COMPLETE": "complete_zsh", "COMP_WORDS": "ggp\na\n=", "COMP_CWORD": "2"}
    assert join_words(before := dict(words)) is None  # type: ignore[func-returns-value]
    assert before == words


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_script_for_bash() -> None:
    environment = {**os.environ, "_GGP_COMPLETE": "source_bash"}
    script = subprocess.run([*GGP], env=environment, capture_output=True, text=True, check=True, timeout=60).stdout
    test = f"""
        {script}
        command() {{ {shlex.join(GGP)}; }}
        COMP_WORDS=(ggp play wolf_sheep --player sheep = al); COMP_CWORD=6
        _ggp_completion command
        echo "${{COMPREPLY[*]}}"
    """
    # A function cannot be called through env, as the script does.
    test = test.replace("env COMP_WORDS", "COMP_WORDS")
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "alphabeta"
    assert not done.stderr


def test_subcommands_and_what_the_usual_one_begins_with() -> None:
    assert {"search", "wolf_sheep"} <= set(complete(["ggp", "bench", ""]))
    assert complete(["ggp", "bench", "wo"]) == ["wolf_sheep"]
    assert "wolf_sheep" in complete(["ggp", "bench", "search", "wo"])

"""`ggp games`: the list of shipped games."""

from __future__ import annotations

from support.commands import Ggp


class TestGames:
    def test_the_list(self, ggp: Ggp) -> None:
        outcome = ggp("games")
        assert outcome.status == 0
        wolf = next(line for line in outcome.lines if line.startswith("wolf_sheep "))
        assert "(wolf, sheep) One wolf and four sheep" in wolf
        assert any(line.startswith("variants/wolf_sheep_diagonal ") for line in outcome.lines)

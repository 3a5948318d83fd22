"""Line-ups: which player plays which role."""

from __future__ import annotations

import pytest

from ggp.cli.lineup import LineupError, lineup_players
from ggp.players import make_player


class TestLineup:
    def test_by_role_and_for_the_rest(self) -> None:
        players = lineup_players(["white", "black", "random"], ["black=legal", "greedy"], make_player)
        assert {role: player.name for role, player in players.items()} == {"white": "greedy", "black": "legal"}

    def test_options_are_no_roles(self) -> None:
        players = lineup_players(["a", "b"], ["a=mcts(simulations=5)", "mcts(leaves=1)"], make_player)
        assert [player.name for player in players.values()] == ["mcts", "mcts"]

    def test_everybody_plays_as_well_as_possible_by_default(self) -> None:
        assert [player.name for player in lineup_players(["a", "b"], [], make_player).values()] == ["auto", "auto"]

    def test_two_players_for_all(self) -> None:
        with pytest.raises(LineupError, match="two players for every role: legal and greedy"):
            lineup_players(["a", "b"], ["legal", "greedy"], make_player)


@pytest.mark.parametrize("assignment", ["wolf=", "=greedy", "="])
def test_a_role_and_a_player_are_both_named(assignment: str) -> None:
    with pytest.raises(LineupError, match=f"'{assignment}' is not ROLE=NAME"):
        lineup_players(["wolf", "sheep"], [assignment], make_player)

"""Line-ups: which player plays which role."""

from __future__ import annotations

import pytest

from ggp.cli.lineup import SeatingError, seat_players


class TestSeating:
    def test_by_role_and_for_the_rest(self) -> None:
        seats = seat_players(["white", "black", "random"], ["black=legal", "greedy"])
        assert {role: player.name for role, player in seats.items()} == {"white": "greedy", "black": "legal"}

    def test_options_are_no_roles(self) -> None:
        seats = seat_players(["a", "b"], ["a=mcts(simulations=5)", "mcts(leaves=1)"])
        assert [player.name for player in seats.values()] == ["mcts", "mcts"]

    def test_everybody_plays_as_well_as_possible_by_default(self) -> None:
        assert [player.name for player in seat_players(["a", "b"], []).values()] == ["auto", "auto"]

    def test_two_players_for_all(self) -> None:
        with pytest.raises(SeatingError, match="two players for every role: legal and greedy"):
            seat_players(["a", "b"], ["legal", "greedy"])


@pytest.mark.parametrize("assignment", ["wolf=", "=greedy", "="])
def test_a_role_and_a_player_are_both_named(assignment: str) -> None:
    with pytest.raises(SeatingError, match=f"'{assignment}' is not ROLE=NAME"):
        seat_players(["wolf", "sheep"], [assignment])

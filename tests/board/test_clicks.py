"""Moves made by clicks."""

from __future__ import annotations

from support.drawn import loaded

from ggp.board import lay
from ggp.board.clicks import clicks

# ------------------------------------------------------------------------------------------ clicks


def paths(name: str, role: str, played: list[list[str]] | None = None) -> dict[str, list[set[tuple[int, int]]]]:
    """The clicks that make each legal move of a role."""
    game, layout = loaded(name)
    state = game.initial_state()
    for moves in played or []:
        state = game.next_state(state, moves)
    others = {other: game.legal_moves(state, other)[0] for other in game.roles if other != role}
    found = clicks(
        layout,
        lay(layout, state),
        game.legal_moves(state, role),
        lambda move: game.next_state(state, {**others, role: move}),
    )
    return {click.move.text: [{(p.column, p.row) for p in cells} for cells in click.path] for click in found}


def test_a_move_is_clicked_on_the_cells_that_it_names() -> None:
    assert paths("wolf_sheep", "wolf")["(move c4 c8 c5 c7)"] == [{(3, 0)}, {(4, 1)}]
    assert paths("battle", "north")["(defend 4 7)"] == [{(3, 1)}]


def test_a_piece_that_a_move_names_is_clicked_on_any_of_its_cells() -> None:
    found = paths("sliding_pieces", "player")
    assert found["(move piece4 south)"] == [{(1, 3), (2, 3)}, {(1, 4), (2, 4)}]
    assert found["noop"] == []


def test_a_disc_is_dropped_by_a_click_where_it_falls() -> None:
    played = [["(drop 3)", "noop"]]
    assert paths("classics/connect_four", "yellow", played)["(drop 3)"] == [{(2, 4)}]


def test_what_no_click_can_express_has_no_path() -> None:
    assert all(not path for path in paths("knights_and_pawns", "white").values())

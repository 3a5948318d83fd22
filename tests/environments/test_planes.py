"""States as images."""

from __future__ import annotations

import numpy as np
import pytest

import gdl
from ggp.environments.game import EnvironmentGame
from ggp.environments.planes import NoBoardError, PlanesObserver
from ggp.environments.position import Position

#: A counter up to 40, a flag, and a board of two columns and three rows with a hole.
COUNTED = (
    "(role a) (init (at 0)) (init off) (legal a go)"
    + "".join(f"(step {i} {i + 1})" for i in range(40))
    + "".join(f"(init (cell {x} {y} blank))" for x in (1, 2) for y in (1, 2, 3) if (x, y) != (2, 3))
    + """(<= (next (at ?m)) (true (at ?n)) (step ?n ?m)) (<= (next on) (true off)) (<= (next off) (true on))
    (<= (next (cell ?x ?y blank)) (true (cell ?x ?y blank)) (not (new ?x ?y)))
    (<= (next (cell ?x ?y ball)) (true (cell ?x ?y ball))) (<= (next (cell ?x ?y ball)) (new ?x ?y))
    (<= (new 1 2) (true (at 3))) (<= (new ?x ?y) (true (cell ?x ?y blank)) (true (at 5)))
    (<= terminal (true (at 40))) (goal a 50)"""
)


def planes_of(rules: str) -> tuple[EnvironmentGame, PlanesObserver]:
    game = EnvironmentGame(gdl.compile(rules, cache=False) if "(" in rules else rules)
    return game, PlanesObserver(game)


def test_each_piece_is_a_channel() -> None:
    game, observer = planes_of("connect_four")
    assert observer.shape == (4, 6, 7)
    assert observer.legend == ("cell red", "cell yellow", "(control red)", "(control yellow)")
    position, rng = Position(game), np.random.default_rng(1)
    for move in ("(drop 4)", "(drop 4)", "(drop 1)"):
        position.advance({position.deciding()[0]: game.action(gdl.parse_term(move))}, rng)
    planes = observer.observe(position, 0)
    # Rows are counted from the top, so the discs lie in the last ones.
    assert sorted(np.argwhere(planes[0]).tolist()) == [[5, 0], [5, 3]]
    assert np.argwhere(planes[1]).tolist() == [[4, 3]]
    assert planes[2:].tolist() == [np.zeros((6, 7)).tolist(), np.ones((6, 7)).tolist()]


def test_counters_are_thermometers_and_other_facts_fill_a_channel() -> None:
    game, observer = planes_of(COUNTED)
    thermometer = [place for place, name in enumerate(observer.legend) if name.startswith("(at ?) >= ")]
    least = [int(observer.legend[place].split()[-1]) for place in thermometer]
    assert (len(least), least[0], least[-1]) == (16, 0, 40)
    position, rng = Position(game), np.random.default_rng(1)
    for plies in range(8):
        planes = observer.observe(position, 0)
        assert planes.shape == (len(observer.legend), 3, 2)
        assert (planes == planes[:, :1, :1]).reshape(len(planes), -1).all(axis=1)[thermometer].all()
        assert [bool(planes[place, 0, 0]) for place in thermometer] == [plies >= one for one in least]
        assert planes[observer.legend.index("off")].all() == (plies % 2 == 0)
        ball, blank = (planes[observer.legend.index(f"cell {piece}")] for piece in ("ball", "blank"))
        assert ball.sum() == (0 if plies < 4 else 1 if plies < 6 else 5)
        assert ball.sum() + blank.sum() == 5
        position.advance({}, rng)


def test_rules_without_a_board_have_no_planes() -> None:
    with pytest.raises(NoBoardError, match=r"no board was found in the rules of .*; use facts"):
        planes_of("(role a) (init on) (legal a go) (<= (next off) (true on)) (<= terminal (true off)) (goal a 1)")


def test_many_states_are_seen_as_each_alone() -> None:
    game, observer = planes_of("breakthrough")
    position, rng = Position(game), np.random.default_rng(2)
    seen, bits = [], []
    for _ in range(10):
        seen.append(observer.observe(position, 0))
        bits.append(position.state.bits)
        agent = position.deciding()[0]
        position.advance({agent: int(rng.choice(position.legal(agent)))}, rng)
    states = np.frombuffer(b"".join(bits), np.uint64).reshape(10, -1)
    for dtype in (np.int8, np.float32, np.bool_):
        out = np.full((10, *observer.shape), 7).astype(dtype)
        observer.observe_states(states, 0, out)
        assert (out == np.array(seen)).all()

"""Lanes: many playouts of a circuit at the same time."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.evaluation import values
from support.profiles import examples
from support.proved import CAVE, circuits, looped

from gdl.circuit.game import GameCircuit
from gdl.circuit.gates import Circuit, Loop
from gdl.circuit.sampling import Playouts, Schedule, random_moves


def check_lanes(game: GameCircuit, random: Random) -> None:
    """Compare lanes with the plain evaluator, in states and joint moves of playouts."""
    playouts = Playouts(game, 16, random)
    lanes = playouts.lanes
    for _ in range(3):
        inputs = {1 + number: row for number, row in enumerate(playouts.facts)}
        moves, going = random_moves(lanes, random, lanes.full)
        lanes.set_moves(moves)
        inputs |= {1 + len(game.facts) + number: row for number, row in enumerate(moves)}
        outputs = list(game.outputs())
        assert lanes.read(outputs) == values(game.circuit, inputs, lanes.full, outputs)
        for role in range(len(game.roles)):
            own = game.moves_of(role)
            assert sum((moves[number] & going).bit_count() for number in own) == going.bit_count() or not own
            assert not any(moves[number] & ~lanes.values[game.legal[number]] for number in own)
        playouts.step()


@examples(30)
@given(circuits(), st.integers(0, 9))
def test_lanes_have_the_values_of_the_circuit(drawn: tuple[str, GameCircuit], seed: int) -> None:
    check_lanes(drawn[1], Random(seed))


def test_lanes_of_games_with_loops() -> None:
    check_lanes(looped(CAVE), Random(1))


def test_a_loop_is_evaluated_after_what_it_needs() -> None:
    """Two loops, of which the one that comes first in number needs the negation of the other."""
    built = Circuit(2)
    first, second = built.variable(), built.variable()
    one = built.and_([first ^ 1, 2 ^ 1])
    other = built.and_([second ^ 1, 4 ^ 1])
    built.loops += [Loop((first >> 1,), (built.and_([one ^ 1, second ^ 1]),)), Loop((second >> 1,), (other ^ 1,))]
    stages = Schedule(built).stages([first])
    assert [stage.loop for stage in stages if stage.loop] == [built.loops[1], built.loops[0]]

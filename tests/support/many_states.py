"""Kernels, arrays and columns of a game, compared with the oracle."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

import gdl
from gdl.codegen.llvm.column_loops import Place
from gdl.codegen.llvm.playout_loop import LANES
from gdl.simulator.columns_code import looked_packing
from gdl.simulator.compiled_code import aligned_rows
from support.comparing import Played, Position, same

NO_GOAL = -1

#: States with more joint moves are not asked for them; there may be billions.
MOST_JOINT_MOVES = 10_000


def _packed(simulator: gdl.Simulator, played: Played, position: Position) -> gdl.PackedState:
    return simulator.state([played.shown(fact) for fact in position.facts])


def _goals(played: Played, position: Position) -> list[int]:
    values = [played.goal(position.model, role) for role in played.game.roles]
    return [value if isinstance(value, int) else NO_GOAL for value in values]


def _legal(simulator: gdl.Simulator, played: Played, position: Position) -> list[list[int]]:
    """The numbers of each role's legal moves, among its own."""
    found = []
    for role, name in zip(played.game.roles, simulator.roles, strict=True):
        numbers = {move.text: i for i, move in enumerate(simulator.all_moves(name))}
        found.append(sorted(numbers[played.shown(move)] for move in played.moves(position.model, role)))
    return found


def _chosen(simulator: gdl.Simulator, played: Played, position: Position) -> list[int]:
    assert position.moves is not None
    return [
        [move.text for move in simulator.all_moves(name)].index(played.shown(position.moves[role]))
        for role, name in zip(played.game.roles, simulator.roles, strict=True)
    ]


def _next(played: Played, position: Position) -> tuple[str, ...]:
    return played.all_shown(atom[1] for atom in position.after.get(("next", 1), ()))


def _texts(state: gdl.PackedState) -> tuple[str, ...]:
    return tuple(fact.text for fact in state)


def check_kernels(simulator: gdl.Simulator, played: Played) -> None:
    """Check the kernels in each state that was reached."""
    kernels = simulator.kernels
    out, work = np.zeros(kernels.out_words, np.uint64), np.zeros(kernels.work_words, np.uint64)
    most = max(len(simulator.all_moves(role)) for role in simulator.roles)
    listed, chosen = np.zeros(max(1, most), np.int32), np.zeros(len(simulator.roles), np.int32)
    for position in played.positions:
        bits = np.frombuffer(_packed(simulator, played, position).bits, np.uint64).copy()
        kernels.look(bits.ctypes.data, out.ctypes.data, work.ctypes.data)
        same("kernels: terminal", bool(position.model.get(("terminal", 0))), bool(out[0] & np.uint64(1)))
        legal = _legal(simulator, played, position)
        for role, expected in enumerate(legal):
            words = kernels.legal_words[role], kernels.move_words[role]
            count = kernels.legal(out.ctypes.data, *words, listed.ctypes.data)
            same("kernels: legal", expected, listed[:count].tolist())
        if position.moves is not None:
            chosen[:] = np.array(_chosen(simulator, played, position)) + kernels.first_moves
            kernels.move(bits.ctypes.data, chosen.ctypes.data, out.ctypes.data, work.ctypes.data)
            after = gdl.PackedState(simulator, out[: kernels.state_words].tobytes())
            same("kernels: next", _next(played, position), _texts(after))


def check_arrays(simulator: gdl.Simulator, played: Played) -> None:
    """Check arrays on all states that were reached, at once."""
    arrays, positions = simulator.arrays, played.positions
    legal = [_legal(simulator, played, position) for position in positions]
    terminal = [bool(position.model.get(("terminal", 0))) for position in positions]
    packed = arrays.pack([_packed(simulator, played, position) for position in positions])
    looked = arrays.look(packed)
    same("arrays: terminal", terminal, arrays.terminal(looked).tolist())
    facts = [played.all_shown(position.facts) for position in positions]
    held = [[simulator.all_facts[i].text for i in np.flatnonzero(row)] for row in arrays.facts(packed)]
    same("arrays: facts", facts, [tuple(sorted(row)) for row in held])
    for number, role in enumerate(simulator.roles):
        masks = arrays.legal(looked, role)
        same("arrays: legal", [own[number] for own in legal], [np.flatnonzero(row).tolist() for row in masks])
    same("arrays: goals", [_goals(played, p) for p in positions], arrays.goal_values(looked).tolist())
    counts = [0 if over else prod(map(len, own)) for own, over in zip(legal, terminal, strict=True)]
    listed = [number for number, count in enumerate(counts) if count <= MOST_JOINT_MOVES]
    parents, joint = arrays.joint_moves(looked[listed])
    for number, (own, over) in enumerate((legal[number], terminal[number]) for number in listed):
        rows = (joint[parents == number] - np.array(arrays.first_moves)).tolist()
        for role, numbers in enumerate(own):
            some = numbers if all(own) and not over else []
            same("arrays: joint moves", some, sorted({row[role] for row in rows}))
        same("arrays: joint moves", counts[listed[number]], len(rows))
    going = [number for number, position in enumerate(positions) if position.moves is not None]
    if going:
        moves = [_chosen(simulator, played, positions[number]) for number in going]
        following = arrays.move(packed[going], (np.array(moves) + np.array(arrays.first_moves)).astype(np.int32))
        expected = [_next(played, positions[number]) for number in going]
        same("arrays: next", expected, [_texts(state) for state in arrays.unpack(following)])


# Columns


def bits(columns: NDArray[np.uint64], place: Place) -> NDArray[np.bool_]:
    """The bits at a place, for each lane: (lanes, size)."""
    rows = np.ascontiguousarray(columns.transpose(0, 2, 1).reshape(-1, columns.shape[1])[:, place.word :])
    flags = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    return flags[:, place.shift : place.shift + place.size].astype(np.bool_)


def rows(columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    blocks, words, lanes = columns.shape  # there may be no words
    return np.ascontiguousarray(columns.transpose(0, 2, 1).reshape(blocks * lanes, words))


def check_columns(game: gdl.Simulator, plies: int = 12, blocks: int = 2, alone: gdl.Simulator | None = None) -> None:
    """Play random matches in columns, some of which stand still from time to time, and compare them with arrays."""
    arrays, code = (alone or game).arrays, game.columns_code()
    layout = looked_packing(game.circuit)
    terminal, *legal, goals = layout.places
    random = np.random.default_rng(1)
    states = aligned_rows(blocks, arrays.state_words, LANES)
    looked = aligned_rows(blocks, len(layout.words), LANES)
    states[:] = game.arrays.pack([game.initial_state()])[0][None, :, None]
    still = np.zeros((blocks, LANES), np.int8)
    code.look(states, still, looked)
    for _ in range(plies):
        here = rows(states)
        expected = arrays.look(here)
        over = arrays.terminal(expected)
        assert (bits(looked, terminal)[:, 0] == over).all()
        words = np.ascontiguousarray(expected[:, arrays.goals_word :])
        assert (bits(looked, goals) == flags(words, goals.size)).all()
        moves = np.full((blocks, len(game.roles), LANES), -1, np.int32)
        for role, place in enumerate(legal):
            found = bits(looked, place)
            first = arrays.legal_words[role]
            words = np.ascontiguousarray(expected[:, first : first + arrays.move_words[role]])
            assert (found == flags(words, place.size)).all()
            over |= ~found.any(axis=1)
            chosen = (random.random(found.shape) * found).argmax(axis=1) if place.size else np.zeros(len(found))
            moves[:, role] = chosen.reshape(blocks, LANES) + arrays.first_moves[role]
        still[:] = (over | (random.random(over.shape) < 0.2)).reshape(blocks, LANES)
        moves[still[:, None].repeat(len(game.roles), 1) != 0] = -1
        done = np.flatnonzero(still.reshape(-1) == 0)
        expected_states = here.copy()
        if len(done):
            expected_states[done] = arrays.move(here[done], moves.transpose(0, 2, 1).reshape(len(here), -1)[done])
        code.move(states, moves, still, looked)
        code.raise_errors()
        assert (rows(states) == expected_states).all()


def flags(words: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :size].astype(np.bool_)

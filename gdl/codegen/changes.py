"""Tables of circuits that are evaluated change by change: for one state after another that differs little from it.

Every gate counts its inputs that are false. If a fact changes, the counts of the gates that read it change by one. A
gate changes if its count becomes zero, or was zero; then it changes others in turn. What does not change costs nothing,
and no code has to be compiled for a game. `gdl.codegen.llvm.change_loops` has the code that follows the changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from gdl.circuit.gates import FALSE, TRUE, Circuit, Loop
from gdl.circuit.sampling import Gate, Schedule, Stage
from gdl.codegen.evaluation import packed, words
from gdl.compile_budget import check_budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@final
@dataclass(frozen=True, slots=True)
class Segment:
    """Gates whose changes are followed together: all positions are in words, of 64 sinks each.

    A segment without variables has only gates. With variables, it is a loop: `inputs` words have the values of what it
    reads from outside, and as many words after them their values in its last evaluation. `variables` words have the
    values of its variables, and as many words after them those of their updates.
    """

    gates: int
    end: int
    inputs_at: int = 0
    inputs: int = 0
    variables_at: int = 0
    variables: int = 0


@final
@dataclass(frozen=True, slots=True)
class Changes:
    """The tables of some outputs of a circuit.

    A *sink* counts its inputs that are false. It is a gate or an output, or belongs to a loop. A *source* is what sinks
    read: first come the bits of the words of a state, then the moves, in `moves` words, then sinks with their numbers.
    """

    #: For each sink, the number of its inputs that are false as long as all sources are.
    counts: NDArray[np.int32]
    #: A bit for each sink. Those of gates are set if a change is not yet followed; the others are values.
    bits: NDArray[np.uint64]
    #: For each source, its first edge; then the number of edges.
    starts: NDArray[np.int32]
    #: The sinks that read a source, times two; the lowest bit is set if a sink reads its negation.
    edges: NDArray[np.int32]
    segments: tuple[Segment, ...]
    #: The numbers of words of a state and of moves; the first word of the outputs, and their number.
    state: int
    moves: int
    outputs_at: int
    outputs: int


def changes(circuit: Circuit, parts: Sequence[Sequence[int]], facts: int, moves: int) -> Changes:
    """Return the tables of literals in groups, each of which is packed in words of its own.

    The first inputs of the circuit are facts, followed by moves; no others may be needed.
    """
    tables = _Tables(circuit, facts, moves)
    for stage in Schedule(circuit).stages(literal for part in parts for literal in part):
        tables.add(stage)
    return tables.result(parts)


@final
class _Tables:
    """The tables under construction."""

    def __init__(self, circuit: Circuit, facts: int, moves: int) -> None:
        self.circuit = circuit
        self.state, self.moves = words(facts), words(moves)
        self.words = 0
        self.first = 64 * (self.state + self.moves)
        self.source = {1 + fact: fact for fact in range(facts)}
        self.source |= {1 + facts + move: 64 * self.state + move for move in range(moves)}
        #: The edges: sources, and sinks with their polarity.
        self.sources: list[int] = []
        self.sinks: list[int] = []
        self.ones: list[int] = []
        self.count: dict[int, int] = {}
        self.segments: list[Segment] = []

    def add(self, stage: Stage) -> None:
        """Add a segment of gates."""
        loop = stage.loop
        segment = self._gates(stage.gates) if loop is None else self._loop(stage.gates, loop)
        for number, (_, fanin) in enumerate(stage.gates, 64 * segment.gates):
            self._sink(number, fanin)
        self.segments.append(segment)

    def _gates(self, gates: Sequence[Gate]) -> Segment:
        start = self._room(len(gates))
        for number, (node, _) in enumerate(gates, self.first + 64 * start):
            self.source[node] = number
        return Segment(start, self.words)

    def _loop(self, gates: Sequence[Gate], loop: Loop) -> Segment:
        read = _outside(gates, loop)
        # One more than there are, so that at least one bit of the inputs is never set.
        inputs, variables = words(len(read) + 1), words(len(loop.variables))
        inputs_at = self._room(64 * inputs)
        # All ones: these values differ from any inputs, so that the first evaluation is not left out.
        self.ones += range(64 * self._room(64 * inputs), 64 * self.words)
        variables_at, updates_at = self._room(64 * variables), self._room(64 * variables)
        for number, node in enumerate(read, 64 * inputs_at):
            self._sink(number, (2 * node,))
        for number, node in enumerate(loop.variables, self.first + 64 * variables_at):
            self.source[node] = number
        body = self._gates(gates)
        for number, literal in enumerate(loop.updates, 64 * updates_at):
            self._value(number, literal)
        return Segment(body.gates, body.end, inputs_at, inputs, variables_at, variables)

    def _room(self, sinks: int) -> int:
        """Return the first of the words for some more sinks."""
        start = self.words
        self.words += words(sinks)
        return start

    def _value(self, number: int, literal: int) -> None:
        """Add a sink that has the value of a literal."""
        if literal != FALSE:
            self._sink(number, () if literal == TRUE else (literal,))

    def _sink(self, number: int, literals: Sequence[int]) -> None:
        """Add a sink that is true if all literals are."""
        check_budget()
        self.count[number] = sum(not literal & 1 for literal in literals)
        if not self.count[number]:
            self.ones.append(number)
        for literal in literals:
            self.sources.append(self.source[literal >> 1])
            self.sinks.append(2 * number + (literal & 1))

    def result(self, parts: Sequence[Sequence[int]]) -> Changes:
        """Add the outputs, and return the tables."""
        import numpy as np

        outputs_at = self._room(64 * sum(words(len(part)) for part in parts))
        literals = (literal for part in parts for literal in part)
        for place, literal in zip(packed([len(part) for part in parts]), literals, strict=True):
            self._value(64 * outputs_at + place, literal)
        counts = np.zeros(64 * self.words, np.int32)
        counts[list(self.count)] = list(self.count.values())
        bits = np.zeros(64 * self.words, np.uint8)
        bits[self.ones] = 1
        check_budget()
        sources, sinks = np.array(self.sources, np.int64), np.array(self.sinks, np.int32)
        order = np.lexsort((sinks, sources))
        # Outputs, the last sinks, are not sources.
        starts = np.searchsorted(sources[order], np.arange(self.first + 64 * outputs_at + 1))
        return Changes(
            counts,
            np.packbits(bits, bitorder="little").view(np.uint64),
            starts.astype(np.int32),
            sinks[order],
            tuple(self.segments),
            self.state,
            self.moves,
            outputs_at,
            self.words - outputs_at,
        )


def _outside(gates: Sequence[Gate], loop: Loop) -> list[int]:
    """Return the nodes that a loop reads from outside, in order."""
    read = {literal >> 1 for _, fanin in gates for literal in fanin}
    read.update(literal >> 1 for literal in loop.updates)
    return sorted(read.difference((FALSE >> 1,), loop.variables, (node for node, _ in gates)))

"""A ground program as a graph, in which symmetries are looked for, and the colours of its nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import is_nature
from gdl.grounder.counts import counts_of
from gdl.grounder.program import ALWAYS, GroundProgram
from gdl.terms import Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Colours = NDArray[np.uint64]

#: The fewest facts or moves of an atom that is taken to count.
_FEWEST: Final = 3


@final
class Meanings:
    """The meaning of the atoms of a program: `rules`, or `counts` for those that count facts or moves.

    Atoms that only say how far the counting has come have neither, like all others that nothing else depends on.
    """

    def __init__(self, program: GroundProgram) -> None:
        """Find the meanings of the atoms on which the answers depend."""
        counts = {atom: count for atom, count in counts_of(program).items() if len(count.atoms) >= _FEWEST}
        bodies: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
        for head, body in program.rules:
            bodies[head].append(body)
        tables = (program.next, program.legal, program.goal)
        used = {atom for table in tables for atom in table.values()} | {program.terminal or ALWAYS}
        left = list(used)
        while left:
            atom = left.pop()
            below = counts[atom].atoms if atom in counts else {abs(one) for body in bodies[atom] for one in body}
            left += below - used
            used |= below
        self.counts = {atom: count for atom, count in counts.items() if atom in used}
        self.rules = [rule for rule in program.rules if rule[0] in used and rule[0] not in counts]


@final
class Graph:
    """A ground program as a graph: nodes for atoms, rules, facts, moves, roles, and goals."""

    def __init__(self, program: GroundProgram) -> None:
        """Make the nodes and edges."""
        import numpy as np

        self.program = program
        self.meanings = Meanings(program)
        #: The numbers of the nodes of roles, facts, moves, goals and the end, by the kind and the name.
        self.nodes: dict[Hashable, int] = {}
        self.facts: tuple[Term, ...] = tuple(dict.fromkeys((*program.true, *program.next)))
        self.moves: tuple[tuple[Term, Term], ...] = tuple(dict.fromkeys((*program.does, *program.legal)))
        edges: list[tuple[int, int, int]] = []
        rules = self.meanings.rules
        kinds: list[str] = ["atom"] * program.size + ["rule"] * len(rules)
        kinds[0] = "always"

        def node(key: Any, kind: str) -> int:
            if key not in self.nodes:
                self.nodes[key] = len(kinds)
                kinds.append(kind)
            return self.nodes[key]

        for number, (head, body) in enumerate(rules, program.size):
            edges.append((number, head, 1))
            edges += [(number, abs(literal), 2 if literal > 0 else 3) for literal in body]
        for atom, count in self.meanings.counts.items():
            kinds[atom] = f"count {sorted(count.numbers)}"
            edges += [(atom, counted, 13) for counted in count.atoms]
        for role in program.roles:
            node(("role", role), "chance" if is_nature(role.text) else "role")
        for fact, atom in program.true.items():
            edges.append((node(("fact", fact), "fact"), atom, 4))
        for fact, atom in program.next.items():
            edges.append((node(("fact", fact), "fact"), atom, 5))
        for relation, table in enumerate((program.does, program.legal), 6):
            for (role, term), atom in table.items():
                edges.append((node(("move", role, term), "move"), atom, relation))
        for (role, term), atom in program.goal.items():
            edges.append((node(("goal", role, term), f"goal {term.text}"), atom, 8))
        for key, number in list(self.nodes.items()):
            if isinstance(key, tuple) and len(key) == 3:
                edges.append((number, self.nodes["role", key[1]], 11))
        if program.terminal is not None:
            edges.append((node("terminal", "terminal"), program.terminal, 12))
        self.size = len(kinds)
        names = {kind: number for number, kind in enumerate(sorted(set(kinds)))}
        self._kinds = np.array([names[kind] for kind in kinds], np.uint64)
        array = np.array(edges, np.int64).reshape(-1, 3)
        ends = np.concatenate([array, array[:, [1, 0, 2]] + [0, 0, 16]])
        ends = ends[np.argsort(ends[:, 0], kind="stable")]
        self._neighbours = ends[:, 1]
        self._types = _mixed(ends[:, 2].astype(np.uint64) + np.uint64(1))
        self._with_edges, self._starts = np.unique(ends[:, 0], return_index=True)
        self.keys: dict[int, Any] = {number: key for key, number in self.nodes.items()}
        #: The number of edges, in both directions.
        self.edges = len(ends)
        #: The nodes of facts and moves, whose images are wanted, in their order in the program.
        self.wanted = np.array(
            [self.nodes["fact", fact] for fact in self.facts] + [self.nodes["move", *move] for move in self.moves],
            np.int64,
        )

    def first_colours(self) -> Colours:
        """Return a colour for each kind of node."""
        return _mixed(self._kinds)

    def refined(self, colours: Colours) -> Colours:
        """Return colours that depend on those of the neighbours, too."""
        import numpy as np

        with np.errstate(over="ignore"):
            near = _mixed(colours[self._neighbours] ^ self._types)
            sums = np.zeros(self.size, np.uint64)
            sums[self._with_edges] = np.add.reduceat(near, self._starts)
            return _mixed(colours * np.uint64(3) + sums)


def _mixed(numbers: Colours) -> Colours:
    """Return well mixed words (splitmix64: Steele, Lea, Flood, 2014)."""
    import numpy as np

    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

"""Symmetries between the roles of a game: ways to rename facts and moves that turn one role into another.

A symmetry of a ground program is a permutation of its roles, facts and moves. If a state and a joint move are renamed,
then so are all answers: terminal, legal moves, goals, and the next state. The initial state need not be the same, as
only one role begins in most games.

It is found by colouring the atoms and rules of two copies of the program, one as it is, one seen by the other role.
Atoms get different colours when their definitions or uses differ (colour refinement); facts and moves that have the
same colour are then told apart one by one. The result is proved by `_proves`: the atoms that a state and a joint move
determine are paired, and all derived atoms of a colour have, up to colours, the same rules. Then atoms of one colour
have the same truth value (bisimulation).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import is_nature
from gdl.grounder.program import ALWAYS, GroundProgram
from gdl.terms import Term, leaves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Colours = NDArray[np.uint64]

#: How many pairs of facts or moves are tried before the search for a symmetry is given up.
_MOST_TRIALS: Final = 500


@final
@dataclass(frozen=True, slots=True)
class RoleSymmetry:
    """A symmetry. Each mapping is a permutation; facts that it leaves out are no facts of the program."""

    roles: dict[Term, Term]
    facts: dict[Term, Term]
    #: Role and move to role and move.
    moves: dict[tuple[Term, Term], tuple[Term, Term]]


def role_symmetry(program: GroundProgram, role: Term, other: Term) -> RoleSymmetry | None:
    """Return a symmetry that turns one role into another; None if there is none, or none was found.

    Of several, one that changes few names is preferred. None is looked for in games with percepts.
    """
    if program.sees:
        return None
    graph = _Graph(program)
    start = graph.first_colours()
    left, right = start.copy(), start.copy()
    left[graph.nodes["role", role]] = right[graph.nodes["role", other]] = _MARK
    search = _Search(graph)
    found = search.run(left, right)
    if found is None:
        return None
    image = search.image(*found)
    if not _proves(program, *found, image):
        return None
    return RoleSymmetry(
        roles={one: image["role", one][1] for one in program.roles},
        facts={fact: image["fact", fact][1] for fact in graph.facts},
        moves={(one, move): image["move", one, move][1:] for one, move in graph.moves},
    )


_MARK: Final = 0x5851F42D4C957F2D


@final
class _Graph:
    """A ground program as a graph: nodes for atoms, rules, facts, moves, roles, and goals."""

    def __init__(self, program: GroundProgram) -> None:
        import numpy as np

        self.nodes: dict[Hashable, int] = {}
        self.facts: tuple[Term, ...] = tuple(dict.fromkeys((*program.true, *program.next)))
        self.moves: tuple[tuple[Term, Term], ...] = tuple(dict.fromkeys((*program.does, *program.legal)))
        self._rules = program.size
        edges: list[tuple[int, int, int]] = []
        kinds: list[str] = ["atom"] * program.size + ["rule"] * len(program.rules)
        kinds[0] = "always"

        def node(key: Any, kind: str) -> int:
            if key not in self.nodes:
                self.nodes[key] = len(kinds)
                kinds.append(kind)
            return self.nodes[key]

        for number, (head, body) in enumerate(program.rules, self._rules):
            edges.append((number, head, 1))
            edges += [(number, abs(literal), 2 if literal > 0 else 3) for literal in body]
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


@final
class _Search:
    """Tells the facts and moves of two coloured copies of a graph apart, until each has a colour of its own."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._keys = {number: key for key, number in graph.nodes.items()}
        self._trials = 0

    def run(self, left: Colours, right: Colours) -> tuple[Colours, Colours] | None:
        """Return colours in which each fact and each move is alone in its copy; None if the copies differ."""
        import numpy as np

        self._trials += 1
        if self._trials > _MOST_TRIALS:
            return None
        refined = self._stable(left, right)
        if refined is None:
            return None
        left, right = refined
        wanted = self._graph.wanted
        _, inverse, counts = np.unique(left[wanted], return_inverse=True, return_counts=True)
        shared = np.flatnonzero(counts[inverse] > 1)
        if not len(shared):
            return left, right
        one = int(wanted[shared[0]])
        for other in self._candidates(one, left, right):
            marked, image = left.copy(), right.copy()
            marked[one] = image[other] = np.uint64(_MARK + self._trials)
            found = self.run(marked, image)
            if found is not None or self._trials > _MOST_TRIALS:
                return found
        return None

    def image(self, left: Colours, right: Colours) -> dict[Any, Any]:
        """Return, for each node with a key in the left copy, the key of one in the right copy with the same colour."""
        at = {int(right[number]): key for key, number in self._graph.nodes.items()}
        return {key: at[int(left[number])] for key, number in self._graph.nodes.items()}

    def _stable(self, left: Colours, right: Colours) -> tuple[Colours, Colours] | None:
        """Refine colours until no more nodes are told apart. Returns None if the copies have different colours."""
        import numpy as np

        count = 0
        while True:
            sorted_left = np.sort(left)
            if not np.array_equal(sorted_left, np.sort(right)):
                return None
            now = 1 + int(np.count_nonzero(sorted_left[1:] != sorted_left[:-1]))
            if now == count:
                return left, right
            count = now
            left, right = self._graph.refined(left), self._graph.refined(right)

    def _candidates(self, one: int, left: Colours, right: Colours) -> Iterable[int]:
        """Return the nodes in the right copy with the colour of a node in the left one, the most similar first."""
        import numpy as np

        wanted = self._graph.wanted
        others = [int(number) for number in wanted[np.flatnonzero(right[wanted] == left[one])]]
        own = list(_words(self._keys[one]))
        return sorted(others, key=lambda other: -_equal(own, list(_words(self._keys[other]))))


def _words(key: Any) -> Iterator[str]:
    for part in key[1:]:
        yield from (leaf.text for leaf in leaves(part))


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else -1


def _proves(program: GroundProgram, left: Colours, right: Colours, image: Mapping[Any, Any]) -> bool:
    """Return True if colours prove that a mapping of roles, facts, moves and goals is a symmetry."""
    paired: list[tuple[Mapping[Any, int], str]] = [
        (program.true, "fact"),
        (program.next, "fact"),
        (program.does, "move"),
        (program.legal, "move"),
        (program.goal, "goal"),
    ]
    for table, kind in paired:
        for term, atom in table.items():
            key = (kind, *term) if isinstance(term, tuple) else (kind, term)
            other = image[key][1:] if isinstance(term, tuple) else image[key][1]
            if image[key][0] != kind or other not in table or left[atom] != right[table[other]]:
                return False
            if isinstance(term, tuple) and image["role", term[0]] != ("role", other[0]):
                return False
            if kind == "goal" and term[1] != other[1]:
                return False
    if program.terminal is not None and left[program.terminal] != right[program.terminal]:
        return False
    return _bisimilar(program, left.tolist(), right.tolist())


def _bisimilar(program: GroundProgram, left: Sequence[int], right: Sequence[int]) -> bool:
    """Return True if the open atoms of each copy have different colours, and others the same rules up to colours."""
    open_atoms = {*program.true.values(), *program.does.values()} - {ALWAYS}
    meanings: dict[int, object] = {}
    for colours in (left, right):
        bodies: defaultdict[int, set[frozenset[tuple[int, bool]]]] = defaultdict(set)
        for head, body in program.rules:
            bodies[head].add(frozenset((colours[abs(literal)], literal > 0) for literal in body))
        if len({colours[atom] for atom in open_atoms}) < len(open_atoms):
            return False
        for atom in range(program.size):
            kind = "open" if atom in open_atoms else "always" if atom == ALWAYS else "derived"
            meaning = kind, frozenset(bodies[atom]) if kind == "derived" else None
            if meanings.setdefault(colours[atom], meaning) != meaning:
                return False
    return True


def _mixed(numbers: Colours) -> Colours:
    """Return well mixed words (splitmix64: Steele, Lea, Flood, 2014)."""
    import numpy as np

    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

"""Symmetries of a game: ways to rename roles, facts and moves, such as the mirror of a board, or an exchange of sides.

A symmetry of a ground program is a permutation of its roles, facts and moves. If a state and a joint move are renamed,
then so are all answers: terminal, legal moves, goals, and the next state. The initial state need not be the same, as
only one role begins in most games.

It is found by colouring the atoms and rules of two copies of the program: one as it is, and one in which another role,
fact or move stands in the place of the first. Atoms get different colours when their definitions or uses differ (colour
refinement); facts and moves that have the same colour are then told apart one by one. The result is proved by
`_proves`: the atoms that a state and a joint move determine are paired, and all derived atoms of a colour have, up to
colours, the same rules or count the same atoms. Then atoms of one colour have the same truth value (bisimulation).

`symmetries` looks for generators of the whole group: the first fact or move that shares its colour is mapped to each of
the others that cannot be reached by what was found before. Then it is fixed, and so on with the next (as nauty does:
McKay and Piperno 2014).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from gdl.grounder.program import ALWAYS, GroundProgram
from gdl.grounder.symmetry_graph import Graph
from gdl.terms import Term, leaves

if TYPE_CHECKING:
    from gdl.grounder.symmetry_graph import Colours

#: How many pairs of facts or moves are tried before the search for one symmetry is given up.
_MOST_TRIALS: Final = 500

#: The most edges of graphs that the search for generators looks at: some seconds of work. One look at all edges, and
#: one proof, take as long as this many edges and this many looks.
_MOST_EDGES: Final = 1_000_000_000
_LOOK: Final = 10_000
_PROOF: Final = 100

_MARK: Final = 0x5851F42D4C957F2D


@final
@dataclass(frozen=True, slots=True)
class Symmetry:
    """A symmetry. Each mapping is a permutation; facts that it leaves out are no facts of the program."""

    roles: dict[Term, Term]
    facts: dict[Term, Term]
    #: Role and move to role and move.
    moves: dict[tuple[Term, Term], tuple[Term, Term]]

    def after(self, first: Symmetry) -> Symmetry:
        """Return the symmetry that renames as `first` does, and then as this one."""
        return Symmetry(
            {role: self.roles[image] for role, image in first.roles.items()},
            {fact: self.facts[image] for fact, image in first.facts.items()},
            {move: self.moves[image] for move, image in first.moves.items()},
        )


@final
@dataclass(frozen=True, slots=True)
class SymmetryGroup:
    """Different symmetries, the identity first, and generators: the symmetries of which all others are made."""

    elements: list[Symmetry]
    generators: list[Symmetry]
    #: True if the elements are all that the generators make.
    complete: bool


def role_symmetry(program: GroundProgram, role: Term, other: Term, edges: int | None = None) -> Symmetry | None:
    """Return a symmetry that turns one role into another; None if there is none, or none was found.

    Of several, one that changes few names is preferred. None is looked for in games with percepts. The search is given
    up after looking at a number of `edges` of graphs; 100 million take a second or two.
    """
    if program.sees:
        return None
    graph = Graph(program)
    start = graph.first_colours()
    left, right = start.copy(), start.copy()
    left[graph.nodes["role", role]] = right[graph.nodes["role", other]] = _MARK
    return _Search(graph, edges).symmetry(left, right)


def symmetries(
    program: GroundProgram, most: int = 16, *, keep_roles: bool = False, keep_start: bool = False
) -> list[Symmetry]:
    """Return different symmetries, at most `most`, the identity first; all that the game has, or some of them.

    With `keep_roles`, only those that map each role to itself are looked for, and with `keep_start` only those that
    keep the initial state: they turn states that can be reached into such states. None but the identity is looked for
    in games with percepts. Work is limited by counting it, so a program has the same symmetries on every machine.
    """
    return _found(program, most, keep_roles, keep_start, early=True).elements


def symmetry_group(
    program: GroundProgram, most: int = 16, *, keep_roles: bool = False, keep_start: bool = False
) -> SymmetryGroup:
    """Return what `symmetries` does, with generators of all symmetries that were found."""
    return _found(program, most, keep_roles, keep_start, early=False)


def _found(program: GroundProgram, most: int, keep_roles: bool, keep_start: bool, *, early: bool) -> SymmetryGroup:
    """Look for symmetries; if `early`, only until there are enough."""
    graph = Graph(program)
    found = [
        Symmetry(
            {role: role for role in program.roles},
            {fact: fact for fact in graph.facts},
            {move: move for move in graph.moves},
        )
    ]
    start = {graph.nodes["fact", fact] for fact in program.init if ("fact", fact) in graph.nodes}
    kept = [start] if keep_start else []
    kept += [{graph.nodes["role", role]} for role in program.roles] if keep_roles else []
    generators: list[Symmetry] = []
    complete = True
    for generator in () if program.sees else _generators(graph, kept):
        generators.append(generator)
        complete = complete and _extend(found, generators, most)
        if early and len(found) >= most:
            break
    return SymmetryGroup(found[:most], generators, complete)


def _extend(found: list[Symmetry], generators: Sequence[Symmetry], most: int) -> bool:
    """Add what generators make of symmetries; return False, with more than `most` of them, if not all were added."""
    for one in found:  # which grows meanwhile
        for other in generators:
            image = other.after(one)
            if image not in found:
                found.append(image)
            if len(found) > most:
                return False
    return True


def _generators(graph: Graph, kept: Iterable[set[int]]) -> Iterator[Symmetry]:
    """Yield generators: first those that move some fact or move, then those that fix it and move another, and so on.

    They map each set of `kept` nodes to itself.
    """
    search = _Search(graph, _MOST_EDGES)
    colours = graph.first_colours()
    for number, nodes in enumerate(kept, 1):
        for node in nodes:
            colours[node] ^= _MARK + number
    while (stable := search.stable(colours, colours)) is not None:
        colours, _ = stable
        one = search.shared(colours)
        if one is None:
            return
        own: list[Symmetry] = []
        reached = {one}
        for other in search.candidates(one, colours, colours):
            if other in reached:
                continue
            left, right = colours.copy(), colours.copy()
            left[one] = right[other] = _MARK
            found = search.symmetry(left, right)
            if found is not None:
                yield found
                own.append(found)
                reached = _orbit(graph, one, own)
        colours = colours.copy()
        colours[one] = _MARK


def _orbit(graph: Graph, one: int, generators: Sequence[Symmetry]) -> set[int]:
    """Return the nodes of facts or moves to which symmetries, done one after the other, map a node."""
    reached, left = {one}, [one]
    while left:
        kind, *name = graph.keys[left.pop()]
        for generator in generators:
            image = ("fact", generator.facts[name[0]]) if kind == "fact" else ("move", *generator.moves[*name])
            if (node := graph.nodes[image]) not in reached:
                reached.add(node)
                left.append(node)
    return reached


@final
class _Search:
    """Tells the facts and moves of two coloured copies of a graph apart, until each has a colour of its own."""

    def __init__(self, graph: Graph, edges: int | None = None) -> None:
        """Search a graph. All searches together give up after this many edges."""
        self._graph = graph
        self._edges = edges
        self._trials = 0

    def symmetry(self, left: Colours, right: Colours) -> Symmetry | None:
        """Return a symmetry that maps nodes of the left copy to nodes with the same colour in the right one.

        Returns None if none was found.
        """
        self._trials = 0
        found = self._run(left, right)
        if found is None:
            return None
        graph, image = self._graph, self._image(*found)
        if self._edges is not None:
            self._edges -= _PROOF * graph.edges
        if not _proves(graph, *found, image):
            return None
        return Symmetry(
            roles={one: image["role", one][1] for one in graph.program.roles},
            facts={fact: image["fact", fact][1] for fact in graph.facts},
            moves={(one, move): image["move", one, move][1:] for one, move in graph.moves},
        )

    def shared(self, colours: Colours) -> int | None:
        """Return the first fact or move that has the colour of another one; None if there is none."""
        import numpy as np

        wanted = self._graph.wanted
        _, inverse, counts = np.unique(colours[wanted], return_inverse=True, return_counts=True)
        shared = np.flatnonzero(counts[inverse] > 1)
        return int(wanted[shared[0]]) if len(shared) else None

    def _run(self, left: Colours, right: Colours) -> tuple[Colours, Colours] | None:
        """Return colours in which each fact and each move is alone in its copy; None if the copies differ."""
        self._trials += 1
        if self._trials > _MOST_TRIALS:
            return None
        refined = self.stable(left, right)
        if refined is None:
            return None
        left, right = refined
        one = self.shared(left)
        if one is None:
            return left, right
        for other in self.candidates(one, left, right):
            marked, image = left.copy(), right.copy()
            marked[one] = image[other] = _MARK + self._trials
            found = self._run(marked, image)
            if found is not None or self._trials > _MOST_TRIALS:
                return found
        return None

    def _image(self, left: Colours, right: Colours) -> dict[Any, Any]:
        """Return, for each node with a key in the left copy, the key of one in the right copy with the same colour."""
        at = {int(right[number]): key for key, number in self._graph.nodes.items()}
        return {key: at[int(left[number])] for key, number in self._graph.nodes.items()}

    def stable(self, left: Colours, right: Colours) -> tuple[Colours, Colours] | None:
        """Refine colours until no more nodes are told apart.

        Returns None if the copies have different colours, or the search is given up.
        """
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
            if self._edges is not None:
                self._edges -= 2 * (self._graph.edges + _LOOK)
                if self._edges < 0:
                    return None
            left, right = self._graph.refined(left), self._graph.refined(right)

    def candidates(self, one: int, left: Colours, right: Colours) -> Iterable[int]:
        """Return the nodes in the right copy with the colour of a node in the left one, the most similar first."""
        import numpy as np

        wanted = self._graph.wanted
        others = [int(number) for number in wanted[np.flatnonzero(right[wanted] == left[one])]]
        own = list(_words(self._graph.keys[one]))
        return sorted(others, key=lambda other: -_equal(own, list(_words(self._graph.keys[other]))))


def _words(key: Any) -> Iterator[str]:
    for part in key[1:]:
        yield from (leaf.text for leaf in leaves(part))


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else -1


def _proves(graph: Graph, left: Colours, right: Colours, image: Mapping[Any, Any]) -> bool:
    """Return True if colours prove that a mapping of roles, facts, moves and goals is a symmetry."""
    program = graph.program
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
    if len({image["role", role] for role in program.roles}) < len(program.roles):
        return False
    if program.terminal is not None and left[program.terminal] != right[program.terminal]:
        return False
    return _bisimilar(graph, left.tolist(), right.tolist())


def _bisimilar(graph: Graph, left: Sequence[int], right: Sequence[int]) -> bool:
    """Return True if the open atoms of each copy have different colours, and others the same meaning up to colours."""
    program, counts = graph.program, graph.meanings.counts
    open_atoms = {*program.true.values(), *program.does.values()} - {ALWAYS}
    meanings: dict[int, object] = {}
    for colours in (left, right):
        bodies: defaultdict[int, set[frozenset[tuple[int, bool]]]] = defaultdict(set)
        for head, body in graph.meanings.rules:
            bodies[head].add(frozenset((colours[abs(literal)], literal > 0) for literal in body))
        if len({colours[atom] for atom in open_atoms}) < len(open_atoms):
            return False
        for atom in range(program.size):
            meaning: object
            if atom in counts:
                meaning = counts[atom].numbers, frozenset(Counter(colours[one] for one in counts[atom].atoms).items())
            else:
                kind = "open" if atom in open_atoms else "always" if atom == ALWAYS else "derived"
                meaning = kind, frozenset(bodies[atom]) if kind == "derived" else None
            if meanings.setdefault(colours[atom], meaning) != meaning:
                return False
    return True

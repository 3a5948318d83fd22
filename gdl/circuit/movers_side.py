"""A game as the role sees it whose turn it is, where a symmetry exchanges two roles that take turns.

After each step, facts are renamed by the symmetry, so that it is always the turn of the same role. What the rules say
about the turns of the other one is not needed, which is up to half of the circuit. Which role has which goal is known
from the number of steps.

The states that occur are states of the game, or images of such states. So whatever is known of all states of the game,
and of all their images, is known of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar, final

from gdl.circuit.gates import Group
from gdl.circuit.proofs.ends import without_impossible_ends
from gdl.circuit.proofs.invariants import Invariants, simplified
from gdl.grounder.symmetry import Symmetry, role_symmetry

if TYPE_CHECKING:
    from gdl.circuit.game import GameCircuit
    from gdl.circuit.plan import Plan
    from gdl.grounder.program import GroundProgram

T = TypeVar("T")

#: The limits of the search for a symmetry: the rules of a program, and the edges of graphs that are looked at, which is
#: two or three seconds of work.
_MOST_RULES: Final = 100_000
_MOST_EDGES: Final = 200_000_000


@final
@dataclass(frozen=True, slots=True)
class MoversSide:
    """A game in which it is always the first turn's role that moves.

    In `game`, a step also renames the facts. The facts, moves and roles are numbered as in the game itself. It is
    right in states that are not terminal, and after every step from one.
    """

    game: GameCircuit
    #: For each fact, the number of the one that is renamed to it.
    source: tuple[int, ...]
    #: The number of the fact that holds when it is the other role's turn; then a state has to be renamed first.
    other: int


def movers_side(
    program: GroundProgram, game: GameCircuit, simple: GameCircuit, known: Invariants, plan: Plan
) -> MoversSide | None:
    """Return the mover's side of a game; None if its roles do not take turns strictly, or no symmetry was found.

    It is not made either if the plan has no room for it.

    `simple` is the game as it was simplified by what is `known` of its states, which need not be true of their images.
    """
    turns = _turns(game)
    if turns is None or not plan.has_room or len(program.rules) > _MOST_RULES:
        return None
    first, second = game.roles
    symmetry = role_symmetry(program, first, second, _MOST_EDGES)
    if symmetry is None or symmetry.roles[second] != first:
        return None
    numbers = {fact: number for number, fact in enumerate(game.facts)}
    image = tuple(numbers[symmetry.facts[fact]] for fact in game.facts)
    own, other = turns
    if image[own] != other or image[other] != own:
        return None
    common = _common(game, known, symmetry, image)
    sided = replace(
        common,
        groups=tuple(_without(common.groups, 1 + own, 1 + other)),
        constants={**common.constants, own: True, other: False},
    )
    # If all that is known is true of images, too, nothing has to be simplified again.
    base = simple if common == _named(known) else game
    source = tuple(sorted(range(len(image)), key=image.__getitem__))
    following = tuple(base.next[number] for number in source)
    side = simplified(replace(base, next=following), sided, rebuilds=plan.rebuilds)
    return MoversSide(without_impossible_ends(side), source, other)


def _turns(game: GameCircuit) -> tuple[int, int] | None:
    """Return the facts that say whose turn it is, that of the initial state first, if each follows the other.

    Exactly one of them holds in every state then.
    """
    if len(game.roles) != 2 or game.sees:
        return None
    for own, literal in enumerate(game.next):
        other = (literal >> 1) - 1
        known = literal % 2 == 0 and 0 <= other < len(game.facts)
        if known and game.init[own] and not game.init[other] and game.next[other] == game.fact(own):
            return own, other
    return None


def _common(game: GameCircuit, known: Invariants, symmetry: Symmetry, image: tuple[int, ...]) -> Invariants:
    """Return what is known of all states and of their images."""
    role_of = {number: game.roles.index(symmetry.roles[role]) for number, role in enumerate(game.roles)}
    moves = {move: number for number, move in enumerate(game.moves)}
    renamed = {}
    for number, (role, move) in enumerate(game.moves):
        other, image_move = symmetry.moves[game.roles[role], move]
        renamed[number] = moves[game.roles.index(other), image_move]
    groups = {Group(tuple(sorted(group.nodes)), group.exact): group for group in known.groups}
    group_images = {
        group: Group(tuple(sorted(1 + image[node - 1] for node in group.nodes)), group.exact) for group in groups
    }
    constants = {fact: (fact, holds) for fact, holds in known.constants.items()}
    kept = _kept(constants.values(), {one: (image[one[0]], one[1]) for one in constants.values()})
    goals = {key: (role_of[key[0]], key[1]) for key in known.never_goals}
    both = frozenset(role_of)
    return Invariants(
        groups=tuple(groups[group] for group in _kept(groups, group_images)),
        constants=dict(sorted(kept)),
        never_legal=frozenset(_kept(known.never_legal, renamed)),
        never_goals=frozenset(_kept(known.never_goals, goals)),
        one_goal=known.one_goal if known.one_goal == both else frozenset(),
        always_moves=known.always_moves if known.always_moves == both else frozenset(),
    )


def _named(known: Invariants) -> Invariants:
    """Return what is known, without how it was found."""
    return replace(known, claims=(), candidates=0, proved=0, unknown=0, seconds=0.0)


def _without(groups: Iterable[Group], own: int, other: int) -> Iterator[Group]:
    """Yield groups without two nodes, of which the first always holds, and the second never."""
    for group in groups:
        nodes = tuple(node for node in group.nodes if node != other)
        if own not in nodes and len(nodes) > 1:
            yield Group(nodes, group.exact)


def _kept(known: Collection[T], images: Mapping[T, T]) -> list[T]:
    """Return the members of a collection that are images of members that are kept, in order."""
    kept = dict.fromkeys(known)
    while True:
        reached = {images[one] for one in kept}
        left = {one: None for one in kept if one in reached}
        if len(left) == len(kept):
            return list(left)
        kept = left

"""Images of states by the symmetries of a game: what is learned from a position holds for its mirror image, too.

Which symmetries there are is proved from the rules: see `gdl.grounder.symmetry`. Duels use those that keep the roles:
where one role begins, an exchange of the roles makes images that no match reaches, and learning these made values
worse. Other games use those that keep the initial state, so that images can be reached.

Finding images takes seconds in some games, and would hold up the threads of a player. So `alphabeta` lets a process of
lower priority, `python -m ggp.players.learned_values.images`, find them. Both ways keep them in the cache of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from gdl.compile_budget import CompileBudget
from gdl.errors import GdlError
from gdl.grounder import ground
from gdl.grounder.symmetry import symmetries
from gdl.language.rulesheet import Rulesheet
from gdl.system.childprocess import PICKLES, Parent, end_process
from gdl.terms import Term, name_key
from ggp.players.learned_values.array_file import ArrayFile, packed, unpacked
from ggp.players.learned_values.value import players_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.cache import Cache
    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.replay import Examples

#: The most ground rules of a game whose symmetries are looked for. Grounding them takes some seconds.
_MOST_RULES: Final = 150_000

#: The most images of a state, itself included.
_MOST: Final = 16

#: The name of the entry in the cache, and its format.
_ENTRY: Final = "images"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """The images of states and of the values of roles.

    `facts`: (images, facts) int32, for each fact the one that takes its place. `roles`: (images, roles) int32, the same
    for roles but chance. The first image is the state itself.
    """

    facts: NDArray[np.int32]
    roles: NDArray[np.int32]

    @classmethod
    def none(cls, facts: int, roles: int) -> Images:
        """Return the images of a game without symmetries."""
        return cls(np.arange(facts, dtype=np.int32)[None], np.arange(roles, dtype=np.int32)[None])

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[Any]], facts: int, roles: int) -> Images:
        """Return images that `arrays` has given. Raises KeyError, and ValueError if they are not sound."""
        found = cls(arrays["image_facts"], arrays["image_roles"])
        for array, width in ((found.facts, facts), (found.roles, roles)):
            if array.dtype != np.int32 or array.ndim != 2 or array.shape != (len(found.facts), width):
                raise ValueError("images that do not fit the game")
            if not len(array) or (np.sort(array, axis=1) != np.arange(width)).any():
                raise ValueError("images that are no permutations")
        return found

    def arrays(self) -> dict[str, NDArray[np.int32]]:
        """Return the arrays, by their names in files."""
        return {"image_facts": self.facts, "image_roles": self.roles}

    def of(self, examples: Examples, random: np.random.Generator) -> Examples:
        """Return examples each of which is replaced by one of its images at random.

        Values are those of the roles, (n, roles), or one for each state, (n,), which its images share.
        """
        states, values = examples
        if len(self.facts) == 1:
            return examples
        chosen = random.integers(0, len(self.facts), len(states))
        states, values = states.copy(), values.copy()
        for number in range(1, len(self.facts)):
            rows = np.flatnonzero(chosen == number)
            states[rows] = _moved(states[rows], self.facts[number])
            if values.ndim == 2:
                values[rows[:, None], self.roles[number]] = values[rows]
        return states, values


def find_images(simulator: Simulator, *, duel: bool) -> Images:
    """Return the images by the symmetries of a game; only the states themselves if it has too many ground rules."""
    return kept_images(simulator, duel, lambda: _found(*questions(simulator), duel=duel))


def kept_images(simulator: Simulator, duel: bool, make: Callable[[], Images]) -> Images:
    """Return images from the cache of a game, or make and keep them."""
    entries = image_entries(simulator, duel)
    content = entries.read(_ENTRY)
    if content is not None:
        return Images.read(unpacked(content, _ENTRY).arrays, len(simulator.all_facts), len(players_of(simulator)))
    images = make()
    entries.write(_ENTRY, packed(ArrayFile(_ENTRY, {}, images.arrays())))
    return images


def image_entries(simulator: Simulator, duel: bool) -> Cache:
    """Return the entries of the cache for the images of a game."""
    return simulator.entries(_ENTRY, str(duel), str(_MOST_RULES), str(_MOST))


#: A rulesheet, the facts of its game in the order of states, and its roles but chance.
Questions = tuple[Rulesheet, tuple[Term, ...], tuple[str, ...]]


def questions(simulator: Simulator) -> Questions:
    """Return what another process has to know to find images."""
    return simulator.rulesheet, simulator.all_facts, players_of(simulator)


def _found(rulesheet: Rulesheet, facts: tuple[Term, ...], roles: tuple[str, ...], *, duel: bool) -> Images:
    try:
        # Rules that are split to ground less of them are less alike.
        program = ground(rulesheet, CompileBudget(rules=_MOST_RULES), split=False)
    except GdlError:
        return Images.none(len(facts), len(roles))
    place = {fact: number for number, fact in enumerate(facts)}
    seat = {role: number for number, role in enumerate(roles)}
    found: dict[tuple[int, ...], list[int]] = {}
    for symmetry in symmetries(program, _MOST, keep_roles=duel, keep_start=not duel):
        images = [place.get(symmetry.facts.get(fact, fact), -1) for fact in facts]
        if min(images, default=0) >= 0:
            by_name = {name_key(role.text): name_key(image.text) for role, image in symmetry.roles.items()}
            found.setdefault(tuple(images), [seat[by_name[role]] for role in roles])
    return Images(np.array(list(found), np.int32), np.array(list(found.values()), np.int32))


def _moved(states: NDArray[np.uint64], places: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return packed states (n, words) with each fact in another place."""
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    moved = np.zeros_like(bits)
    moved[:, places] = bits[:, : len(places)]
    found: NDArray[np.uint64] = np.packbits(moved, axis=1, bitorder="little").view(np.uint64)
    return found


def _serve() -> None:
    """Answer one question of another process."""
    parent = Parent(PICKLES)
    rulesheet, facts, roles, duel = parent.receive()
    parent.listen()
    images = _found(rulesheet, facts, roles, duel=duel)
    parent.send((images.facts, images.roles))
    end_process()


if __name__ == "__main__":
    _serve()

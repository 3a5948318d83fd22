"""Symmetries of a game as permutations of observations and actions, to learn from the images of each position, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from gdl.grounder import ground
from gdl.grounder.symmetry import Symmetry, symmetry_group
from gdl.simulator.seeds import checked_count
from ggp.environments.observations import states_observer
from ggp.environments.perspective import Perspective

if TYPE_CHECKING:
    from gdl.terms import Term
    from ggp.environments.game import EnvironmentGame
    from ggp.environments.planes import Meaning


class Augmented(NamedTuple):
    """The images of n positions by k symmetries: all images by the first one, the identity, come first."""

    #: (k * n, *shape).
    observation: NDArray[Any]
    #: Masks, probabilities or visits of actions: (k * n, actions).
    policy: NDArray[Any]
    #: The number of the role that is asked: (k * n,).
    role: NDArray[Any]
    #: One for each agent: (k * n, agents); None if none were given.
    rewards: NDArray[Any] | None


@final
@dataclass(frozen=True, slots=True, eq=False)
class Symmetries:
    """k symmetries of a game, the identity first.

    Doing the image of an action in the image of a state gives the image of the next state, whose legal actions, rewards
    and end are the images of its own.
    """

    #: Role `i` becomes role `roles[s, i]`: (k, roles), int32.
    roles: NDArray[np.int32]
    #: `observation.reshape(-1)[observations[s]]` is the image of one observation: (k, size), int32.
    observations: NDArray[np.int32]
    #: Action `a` of role `i` becomes action `actions[s, i, a]` of role `roles[s, i]`: (k, roles, actions), int32.
    actions: NDArray[np.int32]
    #: The numbers of the roles that agents take, in the order of rewards.
    agents: tuple[int, ...]
    #: True if there are no symmetries but these, as far as any were found.
    complete: bool
    #: Generators of all symmetries that were found: doing them one after the other makes the others. Theirs are empty.
    generators: Symmetries | None = None

    def __len__(self) -> int:
        """Return the number of symmetries."""
        return len(self.roles)

    def augment(
        self,
        observation: NDArray[Any],
        policy: NDArray[Any],
        role: NDArray[Any],
        rewards: NDArray[Any] | None = None,
    ) -> Augmented:
        """Return the images of positions by all symmetries.

        Args:
            observation: (n, *shape), of the kind that the symmetries were made for.
            policy: A number for each action, such as a mask, probabilities or visits: (n, actions).
            role: The number of the role that is asked, negative where nobody is: (n,).
            rewards: A number for each agent, such as rewards or values: (n, agents).
        """
        count, k = len(observation), len(self)
        seen = observation.reshape(count, -1)[:, self.observations].swapaxes(0, 1)
        # The image of a policy has at `actions[a]` what the policy has at `a`.
        sources = np.argsort(self.actions, axis=2)[:, role]
        policies = np.take_along_axis(np.broadcast_to(policy, (k, *policy.shape)), sources, axis=2)
        asked = np.where(role >= 0, self.roles[:, role], role)
        valued = None
        if rewards is not None:
            place = {role: number for number, role in enumerate(self.agents)}
            seats = np.array([[place[int(images[agent])] for agent in self.agents] for images in self.roles])
            valued = np.empty((k, *rewards.shape), rewards.dtype)
            for images, own in zip(seats, valued, strict=True):
                own[:, images] = rewards
            valued = valued.reshape(k * count, -1)
        return Augmented(
            np.ascontiguousarray(seen).reshape(k * count, *observation.shape[1:]),
            policies.reshape(k * count, -1),
            asked.reshape(-1),
            valued,
        )


def find_symmetries(
    game: EnvironmentGame, most: int, observation: str, *, keep_roles: bool, keep_start: bool
) -> Symmetries:
    """Return the symmetries of a game: see `EnvironmentGame.symmetries`."""
    meanings = states_observer(game, observation).meanings()
    mover = game.perspective is Perspective.MOVER
    # Rules that are split to ground less of them are less alike.
    program = ground(game.simulator.rulesheet, split=False)
    group = symmetry_group(program, checked_count("most", most), keep_roles=keep_roles or mover, keep_start=keep_start)

    def made(found: Sequence[Symmetry], complete: bool, generators: Symmetries | None) -> Symmetries:
        rows = [row for one in found if (row := _row(game, program.roles, one, meanings)) is not None]
        roles, actions = len(game.roles), len(game.actions)
        return Symmetries(
            np.array([row[0] for row in rows], np.int32).reshape(len(rows), roles),
            np.array([row[1] for row in rows], np.int32).reshape(len(rows), len(meanings)),
            np.array([row[2] for row in rows], np.int32).reshape(len(rows), roles, actions),
            game.agents,
            complete and len(rows) == len(found),
            generators,
        )

    return made(group.elements, group.complete, made(group.generators, True, None))


def _row(
    game: EnvironmentGame, roles: Sequence[Term], symmetry: Symmetry, meanings: Sequence[Meaning]
) -> tuple[list[int], list[int], list[list[int]]] | None:
    """Return the images of roles, the sources of observations, and the images of actions by role.

    Returns None if the symmetry moves a fact or a move that the compiled game knows to one that it does not know.
    """
    numbers = {fact: number for number, fact in enumerate(game.simulator.all_facts)}
    images = {number: numbers.get(symmetry.facts.get(fact, fact), -1) for fact, number in numbers.items()}
    places = {meaning: place for place, meaning in enumerate(meanings)}
    sources = [-1] * len(meanings)
    for place, (facts, number) in enumerate(meanings):
        image = places.get((frozenset(images[fact] for fact in facts), number))
        if image is None:
            return None
        sources[image] = place
    if -1 in sources:
        return None
    moves = set(game.actions)
    actions = []
    for role in range(len(roles)):
        # From the mover's side, all agents see what the first one does.
        own = game.agents[0] if game.perspective is Perspective.MOVER and role in game.agents else role
        known = {}
        for move, action in zip(game.simulator.all_moves(game.roles[own]), game.action_lists[own], strict=True):
            owner, image_move = symmetry.moves.get((roles[own], move), (roles[own], None))
            if image_move not in moves:
                return None
            known[action] = game.action(image_move, roles.index(owner))
        # Actions that are no moves of the role get the numbers that are left.
        rest = iter(sorted(set(range(len(game.actions))) - set(known.values())))
        actions.append([known[action] if action in known else next(rest) for action in range(len(game.actions))])
    return [roles.index(symmetry.roles[role]) for role in roles], sources, actions

"""Parts of a learned value: the share that each fact of a state adds to it.

The network is no sum over facts, so the share of one depends on the others. What a fact adds is the difference that it
makes here: the value of the state less the value that it would have without that fact alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from gdl.terms import Term, name_key
from ggp.players.learned_values.array_file import ArrayFileError
from ggp.players.learned_values.network import network_of
from ggp.players.learned_values.role_networks import networks_of
from ggp.players.learned_values.value import LearnedValue

#: The network counts in hundreds of points.
_POINTS: Final = 100.0


@final
@dataclass(frozen=True, slots=True)
class Part:
    """A fact of a state: `adds` is the difference that it makes here, `alone` its own weight, both in points."""

    fact: Term
    adds: float
    alone: float


@final
@dataclass(frozen=True, slots=True)
class ValueParts:
    """The learned value of a state, in points, before any search.

    It is the goal of `role`, or the first role's goal minus the other's if `role` is empty. `base` is the value
    without any facts. `parts` are the facts of the state, those that add or take away most first.
    """

    value: float
    base: float
    parts: tuple[Part, ...]
    role: str = ""


def value_parts(value: LearnedValue, state: Iterable[Term], name: str, role: str = "") -> ValueParts:
    """Return what the value of a state is made of. Facts that the file does not know are the same in every state.

    `role` is one of those in the file, in lower case; if it is empty, the first one.

    Raises ArrayFileError if the arrays of the file, whose name is `name`, are not those of a network, or if it has no
    value for the role.
    """
    if role and not value.roles:
        raise ArrayFileError(name, "it has one value for both roles: the goal of the first less that of the second")
    if role and role not in value.roles:
        raise ArrayFileError(name, f"it has no value for {role}, only for {', '.join(value.roles)}")
    role = role or next(iter(value.roles), "")
    try:
        if value.roles:
            network = networks_of(value.arrays, len(value.roles))[value.roles.index(role)]
        else:
            network = network_of(value.arrays)
        if network.facts != len(value.facts):
            raise ValueError("no weights for its facts")
    except ValueError as error:
        raise ArrayFileError(name, str(error)) from None
    place = {fact: number for number, fact in enumerate(value.facts)}
    facts = [fact for fact in state if name_key(fact.text) in place]
    rows = np.array([place[name_key(fact.text)] for fact in facts], np.int64)
    holds = np.zeros((len(facts) + 2, len(value.facts)), np.float32)
    holds[:-1, rows] = 1  # the state, once for each fact without it, and then no facts at all
    holds[1 + np.arange(len(facts)), rows] = 0
    values = _POINTS * network.values(holds)
    alone = _POINTS * network.weights[rows, -1]
    parts = [
        Part(fact, float(values[0] - without), float(own))
        for fact, without, own in zip(facts, values[1:-1], alone, strict=True)
    ]
    parts.sort(key=lambda part: (-abs(part.adds), part.fact.text))
    return ValueParts(float(values[0]), float(values[-1]), tuple(parts), role)

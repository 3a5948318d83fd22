"""The reason for the end of a match: the facts from which the end and the goals follow, and the condition in words."""

from __future__ import annotations

from collections.abc import Iterator

from gdl.engine import player_roles
from gdl.explanation.tree import Absence, Derivation, Source
from gdl.language.rules import Literal
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Term
from ggp.rules.wording import conditions_in_words


def end_of(game: Reasoner, state: State) -> tuple[list[Term], str]:
    """Return the facts on which the end and the goals rest, and the condition that ends the match.

    Both are empty in a state that is not terminal. Raises the errors of `Reasoner.explain`.
    """
    terminal = game.explain("terminal", state)
    if not terminal.derivations:
        return [], ""
    derivation = terminal.derivations[0]
    premises = [premise for premise in derivation.premises if isinstance(premise, Derivation | Absence)]
    words = conditions_in_words(Literal(premise.atom, isinstance(premise, Absence)) for premise in premises)
    found = dict.fromkeys(_facts(derivation))
    for role in player_roles(game):
        for goal in game.explain(f"(goal {role} ?value)", state).instances:
            for one in game.explain(str(goal), state).derivations[:1]:
                found.update(dict.fromkeys(_facts(one)))
    return list(found), words if premises else ""


def _facts(derivation: Derivation) -> Iterator[Term]:
    """Yield the facts of the state in a derivation."""
    waiting = [derivation]
    seen: set[int] = set()  # derivations may share parts
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            if one.source is Source.STATE:
                yield one.atom.args[0]
            waiting += [premise for premise in one.premises if isinstance(premise, Derivation)]

"""Learned values of positions in files, for the rules that they were learned for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import Engine, hides_states, is_nature
from gdl.language.rulesheet import Rulesheet
from gdl.terms import name_key
from ggp.players.alphabeta.array_file import ArrayFile, ArrayFileError, read_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.players.alphabeta.network import Network

FORMAT: Final = "ggp-learned-2"

#: The end of the names of files.
SUFFIX: Final = ".learned"


@final
@dataclass(frozen=True, slots=True)
class LearnedValue:
    """What was learned about the positions of a game: the arrays of a network over its facts.

    `rules` is the hash of the rules, and `facts` are the facts in the order of the arrays' rows, in lower case. `made`
    says how it was learned.
    """

    rules: str
    facts: tuple[str, ...]
    made: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def file(self) -> ArrayFile:
        """Return the contents of a file."""
        about = {"rules": self.rules, "facts": list(self.facts), "made": dict(self.made)}
        return ArrayFile(FORMAT, about, dict(self.arrays))

    def refusal(self, game: Engine) -> str:
        """Return why this is of no use for a game, in a few words; empty if it may be used."""
        if reason := unfit(game):
            return reason
        rulesheet = getattr(game, "rulesheet", None)
        if not isinstance(rulesheet, Rulesheet):
            return "the game was not made from rules"
        return "" if rules_hash(rulesheet) == self.rules else "it was learned for other rules"

    def network(self, simulator: Simulator, name: str) -> Network:
        """Return the network for the facts of a game; `name` is that of the file. Raises ArrayFileError."""
        from ggp.players.alphabeta.network import network_of

        if reason := self.refusal(simulator):
            raise ArrayFileError(name, reason)
        try:
            return network_of(ordered(self.arrays, self.facts, facts_of(simulator)))
        except ValueError as error:
            raise ArrayFileError(name, f"it does not fit the compiled game, so train again: {error}") from None


def read_value(path: str | Path) -> LearnedValue:
    """Read a file. Raises ArrayFileError."""
    file = read_arrays(path, FORMAT)
    about = file.about
    rules, facts, made = about.get("rules"), about.get("facts"), about.get("made")
    if not isinstance(rules, str) or not isinstance(made, dict) or not isinstance(facts, list):
        raise ArrayFileError(str(path), "the header is not in the format")
    if not all(isinstance(fact, str) for fact in facts) or len(set(facts)) < len(facts):
        raise ArrayFileError(str(path), "the list of facts is not in the format")
    return LearnedValue(rules, tuple(facts), made, file.arrays)


def read_value_for(path: str | Path, rulesheet: Rulesheet) -> LearnedValue:
    """Read a file of values that were learned for some rules. Raises ArrayFileError."""
    found = read_value(path)
    if found.rules != rules_hash(rulesheet):
        raise ArrayFileError(str(path), "it was learned for other rules")
    return found


def value_beside(rules: str | Path) -> Path | None:
    """Return the file of learned values beside a rule file; None if there is none.

    `rules` may be the name of rules that come from no file, which is any text.
    """
    try:
        path = Path(rules).with_suffix(SUFFIX)
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def rules_hash(rulesheet: Rulesheet) -> str:
    """Return a hash of rules that does not depend on comments, line breaks, and the case of names."""
    return sha256(name_key("\n".join(map(str, rulesheet.rules))).encode("utf-8", "surrogatepass")).hexdigest()


def facts_of(simulator: Simulator) -> tuple[str, ...]:
    """Return the facts of a compiled game as a file lists them."""
    return tuple(name_key(fact.text) for fact in simulator.all_facts)


def unfit(game: Engine) -> str:
    """Return why alpha-beta cannot play a game, in a few words; empty if it may."""
    if hides_states(game):
        return "states are hidden in this game"
    if any(map(is_nature, game.roles)):
        return "this game has a chance role"
    if len(game.roles) != 2:
        return f"the number of roles in this game is {len(game.roles)}, not 2"
    return ""


def ordered(
    arrays: Mapping[str, NDArray[Any]], facts: tuple[str, ...], wanted: tuple[str, ...]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network for its facts in another order. Raises ValueError."""
    import numpy as np

    from ggp.players.alphabeta.tuples import Tuples

    place = {fact: number for number, fact in enumerate(wanted)}
    if place.keys() != set(facts):
        raise ValueError("its facts are other ones")
    weights = arrays.get("weights")
    if weights is None or weights.ndim != 2 or len(weights) != len(facts):
        raise ValueError("no weights for its facts")
    links = Tuples.read(arrays, len(facts)).links.copy()
    new = np.array([place[fact] for fact in facts], np.int32)
    links[:, 0] = new[links[:, 0]]
    return {**arrays, "weights": weights[np.argsort(new)], "links": links[np.argsort(links[:, 0], kind="stable")]}

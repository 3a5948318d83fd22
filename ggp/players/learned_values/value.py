"""Learned values of positions in files, for the rules that they were learned for.

In a duel, where two roles take turns, one network gives the difference of their goals, for alpha-beta search. In all
other games, there is a network for the goal of each role, for Monte Carlo tree search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from gdl.engine import Engine, hides_states, is_nature, player_roles
from gdl.language.rulesheet import Rulesheet
from gdl.terms import name_key
from ggp.players.learned_values.array_file import ArrayFile, ArrayFileError, read_arrays
from ggp.players.learned_values.measured import Measured, measured_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator
    from ggp.players.learned_values.network import Network

FORMAT: Final = "ggp-learned-2"

#: The searches in which values are used.
ALPHABETA: Final = "alphabeta"
MCTS: Final = "mcts"

#: The largest exploration beside priors.
MOST_EXPLORATION: Final = 10.0

#: The format of files with a network for each role.
BY_ROLE: Final = "ggp-learned-3"

#: The end of the names of files.
SUFFIX: Final = ".learned"

#: Why another version of the program cannot use values, before what differs.
_MISFIT: Final = "it does not fit the compiled game, so train again"

#: Why nobody can use values of states that players do not see.
HIDDEN: Final = "states are hidden in this game"


@final
@dataclass(frozen=True, slots=True)
class LearnedValue:
    """Learned values of the positions of a game: the arrays of a network over its facts.

    `rules` is the hash of the rules, and `facts` are the facts in the order of the arrays' rows, in lower case. `made`
    says how it was learned. `roles` are the roles that have a network each, in lower case; there are none if one
    network gives the difference of the goals of two roles. `search` is the search for which they are meant: values of
    roles are always for `MCTS`. `exploration` is that of `mcts` beside the priors that values give to moves.
    """

    rules: str
    facts: tuple[str, ...]
    made: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    roles: tuple[str, ...] = ()
    search: str = ALPHABETA
    exploration: float = 0.0

    def file(self) -> ArrayFile:
        """Return the contents of a file."""
        about: dict[str, Any] = {"rules": self.rules, "facts": list(self.facts), "made": dict(self.made)}
        if self.exploration:
            about["exploration"] = self.exploration
        if not self.roles:
            return ArrayFile(FORMAT, {**about, "search": self.search}, dict(self.arrays))
        return ArrayFile(BY_ROLE, {**about, "roles": list(self.roles)}, dict(self.arrays))

    def refusal(self, game: Engine) -> str:
        """Return why this is of no use for a game, in a few words; empty if it may be used."""
        if reason := self.unsuited(game):
            return reason
        rulesheet = getattr(game, "rulesheet", None)
        if not isinstance(rulesheet, Rulesheet):
            return "the game was not made from rules"
        if rules_hash(rulesheet) != self.rules:
            return "it was learned for other rules"
        facts = getattr(game, "all_facts", None)  # of a compiled game
        fits = facts is None or {name_key(fact.text) for fact in facts} == set(self.facts)
        return "" if fits else f"{_MISFIT}: its facts are other ones"

    @property
    def measured(self) -> Measured | None:
        """The score against `auto` that `made` has, or None. Raises ValueError if it is not in the format."""
        return measured_in(self.made)

    def doubt(self) -> str:
        """Return why `auto` is better off without these values, in a few words; empty if nothing speaks against them.

        Nothing does without a measurement, or if alpha-beta plays with them: one of its nodes takes much less time than
        a simulation of `mcts`, so equal numbers say little.
        """
        measured = self.measured
        if measured is None or self.search != MCTS or not measured.harmful:
            return ""
        return f"it had only {measured.text}"

    def unsuited(self, game: Engine) -> str:
        """Return why a game is of no kind for such values, in a few words; empty if it is."""
        if self.roles:
            return HIDDEN if hides_states(game) else ""
        return unfit(game)

    def network(self, simulator: Simulator, name: str) -> Network:
        """Return the one network, of a duel, for the facts of a game; `name` is that of the file.

        Raises ArrayFileError.
        """
        return self.networks(simulator, name)[0]

    def networks(self, simulator: Simulator, name: str) -> list[Network]:
        """Return the networks of the roles, or the one of a duel, for the facts of a game. Raises ArrayFileError."""
        from ggp.players.learned_values.network import network_of
        from ggp.players.learned_values.role_networks import networks_of

        if reason := self.refusal(simulator):
            raise ArrayFileError(name, reason)
        try:
            arrays = ordered(self.arrays, self.facts, facts_of(simulator))
            if not self.roles:
                return [network_of(arrays)]
            if self.roles != players_of(simulator):
                raise ValueError("its roles are other ones")
            return networks_of(arrays, len(self.roles))
        except ValueError as error:
            raise ArrayFileError(name, f"{_MISFIT}: {error}") from None


@final
@dataclass(frozen=True, slots=True)
class Learned:
    """Learned values, and the name of the file that they come from."""

    value: LearnedValue
    file: str


def read_value(path: str | Path, *, header: bool = False) -> LearnedValue:
    """Read a file. Raises ArrayFileError.

    With `header`, leave out the arrays. This is quick, and shows whether the values fit a game.
    """
    file = read_arrays(path, FORMAT, BY_ROLE, header=header)
    about = file.about
    rules, facts, made = about.get("rules"), about.get("facts"), about.get("made")
    if not isinstance(rules, str) or not isinstance(made, dict) or not isinstance(facts, list):
        raise ArrayFileError(str(path), "the header is not in the format")
    if not all(isinstance(fact, str) for fact in facts) or len(set(facts)) < len(facts):
        raise ArrayFileError(str(path), "the list of facts is not in the format")
    roles = about.get("roles") if file.format == BY_ROLE else []
    if not isinstance(roles, list) or not all(isinstance(role, str) for role in roles):
        raise ArrayFileError(str(path), "the list of roles is not in the format")
    if file.format == BY_ROLE and not roles:
        raise ArrayFileError(str(path), "it has values of no role")
    search = MCTS if roles else about.get("search", ALPHABETA)
    if search not in (ALPHABETA, MCTS):
        raise ArrayFileError(str(path), "it is for a search that this version does not have")
    exploration = about.get("exploration", 0.0)
    if not isinstance(exploration, float) or not 0 <= exploration <= MOST_EXPLORATION:
        raise ArrayFileError(str(path), "the exploration is not in the format")
    try:
        measured_in(made)
        if not header:
            _check(file.arrays, len(facts), len(roles))
    except ValueError as error:
        raise ArrayFileError(str(path), str(error)) from None
    return LearnedValue(rules, tuple(facts), made, file.arrays, tuple(roles), search, exploration)


def _check(arrays: Mapping[str, NDArray[Any]], facts: int, roles: int) -> None:
    """Raise ValueError unless the arrays are those of networks for this number of facts and of roles, 0 for a duel."""
    from ggp.players.learned_values.tuples import network_tuples, unstacked

    for network in unstacked(arrays, roles) if roles else [arrays]:
        network_tuples(network, facts)


def read_value_for(path: str | Path, rulesheet: Rulesheet, *, header: bool = False) -> LearnedValue:
    """Read a file of values that were learned for some rules, as `read_value` does. Raises ArrayFileError."""
    found = read_value(path, header=header)
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


def players_of(game: Engine) -> tuple[str, ...]:
    """Return the roles of a game but chance, as a file lists them."""
    return tuple(map(name_key, player_roles(game)))


def unfit(game: Engine) -> str:
    """Return why alpha-beta cannot play a game, in a few words; empty if it may."""
    if hides_states(game):
        return HIDDEN
    if any(map(is_nature, game.roles)):
        return "this game has a chance role"
    if len(game.roles) != 2:
        return f"the number of roles in this game is {len(game.roles)}, not 2"
    return ""


def ordered(
    arrays: Mapping[str, NDArray[Any]], facts: tuple[str, ...], wanted: tuple[str, ...]
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network, or of stacked ones, for their facts in another order. Raises ValueError."""
    import numpy as np

    from ggp.players.learned_values.tuples import Tuples

    place = {fact: number for number, fact in enumerate(wanted)}
    if place.keys() != set(facts):
        raise ValueError("its facts are other ones")
    weights = arrays.get("weights")
    if weights is None or weights.ndim not in (2, 3) or weights.shape[-2] != len(facts):
        raise ValueError("no weights for its facts")
    links = Tuples.read(arrays, len(facts)).links.copy()
    new = np.array([place[fact] for fact in facts], np.int32)
    links[:, 0] = new[links[:, 0]]
    return {
        **arrays,
        "weights": weights[..., np.argsort(new), :],
        "links": links[np.argsort(links[:, 0], kind="stable")],
    }

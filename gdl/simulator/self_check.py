"""Compares a compiled game with its rules when it is made: a net below all rewrites, proofs and code.

The circuit is compared with the Reasoner here, in the states of random playouts, and code with the circuit in
`code_check`. A check takes up to a tenth of the time in which the circuit or the code was made; up to the first end of
a playout, or some hundred plies, it may take a second. What has been compared is cached, and what is read from the
cache is not compared again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path
from random import Random
from time import thread_time
from typing import Final, final

from gdl.circuit.game import GameCircuit
from gdl.circuit.sampling import Lanes
from gdl.codegen.llvm.machine_code import host
from gdl.compile_errors import MiscompiledError
from gdl.errors import DerivationLimitError, NoLegalMoveError, Source
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator.cache import default_folder, fingerprint
from gdl.system.files import write_whole
from gdl.system.trust import make_private
from gdl.terms import Function, Term, Variable

#: The share of the time to make something that its check may take, and the seconds for the least that is checked.
_SHARE: Final = 0.1
_SECONDS: Final = 1.0

#: A circuit that was made in less time than this is checked as if it had taken that long: some 30 ms see more than one
#: playout of a small game.
_LEAST: Final = 0.3

#: The plies of the first playout that are enough if it has not ended.
_PLIES: Final = 200


@final
@dataclass
class Difference(Exception):
    """An atom that holds by the rules, or in the circuit, but not in what was compared with them, or the opposite."""

    #: What was compared: "circuit", or a kind of code.
    part: str
    atom: str
    #: True if the atom should hold.
    expected: bool
    #: The facts of the state, and the moves of all roles, if there are any.
    state: tuple[Term, ...]
    moves: tuple[Term, ...] = ()


@contextmanager
def comparing(source: Source, folder: Path | None) -> Iterator[None]:
    """Raise MiscompiledError for a Difference, after writing it to a file for a report, in a folder of the cache."""
    try:
        yield
    except Difference as difference:
        raise _reported(difference, source, folder) from None


def _reported(difference: Difference, source: Source, folder: Path | None) -> MiscompiledError:
    state = " ".join(fact.text for fact in difference.state)
    moves = " ".join(move.text for move in difference.moves)
    text = f"""; {source.name}: {difference.atom} {"holds" if difference.expected else "does not hold"} by the rules;
; the compiled game says the opposite. What was compared: {difference.part}, for {host().cpu} ({host().triple}).
; state: {state}
; joint move: {moves}
; gdl {fingerprint()[:16]}

{source.text}
"""
    content = text.encode("utf-8", "surrogatepass")
    folder = folder or default_folder()
    where: str | None = None
    if folder is not None:
        path = folder / "reports" / f"{hashlib.sha256(content).hexdigest()[:16]}.kif"
        with suppress(OSError, ValueError):
            make_private(path.parent)
            write_whole(path, content, mode=0o600)
            where = str(path)
    return MiscompiledError(source.name, difference.part, difference.atom, difference.expected, state, moves, where)


class Allowance:
    """The time of a check."""

    def __init__(self, made: float) -> None:
        """Allow a share of the seconds in which something was made."""
        self._share = _SHARE * made
        self.most = max(_SECONDS, self._share)
        self._begun = thread_time()

    def is_over(self, *, enough: bool) -> bool:
        """Return True if the check has to end; `enough` tells whether the least has been checked."""
        return thread_time() - self._begun > (self._share if enough else self.most)


# The circuit


def check_circuit(game: GameCircuit, rulesheet: Rulesheet, made: float) -> None:
    """Compare a circuit, made in some seconds, with the Reasoner. Raises Difference.

    What the Reasoner cannot answer in the time of the check is not compared.
    """
    budget = DerivationBudget(seconds=Allowance(made).most)
    with suppress(DerivationLimitError):
        comparison = _Comparison(game, Reasoner(rulesheet, budget=budget))
        allowance = Allowance(max(_LEAST, made))
        for number in count():
            for ply, _ in enumerate(comparison.playout(Random(number))):
                if allowance.is_over(enough=number > 0 or ply >= _PLIES):
                    return
            if allowance.is_over(enough=True):
                return


class _Comparison:
    """A circuit beside the Reasoner."""

    def __init__(self, game: GameCircuit, reasoner: Reasoner) -> None:
        self._game = game
        self._reasoner = reasoner
        self._lanes = Lanes(game, 1)
        self._made: Counter[tuple[int, Term]] = Counter()
        self._state: tuple[Term, ...] = ()
        self._moves: tuple[Term, ...] = ()

    def playout(self, random: Random) -> Iterator[None]:
        """Compare both in each state of a random playout, and yield after each."""
        game, reasoner, lanes = self._game, self._reasoner, self._lanes
        state = reasoner.initial_state()
        self._state = self._moves = ()
        for number, role in enumerate(reasoner.roles):
            if [own.text for own in game.roles[number : number + 1]] != [role]:
                raise Difference("circuit", f"(role {role})", True, ())
        self._same("init", those_held(game.facts, game.init), reasoner.facts(state))
        while True:
            self._state, self._moves = reasoner.facts(state), ()
            facts = set(self._state)
            lanes.set_facts([int(fact in facts) for fact in game.facts])
            terminal = reasoner.is_terminal(state)
            self._one("terminal", bool(lanes.values[game.terminal]), terminal)
            for number, name in enumerate(game.roles):
                held = [
                    value
                    for (own, value), on in zip(game.goals, self._read(game.goals.values()), strict=True)
                    if on and own == number
                ]
                asked = reasoner.query(Function("goal", (name, Variable("value"))), state)
                self._same(f"goal {name.text}", held, (answer["?value"] for answer in asked))
            if terminal:
                yield
                return
            legal = self._legal(reasoner, state)
            yield
            if not all(legal):
                return
            moves = self._moves = tuple(map(self._rarest, range(len(legal)), legal, repeat(random)))
            lanes.set_moves([int(move == moves[role]) for role, move in game.moves])
            following = reasoner.next_state(state, moves)
            self._same("next", those_held(game.facts, self._read(game.next)), reasoner.facts(following))
            seen = reasoner.percepts(state, moves)
            for number, (role, percepts) in enumerate(seen.items()):
                held = [
                    percept
                    for (own, percept), on in zip(game.sees, self._read(game.sees.values()), strict=True)
                    if on and own == number
                ]
                self._same(f"sees {role}", held, percepts)
            state = following

    def _rarest(self, role: int, legal: Sequence[Term], random: Random) -> Term:
        """Return a legal move that has been made as rarely as any: so few playouts see most moves."""
        move = min(legal, key=lambda move: (self._made[role, move], random.random()))
        self._made[role, move] += 1
        return move

    def _legal(self, reasoner: Reasoner, state: object) -> list[tuple[Term, ...]]:
        game, found = self._game, []
        for number, role in enumerate(reasoner.roles):
            own = game.moves_of(number)
            held = [game.moves[move][1] for move in own if self._lanes.values[game.legal[move]]]
            try:
                legal = reasoner.legal_moves(state, role)  # type: ignore[arg-type]
            except NoLegalMoveError:
                legal = ()
            self._same(f"legal {role}", held, legal)
            found.append(legal)
        return found

    def _read(self, literals: Iterable[int]) -> list[int]:
        return self._lanes.read(literals)

    def _same(self, relation: str, held: Iterable[Term], expected: Iterable[Term]) -> None:
        """Compare the last arguments for which a relation holds."""
        found, right = set(held), set(expected)
        for term in sorted(found ^ right, key=lambda term: term.text):
            raise Difference("circuit", f"({relation} {term.text})", term in right, self._state, self._moves)

    def _one(self, atom: str, found: bool, expected: bool) -> None:
        if found != expected:
            raise Difference("circuit", atom, expected, self._state, self._moves)


def those_held(terms: Iterable[Term], holds: Iterable[object]) -> list[Term]:
    """Return the terms that hold."""
    return [term for term, on in zip(terms, holds, strict=True) if on]

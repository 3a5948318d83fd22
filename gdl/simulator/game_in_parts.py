"""A game whose moves are chosen in parts, by `gdl.grounder.moves_in_parts`: it answers for whole moves.

Between two plies of the game, the compiled rules have one more state, in which the first part of a move is chosen. The
states of the game itself have the same facts.

In a playout, both parts are drawn uniformly. By that alone, a first part with few second parts would be chosen as often
as one with many. So a move is accepted with a probability that is the number of second parts, divided by a number that
is at least as large, and the same for all first parts. Otherwise both are drawn again. Each move is thus as likely as
any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, final

from gdl.codegen.llvm.playout_loop import LANES
from gdl.errors import DerivationLimitError, GoalError, IllegalMoveError, NoLegalMoveError, UnreachableStateError
from gdl.grounder.moves_in_parts import MovesInParts
from gdl.language.parser import parse_term
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import DerivationBudget
from gdl.reasoner.joint_moves import Moves, in_role_order, role_named
from gdl.reasoner.reasoner import Reasoner
from gdl.simulator.arrays import NO_GOAL
from gdl.simulator.packed_state import PackedState
from gdl.simulator.playouts import PlayoutResult
from gdl.simulator.self_check import Allowance, Difference, comparing
from gdl.terms import Constant, Function, Term, shape_of, term_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gdl.simulator.simulator import Simulator

#: In a state in which this many moves were drawn and not accepted, it is looked whether there is any.
_PATIENCE: Final = 1_000


@final
class GameInParts:
    """The answers for some rules, by the Simulator of the same rules with moves in parts.

    States are those of that Simulator. After the end of a game, the Reasoner answers.
    """

    def __init__(self, rulesheet: Rulesheet, parts: MovesInParts, simulator: Simulator) -> None:
        """Take the rules, how their moves are chosen in parts, and the Simulator of those rules."""
        self.rulesheet = rulesheet
        self._parts = parts
        self.simulator = simulator
        self.roles = simulator.roles
        self.initial_state = simulator.initial_state
        self.is_terminal = simulator.is_terminal
        self.goal = simulator.goal
        self._of_first = {own.shape_of_first: own for own in parts.parts}
        self._of_whole = {own.shape: own for own in parts.parts}

    def __reduce__(self) -> tuple[type[GameInParts], tuple[Rulesheet, MovesInParts, Simulator]]:
        """Pickle the rules, how their moves are chosen, and the Simulator."""
        return GameInParts, (self.rulesheet, self._parts, self.simulator)

    @cached_property
    def reasoner(self) -> Reasoner:
        """A Reasoner for the rules."""
        return Reasoner(self.rulesheet)

    def state(self, facts: Iterable[Term | str] | str) -> PackedState:
        """Return the state in which exactly these facts hold, as `Simulator.state` does. Raises what that raises."""
        state = self.simulator.state(facts)
        for fact in state:
            if shape_of(fact)[0] not in self.rulesheet.spelling:  # it is about parts
                raise UnreachableStateError(f"{fact.text} holds in no state of this game")
        return state

    def legal_moves(self, state: PackedState, role: str) -> tuple[Term, ...]:
        """Return a role's legal moves, as `Simulator.legal_moves` does. Raises what that raises."""
        simulator, name = self.simulator, role_named(role, self.roles)
        if simulator.is_terminal(state):
            return self.reasoner.legal_moves(self.reasoner.state(state), name)
        firsts = [self._legal(state, other) for other in self.roles]
        if not all(firsts):  # another role has no legal move, so no move can be made
            return self.reasoner.legal_moves(self.reasoner.state(state), name)
        place, found = self.roles.index(name), []
        for first in firsts[place]:
            parts = self._of_first.get(shape_of(first))
            if parts is None or not isinstance(first, Function):
                found.append(first)
                continue
            chosen = [first if number == place else own[0] for number, own in enumerate(firsts)]
            for second in self._legal(simulator.next_state(state, chosen), name):
                assert isinstance(second, Function)
                found.append(Function(parts.name, (*first.args, *second.args)))
        if not found:
            raise NoLegalMoveError(name)
        return tuple(sorted(found, key=term_text))

    def _legal(self, state: PackedState, role: str) -> Sequence[Term]:
        """Return the parts that a role may choose in a state; none if there are none."""
        try:
            return self.simulator.legal_moves(state, role)
        except NoLegalMoveError:
            return ()

    def next_state(self, state: PackedState, moves: Moves) -> PackedState:
        """Return the state after a joint move, as `Simulator.next_state` does. Raises what that raises."""
        if self.simulator.is_terminal(state):
            return self.state(self.reasoner.next_state(self.reasoner.state(state), moves))
        return self.simulator.next_state(*self._between(state, moves))

    def percepts(self, state: PackedState, moves: Moves) -> dict[str, tuple[Term, ...]]:
        """Return each role's percepts after a joint move, as `Simulator.percepts` does. Raises what that raises."""
        if self.simulator.is_terminal(state):
            return self.reasoner.percepts(self.reasoner.state(state), moves)
        return self.simulator.percepts(*self._between(state, moves))

    def _between(self, state: PackedState, moves: Moves) -> tuple[PackedState, Sequence[Term]]:
        """Return the state in which the first parts have been chosen, and the second ones."""
        whole: list[Term] = []
        for role, move in zip(self.roles, in_role_order(moves, self.roles), strict=True):
            if not isinstance(move, (str, Term)):
                raise TypeError(f"expected a term or a KIF string as the move of {role}, not {move!r}")
            whole.append(parse_term(move) if isinstance(move, str) else move)
        firsts, seconds = zip(*map(self._apart, whole), strict=True)
        if self._all_legal(state, firsts):
            between = self.simulator.next_state(state, firsts)
            if self._all_legal(between, seconds):
                return between, seconds
        for role, move in zip(self.roles, whole, strict=True):
            legal: Sequence[Term] = ()
            with suppress(NoLegalMoveError):
                legal = self.legal_moves(state, role)
            if move not in legal:
                raise IllegalMoveError(role, self.rulesheet.respell(move).text, [own.text for own in legal])
        raise AssertionError("each part of a legal move is legal")

    def _all_legal(self, state: PackedState, moves: Sequence[Term]) -> bool:
        return all(move in self._legal(state, role) for role, move in zip(self.roles, moves, strict=True))

    def _apart(self, move: Term) -> tuple[Term, Term]:
        """Return both parts of a move."""
        parts = self._of_whole.get(shape_of(move))
        if parts is None or not isinstance(move, Function):
            return move, self._parts.done
        return (
            Function(parts.first, move.args[: parts.split]),
            Function(parts.second, move.args[parts.split :]),
        )

    # Playouts

    def playouts(self, n: int, begin: PackedState, seed: int, max_plies: int) -> PlayoutResult:
        """Play `n` playouts from a state, many at a time. The same seed yields the same result on every machine."""
        playouts = _Playouts(self, n, begin, seed, max_plies)  # makes the code, too
        started = perf_counter()
        playouts.run()
        return playouts.result(perf_counter() - started)

    # The net

    def check(self, folder: Path | None) -> None:
        """Compare with the Reasoner in some states, unless that has been done. Raises MiscompiledError."""
        compiler = self.simulator._compiler
        if compiler.note("in-parts") is None:
            with comparing(self.rulesheet.source, folder):
                self._compare(Allowance(compiler.seconds))
            compiler.keep("in-parts", 1)

    def _compare(self, allowance: Allowance) -> None:
        reasoner = Reasoner(self.rulesheet, budget=DerivationBudget(seconds=allowance.most))
        random, mine, state = Random(0), self.initial_state(), reasoner.initial_state()
        with suppress(DerivationLimitError):
            while not allowance.is_over(enough=False):
                facts = reasoner.facts(state)
                self._same("true", tuple(mine), facts, facts)
                terminal = reasoner.is_terminal(state)
                if self.is_terminal(mine) != terminal:
                    raise Difference("moves in parts", "terminal", terminal, facts)
                for role in self.roles:
                    found, right = (_goals(game, own, role) for game, own in ((self, mine), (reasoner, state)))
                    self._same(f"goal {role}", found, right, facts)
                if terminal:
                    mine, state = self.initial_state(), reasoner.initial_state()
                    continue
                legal = []
                for role in self.roles:
                    try:
                        legal.append(reasoner.legal_moves(state, role))
                    except NoLegalMoveError:
                        return
                    own: Sequence[Term] = ()
                    with suppress(NoLegalMoveError):
                        own = self.legal_moves(mine, role)
                    self._same(f"legal {role}", own, legal[-1], facts)
                moves = tuple(map(random.choice, legal))
                seen = reasoner.percepts(state, moves)
                for role, percepts in self.percepts(mine, moves).items():
                    self._same(f"sees {role}", percepts, seen[role], facts)
                mine, state = self.next_state(mine, moves), reasoner.next_state(state, moves)

    def _same(self, relation: str, found: Sequence[Term], right: Sequence[Term], state: tuple[Term, ...]) -> None:
        for term in sorted(set(found) ^ set(right), key=term_text):
            raise Difference("moves in parts", f"({relation} {term.text})", term in right, state)


def _goals(game: Any, state: object, role: str) -> Sequence[Term]:
    """Return the role's goal value, if it has one."""
    try:
        return (Constant(str(game.goal(state, role))),)
    except GoalError:
        return ()


class _Playouts:
    """Playouts of random moves, up to 512 at a time."""

    def __init__(self, game: GameInParts, n: int, begin: PackedState, seed: int, max_plies: int) -> None:
        import numpy as np

        self._game, self._max_plies = game, max_plies
        self._arrays = game.simulator.arrays
        self._random = np.random.default_rng(seed)
        self._begin = self._arrays.pack([begin])
        self._arrays.look(self._begin)
        self._left = self._count = n
        self._lengths: list[NDArray[np.int64]] = []
        self._ends: Counter[str] = Counter()
        self._counts: dict[str, Counter[int]] = {role: Counter() for role in game.roles}
        self._undefined: Counter[str] = Counter(dict.fromkeys(game.roles, 0))
        self._steps = 0
        #: For each role, the words of its first parts in `look`, and the most second parts that a first one may have.
        self._firsts = [self._mask(number) for number in range(len(game.roles))]
        self._most = [self._seconds(number) for number in range(len(game.roles))]

    def _mask(self, role: int) -> NDArray[np.uint64]:
        import numpy as np

        shapes = self._game._of_first
        moves = self._game.simulator.all_moves(self._game.roles[role])
        flags = np.zeros(64 * self._arrays.move_words[role], np.uint8)
        flags[: len(moves)] = [shape_of(move) in shapes for move in moves]
        return np.packbits(flags, bitorder="little").view(np.uint64)

    def _seconds(self, role: int) -> int:
        moves = Counter(shape_of(move) for move in self._game.simulator.all_moves(self._game.roles[role]))
        return max(1, *(moves[own.shape_of_second] for own in self._game._parts.parts))

    def run(self) -> None:
        import numpy as np

        arrays, states = self._arrays, np.repeat(self._begin, min(self._count, LANES), axis=0)
        self._left -= len(states)
        ages = np.zeros(len(states), np.int64)
        refused = np.zeros(len(states), np.int64)
        #: The first parts that have been accepted, while those of other roles have not; -1 for none.
        kept = np.full((len(states), len(self._most)), -1, np.int32)
        while len(states):
            self._steps += 1
            looked = arrays.look(states)
            firsts = arrays.random_moves(looked, self._random)
            over = arrays.terminal(looked)
            ends = np.where(over, "terminal", np.where(ages == self._max_plies, "cut", ""))
            ends[(ends == "") & ((firsts < 0).any(axis=1) | self._stuck(states, ends, refused))] = "stuck"
            if (ends != "").any():
                kept[ends != ""] = -1
                kept = np.delete(kept, np.flatnonzero(ends != "")[self._left :], axis=0)
                states, ages, refused = self._ended(states, looked, ages, refused, ends)
                continue
            firsts = np.where(kept < 0, firsts, kept)
            between = arrays.move(states, firsts)
            moves, fits = self._second(looked, arrays.look(between), kept >= 0)
            accepted = fits.all(axis=1)
            kept = np.where(fits & ~fits.all(axis=1, keepdims=True), firsts, -1)
            refused += 1
            if accepted.any():
                states[accepted] = arrays.move(between[accepted], moves[accepted])
                ages[accepted] += 1
                refused[accepted] = 0

    def _second(
        self, looked: NDArray[np.uint64], between: NDArray[np.uint64], kept: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Draw second parts; return them, and which are accepted (n, roles). Those of first parts `kept` always are."""
        import numpy as np

        arrays = self._arrays
        ranks = np.zeros((len(looked), len(self._most)))
        accepted = np.ones(ranks.shape, np.bool_)
        for role, (most, mask) in enumerate(zip(self._most, self._firsts, strict=True)):
            words = slice(arrays.legal_words[role], arrays.legal_words[role] + arrays.move_words[role])
            apart = (looked[:, words] & mask).any(axis=1)
            counts = np.bitwise_count(between[:, words]).sum(axis=1, dtype=np.int64)
            drawn = self._random.integers(0, np.where(kept[:, role], counts, np.where(apart, most, 1)))
            accepted[:, role] = drawn < counts
            ranks[:, role] = (drawn + 0.5) / np.maximum(counts, 1)
        ranks[~accepted.all(axis=1)] = 0
        return arrays.moves_at(between, ranks), accepted

    def _stuck(
        self, states: NDArray[np.uint64], ends: NDArray[np.str_], refused: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return in which states a role has no move at all, though it has first parts: only looked at now and then."""
        import numpy as np

        stuck = np.zeros(len(states), np.bool_)
        for number in np.flatnonzero((ends == "") & (refused > 0) & (refused % _PATIENCE == 0)):
            (state,) = self._arrays.unpack(states[number : number + 1])
            try:
                for role in self._game.roles:
                    self._game.legal_moves(state, role)
            except NoLegalMoveError:
                stuck[number] = True
        return stuck

    def _ended(
        self,
        states: NDArray[np.uint64],
        looked: NDArray[np.uint64],
        ages: NDArray[np.int64],
        refused: NDArray[np.int64],
        ends: NDArray[np.str_],
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """Count the playouts that have ended, and begin others in their place, or leave it."""
        import numpy as np

        self._ends.update(ends[ends != ""].tolist())
        self._lengths.append(ages[ends != ""])
        values = self._arrays.goal_values(looked[ends == "terminal"])
        for role, own in zip(self._game.roles, values.T.tolist(), strict=True):
            found = Counter(own)
            self._undefined[role] += found.pop(NO_GOAL, 0)
            self._counts[role].update(found)
        places = np.flatnonzero(ends != "")
        again, gone = places[: self._left], places[self._left :]
        self._left -= len(again)
        states[again], ages[again], refused[again] = self._begin, 0, 0
        return np.delete(states, gone, axis=0), np.delete(ages, gone), np.delete(refused, gone)

    def result(self, seconds: float) -> PlayoutResult:
        """Return the results, which took some seconds."""
        import numpy as np

        lengths = np.concatenate(self._lengths)
        return PlayoutResult(
            playouts=self._count,
            transitions=int(lengths.sum()),
            steps=self._steps,
            operations=0,
            max_length=int(lengths.max()),
            cut=self._ends["cut"],
            stuck=self._ends["stuck"],
            seconds=seconds,
            counts={role: dict(own) for role, own in self._counts.items()},
            undefined=dict(self._undefined),
        )

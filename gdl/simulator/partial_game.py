"""Games whose circuit would be too large: the Reasoner answers what it cannot hold, one state at a time.

If what explodes is needed for `goal` or `sees` alone, the rest is compiled, as playouts rarely ask for these. If it is
needed at every ply, for `legal`, `next` or `terminal`, the Reasoner answers everything: it spends most of its time on
the question that explodes, and a circuit for the others would save less than converting the states costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache, partial
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NoReturn, final

from gdl.compile_errors import CompileError, NotWholeError
from gdl.errors import GoalError, NoLegalMoveError, Source
from gdl.explanation.explaining import EXPLAINED
from gdl.language.rules import Signature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.joint_moves import Moves
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.simulator.game_in_parts import GameInParts
from gdl.simulator.packed_state import PackedState
from gdl.simulator.playouts import MAX_PLIES, PlayoutResult
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.terms import Term, name_key

#: A state of the Reasoner, or of a part that is compiled.
AnyState = State | PackedState

if TYPE_CHECKING:
    from gdl.explanation.explanation import Explanation
    from gdl.simulator.simulator import Simulator

#: The number of answers of each kind that are kept.
_KEPT: Final = 1_024

#: The questions of every ply, and the others.
_EVERY_PLY: Final[tuple[Signature, ...]] = (("legal", 2), ("next", 1), ("terminal", 0))
_OTHERS: Final[tuple[Signature, ...]] = (("goal", 2), ("sees", 2))

#: What only a Simulator has, with the words for it.
_WHOLE: Final = {
    "all_facts": "a list of all facts",
    "all_moves": "a list of all moves",
    "arrays": "an array of states",
    "circuit": "a circuit",
    "columns_code": "an array of states",
    "entries": "a cache for a circuit",
    "goal_table": "a list of all goals",
    "kernels": "machine code for single states",
    "layout": "a circuit",
    "legal_places": "a list of all moves",
    "next_by_numbers": "a list of all moves",
}


def separable(rulesheet: Rulesheet, refusal: CompileError) -> frozenset[Signature]:
    """Return the questions to be left to the Reasoner so that the rest can be compiled; none if that does not help.

    They are those that need the relations named in the refusal. The largest of these must not be needed at every ply,
    and nor must what is left out.
    """
    named = [_signature(relation) for relation, _ in refusal.relations]
    out = rulesheet.graph.reaches(named).intersection(_OTHERS)
    needed = not rulesheet.graph.reaches([*named[:1], *out]).isdisjoint(_EVERY_PLY)
    return frozenset() if needed else frozenset(out)


def without(rulesheet: Rulesheet, questions: frozenset[Signature]) -> Source:
    """Return rules that say the same of all other questions."""
    kept = (str(rule) for rule in rulesheet.rules if rule.head.signature not in questions)
    return Source(rulesheet.name, "\n".join(kept))


def _signature(relation: str) -> Signature:
    """Return the relation that a refusal names: `path/4`, or the question of an output, as in `next (cell/3)`."""
    keyword, _, output = relation.partition(" (")
    if output:
        return next(question for question in (*_EVERY_PLY, *_OTHERS) if question[0] == keyword)
    name, _, arity = relation.rpartition("/")
    return name_key(name), int(arity)


@final
class PartialGame:
    """A game that `gdl.compile` could not compile whole within the budget. It answers the same questions, but slowly.

    `refusal` is the error that says why, and `reason` says so in one line, and what the Reasoner answers. States are
    those of the Reasoner, or if a part is compiled, `PackedState`s; treat them as opaque. Answers about recent states
    are kept. What needs the whole circuit, such as `arrays` and `kernels`, raises NotWholeError.
    """

    def __init__(
        self, rulesheet: Rulesheet, refusal: CompileError, compiled: Simulator | GameInParts | None = None
    ) -> None:
        """Play by some rules; `compiled` answers what is not `separable`, or everything if moves are in parts."""
        self.rulesheet = rulesheet
        self.refusal = refusal
        #: A Reasoner for all rules.
        self.reasoner = Reasoner(rulesheet)
        self.roles: tuple[str, ...] = self.reasoner.roles
        self._compiled = compiled
        self._engine: Any = self.reasoner if compiled is None else compiled
        questions: Iterable[Signature] = (*_EVERY_PLY, *_OTHERS)
        if compiled is not None:
            questions = () if isinstance(compiled, GameInParts) else sorted(separable(rulesheet, refusal))
        #: The questions that the Reasoner answers, by their names.
        self.by_reasoner: tuple[str, ...] = tuple(name for name, _ in questions)
        self._legal = lru_cache(_KEPT)(self._engine.legal_moves)
        self._terminal = lru_cache(_KEPT)(self._engine.is_terminal)
        self._goal = lru_cache(_KEPT)(partial(self._judged, "goal"))
        self._ruled = lru_cache(_KEPT)(self.reasoner.state)

    def _judged(self, question: str, state: AnyState, other: Any) -> Any:
        """Return the answer to `goal` or `percepts`, given a role or the moves."""
        engine = self._engine
        if engine is not self.reasoner and question in self.by_reasoner:
            engine, state = self.reasoner, self._ruled(state)
        return engine.goal(state, other) if question == "goal" else engine.percepts(state, other)

    def _own(self, state: AnyState) -> AnyState:
        """Return a state as one of the engine that is asked at every ply; it converts those of its copies itself."""
        if isinstance(state, State if self._compiled is None else PackedState):
            return state
        if not isinstance(state, (State, PackedState)):
            raise TypeError(f"expected a state of this game, not {state!r}")
        return self.state(state)

    @property
    def reason(self) -> str:
        """Why the game is not compiled whole, in one line."""
        if self._compiled is None:
            return str(self.refusal)
        if isinstance(self._compiled, GameInParts):
            return f"{self.refusal}; moves are chosen in two parts, one after the other"
        return f"{self.refusal}; the Reasoner answers {' and '.join(self.by_reasoner)}, the circuit the rest"

    @property
    def source_text(self) -> str:
        """The text of the rules."""
        return self.rulesheet.source.text

    def __repr__(self) -> str:
        """Return the name of the file, and what the Reasoner answers."""
        answered = ", ".join(self.by_reasoner) or "nothing"
        return f"<PartialGame {self.rulesheet.name}, by the Reasoner: {answered}>"

    def __reduce__(self) -> tuple[type[PartialGame], tuple[Rulesheet, CompileError, Simulator | GameInParts | None]]:
        """Pickle the rules, why they are not compiled whole, and the part that is."""
        return PartialGame, (self.rulesheet, self.refusal, self._compiled)

    def __deepcopy__(self, _memo: object) -> PartialGame:
        """Return the game itself, as it never changes."""
        return self

    def __getattr__(self, name: str) -> NoReturn:
        """Raise NotWholeError for what only a Simulator has."""
        if name in _WHOLE:
            self.whole(_WHOLE[name])
        raise AttributeError(f"a game that is compiled in part has no {name}")

    def whole(self, need: str = "this") -> NoReturn:
        """Raise NotWholeError: `need`, in words, takes a game that is compiled whole."""
        raise NotWholeError(self.refusal, need)

    # States

    def initial_state(self) -> AnyState:
        """Return the state in which the game begins."""
        initial: AnyState = self._engine.initial_state()
        return initial

    def state(self, facts: Iterable[Term | str] | str) -> AnyState:
        """Return the state in which exactly these facts hold, as `Simulator.state` does. Raises what that raises."""
        state: AnyState = self._engine.state(facts)
        return state

    def facts(self, state: AnyState) -> tuple[Term, ...]:
        """Return the facts of a state, sorted by their text."""
        return tuple(self._own(state))

    def holds(self, fact: Term | str, state: AnyState) -> bool:
        """Return True if a fact holds in a state."""
        return fact in self._own(state)

    # Questions about one state

    def legal_moves(self, state: AnyState, role: str) -> tuple[Term, ...]:
        """Return a role's legal moves, sorted by text, without duplicates; a terminal state may have none.

        Raises UnknownRoleError, and NoLegalMoveError if there are none but the state is not terminal.
        """
        legal: tuple[Term, ...] = self._legal(self._own(state), role)
        return legal

    def next_state(self, state: AnyState, moves: Moves) -> AnyState:
        """Return the state after a joint move. Raises IllegalMoveError, JointMoveError, UnknownRoleError, TermError."""
        following: AnyState = self._engine.next_state(self._own(state), moves)
        return following

    def is_terminal(self, state: AnyState) -> bool:
        """Return True if the game is over."""
        terminal: bool = self._terminal(self._own(state))
        return terminal

    def goal(self, state: AnyState, role: str) -> int:
        """Return a role's goal value. Raises UnknownRoleError, and GoalError unless there is one, from 0 to 100."""
        value: int = self._goal(self._own(state), role)
        return value

    def goals(self, state: AnyState) -> dict[str, int]:
        """Return every role's goal value. Raises GoalError."""
        return {role: self.goal(state, role) for role in self.roles}

    def percepts(self, state: AnyState, moves: Moves) -> dict[str, tuple[Term, ...]]:
        """Return each role's percepts after a joint move, by the rules for `sees` (GDL-II)."""
        seen: dict[str, tuple[Term, ...]] = self._judged("sees", self._own(state), moves)
        return seen

    def query(self, pattern: Term | str, state: AnyState, moves: Moves | None = None) -> list[dict[str, Term]]:
        """Return the substitutions under which an atom holds, by `Reasoner.query`."""
        return self.reasoner.query(pattern, self.reasoner.state(state), moves)

    def explain(
        self,
        atom: Term | str,
        state: AnyState,
        moves: Moves | None = None,
        *,
        most: int = 1,
        limit: int = EXPLAINED,
    ) -> Explanation:
        """Explain why an atom holds in a state, or why no instance of it does, by `Reasoner.explain`."""
        return self.reasoner.explain(atom, self.reasoner.state(state), moves, most=most, limit=limit)

    # Playouts

    def playouts(
        self,
        n: int,
        state: AnyState | None = None,
        seed: int = 0,
        *,
        max_plies: int = MAX_PLIES,
        threads: int | None = None,  # noqa: ARG002
    ) -> PlayoutResult:
        """Play `n` playouts of uniformly random moves, one after the other, as `Simulator.playouts` does in lanes.

        There is one thread, whatever `threads` says. The same seed yields the same result on every machine, but not
        that of a Simulator. Raises what that raises.
        """
        n, max_plies = checked_count("n", n), checked_count("max_plies", max_plies)
        random, begun = Random(checked_seed(seed)), perf_counter()
        begin = self.initial_state() if state is None else self._own(state)
        if isinstance(self._compiled, GameInParts) and isinstance(begin, PackedState):
            return self._compiled.playouts(n, begin, checked_seed(seed), max_plies)
        counts: dict[str, Counter[int]] = {role: Counter() for role in self.roles}
        undefined, ends, lengths = Counter(dict.fromkeys(self.roles, 0)), Counter[str](), []
        for _ in range(n):
            end, state, plies = self._playout(begin, random, max_plies)
            ends[end] += 1
            lengths.append(plies)
            for role in self.roles if end == "terminal" else ():
                try:
                    counts[role][self.goal(state, role)] += 1
                except GoalError:
                    undefined[role] += 1
        return PlayoutResult(
            playouts=n,
            transitions=sum(lengths),
            steps=0,
            operations=0,
            max_length=max(lengths),
            cut=ends["cut"],
            stuck=ends["stuck"],
            seconds=perf_counter() - begun,
            counts={role: dict(own) for role, own in counts.items()},
            undefined=dict(undefined),
        )

    def _playout(self, state: AnyState, random: Random, max_plies: int) -> tuple[str, AnyState, int]:
        """Play a playout; return how it ended, the last state and the number of plies."""
        for plies in range(max_plies + 1):
            if self._terminal(state):
                return "terminal", state, plies
            if plies == max_plies:
                break
            try:
                moves = [random.choice(self.legal_moves(state, role)) for role in self.roles]
            except NoLegalMoveError:
                return "stuck", state, plies
            state = self.next_state(state, moves)
        return "cut", state, max_plies

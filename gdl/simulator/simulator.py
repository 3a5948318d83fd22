"""The Simulator: a game compiled to machine code. It gives the same answers as the Reasoner, and plays many lanes."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from gdl.circuit.analysis.cones import bits
from gdl.circuit.game import GameCircuit
from gdl.codegen.evaluation import words
from gdl.compile_budget import CompileBudget, Progress
from gdl.compile_errors import CompileError
from gdl.errors import IllegalMoveError, NoLegalMoveError, Source, UnreachableStateError
from gdl.language.parser import parse_term, parse_terms, source_given
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import EXPLAINED
from gdl.reasoner.joint_moves import Moves, goal_value, in_role_order, role_named
from gdl.simulator.cache import Cache, default_folder
from gdl.simulator.columns_code import ColumnsCode
from gdl.simulator.compiled_code import StateCode, StateLayout
from gdl.simulator.compiler import Compiler
from gdl.simulator.kernels import Kernels
from gdl.simulator.packed_state import PackedState
from gdl.simulator.playouts import MAX_PLIES
from gdl.simulator.seeds import checked_count, checked_seed
from gdl.system.trust import tell_once
from gdl.terms import Term, term_text

if TYPE_CHECKING:
    from gdl.explanation.explanation import Explanation
    from gdl.reasoner.reasoner import Reasoner
    from gdl.simulator.arrays import Arrays
    from gdl.simulator.game_in_parts import GameInParts
    from gdl.simulator.partial_game import AnyState, PartialGame
    from gdl.simulator.playouts import PlayoutResult

#: The share of the seconds of a budget for rules whose moves are in parts, after whole moves have turned out to be too
#: many.
_IN_PARTS: Final = 1 / 3


def compile(  # noqa: A001  # as `re.compile`: always called as gdl.compile
    rules: Rulesheet | Path | str,
    *,
    cache: str | Path | bool = True,
    progress: Progress | None = None,
    budget: CompileBudget | None = None,
    separate_process: bool = False,
) -> Simulator | PartialGame:
    """Compile a game, given as a Rulesheet, a rule file (a `Path`), or the text of rules (a `str`).

    A `str` is never treated as a path; `Simulator.load` takes paths. The circuit and the code are cached in a folder
    (`cache`: True for the default one, False for none, or a path). `progress` is called with the name of each stage.

    `budget` limits the seconds, ground rules and bytes for the circuit (default: `CompileBudget()`, a minute); what
    only makes it smaller is left out first. Code is made on first use, has the same seconds for itself, and is
    interpreted if they do not suffice for machine code. A seed of playouts has the same result on every machine as long
    as `seconds` is the same, since moves are drawn as the circuit allows.

    With `separate_process`, most of the work is done in another process, so that it and the threads of this process do
    not slow each other down; MakingError is raised if that process dies.

    If the budget does not suffice, the result is a `PartialGame`: the Reasoner answers what the circuit cannot hold.
    Its `reason` says why. Without a `progress` callback, whose owner can tell it, it is logged as a warning, too. That
    the budget did not suffice is cached. Raises FileError, RulesheetError, and CompileError if the compiler fails.
    """
    given = rules if isinstance(rules, Rulesheet) else source_given(rules)
    folder = default_folder() if cache is True else Path(cache) if cache else None
    made = partial(Simulator, folder=folder, progress=progress, budget=budget, separate_process=separate_process)
    try:
        return made(given)
    except CompileError as error:
        if error.budget is None:
            raise
        refusal = error
    # Imported late, as it needs the Reasoner.
    from gdl.grounder.moves_in_parts import in_parts
    from gdl.simulator.game_in_parts import GameInParts
    from gdl.simulator.partial_game import PartialGame, separable, without

    rulesheet = given if isinstance(given, Rulesheet) else Rulesheet.of_source(given)
    part: Simulator | GameInParts | None = None
    # A part of the budget has been used up.
    limits = budget or CompileBudget()
    limits = replace(limits, seconds=_IN_PARTS * limits.seconds)
    try:
        if parts := in_parts(rulesheet):
            part = GameInParts(rulesheet, parts, made(parts.source, budget=limits))
            part.check(folder)
    except CompileError as error:
        if error.budget is None:
            raise
    try:
        if part is None and (questions := separable(rulesheet, refusal)):
            part = made(without(rulesheet, questions))
    except CompileError as error:
        if error.budget is None:
            raise
    game = PartialGame(rulesheet, refusal, part)
    if progress is None and game.by_reasoner:
        tell_once(f"gdl: using the Reasoner, which is slower: {game.reason}")
    return game


@final
class Simulator:
    """A compiled game, made by `gdl.compile` or `Simulator.load`.

    Its states are `PackedState`s; moves are terms or KIF strings. `simulator.state(state)` converts the state of a
    Reasoner, and `reasoner.state(state)` does the opposite. Results are only right for reachable states; `state` raises
    an error for others, as far as it can tell.
    """

    def __init__(
        self,
        rules: Rulesheet | Source,
        folder: Path | None,
        progress: Progress | None = None,
        *,
        budget: CompileBudget | None = None,
        separate_process: bool = False,
    ) -> None:
        """Make the circuit; `gdl.compile` describes the options."""
        self._source = rules.source if isinstance(rules, Rulesheet) else rules
        self._folder = folder
        self._again = partial(Simulator, budget=budget, separate_process=separate_process)
        self._compiler = Compiler(rules, folder, progress, budget=budget, separate_process=separate_process)
        #: The circuit of one step, with everything that is proved of all reachable states.
        self.circuit: GameCircuit = self._compiler.game
        #: The positions of the results for one state, in words; `kernels` and `arrays` use the same.
        self.layout: StateLayout = self._compiler.layout
        game = self.circuit
        self.roles: tuple[str, ...] = tuple(role.text for role in game.roles)
        #: The facts that may ever hold, in the order of a state's bits.
        self.all_facts: tuple[Term, ...] = game.facts
        self._fact_numbers = {fact: number for number, fact in enumerate(game.facts)}
        self._bytes = 8 * words(len(game.facts))
        self._ranges = tuple(game.moves_of(role) for role in range(len(game.roles)))
        self._moves = tuple({game.moves[number][1]: number for number in numbers} for numbers in self._ranges)
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        cache: str | Path | bool = True,
        progress: Progress | None = None,
        budget: CompileBudget | None = None,
        separate_process: bool = False,
    ) -> Simulator | PartialGame:
        """Compile a rule file, with the options of `gdl.compile`. Raises what it raises."""
        return compile(Path(path), cache=cache, progress=progress, budget=budget, separate_process=separate_process)

    @property
    def rulesheet(self) -> Rulesheet:
        """The rules of the game."""
        return self._compiler.rulesheet

    @cached_property
    def goal_table(self) -> tuple[tuple[int, int | None], ...]:
        """The role's number and the value of each goal, in the order of the bits of goals.

        Values that are not whole numbers from 0 to 100 are None.
        """
        return self.circuit.goal_table

    @property
    def source_text(self) -> str:
        """The text of the rules."""
        return self._source.text

    @property
    def setup_seconds(self) -> float:
        """The seconds spent so far on making the circuit and code, or on reading them from the cache."""
        return self._compiler.seconds

    @cached_property
    def reasoner(self) -> Reasoner:
        """A Reasoner for the same rules."""
        from gdl.reasoner.reasoner import Reasoner

        return Reasoner(self.rulesheet)

    def entries(self, *parts: str) -> Cache:
        """Return the entries of the cache for other findings about this game; `parts` are their key.

        They belong to a circuit, as the facts and their order depend on it. Nothing is cached if the game is not.
        """
        return self._compiler.entries(*parts)

    def __repr__(self) -> str:
        """Return the name of the file."""
        return f"<Simulator {self._source.name}>"

    def __reduce__(self) -> tuple[partial[Simulator], tuple[Source, Path | None]]:
        """Pickle the rules and options; the code is compiled or read from the cache again."""
        return self._again, (self._source, self._folder)

    def whole(self, need: str = "this") -> Simulator:  # noqa: ARG002
        """Return the Simulator itself. `PartialGame.whole` raises NotWholeError instead, which names the need."""
        return self

    def __deepcopy__(self, _memo: object) -> Simulator:
        """Return the Simulator itself, as it never changes."""
        return self

    # States

    def initial_state(self) -> PackedState:
        """Return the state in which the game begins."""
        return self._packed(number for number, holds in enumerate(self.circuit.init) if holds)

    def state(self, facts: Iterable[Term | str] | str) -> PackedState:
        """Return the state in which exactly these facts hold; they may also be a state of a Reasoner, or a KIF string.

        Raises TermError, and UnreachableStateError if the state is known to be unreachable.
        """
        if isinstance(facts, PackedState) and facts._game is self:
            return facts
        facts = parse_terms(facts) if isinstance(facts, str) else facts
        numbers = set()
        for fact in facts:
            term = parse_term(fact) if isinstance(fact, str) else fact
            number = self._fact_numbers.get(term)
            if number is None:
                raise UnreachableStateError(f"{term.text} holds in no state of this game")
            numbers.add(number)
        self._check(numbers)
        return self._packed(numbers)

    def _check(self, facts: set[int]) -> None:
        """Raise UnreachableStateError for facts that never hold together."""
        for number, always in self.circuit.constants.items():
            if (number in facts) != always:
                holds = "holds in every" if always else "does not hold in any"
                raise UnreachableStateError(f"{self.all_facts[number].text} {holds} reachable state")
        for group in self.circuit.circuit.laws.groups:
            if group.nodes[0] > len(self.all_facts):
                continue  # a group of moves
            held = [node - 1 for node in group.nodes if node - 1 in facts]
            if len(held) > 1:
                texts = " and ".join(self.all_facts[number].text for number in held[:2])
                raise UnreachableStateError(f"{texts} never hold together in a reachable state")
            if not held and group.exact:
                texts = ", ".join(self.all_facts[node - 1].text for node in group.nodes[:4])
                raise UnreachableStateError(f"one of {texts} ... holds in every reachable state")

    def _packed(self, numbers: Iterable[int]) -> PackedState:
        held = 0
        for number in numbers:
            held |= 1 << number
        return PackedState(self, held.to_bytes(self._bytes, "little"))

    def facts(self, state: AnyState) -> tuple[Term, ...]:
        """Return the facts of a state, sorted by their text."""
        held = int.from_bytes(self._own(state).bits, "little")
        if held >> len(self.all_facts):
            raise ValueError("the bits are not those of a state of this game")
        return tuple(self.all_facts[number] for number in bits(held))

    def holds(self, fact: Term | str, state: AnyState) -> bool:
        """Return True if a fact holds in a state."""
        number = self._fact_numbers.get(parse_term(fact) if isinstance(fact, str) else fact)
        return number is not None and bool(self._own(state).bits[number >> 3] >> (number & 7) & 1)

    # Queries about one state

    def all_moves(self, role: str) -> tuple[Term, ...]:
        """Return the moves that may ever be legal for a role, in the order of their numbers.

        Raises UnknownRoleError.
        """
        numbers = self._ranges[self.roles.index(role_named(role, self.roles))]
        return tuple(self.circuit.moves[number][1] for number in numbers)

    def legal_moves(self, state: AnyState, role: str) -> tuple[Term, ...]:
        """Return a role's legal moves, sorted by text, without duplicates; a terminal state may have none.

        Raises UnknownRoleError, and NoLegalMoveError if there are none but the state is not terminal.
        """
        number = self.roles.index(role_named(role, self.roles))
        first = self._ranges[number].start
        return tuple([self.circuit.moves[first + place][1] for place in self.legal_places(state, number)])

    def legal_places(self, state: AnyState, role: int) -> list[int]:
        """Return the places of a role's legal moves in `all_moves`, ascending, given the number of the role.

        Raises NoLegalMoveError if there are none but the state is not terminal.
        """
        seen = self._look(state)
        legal = seen >> (64 * self.layout.legal_words[role]) & ((1 << len(self._ranges[role])) - 1)
        if not legal and not seen & 1:
            raise NoLegalMoveError(self.roles[role])
        return list(bits(legal))

    def is_terminal(self, state: AnyState) -> bool:
        """Return True if the game is over."""
        return bool(self._look(state) & 1)

    def goal(self, state: AnyState, role: str) -> int:
        """Return a role's goal value. Raises GoalError unless there is exactly one, from 0 to 100."""
        name = role_named(role, self.roles)
        number = self.roles.index(name)
        goals = self._look(state) >> (64 * self.layout.goals_word)
        values = [
            value.text for i, (owner, value) in enumerate(self.layout.goals) if owner == number and goals >> i & 1
        ]
        return goal_value(name, sorted(values))

    def goals(self, state: AnyState) -> dict[str, int]:
        """Return every role's goal value. Raises GoalError."""
        return {role: self.goal(state, role) for role in self.roles}

    def next_state(self, state: AnyState, moves: Moves) -> PackedState:
        """Return the state after a joint move. Raises IllegalMoveError, JointMoveError, UnknownRoleError, TermError."""
        if self.is_terminal(state):
            # What is proved of all reachable states need not hold in states after the end of the game.
            return self.state(self.reasoner.next_state(self.reasoner.state(state), moves))
        return PackedState(self, self._move(state, moves)[: self._bytes])

    def next_by_numbers(self, state: AnyState, moves: Sequence[int]) -> PackedState:
        """Return the state after a joint move in a state that is not terminal; moves are numbered as in the circuit.

        Raises IllegalMoveError.
        """
        return PackedState(self, self._done(state, moves)[: self._bytes])

    def percepts(self, state: AnyState, moves: Moves) -> dict[str, tuple[Term, ...]]:
        """Return each role's percepts after a joint move, by the rules for `sees` (GDL-II)."""
        after = int.from_bytes(self._move(state, moves)[self._bytes :], "little")
        seen: dict[str, list[Term]] = {role: [] for role in self.roles}
        for i, (role, percept) in enumerate(self.circuit.sees):
            if after >> i & 1:
                seen[self.roles[role]].append(percept)
        return {role: tuple(sorted(percepts, key=term_text)) for role, percepts in seen.items()}

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

    def _legal(self, seen: int, role: int) -> list[int]:
        """Return the numbers of a role's legal moves, given the results of `look`."""
        moves = self._ranges[role]
        return [moves.start + i for i in bits(seen >> (64 * self.layout.legal_words[role]) & ((1 << len(moves)) - 1))]

    def _look(self, state: AnyState) -> int:
        """Return terminal (bit 0), legal moves and goals of a state, at the positions in `layout`."""
        state = self._own(state)
        if state._seen is None:
            with self._lock:
                state._seen = self._states.look(state.bits)
        return state._seen

    def _move(self, state: AnyState, moves: Moves) -> bytes:
        """Return the bits of the next state, then those of the percepts."""
        numbers = []
        for role, move in enumerate(in_role_order(moves, self.roles)):
            if not isinstance(move, (str, Term)):
                raise TypeError(f"expected a term or a KIF string as the move of {self.roles[role]}, not {move!r}")
            term = parse_term(move) if isinstance(move, str) else move
            number = self._moves[role].get(term)
            if number is None:
                raise self._illegal(state, role, term)
            numbers.append(number)
        return self._done(state, numbers)

    def _done(self, state: AnyState, moves: Sequence[int]) -> bytes:
        """Do a joint move, given by the numbers of the moves over all roles. Raises IllegalMoveError."""
        seen = self._look(state)
        for role, number in enumerate(moves):
            if not seen >> (64 * self.layout.legal_words[role] + number - self._ranges[role].start) & 1:
                raise self._illegal(state, role, self.circuit.moves[number][1])
        with self._lock:
            return self._states.move(self._own(state).bits, moves)

    def _illegal(self, state: AnyState, role: int, move: Term) -> IllegalMoveError:
        legal = [self.circuit.moves[other][1].text for other in self._legal(self._look(state), role)]
        return IllegalMoveError(self.roles[role], self.rulesheet.respell(move).text, legal)

    def _own(self, state: AnyState) -> PackedState:
        """Return the state, or the state of this game with the same facts if it belongs to another game."""
        if isinstance(state, PackedState) and (state._game is self or state._game.source_text == self.source_text):
            # Machine code reads the bits, so a state that was made by hand must have all of them.
            if type(state.bits) is not bytes or len(state.bits) != self._bytes:
                raise ValueError(f"a state of this game has {self._bytes} bytes, not {state.bits!r:.60}")
            return state
        from gdl.reasoner.state import State

        if not isinstance(state, (PackedState, State)):
            raise TypeError(f"expected a state of this game, not {state!r}")
        return self.state(state)

    @cached_property
    def kernels(self) -> Kernels:
        """Machine code for one state at a time, to be called from Numba or through ctypes. Raises CompileError."""
        return self._compiler.kernels()

    @cached_property
    def arrays(self) -> Arrays:
        """Queries about many states at once, packed in arrays."""
        from gdl.simulator.arrays import Arrays

        return Arrays(self)

    def columns_code(self) -> ColumnsCode:
        """Return code for many states in columns, with its own memory: see `gdl.simulator.columns_code`."""
        return self._compiler.columns()

    @cached_property
    def _states(self) -> StateCode:
        return self._compiler.states()

    # Many states

    def playouts(
        self,
        n: int,
        state: AnyState | None = None,
        seed: int = 0,
        *,
        max_plies: int = MAX_PLIES,
        threads: int | None = None,
    ) -> PlayoutResult:
        """Play `n` playouts of uniformly random moves, from a state (default: the initial one), 512 at a time.

        The same seed yields the same result on every machine, with any number of `threads` (default: one for each core
        that the process may use). Several are used from 16,384 playouts on. Playouts are cut off after `max_plies`
        plies. Calls release the GIL. `n`, `seed`, `max_plies` and `threads` may be integral numbers of any type; raises
        TypeError for others, and ValueError if `n`, `max_plies` or `threads` is less than 1 or `seed` is not from 0 to
        2^64 - 1.
        """
        from gdl.simulator.playouts import play

        n, max_plies = checked_count("n", n), checked_count("max_plies", max_plies)
        seed = checked_seed(seed)
        begin = self.initial_state() if state is None else self._own(state)
        threads = None if threads is None else checked_count("threads", threads)
        return play(self, self._compiler, begin, n, seed, max_plies, threads)

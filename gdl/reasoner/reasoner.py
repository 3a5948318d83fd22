"""The Reasoner: plays a game by forward chaining over its rules. It is the reference for all other engines."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.errors import (
    IllegalMoveError,
    JointMoveError,
    Location,
    Mistake,
    NoLegalMoveError,
    RulesheetError,
)
from gdl.language.parser import UNNAMED, parse_term, parse_terms
from gdl.language.rules import Atom, signature_text
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.budget import EXPLAINED, DerivationBudget
from gdl.reasoner.forward import Context
from gdl.reasoner.joint_moves import Moves, goal_value, in_role_order, role_named
from gdl.reasoner.lookup import Lookup
from gdl.reasoner.lowering import lower
from gdl.reasoner.matching import Terms, ground_value, match, pattern_atom
from gdl.reasoner.python_code import Value
from gdl.reasoner.state import State
from gdl.terms import Term, Variable, term_text

if TYPE_CHECKING:
    from gdl.explanation.explanation import Explanation

#: The legal moves of a role, sorted, and the engine's values for them by their text.
_Legal = tuple[tuple[Term, ...], dict[str, Value]]

#: The number of recent states whose derived relations are kept. Older ones are derived again if needed.
_CONTEXTS = 64

#: The number of states after which new join orders are chosen, based on the relations in some of these states.
_LEARN_AFTER = 64


class Reasoner:
    """A game, played by its rules: those of a Rulesheet, of a file (a `Path`) or of a text (a `str`).

    A `str` is never taken for a path; `Reasoner.load` takes one. Raises RulesheetError and FileError.

    Moves and facts are given as terms or KIF strings, and returned as terms. A state of another game is converted by
    its facts. A query derives only the relations that it needs, and nothing is derived twice for the same state.

    Everything that derives or returns terms raises DerivationLimitError if it exceeds the budget.
    """

    def __init__(
        self, rules: Rulesheet | Path | str, name: str = UNNAMED, budget: DerivationBudget | None = None
    ) -> None:
        """Compile the rules, given as text or as a rulesheet. `name` appears in error messages.

        `budget` limits each question. Raises DerivationLimitError if the initial state exceeds it.
        """
        self.rulesheet = rules if isinstance(rules, Rulesheet) else Rulesheet(rules, name)
        self.budget = budget or DerivationBudget()
        self._program, self._fact_relations = lower(self.rulesheet.stratified_rules, self.budget)
        self._meter = self._program.meter
        self._measured = self._meter.measured
        self._terms = Terms(self._meter)
        self._move_dependent = self.rulesheet.graph.reaches([("does", 2)])
        self._role_values: tuple[Value, ...] = self._ordered_roles()
        self.roles: tuple[str, ...] = tuple(self._terms[value].text for value in self._role_values)
        self._initial = self._fact_relations.rows(self._program.static.rows(("init", 1)))
        # The first samples of relations: the initial state, and one move for each role.
        does = {(role, role) for role in self._role_values}
        self._program.learn([{**self._fact_relations.given(self._initial), "does/2": does}])
        self._contexts = 0
        self._recent: deque[State] = deque()

    @classmethod
    def load(cls, path: str | Path, budget: DerivationBudget | None = None) -> Reasoner:
        """Load a rule file. Raises FileError, RulesheetError and DerivationLimitError."""
        return cls(Rulesheet.load(path), budget=budget)

    def __repr__(self) -> str:
        """Return a text with the name of the rules."""
        return f"<Reasoner {self.rulesheet.name}>"

    def __reduce__(self) -> tuple[type[Reasoner], tuple[Rulesheet, str, DerivationBudget]]:
        """Pickle the game by its rulesheet and budget."""
        return Reasoner, (self.rulesheet, UNNAMED, self.budget)

    def initial_state(self) -> State:
        """Return the state in which the game starts."""
        return State(self, self._initial)

    def state(self, facts: Iterable[Term | str] | str) -> State:
        """Return the state in which exactly these facts hold. Raises TermError.

        Facts are an iterable of terms or KIF strings, or a single KIF string.
        """
        facts = parse_terms(facts) if isinstance(facts, str) else facts
        values = [ground_value(fact, self.rulesheet) for fact in facts]
        for value in values:
            self._meter.measure(value, None)
        return State(self, self._fact_relations.rows(values))

    def facts(self, state: State) -> tuple[Term, ...]:
        """Return the facts of a state, sorted by their text."""
        self._begin()
        values = self._fact_relations.values(self._own(state)._rows)
        return tuple(sorted(map(self._terms.__getitem__, values), key=term_text))

    def holds(self, fact: Term | str, state: State) -> bool:
        """Return True if a fact is true in a state."""
        relation, row = self._fact_relations.place(ground_value(fact, self.rulesheet))
        return row in self._own(state)._rows[relation]

    def legal_moves(self, state: State, role: str) -> tuple[Term, ...]:
        """Return the legal moves of a role, sorted by their text, without duplicates.

        In a terminal state, the result may be empty. Raises UnknownRoleError, and NoLegalMoveError if the role has no
        legal move but the state is not terminal.
        """
        legal = self._legal(state)
        moves = legal[role if role in legal else self._role(role)][0]
        if not moves and not self.is_terminal(state):
            raise NoLegalMoveError(self._role(role))
        return moves

    def next_state(self, state: State, moves: Moves) -> State:
        """Return the state after a joint move. Raises IllegalMoveError, JointMoveError, UnknownRoleError, TermError."""
        return State(self, self._fact_relations.next_rows(self._after(state, moves)))

    def is_terminal(self, state: State) -> bool:
        """Return True if the game is over."""
        terminal: bool = self._context(state).rows(("terminal", 0))
        return terminal

    def goal(self, state: State, role: str) -> int:
        """Return the goal value of a role.

        Raises UnknownRoleError, and GoalError unless the rules give exactly one, a whole number from 0 to 100.
        """
        name = self._role(role)
        owned = self._role_values[self.roles.index(name)]
        values = [value for owner, value in self._context(state).rows(("goal", 2)) if owner == owned]
        texts = sorted(self._terms[value].text for value in values)
        return goal_value(name, texts)

    def goals(self, state: State) -> dict[str, int]:
        """Return the goal value of every role. Raises GoalError."""
        return {role: self.goal(state, role) for role in self.roles}

    def percepts(self, state: State, moves: Moves) -> dict[str, tuple[Term, ...]]:
        """Return the percepts of each role after a joint move, by the rules for `sees` (GDL-II).

        Percepts are empty if there are no such rules. Raises what `next_state` raises.
        """
        seen: dict[Value, list[Term]] = {role: [] for role in self._role_values}
        for role, percept in self._after(state, moves).rows(("sees", 2)):
            if role in seen:
                seen[role].append(self._terms[percept])
        return {
            name: tuple(sorted(seen[role], key=term_text))
            for name, role in zip(self.roles, self._role_values, strict=True)
        }

    def query(self, pattern: Term | str, state: State, moves: Moves | None = None) -> list[dict[str, Term]]:
        """Return the substitutions under which an atom holds, sorted.

        Each maps variables as written (`?x`) to terms. The result is `[{}]` for an atom without variables that holds,
        and `[]` for an atom that does not. Atoms that depend on `does` require `moves`. Raises TermError,
        UnknownRelationError, UnknownRoleError, JointMoveError, IllegalMoveError.
        """
        state = self._own(state)
        atom = pattern_atom(pattern, self.rulesheet)
        return self._substitutions(atom, state, self._context_for(atom, state, moves))

    def explain(
        self,
        atom: Term | str,
        state: State,
        moves: Moves | None = None,
        *,
        most: int = 1,
        limit: int = EXPLAINED,
    ) -> Explanation:
        """Explain why an atom holds in a state, or why no instance of it does.

        For an atom without variables that holds, the explanation has at most `most` derivations, shortest first.
        `limit` is the maximum number of rule instances looked at. Atoms that depend on `does` require `moves`. Raises
        what `query` raises.
        """
        from gdl.explanation.answers import Answers
        from gdl.explanation.explaining import explained

        state = self._own(state)
        pattern = pattern_atom(atom, self.rulesheet)
        context = self._context_for(pattern, state, moves)
        answers = Answers(self.rulesheet, self._fact_relations, context, self._terms)
        return explained(pattern, self._substitutions(pattern, state, context), answers, most, limit)

    def depends_on_moves(self, atom: Term | str) -> bool:
        """Return True if an atom depends on the joint move, so that `query` and `explain` require `moves` for it.

        Raises TermError and UnknownRelationError.
        """
        return pattern_atom(atom, self.rulesheet).signature in self._move_dependent

    def _context_for(self, atom: Atom, state: State, moves: Moves | None) -> Context:
        """Return the context for an atom: with moves, if it depends on them."""
        if atom.signature not in self._move_dependent:
            return self._context(state)
        if moves is None:
            raise JointMoveError(f"{signature_text(atom.signature)} depends on the moves: give the joint move, too")
        return self._after(state, moves)

    def _substitutions(self, atom: Atom, state: State, context: Context) -> list[dict[str, Term]]:
        """Return the substitutions under which an atom holds."""
        if atom.signature == ("next", 1):
            rows = self._fact_relations.next_rows(context)
        elif atom.signature == ("true", 1) and isinstance(atom.args[0], Variable):
            rows = state._rows
        else:
            return Lookup(self._fact_relations, context, self._terms).substitutions(atom)
        # Facts are split over several relations, and have to be put together again.
        facts = self._fact_relations.values(rows)
        return match(atom, ((value,) for value in facts), self._terms)

    def _ordered_roles(self) -> tuple[Value, ...]:
        """Return the roles in the order of the file.

        Roles that rules derive come last, sorted by their text.
        """
        derived = self._program.static.rows(("role", 1))
        declared = [
            ground_value(rule.head.args[0], self.rulesheet)
            for rule in self.rulesheet.defining(("role", 1))
            if not rule.body
        ]
        if not derived:
            source = self.rulesheet.source
            raise RulesheetError([Mistake("no-role", "no role is derived", Location(source, 1, 1))])
        return tuple(dict.fromkeys([*declared, *sorted(derived, key=lambda value: self._terms[value].text)]))

    def _role(self, role: str) -> str:
        return role_named(role, self.roles)

    def _own(self, state: State) -> State:
        """Return the state itself, or an equivalent state of this game if it belongs to another one or to a copy."""
        if not isinstance(state, State):
            raise TypeError(f"expected a state of this game, not {state!r}")
        return state if state._game is self else self.state(state)

    def _begin(self) -> None:
        """Begin a question, which has the whole budget. All that derive relations or make terms do."""
        if self._measured:
            self._meter.begin()

    def _context(self, state: State) -> Context:
        """Return the context of a state, with the relations derived so far."""
        state = self._own(state)
        self._begin()
        context: Context | None = state._context
        if context is None:
            context = state._context = self._program.context(self._fact_relations.given(state._rows))
            self._recent.append(state)
            self._contexts += 1
            if self._contexts == _LEARN_AFTER:
                self._program.learn([state._context for state in list(self._recent)[:: _LEARN_AFTER // 8]])
            if len(self._recent) > _CONTEXTS:
                self._recent.popleft()._context = None
        return context

    def _legal(self, state: State) -> dict[str, _Legal]:
        """Return the legal moves of all roles."""
        context = self._context(state)
        legal: dict[str, _Legal] | None = context.get("legal moves")
        if legal is None:
            terms = self._terms
            values: dict[Value, dict[str, Value]] = {role: {} for role in self._role_values}
            for role, move in context.rows(("legal", 2)):
                if role in values:
                    values[role][terms[move].text] = move
            legal = context["legal moves"] = {
                name: (tuple([terms[by_text[text]] for text in sorted(by_text)]), by_text)
                for name, by_text in zip(self.roles, values.values(), strict=True)
            }
        return legal

    def _after(self, state: State, moves: Moves) -> Context:
        """Return the context of a state and a joint move."""
        legal = self._legal(state)
        chosen = in_role_order(moves, self.roles)
        does = set()
        for role, value, move in zip(self.roles, self._role_values, chosen, strict=True):
            by_text = legal[role][1]
            if not isinstance(move, (str, Term)):
                raise TypeError(f"expected a term or a KIF string as the move of {role}, not {move!r}")
            text = move if isinstance(move, str) else move.text
            done = by_text.get(text)
            if done is None:
                # Either spelled differently, or not legal.
                term = self.rulesheet.respell(parse_term(move) if isinstance(move, str) else move)
                done = by_text.get(term.text)
                if done is None:
                    raise IllegalMoveError(role, term.text, sorted(by_text))
            does.add((value, done))
        return self._context(state).extended("does/2", does)

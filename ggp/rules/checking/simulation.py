"""Examine the properties of a game by playing it and by proofs about all of its states.

A game is well-formed if every match ends, if every role always has a legal move, if every role has exactly one goal at
each end, and if every role can win (GDL specification, 2008, on well-formed games). It also asks for goals that never
fall, but so few games have these that they only count as usual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from time import monotonic
from typing import Final

from gdl.checker import Diagnostic, Note
from gdl.circuit.game import GameCircuit
from gdl.compile_errors import CompileError
from gdl.errors import DerivationLimitError, GdlError, Location, PlayError
from gdl.language.rules import Signature
from gdl.language.rulesheet import Rulesheet
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.terms import Function, Term, name_key
from ggp.rules.checking.bounded import Moves
from ggp.rules.checking.exploring import Explored, explore
from ggp.rules.checking.options import Simulation
from ggp.rules.checking.playing import MAX_PLIES, play
from ggp.rules.checking.proofs import Proofs, TooLarge, built, followed, times, without_goal, without_moves, won
from ggp.rules.checking.verdict import Simulated, Verdict
from ggp.rules.conformance.playouts import Violation
from ggp.rules.report_text import joint_move_text, number_and_noun, sorted_listing

#: Diagnostics show up to this many moves, and only the number of longer ones; verdicts show them all.
_SHOWN_MOVES: Final = 4

#: States with up to this many facts are shown in full.
_SHOWN_FACTS: Final = 6

#: The number of different outcomes that are listed.
_OUTCOMES: Final = 8

#: The diagnostics for violations in playouts, by kind: the code, and the relation whose rules are to blame.
_CODES: Final[dict[str, tuple[str, Signature]]] = {
    "legal": ("no-legal-move", ("legal", 2)),
    "goal": ("goal-value", ("goal", 2)),
    "base": ("fact-not-in-base", ("base", 1)),
    "input": ("move-not-in-input", ("input", 2)),
}


def simulate(rulesheet: Rulesheet, settings: Simulation) -> Simulated:
    """Play a game and try to prove its properties.

    Raises DerivationLimitError if the rules exceed the budget of the Reasoner, except by terms that grow: these are
    reported.
    """
    try:
        look = _Look(Reasoner(rulesheet), settings)
        errors = [violation.error for violation in look.played.violations if violation.error is not None]
        if errors:
            raise errors[0]
    except DerivationLimitError as error:
        if error.limit not in ("names", "depth"):
            raise
        place = error.location or Location(rulesheet.source, 1, 1)
        return Simulated((Diagnostic("growing-recursion", error.reason, place),), ())
    return look.simulated()


class _Look:
    def __init__(self, game: Reasoner, settings: Simulation) -> None:
        self._game = game
        self._settings = settings
        # Playing gets half of the time, proofs the other half.
        seconds = max(1.0, settings.seconds / 2)
        self.played = play(game, playouts=settings.playouts, seconds=seconds, seed=settings.seed)
        self._circuit: GameCircuit | None = None
        self._proofs, self._reason = self._prepared()

    def _prepared(self) -> tuple[Proofs | None, str]:
        seconds = self._settings.seconds
        if seconds <= 0:
            return None, "no time is given for proofs"
        start = monotonic()
        try:
            self._circuit = built(self._game.rulesheet, seconds)
            return Proofs(self._game, self._circuit, self.played, seconds - (monotonic() - start)), ""
        except CompileError as error:
            return None, str(error).partition(": ")[2]
        except TooLarge as error:
            return None, str(error)

    @cached_property
    def _explored(self) -> Explored:
        """Return what a search finds; it begins when something is left open by playouts and invariants."""
        if self._circuit is None:
            return Explored()
        return explore(self._circuit, self._settings.seconds / 2, self._settings.seed)

    def _found(self, event: str, role: str, judge: Callable[[Reasoner, State, str], str | None]) -> Moves | None:
        """Return moves to an event that the search has found and the Reasoner confirms, if there are any."""
        number = next(at for at, name in enumerate(self._game.roles) if name == role)
        way = self._explored.ways.get((event, number))
        try:
            return way if way is not None and judge(self._game, followed(self._game, way), role) else None
        except GdlError:
            return None

    def _all(self, message: str) -> str:
        """Return a message about all states, with their number."""
        return f"{message}: all {self._explored.states:,} states were examined"

    def simulated(self) -> Simulated:
        verdicts = [*self._playable(), *self._goals(), self._terminates(), self._monotone(), *self._winnable()]
        verdicts += self._constant_sum()
        verdicts += self._proofs.families() if self._proofs is not None else []
        verdicts += self._outcomes()
        if self._reason:
            verdicts.append(Verdict("proofs", "information", "unknown", f"nothing could be proved: {self._reason}"))
        diagnostics = [found for violation in self.played.violations for found in self._diagnostics(violation)]
        told = {diagnostic.code for diagnostic in diagnostics}
        for verdict in verdicts:
            code = {"legal moves": "no-legal-move", "goals": "goal-value"}.get(verdict.name)
            if code is not None and verdict.result == "counterexample" and code not in told:
                role = verdict.message.partition(" ")[0]
                diagnostics.append(self._diagnostic(code, verdict.message, role, verdict.moves or ()))
        return Simulated(tuple(diagnostics), tuple(verdicts))

    def _tried(self) -> str:
        played = self.played
        tried = f"{number_and_noun(played.playouts, 'playout')}, {times(played.plies)}"
        more = self._explored.playouts if "_explored" in self.__dict__ else 0
        return f"{tried}, and {more:,} fast playouts" if more else tried

    def _unproved(self) -> str:
        return "; not proved" if self._reason else "; not proved within the budget"

    def _playable(self) -> Iterator[Verdict]:
        for role in self._game.roles:
            proved = f"{role} has a legal move in every state that is not terminal"
            held = f"{role} always had a legal move: {self._tried()}"
            way = self._violation("legal", role)
            if way is None and self._proofs is not None and self._proofs.always_moves(role):
                yield Verdict("legal moves", "required", "proved", proved)
                continue
            if way is None:
                way = self._found("legal", role, without_moves)
            if way is None and self._explored.states:
                yield Verdict("legal moves", "required", "proved", self._all(proved))
                continue
            if way is None and self._proofs is not None:
                way = self._proofs.stuck(role)
            if way is None:
                yield Verdict("legal moves", "required", "held", held + self._unproved())
            else:
                yield self._against("legal moves", f"{role} has no legal move, and the state is not terminal", way)

    def _goals(self) -> Iterator[Verdict]:
        for role in self.played.roles:
            proved = f"{role} has exactly one goal in every terminal state"
            way = self._violation("goal", role)
            if way is None and self._proofs is not None and self._proofs.one_goal(role):
                yield Verdict("goals", "required", "proved", proved)
                continue
            if way is None:
                way = self._found("goal", role, without_goal)
            if way is None and self._explored.states:
                yield Verdict("goals", "required", "proved", self._all(proved))
                continue
            if way is None and self._proofs is not None:
                way = self._proofs.wrong_goal(role)
            if way is not None:
                yield self._against("goals", self._goal_message(role, way), way)
            elif not self.played.finished:
                yield Verdict(
                    "goals", "required", "unknown", f"no match came to an end: {self._tried()}{self._unproved()}"
                )
            else:
                held = f"{role} had exactly one goal in every terminal state: {self._tried()}"
                yield Verdict("goals", "required", "held", held + self._unproved())

    def _goal_message(self, role: str, way: Moves) -> str:
        try:
            return f"{role} has the goal {self._game.goal(followed(self._game, way), role)}"
        except PlayError as error:
            return str(error).partition(": ")[2]

    def _terminates(self) -> Verdict:
        played = self.played
        found = self._proofs.ending() if self._proofs is not None else None
        if found is not None:
            message = f"every match is over after {times(found.plies)}: {found.reason}"
            return Verdict("termination", "required", "proved", message)
        tried = f"{number_and_noun(played.playouts, 'playout')}, the longest of {times(played.longest)}"
        if played.finished == played.playouts:
            message = f"every match came to an end: {tried}{self._unproved()}"
            return Verdict("termination", "required", "held", message)
        ends = [f"{played.cut} cut off after {times(MAX_PLIES)} or when time was up"] * bool(played.cut)
        ends += [f"{played.stuck} stuck where a role had no legal move"] * bool(played.stuck)
        return Verdict("termination", "required", "unknown", f"{tried}, {', '.join(ends)}{self._unproved()}")

    def _monotone(self) -> Verdict:
        if self.played.falls is None:
            return Verdict("monotone goals", "usual", "held", f"no goal ever fell: {self._tried()}")
        way, message = self.played.falls
        state = tuple(followed(self._game, way))
        return Verdict("monotone goals", "usual", "differs", f"{message}, after {times(len(way))}", way, state)

    def _constant_sum(self) -> Iterator[Verdict]:
        sums = sorted({sum(goals) for goals in self.played.outcomes})
        if len(self.played.roles) > 1 and sums:
            everywhere = f"the goals of all roles add up to {sums[0]} at every end"
            if len(sums) == 1:
                yield Verdict("constant sum", "usual", "held", f"{everywhere}: {self._tried()}")
            else:
                message = f"the goals of all roles add up to {sums[0]} at some ends, and to {sums[-1]} at others"
                yield Verdict("constant sum", "usual", "differs", message)

    def _outcomes(self) -> Iterator[Verdict]:
        told = self.played.outcomes.most_common(_OUTCOMES)
        if told:
            ends = ", ".join(f"{'-'.join(map(str, goals))} ({count})" for goals, count in told)
            others = len(self.played.outcomes) - len(told)
            more = f", and {others} others" if others else ""
            message = f"the goals of {', '.join(self.played.roles)} at the ends of playouts: {ends}{more}"
            yield Verdict("outcomes", "information", "seen", message)
        fleeting = self._fleeting()
        if single := [name for name, most in fleeting.items() if most == 1]:
            message = f"one fact of each of these held at a time, and only for one ply: {', '.join(single)}"
            yield Verdict("one ply", "information", "seen", message)
        for name, most in fleeting.items():
            if most > 1:
                message = f"up to {most} facts of {name} held at a time, and each only for one ply"
                yield Verdict("one ply", "information", "seen", f"{message}; facts stay only if a rule says so")
        if "_explored" in self.__dict__ and self._explored.states:
            yield Verdict("states", "information", "proved", f"{self._explored.states:,} states can be reached")

    def _winnable(self) -> Iterator[Verdict]:
        for role in self.played.roles:
            refuted = f"no state that can be reached is worth 100 to {role}"
            way = self.played.wins.get(role)
            if way is None and self._proofs is not None and self._proofs.never_wins(role):
                yield Verdict("winnable", "required", "refuted", refuted)
                continue
            if way is None:
                way = self._found("win", role, won)
            if way is None and self._explored.states:
                yield Verdict("winnable", "required", "refuted", self._all(refuted))
                continue
            if way is None and self._proofs is not None:
                way = self._proofs.win(role)
            if way is None:
                yield Verdict("winnable", "required", "unknown", f"{role} never had a goal of 100: {self._tried()}")
            else:
                yield Verdict(
                    "winnable", "required", "proved", f"{role} can have a goal of 100, after {times(len(way))}"
                )

    def _fleeting(self) -> dict[str, int]:
        """Return the names of facts that never last, with the largest number of them in a state.

        This is often as meant, but perhaps a rule that keeps them is missing.
        """
        most: dict[str, int] = {}
        lasting: set[str] = set()
        for trace in self.played.traces:
            for before, after in pairwise(trace):
                lasting |= {_name(fact) for fact in after & before}
                for state in (before, after):
                    for name, count in Counter(map(_name, state)).items():
                        most[name] = max(most.get(name, 0), count)
        return {name: count for name, count in sorted(most.items()) if name not in lasting}

    def _violation(self, kind: str, role: str) -> Moves | None:
        """Return the moves that lead to a violation of a kind by a role, if there was one."""
        for violation in self.played.violations:
            if violation.kind == kind and violation.subject.split(" ")[0] == role:
                return violation.joint_moves
        return None

    def _against(self, name: str, message: str, way: Moves) -> Verdict:
        return Verdict(name, "required", "counterexample", message, way, tuple(followed(self._game, way)))

    def _diagnostics(self, violation: Violation) -> Iterator[Diagnostic]:
        if violation.kind in _CODES:
            code, _ = _CODES[violation.kind]
            message = violation.message.removeprefix(f"{code}: ")
            role = violation.subject.partition(" ")[0]
            yield self._diagnostic(code, message, role, violation.joint_moves)

    def _diagnostic(self, code: str, message: str, role: str, way: Moves) -> Diagnostic:
        """Return the diagnostic for the state after some moves, at the rules of the goals or the role's first rule."""
        state = followed(self._game, way)
        rules = self._goal_rules(role, state) if code == "goal-value" else []
        notes = tuple(Note(place, f"by this rule it has a goal of {value}") for value, place in rules)
        place = rules[0][1] if rules else self._place(code, role)
        return Diagnostic(code, f"{message}; {_after(way, state)}", place, notes if len(notes) > 1 else ())

    def _goal_rules(self, role: str, state: State) -> list[tuple[Term, Location]]:
        """Return the role's goals in a state, each with the location of a rule that yields it."""
        values = [found["?value"] for found in self._game.query(f"(goal {role} ?value)", state)]
        reasons = [(value, self._game.explain(f"(goal {role} {value})", state).derivations) for value in values]
        return [(value, why.location) for value, found in reasons for why in found if why.location is not None]

    def _place(self, code: str, role: str) -> Location:
        """Return the location of the first rule of a code's relation, preferably one that names the role."""
        rulesheet = self._game.rulesheet
        rules = [rule for rule in rulesheet.defining(_RELATIONS[code]) if rule.location is not None]
        own = [rule for rule in rules if name_key(str(rule.head.args[0])) == name_key(role)]
        found = next(iter([*own, *rules]), None)
        return found.location if found and found.location else Location(rulesheet.source, 1, 1)


def _name(fact: Term) -> str:
    return fact.name if isinstance(fact, Function) else str(fact)


def _after(way: Moves, state: State) -> str:
    """Describe in a few words the state that moves lead to."""
    if not way:
        return "this is in the initial state"
    if len(way) > _SHOWN_MOVES:
        facts = f", in the state {sorted_listing(state, _SHOWN_FACTS)}" if len(tuple(state)) <= _SHOWN_FACTS else ""
        return f"this is after {times(len(way))}{facts}"
    moves = ", ".join(f'"{joint_move_text(joint_move)}"' for joint_move in way)
    return f"this is after moves = [{moves}]"


_RELATIONS: Final[dict[str, Signature]] = dict(_CODES.values())

"""Play at random, and check at each ply the properties that every game must have."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from gdl.engine import is_nature
from gdl.errors import GdlError, GoalError, NoLegalMoveError
from gdl.reasoner.reasoner import Reasoner
from gdl.reasoner.state import State
from gdl.simulator.seeds import generator
from gdl.terms import Constant, Term
from ggp.rules.report_text import indent_and_wrap, joint_move_text, number_and_noun, sorted_listing

#: The number of violations of each kind that are shown with their moves; of further ones, only the terms are named.
_TOLD: Final = 3

#: The kinds of violations, with the words for several of them.
_KINDS: Final = {
    "legal": "roles without a legal move",
    "goal": "wrong goals",
    "base": "facts that are not in base",
    "input": "moves that are not in input",
    "error": "errors",
}

#: A match of no more plies than this is short.
_SHORT: Final = 2
#: The share of playouts that may be short before this is unusual: little games have some.
_NEARLY_ALL: Final = 0.9
_ADVICE: Final = "is a rule missing that keeps facts?"

#: The largest number of facts shown for a state.
_SHOWN_FACTS: Final = 100


@dataclass(frozen=True, slots=True)
class Violation:
    """The first occurrence of something that no game may do: a state, and the joint moves that lead to it.

    `subject` is the role, fact or move in question; `error` is the error of the Reasoner, if it was one.
    """

    kind: str
    subject: str
    message: str
    playout: int
    state: State
    joint_moves: tuple[tuple[Term, ...], ...]
    error: GdlError | None = None

    @property
    def place(self) -> tuple[int, int]:
        """The number of the playout, from 1, and the number of plies before the violation."""
        return self.playout, len(self.joint_moves)


@dataclass(frozen=True, slots=True)
class Playouts:
    """The results of playouts. `cut` of them were not over at the ply limit, which is a failure if `ends` is set.

    `short` of them were over after one or two plies, and `level` with the same goal for all of several roles.
    """

    playouts: int
    plies: int
    cut: int
    max_plies: int
    ends: bool
    violations: tuple[Violation, ...]
    short: int
    level: int

    def warnings(self) -> list[str]:
        """Describe in plain text what is unusual, though no failure."""
        told = []
        if self.short >= _NEARLY_ALL * self.playouts > 0:
            told.append(f"warning: {self._share(self.short)} over after one or two plies: {_ADVICE}")
        if 2 * self.level > self.playouts:
            told.append(f"warning: {self._share(self.level)} over without a winner: all roles had the same goal")
        return told

    def _share(self, count: int) -> str:
        of = number_and_noun(self.playouts, "playout")
        return f"{count} of {of} {'was' if count == 1 else 'were'}"

    def failures(self) -> list[str]:
        """Describe the failures in plain text."""
        told = _told(self.violations)
        if self.cut and self.ends:
            told.append(
                f"{self.cut} of {number_and_noun(self.playouts, 'playout')} not over after {self.max_plies} plies\n"
                "  (under [expect], ends = false allows this, and max_plies sets the limit)"
            )
        return told


@dataclass(frozen=True, slots=True)
class _Declared:
    """The facts and moves that a file declares by `base` and `input`; None if it declares none."""

    facts: frozenset[Term] | None
    moves: frozenset[tuple[Term, Term]] | None

    @classmethod
    def by(cls, game: Reasoner) -> _Declared:
        state = game.initial_state()
        facts = moves = None
        if any(game.rulesheet.defining(("base", 1))):
            facts = frozenset(found["?f"] for found in game.query("(base ?f)", state))
        if any(game.rulesheet.defining(("input", 2))):
            moves = frozenset((found["?r"], found["?m"]) for found in game.query("(input ?r ?m)", state))
        return cls(facts, moves)


#: Called with each state, the joint moves that led to it, and whether the game is over; returns False to stop.
Watch = Callable[[State, Sequence[tuple[Term, ...]], bool], bool]


def run_playouts(
    game: Reasoner,
    *,
    playouts: int,
    seed: int,
    max_plies: int,
    ends: bool,
    tell: Callable[[str], None],
    watch: Watch | None = None,
) -> Playouts:
    """Play at random and record each violation once. Playout `n` is the same whatever the number of playouts.

    If `watch` stops the playouts, the current one counts as cut off.
    """
    declared = _Declared.by(game)
    violations: dict[tuple[str, str], Violation] = {}
    plies = cut = number = short = level = 0
    stopped = False
    while number < playouts and not stopped:
        number += 1
        tell(f"playout {number} of {playouts}")
        playout = _Playout(game, declared, number, violations, watch)
        cut += not playout.play(generator(seed, "conformance", str(number)), max_plies)
        plies += len(playout.joint_moves)
        short += playout.over and len(playout.joint_moves) <= _SHORT
        level += len(playout.goals) > 1 and len(set(playout.goals)) == 1
        stopped = playout.stopped
    return Playouts(number, plies, cut, max_plies, ends, tuple(violations.values()), short, level)


class _Playout:
    """One playout; new violations are added to `violations`."""

    def __init__(
        self,
        game: Reasoner,
        declared: _Declared,
        number: int,
        violations: dict[tuple[str, str], Violation],
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch
        #: True once the watcher has stopped the playouts.
        self.stopped = False
        self._game = game
        self._declared = declared
        self._number = number
        self._violations = violations
        self._roles = tuple(zip(game.roles, map(Constant, game.roles), strict=True))
        self._state = game.initial_state()
        self.joint_moves: list[tuple[Term, ...]] = []
        #: True once the game is over, with the goals of all roles but nature.
        self.over = False
        self.goals: list[int] = []

    def play(self, chance: random.Random, max_plies: int) -> bool:
        """Play; return True if it was over within the limit, or could not go on by the rules."""
        game = self._game
        try:
            self._check_facts()
            while not game.is_terminal(self._state):
                if len(self.joint_moves) == max_plies or not self._go_on(False):
                    return False
                choices = [self._legal(role, name) for role, name in self._roles]
                if not all(choices):
                    return True
                joint_move = tuple(map(chance.choice, choices))
                self._state = game.next_state(self._state, joint_move)
                self.joint_moves.append(joint_move)
                self._check_facts()
            self.over = True
            self._go_on(True)
            self._check_goals()
        except GdlError as error:
            self._note("error", error.code, str(error), error)
        return True

    def _go_on(self, over: bool) -> bool:
        """Return True unless the watcher stops the playouts."""
        if self._watch is not None and not self._watch(self._state, self.joint_moves, over):
            self.stopped = True
        return not self.stopped

    def _legal(self, role: str, name: Term) -> tuple[Term, ...]:
        """Return the role's legal moves, after checking them; nothing if it has none."""
        try:
            legal = self._game.legal_moves(self._state, role)
        except NoLegalMoveError as error:
            self._note("legal", role, str(error))
            return ()
        declared = self._declared.moves
        if declared is not None:
            for move in legal:
                if (name, move) not in declared:
                    self._note("input", f"{role} {move}", f"{move} is legal for {role}, but is not in its input")
        return legal

    def _check_facts(self) -> None:
        declared = self._declared.facts
        if declared is not None:
            for fact in self._state:
                if fact not in declared:
                    self._note("base", fact.text, f"{fact} holds, but is not in base")

    def _check_goals(self) -> None:
        for role in self._game.roles:
            try:
                goal = self._game.goal(self._state, role)
            except GoalError as error:
                # Nature, the role of chance, need not have a goal.
                if error.values or not is_nature(role):
                    self._note("goal", f"{role} {' '.join(error.values)}", str(error))
            else:
                if not is_nature(role):
                    self.goals.append(goal)

    def _note(self, kind: str, subject: str, message: str, error: GdlError | None = None) -> None:
        if (kind, subject) not in self._violations:
            moves = tuple(self.joint_moves)
            self._violations[kind, subject] = Violation(kind, subject, message, self._number, self._state, moves, error)


def _told(violations: Sequence[Violation]) -> list[str]:
    """Return a text for each state with violations; if there are many of one kind, the later ones are only listed."""
    kinds: defaultdict[str, list[Violation]] = defaultdict(list)
    for violation in violations:
        kinds[violation.kind].append(violation)
    first = sorted((one for kind in kinds.values() for one in kind[:_TOLD]), key=lambda one: one.place)
    texts = [_block(list(group)) for _, group in groupby(first, key=lambda one: one.place)]
    for kind, all_of_it in kinds.items():
        rest = [one.subject for one in all_of_it[_TOLD:]]
        if rest:
            texts.append("\n".join([f"more {_KINDS[kind]}", *indent_and_wrap([sorted_listing(rest)])]))
    return texts


def _block(violations: Sequence[Violation]) -> str:
    """Return the violations in one state and the moves that lead to it, in the notation of expectation files."""
    first = violations[0]
    number, plies = first.place
    moves = ", ".join(f'"{joint_move_text(joint_move)}"' for joint_move in first.joint_moves)
    lines = [line for violation in violations for line in violation.message.split("\n")]
    lines.append(f"moves = [{moves}]")
    lines.append(f"state: {sorted_listing(first.state, _SHOWN_FACTS)}")
    return "\n".join([f"playout {number}, after {number_and_noun(plies, 'ply', 'plies')}", *indent_and_wrap(lines)])

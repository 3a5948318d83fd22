"""Numbers that decide between two ways to compute the same, set to other values, and what must stay the same."""

from __future__ import annotations

import re
from ast import AST, AnnAssign, Assign, FunctionDef, ImportFrom, Load, Module, Name, iter_child_nodes, parse, walk
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

import gdl
from ggp.solver.bounds import unknown
from ggp.solver.budget import SolverBudget
from ggp.solver.goals import declared_goals
from ggp.solver.proof import proof_of
from ggp.solver.search import DepthSearch
from ggp.solver.solve import solve
from ggp.solver.verify import verify
from support.agreement import budget
from support.comparing import Played, Position, check_playout, same
from support.expectations import difference
from support.many_states import check_arrays, check_columns, check_kernels
from support.toy_files import ROOT

#: The page that lists all thresholds.
PAGE: Final = ROOT / "docs/internals/thresholds.md"

#: The packages whose numbers are listed there.
PACKAGES: Final = (
    *(f"gdl.{name}" for name in ("grounder", "circuit", "codegen", "simulator", "reasoner", "language")),
    "ggp.solver",
)

#: Two samples of the same distribution differ by more than this in one of three million tests.
LIMIT: Final = 5.0

#: Sections of the page with thresholds on which it depends to which playouts a seed leads.
RANDOM: Final = ("Grounding", "Circuits", "Playouts")


@dataclass(frozen=True)
class Threshold:
    """A constant of a module, its value, and two values that make either way the rule."""

    name: str
    value: Any
    ends: tuple[Any, Any]
    section: str

    @property
    def module(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def constant(self) -> str:
        return self.name.rpartition(".")[2]


@cache
def thresholds() -> tuple[Threshold, ...]:
    """The thresholds that the page lists."""
    _, *sections = re.split(r"^## (.+)$", PAGE.read_text(), flags=re.MULTILINE)
    row = re.compile(r"^\| `([\w.]+)` \| `([^`]+)` \| `([^`]+)`, `([^`]+)` \| .+ \|$", re.MULTILINE)
    return tuple(
        Threshold(name, eval(value, {}), (eval(one, {}), eval(other, {})), section)
        for section, text in zip(sections[::2], sections[1::2], strict=True)
        for name, value, one, other in row.findall(text)
    )


@cache
def other_numbers() -> dict[str, list[str]]:
    """The numbers that decide nothing, by their modules; `*` stands for all of a module."""
    rows = re.findall(r"^\| `([\w.]+)` \| ((?:`[\w*]+`(?:, )?)+) \| [^`]+ \|$", PAGE.read_text(), re.MULTILINE)
    return {module: re.findall(r"[\w*]+", names) for module, names in rows}


# Where numbers are, and where they are read


@cache
def sources() -> dict[str, Module]:
    """The modules of the packages, parsed."""
    files = [file for package in PACKAGES for file in (ROOT / package.replace(".", "/")).rglob("*.py")]
    return {_module(file): parse(file.read_text(encoding="utf-8")) for file in sorted(files)}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def numbers(module: str) -> dict[str, Any]:
    """The constants that a module defines which are numbers, or tuples of them."""
    names = [
        part.id
        for statement in sources()[module].body
        if isinstance(statement, (Assign, AnnAssign))
        for target in (statement.targets if isinstance(statement, Assign) else [statement.target])
        for part in walk(target)
        if isinstance(part, Name)
    ]
    values = {name: getattr(import_module(module), name, None) for name in names}
    return {name: value for name, value in values.items() if _is_number(value)}


def _is_number(value: object) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_number, value))
    return isinstance(value, (int, float, np.integer)) and not isinstance(value, bool)


def copies() -> list[str]:
    """Where a threshold is read once and for all: when a module is loaded, or when Numba compiles a function."""
    constants: dict[str, set[str]] = {}
    for one in thresholds():
        constants.setdefault(one.module, set()).add(one.constant)
    found = []
    for module, tree in sources().items():
        for statement in tree.body:
            if isinstance(statement, ImportFrom):
                own = constants.get(statement.module or "", set())
                found += [f"{module}: {alias.name}" for alias in statement.names if alias.name in own]
            if module in constants:
                found += [f"{module}: {name}" for name in _read_at_once(statement) if name in constants[module]]
    return found


def _read_at_once(node: AST) -> Iterator[str]:
    """The names that are read outside the bodies of ordinary functions."""
    if isinstance(node, Name) and isinstance(node.ctx, Load):
        yield node.id
    parts: Iterable[AST] = iter_child_nodes(node)
    if isinstance(node, FunctionDef):
        names = {part.id for one in node.decorator_list for part in walk(one) if isinstance(part, Name)}
        parts = [node.args, *(node.body if names & {"part", "compiled"} else ())]
    for part in parts:
        yield from _read_at_once(part)


# Values


@contextmanager
def setting(values: Mapping[str, Any]) -> Iterator[None]:
    """Thresholds have other values."""
    with ExitStack() as stack:
        for name, value in values.items():
            module, _, constant = name.rpartition(".")
            stack.enter_context(patch.object(import_module(module), constant, value))
        yield


def engine_ends() -> dict[str, tuple[Any, ...]]:
    """The ends of the thresholds of Reasoner, compiler and Simulator."""
    return {one.name: one.ends for one in thresholds() if one.name.startswith("gdl.")}


def solver_ends() -> dict[str, tuple[Any, ...]]:
    """The ends of the solver's thresholds."""
    return {one.name: one.ends for one in thresholds() if one.name.startswith("ggp.solver.")}


def keeps_playouts(names: Iterable[str]) -> bool:
    """True if a seed leads to the same playouts, whatever these thresholds are."""
    return not {one.name for one in thresholds() if one.section in RANDOM}.intersection(names)


def drawn(random: Random, ends: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Some thresholds at one of their ends: few, half of them, or all; often only such that keep playouts."""
    if random.random() < 0.4:
        ends = {name: own for name, own in ends.items() if keeps_playouts([name])} or ends
    chosen = random.sample(list(ends), random.choice((3, len(ends) // 2, len(ends))))
    return {name: random.choice(ends[name]) for name in chosen}


def needed(values: Mapping[str, Any], fails: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
    """Values without which it does not fail: those that are not needed are left out."""
    names, size = list(values), len(values) // 2
    while size:
        for start in range(0, len(names), size):
            fewer = names[:start] + names[start + size :]
            if len(fewer) < len(names) and fails({name: values[name] for name in fewer}):
                names = fewer
                break
        else:
            size //= 2
    return {name: values[name] for name in names}


# What must stay the same


class Recorded(Played):
    """A game as the Reasoner plays it."""

    def __init__(self, text: str, random: Random, playouts: int, plies: int) -> None:
        self.text = text
        self.reasoner = gdl.Reasoner(text)
        self.roles = list(self.reasoner.roles)
        self.game: Any = SimpleNamespace(roles=self.roles)
        self._plies = plies
        self.playouts = [list(self._playout(random)) for _ in range(playouts)]
        self.positions = list({one.facts: one for some in self.playouts for one in some}.values())

    def _playout(self, random: Random) -> Iterator[Position]:
        game, state = self.reasoner, self.reasoner.initial_state()
        for _ in range(self._plies):
            facts = frozenset(fact.text for fact in state)
            model: dict[Any, Any] = {}
            if game.is_terminal(state):
                model["terminal", 0] = {("terminal",)}
            model["goal", 2] = {("goal", role, value) for role in self.roles for value in self._goals(state, role)}
            legal = {role: self._legal(state, role) for role in self.roles}
            model["legal", 2] = {("legal", role, move) for role, moves in legal.items() for move in moves}
            if ("terminal", 0) in model or not all(legal.values()):
                yield Position(facts, model, None, model)
                return
            moves = {role: random.choice(some) for role, some in legal.items()}
            joint = list(moves.values())
            seen = game.percepts(state, joint)
            state = game.next_state(state, joint)
            after = {("sees", 2): {("sees", role, percept.text) for role in self.roles for percept in seen[role]}}
            after["next", 1] = {("next", fact.text) for fact in state}  # type: ignore[arg-type]
            yield Position(facts, model, moves, after)  # type: ignore[arg-type]

    def _legal(self, state: Any, role: str) -> list[str]:
        try:
            return [move.text for move in self.reasoner.legal_moves(state, role)]
        except gdl.NoLegalMoveError:
            return []

    def _goals(self, state: Any, role: str) -> tuple[str, ...]:
        try:
            return (str(self.reasoner.goal(state, role)),)
        except gdl.GoalError as error:
            return tuple(map(str, error.values))


#: How many playouts are compared, and after how many plies they are cut off: those of `Simulator.playouts`, and those
#: of arrays, which count the plies in which a lane has waited, too.
_PLAYOUTS: Final = 2048
_CUT: Final = 60
_LATE: Final = 1_000


class Reference:
    """A game as it is with the usual thresholds. Raises CompileError if it is too large."""

    def __init__(self, text: str, *, playouts: int = 2, plies: int = 12) -> None:
        self.text = text
        self.recorded = Recorded(text, Random(0), playouts, plies)
        self.simulator = compiled(text)
        self.result = _played(self.simulator)
        # Its code is made now, with the usual thresholds.
        self.goals = self._many_goals(self.simulator)

    def check(self, values: Mapping[str, Any]) -> None:
        """Set thresholds, and raise AssertionError if something is another now, CompileError if it is too large now."""
        with setting(values):
            self._check(exactly=keeps_playouts(values))

    def _check(self, *, exactly: bool) -> None:
        check_playout(gdl.Reasoner(self.text), self.recorded)
        simulator = compiled(self.text)
        check_playout(simulator, self.recorded)
        check_kernels(simulator, self.recorded)
        check_arrays(simulator, self.recorded)
        if simulator.all_facts and all(map(simulator.all_moves, simulator.roles)):
            check_columns(simulator, 4, 1, self.simulator)
        result, goals = _played(simulator), self._many_goals(simulator)
        if exactly:
            same("playouts", self.result, result)
            same("goals of playouts", self.goals, goals)
        off = max(difference(_counts(self.result), _counts(result)), difference(self.goals, goals))
        assert off < LIMIT, f"{off:.1f} standard deviations from {self.result}, {self.goals} to {result}, {goals}"

    def _many_goals(self, simulator: gdl.Simulator) -> Counter[Any]:
        arrays = simulator.arrays
        begin = arrays.pack([simulator.initial_state()] * _PLAYOUTS)
        if arrays.terminal(arrays.look(begin)).any():
            return Counter()
        return Counter(map(tuple, arrays.playouts(begin, 1, _LATE).tolist()))


def _played(simulator: gdl.Simulator) -> gdl.PlayoutResult:
    return replace(simulator.playouts(_PLAYOUTS, max_plies=_CUT), seconds=0.0, operations=0)


def _counts(result: gdl.PlayoutResult) -> Counter[Any]:
    counts = Counter({(role, value): n for role, own in result.counts.items() for value, n in own.items()})
    counts.update({(role, "undefined"): n for role, n in result.undefined.items()})
    return counts + Counter({"cut": result.cut, "stuck": result.stuck})


def compiled(text: str) -> gdl.Simulator:
    """The Simulator of a game. Raises CompileError if it is too large."""
    with budget(seconds=30.0, rules=300_000):
        return gdl.compile(text, cache=False).whole()


class SolverReference:
    """A game of which the solver says this with the usual thresholds. Raises NotSolvableError."""

    def __init__(self, text: str) -> None:
        self.game = gdl.compile(text)
        self.said = self._says()

    def check(self, values: Mapping[str, Any]) -> None:
        """Set thresholds, and raise AssertionError if the solver says something else now."""
        with setting(values):
            same("solver", self.said, self._says())

    def _says(self) -> dict[str, Any]:
        """The value of each state, backwards from the ends; what a search by depth proves; and a proof, checked."""
        game, root = self.game, self.game.initial_state()
        limits: dict[str, Any] = {"memory": 4.0, "progress": lambda _: None}
        answer = solve(game, root, seconds=None, **limits)
        assert answer.solution is not None
        graph, worth = answer.solution.graph, answer.solution.worth
        checked = verify(proof_of(answer.solution, ()), game.reasoner, game, limits["progress"])
        search = DepthSearch(game, root, SolverBudget(None, 1 << 26))
        begun = unknown(game.roles, declared_goals(game))
        bounds, stop = search.run(begun)
        quick, _ = DepthSearch(game, root, SolverBudget(None, 1 << 26)).run(begun, only_value=True)
        # The states may be all found, or not.
        soon = solve(game, root, seconds=20.0, **limits)
        return {
            "states": {tuple(row): worth.verdict(number) for number, row in enumerate(graph.states.tolist())},
            "line": answer.line,
            "checked": checked.states,
            "bounds": bounds,
            "stop": stop,
            "quick": [best and best.value for best in quick.best],
            "soon": [best and best.value for best in soon.bounds.best]
            if soon.bounds is not None
            else [best and best.value for best in bounds.best],
        }

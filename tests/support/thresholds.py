"""Numbers that decide between two ways to compute the same, set to other values, and what must stay the same."""

from __future__ import annotations

from ast import AST, AnnAssign, Assign, AsyncFunctionDef, ClassDef, FunctionDef, Import, ImportFrom, Name, parse, walk
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from re import MULTILINE, findall
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import numpy as np

import gdl
from support.agreement import budget
from support.columns import follow
from support.comparing import Played, Position, check_playout, same
from support.expectations import difference
from support.many_states import check_kernels, check_many
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


@dataclass(frozen=True)
class Threshold:
    """A constant of a module, its value, and two values that make either way the rule."""

    name: str
    value: Any
    ends: tuple[Any, Any]

    @property
    def module(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def constant(self) -> str:
        return self.name.rpartition(".")[2]


@cache
def thresholds() -> tuple[Threshold, ...]:
    """The thresholds that the page lists."""
    rows = findall(r"^\| `([\w.]+)` \| `([^`]+)` \| `([^`]+)`, `([^`]+)` \| .+ \|$", PAGE.read_text(), MULTILINE)
    return tuple(Threshold(name, *(eval(text, {}) for text in (value,)), (eval(a), eval(b))) for name, value, a, b in rows)


@cache
def other_numbers() -> dict[str, list[str]]:
    """The numbers that decide nothing, by their modules; `*` stands for all of a module."""
    rows = findall(r"^\| `([\w.]+)` \| ((?:`[\w*]+`(?:, )?)+) \| [^`]+ \|$", PAGE.read_text(), MULTILINE)
    return {module: findall(r"[\w*]+", names) for module, names in rows}


# Where numbers are, and where they are read


@cache
def sources() -> dict[str, AST]:
    """The modules of the packages, parsed."""
    files = [file for package in PACKAGES for file in (ROOT / package.replace(".", "/")).rglob("*.py")]
    return {_module(file): parse(file.read_text(encoding="utf-8")) for file in sorted(files)}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def numbers(module: str) -> dict[str, Any]:
    """The constants that a module defines which are numbers, or tuples of them."""
    names = [
        part.id
        for statement in sources()[module].body  # type: ignore[attr-defined]
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


def copies(threshold: Threshold) -> Iterator[str]:
    """Where a value is read once and for all: when a module is loaded, or when Numba compiles a function."""
    for module, tree in sources().items():
        for node in walk(tree):
            if isinstance(node, ImportFrom) and node.module == threshold.module:
                if any(alias.name == threshold.constant for alias in node.names):
                    yield f"{module}:{node.lineno}"
    yield from (f"{threshold.module}:{line}" for line in _read_at_once(sources()[threshold.module], threshold.constant))


def _read_at_once(node: Any, name: str) -> Iterator[int]:
    """The lines outside the bodies of ordinary functions that read a name."""
    if isinstance(node, Name) and node.id == name and type(node.ctx).__name__ == "Load":
        yield node.lineno
    if isinstance(node, (FunctionDef, AsyncFunctionDef)):
        decorators = {part.id for one in node.decorator_list for part in walk(one) if isinstance(part, Name)}
        parts = [*node.args.defaults, *(one for one in node.args.kw_defaults if one), *node.decorator_list]
        parts += node.body if decorators & {"part", "compiled"} else []
    else:
        parts = list(getattr(node, "__dict__", {}).values())
        parts = [one for part in parts for one in (part if isinstance(part, list) else [part]) if isinstance(one, AST)]
    for part in parts:
        yield from _read_at_once(part, name)


# Values


@contextmanager
def setting(values: Mapping[str, Any]) -> Iterator[None]:
    """Thresholds have other values."""
    with ExitStack() as stack:
        for name, value in values.items():
            module, _, constant = name.rpartition(".")
            stack.enter_context(patch.object(import_module(module), constant, value))
        yield


def drawn(random: Random, candidates: list[Threshold]) -> dict[str, Any]:
    """Some thresholds at one of their ends: few, half of them, or all."""
    chosen = random.sample(candidates, random.choice((3, len(candidates) // 2, len(candidates))))
    return {one.name: random.choice(one.ends) for one in chosen}


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


#: How many playouts are compared, and after how many plies they are cut off.
_PLAYOUTS: Final = 2048
_CUT: Final = 60


class Reference:
    """A game as it is with the usual thresholds. Raises CompileError if it is too large."""

    def __init__(self, text: str, *, playouts: int = 2, plies: int = 12) -> None:
        self.text = text
        self.recorded = Recorded(text, Random(0), playouts, plies)
        self.simulator = compiled(text)
        self.result = self._result(self.simulator)
        # Its code is made now, with the usual thresholds.
        self.goals = self._many_goals(self.simulator)

    def check(self) -> None:
        """Raise AssertionError if a question has another answer now. Raises CompileError if it is too large now."""
        check_playout(gdl.Reasoner(self.text), self.recorded)
        simulator = compiled(self.text)
        check_playout(simulator, self.recorded)
        check_kernels(simulator, self.recorded)
        check_many(simulator, self.recorded)
        if not self.result["stuck"]:
            follow(simulator, 4, 1, self.simulator)
        for said, expected, found in (
            ("playouts", self.result, self._result(simulator)),
            ("goals of playouts", self.goals, self._many_goals(simulator)),
        ):
            off = difference(expected, found)
            assert off < LIMIT, f"{said}: {off:.1f} standard deviations between {expected} and {found}"

    def _result(self, simulator: gdl.Simulator) -> Counter[Any]:
        result = simulator.playouts(_PLAYOUTS, max_plies=_CUT)
        found = Counter({(role, value): n for role, own in result.counts.items() for value, n in own.items()})
        found.update({(role, "undefined"): n for role, n in result.undefined.items()})
        return found + Counter({"cut": result.cut, "stuck": result.stuck})

    def _many_goals(self, simulator: gdl.Simulator) -> Counter[Any]:
        arrays = simulator.arrays
        begin = arrays.pack([simulator.initial_state()] * _PLAYOUTS)
        if arrays.terminal(arrays.look(begin)).any():
            return Counter()
        return Counter(map(tuple, arrays.playouts(begin, 1, _CUT).tolist()))


def compiled(text: str) -> gdl.Simulator:
    """The Simulator of a game. Raises CompileError if it is too large."""
    with budget(seconds=30.0, rules=300_000):
        return gdl.compile(text, cache=False)

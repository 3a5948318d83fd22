"""The direction of imports: `gdl` imports nothing from `ggp`, and each package only from those before it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: One direction of flow: a package imports only from itself and from those before it. The most specific entry counts:
#: `gdl.reasoner.reasoner` is the interface of the Reasoner, which explains, too.
ORDER = [
    *(
        "gdl.errors",
        "gdl.terms",
        "gdl.system",
        "gdl.language",
        "gdl.engine",
        "gdl.reasoner",
        "gdl.explanation",
        "gdl.reasoner.reasoner",
    ),
    *(
        "gdl.checker",
        "gdl.compile_errors",
        "gdl.compile_budget",
        "gdl.grounder",
        "gdl.circuit",
        "gdl.codegen",
        "gdl.simulator",
        "gdl",
    ),
    *(
        "ggp.rules",
        "ggp.solver.planner",
        "ggp.solver",
        *("ggp.board.leaves", "ggp.board.vocabulary", "ggp.board.model", "ggp.board.finding"),
        *("ggp.board.image_content", "ggp.board.images", "ggp.board.drawing.elements", "ggp.board.drawing.icons"),
        *("ggp.board.drawing.looks", "ggp.board.terminal.colours", "ggp.board.kinds", "ggp.board.view"),
        *("ggp.board.finding.find", "ggp.board", "ggp.board.drawing.charts"),
        "ggp.rules.lsp",
        "ggp.belief",
        *("ggp.environments.libraries", "ggp.environments.perspective", "ggp.environments.rewards"),
        *("ggp.environments.lane_columns", "ggp.environments.lane_loops", "ggp.environments.lanes"),
        *("ggp.environments.position", "ggp.environments.planes", "ggp.environments.observations"),
        *("ggp.environments.states", "ggp.environments.symmetries", "ggp.environments.game"),
        "ggp.players.learned_values",
        "ggp.players",
        "ggp.match",
        "ggp.environments",
        "ggp.work",
        "ggp.rules.checking.jobs",
        "ggp.study.bench",
    ),
    *("ggp.network", "ggp.tournament", "ggp.study", "ggp.learning"),
    *("ggp.server", "ggp.server.game", "ggp.server.export", "ggp.server.web", "ggp.cli", "ggp"),
]

#: Packages that `import gdl` and questions to a Reasoner do without.
HEAVY = {"aiohttp", "clingo", "llvmlite", "numba", "numpy", "ray", "rich", "typer"}


def modules(package: str) -> dict[str, Path]:
    """The modules of a package by their full names."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = {**modules("gdl"), **modules("ggp")}


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imported(tree: ast.AST, *, deferred: bool) -> Iterator[str]:
    """The full names that are imported, those inside functions only if `deferred`, never those for type checking."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide what is imported"
            assert node.module
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        elif deferred or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imported(node, deferred=deferred)


@cache
def needs(module: str, *, deferred: bool = True) -> frozenset[str]:
    """The project's modules that a module imports."""
    names = set(imported(tree_of(module), deferred=deferred))
    # `from ggp import board` imports both; of a package and its module, the module is meant.
    return frozenset({name for name in names if name in MODULES} - {module})


@cache
def place(module: str) -> int:
    """The place of a module in the order: that of the longest entry that it is or lies in."""
    entries = [name for name in ORDER if module == name or module.startswith(f"{name}.")]
    return ORDER.index(max(entries, key=len))


def test_every_entry_of_the_order_is_a_module() -> None:
    assert set(ORDER) <= MODULES.keys()


def test_a_module_imports_only_from_its_own_package_and_those_before_it() -> None:
    # The packages `gdl` and `ggp` themselves only name what they export; who imports them loads nothing more.
    wrong = [(name, need) for name in MODULES for need in needs(name) - {"gdl", "ggp"} if place(need) > place(name)]
    assert wrong == []


def test_the_server_and_its_game_processes_share_no_room() -> None:
    """Nor does what both of them need know either."""
    rooms = {
        room: {name for name in MODULES if name.startswith(f"ggp.server.{room}")} for room in ("game", "web", "export")
    }
    both = {name for name in MODULES if name.startswith("ggp.server.")}.difference(*rooms.values())
    for name in rooms["web"]:
        assert not needs(name) & rooms["game"], name
    for name in both:
        assert not needs(name) & (rooms["game"] | rooms["web"]), name


def test_gdl_imports_nothing_from_ggp() -> None:
    for name in modules("gdl"):
        found = set(imported(tree_of(name), deferred=True))
        assert not {other for other in found if other.split(".")[0] == "ggp"}, name


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    left = {name: needs(name) - {"gdl", "ggp"} for name in MODULES}
    while left:
        free = [name for name, need in left.items() if not need & left.keys()]
        assert free, f"each of these needs another of them: {sorted(left)}"
        for name in free:
            del left[name]


#: Private by their names only: they belong to namedtuples, to the standard library, and to the base classes of
#: PettingZoo and Stable-Baselines3, which offer them to their subclasses. The last ones lead to clingo's C functions,
#: which are public, for numbers that its Python module only gives along with hundreds of others.
PUBLIC = {
    *("_replace", "_asdict", "_make", "_fields", "_exit", "_accumulate_rewards", "_clear_rewards", "_was_dead_step"),
    *("_get_indices", "_reset_seeds", "_reset_options"),
    *("_c_call", "_lib", "_rep"),
}


def private_names(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The private names that a module defines, and those that it uses."""
    defined: set[str] = set()
    used: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                defined.add(name)
            case ast.Attribute(attr=name) | ast.alias(name=name):
                used.add(name)
            case _:
                pass
    return tuple({name for name in names if re.fullmatch("_[a-zA-Z]\\w*", name)} for names in (defined, used))  # type: ignore[return-value]


def test_no_package_uses_private_names_of_another() -> None:
    defined: dict[str, set[str]] = {}
    used: dict[str, set[str]] = {}
    for name in MODULES:
        own, used[name] = private_names(tree_of(name))
        defined.setdefault(package_of(name), set()).update(own)
    foreign = {name: needed - defined[package_of(name)] - PUBLIC for name, needed in used.items()}
    assert {name: names for name, names in foreign.items() if names} == {}


def package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def loaded_by(statements: str) -> set[str]:
    """The modules that a fresh Python has loaded after some statements."""
    code = f"import sys\n{statements}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in run.stdout.split()}


def test_importing_gdl_loads_nothing_heavy() -> None:
    assert not (HEAVY | {"lark", "ggp"}) & loaded_by("import gdl")


def test_playing_with_a_reasoner_loads_nothing_but_the_parser() -> None:
    play = (
        "import gdl; game = gdl.Reasoner('(role r) (legal r m) terminal'); game.next_state(game.initial_state(), 'm')"
    )
    loaded = loaded_by(play)
    assert "lark" in loaded
    assert not (HEAVY | {"ggp"}) & loaded


def test_importing_the_command_line_loads_no_engine_but_the_reasoner() -> None:
    assert not HEAVY - {"rich", "typer"} & loaded_by("import ggp.cli")


def test_loading_the_players_loads_no_arrays() -> None:
    load = "from ggp.players import PLAYERS; [entry.load() for entry in PLAYERS.values()]"
    assert not HEAVY & loaded_by(load)


#: Packages that need a library of an extra when they are imported.
LIBRARIES = {"ggp.environments.openspiel": "pyspiel"}


@pytest.mark.slow
def test_every_package_can_be_the_first_that_is_imported() -> None:
    """So can every module, as modules do not import each other in a circle."""
    absent = tuple(package for package, library in LIBRARIES.items() if find_spec(library) is None)
    names = [name for name, path in MODULES.items() if path.name == "__init__.py" and not name.startswith(absent)]
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    for loaded in [m for m in sys.modules if m.split('.')[0] in ('gdl', 'ggp')]:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


#: Modules that fold the case of something other than names of rules.
FOLDING = {
    "gdl.codegen.portable.c99": "identifiers of generated code",
    "gdl.language.parser": "endings of file names",
    "gdl.reasoner.python_code": "identifiers of generated code",
    "ggp.board.finding.pieces": "letters that stand for pieces",
    "ggp.board.images": "endings of file names",
    "ggp.cli.commands.render": "endings of file names",
    "ggp.network.own_requests": "names of hosts",
    "ggp.network.protocol.http": "names of header fields",
    "ggp.network.protocol.listener": "names of hosts",
    "ggp.network.protocol.replies": "words of replies",
    "ggp.network.web_server": "values of header fields",
    "ggp.players.making": "names of players",
    "ggp.players.openspiel.translation": "letters of columns in moves of OpenSpiel",
    "ggp.rules.pytest_plugin": "endings of file names",
    "ggp.rules.shipped_games": "names of files",
    "ggp.rules.titles": "words of titles",
    "ggp.server.web.guard": "names of hosts",
    "ggp.server.web.matches": "names of files",
}


def folds_case(tree: ast.AST) -> bool:
    """True if a module folds the case of a text."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("lower", "casefold", "swapcase") for node in ast.walk(tree)
    )


def test_names_of_rules_are_folded_in_one_place() -> None:
    found = {name for name in MODULES if folds_case(tree_of(name))}
    assert found == {"gdl.terms", *FOLDING}


def test_test_modules_have_unique_names() -> None:
    # In one run, pytest imports modules of the same name in folders without __init__.py only once.
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []

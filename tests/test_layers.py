"""What may import what: `gdl` nothing from `ggp`, and inside each a module only those before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: The flow from text to answers: a module imports only from those in front of it.
GDL_ORDER = [
    *("errors", "terms", "syntax", "parser", "formatter"),
    *("rules", "strata", "splitting", "normalize", "reading", "rulesheet"),
    *("joins", "blocks", "pycode", "lazy", "components", "forward", "lowering", "matching"),
    *("explanation.tree", "explanation", "explanation.lookup", "explanation.answers", "explanation.derivations"),
    *("explanation.refutations", "explanation.explaining", "explanation.outline"),
    *("joint", "state", "reasoner"),
    *("edits", "checker.codes", "checker.diagnostic", "checker.domains", "checker.consequences", "checker.view"),
    *("checker.rewrite", "checker.keywords", "checker.names", "checker.shape", "checker.refusals"),
    *("checker.recursion", "checker.reach", "checker.slips", "checker"),
    *("grounder.program", "grounder.budget", "grounder.projection", "grounder.demand", "grounder.child"),
    *("grounder.aspif", "grounder.encoding", "grounder.explosion", "grounder.tables", "grounder"),
    *(
        "childprocess",
        "circuit.gates",
        "circuit.factoring",
        "circuit.game",
        "circuit.build",
        "circuit.rebuild",
        "circuit.layers",
    ),
    *("circuit.closure", "circuit.sampling", "circuit.claims", "circuit.effort", "circuit.proof", "circuit.candidates"),
    *("circuit.induction", "circuit.invariants", "circuit.stored", "circuit.making"),
    *("circuit.rows", "circuit.step", "circuit"),
    *("codegen.netlist", "codegen.formulas", "codegen.lower", "codegen.choice", "codegen.playout"),
    *("codegen.interface", "codegen.llvm", "codegen.native", "codegen.stepper", "codegen.evaluate"),
    *("codegen.transpose", "codegen.packed"),
    *("codegen.operations", "codegen.ordering", "codegen.schedule", "codegen.allocation", "codegen.kernels"),
    *("codegen.interpreter", "codegen"),
    *(
        "cache",
        "code",
        "kernels",
        "compiler",
        "packed",
        "seeding",
        "playouts",
        "batch",
        "bits",
        "enumeration",
        "arrays",
        "simulator",
        "inspection",
    ),
]

#: Packages that `import gdl` and questions to a Reasoner do without.
HEAVY = {"aiohttp", "clingo", "llvmlite", "numba", "numpy", "rich", "typer"}


def modules(package: str) -> dict[str, Path]:
    """The modules of a package by their full names."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = {**modules("gdl"), **modules("ggp")}


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


def needs(module: str, *, deferred: bool = True) -> set[str]:
    """The project's modules that a module imports."""
    names = set(imported(ast.parse(MODULES[module].read_text(encoding="utf-8")), deferred=deferred))
    # `from ggp import board` imports both; of a package and its module, the module is meant.
    return {name for name in names if name in MODULES} - {module}


def test_the_order_names_every_module_of_gdl() -> None:
    known = {f"gdl.{name}" for name in GDL_ORDER} | {"gdl"}
    assert known == {name for name in MODULES if name.split(".")[0] == "gdl"}


@pytest.mark.parametrize("name", GDL_ORDER)
def test_a_module_of_gdl_imports_only_those_before_it(name: str) -> None:
    before = {f"gdl.{earlier}" for earlier in GDL_ORDER[: GDL_ORDER.index(name)]}
    assert needs(f"gdl.{name}") <= before


def test_gdl_imports_nothing_from_ggp() -> None:
    for name, path in modules("gdl").items():
        found = set(imported(ast.parse(path.read_text(encoding="utf-8")), deferred=True))
        assert not {other for other in found if other.split(".")[0] == "ggp"}, name


def test_modules_of_ggp_do_not_import_each_other_in_a_circle() -> None:
    names = [name for name in MODULES if name.split(".")[0] == "ggp"]
    edges = {name: {need for need in needs(name) if need.split(".")[0] == "ggp"} for name in names}
    left = dict(edges)
    while left:
        free = [name for name, need in left.items() if not need & left.keys()]
        assert free, f"each of these needs another of them: {sorted(left)}"
        for name in free:
            del left[name]


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


@pytest.mark.slow
def test_every_module_can_be_the_first_that_is_imported() -> None:
    names = [name for name in MODULES if not name.endswith("__main__") and "pytest" not in name]
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    for loaded in [m for m in sys.modules if m.split('.')[0] in ('gdl', 'ggp')]:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr

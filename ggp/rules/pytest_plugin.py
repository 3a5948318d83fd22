"""A pytest plugin that checks rule files: `pytest games/` collects every `.kif` file, with an item for each check.

The rest of the package is imported only once a rule file is collected. `-p no:ggp` turns the plugin off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from gdl.reasoner.reasoner import Reasoner
    from ggp.rules.conformance import Expectations, Settings

#: The names under which pytest may load this module: its entry point, and `-p` or `pytest_plugins`.
_NAMES: Final = ("ggp", "ggp.rules.pytest_plugin")

_HELP: Final = {
    "playouts": ("random playouts of each rule file", "10"),
    "seed": ("seed of the playouts", "0"),
}

#: The number of playouts and their seed.
_NUMBERS: Final = pytest.StashKey[tuple[int, int]]()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the plugin's options, and block a second registration under the other name."""
    # Blocking the other name keeps pytest from failing when the plugin is also loaded under it.
    for name in _NAMES:
        if name != pluginmanager.get_name(sys.modules[__name__]):
            pluginmanager.set_blocked(name)
    group = parser.getgroup("ggp", "rule files of games")
    for name, (meaning, default) in _HELP.items():
        group.addoption(f"--ggp-{name}", type=int, metavar="N", help=f"{meaning} (default: ggp_{name} or {default})")
        parser.addini(f"ggp_{name}", f"{meaning} (default: {default})", default=default)


def pytest_configure(config: pytest.Config) -> None:
    """Read the plugin's options."""
    config.stash[_NUMBERS] = _number(config, "playouts", least=0), _number(config, "seed", least=0)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect `.kif` files."""
    if file_path.suffix.lower() != ".kif":
        return None
    return RuleFile.from_parent(parent, path=file_path)


class RuleFile(pytest.File):
    """A rule file, which is read when its first item runs and forgotten after the last."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each check of the file."""
        from ggp.rules.conformance import check_names

        for name in check_names(self.path, self.settings):
            yield RuleCheck.from_parent(self, name=name)

    def teardown(self) -> None:
        """Forget the game and its expectations."""
        for name in ("game", "expectations"):
            self.__dict__.pop(name, None)

    @property
    def settings(self) -> Settings:
        """The settings for playouts."""
        from ggp.rules.conformance import Settings

        playouts, seed = self.config.stash[_NUMBERS]
        return Settings(playouts, seed)

    @cached_property
    def game(self) -> Reasoner:
        """The game. Raises GdlError."""
        from ggp.rules.conformance import load_game

        return load_game(self.path, self._shown(self.path))

    @cached_property
    def expectations(self) -> Expectations:
        """The expectations about the game. Raises GdlError."""
        from ggp.rules.conformance import expectations_path, load_expectations

        return load_expectations(self.path, self.game, self._shown(expectations_path(self.path)))

    def _shown(self, path: Path) -> str:
        """Return the path for messages: relative to the folder where pytest was started, if it is inside."""
        folder = self.config.invocation_params.dir
        return os.path.relpath(path, folder) if path.is_relative_to(folder) else str(path)


class RuleCheck(pytest.Item):
    """One check of a rule file."""

    def setup(self) -> None:
        """Fail if a file needed for this check was refused; pytest reports that as an error, not a failure."""
        from ggp.rules.conformance import EXPECTATIONS, RULES

        for needed in {RULES: (), EXPECTATIONS: (RULES,)}.get(self.name, (RULES, EXPECTATIONS)):
            if self._refusal(needed):
                pytest.fail(f'not checked, because "{needed}" fails', pytrace=False)

    def runtest(self) -> None:
        """Run the check and report its failures."""
        from ggp.rules.conformance import EXPECTATIONS, RULES, checks

        if self.name in (RULES, EXPECTATIONS):
            refusal = self._refusal(self.name)
            failures: tuple[str, ...] = (refusal,) if refusal else ()
        else:
            file = self._file
            [check] = [one for one in checks(file.game, file.expectations, file.settings) if one.name == self.name]
            failures = check.run().failures
        if failures:
            pytest.fail("\n".join(failures), pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the path and the name shown for this check."""
        return self.path, None, f"{self._file.name}: {self.name}"

    @property
    def _file(self) -> RuleFile:
        assert isinstance(self.parent, RuleFile)
        return self.parent

    def _refusal(self, part: str) -> str | None:
        """Return why the rules or the expectations were refused, or None if they were not."""
        from gdl.errors import GdlError
        from ggp.rules.conformance import RULES

        try:
            _ = self._file.game if part == RULES else self._file.expectations
        except GdlError as error:
            return str(error)
        return None


def _number(config: pytest.Config, name: str, least: int | None = None) -> int:
    """Return the value of an option, from the command line or else from the configuration file."""
    given = config.getoption(f"--ggp-{name}")
    text = config.getini(f"ggp_{name}") if given is None else given
    try:
        number = int(text)
    except ValueError:
        raise pytest.UsageError(f"ggp_{name}: expected a whole number, found {text}") from None
    if least is not None and number < least:
        raise pytest.UsageError(f"ggp_{name}: expected at least {least}, found {number}")
    return number

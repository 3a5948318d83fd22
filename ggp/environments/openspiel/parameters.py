"""The parameters of a game in OpenSpiel, and how they name its rules.

OpenSpiel writes the parameters of a game as text, and reads them again in other processes. So rule files have absolute
paths without the characters that OpenSpiel splits at, and rules that come from no file are part of the text themselves.
"""

from __future__ import annotations

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import quote, unquote

from gdl.errors import Source
from gdl.language.parser import UNNAMED, read_source
from gdl.language.rulesheet import Rulesheet
from ggp.environments.game import Rules
from ggp.rules.shipped_games import find_game, shipped_games

#: The beginning of a parameter `rules` that contains the rules; the rest is their text, compressed, as base 64.
_TEXT: Final = "text:"


@final
@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a game in OpenSpiel.

    - `rules`: a path, the name of a shipped game, or the rules.
    - `max_plies`: the largest number of plies; 0 for the proved length of the game, or else a general limit.
    - `simultaneous`: True if agents may choose at once although no such state has been seen.
    - `general_sum`: True if the sum of utilities may vary although it has always been the same.
    - `observation`: the name of an observer.
    """

    rules: str = ""
    max_plies: int = 0
    simultaneous: bool = False
    general_sum: bool = False
    observation: str = "facts"

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Parameters:
        """Check parameters, and name the rules so that other processes find them.

        Raises ValueError, UnknownGameError, AmbiguousGameError and FileError.
        """
        if not given.get("rules"):
            raise ValueError('the game "ggp" needs rules: pyspiel.load_game("ggp", {"rules": "PATH or NAME"})')
        parameters = cls(**{**given, "rules": _lasting(given["rules"])})
        if parameters.max_plies < 0:
            raise ValueError(f"max_plies must not be negative: {parameters.max_plies}")
        return parameters

    def values(self) -> dict[str, Any]:
        """Return the parameters as OpenSpiel takes them, without those that have their default values."""
        return {name: value for name, value in asdict(self).items() if value != DEFAULTS[name]}

    def source(self) -> Source:
        """Read the rules. Raises ValueError and FileError."""
        if not self.rules.startswith(_TEXT):
            return read_source(_found(self.rules))
        packed = self.rules.removeprefix(_TEXT)
        try:
            data = zlib.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
        except (ValueError, zlib.error) as error:
            raise ValueError(f"the rules in the parameters of the game are damaged: {error}") from None
        return Source(UNNAMED, data.decode(errors="surrogateescape"))


#: The parameters with their default values, for registration.
DEFAULTS: Final = {field.name: field.default for field in fields(Parameters)}


def rules_parameter(rules: Rules) -> str:
    """Return the parameter for rules. Raises TypeError for anything else."""
    if isinstance(rules, str | Path):
        return str(rules)
    rulesheet = rules if isinstance(rules, Rulesheet) else getattr(rules, "rulesheet", None)
    if not isinstance(rulesheet, Rulesheet):
        raise TypeError(f"expected the rules of a game, not {rules!r}")
    packed = urlsafe_b64encode(zlib.compress(rulesheet.source.text.encode(errors="surrogateescape"), 9))
    return _TEXT + packed.decode().rstrip("=")


def _lasting(rules: str) -> str:
    """Return a parameter that means the same in any folder: the name of a shipped game, or an absolute path."""
    if rules.startswith(_TEXT):
        return rules
    path = _found(rules).resolve()
    shipped = {game.path.resolve(): game.name for game in shipped_games()}
    return shipped.get(path) or quote(str(path))


def _found(rules: str) -> Path:
    """Return the rule file of a parameter: as a user gives it, or with the escapes of `_lasting`."""
    escaped = re.search("%[0-9A-F]{2}", rules) and not Path(rules).exists()
    return find_game(unquote(rules) if escaped else rules)

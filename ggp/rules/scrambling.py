"""Scramble rules: every name becomes a meaningless word, and the game stays the same.

For experiments with programs that read rules, such as language models, which know games by their names; and for
contests, whose rules should not give away what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, final

from gdl.checker.domains import Domains
from gdl.checker.view import KEYWORDS
from gdl.errors import Source
from gdl.language.edits import Edit, Offsets, apply
from gdl.language.formatter import format_source
from gdl.language.parser import source_of
from gdl.language.reading import read
from gdl.language.rulesheet import Rulesheet
from gdl.language.syntax import Symbol, VariableSymbol, leaves

#: Names with a meaning: the words of the language, and the role that stands for chance (GDL-II).
_KEPT: Final = KEYWORDS | {"random"}

_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_COMMENT: Final = re.compile(r";[^\n]*")
_CONSONANTS: Final = "bcdfghjklmnprstvwz"
_VOWELS: Final = "aeiou"


@final
@dataclass(frozen=True, slots=True)
class Scrambled:
    """Rules under other names. `names` has the old name for each new one; variables begin with `?`."""

    text: str
    names: dict[str, str]


def scramble(source: Source, seed: int) -> Scrambled:
    """Return the rules with all names replaced by random words, without comments, in the standard layout.

    The same name gets the same word everywhere, and different names get different ones, so the game is the same. The
    words of the language, the role `random` and the numbers that may be values of goals are kept. The same seed gives
    the same words. Raises RulesheetError.
    """
    rulesheet = Rulesheet.of_source(source)
    kept = _goal_values(rulesheet)
    reading = read(source)
    offsets = Offsets(source)
    new: dict[str, str] = {}
    old: dict[str, str] = {}
    found = [leaf for statement in reading.statements for leaf in leaves(statement)]
    words = _words(Random(seed), {leaf.key.lstrip("?") for leaf in found} | _KEPT)
    edits = []
    for leaf in found:
        if isinstance(leaf, Symbol) and (leaf.key in _KEPT or kept(leaf.key)):
            continue
        if leaf.key not in new:
            new[leaf.key] = f"?{next(words)}" if isinstance(leaf, VariableSymbol) else next(words)
            old[new[leaf.key]] = leaf.text
        start = offsets.start(leaf.location)
        edits.append(Edit(start, start + len(leaf.text), new[leaf.key]))
    # Comments go before names are replaced in the layout: they would tell what the names were.
    renamed = apply(source.text, sorted([*edits, *_comments(source.text)]))
    return Scrambled(_compact(format_source(source_of(renamed, source.name))), old)


def _goal_values(rulesheet: Rulesheet) -> Callable[[str], bool]:
    """Return a function that tells whether a name may be the value of a goal."""
    columns = Domains(rulesheet.rules).columns.get(("goal", 2))
    if columns is None:
        return lambda _: False
    values = columns[1]
    if values.anything:
        return lambda name: _NUMBER.fullmatch(name) is not None
    return values.constants.__contains__


def _comments(text: str) -> Iterator[Edit]:
    return (Edit(one.start(), one.end(), "") for one in _COMMENT.finditer(text))


def _compact(text: str) -> str:
    """Return a text without the blank lines that comments have left at its beginning and in rows."""
    return re.sub(r"\n{3,}", "\n\n", text.lstrip("\n"))


def _words(random: Random, taken: set[str]) -> Iterator[str]:
    """Yield words of two syllables or more that are new, in random order; longer ones as short ones run out."""
    syllables = 2
    while True:
        misses = 0
        while misses < 20:
            word = "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))
            if word in taken:
                misses += 1
            else:
                taken.add(word)
                yield word
        syllables += 1

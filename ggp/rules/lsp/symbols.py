"""The outline of a text: its statements, with adjacent ones about the same relation grouped together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import final

from gdl.checker.view import AtomSite
from gdl.errors import Location
from gdl.language.syntax import Expression, Group, Symbol
from ggp.rules.lsp.document import Document

#: Keywords that are grouped by the argument they are about: `next cell/3`.
_ABOUT = {"init": 0, "next": 0, "base": 0, "legal": 1, "input": 1}


@final
@dataclass(frozen=True, slots=True)
class Outlined:
    """A group of statements about one thing: the numbers of rules and facts, and the first and last statement."""

    name: str
    rules: int
    facts: int
    first: Expression
    last: Expression
    head: Location

    @property
    def detail(self) -> str:
        """The numbers of rules and facts, as text."""
        counts = [(self.rules, "rule"), (self.facts, "fact")]
        return ", ".join(f"{count:,} {noun}{'s' * (count != 1)}" for count, noun in counts if count)


def outlined(document: Document) -> list[Outlined]:
    """Return the groups of statements in the order of the text."""
    found = []
    for name, group in groupby(document.view.heads(), key=_name):
        sites = list(group)
        rules = sum(site.kind == "head" for site in sites)
        first, last = (document.statement(site.statement) for site in (sites[0], sites[-1]))
        found.append(Outlined(name, rules, len(sites) - rules, first, last, sites[0].name.location))
    return found


def _name(site: AtomSite) -> str:
    column = _ABOUT.get(site.name.key)
    if column is None or column >= len(site.args):
        return f"{site.name}/{len(site.args)}"
    item = site.args[column]
    about = item.items[0] if isinstance(item, Group) and item.items else item
    arity = len(item.items) - 1 if isinstance(item, Group) else 0
    return f"{site.name} {about}/{arity}" if isinstance(about, Symbol) else f"{site.name} {about}"

"""The outline of a text: its statements, those of one relation that follow each other together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import final

from gdl.checker.view import AtomSite
from gdl.errors import Location
from gdl.language.syntax import Expression, Group, Symbol
from ggp.lsp.document import Document

#: Of these, what they are about is told apart: `next cell/3`.
_ABOUT = {"init": 0, "next": 0, "base": 0, "legal": 1, "input": 1}


@final
@dataclass(frozen=True, slots=True)
class Outlined:
    """Statements about one thing: how many rules and facts, and the first and the last of them."""

    name: str
    rules: int
    facts: int
    first: Expression
    last: Expression
    head: Location

    @property
    def detail(self) -> str:
        counts = [(self.rules, "rule"), (self.facts, "fact")]
        return ", ".join(f"{count:,} {noun}{'s' * (count != 1)}" for count, noun in counts if count)


def outlined(document: Document) -> list[Outlined]:
    """The statements in the order of the text."""
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

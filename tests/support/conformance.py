"""A small game, and the report of the checks on it."""

from __future__ import annotations

from pathlib import Path

from ggp.rules.conformance import (
    Settings,
)
from ggp.rules.conformance.report import FileReport, examine

#: One heap of three; in turn a role takes one or two; whoever takes the last wins. All is declared.
HEAP = """\
(role left)
(role right)
(opponent left right)
(opponent right left)
(take one 3 2)
(take one 2 1)
(take one 1 0)
(take two 3 1)
(take two 2 0)
(init (heap 3))
(init (control left))
(base (heap 0))
(base (heap 1))
(base (heap 2))
(base (heap 3))
(<= (base (control ?r)) (role ?r))
(input ?r noop)
(<= (input ?r (take one)) (role ?r))
(<= (input ?r (take two)) (role ?r))
(<= (legal ?r (take ?k)) (true (control ?r)) (true (heap ?n)) (take ?k ?n ?m))
(<= (legal ?r noop) (true (control ?other)) (opponent ?other ?r))
(<= (next (heap ?m)) (does ?r (take ?k)) (true (heap ?n)) (take ?k ?n ?m))
(<= (next (control ?r)) (true (control ?other)) (opponent ?other ?r))
(<= terminal (true (heap 0)))
(<= (goal ?r 100) (true (control ?other)) (opponent ?other ?r))
(<= (goal ?r 0) (true (control ?r)))
""".replace("(input ?r noop)", "(<= (input ?r noop) (role ?r))")


def report(
    folder: Path, rules: str, expect: str | None = None, *, playouts: int = 5, max_plies: int | None = None
) -> FileReport:
    """The report on `game.kif` with these rules, and these expectations beside it."""
    file = folder / "game.kif"
    file.write_text(rules, encoding="utf-8")
    if expect is not None:
        file.with_name("game.expect.toml").write_text(expect, encoding="utf-8")
    return examine(file, Settings(playouts, seed=1, max_plies=max_plies), lambda _: None)

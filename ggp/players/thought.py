"""What programs think of a position, as far as they tell: for those who watch.

A player may have a method `thought`, which gives what it found out before its last move, or None. It is called between
moves, from the thread that asks for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from gdl.terms import Term


@dataclass(frozen=True, slots=True)
class Option:
    """A move that was thought about: how often, and the goal that it is expected to lead to, 0 to 100."""

    move: str
    visits: int
    goal: float
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    """What a program thinks. `expected` is its own goal, 0 to 100; `line` is how it would go on, joint moves in text.

    `work` counts in `unit`: simulations or nodes. `note` is a remark in words.
    """

    expected: float | None = None
    work: int = 0
    unit: str = ""
    depth: int = 0
    proven: bool = False
    line: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    note: str = ""


@runtime_checkable
class Thinker(Protocol):
    """A player that tells what it thinks."""

    def thought(self) -> Thought | None: ...


#: So many moves of a program are told.
_MOST_OPTIONS = 8
#: So many plies of its best line.
_LONGEST_LINE = 8


def thought_of(player: Any, role: int) -> Thought | None:
    """What a player thought before its last move; None if it does not tell, or thought nothing."""
    chosen = getattr(player, "chosen", None)
    if chosen is not None:  # a player that leaves it to another
        return thought_of(chosen, role)
    if isinstance(player, Thinker):
        return player.thought()
    search = getattr(player, "search", None)
    reason = str(getattr(player, "reason", ""))
    if search is None:
        return Thought(note=reason) if reason else None
    ranked = search.statistics(role)
    if not ranked:
        return None
    best: Term = search.best_move(role)
    top = next((entry for entry in ranked if entry.move == best), ranked[0])
    options = tuple(Option(one.move.text, one.visits, one.goal, one.proven) for one in ranked[:_MOST_OPTIONS])
    return Thought(
        expected=top.goal,
        work=sum(one.visits for one in ranked),
        unit="simulations",
        proven=top.proven,
        line=_line(search, role, best),
        options=options,
        note=reason,
    )


def _line(search: Any, role: int, best: Term) -> tuple[str, ...]:
    """How the search would go on: the role's best move, then the moves that were visited most."""
    from ggp.players.mcts.tree import ROOT, Node  # whoever has a search has loaded it

    tree = search.tree
    line: list[str] = []
    number = int(tree.counts[ROOT])
    while number >= 0 and len(line) < _LONGEST_LINE:
        node = Node(tree, number)
        if node.mover < 0:  # several roles choose, each for itself
            break
        terms = [(edge, search.world.term(edge.move)) for edge in node.edges(node.mover)]
        wanted = [entry for entry in terms if not line and node.mover == role and entry[1] == best]
        edge, move = wanted[0] if wanted else max(terms, key=lambda entry: entry[0].visits)
        if not edge.visits:
            break
        line.append(move.text)
        number = edge.child
    return tuple(line) or (best.text,)

"""The thought of a search, for spectators. This module loads Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gdl.terms import Term
from ggp.players.mcts.tree import ROOT, Node
from ggp.players.thought import Option, Thought

if TYPE_CHECKING:
    from ggp.players.mcts.search import Search

#: The most moves shown, and the most plies of the best line.
_MOST_OPTIONS: Final = 8
_LONGEST_LINE: Final = 8


def thought(search: Search, role: int, best: Term, simulations: int, note: str) -> Thought:
    """Return the thought of a search about the root, for a role that moves there and chose the move `best`.

    `simulations` is the number of those made for this move; visits also count those of earlier moves.
    """
    ranked = search.statistics(role)
    top = next(entry for entry in ranked if entry.move == best)
    return Thought(
        expected=top.goal,
        work=simulations,
        unit="simulations",
        proven=top.proven,
        line=_line(search, role, best),
        options=tuple(Option(one.move.text, one.visits, one.goal, one.proven) for one in ranked[:_MOST_OPTIONS]),
        note=note,
    )


def _line(search: Search, role: int, best: Term) -> tuple[str, ...]:
    """Return the expected continuation: the role's best move, then the most visited moves."""
    tree = search.tree
    line: list[str] = []
    number = int(tree.counts[ROOT])
    while number >= 0 and len(line) < _LONGEST_LINE:
        node = Node(tree, number)
        if node.mover < 0:  # several roles choose independently
            break
        terms = [(edge, search.world.term(edge.move)) for edge in node.edges(node.mover)]
        wanted = [entry for entry in terms if not line and node.mover == role and entry[1] == best]
        edge, move = wanted[0] if wanted else max(terms, key=lambda entry: entry[0].visits)
        if not edge.visits:
            break
        line.append(move.text)
        number = edge.child
    return tuple(line) or (best.text,)

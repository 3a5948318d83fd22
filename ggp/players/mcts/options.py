"""The options of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Options:
    """The options of a search; docs/guides/players.md explains them in more detail."""

    #: The weight of exploration in UCT, for goals from 0 to 1.
    exploration: float = 0.6
    #: Added to the value of an unvisited move, which is the mean value of the same move elsewhere in the tree.
    unvisited: float = 10.0
    #: The most leaves selected together, and their number as a share of the root's visits.
    leaves: int = 1024
    leaves_share: float = 0.05
    #: Playouts per leaf.
    playouts: int = 4
    #: A child gets a node when its edge has more visits than this.
    patience: int = 1
    #: Look for terminal states one ply ahead of each new node.
    lookahead: bool = True
    #: Try all moves of a new node that were examined by `lookahead` at once, with one playout each.
    expand: bool = True
    #: The weight of exploration in PUCT, which takes the place of UCT where one role has a choice: the goals that
    #: `expand` finds become priors, and a new node is worth its best move, not the mean over its moves. 0 for UCT.
    prior: float = 0.0
    #: The weight of exploration in UCT beside PUCT, by which a move is tried more often if its prior is wrongly low.
    prior_exploration: float = 0.0
    #: Keep the tree when the root advances.
    keep: bool = True
    #: When several roles move simultaneously, draw the move at random, in proportion to its visits.
    mix: bool = False
    #: Memory in bytes for two trees: the one being searched, and one to copy the kept part into.
    memory: int = 1 << 30
    #: Threads that search the same tree, if the world has lanes. Only with one, the same seed leads to the same search.
    threads: int = 1
